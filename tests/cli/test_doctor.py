"""`kloplei doctor`: every part by name, with the next step."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.cli import main
from kloplei.doctor import parts
from kloplei.table.inbox import PartFailed
from kloplei.table.journal import Journal
from kloplei.table.port import Port
from kloplei.table.session import Session


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "kloplei.toml"
    path.write_text(
        f"""
        table.data = "{tmp_path}"
        pins.factory = "mock"
        slate.driver = "none"
        socket.path = "{tmp_path}/table.sock"
        """
    )
    return path


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor listens for as long as a test can wait."""
    monkeypatch.setattr(parts, "PADS_S", 0.0)
    monkeypatch.setattr(parts, "PIEZOS_S", 0.2)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Session]:
    with (
        Journal(tmp_path / "kloplei.db") as journal,
        Session(journal) as session,
        Port(session, tmp_path / "table.sock"),
    ):
        yield session


def examined(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, dict[str, tuple[str, str]]]:
    """Exit code, and state and sentence of each part."""
    code = main(["doctor", "--json", "--config", str(settings)])
    findings = json.loads(capsys.readouterr().out)
    return code, {one["part"]: (one["state"], said(one)) for one in findings}


def said(finding: dict[str, str | None]) -> str:
    return f"{finding['says']} {finding['step'] or ''}".rstrip()


def test_a_box_on_virtual_pins_is_well(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, parts = examined(settings, capsys)

    assert code == 0
    assert parts["parts"] == ("good", "Every part opens.")
    assert parts["table"][0] == "poor"
    assert "It does not run. Start it: sudo systemctl start kloplei-table" in parts["table"][1]
    assert parts["slate"][0] == "poor"


def test_a_table_that_runs_and_cannot_be_asked_keeps_its_pins(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever may not talk to it was told to start it, and its pins were opened once more."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(settings.with_name("table.sock")))
        listener.listen()
        hanging_up = threading.Thread(target=_hear_and_hang_up, args=(listener,))
        hanging_up.start()

        code, parts = examined(settings, capsys)
        hanging_up.join()

    assert code == 1
    assert parts["table"][0] == "bad"
    assert "No answer from the table" in parts["table"][1]
    assert not {"parts", "journal", "slate"} & parts.keys()


def test_a_slate_on_a_bus_that_is_not_there_is_bad_and_says_what_to_do(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(settings.read_text().replace('driver = "none"', "bus = 22"))

    code, parts = examined(settings, capsys)

    assert code == 1
    assert parts["slate"][0] == "bad"
    assert "I2C bus 22 is not there. Switch I2C on" in parts["slate"][1]


def test_a_file_that_is_no_journal_is_named(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = settings.with_name("kloplei.db")
    journal.write_text("this is a letter to the landlord, and no journal of ours" * 20)

    code, parts = examined(settings, capsys)

    assert code == 1
    assert parts["journal"][0] == "bad"
    assert "kloplei.db" in parts["journal"][1]
    assert journal.read_text().startswith("this is a letter")


def test_a_running_table_is_asked_what_is_wrong_with_it(
    settings: Path, table: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    table.put(PartFailed("pad 3", "pad 3 does not work on GPIO 22. Look at its plug"))
    table.log()  # the table has come round

    code, parts = examined(settings, capsys)

    assert code == 1
    assert parts["table"] == ("good", "It runs, at entry 0 of the journal.")
    assert parts["pad 3"] == ("bad", "pad 3 does not work on GPIO 22. Look at its plug")
    assert "journal" not in parts


def _hear_and_hang_up(listener: socket.socket) -> None:
    asker, _ = listener.accept()
    with asker:
        asker.recv(1024)
