"""What a channel hears: soft knocks, not its neighbours, not the mains; and when it hears none."""

from math import log10

import pytest

from hw import stimuli
from hw.front_end import ADC
from hw.spice import NOMINAL, SCHOTTKY_IS_A, Build, simulate
from hw.trials import (
    ROUND_S,
    corners,
    drawn,
    neighbours,
    on_adc,
    readings,
    response,
    settled,
    swing,
    tone,
    transient,
)
from kloplei.knock.features import CORNER_HZ
from kloplei.knock.health import Fault, SensorHealth
from kloplei.knock.onset import THRESHOLD
from kloplei.knock.signal import Block

HALF_CODES = 512
NETS = ["v(ch)", "v(3v3a)"]
CABLES_F = 1e-12 * stimuli.CABLE_M  # from wire to wire of two shielded cables that lie together


def _codes(build: Build, stimulus: str = "0", also: str = "", lasting_s: float = 0.012) -> float:
    """Return the swing at the channel, in codes of the converter."""
    curves = transient(on_adc(build, stimulus, also), lasting_s, 20e-6, NETS)
    return swing(curves, "v(ch)", 0.9) / settled(curves, "v(3v3a)") * 2 * HALF_CODES


def test_a_soft_knock_gives_enough_codes_on_any_board() -> None:
    """Well over what wakes the ears, which is some 18 codes."""
    for build in (NOMINAL, *(drawn(ADC, seed) for seed in range(10)), *corners(ADC, every=7)):
        assert _codes(build, stimuli.blow(stimuli.SOFT_V)) > 1.4 * THRESHOLD * HALF_CODES


def test_a_usual_knock_fits_the_converter() -> None:
    assert 0.15 < _codes(NOMINAL, stimuli.blow(stimuli.USUAL_V)) / HALF_CODES < 0.9


@pytest.mark.parametrize(("closed", "softer_db"), [("JP1", 8), ("JP2", 18)])
def test_each_jumper_softens_all_that_is_heard_alike(closed: str, softer_db: float) -> None:
    heard_hz = [100, 300, 1000, 2000]

    plain, soft = response(NOMINAL, heard_hz), response(Build(closed=frozenset({closed})), heard_hz)

    steps_db = [20 * log10(one / other) for one, other in zip(plain, soft, strict=True)]
    assert steps_db == pytest.approx([softer_db] * 4, abs=1.0)


def test_the_band_of_any_board_holds_what_the_ears_listen_to() -> None:
    """From their 60 Hz up; at 2 kHz, the end of the band at 4000 samples a second, most is there.

    Twice as high, where a sample cannot tell it from something lower, a third is left.
    """
    for build in (NOMINAL, *corners(ADC, every=5)):
        low, middle, end, beyond = response(build, [CORNER_HZ, 400, 2000, 6000])

        assert 20 * log10(low / middle) > -1.0
        assert 20 * log10(end / middle) > -3.0
        assert 20 * log10(beyond / middle) < -6.0


@pytest.mark.parametrize("hertz", [100, 400, 1000])
def test_a_neighbour_stays_40_db_down(hertz: int) -> None:
    """Read just after the loud one, beside it in the bundle, on the same supply."""
    for build in (NOMINAL, drawn(ADC, 1)):
        circuit = neighbours(build, f"sin(0 2 {hertz})", CABLES_F)
        curves = simulate(circuit, "tran 5u 45m 0 10u", ["v(hold)"])
        struck, silent = (readings(curves, "v(hold)", turn)[-120:] for turn in (0, 1))
        assert max(struck) - min(struck) > 1.5  # volts, of 3.2

        loud, crosstalk = (tone(one, hertz, 1 / ROUND_S) for one in (struck, silent))

        assert 20 * log10(crosstalk / loud) < -40


def test_unshielded_cables_in_one_bundle_are_no_longer_sure_of_it() -> None:
    """Why the cables are shielded, and that the trial before sees cables."""
    circuit = neighbours(NOMINAL, "sin(0 2 1000)", 100e-12 * stimuli.CABLE_M)
    curves = simulate(circuit, "tran 5u 45m 0 10u", ["v(hold)"])
    struck, silent = (readings(curves, "v(hold)", turn)[-120:] for turn in (0, 1))

    assert 20 * log10(tone(silent, 1000, 4000) / tone(struck, 1000, 4000)) > -40


def test_three_metres_of_shielded_cable_hum_no_more_than_the_virtual_table() -> None:
    """`benchmarks.measured_table.MCP3008` has one code of hum."""
    hum = stimuli.mains(stimuli.SHIELDED_F_PER_M)

    assert _codes(NOMINAL, also=hum, lasting_s=0.1) < 1.5


def test_a_bare_wire_beside_a_mains_cable_hums() -> None:
    hum = stimuli.mains(stimuli.BARE_F_PER_M)

    assert 10 < _codes(NOMINAL, also=hum, lasting_s=0.1) < 40


def _rest(build: Build) -> float:
    """Return where the channel rests, full scale -1 to 1."""
    curves = transient(on_adc(build), 0.05, 1e-3, NETS)
    return 2 * settled(curves, "v(ch)") / settled(curves, "v(3v3a)") - 1


def test_every_board_rests_near_the_middle() -> None:
    boards = (*corners(ADC, every=9), *(drawn(ADC, seed) for seed in range(10)))

    assert max(abs(_rest(build)) for build in boards) < 0.05


def test_an_input_without_its_disc_is_told_from_a_silent_one() -> None:
    """By the box's own watch: R1 is in the puck, so without it the input runs to the rail."""
    for is_a in SCHOTTKY_IS_A.values():
        rest = _rest(Build(disc=False, clamp_is_a=is_a))
        watch = SensorHealth()

        told = [watch.fault(_silent(at), 0, rest) for at in range(400)]

        assert told[-1] in (Fault.STUCK, Fault.OPEN)


def _silent(at: int) -> Block:
    noise = [(-1) ** sample / 512 for sample in range(80)]
    return Block(at * 0.02, 4000.0, (noise,))


def test_a_hard_blow_is_over_when_it_is_over() -> None:
    """Clamps and suppressor leave no lasting offset: the next soft knock is heard in full."""
    curves = transient(on_adc(NOMINAL, stimuli.blow(stimuli.HARD_V)), 0.12, 20e-6, NETS)

    rest = settled(transient(on_adc(NOMINAL), 0.05, 1e-3, NETS), "v(ch)")
    assert abs(settled(curves, "v(ch)", 0.05) - rest) / 3.2 * 1024 < 2
