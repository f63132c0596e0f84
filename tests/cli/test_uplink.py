"""`kloplei uplink` by hand, beside a table and a unit that run in this process."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from kloplei import systemd
from kloplei.cli import uplink
from kloplei.cli.main import main
from kloplei.games.game import Seat
from kloplei.table.client import TableClient
from kloplei.table.uplink_client import OutsiderStatus, UplinkStatus
from kloplei.uplink import service
from kloplei.uplink.service import HOUSE_FILE, UplinkService
from kloplei.words import Sentence
from kloplei_hub.servers import Broker
from tests.until import until
from tests.uplink.houses import PostHouse, table_in
from tests.uplink.test_home_agent import Home
from tests.uplink.test_webhook import Receiver

CODE = "KRIJT-7"


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "WISH_S", 0.02)
    monkeypatch.setattr(uplink, "_LOOK_S", 0.02)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableClient]:
    with table_in(tmp_path) as table:
        yield table


@pytest.fixture
def unit(table: TableClient, tmp_path: Path) -> Iterator[None]:
    with UplinkService(table, tmp_path / "uplink"):
        yield


@pytest.fixture
def house() -> Iterator[PostHouse]:
    with PostHouse(CODE) as house:
        yield house


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "kloplei.toml"
    path.write_text(
        f'socket.path = "{tmp_path}/table.sock"\n'
        f'uplink = {{ enabled = true, data = "{tmp_path}/uplink" }}\n'
    )
    return str(path)


@pytest.mark.usefixtures("unit")
def test_a_box_goes_with_a_house_and_leaves_it_from_the_terminal(
    config: str, house: PostHouse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["uplink", "pair", house.address, CODE, "--config", config]) == 0
    assert f"Paired with {house.address}" in capsys.readouterr().out
    assert (tmp_path / "uplink" / HOUSE_FILE).exists()

    assert main(["uplink", "--config", config, "status"]) == 0
    assert house.address in capsys.readouterr().out
    assert main(["uplink", "status", "--json", "--config", config]) == 0
    assert json.loads(capsys.readouterr().out)["hub"] == house.address

    assert main(["uplink", "leave", "--config", config]) == 0
    assert not (tmp_path / "uplink" / HOUSE_FILE).exists()


@pytest.mark.usefixtures("unit")
def test_why_a_house_does_not_take_a_box_is_said_every_time(
    config: str, house: PostHouse, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert main(["uplink", "pair", house.address, "other", "--config", config]) == 1
        told = capsys.readouterr()
        assert "does not take this code" in told.err
        assert "Traceback" not in told.err
    assert main(["uplink", "status", "--config", config]) == 1
    assert "does not take this code" in capsys.readouterr().out


def test_how_it_stood_before_is_not_taken_for_what_came_of_it(
    config: str,
    table: TableClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A unit that said once more that there was no house made a code that is wrong look fine."""
    trouble = Sentence("uplink-code", address="https://hub.example")
    tells = iter(
        [
            UplinkStatus("off"),
            UplinkStatus("pairing", "https://hub.example"),
            UplinkStatus("refused", "https://hub.example", trouble=trouble),
        ]
    )
    pauses = SimpleNamespace(
        monotonic=time.monotonic, sleep=lambda _: table.uplink.report(next(tells))
    )
    monkeypatch.setattr(uplink, "time", pauses)

    assert main(["uplink", "pair", "hub.example", "other", "--config", config]) == 1
    assert "does not take this code" in capsys.readouterr().err


@pytest.mark.usefixtures("table")
def test_without_a_unit_it_is_said_how_to_have_one(
    config: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(uplink, "PATIENCE_S", 0.05)

    assert main(["uplink", "pair", "hub.example", CODE, "--config", config]) == 1
    assert "enabled = true" in capsys.readouterr().err
    assert main(["uplink", "status", "--config", config]) == 0
    assert "with no house" in capsys.readouterr().out


def test_who_else_is_told_stands_in_the_status(
    table: TableClient, config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = Sentence("webhook-refused", address="hook.example", error="404 Not Found")
    told = (OutsiderStatus("home_assistant", 0.0), OutsiderStatus("webhook", trouble=refused))

    table.uplink.report(UplinkStatus(outsiders=told[:1]))
    assert main(["uplink", "status", "--config", config]) == 0
    table.uplink.report(UplinkStatus(outsiders=told))
    assert main(["uplink", "status", "--config", config]) == 1
    said = capsys.readouterr().out
    assert main(["uplink", "status", "--json", "--config", config]) == 1

    assert "Home Assistant was reached last on 19" in said
    assert "does not take what happens (404 Not Found)" in said
    assert "The webhook was not told anything yet." in said
    (home, hook) = json.loads(capsys.readouterr().out)["outsiders"]
    assert (home["kind"], home["at"]) == ("home_assistant", 0.0)
    assert hook["kind"] == "webhook"
    assert "404" in str(hook["trouble"])


def test_without_a_table_it_is_said_how_to_have_one(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["uplink", "status", "--config", config]) == 1
    assert "kloplei run" in capsys.readouterr().err


def test_a_unit_that_is_switched_off_ends_at_once_and_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kloplei.toml"
    path.write_text("")

    assert main(["uplink", "--config", str(path)]) == 0
    assert "switched off" in capsys.readouterr().out


def test_the_unit_runs_until_it_is_told_to_stop(
    table: TableClient,
    config: str,
    house: PostHouse,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = []

    @contextmanager
    def until_paired() -> Iterator[object]:
        def wait() -> None:
            assert main(["uplink", "pair", house.address, CODE, "--config", config]) == 0
            states.append(table.uplink.status().state)

        yield wait

    monkeypatch.setattr(systemd, "wait_for_signal", until_paired)

    assert main(["uplink", "--config", config]) == 0
    assert states[0] in ("connecting", "connected")


def test_the_unit_tells_home_assistant_and_a_webhook_and_takes_leave_when_switched_off(
    table: TableClient, config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A toep is played, told to both, and the unit started again without either."""
    for seat, name in enumerate(("Thijs", "Tame", "Thomas")):
        table.submit(Seat(seat), "sit_down", facts={"name": name})
    table.submit(None, "start")
    box = table.uplink.steps(0, 1).box
    written = Path(config).read_text()

    with Broker(tmp_path / "broker") as broker, Home(broker.port, box) as home, Receiver() as hook:
        more = (
            f'[home_assistant]\nenabled = true\nhost = "127.0.0.1"\nport = {broker.port}\n'
            f'name = "Raam"\n[webhook]\nurl = "{hook.url}"\n'
            f'secret = "sixteen letters or more"\nmoments = ["toep"]\n'
        )

        def play() -> None:
            until(lambda: home.device and home.state("board"))
            table.submit(Seat(0), "deal")
            until(lambda: home.state("board")["phase"] != "idle")
            table.submit(Seat(2), "knock")
            until(lambda: hook.got and heard("toep"))

        def heard(name: str) -> bool:
            """Whether Home Assistant was told of a moment of that name, among others."""
            return any(told["event_type"] == name for _, told in tuple(home.events.queue))

        monkeypatch.setattr(systemd, "wait_for_signal", lambda: nullcontext(play))
        Path(config).write_text(written + more)
        assert main(["uplink", "--config", config]) == 0
        assert json.loads(hook.got[0][2])["moment"] == "toep"
        assert home.device["device"]["name"] == "Raam"
        assert not [name for name in ("Thijs", "Tame") if name in str(home.told)]
        Path(config).write_text(written.replace("enabled = true", "enabled = false"))
        assert main(["uplink", "--config", config]) == 0
        until(lambda: not any(home.told.values()))


@pytest.mark.parametrize("written", [None, "å"])
def test_an_authority_that_cannot_be_read_is_told(
    tmp_path: Path, config: str, written: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if written is not None:
        (tmp_path / "ca.pem").write_text(written)
    Path(config).write_text(
        f'{Path(config).read_text()}uplink.authority = "{tmp_path}/ca.pem"\n'.replace(
            f'uplink = {{ enabled = true, data = "{tmp_path}/uplink" }}', "uplink.enabled = true"
        )
    )

    assert main(["uplink", "--config", config]) == 2
    assert "authority" in capsys.readouterr().err
