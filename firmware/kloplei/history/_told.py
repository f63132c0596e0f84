"""An evening as it is told: its hands and rubbers, by the numbers of who played.

While an evening is folded, whoever comes by has a number, and a hand may yet be put right
(`HandSoFar`). Once it is told only those count who played, from 1 (`Renumbered`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field

from kloplei.frozen import dataclass, replace
from kloplei.games.card_game import Finished
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.history_client import (
    EveningLine,
    Knock,
    PlayedHand,
    PlayedRubber,
    Player,
    Settlement,
)


@dataclass(slots=True)
class HandSoFar:
    """A finished hand as it is told so far; *number* is that of the running rubber's log."""

    number: int
    game: str
    rubber: int
    finished: Finished
    knocks: tuple[Knock, ...]
    dealer: int | None
    folded: dict[int, int]
    winners: tuple[int, ...]
    paid: dict[int, int]
    told: tuple[Line, ...]
    tallies: dict[int, int] = field(default_factory=dict)
    corrected: bool = False
    holds: bool = True
    shown: PlayedHand | None = None  # as it was told last, while nothing of it has changed


@dataclass(slots=True)
class RubberSoFar:
    """A rubber that is over, until it is reopened; *last* is the hand that ended it, if one did."""

    number: int
    game: str
    winners: tuple[int, ...]
    losers: tuple[int, ...]
    last: HandSoFar | None
    points: dict[int, int]
    crowned: tuple[int, ...]
    payers: list[int]


class Renumbered:
    """Those who played, numbered from 1 without those who only came by."""

    def __init__(self, players: list[Player], hands: list[HandSoFar]) -> None:
        used = {player for one in hands for player in (*one.tallies, *one.paid)}
        self.to = {old: new for new, old in enumerate(sorted(used), start=1)}
        """Their numbers, by those they had while the evening was folded."""
        self.players = tuple(replace(players[old - 1], number=new) for old, new in self.to.items())
        self._places = {id(one): n for n, one in enumerate(hands, start=1)}

    def hand(self, number: int, hand: HandSoFar) -> PlayedHand:
        """Return *hand* as the evening's hand of that *number*."""
        shown = hand.finished.shown
        return PlayedHand(
            number=number,
            game=hand.game,
            rubber=hand.rubber,
            winners=self._all(hand.winners),
            how=Line(shown.how),
            paid=self._by(hand.paid),
            tallies=self._by(hand.tallies),
            stake=hand.finished.stake,
            knocks=tuple(
                replace(one, player=self.to[one.player])
                for one in hand.knocks
                if one.player in self.to
            ),
            folded=self._by(hand.folded),
            told=tuple(self._line(one) for one in hand.told),
            corrected=hand.corrected,
            dealer=None if hand.dealer is None else self.to.get(hand.dealer),
        )

    def rubber(self, rubber: RubberSoFar) -> PlayedRubber:
        """Return *rubber* as it is told; hand 0 ended one that was only chalked up."""
        last = self._places.get(id(rubber.last), 0)
        return PlayedRubber(
            number=rubber.number,
            game=rubber.game,
            winners=self._all(rubber.winners),
            losers=self._all(rubber.losers),
            last_hand=last,
            points=self._by(rubber.points),
            crowned=self._all(rubber.crowned),
        )

    def settled(self, one: Settlement) -> Settlement:
        """Return *one* between those who played."""
        return replace(one, payer=self.to.get(one.payer, 0), payee=self.to.get(one.payee, 0))

    def _all(self, players: Iterable[int]) -> tuple[int, ...]:
        return tuple(self.to[one] for one in players if one in self.to)

    def _by(self, numbers: Mapping[int, int]) -> dict[int, int]:
        return {new: numbers[old] for old, new in self.to.items() if old in numbers}

    def _line(self, line: Line) -> Line:
        return replace(line, facts={name: self._fact(one) for name, one in line.facts.items()})

    def _fact(self, fact: object) -> object:
        if isinstance(fact, Seat):
            return Seat(self.to[fact + 1] - 1) if fact + 1 in self.to else ""
        if isinstance(fact, tuple):
            return tuple(map(self._fact, fact))
        if isinstance(fact, Mapping):
            return {name: self._fact(one) for name, one in fact.items()}
        return fact


def turning_hand(hands: tuple[PlayedHand, ...]) -> int | None:
    """Return the hand that moved most, beside what hands of its game moved that evening."""
    moved = {one.number: sum(map(abs, one.paid.values())) for one in hands}
    games: dict[str, list[int]] = {}
    for one in hands:
        games.setdefault(one.game, []).append(moved[one.number])
    weight = {
        one.number: moved[one.number] * len(games[one.game]) / (sum(games[one.game]) or 1)
        for one in hands
    }
    most = max(weight, key=lambda number: (weight[number], number))
    return most if moved[most] else None


def best_players(
    line: EveningLine,
    hands: tuple[PlayedHand, ...],
    rubbers: tuple[PlayedRubber, ...],
    falls: Mapping[str, bool],
) -> tuple[int, ...]:
    """Return who won most rubbers; of several, and without any, whose slate was the best."""
    won = Counter(player for one in rubbers for player in one.winners)
    everybody = [one.number for one in line.players]
    most = max((won[player] for player in everybody), default=0)
    ahead = [player for player in everybody if won[player] == most]
    if len(ahead) < 2 or len(line.games) > 1:
        return tuple(ahead) if most else ()
    sign = -1 if falls[line.games[0]] else 1
    gained = {player: sign * sum(one.paid.get(player, 0) for one in hands) for player in ahead}
    best = max(gained.values())
    return tuple(player for player in ahead if gained[player] == best)
