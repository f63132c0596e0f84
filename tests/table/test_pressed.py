"""Random presses, holds and slams at every Watten: only what § 8 of its rules names moves."""

import random
from collections.abc import Mapping

import pytest

from kloplei.games.catalogue import build_game, game_kind
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.gestures import Timings
from tests.table.seated import Tabletop

TIMINGS = Timings()
PLAYERS = 4
HANDS = 150  # in an evening
LEAST_MOVED = 6  # kinds of steps, or it proves nothing
HOLD = 2  # as many presses as it stands for

BEGINS: Mapping[tuple[str, int], set[str]] = {
    ("between_deals", 2): {"Dealt"},
    ("game_over", 2): {"SlateWiped"},
    ("announcing", 1): {"NewCardsTaken", "TurnedUp"},
    ("announcing", 2): {"NamedAloud", "ShowConfirmed", "NewCardsRefused", "TurnedUp"},
    ("announcing", 3): {"NewCardsOffered", "TurnedUp"},
    ("announcing", 4): {"TurnedUp"},
    **{("exchange", cards): {"CardsExchanged"} for cards in (1, 2, 3)},
    ("play", 1): {"Raised"},
    ("play", 2): {"TrickTaken"},
    ("answering", 1): {"Held"},
    ("answering", 2): {"DealEnded"},
    ("answering", 3): {"Raised"},
}
"""With which event the step begins that so many presses make."""
CLOSES = {"ExchangeClosed"}  # the dealer who holds, or whoever has the first trick
PAYS = {("play", 1), ("answering", 3)}  # who raises without leave, in "turnier 11"
ALWAYS: Mapping[int, set[str]] = {4: {"Undone", "Redone"}, 6: {"EveningBegun"}}


def named(board: Scoreboard, preset: str, seat: int, how: str, times: int) -> set[str]:
    """Return with which events the step may begin that a hand at *seat* makes."""
    if how == "slam":
        return set()
    always = ALWAYS.get(times, set())
    if seat not in asked(board):
        return always
    begins = BEGINS.get((board.phase, times), set()) | always
    if how == "hold" and board.phase == "exchange":
        begins = CLOSES
    return begins | (
        {"DealEnded"} if preset == "turnier 11" and (board.phase, times) in PAYS else set()
    )


def asked(board: Scoreboard) -> set[int]:
    """Return who can mean anything by one to three presses now."""
    dealer = (board.dealer or 0) + 1
    match board.phase:
        case "between_deals" | "game_over":
            return {dealer}
        case "announcing":
            return {dealer, dealer % PLAYERS + 1}
        case "answering":
            return {seat.shown for seat in board.to_answer}
    return set(range(1, PLAYERS + 1))


def press(tabletop: Tabletop, seat: int, times: int) -> None:
    for _ in range(times):
        tabletop.press(seat, 0.1)
    tabletop.wait(TIMINGS.gap_s)


def slam(tabletop: Tabletop, seat: int | None, times: int) -> None:
    tabletop.knock(seat, times, settle=False)
    tabletop.wait(TIMINGS.gap_s)


@pytest.mark.parametrize("preset", game_kind("watten").presets)
def test_hands_do_nothing_but_what_the_rules_name(preset: str) -> None:
    """watten.md § 8."""
    chance = random.Random(preset)
    tabletop = Tabletop(build=build_game, game="watten", preset=preset, seats=8)
    tabletop.seat_all(*range(1, PLAYERS + 1))
    moved = set()

    for _ in range(HANDS):
        if tabletop.board.phase == "seating":
            tabletop.ask(PLAYERS, "start")
        board = tabletop.board
        how = chance.choice(("press", "press", "press", "hold", "slam"))
        seat = chance.randint(1, PLAYERS)
        times = HOLD if how == "hold" else chance.choice((1, 1, 2, 2, 2, 3, 3, 4, 5, 6))
        if how == "press":
            press(tabletop, seat, times)
        elif how == "hold":
            tabletop.hold(seat)
        else:
            slam(tabletop, chance.choice([seat, 8, None]), times)
        tabletop.wait(TIMINGS.grace_s)

        events = [entry.event for entry in tabletop.journal.entries() if entry.seq > board.seq]
        assert {*events[:1]} <= named(board, preset, seat, how, times), (board.phase, seat, how)
        moved |= {*events[:1]}

    assert len(moved) > LEAST_MOVED
