"""The doctor of a running table: its knocks go the whole road from the inbox on."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kloplei.config.settings import SlateConfig
from kloplei.demo.table import Demo
from kloplei.devices.glass import column_picture
from kloplei.devices.schedule import ManualSchedule
from kloplei.diagnostics.doctor import TableDoctor, apart_s, check_uplink
from kloplei.diagnostics.findings import doctor_words, good
from kloplei.diagnostics.registry import Examination
from kloplei.games.game import Seat
from kloplei.table.client import BadRequest, Frame
from kloplei.table.core import CLOSE_S
from kloplei.table.doctor_client import Finding, FindingState
from kloplei.table.gestures import Timings
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.table.uplink_client import OutsiderStatus, UplinkStatus
from kloplei.words import Sentence
from tests.table.memory_journal import MemoryJournal

THIJS, TAME = Seat(0), Seat(1)


@pytest.fixture
def clock() -> ManualSchedule:
    return ManualSchedule()


@pytest.fixture
def session(clock: ManualSchedule) -> Iterator[Session]:
    """Three people sit at a table of four."""
    with Session(MemoryJournal(), TableSetup(seats=4), clock=clock.now_s) as session:
        for seat in range(3):
            session.submit(Seat(seat), "sit_down", facts={"name": f"player {seat}"})
        yield session


def doctor_of(session: Session, clock: ManualSchedule, *shown: list[float]) -> TableDoctor:
    return TableDoctor(
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
    with pytest.raises(BadRequest):
        doctor_of(session, clock).knock(Seat(seat), times)


def test_the_test_picture_is_shown_where_there_is_a_slate(
    session: Session, clock: ManualSchedule
) -> None:
    shown: list[float] = []

    doctor_of(session, clock, shown).show_test_picture()

    assert len(shown) == 1
    with pytest.raises(BadRequest, match="no slate"):
        doctor_of(session, clock).show_test_picture()


def test_what_one_sees_is_judged_by_the_settings_of_the_slate(
    session: Session, clock: ManualSchedule
) -> None:
    judged = doctor_of(session, clock).judge_picture("garbled")

    assert judged.step is not None
    assert judged.step.facts == {"driver": "ssd1306", "other": "sh1106"}


def test_it_tells_what_was_examined(session: Session, clock: ManualSchedule) -> None:
    assert [one.part for one in doctor_of(session, clock).examine()] == ["power"]


PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Four players at a table with every part; nothing of it is wired to this machine."""
    with Demo(tmp_path_factory.mktemp("data"), url="http://192.0.2.7:8080/") as demo:
        yield demo


def eventually(holds: Callable[[], bool]) -> bool:
    deadline_s = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < deadline_s:
        threading.Event().wait(0.02)
    return holds()


def examined(demo: Demo) -> dict[str, Finding]:
    return {one.part: one for one in demo.client.doctor.examine()}


def test_it_sees_the_machine_and_the_sensors_but_no_wires_of_a_virtual_box(demo: Demo) -> None:
    assert eventually(lambda: examined(demo)["piezos"].state is FindingState.GOOD)

    found = examined(demo)

    assert {"versions", "disk", "clock", "network", "piezos"} <= set(found)
    assert not {"board", "pins", "i2c", "spi", "pin library"} & set(found)
    said = doctor_words("en").say(found["piezos"].says.key, found["piezos"].says.facts)
    assert said.startswith("At most so loud, just now: 1: ")


def test_the_journal_it_asks_after_is_that_of_the_table(demo: Demo) -> None:
    folder = str(examined(demo)["disk"].says.facts["folder"])

    assert Path(folder) == demo._unit.journal.path.parent


def test_a_trial_knock_raises_the_stake_without_any_sensor(demo: Demo) -> None:
    table = demo.client
    table.submit(table.scoreboard().dealer, "deal", via="table")
    stake = table.scoreboard().stake or 0

    table.doctor.knock(TAME)

    assert eventually(lambda: table.scoreboard().stake == stake + 1)
    assert (table.log(1)[0].seat, table.log(1)[0].via) == (TAME, "pad")


def test_the_test_picture_stands_on_the_slate_and_on_phones(demo: Demo) -> None:
    picture = Frame(128, 64, column_picture().tobytes())

    demo.client.doctor.show_test_picture()

    assert eventually(lambda: demo.virtual.oled.frame == picture)
    assert demo.client.frame() == picture


def test_a_button_that_is_held_down_is_told(demo: Demo) -> None:
    # The last of these tests, for a button that is held so long asks for undo.
    demo.hold(5, 8.0)  # nobody sits there

    assert eventually(lambda: "button 5" in examined(demo))


TWIN = Sentence("uplink-twin")


@pytest.mark.parametrize(
    ("status", "found"),
    [
        (UplinkStatus(), []),
        (UplinkStatus("connecting", "h"), [("uplink.not-yet", FindingState.POOR)]),
        (UplinkStatus("connected", "h", has=9), [("uplink.reached", FindingState.GOOD)]),
        (UplinkStatus("connected", "h", has=4), [("uplink.behind", FindingState.GOOD)]),
        (UplinkStatus("refused", "h", trouble=TWIN), [("said", FindingState.BAD)]),
        (
            UplinkStatus("connected", "h", has=9, certificate_ends=0.0),
            [("uplink.reached", FindingState.GOOD), ("uplink.certificate", FindingState.POOR)],
        ),
        (
            UplinkStatus(
                outsiders=(
                    OutsiderStatus("home_assistant"),
                    OutsiderStatus("home_assistant", 1.0),
                    OutsiderStatus("webhook", 1.0, Sentence("webhook-refused")),
                    OutsiderStatus("webhook", 1.0),
                )
            ),
            [
                ("uplink.home_assistant", FindingState.GOOD),
                ("said", FindingState.BAD),
                ("uplink.webhook", FindingState.GOOD),
            ],
        ),
    ],
)
def test_how_it_stands_with_the_house_is_told(
    status: UplinkStatus, found: list[tuple[str, FindingState]]
) -> None:
    assert [(one.says.key, one.state) for one in check_uplink(status, 9)] == found
