"""Who has earned a title when an evening ends: `titles_of`, and the rules of all `TITLES`.

A rule looks at what was played of one game and yields who may bear its title, how well each has
earned it, and the facts of the reason. The best bears it; two who are equal share it, of three it
is nobody's. At most three are given, the rare ones first, not all to one, and what was given lately
steps back. No title counts what anybody drank, or money that was lost; a short evening has none.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby

from kloplei.frozen import dataclass
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Line
from kloplei.games.statistics import Counts, Total
from kloplei.table.history_client import Evening, PlayedHand, PlayedRubber, Title

MOST_TITLES = 3
_MOST_EACH = 2
_MOST_SHARING = 2
_FEWEST_HANDS = 6
"""Of a game; below it nobody has shown anything yet."""
_NEVER_PLAYED = ("how.misdeal", "how.revoke", "how.void")
_FOLDS, _GIVEN_UP = "how.folds", "how.given-up"
_LIVES = ("toepen", "eenendertigen")


@dataclass(frozen=True, slots=True)
class Earned:
    """*player* may bear a title: of several whoever's *merit* is greatest; *facts* say why."""

    player: int
    merit: tuple[float, ...]
    facts: Facts


class Play:
    """What was played of one *game* in an *evening*, as the rules of titles ask for it."""

    def __init__(self, evening: Evening, game: str, counts: Counts) -> None:
        self.evening, self.game = evening, game
        self.players = [one.number for one in evening.line.players]
        self.hands = [one for one in _played(evening) if one.game == game]
        self.rubbers = [one for one in evening.rubbers if one.game == game]
        self._counted: dict[tuple[int, str], list[tuple[str, Total]]] = {}
        for (whose, counted, what, detail, _), one in counts.items():
            if counted == game:
                self._counted.setdefault((whose, what), []).append((detail, one))

    def won(self, player: int) -> list[PlayedHand]:
        """Return the hands that *player* won, alone or with others."""
        return [hand for hand in self.hands if player in hand.winners]

    def knocks(self, player: int) -> int:
        """Return how often *player* knocked, or raised."""
        return sum(knock.player == player for hand in self.hands for knock in hand.knocks)

    def asked(self, player: int) -> list[PlayedHand]:
        """Return the hands in which somebody else knocked and *player* was in."""
        return [hand for hand in self.hands if _knocked_by_others(hand, player)]

    def counted(self, player: int, what: str, detail: str | None = None) -> tuple[float, int]:
        """Return the sum of what was counted of *player* as *what*, and on how many cases."""
        told = self._counted.get((player, what), ())
        found = [one for kind, one in told if detail in (None, kind)]
        return sum(one.value for one in found), sum(one.n for one in found)

    def hands_of(self, rubber: PlayedRubber) -> list[PlayedHand]:
        """Return the hands of *rubber*, oldest first."""
        return [hand for hand in self.hands if hand.rubber == rubber.number]

    @cached_property
    def steps(self) -> list[tuple[PlayedHand, Mapping[int, int]]]:
        """Each hand, with the tallies before it in its rubber; none before the first."""
        found = []
        for _, hands in groupby(self.hands, lambda hand: hand.rubber):
            before: Mapping[int, int] = {}
            for hand in hands:
                found.append((hand, before))
                before = hand.tallies
        return found

    def strengths(self, player: int) -> list[float]:
        """Return how strong the knocks of *player* were, where they were felt."""
        knocks = (knock for hand in self.hands for knock in hand.knocks if knock.player == player)
        return [knock.strength for knock in knocks if knock.strength is not None]


Rule = Callable[[Play], Iterable[Earned]]


@dataclass(frozen=True, slots=True)
class Award:
    """A title that can be won in *games*; the lower its *rank*, the rarer it is."""

    games: tuple[str, ...]
    rank: int
    rule: Rule


TITLES: dict[str, Award] = {}
"""All there are, by key; the sentences ``title.<key>``, with ``.how`` and ``.why``, go with it."""


def announced(evening: Evening) -> tuple[Line, ...]:
    """Return what the slate tells of the titles of *evening*, whoever sits where by now."""
    names = {Seat(one.number - 1): one.name for one in evening.line.players}
    return tuple(
        Line(
            "show.title",
            {
                "title": Line(f"title.{one.key}").as_fact(),
                "name": tuple(names.get(Seat(n - 1), "") for n in (one.player, *one.shared)),
                "why": _by_name(one.why, names).as_fact(),
            },
        )
        for one in evening.titles
    )


def _by_name(line: Line, names: Mapping[Seat, str]) -> Line:
    """Return *line* with the *names* of those it speaks of, who may have left their seats."""
    named = {
        fact: names.get(value, "") if isinstance(value, Seat) else value
        for fact, value in line.facts.items()
    }
    return Line(line.key, named)


def titles_of(evening: Evening, counts: Counts, earlier: Sequence[str] = ()) -> tuple[Title, ...]:
    """Return the titles of *evening*, the rarest first.

    Args:
        evening: What was played, its own titles aside.
        counts: What the games counted in it.
        earlier: Keys that were given in the last evenings, the newest first.
    """
    plays = [Play(evening, game, counts) for game in evening.line.games]
    shown = {one.game: one for one in plays if len(one.hands) >= _FEWEST_HANDS}
    earned = {
        key: found for key, award in TITLES.items() if (found := _best(award, shown)) is not None
    }
    given = (_title(key, earned[key]) for key in _shared_out(earned, earlier))
    return tuple(sorted(given, key=lambda title: _order(title.key)))


def _best(award: Award, plays: Mapping[str, Play]) -> tuple[Earned, ...] | None:
    """Return who has earned the title best: one, or two who are equal; None for nobody."""
    found = [one for game in award.games if game in plays for one in award.rule(plays[game])]
    most = max((one.merit for one in found), default=None)
    best = {one.player: one for one in found if one.merit == most}
    return tuple(best.values()) if 0 < len(best) <= _MOST_SHARING else None


def _shared_out(
    earned: Mapping[str, tuple[Earned, ...]], earlier: Sequence[str]
) -> tuple[str, ...]:
    """Return which titles are given: who has none yet goes first, then what is longest ago."""
    chosen: list[str] = []
    titled: Counter[int] = Counter()
    last = set(earlier[:MOST_TITLES])
    while len(chosen) < MOST_TITLES:
        left = [
            key
            for key, best in earned.items()
            if key not in chosen
            and all(titled[one.player] < _MOST_EACH for one in best)
            and {*chosen, key} != last
        ]
        if not left:
            break
        of_whom = {key: max(titled[one.player] for one in earned[key]) for key in left}
        chosen.append(min(left, key=lambda key: (of_whom[key], _age(key, earlier), _order(key))))
        titled.update(one.player for one in earned[chosen[-1]])
    return tuple(chosen)


def _age(key: str, earlier: Sequence[str]) -> int:
    """Return 0 for what was not given lately, and more the less long ago it was."""
    return len(earlier) - earlier.index(key) if key in earlier else 0


def _order(key: str) -> tuple[int, int]:
    return TITLES[key].rank, list(TITLES).index(key)


def _title(key: str, best: tuple[Earned, ...]) -> Title:
    first, *others = best
    shared = tuple(one.player for one in others)
    return Title(key, first.player, Line(f"title.{key}.why", first.facts), shared)


def _won_by(*games: str, rank: int) -> Callable[[Rule], Rule]:
    """Let the function below be the rule of the title that it is called like."""

    def added(rule: Rule) -> Rule:
        TITLES[rule.__name__.removeprefix("_").replace("_", "-")] = Award(games, rank, rule)
        return rule

    return added


# What a hand shows.


def _played(evening: Evening) -> list[PlayedHand]:
    """Return the hands that came to something."""
    return [hand for hand in evening.hands if hand.how.key not in _NEVER_PLAYED]


def _in_hand(hand: PlayedHand, player: int) -> bool:
    """Return whether *player* had a part in *hand*: won it, paid for it, or left it."""
    return player in hand.winners or player in hand.folded or bool(hand.paid.get(player))


def _knocked_by_others(hand: PlayedHand, player: int) -> bool:
    others = any(knock.player != player for knock in hand.knocks)
    return others and _in_hand(hand, player)


def _last_knock(hand: PlayedHand) -> int | None:
    return hand.knocks[-1].player if hand.knocks else None


def _stolen(play: Play, player: int, how: str) -> int:
    """Return how often all others left a hand when *player* had knocked."""
    left = (hand for hand in play.won(player) if hand.how.key == how)
    return sum(_last_knock(hand) == player for hand in left)


def _booked(play: Play, player: int, *lines: str) -> int:
    """Return how many of those *lines* were booked for *player*."""
    told = (line for hand in play.hands for line in hand.told if line.key in lines)
    return sum(line.facts.get("seat") == Seat(player - 1) for line in told)


def _is_last(hand: PlayedHand, player: int, upwards: bool) -> int:
    """Return by how much *player* was behind the best after *hand*, if nobody was worse off."""
    sign = 1 if upwards else -1
    stood = {one: sign * tally for one, tally in hand.tallies.items()}
    mine = stood.get(player)
    return max(stood.values()) - mine if mine is not None and mine == min(stood.values()) else 0


def _answer_times(play: Play) -> Iterator[tuple[int, float]]:
    """Yield how many seconds who answered six times or more took for it on average."""
    for player in play.players:
        seconds, n = play.counted(player, "answer-s")
        if n >= 6:
            yield player, seconds / n


def _limit(rubber: PlayedRubber, hands: Sequence[PlayedHand]) -> int | None:
    """Return how many lives *rubber* was for: so many has lost who is out."""
    last = hands[-1].tallies if hands else {}
    return max((last[one] for one in rubber.losers if one in last), default=None)


# What rules are made of.


def _most(play: Play, least: int, count: Callable[[int], int]) -> Iterator[Earned]:
    """Yield whose *count* is *least* or more; the most is best."""
    for player in play.players:
        if (n := count(player)) >= least:
            yield Earned(player, (n,), {"n": n})


def _share(
    play: Play, least: int, percent: int, cases: Callable[[int], Iterable[bool]]
) -> Iterator[Earned]:
    """Yield of whose *cases* so many, and so many in a hundred, are true."""
    for player in play.players:
        all_ = list(cases(player))
        n = sum(all_)
        if n >= least and n * 100 >= len(all_) * percent:
            yield Earned(player, (n / len(all_), n), {"n": n, "of": len(all_)})


def _run(hands: Iterable[PlayedHand], holds: Callable[[PlayedHand], bool]) -> int:
    """Return in how many *hands* on end that *holds*."""
    return max((len(list(run)) for held, run in groupby(hands, holds) if held), default=0)


def _winners_of(
    play: Play, count: Callable[[PlayedRubber, int], int], least: int
) -> Iterator[Earned]:
    """Yield who won a rubber for which their *count* is *least* or more."""
    for rubber in play.rubbers:
        for player in rubber.winners:
            if (n := count(rubber, player)) >= least:
                yield Earned(player, (n / least,), {"n": n})


def _from_the_end(play: Play, hands: Sequence[PlayedHand]) -> Iterator[Earned]:
    """Yield who won the first three of *hands*, or more, if they were of this game."""

    def begun(player: int) -> int:
        lost = (at for at, hand in enumerate(hands) if player not in hand.winners)
        return next(lost, len(hands))

    if hands[0].game == play.game:
        yield from _most(play, 3, begun)


# Rare: not every week.


@_won_by("eenendertigen", rank=1)
def _fire(play: Play) -> Iterable[Earned]:
    return _most(play, 1, lambda player: play.counted(player, "laid", "three_aces")[1])


@_won_by("toepen", rank=1)
def _clean_slate(play: Play) -> Iterable[Earned]:
    for rubber in play.rubbers:
        hands = play.hands_of(rubber)
        for player in rubber.winners if len(hands) >= _FEWEST_HANDS else ():
            lost = hands[-1].tallies.get(player, 0)
            if lost <= 2:
                yield Earned(player, (-lost, len(hands)), {"n": lost or None, "of": len(hands)})


@_won_by("toepen", "watten", "eenendertigen", rank=1)
def _phoenix(play: Play) -> Iterable[Earned]:
    far = {"toepen": 4, "watten": 6, "eenendertigen": 2}[play.game]

    def behind(rubber: PlayedRubber, player: int) -> int:
        hands = play.hands_of(rubber)
        last = hands[-1].tallies if hands else {}
        upwards = last.get(player) == max(last.values(), default=0)
        return max((_is_last(hand, player, upwards) for hand in hands), default=0)

    return _winners_of(play, behind, far)


@_won_by("toepen", "watten", "eenendertigen", rank=1)
def _hat_trick(play: Play) -> Iterable[Earned]:
    def on_end(player: int) -> int:
        runs = groupby(play.rubbers, lambda rubber: player in rubber.winners)
        return max((len(list(run)) for won, run in runs if won), default=0)

    return _most(play, 3, on_end)


@_won_by("watten", rank=1)
def _schneider(play: Play) -> Iterable[Earned]:
    for rubber in play.rubbers:
        last = hands[-1].tallies if (hands := play.hands_of(rubber)) else {}
        mine = min((last[one] for one in rubber.winners if one in last), default=0)
        theirs = max((last[one] for one in rubber.losers if one in last), default=mine)
        for player in rubber.winners if theirs * 3 <= mine and mine else ():
            yield Earned(player, (mine - theirs,), {"mine": mine, "theirs": theirs})


@_won_by("toepen", rank=1)
def _daredevil(play: Play) -> Iterable[Earned]:
    def highest(player: int) -> int:
        stakes = (hand.stake or 0 for hand in play.won(player) if hand.how.key != _FOLDS)
        return max(stakes, default=0)

    return _most(play, 5, highest)


@_won_by("toepen", rank=1)
def _bookkeeper(play: Play) -> Iterable[Earned]:
    def careful(player: int) -> int:
        hands = [hand for hand in play.hands if _in_hand(hand, player)]
        prices = (max(hand.paid.get(player, 0), hand.folded.get(player, 0)) for hand in hands)
        return len(hands) if max(prices, default=0) <= 1 else 0

    return _most(play, 15, careful)


@_won_by(*_LIVES, rank=1)
def _marathon(play: Play) -> Iterable[Earned]:
    long = {"toepen": 20, "eenendertigen": 15}[play.game]
    return _winners_of(play, lambda rubber, _: len(play.hands_of(rubber)), long)


@_won_by("tarok", rank=1)
def _ultimo(play: Play) -> Iterable[Earned]:
    won = ("ledger.pagat_ultimo_won", "ledger.king_ultimo_won")
    return _most(play, 1, lambda player: _booked(play, player, *won))


# Some evenings have one.


@_won_by(*_LIVES, rank=2)
def _cat(play: Play) -> Iterable[Earned]:
    limits = {one.number: _limit(one, play.hands_of(one)) for one in play.rubbers}
    often = {"toepen": 3, "eenendertigen": 8}[play.game]

    def survived(player: int) -> int:
        return sum(
            hand.tallies.get(player) == before[player]
            and (play.game != "toepen" or player in hand.winners)
            for hand, before in play.steps
            if player in before and before[player] + 1 == limits.get(hand.rubber)
        )

    return _most(play, often, survived)


@_won_by("toepen", rank=2)
def _strategist(play: Play) -> Iterable[Earned]:
    won = {player for rubber in play.rubbers for player in rubber.winners}

    def folded(player: int) -> Iterable[bool]:
        hands = play.hands if player in won else ()
        return (player in hand.folded for hand in hands if _in_hand(hand, player))

    return _share(play, 6, 50, folded)


@_won_by("eenendertigen", rank=2)
def _thirty_one(play: Play) -> Iterable[Earned]:
    return _most(play, 2, lambda player: play.counted(player, "laid", "thirty_one")[1])


@_won_by("eenendertigen", rank=2)
def _good_feeling(play: Play) -> Iterable[Earned]:
    def unpunished(player: int) -> int:
        caught, n = play.counted(player, "caught")
        return 0 if caught else n

    return _most(play, 4, unpunished)


@_won_by("toepen", "watten", rank=2)
def _express(play: Play) -> Iterable[Earned]:
    long = {"toepen": 4, "watten": 6}[play.game]
    return _most(play, long, lambda player: _run(play.hands, lambda hand: player in hand.winners))


@_won_by("toepen", rank=2)
def _fox(play: Play) -> Iterable[Earned]:
    return _most(play, 3, lambda player: _stolen(play, player, _FOLDS))


@_won_by("toepen", rank=2)
def _nemesis(play: Play) -> Iterable[Earned]:
    feared: Counter[tuple[int, int]] = Counter()
    for hand in play.hands:
        knockers = {knock.player for knock in hand.knocks}
        if len(knockers) == 1:  # else nobody knows whose knock it was
            feared.update(
                (hand.knocks[0].player, one) for one in hand.folded if one not in knockers
            )
    for (player, folder), n in feared.items():
        if n >= 4:
            yield Earned(player, (n,), {"n": n, "other": Seat(folder - 1)})


@_won_by("toepen", rank=2)
def _silent(play: Play) -> Iterable[Earned]:
    heard = any(hand.knocks for hand in play.hands)
    return _most(play, 4, lambda one: len(play.won(one)) if heard and not play.knocks(one) else 0)


@_won_by("toepen", rank=2)
def _nerves(play: Play) -> Iterable[Earned]:
    def held_out(player: int) -> int:
        asked = (hand for hand in play.asked(player) if _last_knock(hand) != player)
        return sum(player in hand.winners and hand.how.key != _FOLDS for hand in asked)

    return _most(play, 3, held_out)


@_won_by("toepen", rank=2)
def _finisher(play: Play) -> Iterable[Earned]:
    last = {one.last_hand for one in play.rubbers}
    return _most(play, 2, lambda one: sum(hand.number in last for hand in play.won(one)))


@_won_by("watten", rank=2)
def _bull(play: Play) -> Iterable[Earned]:
    return _most(play, 3, lambda player: _stolen(play, player, _GIVEN_UP))


@_won_by("watten", rank=2)
def _rock(play: Play) -> Iterable[Earned]:
    def held(hand: PlayedHand) -> bool:
        raised = any(knock.player not in hand.winners for knock in hand.knocks)
        return raised and hand.how.key != _GIVEN_UP

    return _most(play, 3, lambda player: sum(map(held, play.won(player))))


@_won_by("watten", rank=2)
def _tightrope(play: Play) -> Iterable[Earned]:
    return _most(play, 2, lambda player: int(play.counted(player, "gestrichen")[0]))


@_won_by("toepen", rank=2)
def _detective(play: Play) -> Iterable[Earned]:
    return _most(play, 2, lambda player: int(play.counted(player, "challenge")[0]))


@_won_by("toepen", rank=2)
def _honest(play: Play) -> Iterable[Earned]:
    def clean(player: int) -> int:
        dirty, n = play.counted(player, "bluff")
        return 0 if dirty else n

    return _most(play, 2, clean)


@_won_by("tarok", rank=2)
def _shepherd(play: Play) -> Iterable[Earned]:
    return _most(play, 3, lambda player: _booked(play, player, "ledger.pagat_home"))


@_won_by("tarok", rank=2)
def _big_catch(play: Play) -> Iterable[Earned]:
    return _most(play, 60, lambda player: max(hand.paid.get(player, 0) for hand in play.hands))


@_won_by("tarok", rank=2)
def _summit(play: Play) -> Iterable[Earned]:
    last = play.hands[-1].tallies

    def climbed(player: int) -> int:
        low = max(_is_last(hand, player, upwards=True) for hand in play.hands)
        return low if last.get(player) == max(last.values()) else 0

    return _most(play, 50, climbed) if last else ()


@_won_by("toepen", "watten", rank=2)
def _golden_dealer(play: Play) -> Iterable[Earned]:
    def dealt(player: int) -> Iterable[bool]:
        return (player in hand.winners for hand in play.hands if hand.dealer == player)

    return _share(play, 4, 75, dealt)


# Most evenings could have one.


@_won_by("toepen", rank=3)
def _wall(play: Play) -> Iterable[Earned]:
    return _share(
        play, 6, 80, lambda player: (player not in hand.folded for hand in play.asked(player))
    )


@_won_by("toepen", rank=3)
def _drummer(play: Play) -> Iterable[Earned]:
    knocks = [knock for hand in play.hands for knock in hand.knocks]
    return _share(play, 6, 34, lambda one: (knock.player == one for knock in knocks))


@_won_by("toepen", rank=3)
def _thunder(play: Play) -> Iterable[Earned]:
    return _most(play, 3, lambda player: sum(one >= 0.9 for one in play.strengths(player)))


@_won_by("toepen", rank=3)
def _velvet(play: Play) -> Iterable[Earned]:
    for player in play.players:
        felt = play.strengths(player)
        if len(felt) >= 4 and max(felt) <= 0.5:
            yield Earned(player, (-max(felt),), {"n": len(felt)})


@_won_by("toepen", rank=3)
def _lightning(play: Play) -> Iterable[Earned]:
    for player, mean in _answer_times(play):
        if mean <= 3:
            yield Earned(player, (-mean,), {"seconds": round(mean, 1)})


@_won_by("toepen", rank=3)
def _thinker(play: Play) -> Iterable[Earned]:
    for player, mean in _answer_times(play):
        if mean >= 6:
            yield Earned(player, (mean,), {"seconds": round(mean)})


@_won_by("tarok", rank=3)
def _metronome(play: Play) -> Iterable[Earned]:
    def moved(player: int) -> Iterable[bool]:
        return (paid > 0 for hand in play.hands if (paid := hand.paid.get(player, 0)))

    return _share(play, 5, 67, moved)


@_won_by("eenendertigen", rank=3)
def _untouched(play: Play) -> Iterable[Earned]:
    most = max(tally for hand in play.hands for tally in hand.tallies.values())

    def unhurt(player: int) -> int:
        return _run(
            play.hands,
            lambda hand: hand.tallies.get(player, most) < most and not hand.paid.get(player),
        )

    return _most(play, 6, unhurt)


@_won_by("toepen", "watten", rank=3)
def _early_bird(play: Play) -> Iterable[Earned]:
    return _from_the_end(play, _played(play.evening))


@_won_by("toepen", "watten", rank=3)
def _night_owl(play: Play) -> Iterable[Earned]:
    hands = _played(play.evening)[::-1]
    return _from_the_end(play, hands) if len(hands) >= 2 * _FEWEST_HANDS else ()


@_won_by(*_LIVES, "watten", rank=3)
def _host(play: Play) -> Iterable[Earned]:
    given = rounds_given(play.evening)
    return _most(play, 2, lambda player: given.get(player, 0))


def rounds_given(evening: Evening) -> Mapping[int, int]:
    """Return how many rounds each player gave: one a rubber, however many were treated to it."""
    bought = {(one.payer, one.rubber): one.amount for one in evening.settled if one.unit == "round"}
    given: Counter[int] = Counter()
    for (payer, _), amount in bought.items():
        given[payer] += amount
    return given
