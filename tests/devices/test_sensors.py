"""One row a kind of sensors, and everything that derives from it."""

from dataclasses import replace

import pytest

from kloplei.config.settings import AdcConfig, Config, PinsConfig, SlateConfig, usual_rate_hz
from kloplei.config.wiring import claims
from kloplei.devices import box as box_module
from kloplei.devices import sensors
from kloplei.devices.box import Box
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.sensors import (
    SENSORS,
    Fitted,
    Opening,
    SensorKind,
    fitted_sensors,
    sampling_hz,
)
from kloplei.diagnostics import sensors as doctor
from kloplei.diagnostics.findings import as_line
from kloplei.diagnostics.sensors import CHECKS, examine_parts, listens_s
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration, Correction, PlayCorrection
from kloplei.knock.judgement import Judgement, Struck, Verdict
from tests.devices.conftest import ListInbox
from tests.devices.header import Header
from tests.pin_map import pin_map

BOTH = Config(adc=AdcConfig(enabled=True, corners=(6, 7)))


def test_the_doctor_has_checks_of_its_own_for_no_kind_that_there_is_not() -> None:
    assert set(CHECKS) <= {kind.name for kind in SENSORS}


@pytest.mark.parametrize("kind", SENSORS, ids=lambda kind: kind.name)
def test_the_settings_claim_the_pins_of_a_kind(kind: SensorKind) -> None:
    config = Config() if kind.fitted(Config()) else BOTH

    assert {claim.pin for claim in claims(config)} >= set(kind.pins(config)) != set()
    assert {row.gpio for row in pin_map(config)} >= set(kind.pins(config))


class Bell:
    """A new kind of sensor: what opens it, and what it hears, stand in its own module."""

    def __init__(self, opening: Opening) -> None:
        self.hearer = opening.hearer
        self.is_closed = False

    @property
    def held_down(self) -> tuple[str, ...]:
        return ("bell",)

    @property
    def is_calm(self) -> bool:
        return False

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def bells(monkeypatch: pytest.MonkeyPatch) -> list[Bell]:
    """A new kind, and all of it that were opened."""
    opened: list[Bell] = []

    def open_bell(opening: Opening) -> Bell:
        opened.append(Bell(opening))
        return opened[-1]

    kind = SensorKind(
        name="bells",
        quiet_s=20.0,
        fitted=lambda _: (Fitted("bell", None), Fitted("other bell", None)),
        pins=lambda _: (),
        open=open_bell,
    )
    for module in (sensors, box_module, doctor):
        monkeypatch.setattr(module, "SENSORS", (kind,))
    return opened


def test_a_new_kind_is_opened_heard_and_closed_by_the_box_as_it_is(
    bells: list[Bell], header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    box = Box(Config(), inbox, pin_factory=header.factory, schedule=schedule)
    (bell,) = bells
    bell.hearer.struck(Struck(1.0, 1.0))
    bell.hearer.judged(Judgement(1.0, 1.06, Verdict.KNOCK, 0.8, 1.0, Seat(0), 1.0))

    assert box.held_down == ("bell",)
    assert len(inbox.messages) == 2
    box.close()
    assert bell.is_closed


def test_the_doctor_tells_of_a_new_kind_what_is_quiet_and_what_is_held_down(
    bells: list[Bell],
) -> None:
    config = Config(pins=PinsConfig(factory="mock"), slate=SlateConfig(driver="none"))

    told = [as_line(one) for one in examine_parts(config, lambda _: None)]

    assert any(one.startswith("ok   bells: Quiet: other bell.") for one in told)
    assert "BAD  bell: bell is held down. Let go of it, or look at its wire." in told


def test_whoever_listens_waits_for_the_slowest_kind_that_is_fitted() -> None:
    assert listens_s(Config()) == 4.5
    assert listens_s(BOTH) == 11.5
    assert {one.seat for one in fitted_sensors(Config())} == {seat for seat, _ in Config().wired}


@pytest.mark.parametrize(
    ("discs", "cores", "hz"),
    [(1, 1, 8000), (2, 1, 8000), (3, 1, 4000), (4, 4, 8000), (5, 4, 4000), (8, 4, 4000)],
)
def test_piezos_are_read_as_fast_as_the_bus_bears_and_a_core_is_to_spare(
    discs: int, cores: int, hz: float
) -> None:
    assert usual_rate_hz(discs, cores) == hz


TWO = Config(adc=AdcConfig(enabled=True, corners=(0, 1)))
SLOW = Correction(4000, -0.5, {"crest": 1.0})
FAST = Correction(8000, -0.5, {"crest": 1.0})


@pytest.mark.parametrize(
    ("taught", "hz"),
    [
        (None, 8000),
        (Calibration(), 8000),
        (Calibration(gain_db=3.0), 4000),
        (Calibration(gain_db=3.0, rate_hz=8000), 8000),
        (Calibration(correction=SLOW), 4000),
        (Calibration(correction=FAST), 8000),
        (Calibration(played=PlayCorrection((SLOW,))), 8000),
        (Calibration(gain_db=3.0, played=PlayCorrection((FAST,))), 4000),
    ],
)
def test_a_table_that_was_tuned_at_4000_goes_on_at_4000(
    taught: Calibration | None, hz: float
) -> None:
    assert sampling_hz(TWO, taught) == hz


def test_what_the_settings_say_counts_whatever_was_taught() -> None:
    named = replace(TWO, adc=replace(TWO.adc, rate_hz=8000.0))

    assert sampling_hz(named, Calibration(correction=SLOW)) == 8000
    assert sampling_hz(replace(TWO, adc=replace(TWO.adc, rate_hz=2500.0)), None) == 2500
