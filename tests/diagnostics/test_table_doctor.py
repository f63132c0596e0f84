"""The doctor of a running table: its knocks go the whole road from the inbox on."""

from collections.abc import Iterator

import pytest

from kloplei.config import SlateConfig
from kloplei.devices.schedule import ManualSchedule
from kloplei.diagnostics.findings import good
from kloplei.diagnostics.registry import Examination
from kloplei.diagnostics.table_doctor import HouseDoctor, apart_s
from kloplei.rules.game import Seat
from kloplei.table.client import Unreadable
from kloplei.table.drumming import CLOSE_S
from kloplei.table.memory import MemoryJournal
from kloplei.table.session import Session
from kloplei.table.timings import Timings

THIJS, TAME = Seat(0), Seat(1)


@pytest.fixture
def clock() -> ManualSchedule:
    return ManualSchedule()


@pytest.fixture
def session(clock: ManualSchedule) -> Iterator[Session]:
    """Three people sit at a table of four."""
    with Session(MemoryJournal(), seats=4, clock=clock.now_s) as session:
        for seat in range(3):
            session.submit(Seat(seat), "sit_down", facts={"name": f"player {seat}"})
        yield session


def doctor_of(session: Session, clock: ManualSchedule, *shown: list[float]) -> HouseDoctor:
    return HouseDoctor(
        session,
        seats=4,
        examination=Examination({"power": lambda: [good("power", "power.good")]}),
        show=shown[0].append if shown else None,
        slate=SlateConfig(),
        clock=clock.now_s,
        pause=clock.advance,
    )


def let_end(session: Session, clock: ManualSchedule) -> None:
    """Let the pattern end, and the table come round."""
    session.log(0)
    clock.advance(Timings().gap_s + 0.01)
    session.submit(TAME, "rename", facts={"name": "somebody"})


def test_one_knock_seats_somebody_as_a_knock_on_the_wood_does(
    session: Session, clock: ManualSchedule
) -> None:
    doctor_of(session, clock).knock(Seat(3))
    let_end(session, clock)

    assert Seat(3) in session.scoreboard().names
    assert session.log(2)[1].via == "pad"


def test_knocks_of_one_pattern_are_heard_as_one_pattern(
    session: Session, clock: ManualSchedule
) -> None:
    session.submit(THIJS, "start")

    doctor_of(session, clock).knock(TAME, 3)
    session.log(0)

    heard = session.scoreboard().heard
    assert heard is not None
    assert (heard.seat, heard.knocks, heard.doubtful) == (TAME, 3, False)


@pytest.mark.parametrize("gap_s", [0.15, 0.3, 0.5, 2.0])
def test_knocks_come_neither_so_close_that_they_drum_nor_so_far_that_they_part(
    gap_s: float,
) -> None:
    assert CLOSE_S < apart_s(gap_s) < gap_s


@pytest.mark.parametrize(("seat", "times"), [(4, 1), (-1, 1), (0, 0), (0, 4)])
def test_what_no_hand_could_knock_is_refused(
    session: Session, clock: ManualSchedule, seat: int, times: int
) -> None:
    with pytest.raises(Unreadable):
        doctor_of(session, clock).knock(Seat(seat), times)


def test_the_test_picture_is_shown_where_there_is_a_slate(
    session: Session, clock: ManualSchedule
) -> None:
    shown: list[float] = []

    doctor_of(session, clock, shown).show_test_picture()

    assert len(shown) == 1
    with pytest.raises(Unreadable, match="no slate"):
        doctor_of(session, clock).show_test_picture()


def test_what_one_sees_is_judged_by_the_settings_of_the_slate(
    session: Session, clock: ManualSchedule
) -> None:
    judged = doctor_of(session, clock).judge_picture("garbled")

    assert judged.step is not None
    assert judged.step.facts == {"driver": "ssd1306", "other": "sh1106"}


def test_it_tells_what_was_examined(session: Session, clock: ManualSchedule) -> None:
    assert [one.part for one in doctor_of(session, clock).examine()] == ["power"]
