"""A table with pads at two seats and piezos at the other two: one blow is one knock."""

import pytest

from benchmarks.measured_table import MeasuredTable
from kloplei.config.settings import AdcConfig, Config, SeatPins, TableConfig
from kloplei.devices.box import Box
from kloplei.devices.hearing import JointHearing
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.virtual import VirtualBox
from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.knock.edges import edges
from kloplei.knock.judgement import Judgement, Struck, Verdict
from kloplei.simulation.blows import Blow
from tests.devices.conftest import ListInbox

MIXED = Config(
    table=TableConfig(seats=4),
    seats=(SeatPins(pad=17), SeatPins(pad=27), SeatPins(piezo=0), SeatPins(piezo=1)),
    adc=AdcConfig(enabled=True),
)
KINDS = ("pads", "piezos")
LEVEL = 0.1  # of full scale: what the comparators are set to


def knuckle(box: VirtualBox, table: MeasuredTable, seat: Seat, seed: int) -> None:
    """Knock at the place of *seat*: the wood carries it to all four sensors."""
    spot = table.seats[seat]
    wave = table.strike(Blow.KNUCKLE, spot, seed=seed)
    for pad in (Seat(0), Seat(1)):
        box.play(pad, edges(wave.channels[pad], wave.rate_hz, LEVEL))
    assert box.piezos is not None
    box.piezos.play(table.sampled(Blow.KNUCKLE, spot, box.piezos.rate_hz, seed=seed)[2:])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whoever_knocks_is_heard_once_and_as_himself(
    seed: int, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    virtual = VirtualBox(MIXED, schedule)
    box = Box(MIXED, inbox, pin_factory=virtual.pin_factory, schedule=schedule)
    table = MeasuredTable.of_seed(seed, 4)
    schedule.advance(0.5)

    for seat in map(Seat, range(4)):
        knuckle(virtual, table, seat, seed)
        schedule.advance(0.6)

    heard = [one for one in inbox.messages if isinstance(one, KnockHeard)]
    # What rings on may look like a second hand: that is asked about, and plays nothing.
    sure = [one for one in heard if not one.doubtful]
    assert [one.seat for one in sure] == [Seat(0), Seat(1), Seat(2), Seat(3)]
    assert [one.at_s for one in heard] == sorted(one.at_s for one in heard)
    box.close()


class Told:
    """A hearer that keeps what it is told."""

    def __init__(self) -> None:
        self.judgements: list[Judgement] = []
        self.loud: list[str] = []

    def struck(self, struck: Struck) -> None:
        pass

    def judged(self, judgement: Judgement) -> None:
        self.judgements.append(judgement)

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        self.loud.append(part)


def test_a_converter_that_hangs_holds_up_no_pad(schedule: ManualSchedule) -> None:
    told = Told()
    joint = JointHearing(told, schedule, KINDS, 0.03)
    now_s = schedule.now_s()
    joint.sides["pads"].struck(Struck(now_s, 1.0))
    joint.sides["piezos"].struck(Struck(now_s, 0.3))

    joint.sides["pads"].judged(
        Judgement(now_s, now_s + 0.06, Verdict.KNOCK, 0.8, 1.0, Seat(0), 1.0)
    )
    before = len(told.judgements)
    schedule.advance(0.11)

    assert (before, len(told.judgements)) == (0, 1)


def test_how_loud_it_is_each_says_for_itself(schedule: ManualSchedule) -> None:
    told = Told()

    JointHearing(told, schedule, KINDS, 0.03).sides["piezos"].loudness("piezos", (0.1,), 1.0)

    assert told.loud == ["piezos"]
