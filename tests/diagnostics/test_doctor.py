"""Parts tried by hand: each says its name, and lamp and buzzer show what they can."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.cli import doctor, main
from kloplei.config.settings import (
    BuzzerConfig,
    Config,
    LampConfig,
    PinsConfig,
    SeatPins,
    SlateConfig,
    SocketConfig,
    TableConfig,
)
from kloplei.devices.box import Box
from kloplei.devices.virtual import VirtualPins
from kloplei.diagnostics.doctor import TrialHand, _at_rest, suppress_consequences, try_parts
from kloplei.diagnostics.findings import as_line, bad, good, poor, said
from kloplei.diagnostics.pins import TableHasThem
from kloplei.diagnostics.system import check_links
from kloplei.games.game import Seat
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.table.doctor_client import Finding, FindingState
from kloplei.table.messages import ButtonPressed, ButtonReleased, PartFailed, PartHealed
from tests.devices.chips import eventually

BUTTON_2, PAD_3, RED = 23, 22, 12


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Three seats with pads, a button, a lamp and a buzzer; no table runs."""
    return Config(
        table=TableConfig(seats=3, data=tmp_path),
        seats=(SeatPins(pad=17), SeatPins(pad=27, button=BUTTON_2), SeatPins(pad=PAD_3)),
        pins=PinsConfig(factory="mock"),
        slate=SlateConfig(driver="none"),
        lamp=LampConfig(enabled=True),
        buzzer=BuzzerConfig(enabled=True),
        socket=SocketConfig(tmp_path / "table.sock"),
    )


@pytest.fixture
def pins(monkeypatch: pytest.MonkeyPatch) -> list[VirtualPins]:
    """The pins of each box that is opened, to pull at."""
    opened: list[VirtualPins] = []

    def chosen(box: Box) -> VirtualPins:
        opened.append(VirtualPins(box._schedule))
        return opened[-1]

    monkeypatch.setattr(Box, "_chosen_factory", chosen)
    return opened


@contextmanager
def looked_at_by_a_stranger(folder: Path) -> Iterator[None]:
    """Let nobody look into *folder*, not even root, who is somebody else meanwhile."""
    is_root = os.geteuid() == 0
    folder.chmod(0)
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o700)


def test_whoever_may_not_look_at_the_journal_still_hears_of_the_rest(
    config: Config, tmp_path: Path, pins: list[VirtualPins]
) -> None:
    """Without the sudo the doctor stumbled over the journal, and ended before the sensors."""
    data = tmp_path / "data"
    data.mkdir()
    config = replace(config, table=replace(config.table, data=data))
    list(_at_rest(config, lambda _: None))  # it imports what it needs

    with looked_at_by_a_stranger(data):
        links = list(check_links(data / "kloplei.db"))
        found = {one.part: one for one in _at_rest(config, lambda _: None)}

    assert links == []
    assert found["journal"].state is FindingState.POOR
    assert as_line(found["journal"]).endswith(f"{data}. Run it as root: sudo kloplei doctor")
    assert "parts" in found


def test_a_tuning_that_cannot_be_used_is_named_where_no_table_runs(
    config: Config, tmp_path: Path, pins: list[VirtualPins]
) -> None:
    (tmp_path / "tuning.toml").write_text("version = 99")

    found = {one.part: one for one in _at_rest(config, lambda _: None)}
    heard = tried(config, lambda _: None)

    assert found["tuning"].state is FindingState.BAD
    assert "tuning.toml holds no tuning" in as_line(found["tuning"])
    assert "tuning.toml holds no tuning" in heard[0]
    assert "Now press each button" in heard[-1]


def tried(config: Config, wait: Callable[[list[str]], object]) -> list[str]:
    """What is said while *wait* does something to the box, without its pauses."""
    said: list[str] = []
    try_parts(config, said.append, lambda: wait(said), pause=lambda _: None)
    return said


def test_each_button_and_pad_says_its_name(config: Config, pins: list[VirtualPins]) -> None:
    def touch(said: list[str]) -> None:
        pins[0].pin(BUTTON_2).drive_low()
        assert eventually(lambda: "button 2: down" in said)
        pins[0].pin(BUTTON_2).drive_high()
        assert eventually(lambda: said[-1].startswith("button 2: up, after 0."))
        pins[0].pin(PAD_3).drive_low()
        pins[0].pin(PAD_3).drive_high()
        assert eventually(lambda: "pad 3, seat 3: a knock" in said)

    said = tried(config, touch)

    assert said[4] == "Now press each button and knock at each seat; Ctrl-C ends it."
    assert len(said) == 8


def test_lamp_and_buzzer_show_what_they_can_one_by_one(
    config: Config, pins: list[VirtualPins]
) -> None:
    lit: list[tuple[str, bool]] = []

    try_parts(
        config,
        lambda line: lit.append((line, pins[0].pin(RED).state > 0)),
        lambda: None,
        pause=lambda _: None,
    )

    assert lit[:4] == [
        ("lamp: red", True),
        ("lamp: green", False),
        ("lamp: blue", False),
        ("buzzer: a melody", False),
    ]


@pytest.mark.usefixtures("pins")
def test_what_is_not_fitted_is_not_shown(config: Config) -> None:
    bare = replace(config, lamp=LampConfig(), buzzer=BuzzerConfig())

    assert tried(bare, lambda _: None) == [
        "Now press each button and knock at each seat; Ctrl-C ends it."
    ]


def test_a_blow_is_told_with_its_sensor_seat_verdict_and_loudness() -> None:
    said: list[str] = []
    hand = TrialHand(said.append)

    hand.judged(Judgement(1.0, 1.05, Verdict.KNOCK, 0.9, 0.41, Seat(2)))
    hand.judged(Judgement(2.0, 2.05, Verdict.NOISE, 0.1, 0.12, None))
    hand.judged(Judgement(3.0, 3.05, Verdict.DOUBTFUL, 0.5, 1.0, Seat(0), part="pad 1"))

    assert said == [
        "piezos, seat 3: a knock, 41% of full scale",
        "piezos, nobody can say whose: no knock, 12% of full scale",
        "pad 1, seat 1: perhaps a knock; at the table it would ask",
    ]


def test_a_part_that_fails_and_heals_is_told() -> None:
    said: list[str] = []
    hand = TrialHand(said.append)

    hand.put(PartFailed("pad 3", "pad 3 is held down without end. Check its wire"))
    hand.put(PartHealed("pad 3"))
    hand.put(ButtonPressed(Seat(0), 10.0))
    hand.put(ButtonReleased(Seat(0), 10.84))

    assert said == [
        "pad 3 is held down without end. Check its wire",
        "pad 3: works again",
        "button 1: down",
        "button 1: up, after 0.8 s",
    ]


def test_a_running_table_keeps_its_pins(config: Config, pins: list[VirtualPins]) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(config.socket.path))
        listener.listen()

        with pytest.raises(TableHasThem, match="systemctl stop kloplei-table, or Ctrl-C where"):
            tried(config, lambda _: None)

    assert pins == []


@pytest.mark.usefixtures("pins")
def test_whatever_ends_it_every_part_is_let_go(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Box] = []
    close = Box.close

    def noted(box: Box) -> None:
        closed.append(box)
        close(box)

    def interrupt(_: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Box, "close", noted)

    with pytest.raises(KeyboardInterrupt):
        tried(config, interrupt)

    assert len(closed) == 1


@pytest.mark.usefixtures("pins")
def test_ctrl_c_ends_it_and_nothing_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kloplei.toml"
    file.write_text(f'table.data = "{tmp_path}"\nsocket.path = "{tmp_path}/no.sock"\n')

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "_until_ctrl_c", interrupt)

    assert main(["doctor", "--try", "--config", str(file)]) == 0
    assert "Ctrl-C ends it." in capsys.readouterr().out


NO_OLED = said("slate", FindingState.BAD, "no OLED answers at 0x3C on I2C bus 1")
STOPPED = poor("table", "table.stopped", "do.start-table")


@pytest.mark.parametrize(
    ("cause", "echo"),
    [
        (bad("i2c", "i2c.nobody", bus=1), NO_OLED),
        (bad("spi", "spi.missing", bus=0, select=0), said("slate", FindingState.BAD, "SPI bus 0")),
        (
            bad("spi", "spi.missing", bus=0, select=0),
            said("piezos", FindingState.BAD, "SPI is off"),
        ),
        (bad("pin library", "library.missing"), said("pins", FindingState.BAD, "lgpio is missing")),
        (poor("kloplei-table", "unit.stopped", unit="kloplei-table"), STOPPED),
    ],
)
def test_what_follows_from_a_fault_is_left_out(cause: Finding, echo: Finding) -> None:
    assert list(suppress_consequences([cause], [echo])) == []
    assert list(suppress_consequences([], [echo])) == [echo]


@pytest.mark.parametrize(
    ("told", "finding"),
    [
        (poor("i2c", "i2c.slow", bus=1), NO_OLED),  # slow, but it works
        (good("i2c", "i2c.good", bus=1), NO_OLED),
        (bad("i2c", "i2c.nobody", bus=1), said("pad 1", FindingState.BAD, "held down")),
        (bad("pin library", "library.missing"), good("pins", "pins.good", count=3)),
        (good("kloplei-table", "unit.good"), STOPPED),
        (poor("kloplei-table", "unit.stopped"), good("table", "table.runs", seq=3)),
        (
            poor("kloplei-table", "unit.stopped"),
            said("table", FindingState.BAD, "the disk is full"),
        ),
    ],
)
def test_a_fault_of_its_own_is_told(told: Finding, finding: Finding) -> None:
    assert list(suppress_consequences([told], [finding])) == [finding]
