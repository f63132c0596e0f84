"""Discs that nobody can touch, on a clock that stands still."""

import math
from collections.abc import Iterator

import pytest

from kloplei.config.settings import AdcConfig, Config, SeatPins, TableConfig
from kloplei.devices.box import Box
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.virtual import HEARTBEAT_S, LEAD_S, TAIL_S, VirtualBox, VirtualPiezos
from kloplei.games.game import Seat
from kloplei.knock.judgement import Struck
from kloplei.knock.signal import Block
from tests.devices.conftest import ListInbox

RATE_HZ = 4000.0


def knuckle(strength: float = 0.5, later_s: float = 0.0) -> list[float]:
    """A 400 Hz blow that falls 20 dB in 30 ms, *later_s* after the start."""
    silence = [0.0] * round(later_s * RATE_HZ)
    times_s = [at / RATE_HZ for at in range(round(0.1 * RATE_HZ))]
    return silence + [
        strength * 10 ** (-at_s / 0.03) * math.cos(2 * math.pi * 400 * at_s) for at_s in times_s
    ]


@pytest.fixture
def piezos(schedule: ManualSchedule) -> VirtualPiezos:
    return VirtualPiezos(schedule, channels=2, rate_hz=RATE_HZ)


@pytest.fixture
def blocks(piezos: VirtualPiezos) -> Iterator[list[Block]]:
    taken: list[Block] = []
    piezos.start(taken.append)
    taken.clear()  # the heartbeat at the start
    yield taken
    piezos.close()


def joined(blocks: list[Block], channel: int) -> list[float]:
    return [sample for block in blocks for sample in block.channels[channel]]


def test_a_wave_comes_out_where_and_when_it_was_played(
    piezos: VirtualPiezos, blocks: list[Block], schedule: ManualSchedule
) -> None:
    schedule.advance(0.3)
    piezos.play([knuckle(), [0.0]])
    schedule.advance(0.2)

    loudest = max(range(len(joined(blocks, 0))), key=lambda at: abs(joined(blocks, 0)[at]))
    assert blocks[0].start_s + loudest / RATE_HZ == pytest.approx(1000.3, abs=1 / RATE_HZ)
    assert joined(blocks, 0)[loudest] == pytest.approx(0.5, abs=0.01)
    assert max(map(abs, joined(blocks, 1))) < 0.01


def test_blocks_join_without_a_gap_and_begin_before_the_wave(
    piezos: VirtualPiezos, blocks: list[Block], schedule: ManualSchedule
) -> None:
    schedule.advance(0.3)
    piezos.play([knuckle(), knuckle()])
    schedule.advance(0.3)

    starts = [block.start_s for block in blocks]
    assert starts[1:] == pytest.approx([block.end_s for block in blocks][:-1])
    assert LEAD_S <= 1000.3 - starts[0] <= LEAD_S + 0.016
    assert blocks[-1].end_s >= 1000.3 + 0.1 + TAIL_S


def test_those_that_do_not_rest_hand_in_silence_as_well_without_a_gap(
    schedule: ManualSchedule,
) -> None:
    taken: list[Block] = []
    piezos = VirtualPiezos(schedule, channels=2, rate_hz=RATE_HZ, rests=False)
    piezos.start(taken.append)

    schedule.advance(0.5)
    piezos.play([knuckle(), [0.0]])
    schedule.advance(3.5)
    piezos.close()
    schedule.advance(1.0)

    starts = [block.start_s for block in taken]
    assert starts[1:] == pytest.approx([block.end_s for block in taken][:-1])
    assert (starts[0], taken[-1].end_s) == pytest.approx((1000.0, 1004.0), abs=0.016)
    assert max(map(abs, joined(taken, 0)[2000:2100])) > 0.4
    assert 0.0 < max(map(abs, joined(taken, 1))) < 0.01


def test_no_block_comes_before_its_last_sample_is_due(
    piezos: VirtualPiezos, schedule: ManualSchedule
) -> None:
    told: list[float] = []
    piezos.start(lambda block: told.append(schedule.now_s() - block.end_s))

    schedule.advance(0.3)
    piezos.play([knuckle(), knuckle()])
    schedule.advance(0.2)

    assert len(told) > 10
    assert min(told) >= -1e-9
    assert max(told[5:]) < 1e-9


def test_waves_that_overlap_add_up(
    piezos: VirtualPiezos, blocks: list[Block], schedule: ManualSchedule
) -> None:
    schedule.advance(0.3)
    piezos.play([[0.2] * 100, []])
    schedule.advance(0.01)
    piezos.play([[0.3] * 100, [0.1] * 10])
    schedule.advance(0.1)

    assert max(joined(blocks, 0)) == pytest.approx(0.5, abs=0.01)
    assert joined(blocks, 0).count(0.0) > 0


def test_what_is_too_loud_is_clipped_as_the_converter_does(
    piezos: VirtualPiezos, blocks: list[Block], schedule: ManualSchedule
) -> None:
    schedule.advance(0.3)
    piezos.play([[5.0] * 20, [-5.0] * 20])
    schedule.advance(0.1)

    assert max(joined(blocks, 0)) == 511 / 512
    assert min(joined(blocks, 1)) == -1.0


def test_silence_costs_a_heartbeat_and_its_last_bit_never_rests(
    blocks: list[Block], schedule: ManualSchedule
) -> None:
    schedule.advance(10.5 * HEARTBEAT_S)

    assert len(blocks) == 10
    assert {abs(sample) for block in blocks for sample in block.channels[0]} >= {0.0, 1 / 512}
    assert max(abs(sample) for block in blocks for sample in block.channels[0]) < 4 / 512


def test_blocks_come_in_the_order_of_their_time_through_waves_and_silence(
    piezos: VirtualPiezos, blocks: list[Block], schedule: ManualSchedule
) -> None:
    for pause_s in (0.05, 0.3, 1.0, 0.98, 2.5, 0.001):
        piezos.play([knuckle(), knuckle()])
        schedule.advance(pause_s)

    ends = [block.end_s for block in blocks]
    assert all(
        block.start_s >= end_s - 1e-9 for block, end_s in zip(blocks[1:], ends, strict=False)
    )


def test_closed_it_hands_in_nothing(
    piezos: VirtualPiezos, blocks: list[Block], schedule: ManualSchedule
) -> None:
    piezos.play([knuckle(), knuckle()])
    piezos.close()
    piezos.play([knuckle(), knuckle()])
    schedule.advance(3)

    assert blocks == []


def test_a_wave_for_each_disc_is_asked_for(piezos: VirtualPiezos) -> None:
    with pytest.raises(ValueError, match="1 waves for 2 piezos"):
        piezos.play([[0.0]])


def test_a_box_with_a_converter_hears_a_blow_on_virtual_hardware(
    inbox: ListInbox, schedule: ManualSchedule
) -> None:
    config = Config(
        table=TableConfig(seats=3),
        seats=(SeatPins(piezo=0), SeatPins(piezo=3), SeatPins(piezo=1)),
        adc=AdcConfig(enabled=True),
    )
    virtual = VirtualBox(config, schedule)
    box = Box(config, inbox, pin_factory=virtual.pin_factory, schedule=schedule)
    assert virtual.piezos is not None

    schedule.advance(1)
    virtual.piezos.play([knuckle(0.1, 0.001), knuckle(0.1, 0.002), knuckle(0.5)])
    schedule.advance(0.5)

    (heard,) = inbox.knocks
    assert heard.seat == Seat(1)  # channel 3, the last of the three
    assert heard.at_s == pytest.approx(1001.0, abs=0.003)
    assert isinstance(inbox.messages[0], Struck)  # acknowledged before it was judged
    box.close()


def test_a_box_without_a_converter_has_no_piezos(schedule: ManualSchedule) -> None:
    assert VirtualBox(Config(), schedule).piezos is None
