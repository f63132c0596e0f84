from dataclasses import replace
from typing import Any

import pytest

from kloplei.devices.signals import (
    AMBER,
    DARK,
    FLASHES,
    MELODIES,
    RED,
    Colour,
    Signal,
    glow,
    signals_in,
)
from kloplei.games.game import Seat
from kloplei.games.moments import moments_between
from kloplei.games.scoreboard import Heard, Line, Row, Scoreboard


def board(*flags_by_seat: tuple[str, ...], **changes: Any) -> Scoreboard:
    rows = tuple(Row(seat=Seat(at), tally=0, flags=flags) for at, flags in enumerate(flags_by_seat))
    return replace(Scoreboard(game="toepen", phase="play", rows=rows), **changes)


QUIET = board((), (), ())


def signals(before: Scoreboard | None, after: Scoreboard) -> tuple[Signal, ...]:
    return signals_in(moments_between(before, after), before, after)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (QUIET, ()),
        (board((), ("in_hand",), (), seq=9), ()),
        (board((), (), (), heard=Heard(Seat(1), knocks=1)), (Signal.KNOCK,)),
        (board((), (), (), heard=Heard(None, knocks=1)), (Signal.KNOCK,)),
        (board((), (), (), heard=Heard(Seat(1), holding=True)), ()),
        (board((), (), (), heard=Heard(Seat(1), knocks=1, doubtful=True)), (Signal.DOUBT,)),
        (board((), (), (), struck=True), (Signal.STRUCK,)),
        (board((), ("armoede",), ()), (Signal.ARMOEDE,)),
        (board((), ("rubber_winner",), ()), (Signal.RUBBER_OVER,)),
        (board(("rubber_winner", "toepkoning"), (), ()), (Signal.TOEPKONING, Signal.RUBBER_OVER)),
        (board((), (), (), notices=(Line("notice.part-failed", {"part": "pad 3"}),)),
         (Signal.FAULT,)),
    ],
)  # fmt: skip
def test_a_change_of_the_board_is_signalled_the_greatest_first(
    after: Scoreboard, expected: tuple[Signal, ...]
) -> None:
    assert signals(QUIET, after) == expected


def test_the_first_look_at_a_running_table_is_no_news() -> None:
    crowned = board(("toepkoning", "armoede"), (), (), phase="rubber_over")

    assert signals(None, crowned) == ()


@pytest.mark.parametrize(
    "standing",
    [
        board(("armoede",), ("rubber_winner", "toepkoning"), ()),
        board((), (), (), heard=Heard(Seat(1), knocks=2)),
        board((), (), (), heard=Heard(Seat(1), knocks=2, doubtful=True)),
        board((), (), (), struck=True),
        board((), (), (), notices=(Line("notice.disk-full"),)),
    ],
)
def test_what_stands_unchanged_is_signalled_once(standing: Scoreboard) -> None:
    assert signals(standing, replace(standing, seq=standing.seq + 1)) == ()


@pytest.mark.parametrize(
    ("before", "after", "is_new"),
    [
        (Heard(Seat(1), knocks=1), Heard(Seat(1), knocks=2), True),
        (Heard(Seat(1), knocks=1), Heard(Seat(2), knocks=1), True),
        (Heard(Seat(1), knocks=3), Heard(Seat(1), knocks=1), True),
        (Heard(Seat(1), knocks=1), Heard(Seat(1), knocks=1), False),
        (Heard(Seat(1), knocks=1), None, False),
    ],
)
def test_each_knock_of_a_pattern_is_signalled(
    before: Heard, after: Heard | None, is_new: bool
) -> None:
    told = signals(replace(QUIET, heard=before), replace(QUIET, heard=after))

    assert told == ((Signal.KNOCK,) if is_new else ())


def test_a_second_seat_in_armoede_is_signalled_too() -> None:
    assert signals(board(("armoede",), ()), board(("armoede",), ("armoede",))) == (Signal.ARMOEDE,)


def test_a_fault_that_heals_is_no_alarm() -> None:
    broken = replace(QUIET, notices=(Line("notice.part-failed"), Line("notice.disk-full")))

    assert signals(broken, replace(QUIET, notices=broken.notices[:1])) == ()


@pytest.mark.parametrize(
    ("standing", "colour"),
    [
        (QUIET, DARK),
        (board(("armoede",), ()), AMBER),
        (board((), (), notices=(Line("notice.disk-full"),)), RED),
        (board(("armoede",), (), notices=(Line("notice.disk-full"),)), AMBER),
    ],
)
def test_the_lamp_glows_amber_for_armoede_and_else_red_for_a_fault(
    standing: Scoreboard, colour: Colour
) -> None:
    assert glow(standing) == colour


def test_every_signal_has_a_flash() -> None:
    assert set(FLASHES) == set(Signal)


def test_what_may_be_noise_makes_none() -> None:
    assert not {Signal.DOUBT, Signal.STRUCK} & set(MELODIES)
