"""One row a kind of sensors, and everything that derives from it."""

import pytest

from kloplei.config.settings import AdcConfig, Config
from kloplei.config.wiring import claims
from kloplei.devices import box as box_module
from kloplei.devices.box import Box
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.sensors import SENSORS, Fitted, Opening, SensorKind, fitted_sensors
from kloplei.diagnostics.sensors import CHECKS, listens_s
from kloplei.games.game import Seat
from kloplei.knock.fusion import FeltBy
from kloplei.knock.judgement import Judgement, Struck, Verdict
from tests.devices.conftest import ListInbox
from tests.devices.header import Header
from tests.pin_map import pin_map

BOTH = Config(adc=AdcConfig(enabled=True, corners=(6, 7)))


def test_the_doctor_has_a_check_for_every_kind_and_for_no_other() -> None:
    assert set(CHECKS) == {kind.name for kind in SENSORS}


def test_every_kind_is_told_apart_where_several_feel_one_blow() -> None:
    assert {kind.felt_by for kind in SENSORS} <= set(FeltBy)
    assert len({kind.felt_by for kind in SENSORS}) == len(SENSORS)


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

    def close(self) -> None:
        self.is_closed = True


def test_a_new_kind_is_opened_heard_and_closed_by_the_box_as_it_is(
    monkeypatch: pytest.MonkeyPatch, header: Header, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    bells: list[Bell] = []

    def open_bell(opening: Opening) -> Bell:
        bells.append(Bell(opening))
        return bells[-1]

    kind = SensorKind(
        name="bell",
        felt_by=FeltBy.PADS,
        quiet_s=20.0,
        fitted=lambda _: (Fitted("bell", None),),
        pins=lambda _: (),
        open=open_bell,
    )
    monkeypatch.setattr(box_module, "SENSORS", (kind,))

    box = Box(Config(), inbox, pin_factory=header.factory, schedule=schedule)
    (bell,) = bells
    bell.hearer.struck(Struck(1.0, 1.0))
    bell.hearer.judged(Judgement(1.0, 1.06, Verdict.KNOCK, 0.8, 1.0, Seat(0), 1.0))

    assert box.held_down == ("bell",)
    assert len(inbox.messages) == 2
    box.close()
    assert bell.is_closed


def test_whoever_listens_waits_for_the_slowest_kind_that_is_fitted() -> None:
    assert listens_s(Config()) == 4.5
    assert listens_s(BOTH) == 11.5
    assert {one.seat for one in fitted_sensors(Config())} == {seat for seat, _ in Config().wired}
