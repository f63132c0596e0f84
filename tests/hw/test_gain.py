"""The gain stage makes a faint knock louder, and nothing else of the channel worse."""

from math import log10

import pytest

from hw import gain, stimuli
from hw.front_end import ADC, GAIN
from hw.gain import OFFSET_V, amplified, nominal_gain, on_gain, with_offset
from hw.spice import NOMINAL, Build, simulate
from hw.trials import (
    CHANNEL_F,
    RAIL_SPREAD,
    RAIL_V,
    SAMPLE_F,
    above_rail_v,
    corners,
    drawn,
    settled,
    swing,
)
from kloplei.knock.features import CORNER_HZ

HALF_CODES = 512
INPUT_BEYOND_V = 1.0  # of its supplies: what an MCP6002 bears at an input (DS21733)


def codes(build: Build, stimulus: str = "0", also: str = "", lasting_s: float = 0.012) -> float:
    """Return the swing at the converter, in codes of ten bits."""
    curves = amplified(build, stimulus, lasting_s, also=also)
    return swing(curves, "v(ampg)", 0.9) / settled(curves, "v(3v3a)") * 2 * HALF_CODES


def test_a_knock_is_five_times_as_loud_in_the_whole_band_of_the_ears() -> None:
    assert nominal_gain() == pytest.approx(4.9)

    nets = ["vm(ch)", "vm(ampg)"]
    curves = simulate(on_gain(NOMINAL, "dc 0 ac 1"), "ac dec 20 10 3k", nets)

    for hertz, before, behind in zip(
        curves["x"], curves["vm(ch)"], curves["vm(ampg)"], strict=True
    ):
        if hertz >= CORNER_HZ:
            assert 20 * log10(behind / before / nominal_gain()) == pytest.approx(0, abs=0.2)


def test_what_foam_leaves_of_a_usual_knock_would_wake_the_ears() -> None:
    """It is no cure for a disc that is loose, but for a table that is faint."""
    left = stimuli.USUAL_V / 10

    assert codes(NOMINAL, stimuli.blow(left)) == pytest.approx(70, abs=5)


def test_the_channel_rests_in_the_middle_as_before() -> None:
    """What stands still is not amplified: neither the bias nor what the amplifier is off by."""
    for seed, build in enumerate((NOMINAL, *corners(ADC, every=21))):
        offset_v = OFFSET_V * (-1) ** seed
        curves = amplified(with_offset(build, offset_v), "0", 0.05, 1e-3)

        rest = 2 * settled(curves, "v(ampg)") / settled(curves, "v(3v3a)") - 1
        assert abs(rest) < 0.05


@pytest.mark.parametrize("volts", [stimuli.HARD_V, -stimuli.HARD_V, 400.0, -400.0])
def test_a_hard_blow_harms_neither_amplifier_nor_converter(volts: float) -> None:
    for seed, build in enumerate((NOMINAL, drawn(ADC, 1), *corners(ADC, every=31))):
        hertz = (200, 1500, 4000)[seed % 3]
        circuit = on_gain(
            build, stimuli.blow(volts, hertz=hertz), rail_v=RAIL_V * (1 + RAIL_SPREAD)
        )
        curves = simulate(circuit, "tran 10u 6m 0 10u", list(gain.NETS))

        assert above_rail_v(curves) < INPUT_BEYOND_V / 2 + 0.05
        assert min(curves["v(ch)"]) > -INPUT_BEYOND_V / 2 - 0.05
        assert above_rail_v(curves, "v(ampg)") < 0.1
        assert min(curves["v(ampg)"]) > -0.1


def test_a_hard_blow_is_over_soon() -> None:
    """C8 has learned of it, and forgets by R13 and R14."""
    curves = amplified(NOMINAL, stimuli.blow(stimuli.HARD_V), 0.3, 50e-6)

    rest = settled(amplified(NOMINAL, "0", 0.05, 1e-3), "v(ampg)")
    assert abs(settled(curves, "v(ampg)", 0.05) - rest) / RAIL_V * 2 * HALF_CODES < 3


def test_the_mains_grow_no_more_than_a_knock_does() -> None:
    hum = stimuli.mains(stimuli.SHIELDED_F_PER_M)

    assert codes(NOMINAL, also=hum, lasting_s=0.1) < 1.5 * nominal_gain()


def test_where_it_is_left_out_a_link_makes_the_channel_what_it_was() -> None:
    without = Build(closed=frozenset({"JP3"}), left_out=frozenset({"R15"}))

    curves = amplified(without, stimuli.blow(stimuli.SOFT_V))

    assert swing(curves, "v(ampg)") == pytest.approx(swing(curves, "v(ch)"), rel=0.01)


def test_its_own_noise_is_nothing_beside_a_code() -> None:
    """Even beside one of twelve bits."""
    noise_v = gain.NOISE_V_PER_ROOT_HZ * nominal_gain() * 3000**0.5

    assert noise_v < 0.05 * 3.2 / 4096


def test_the_converter_finds_as_much_charge_as_without_it() -> None:
    assert GAIN.part("C9").value >= 300 * (SAMPLE_F + CHANNEL_F) * 0.75
    assert GAIN.part("C9").value == ADC.part("C4").value
