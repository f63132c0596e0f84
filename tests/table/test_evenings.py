"""One evening of toepen, by pads, by buttons, by phones and mixed: the slate is the same."""

from collections.abc import Mapping
from itertools import cycle
from typing import Protocol

import pytest

from kloplei.games.catalogue import build_game
from kloplei.games.game import Seat
from kloplei.table.gestures import Timings
from kloplei.table.timeline import steps_of
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop, told, without_how

TIMINGS = Timings()
GRACE = {"last trick", "undo", "new evening"}


class Hands(Protocol):
    """A way to play: does *move* at *seat*, counted from 1, and waits until it is done."""

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None: ...


class Knocks:
    """Only pads: the number of knocks for every move, some in two parts."""

    knocks: Mapping[str, tuple[int, ...]] = {
        "sit down": (1,),
        "start": (3,),
        "deal": (2,),
        "knock": (1,),
        "stay": (1,),
        "fold": (2,),
        "last trick": (2,),
        "exchange": (3,),
        "challenge, clean": (5, 1),
        "challenge, dirty": (5, 2),
        "drink": (2,),
        "undo": (4,),
        "new evening": (6,),
    }

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None:
        for times in self.knocks[move]:
            tabletop.knock(seat, times)
        tabletop.wait(TIMINGS.grace_s if move in GRACE else 0)


class Presses(Knocks):
    """Only buttons: a hold where a hold will do, else short presses."""

    held = ("start", "deal", "fold", "last trick", "drink")

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None:
        if move in self.held:
            tabletop.hold(seat)
        elif move == "undo":
            tabletop.press(seat, TIMINGS.undo_hold_s + 0.5)
        else:
            for times in self.knocks[move]:
                for _ in range(times):
                    tabletop.press(seat, 0.1)
                tabletop.wait(TIMINGS.gap_s)
        tabletop.wait(TIMINGS.grace_s if move in GRACE else 0)


class Phones:
    """Only phones, each showing the newest slate."""

    actions: Mapping[str, tuple[str, Mapping[str, object]]] = {
        "sit down": ("sit_down", {}),
        "last trick": ("trick", {}),
        "challenge, clean": ("challenge", {"found": "clean"}),
        "challenge, dirty": ("challenge", {"found": "dirty"}),
        "new evening": ("new_evening", {}),
    }

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None:
        action, facts = self.actions.get(move, (move, {}))
        if action == "challenge":
            facts = {**facts, "of": self.exchanger(tabletop)}
        tabletop.ask(seat, action, seen=tabletop.board.seq, facts=facts)

    def exchanger(self, tabletop: Tabletop) -> Seat:
        (seat,) = (row.seat for row in tabletop.board.rows if "open_exchange" in row.flags)
        return seat


class Mixed:
    """Everybody as he likes, and differently every time."""

    def __init__(self) -> None:
        ways: tuple[Hands, ...] = (Knocks(), Phones(), Presses())
        self._ways = cycle(ways)

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None:
        next(self._ways)(tabletop, seat, move)


class Evening:
    """A table of toepen that one kind of hands plays on; every move must leave a number."""

    def __init__(self, hands: Hands) -> None:
        self.tabletop = Tabletop(build=build_game, game="toepen", preset="kroeg")
        self._hands = hands

    def do(self, seat: int, *moves: str) -> None:
        for move in moves:
            seq = self.tabletop.board.seq
            self._hands(self.tabletop, seat, move)
            board = self.tabletop.board
            assert board.seq > seq, (seat, move, board.phase, board.refused)

    def hand_with_everything(self) -> None:
        """Exchange, two challenges, two knocks, a fold, an undo."""
        self.do(3, "deal")
        self.do(4, "exchange")
        self.do(6, "challenge, dirty")
        self.do(1, "exchange")
        self.do(3, "challenge, clean")
        self.do(6, "knock")
        self.do(1, "stay")
        self.do(4, "stay")
        self.do(3, "fold")
        self.do(1, "knock")
        self.do(4, "stay")
        self.do(6, "fold", "undo", "stay")
        self.do(1, "last trick")

    def hand_won_by(self, winner: int, *, raised: bool) -> None:
        assert self.tabletop.board.dealer is not None
        self.do(self.tabletop.board.dealer.shown, "deal")
        self.everybody_stays()  # with the stake of armoede, if somebody is
        if raised:
            self.do(winner, "knock")
            self.everybody_stays()
        self.do(winner, "last trick")

    def everybody_stays(self) -> None:
        while self.tabletop.board.to_answer:
            self.do(self.tabletop.board.to_answer[0].shown, "stay")

    def drinks(self) -> None:
        while owing := [r for r in self.tabletop.board.rows if "owes_drink" in r.flags]:
            self.do(owing[0].seat.shown, "drink")


def play(hands: Hands) -> Tabletop:
    """Play an evening of two rubbers with *hands* and begin the next one."""
    evening = Evening(hands)
    for seat in (1, 3, 4, 6):
        evening.do(seat, "sit down")
    evening.do(3, "start")
    evening.hand_with_everything()
    for winner in (1, 4):
        for raised in cycle([True, False]):
            evening.hand_won_by(winner, raised=raised)
            if evening.tabletop.board.phase == "rubber_over":
                break
        evening.drinks()
    return evening.tabletop


@pytest.fixture(scope="module")
def by_phone() -> Tabletop:
    return play(Phones())


@pytest.mark.parametrize("hands", [Knocks(), Presses(), Mixed()], ids=["pads", "buttons", "mixed"])
def test_an_evening_is_the_same_however_it_is_played(hands: Hands, by_phone: Tabletop) -> None:
    tabletop = play(hands)

    assert told(tabletop.board) == told(by_phone.board)
    assert without_via(tabletop) == without_via(by_phone)


def test_the_evening_went_as_toepen_goes(by_phone: Tabletop) -> None:
    board = by_phone.board

    assert (board.phase, board.hands) == ("between_hands", ())
    assert {row.tally for row in board.rows} == {0}
    won = {row.seat.shown: row.counts["rubbers_won"] for row in board.rows}
    assert won == {1: 1, 3: 0, 4: 1, 6: 0}
    assert sum(row.counts["drinks"] for row in board.rows) >= 2


def test_an_evening_survives_a_restart(by_phone: Tabletop) -> None:
    again = Tabletop(by_phone.journal, build=build_game, game="toepen")

    assert told(again.board) == told(by_phone.board)


def test_a_whole_evening_can_be_taken_back_and_done_again(by_phone: Tabletop) -> None:
    tabletop = Tabletop(copy_of(by_phone), build=build_game, game="toepen")
    steps = len([entry for entry in tabletop.table.log(1000) if not entry.undone]) - 1
    rows = tabletop.board.rows

    tabletop.ask(None, "undo", facts={"steps": steps})
    empty = tabletop.board
    tabletop.ask(None, "redo", facts={"steps": steps})

    assert (empty.phase, empty.rows) == ("seating", ())
    assert tabletop.board.rows == rows


def test_six_knocks_send_everybody_home_with_a_clean_slate() -> None:
    evening = Evening(Knocks())
    for seat in (1, 2, 3):
        evening.do(seat, "sit down")
    evening.do(1, "start", "deal", "new evening", "start")

    assert evening.tabletop.board.phase == "between_hands"


def without_via(tabletop: Tabletop) -> list[tuple[int, int | None, str, Mapping[str, object]]]:
    """Return the journal without who used what; a hand at the table is always a seat's."""
    return [
        (one.seq, one.seat, one.event, without_how(one.facts)) for one in tabletop.journal.entries()
    ]


def copy_of(tabletop: Tabletop) -> MemoryJournal:
    journal = MemoryJournal()
    for step in steps_of(tabletop.journal.entries()):
        written = [(entry.event, entry.facts) for entry in step]
        journal.append(written, seat=step[0].seat, via=step[0].via, at=step[0].at)
    return journal
