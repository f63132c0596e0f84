"""Evenings of Watten through the real inbox: by buttons, by armed pads, by phones; all the same."""

from collections.abc import Callable, Mapping
from typing import Protocol

import pytest

from kloplei.games.catalogue import build_game
from kloplei.games.game import IllegalAction
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.table.gestures import Timings
from tests.table.seated import TAME, Tabletop, told, without_how

TIMINGS = Timings()
WAITS = {"trick", "partner's trick", "give up", "undo"}
"""What the table lets others call off for some seconds."""


class Hands(Protocol):
    """A way to play: does *move* at *seat*, counted from 1, and waits until it is done."""

    pads: str

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None: ...


Play = Callable[[Hands], Tabletop]


class Presses:
    """Only buttons: the number of short presses for every move, some in two parts."""

    pads = "off"
    times: Mapping[str, tuple[int, ...]] = {
        **dict.fromkeys(("sit down", "raise", "hold", "agree"), (1,)),
        **dict.fromkeys(("deal", "announce", "trick", "give up", "new game"), (2,)),
        **dict.fromkeys(("start", "new cards", "raise again", "exchange three"), (3,)),
        "partner's trick": (3,),
        "hearts lie there": (2, 1),
        "spades lie there": (2, 3),
        "undo": (4,),
    }

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None:
        if move == "close exchange":
            tabletop.hold(seat)
            return
        for times in self.times[move]:
            self.tap(tabletop, seat, times)
        tabletop.wait(TIMINGS.grace_s if move in WAITS else 0)

    def tap(self, tabletop: Tabletop, seat: int, times: int) -> None:
        for _ in range(times):
            tabletop.press(seat, 0.1)
        tabletop.wait(TIMINGS.gap_s)


class AmongSlams(Presses):
    """The same, with a card slammed at some place or other before, during and after each press."""

    def tap(self, tabletop: Tabletop, seat: int, times: int) -> None:
        if tabletop.board.phase == "seating":  # the cards are still in their box
            super().tap(tabletop, seat, times)
            return
        tabletop.knock(seat % 4 + 1, settle=False)
        for _ in range(times):
            tabletop.knock(seat, settle=False)
            tabletop.press(seat, 0.1)
        tabletop.knock(None, settle=False)
        tabletop.wait(TIMINGS.gap_s)


class Holds(Presses):
    """Buttons held down wherever that will do."""

    held = ("deal", "announce", "trick", "give up", "new game")

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None:
        if move not in self.held:
            super().__call__(tabletop, seat, move)
            return
        tabletop.hold(seat)
        tabletop.wait(TIMINGS.grace_s if move in WAITS else 0)


class Knocks(Presses):
    """Only pads, in a house that arms them."""

    pads = "armed"

    def tap(self, tabletop: Tabletop, seat: int, times: int) -> None:
        tabletop.knock(seat, times)


class Phones:
    """Only phones, each showing the newest slate."""

    pads = "off"
    asked: Mapping[str, tuple[str, Mapping[str, object]]] = {
        "sit down": ("sit_down", {}),
        "hold": ("accept", {}),
        "raise again": ("raise", {}),
        "give up": ("fold", {}),
        "announce": ("announced", {}),
        "new game": ("new_game", {}),
        "new cards": ("offer", {}),
        "hearts lie there": ("trump", {"suit": "H"}),
        "spades lie there": ("trump", {"suit": "S"}),
        "exchange three": ("exchange", {"n": 3}),
        "close exchange": ("ready", {}),
    }

    def __call__(self, tabletop: Tabletop, seat: int, move: str) -> None:
        action, facts = self.asked.get(move, (move, {}))
        if action == "announced" and tabletop.board.preset == "blind":
            action = "confirm"
        if move == "partner's trick":
            action, facts = "trick_of", {"took": opposite(seat)}
        tabletop.ask(seat, action, seen=tabletop.board.seq, facts=facts)


def opposite(seat: int) -> int:
    return (seat + 1) % 4 + 1


class Evening:
    """Four at a table of Watten on which one kind of hands plays; every move leaves a number."""

    def __init__(self, hands: Hands, preset: str, **options: object) -> None:
        self._hands = hands
        options["pads"] = hands.pads
        self.tabletop = Tabletop(
            build=build_game, game="watten", preset=preset, options=options, seats=5
        )
        for seat in (1, 2, 3, 4):
            self.do(seat, "sit down")
        self.do(4, "start")

    @property
    def board(self) -> Scoreboard:
        return self.tabletop.board

    @property
    def dealer(self) -> int:
        assert self.board.dealer is not None
        return self.board.dealer.shown

    @property
    def tallies(self) -> list[int]:
        return [row.tally for row in self.board.rows]

    def do(self, seat: int, *moves: str) -> None:
        for move in moves:
            seq = self.board.seq
            self._hands(self.tabletop, seat, move)
            assert self.board.seq > seq, (seat, move, self.board.phase, self.board.refused)

    def deal_and_announce(self, *, blind: bool = False) -> None:
        dealer = self.dealer
        self.do(dealer, "deal", "announce")
        if blind:
            self.do(dealer % 4 + 1, "announce")

    def deal_won_by(self, winner: int, *, blind: bool = False) -> None:
        knowing = (self.dealer, self.dealer % 4 + 1)
        self.deal_and_announce(blind=blind)
        for seat in (winner, winner % 4 + 1, winner, opposite(winner)):
            if blind and seat not in knowing:
                self.do(opposite(seat), "partner's trick")
            else:
                self.do(seat, "trick")


def teams(hands: Hands) -> Tabletop:
    """Play a game to 11 with everything in it, and begin the next one."""
    evening = Evening(hands, "turnier 11")
    evening.do(4, "deal")
    evening.do(1, "new cards")
    evening.do(4, "agree", "announce")
    evening.do(1, "raise")
    evening.do(2, "raise again")
    evening.do(3, "hold", "trick")
    evening.do(2, "trick", "undo", "trick", "trick")
    evening.do(1, "trick")
    evening.do(4, "trick")
    assert evening.tallies == [0, 4, 0, 4]
    evening.deal_and_announce()
    evening.do(3, "raise")
    evening.do(4, "give up")
    assert evening.tallies == [2, 4, 2, 4]
    for _ in range(4):
        evening.deal_won_by(2)
        if evening.board.phase == "game_over":
            break
    evening.do(evening.dealer, "new game")
    evening.deal_won_by(1)
    return evening.tabletop


def blind(hands: Hands) -> Tabletop:
    """Play some blind deals."""
    evening = Evening(hands, "blind")
    for winner in (1, 2, 3):
        evening.deal_won_by(winner, blind=True)
    return evening.tabletop


def bohemian(hands: Hands) -> Tabletop:
    """Play a Bohemian game to its end: the one who takes all tricks in hearts is soon there."""
    evening = Evening(hands, "boehmisch", bohemian_start=12)
    evening.do(4, "deal", "spades lie there")
    evening.do(1, "exchange three")
    evening.do(4, "close exchange")
    for seat in (1, 1, 2, 3, 4):
        evening.do(seat, "trick")
    assert evening.tallies == [10, 11, 11, 11]
    evening.do(1, "deal", "hearts lie there", "close exchange")
    for _ in range(5):
        evening.do(1, "trick")
    assert (evening.board.phase, evening.tallies) == ("game_over", [0, 21, 21, 21])
    evening.do(evening.dealer, "new game")
    return evening.tabletop


HANDS: tuple[Hands, ...] = (Presses(), AmongSlams(), Holds(), Knocks())
EVENINGS: tuple[Play, ...] = (teams, blind, bohemian)
of_each = pytest.mark.parametrize("play", EVENINGS, ids=lambda one: one.__name__)


@pytest.mark.parametrize("hands", HANDS, ids=lambda one: type(one).__name__.lower())
@of_each
def test_no_evening_of_watten_needs_a_phone(play: Play, hands: Hands) -> None:
    tabletop, by_phone = play(hands), play(Phones())

    assert standing(tabletop) == standing(by_phone)
    assert journal(tabletop) == journal(by_phone)


def test_the_evening_went_as_watten_goes() -> None:
    board = teams(Presses()).board

    assert {row.seat.shown: row.counts["rubbers_won"] for row in board.rows} == {
        1: 0,
        3: 0,
        2: 1,
        4: 1,
    }
    assert [row.tally for row in board.rows] == [2, 0, 2, 0]


@of_each
def test_a_whole_evening_can_be_taken_back_and_done_again(play: Play) -> None:
    tabletop = play(Presses())
    before = told(tabletop.board)
    log = tabletop.table.log(1000)
    steps = len([one for one in log if not one.undone and "undone" not in one.line.key])

    tabletop.ask(None, "undo", facts={"steps": steps})
    empty = tabletop.board
    tabletop.ask(None, "redo", facts={"steps": steps})

    after = told(tabletop.board)
    assert (empty.phase, empty.rows) == ("seating", ())
    assert {**after, "seq": 0, "news": None} == {**before, "seq": 0, "news": None}


def test_an_evening_survives_a_restart() -> None:
    tabletop = teams(Presses())

    again = Tabletop(tabletop.journal, build=build_game, game="watten", seats=5)

    assert told(again.board) == told(tabletop.board)


def test_giving_up_can_be_called_off_by_the_partner() -> None:
    """One answer binds the side: whoever holds the button down a moment too soon is stopped."""
    evening = Evening(Presses(), "tirol")
    evening.deal_and_announce()
    evening.do(1, "raise")

    evening.tabletop.hold(2)
    waiting = evening.board.grace
    evening.tabletop.press(4, 0.1)
    evening.tabletop.wait(TIMINGS.gap_s + TIMINGS.grace_s)

    assert waiting is not None
    assert waiting.action == "fold"
    assert evening.board.phase == "answering"


def test_a_trick_that_two_phones_tell_counts_once() -> None:
    """Both showed the same slate; the second thumb was only late."""
    evening = Evening(Phones(), "tirol")
    evening.deal_and_announce()
    seen = evening.board.seq

    evening.tabletop.ask(1, "trick", seen=seen)
    with pytest.raises(IllegalAction, match="stale"):
        evening.tabletop.ask(1, "trick", seen=seen)

    assert [row.tricks for row in evening.board.rows] == [1, 0, 0, 0]


def test_a_sign_that_is_noted_stands_in_the_log_and_not_on_the_slate() -> None:
    """It stood there as the line before it, once more."""
    evening = Evening(Phones(), "tirol")
    evening.do(4, "deal")
    for seat, action, facts in ((1, "schlag", {"rank": "9"}), (4, "trump", {"suit": "H"})):
        evening.tabletop.ask(seat, action, facts=facts)
    named = evening.board.news

    evening.do(2, "signal")
    noted, before = evening.tabletop.table.log(2)

    told = Line("news.signalled", {"seat": TAME})
    assert (noted.line, noted.before, noted.seat) == (told, (), TAME)
    assert before.line == named == evening.board.news
    offer = next(one for one in evening.board.offers if one.action == "undo")
    assert offer.about == Line("step.told", {"of": TAME, "step": told.as_fact()})
    again = Tabletop(evening.tabletop.journal, build=build_game, game="watten", seats=5)
    assert again.table.log(2) == (noted, before)


def standing(tabletop: Tabletop) -> Mapping[str, object]:
    """Return what stands, whatever the pads are."""
    return {**told(tabletop.board), "options": None, "preset": None, "deaf": None}


def journal(tabletop: Tabletop) -> list[object]:
    """Return what happened without who used what, and without how the pads were set."""
    kept = [one for one in tabletop.journal.entries() if one.event != "EveningBegun"]
    return [(one.seq, one.seat, one.event, without_how(one.facts)) for one in kept]
