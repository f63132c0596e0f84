"""What eenendertigen counts for years: knocks, who was lowest, lives (docs/history.md has each).

A hand counts once it is over, and as it was told in the end; one that was dealt wrongly nowhere.
"""

from collections.abc import Iterator
from dataclasses import field

from kloplei.frozen import dataclass
from kloplei.games.eenendertigen import actions
from kloplei.games.eenendertigen.state import BY_LOWEST, PlayedHand
from kloplei.games.game import Seat
from kloplei.games.statistics import (
    Count,
    Notes,
    Person,
    Played,
    Retold,
    RubberNotes,
    Statistic,
    longest_runs,
    strength_of,
)

RETOLD = Retold(costs_lives=True)
STATISTICS = (
    Statistic("hands", "hand", "cases", few=1, unit="hands"),
    Statistic("streak", "streak", "most", few=1, unit="hands"),
    Statistic("lives", "lives", "sum", few=1, unit="lives"),
    Statistic("lives-a-hand", "lives", "mean", few=10, unit="lives"),
    Statistic("lowest", "lowest", "share", few=10, unit="share"),
    Statistic("knocked", "knocked", "share", few=10, unit="share"),
    Statistic("caught", "caught", "share", few=5, unit="share"),
    Statistic("laid", "laid", "sum", few=1, by_detail=True),
    Statistic("swimming", "swimming", "share", few=3, unit="share"),
    Statistic("nemesis", "taken", "sum", few=3, unit="lives", is_against=True),
    Statistic("milk-cow", "milked", "sum", few=3, unit="lives", is_against=True),
    Statistic("loudest", "loud", "most", few=5, unit="share"),
    Statistic("loudness", "loud", "mean", few=10, unit="share"),
    Statistic("rubbers", "rubber", "cases", few=1),
    Statistic("rubbers-won", "rubber", "share", few=3, unit="share"),
    Statistic("narrowest", "narrowest", "most", few=1, unit="lives"),
    Statistic("bought", "bought", "sum", few=1),
    Statistic("drunk", "drunk", "sum", few=1),
)


@dataclass(slots=True)
class _Hand:
    """What is known of one hand, by the seats that people had in it."""

    seq: int
    people: dict[Seat, Person]
    swimming: frozenset[Seat]
    knocker: Seat | None = None
    laid: tuple[Seat, str] | None = None
    heard: list[Count] = field(default_factory=list)
    by_lowest: bool = False
    paid: dict[Seat, int] = field(default_factory=dict)

    def tell(self, hand: PlayedHand, seats: dict[Seat, Seat]) -> None:
        """Keep what came of it; *seats* maps those of *hand* to those that people had in it."""
        self.by_lowest = hand.how in BY_LOWEST
        for now, then in seats.items():
            self.paid[then] = hand.paid[now]


class _Notes(RubberNotes[_Hand, list[Count]]):
    """What happened in an evening of eenendertigen."""

    def _when_dealt(self, step: Played, event: actions.Dealt) -> None:
        options, lost = self.game.options, step.before.lives_lost
        people = self.people.at(event.in_hand)
        swimming = [seat for seat in people if options.swim and lost[seat] >= options.lives]
        self.hand = _Hand(step.seq, people, frozenset(swimming))

    def _when_knocked(self, step: Played, event: actions.Knocked) -> None:
        if self.hand:
            self.hand.knocker = event.seat
            if (strength := strength_of(event)) is not None:
                self.hand.heard.append(Count(step.seq, "loud", event.seat, strength))

    def _when_laid_open(self, _: Played, event: actions.LaidOpen) -> None:
        if self.hand:
            self.hand.laid = event.seat, event.holds

    def _when_hand_ended(self, step: Played, event: actions.HandEnded) -> None:
        hand = self.close_hand(event.number)
        if hand is None or event.how == "misdeal":
            return
        if event.how not in (*BY_LOWEST, "equal") and event.seat is not None:
            hand.laid = event.seat, event.how
        hand.tell(step.after.hands[-1], {seat: seat for seat in hand.people})
        self.keep(event.number, hand)

    def _when_corrected(self, step: Played, event: actions.Corrected | actions.Tied) -> None:
        hand = self.by_number.get(event.hand)
        told = next((one for one in step.after.hands if one.number == event.hand), None)
        if hand is not None and told is not None:
            then = {who: seat for seat, who in hand.people.items()}
            now = self.people.at(step.after.seats)
            hand.tell(told, {seat: then[who] for seat, who in now.items() if who in then})
            self.retold += 1

    _when_tied = _when_corrected

    def _when_rubber_won(self, step: Played, event: actions.RubberWon) -> None:
        seats, lost = step.before.seats, step.before.lives_lost[event.winner]
        told = [Count(step.seq, "rubber", seat, seat == event.winner) for seat in seats]
        self.rubbers.append([*told, Count(step.seq, "narrowest", event.winner, lost)])

    def _when_drank(self, step: Played, event: actions.Drank) -> None:
        self.drink(step, event.seat)

    def of_hand(self, hand: _Hand) -> Iterator[Count]:
        """Yield what *hand* came to."""
        yield from _told_of(hand)
        yield from hand.heard

    def of_evening(self) -> Iterator[Count]:
        """Yield runs, rubbers and rounds."""
        course = (
            (who, not hand.paid[seat], (hand.seq, seat))
            for hand in self.hands
            for seat, who in hand.people.items()
        )
        for run, (seq, seat) in longest_runs(course):
            yield Count(seq, "streak", seat, run)
        for rubber in self.rubbers:
            yield from rubber
        yield from self.rounds


def _told_of(hand: _Hand) -> Iterator[Count]:
    seq = hand.seq
    by = hand.knocker if hand.by_lowest or hand.laid is None else hand.laid[0]
    for seat, paid in hand.paid.items():
        yield Count(seq, "hand", seat)
        yield Count(seq, "lives", seat, paid)
        yield Count(seq, "lowest", seat, hand.by_lowest and paid > 0)
        yield Count(seq, "knocked", seat, seat == hand.knocker)
        if seat in hand.swimming:
            yield Count(seq, "swimming", seat, not paid)
        if by is not None and by != seat and paid:
            yield Count(seq, "taken", seat, paid, against=by)
            yield Count(seq, "milked", by, paid, against=seat)
    if hand.knocker is not None:
        was_lowest = hand.by_lowest and hand.paid[hand.knocker] > 0
        yield Count(seq, "caught", hand.knocker, was_lowest)
    if hand.laid is not None:
        seat, holds = hand.laid
        yield Count(seq, "laid", seat, detail=holds)


def notes(game: object) -> Notes[_Hand]:
    """Return what gathers an evening of eenendertigen, and counts it."""
    return _Notes(game)
