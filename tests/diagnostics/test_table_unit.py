"""The doctor of a whole table unit, on a virtual box: what it sees, knocks and shows."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kloplei.demo.table import Demo
from kloplei.devices.columns import column_picture
from kloplei.diagnostics.findings import doctor_words
from kloplei.rules.game import Seat
from kloplei.table.client import Frame
from kloplei.table.doctor import Finding, State

PATIENCE_S = 30.0
TAME = Seat(1)


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
    assert eventually(lambda: examined(demo)["piezos"].state is State.GOOD)

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
