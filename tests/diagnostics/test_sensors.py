"""What the doctor says of sensors that are wired wrong: the part, and what to do about it."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kloplei.config.settings import (
    AdcConfig,
    AudioConfig,
    Config,
    PinsConfig,
    SeatPins,
    SlateConfig,
    SocketConfig,
    TableConfig,
)
from kloplei.devices.adc import LOWEST
from kloplei.devices.box import Box
from kloplei.devices.sampling import AdcSource
from kloplei.devices.sensors import Opening
from kloplei.devices.virtual import VirtualPin, VirtualPins
from kloplei.diagnostics import sensors
from kloplei.diagnostics.doctor import examine
from kloplei.diagnostics.findings import doctor_words, tell
from kloplei.diagnostics.sensors import check_card, check_levels, check_tuned_gain, check_wood
from kloplei.knock.calibration import Calibration
from kloplei.knock.calibration_file import as_toml
from kloplei.knock.geometry import TableSize, ToldWood
from kloplei.review.calibrations import CalibrationArchive
from kloplei.table.client import Loudness
from kloplei.table.doctor_client import Finding, FindingState
from tests.devices.chips import PlayedConverter, eventually
from tests.devices.sound_cards import alsa_card, played_in


@pytest.fixture
def pads(tmp_path: Path) -> Config:
    """Three seats with a pad, one of them with a button; no table runs."""
    return Config(
        table=TableConfig(seats=3, data=tmp_path),
        seats=(SeatPins(pad=17), SeatPins(pad=27), SeatPins(pad=22, button=4)),
        pins=PinsConfig(factory="mock"),
        slate=SlateConfig(driver="none"),
        socket=SocketConfig(tmp_path / "table.sock"),
    )


@pytest.fixture
def piezos(pads: Config) -> Config:
    """Two discs on a converter."""
    wired = (SeatPins(piezo=0), SeatPins(piezo=1), SeatPins())
    return replace(pads, seats=wired, adc=AdcConfig(enabled=True))


def examined(config: Config, wait: Callable[[float], object] = bool) -> dict[str, Finding]:
    """All findings by part; *wait* is called instead of listening for some seconds."""

    def listen(for_s: float) -> None:
        wait(for_s)

    return {one.part: one for one in examine(config, listen)}


def said(finding: Finding) -> str:
    """What was found, and the next step."""
    return " ".join(one for one in tell(finding, doctor_words("en")) if one)


@pytest.fixture
def read_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[PlayedConverter], list[AdcSource]]:
    """Let the discs of the box hang on the converter given; return what reads it."""

    def read(converter: PlayedConverter) -> list[AdcSource]:
        sources: list[AdcSource] = []

        def open_source(opening: Opening) -> AdcSource:
            sources.append(AdcSource(converter, 2, 4000.0, opening.faults))
            return sources[-1]

        monkeypatch.setattr("kloplei.devices.sensors.open_source", open_source)
        return sources

    return read


ReadBy = Callable[[PlayedConverter], list[AdcSource]]


def test_a_converter_that_keeps_pace_is_told_with_its_rate(piezos: Config, read_by: ReadBy) -> None:
    sources = read_by(PlayedConverter())

    found = examined(piezos, lambda _: eventually(lambda: sources[0].pace.reached_hz))

    assert found["piezos"].state == "good"
    assert said(found["piezos"]) == "Each is read 4000 times a second."


def test_a_converter_that_is_slow_says_what_makes_it_faster(
    piezos: Config, read_by: ReadBy
) -> None:
    sources = read_by(PlayedConverter(reads_hz=2500.0, tuned_hz=2700.0))

    found = examined(piezos, lambda _: eventually(lambda: sources[0]._faults._troubles))

    assert found["piezos"].state == "bad"
    assert "read at 2.7 kHz instead of 4." in said(found["piezos"])
    assert said(found["piezos"]).endswith("only a friend can help")


def test_a_converter_on_the_other_chip_select_is_missed_by_name(
    piezos: Config, read_by: ReadBy
) -> None:
    sources = read_by(PlayedConverter(*[LOWEST] * 10_000))

    found = examined(piezos, lambda _: eventually(lambda: sources[0]._faults._troubles))

    assert found["piezos"].state == "bad"
    assert "CS on GPIO 8 is [adc] chip_select 0, on GPIO 7 it is 1" in said(found["piezos"])
    assert "piezo 1" not in found  # nobody knows how it does


def test_a_disc_that_is_loud_in_silence_is_noted(piezos: Config, read_by: ReadBy) -> None:
    loud = [0.0, 0.2] * 500
    converter = PlayedConverter(*loud)
    read_by(converter)

    found = examined(piezos, lambda _: eventually(lambda: converter.now_s > 1002.0))

    assert found["piezo 1"].state == "poor"
    assert "Channel 0: " in said(found["piezo 1"])
    assert "look at plug and shield" in said(found["piezo 1"])


class ShortedPin(VirtualPin):
    """A wire that lies on ground: no pull lifts it."""

    def drive_high(self) -> None:
        if self.info.name not in ("GPIO4", "GPIO27"):
            super().drive_high()


def test_what_is_held_down_is_told_and_what_is_quiet_as_well(
    pads: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shorted(box: Box) -> VirtualPins:
        pins = VirtualPins(box._schedule)
        pins.pin_class = ShortedPin
        return pins

    monkeypatch.setattr(Box, "_chosen_factory", shorted)

    found = examined(pads)

    assert found["pad 2"].state == "bad"
    assert said(found["pad 2"]) == "pad 2 is held down. Let go of it, or look at its wire."
    assert found["button 3"].state == "bad"
    assert said(found["pads"]).startswith("Quiet: pad 1, pad 3. One that is not plugged in")


def waits_of(config: Config, at_each: Callable[[], object] = lambda: None) -> list[float]:
    waits: list[float] = []

    def wait(for_s: float) -> None:
        waits.append(for_s)
        at_each()

    list(sensors.examine_parts(config, wait))
    return waits


def test_where_nothing_stirs_a_moment_is_enough(pads: Config) -> None:
    assert waits_of(pads) == [sensors.MOMENT_S]


def test_what_stirs_is_listened_to_for_as_long_as_it_takes(
    pads: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes: list[Box] = []
    monkeypatch.setattr(Box, "__init__", noted(Box.__init__, boxes))

    def knock() -> None:
        assert boxes[0]._pins is not None
        pin = boxes[0]._pins.pin(27)
        pin.drive_low()
        pin.drive_high()

    waits = waits_of(pads, knock)

    assert waits == pytest.approx([sensors.MOMENT_S, sensors.listens_s(pads) - sensors.MOMENT_S])


def noted(begin: Callable[..., None], boxes: list[Box]) -> Callable[..., None]:
    def begin_and_note(box: Box, *args: object, **more: object) -> None:
        boxes.append(box)
        begin(box, *args, **more)

    return begin_and_note


def test_piezos_are_listened_to_for_all_of_it_at_once(piezos: Config, read_by: ReadBy) -> None:
    read_by(PlayedConverter())

    assert waits_of(piezos) == [sensors.listens_s(piezos)]


def test_it_listens_only_to_what_there_is(pads: Config, piezos: Config) -> None:
    assert sensors.listens_s(piezos) > sensors.listens_s(pads) > 0
    assert sensors.listens_s(replace(pads, seats=(SeatPins(),) * 3)) == 0


def test_a_seat_that_nothing_hears_is_named(pads: Config) -> None:
    """An [adc] takes the pins of the last pads: those seats fell silent without a word."""
    wired = (SeatPins(pad=17), SeatPins(button=4), SeatPins())
    shared = replace(pads, pins=replace(pads.pins, shared_pad=12))

    assert "seats" not in examined(pads)
    assert said(examined(replace(pads, seats=wired))["seats"]) == (
        "Neither pad nor piezo hears seat 2, 3. If one is there, name it in the settings: "
        "[seat.2] pad or piezo."
    )
    assert "seats" not in examined(replace(shared, seats=wired))


def test_a_box_of_buttons_alone_is_not_told_that_it_is_deaf(pads: Config) -> None:
    """The easy build read every day that something might be missing."""
    buttons = tuple(SeatPins(button=pin) for pin in (4, 23, 16))

    assert "seats" not in examined(replace(pads, seats=buttons))
    assert "seats" in examined(replace(pads, seats=(*buttons[:2], SeatPins())))


ON_A_CARD = Config(audio=AudioConfig(enabled=True, device="plughw:CARD=Device"))


@pytest.mark.parametrize(
    ("drift_ppm", "says"),
    [
        (None, "They hang on the sound card plughw:CARD=Device."),
        (-31.4, "its clock runs -31 millionths fast"),
    ],
)
def test_a_sound_card_is_named_and_so_is_how_its_clock_drifts(
    drift_ppm: float | None, says: str
) -> None:
    (found,) = check_card(ON_A_CARD, drift_ppm)

    assert says in said(found)


@pytest.mark.parametrize("factory", ["lgpio", "mock"])
def test_a_laptop_is_told_of_its_sound_card_and_not_of_pins_that_it_has_no_need_of(
    factory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody had set ``[pins] factory``, the doctor listened to no card at all."""
    config = Config(
        table=TableConfig(data=tmp_path),
        audio=AudioConfig(enabled=True, device="table", corners=(0,)),
        pins=PinsConfig(factory=factory),
        slate=SlateConfig(driver="none"),
        socket=SocketConfig(tmp_path / "table.sock"),
    )
    luck = random.Random(3)
    noise = [luck.gauss(0.0, 0.0005) for _ in range(48000)]

    with alsa_card(tmp_path, monkeypatch.setenv) as write:

        def wait(_: float) -> None:
            played_in(write, 48000, noise)

        found = list(examine(config, wait))
        write(bytes(9600))  # whoever closes it waits for no card

    keys = {one.part: one.says.key for one in found}
    assert [one for one in found if one.state is FindingState.BAD] == []
    assert keys["corner piezo 0"] == "piezo.quiet"
    assert "pin library" not in keys
    assert any(one.says.key == "piezos.card" for one in found)


def test_a_converter_has_no_sound_card(piezos: Config) -> None:
    assert list(check_card(piezos, None)) == []


@pytest.mark.parametrize(("peak", "states"), [(0.5, ["good"]), (1.0, ["good", "poor"])])
def test_what_a_sound_card_cuts_off_is_told(peak: float, states: list[str]) -> None:
    found = list(check_levels(ON_A_CARD, [Loudness("piezos", (peak,), 0.1)]))

    assert [one.state for one in found] == states
    assert all("alsamixer" in said(one) for one in found[1:])


def test_a_sound_card_that_gives_nothing_is_looked_for_at_its_plug() -> None:
    (found,) = check_levels(ON_A_CARD, [])

    assert "See that the sound card is plugged in" in said(found)


@pytest.mark.parametrize(("gain_db", "says"), [(7.0, None), (13.0, "14 dB softer"), (8.0, "9 dB")])
def test_a_table_whose_knocks_were_soft_when_it_was_tuned_is_told_to_glue_its_discs(
    piezos: Config, gain_db: float, says: str | None
) -> None:
    tuning = piezos.table.data / "tuning.toml"
    tuning.write_text(as_toml(Calibration(gain_db=gain_db)), encoding="utf-8")

    told = [said(one) for one in check_tuned_gain(piezos)]

    assert [says in one for one in told if says is not None] == ([True] if says else [])
    assert len(told) == (says is not None)


def test_a_table_that_an_earlier_version_tuned_is_told_that_it_is_heard_as_then(
    piezos: Config,
) -> None:
    tuning = piezos.table.data / "tuning.toml"
    tuning.write_text("version = 1\nstrictness = 0.5\n", encoding="utf-8")
    (before,) = check_tuned_gain(piezos)
    tuning.write_text(as_toml(Calibration(strictness=0.5)), encoding="utf-8")

    assert "heard as it was then" in said(before)
    assert list(check_tuned_gain(piezos)) == []


def test_of_a_table_that_nobody_tuned_or_on_a_sound_card_no_level_is_told(
    pads: Config, piezos: Config
) -> None:
    card = replace(piezos, adc=AdcConfig(), audio=AudioConfig(enabled=True))
    assert list(check_tuned_gain(piezos)) == []

    text = as_toml(Calibration(gain_db=15.0))
    (piezos.table.data / "tuning.toml").write_text(text, encoding="utf-8")

    assert list(check_tuned_gain(card)) == list(check_tuned_gain(pads)) == []
    (piezos.table.data / "tuning.toml").write_text("[[", encoding="utf-8")
    assert list(check_tuned_gain(piezos)) == []


def test_discs_in_corners_want_to_know_the_table_top(tmp_path: Path) -> None:
    corners = Config(
        table=TableConfig(seats=4, data=tmp_path),
        seats=(),
        adc=AdcConfig(enabled=True, corners=(0, 1, 2, 3)),
    )

    unknown = list(check_wood(corners))
    told = ToldWood(TableSize(1.1, 1.1, is_round=True))
    CalibrationArchive(tmp_path).save(Calibration(wood=told))
    known = list(check_wood(corners))

    assert [tell(one, doctor_words("en"))[1] for one in unknown] == [
        "Say it once: kloplei tune --size 1.4x0.8, or on a phone where the table is tuned."
    ]
    assert [tell(one, doctor_words("en"))[0] for one in known] == [
        "1.1 m, 4 seats, 4 piezos: who knocked follows from the place."
    ]
