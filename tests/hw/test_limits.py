"""Neither converter nor Pi is ever asked to bear more than its maker allows, by ngspice.

MCP3008: Microchip DS21295, absolute maximum ratings, 0.6 V beyond its supplies. MCP6547: DS21714,
1 V beyond its supplies, 2 mA into an input, 30 mA into an output. The Pi's chip bears 4.1 V on
3V3; what is held to is 5 % over 3.3 V.
"""

import pytest

from hw import stimuli
from hw.front_end import ADC, PAD
from hw.sheet import Sheet
from hw.spice import NOMINAL, Build, netlist, simulate
from hw.trials import (
    RAIL_SPREAD,
    RAIL_V,
    Curves,
    above_rail_v,
    corners,
    drawn,
    into_rail_a,
    on_adc,
    on_pad,
    transient,
)

BEYOND_V = 0.6  # of a channel's supplies
CLAMP_A = 1.5e-3  # through R3, from a channel into the rail
PAD_CLAMP_A = 0.2e-3
RAIL_MOST_V = RAIL_V * (1 + RAIL_SPREAD)
OTHERS = "bcdefgh"  # the seven other channels

ADC_NETS = ["v(live)", "v(ch)", "v(3v3a)", "v(3v3)"]
PAD_NETS = ["v(live)", "v(n3)", "v(3v3)", "v(out)"]


def _hard(seed: int) -> str:
    """Return a hard blow, up or down, low or high, as *seed* says."""
    return stimuli.blow((-1) ** seed * stimuli.HARD_V, hertz=(200, 500, 1500, 4000)[seed // 2 % 4])


def _past_limits(build: Build, curves: Curves) -> list[str]:
    """Return what of a channel is beyond what converter and Pi bear; nothing, it is hoped."""
    limits = {
        "above the supply": above_rail_v(curves) < BEYOND_V,
        "below ground": min(curves["v(ch)"]) > -BEYOND_V,
        "current into the rail": into_rail_a(curves, build.value(ADC.part("R3"))) < CLAMP_A,
        "the rail": max(curves["v(3v3)"]) < RAIL_MOST_V,
    }
    return [name for name, is_kept in limits.items() if not is_kept]


def _past_limits_of_pad(build: Build, curves: Curves) -> list[str]:
    """Return what of a pad is beyond what its comparators and the Pi bear."""
    inner = dict(curves, **{"v(ch)": curves["v(n3)"]})
    limits = {
        "above the supply": above_rail_v(curves, "v(n3)", "v(3v3)") < BEYOND_V,
        "below ground": min(curves["v(n3)"]) > -BEYOND_V,
        "current into the rail": into_rail_a(inner, build.value(PAD.part("R3"))) < PAD_CLAMP_A,
        "the pin, high": max(curves["v(out)"]) < RAIL_MOST_V,
        "the pin, low": min(curves["v(out)"]) > -0.3,
    }
    return [name for name, is_kept in limits.items() if not is_kept]


def test_a_hard_blow_harms_no_channel_in_any_corner() -> None:
    for seed, build in enumerate(corners(ADC)):
        rail_v = RAIL_V * (1 + RAIL_SPREAD * (-1) ** (seed // 8))
        curves = transient(on_adc(build, _hard(seed), rail_v=rail_v), 6e-3, 10e-6, ADC_NETS)

        assert _past_limits(build, curves) == []


def test_a_hard_blow_harms_no_channel_by_chance() -> None:
    for seed in range(40):
        build = drawn(ADC, seed)
        curves = transient(on_adc(build, _hard(seed)), 6e-3, 10e-6, ADC_NETS)

        assert _past_limits(build, curves) == []


def test_a_hard_blow_harms_no_pad_in_any_corner() -> None:
    for seed, build in enumerate(corners(PAD, every=3)):
        curves = transient(on_pad(build, _hard(seed)), 6e-3, 10e-6, PAD_NETS)

        assert _past_limits_of_pad(build, curves) == []


def test_a_hard_blow_harms_no_pad_by_chance() -> None:
    for seed in range(20):
        build = drawn(PAD, seed)
        curves = transient(on_pad(build, _hard(seed)), 6e-3, 10e-6, PAD_NETS)

        assert _past_limits_of_pad(build, curves) == []


OUTPUT_A = 30e-3  # of a comparator, at the very most
STRONG_OHM = 10.0  # a drain far better than its data sheet promises


def test_a_comparator_empties_its_capacitor_within_what_it_may_sink() -> None:
    """The reason for R11: without it a good drain would take all that C5 has at once."""
    found = []
    for ohm in (PAD.part("R11").value, 0.1):
        build = Build({"R11": ohm}, drain_ohm=STRONG_OHM)
        circuit = on_pad(build, stimuli.blow(3.0), rail_v=RAIL_MOST_V)
        nets = [*PAD.nets_of(PAD.part("R11"))]
        curves = transient(circuit, 6e-3, 5e-6, [f"v({net})" for net in nets])
        drain, held = (curves[f"v({net})"] for net in nets)
        found.append(max(one - other for one, other in zip(held, drain, strict=True)) / ohm)

    assert found[0] < OUTPUT_A / 1.8
    assert found[1] > 3 * OUTPUT_A


def test_the_comparators_may_see_all_that_lies_at_their_inputs() -> None:
    """From rail to rail: thresholds, the middle, and an input whose puck is off.

    A TLC372, which was drawn here before, gives right answers up to 1 V below its supply alone.
    """
    of_a_tlc372 = RAIL_V - 1.0
    for disc, above in ((True, False), (False, True)):
        curves = transient(on_pad(Build(disc=disc, trim=1.0)), 5e-3, 1e-4, [*PAD_NETS, "v(high)"])
        highest = max(max(curves[net]) for net in ("v(n3)", "v(high)"))

        assert (highest > of_a_tlc372) is above
        assert highest < RAIL_V + 0.3


def _sparked(sheet: Sheet, build: Build, volts: float) -> Curves:
    also = f"ispark 0 live {stimuli.spark(volts)}\n"
    if sheet is ADC:
        return simulate(on_adc(build, also=also), "tran 1u 5m 0 20u", ADC_NETS)
    return simulate(on_pad(build, also=also), "tran 1u 5m 0 20u", PAD_NETS)


@pytest.mark.parametrize("disc", [True, False])
@pytest.mark.parametrize("volts", [stimuli.SPARK_V, -stimuli.SPARK_V])
def test_a_spark_into_the_plug_harms_nothing_behind_it(volts: float, disc: bool) -> None:
    for seed in range(3):
        for sheet in (ADC, PAD):
            board = drawn(sheet, seed)
            build = Build(board.values, board.clamp_is_a, disc=disc, inductive=True)
            curves = _sparked(sheet, build, volts)
            pin, rail = ("v(ch)", "v(3v3a)") if sheet is ADC else ("v(n3)", "v(3v3)")

            assert above_rail_v(curves, pin, rail) < BEYOND_V
            assert min(curves[pin]) > -BEYOND_V
            assert max(curves["v(3v3)"]) < RAIL_MOST_V


def test_the_spark_is_that_of_the_standard() -> None:
    """IEC 61000-4-2, table 2: at 8 kV 30 A at first, 16 A after 30 ns, 8 A after 60 ns."""
    points = [
        float(one) for one in stimuli.spark(8000, at_s=0)[4:-1].split()
    ]  # times and currents in turn
    course = dict(zip(points[2::2], points[3::2], strict=True))

    assert max(course.values()) == pytest.approx(30, rel=0.15)
    assert course[30e-9] == pytest.approx(16, rel=0.3)
    assert course[60e-9] == pytest.approx(8, rel=0.3)


def _all_struck(build: Build, volts: float) -> Curves:
    """Return what becomes of the rail when all eight discs are hit hard at once."""
    blow = stimuli.blow(volts)
    others = "\n".join(netlist(ADC, build, blow, name) for name in OTHERS)
    return transient(on_adc(build, blow, f"{others}\n"), 0.03, 20e-6, ADC_NETS)


@pytest.mark.parametrize("volts", [stimuli.HARD_V, -stimuli.HARD_V])
def test_eight_hard_blows_at_once_do_not_lift_the_rail(volts: float) -> None:
    """Nothing else on the Pi draws from 3V3 here, and its regulator takes nothing back."""
    assert max(_all_struck(NOMINAL, volts)["v(3v3)"]) < RAIL_MOST_V


def test_without_its_load_the_rail_would_run_off() -> None:
    """The reason for R5, and that the trial before can fail."""
    unloaded = Build({"R5": 1e9})

    assert max(_all_struck(unloaded, stimuli.HARD_V)["v(3v3)"]) > RAIL_MOST_V


def test_without_its_clamps_the_channel_would_be_lost() -> None:
    """The reason for D2 and D3, and that the other trials can fail."""
    curves = transient(
        on_adc(Build(clamp_is_a=1e-30), stimuli.blow(stimuli.HARD_V)), 6e-3, 10e-6, ADC_NETS
    )

    assert above_rail_v(curves) > BEYOND_V
    assert "above the supply" in _past_limits(NOMINAL, curves)
