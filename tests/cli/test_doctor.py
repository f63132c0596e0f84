"""`kloplei doctor`: every part by name, with the next step."""

import io
import json
import socket
import threading
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from kloplei.cli import main
from kloplei.config.settings import SlateConfig
from kloplei.diagnostics import registry, sensors
from kloplei.diagnostics.doctor import TableDoctor
from kloplei.diagnostics.registry import Examination
from kloplei.network.addresses import Local, Network
from kloplei.table.journal import Journal
from kloplei.table.messages import PartFailed
from kloplei.table.rpc_server import RpcServer
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
    monkeypatch.setattr(sensors, "listens_s", lambda config: 0.2 if config.piezos else 0.0)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Session]:
    with (
        Journal(tmp_path / "kloplei.db") as journal,
        Session(journal) as session,
        RpcServer(session, tmp_path / "table.sock"),
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
    assert parts["i2c"][0] == "bad"
    assert "I2C bus 22 is not there. Switch I2C on" in parts["i2c"][1]
    assert "slate" not in parts  # it would say the same once more


def test_an_address_that_somebody_has_set_and_the_box_lacks_is_noted(
    settings: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a table the doctor looked at what the box finds out by itself, and was content."""
    home = Network((Local("wlan0", IPv4Address("192.168.1.7")),))
    monkeypatch.setattr(registry, "look_at_network", lambda: home)
    settings.write_text(f'{settings.read_text()}\nnetwork.address = "192.168.1.9"\n')

    _, parts = examined(settings, capsys)

    state, sentence = parts["network"]
    assert state == "poor"
    assert "http://192.168.1.9:8080/, but this box is wlan0 192.168.1.7" in sentence
    assert "take out [network] address" in sentence


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


SECRETS = ("8361", "tienlevens", "c0ffee" * 8)


@pytest.fixture
def secretive(settings: Path) -> Path:
    """A box that has a PIN, a key and a Wi-Fi password, in the settings and beside the journal."""
    pin, password, key = SECRETS
    keys = {"pin": pin, "secret_key": key}
    settings.with_name("panel-keys.json").write_text(json.dumps(keys))
    settings.write_text(
        f'{settings.read_text()}\npanel.pin = "{pin}"\nnetwork.name = "Cafe de Klop"\n'
        f'network.password = "{password}"\n'
    )
    return settings


def reported(settings: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The report, which nobody's secret may be in, not even in what is complained of."""
    main(["doctor", "--report", "--config", str(settings)])
    told = capsys.readouterr()
    for secret in (*SECRETS, "de Klop"):
        assert secret not in told.out + told.err
    return told.out


def test_a_report_tells_all_but_secrets(
    secretive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = reported(secretive, capsys)

    assert "note table: It does not run." in report
    assert "\n  pins.factory = mock\n" in report
    assert "network.name = (set)" in report


def test_a_report_of_a_running_table_keeps_secrets_as_well(
    secretive: Path, table: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    table.put(PartFailed("pad 3", "pad 3 does not work on GPIO 22. Look at its plug"))
    table.log()

    report = reported(secretive, capsys)

    assert "ok   table: It runs" in report
    assert "BAD  pad 3: pad 3 does not work" in report


@pytest.mark.parametrize(
    "broken",
    [
        "panel.pin = 8361",
        'panel.pin = "83 61"\n#',
        'network = "tienlevens"\n#',
        'network.password = "tien"\n#',
        'network.password = ["tienlevens"]\n#',
        'network.passwort = "tienlevens"\n#',
        'pins.factory = "tienlevens',
        "network.password = tienlevens",
    ],
)
def test_broken_settings_are_a_finding_and_their_secrets_stay_in(
    settings: Path, capsys: pytest.CaptureFixture[str], broken: str
) -> None:
    settings.write_text(broken)

    report = reported(settings, capsys)

    assert f"BAD  settings: {settings}" in report
    assert "disk: " in report
    assert "parts" not in report  # nobody knows what is wired where: nothing was opened


def test_a_box_with_broken_settings_is_examined_all_the_same(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text("[tabel]\nseats = 4")

    code, parts = examined(settings, capsys)

    assert code == 1
    assert "there is no [tabel]; did you mean table?" in parts["settings"][1]
    assert "versions" in parts


def test_each_finding_has_the_same_words_for_tools(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/doctor.md tells them."""
    main(["doctor", "--json", "--config", str(settings)])
    findings = json.loads(capsys.readouterr().out)

    assert {tuple(one) for one in findings} == {("part", "state", "key", "says", "step")}
    assert {one["state"] for one in findings} <= {"good", "poor", "bad"}
    stopped = next(one for one in findings if one["part"] == "table")
    assert (stopped["key"], stopped["says"]) == ("table.stopped", "It does not run.")


def test_marks_are_coloured_on_a_terminal_and_nowhere_else(
    settings: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["doctor", "--config", str(settings)]
    main(arguments)
    plain = capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    main(arguments)
    coloured = capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    main(arguments)
    asked_for_none = capsys.readouterr().out

    assert "\x1b" not in plain + asked_for_none
    assert "\x1b[33mnote\x1b[0m table" in coloured


def test_the_slate_is_tried_by_the_table_that_runs_and_what_is_seen_is_judged(
    settings: Path,
    table: Session,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.write_text(settings.read_text().replace('driver = "none"', 'driver = "ssd1306"'))
    shown: list[float] = []
    table.doctor = doctor_that_shows(table, shown)
    monkeypatch.setattr("sys.stdin", io.StringIO("99\nwhat\n5\n"))

    code = main(["doctor", "--slate", "--config", str(settings)])

    out = capsys.readouterr().out
    assert code == 1
    assert len(shown) == 1
    assert 'Set [slate] driver = "sh1106" in the settings' in out


def test_without_a_table_the_slate_is_opened_by_the_doctor(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(settings.read_text().replace('driver = "none"', "bus = 22"))

    assert main(["doctor", "--slate", "--config", str(settings)]) == 1
    assert "I2C bus 22 is not there" in capsys.readouterr().err


def doctor_that_shows(table: Session, shown: list[float]) -> TableDoctor:
    return TableDoctor(
        table, seats=8, examination=Examination({}), show=shown.append, slate=SlateConfig()
    )
