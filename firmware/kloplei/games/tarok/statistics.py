"""What Tarok counts for years: chips line by line, pots, ultimo (docs/history.md has each).

A hand counts once it is booked, as it was told in the end: one that is told anew counts when it is
booked again. Of one that was thrown in only the chips count that it moved.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.statistics import Count, Notes, Played, Retold, Statistic
from kloplei.games.tarok import actions
from kloplei.games.tarok.actions import VOID
from kloplei.games.tarok.state import PlayedHand

RETOLD = Retold(by_tally=True)
STATISTICS = (
    Statistic("hands", "swing", "cases", few=1, unit="hands"),
    Statistic("gained", "gained", "share", few=10, unit="share"),
    Statistic("chips", "chips", "sum", few=1, unit="chips"),
    Statistic("chips-a-hand", "swing", "mean", few=10, unit="chips"),
    Statistic("best-hand", "swing", "most", few=5, unit="chips"),
    Statistic("worst-hand", "swing", "least", few=5, unit="chips"),
    Statistic("by-line", "line", "sum", few=1, unit="chips", by_detail=True),
    Statistic("own-lines", "own-line", "sum", few=1, by_detail=True),
    Statistic("pots", "pots", "sum", few=1, unit="chips"),
    Statistic("ultimo", "ultimo", "share", few=3, unit="share"),
    Statistic("ultimo-with", "ultimo", "share", few=3, unit="share", by_detail=True),
    Statistic("pagat-home", "pagat-home", "share", few=5, unit="share"),
    Statistic("last-trick", "last-trick", "share", few=10, unit="share"),
    Statistic("declares", "declares", "share", few=10, unit="share"),
    Statistic("card-points", "card-points", "mean", few=10, unit="points"),
    Statistic("evenings", "evening", "cases", few=1),
    Statistic("evenings-won", "evening", "share", few=3, unit="share"),
    Statistic("best-evening", "evening-chips", "most", few=3, unit="chips"),
    Statistic("worst-evening", "evening-chips", "least", few=3, unit="chips"),
)
_ULTIMO = {
    f"{card}_ultimo_{how}": (card, how == "won")
    for card in ("pagat", "king")
    for how in ("won", "lost")
}


@dataclass(frozen=True, slots=True)
class _Hand:
    """A hand as it was booked at entry *seq*, by those *seats*; not all of them are *active*."""

    seq: int
    told: PlayedHand
    seats: tuple[Seat, ...]

    @property
    def active(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seats if seat != self.told.sitter)


class _Notes(Notes[_Hand]):
    """What happened in an evening of Tarok."""

    def __init__(self, game: object) -> None:
        super().__init__(game)
        self.hands: dict[int, _Hand] = {}  # of this slate, by number
        self.first = 0  # number of the first that is of this evening; 0 is not known yet
        self.before: list[_Hand] = []  # of slates that were wiped
        self.settled: list[Count] = []

    def _when_dealt(self, step: Played, _: object) -> None:
        self.first = self.first or len(step.before.hands) + 1

    def _when_hand_ended(self, step: Played, event: actions.HandEnded) -> None:
        if event.number in self.hands:
            self._wipe()
        if event.number >= self.first:
            told = step.after.hands[-1]
            self.hands[event.number] = _Hand(step.seq, told, step.after.seats)

    def _when_hand_reopened(self, step: Played, event: actions.HandReopened) -> None:
        # One of an evening before stays as it was there, and is booked anew without being counted.
        self.first = self.first or len(step.before.hands) + 1
        kept = {number: hand for number, hand in self.hands.items() if number < event.number}
        self.hands = kept

    def _when_booked(self, step: Played, event: actions.Booked) -> None:
        if event.line == "pots_share":
            self.settled += _of_line(step.seq, event, step.before.seats)

    def _when_evening_settled(self, step: Played, event: actions.EveningSettled) -> None:
        for seat in step.after.seats:
            self.settled.append(Count(step.seq, "evening", seat, seat in event.winners))
            chips = step.after.scores[seat]
            self.settled.append(Count(step.seq, "evening-chips", seat, chips))

    def begin_slate(self) -> None:
        """Take note that the slate begins anew; what was over by then counts on."""
        self._wipe()
        self.first = 1

    def _wipe(self) -> None:
        self.before += self.hands.values()
        self.hands = {}

    def finished(self) -> Iterable[_Hand]:
        """Return hands that are over."""
        return chain(self.before, self.hands.values())

    def of_hand(self, hand: _Hand) -> Iterator[Count]:
        """Yield what *hand* came to."""
        for line in hand.told.lines:
            yield from _of_line(hand.seq, line, hand.seats)
        if hand.told.how != VOID:
            yield from _told_of(hand)

    def between(self) -> Iterable[object]:
        """Return how pots were shared, and the evening settled."""
        return self.settled

    def of_evening(self) -> Iterator[Count]:
        """Yield how pots were shared, and the evening settled."""
        yield from self.settled


def _of_line(seq: int, line: actions.Booked, seats: Iterable[Seat]) -> Iterator[Count]:
    """Yield what *line* of the ledger brought everybody, whose it was, and what of the pots."""
    for seat in seats:
        if amount := line.amounts[seat]:
            yield Count(seq, "chips", seat, amount)
            yield Count(seq, "line", seat, amount, detail=line.line)
    if line.seat is None:
        return
    yield Count(seq, "own-line", line.seat, detail=line.line)
    if (taken := -min(0, line.king) - min(0, line.pagat)) > 0:
        yield Count(seq, "pots", line.seat, taken)
    if line.line in _ULTIMO:
        card, is_won = _ULTIMO[line.line]
        yield Count(seq, "ultimo", line.seat, is_won, detail=card)


def _told_of(hand: _Hand) -> Iterator[Count]:
    """Yield what was told of a *hand* that was played, and what it came to in all."""
    seq, entries = hand.seq, hand.told.entries
    declared = {one.seat for one in entries if isinstance(one, actions.Declared)}
    last = {one.seat for one in entries if isinstance(one, actions.LastTrickTold)}
    for seat in hand.active:
        swing = sum(line.amounts[seat] for line in hand.told.lines)
        yield Count(seq, "swing", seat, swing)
        yield Count(seq, "gained", seat, swing > 0)
        yield Count(seq, "declares", seat, seat in declared)
        if last:
            yield Count(seq, "last-trick", seat, seat in last)
    for one in entries:
        match one:
            case actions.FateTold(seat=seat, what="pagat_home" | "pagat_lost" as fate):
                yield Count(seq, "pagat-home", seat, fate == "pagat_home")
            case actions.PointsCounted(seat=seat, points=int(points)):
                yield Count(seq, "card-points", seat, points)


def notes(game: object) -> Notes[_Hand]:
    """Return what gathers an evening of Tarok, and counts it."""
    return _Notes(game)
