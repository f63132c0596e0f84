"""A table to test: time passed in, hands that knock and press, a journal to reopen."""

from collections.abc import Mapping, Sequence
from typing import Any

from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Doubt, Scoreboard
from kloplei.knock import KnockHeard
from kloplei.table.core import Table
from kloplei.table.gestures import Timings
from kloplei.table.journal import Journal, JournalError
from kloplei.table.messages import ButtonPressed, ButtonReleased
from kloplei.table.people import KnownPerson
from tests.table.memory_journal import MemoryJournal
from tests.table.toy import toy_setup

TIMINGS = Timings()
THIJS, TAME, THOMAS = Seat(0), Seat(1), Seat(2)
NO_FACTS: Mapping[str, object] = {}


class FullDisk(MemoryJournal):
    """A journal that can be made to refuse, as a full disk does."""

    full = False
    refused_last = False

    def append(
        self,
        written: Sequence[tuple[str, Mapping[str, object]]],
        *,
        seat: int | None,
        via: str,
        at: float | None,
        people: Sequence[KnownPerson] = (),
    ) -> int:
        self.refused_last = self.full
        if self.full:
            raise JournalError("The disk is full. Make room, then knock again.")
        return super().append(written, seat=seat, via=via, at=at, people=people)


class Tabletop:
    """A `Table` of Toy and the clock on its wall; seats are counted from 1, as people do."""

    def __init__(self, journal: Journal | None = None, **settings: Any) -> None:
        self.journal = MemoryJournal() if journal is None else journal
        self.now_s = 100.0
        self.table = Table(self.journal, toy_setup(**{"wall": None, **settings}))

    @property
    def board(self) -> Scoreboard:
        return self.table.scoreboard()

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.table.tick(self.now_s)

    def knock(
        self,
        seat: int | None,
        times: int = 1,
        *,
        settle: bool = True,
        doubtful: bool = False,
        strength: float = 0.5,
    ) -> None:
        for _ in range(times):
            place = None if seat is None else Seat(seat - 1)
            self.table.handle(KnockHeard(place, strength, self.now_s, doubtful), self.now_s)
            self.wait(0.2)
        if settle:
            self.wait(TIMINGS.gap_s)

    def press(self, seat: int, seconds: float) -> None:
        self.table.handle(ButtonPressed(Seat(seat - 1), self.now_s), self.now_s)
        self.wait(seconds)
        self.table.handle(ButtonReleased(Seat(seat - 1), self.now_s), self.now_s)
        self.wait(0.1)

    def hold(self, seat: int) -> None:
        self.press(seat, TIMINGS.hold_s + 0.1)

    def ask(
        self,
        seat: int | None,
        action: str,
        *,
        seen: int | None = None,
        facts: Mapping[str, object] = NO_FACTS,
        waits: bool = False,
        by: Seat | None = None,
    ) -> int:
        place = None if seat is None else Seat(seat - 1)
        return self.table.submit(
            place, action, now_s=self.now_s, seen=seen, facts=facts, waits=waits, by=by
        )

    def seat_all(self, *seats: int) -> "Tabletop":
        for seat in seats:
            self.ask(seat, "sit_down")
        return self

    def start(self, *seats: int) -> "Tabletop":
        self.seat_all(*(seats or (1, 2, 3))).ask(seats[0] if seats else 1, "start")
        return self

    def tally(self) -> dict[int, int]:
        return {row.seat.shown: row.tally for row in self.board.rows}


PASSING = {
    "heard", "struck", "doubt", "grace", "asking", "refused", "shown", "notices", "door",
    "called",
}  # fmt: skip

PASSING_OFFERS = {
    "cancel",
    "it_was_me",
    "accept_knock",
    "dismiss_knock",
    "accept_call",
    "dismiss_call",
}


def without_how(facts: Mapping[str, object]) -> Mapping[str, object]:
    """Return the *facts* of an entry as a version before wrote them: not how a hand did it."""
    return {name: fact for name, fact in facts.items() if name not in ("strength", "waited_s")}


def told(board: Scoreboard) -> Mapping[str, object]:
    """Return what of *board* stands: all that does not come and go without a number."""
    standing = {name: getattr(board, name) for name in Scoreboard.__slots__ if name not in PASSING}
    offers = tuple(one for one in board.offers if one.action not in PASSING_OFFERS)
    return standing | {"offers": offers}


def offered(board: Scoreboard) -> set[str]:
    """Return what anybody may do now."""
    rows = (offer for row in board.rows for offer in row.offers)
    return {offer.action for offer in (*board.offers, *rows)}


def reason_of(
    tabletop: Tabletop, seat: int | None, action: str, facts: Mapping[str, object] = NO_FACTS
) -> str | None:
    """Ask for *action* and return why it was refused, or None if it was done."""
    try:
        tabletop.ask(seat, action, facts=facts)
    except IllegalAction as refusal:
        return refusal.reason
    return None


def doubt_of(tabletop: Tabletop) -> Doubt:
    """Return the doubt that stands at *tabletop*; there must be one."""
    doubt = tabletop.board.doubt
    assert doubt is not None
    return doubt
