"""An evening in words: what one sends to friends, what BG Stats takes over, what a recap says.

It tells nothing that `Evening` does not hold, and asks nobody. It draws nothing either: who only
reads loads no pictures.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate
from operator import itemgetter
from urllib.parse import quote

from kloplei.games.catalogue import GAMES
from kloplei.games.game import Facts, Seat
from kloplei.games.statistics import Retold
from kloplei.history.titles import rounds_given
from kloplei.table.history_client import Evening, PlayedHand, Player, Title
from kloplei.words import Words
from kloplei.words.dates import day_of, is_known

_MANY_RUBBERS = 3
_BG_STATS = "https://app.bgstatsapp.com/createPlay.html?data="


def as_text(evening: Evening, words: Words, *, place: str = "") -> str:
    """Return what one sends to friends: who won, the titles, the turning point, the rounds."""
    told = Summary(evening, words)
    lines = [" · ".join(filter(None, (told.games, told.day, place.strip())))]
    if evening.winners:
        lines.append(told.won)
    lines += [told.title(*each) for each in told.titles]
    if told.turning:
        lines.append(told.say("recap.turned", {"hand": told.turning_of, "what": told.turning}))
    lines += [told.rounds_told] if told.rounds else []
    return "\n".join([*lines, told.goodbye]) + "\n"


def bg_stats_link(evening: Evening, words: Words, *, place: str = "") -> str:
    """Return the link that opens *evening* in BG Stats, ready to be saved; empty without a date.

    The app wants the moment in UTC, and remembers by our ids whom it took for whom.
    https://www.bgstatsapp.com/support/push-plays-to-bg-stats-from-other-apps-or-websites/
    """
    line = evening.line
    if not is_known(line.at):
        return ""
    told = Summary(evening, words)
    play: dict[str, object] = {
        "sourceName": "Kloplei",
        "sourcePlayId": f"{line.number}-{line.at:.0f}",
        "playDate": f"{datetime.fromtimestamp(line.at, UTC):%Y-%m-%d %H:%M:%S}",
        "location": place or "Kloplei",
        "comments": "; ".join(told.title(name, who) for name, who, _ in told.titles),
        "game": {"name": words.name("game", told.game), "sourceGameId": told.game}
        | {"highestWins": True, "noPoints": False},
        "players": [
            {
                "name": told.names[Seat(one.number - 1)],
                "sourcePlayerId": _source_of(one),
                "score": told.scores[one.number],
                "winner": one.number in evening.winners,
            }
            for one in line.players
        ],
    }
    if line.until and line.until > line.at:
        play["durationMin"] = round((line.until - line.at) / 60)
    return _BG_STATS + quote(json.dumps(play, ensure_ascii=False))


def _source_of(player: Player) -> str:
    """Return what BG Stats may know *player* by again: who was forgotten is new every time."""
    if player.person is not None:
        return f"person-{player.person}"
    return f"guest-{player.name}" if player.name else f"player-{player.number}"


class Summary:
    """What is said of an *evening*, in the words of who reads it."""

    def __init__(self, evening: Evening, words: Words, write: Callable[[str], str] = str) -> None:
        self.evening = evening
        hands = Counter(hand.game for hand in evening.hands)
        self.is_over = not evening.line.runs
        self.game = max(evening.line.games, key=lambda game: hands[game], default="toepen")
        self.words = words.of_game(self.game)
        self.names = {
            Seat(one.number - 1): write(words.called(one.name))
            or self.words.say("recap.player", {"number": one.number})
            for one in evening.line.players
        }

    def say(self, key: str, facts: Facts | None = None) -> str:
        """Return the sentence *key*, with players by their names."""
        return self.words.say(key, facts or {}, self.names)

    def seats(self, players: Sequence[int]) -> tuple[Seat, ...]:
        """Return *players* as facts of a sentence."""
        return tuple(Seat(one - 1) for one in players)

    def name(self, player: int) -> str:
        """Return what *player* is called."""
        return self.names.get(Seat(player - 1), "")

    def listed(self, players: Sequence[int]) -> str:
        """Return *players* as people list them."""
        return self._joined([self.name(one) for one in players])

    def _joined(self, names: Sequence[str]) -> str:
        *others, last = names
        joined = {"rest": self.say("list.comma").join(others), "last": last}
        return self.say("list.last", joined) if others else last

    @property
    def games(self) -> str:
        """All games of the evening."""
        names = [self.words.name("game", game) for game in self.evening.line.games]
        return self.say("list.comma").join(names)

    @property
    def day(self) -> str:
        """Which day it was, if anybody knew."""
        at = self.evening.line.at
        return day_of(at, self.words) if is_known(at) else self.say("recap.some-evening")

    @property
    def hands(self) -> str:
        """How many hands were played."""
        n = {"n": len(self.evening.hands)}
        return self.say("recap.hands", n) if self.is_over else self.say("recap.hands-so-far", n)

    @property
    def whose(self) -> str:
        """What stands above the names of who won, or leads; where nobody does, in their place."""
        n = {"n": len(self.evening.winners)}
        if not self.evening.winners:
            return self.say("recap.no-winner") if self.is_over else self.say("recap.no-leader")
        return self.say("recap.winner", n) if self.is_over else self.say("recap.leads", n)

    @property
    def won(self) -> str:
        """Who won, or leads, and what they have to show."""
        winners = self.evening.winners
        facts = {"winners": self.seats(winners), "what": self.what_won(winners[0]) or None}
        return self.say("recap.won", facts) if self.is_over else self.say("recap.led", facts)

    @property
    def goodbye(self) -> str:
        """The last words."""
        return self.say("recap.bye") if self.is_over else self.say("recap.goes-on")

    @property
    def titles(self) -> Iterator[tuple[str, str, str]]:
        """Name, bearers and reason of each title."""
        for title in self.evening.titles:
            why = self.say(title.why.key, title.why.facts)
            yield self.say(f"title.{title.key}"), self.listed(_bearers(title)), why

    def title(self, title: str, who: str, why: str | None = None) -> str:
        """Return who bears a title, and why, in a line."""
        return self.say("recap.title", {"title": title, "who": who, "why": why})

    @cached_property
    def rounds(self) -> Mapping[int, int]:
        """How many rounds each player gave."""
        return rounds_given(self.evening)

    @property
    def rounds_told(self) -> str:
        """Who gave rounds: one, or as many as stand behind the name."""
        given = sorted(self.rounds.items(), key=itemgetter(1), reverse=True)
        names = [
            self.say("recap.times", {"name": self.name(one), "times": n})
            if n > 1
            else self.name(one)
            for one, n in given
        ]
        return self.say(
            "recap.rounds", {"who": self._joined(names), "n": sum(self.rounds.values())}
        )

    @property
    def by_rubbers(self) -> bool:
        """Whether rubbers came to their end, so that they are what counts."""
        return bool(self.evening.rubbers)

    @property
    def is_of_chips(self) -> bool:
        """Whether tallies go up and down, as in Tarok, and are the score."""
        return _retold(self.game).by_tally

    @cached_property
    def scores(self) -> Mapping[int, int]:
        """What counts of each player: rubbers won, else chips, else hands."""
        players = [one.number for one in self.evening.line.players]
        if self.is_of_chips:
            return {one: self._chips_of(one)[-1] for one in players}
        won = self.evening.rubbers if self.by_rubbers else self.evening.hands
        return {one: sum(one in what.winners for what in won) for one in players}

    @property
    def ranked(self) -> list[int]:
        """The players, winners of the evening first."""
        hands = Counter(one for hand in self.evening.hands for one in hand.winners)
        return sorted(
            self.scores,
            key=lambda one: (one not in self.evening.winners, -self.scores[one], -hands[one], one),
        )

    def what_won(self, player: int) -> str:
        """Return what *player* has to show."""
        n = self.scores.get(player, 0)
        if n <= 0:
            return ""
        if self.is_of_chips:
            return f"+{n}"
        return self.say("recap.rubbers-won" if self.by_rubbers else "recap.hands-won", {"n": n})

    @property
    def of_course(self) -> str:
        """What the evening's course is that of; of chips it says so itself."""
        if self.is_of_chips:
            return ""
        return self.say("recap.race") if self.is_race else self.say("recap.course-hands")

    @property
    def legend(self) -> str:
        """What a stroke stands for."""
        return self.say("recap.stroke-rubber" if self.by_rubbers else "recap.stroke-hand")

    @cached_property
    def _turning(self) -> PlayedHand | None:
        number = self.evening.turning
        return next((hand for hand in self.evening.hands if hand.number == number), None)

    @property
    def turning_of(self) -> str:
        """Which hand it was that moved most."""
        hand = self._turning
        if hand is None:
            return ""
        facts = {"number": hand.number}
        over = self.is_over
        return self.say("recap.turning", facts) if over else self.say("recap.turning-so-far", facts)

    @property
    def turning(self) -> str:
        """What happened in it."""
        hand = self._turning
        if hand is None:
            return ""
        told = "".join(f"{one} " for one in self._of_hand(hand))
        return told.replace("。 ", "。").rstrip()

    def _of_hand(self, hand: PlayedHand) -> Iterator[str]:
        own, retold = self.words.of_game(hand.game), _retold(hand.game)
        if hand.knocks and retold.knocks_raise:
            last = hand.knocks[-1]
            facts = {"seat": Seat(last.player - 1), "stake": last.stake}
            yield own.say("recap.knocked", facts, self.names)
        winners = self.seats(hand.winners)
        most = max(hand.paid.values(), default=0)
        moved = self.seats([one for one, paid in hand.paid.items() if paid == most])
        if hand.how.key in ("how.folds", "how.given-up") and winners:
            yield own.say("recap.all-left", {"winners": winners}, self.names)
        elif retold.costs_lives and most > 0:
            many = len(moved) > 2 and len(moved) + len(winners) == len(self.names)
            losers = self.say("recap.others") if many else moved
            yield self.say("recap.cost", {"winners": winners, "losers": losers, "n": most})
        elif most > 0:
            yield self.say("recap.gain", {"winners": moved, "amount": most})

    @property
    def is_race(self) -> bool:
        """Whether the evening's course is told by who won how many rubbers."""
        return not self.is_of_chips and len(self.evening.rubbers) >= _MANY_RUBBERS

    def course(self) -> Iterator[tuple[int, list[float]]]:
        """Yield each player's way through the evening, the best first.

        It is that of the chips, of the rubbers won, or where there were few of them, of the hands
        won, as many above or below the table's mean.
        """
        hands, rubbers = self.evening.hands, self.evening.rubbers
        means = [0, *accumulate(len(hand.winners) / len(self.names) for hand in hands)]
        for player in self.ranked:
            if self.is_of_chips:
                yield player, list(self._chips_of(player))
            elif self.is_race:
                yield player, [0, *accumulate(player in rubber.winners for rubber in rubbers)]
            else:
                won = [0, *accumulate(player in hand.winners for hand in hands)]
                yield player, [mine - mean for mine, mean in zip(won, means, strict=True)]

    def _chips_of(self, player: int) -> list[int]:
        """Return what *player* had after each hand; what was settled between stays theirs."""
        settled: Counter[int] = Counter()
        for one in self.evening.settled:
            if one.unit == "chips":
                settled[one.rubber] += one.amount * ((one.payee == player) - (one.payer == player))
        hands = [hand for hand in self.evening.hands if hand.game == self.game]
        way = [0]
        for hand in hands:
            before = sum(chips for rubber, chips in settled.items() if rubber < hand.rubber)
            way.append(before + hand.tallies.get(player, 0))
        is_settled = bool(hands) and hands[-1].rubber in settled
        return [*way, sum(settled.values())] if is_settled else way


def _retold(game: str) -> Retold:
    return GAMES[game].retold if game in GAMES else Retold()


def _bearers(title: Title) -> tuple[int, ...]:
    return (title.player, *title.shared)
