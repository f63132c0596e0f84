"""What glue, wax, tape and foam pass on: the estimate, its page, and the virtual table after it."""

from math import log10

import pytest

from hw import coupling, stimuli
from hw.coupling import CODES_PER_V, ESTIMATES, PAGE, WAKE_CODES, rewritten
from hw.spice import NOMINAL
from hw.trials import on_adc, settled, swing, transient
from kloplei.knock.onset import THRESHOLD
from kloplei.simulation.coupling import COUPLINGS, GLUED

HALF_CODES = 512


def test_the_virtual_table_has_the_same_couplings() -> None:
    """``off`` aside, a disc that nothing holds."""
    assert set(ESTIMATES) == set(COUPLINGS) - {"off"}
    for name, estimate in ESTIMATES.items():
        model = COUPLINGS[name]
        assert model.loss_db == pytest.approx(estimate.usual_db, abs=0.5), name
        assert estimate.best_db - 0.5 <= model.loss_db <= estimate.worst_db + 0.5
        # Most discs of the virtual table lie in the range, widened by what glue itself spreads.
        assert model.loss_db - model.spread_db > estimate.best_db - GLUED.spread_db - 1
        assert model.loss_db + model.spread_db < estimate.worst_db + GLUED.spread_db


def test_the_virtual_table_loses_the_same_band() -> None:
    for name, estimate in ESTIMATES.items():
        wanted = float("inf") if estimate.highest_hz is None else estimate.highest_hz
        assert COUPLINGS[name].highest_hz == pytest.approx(wanted, rel=0.05), name


def test_foam_loses_12_to_50_db() -> None:
    foam = ESTIMATES["foam"]

    assert foam.best_db == pytest.approx(12, abs=0.5)
    assert foam.worst_db == pytest.approx(50, abs=0.5)


def test_glue_passes_on_nearly_all_of_it_and_the_thinner_the_better() -> None:
    assert 20 * log10(coupling.by_shear(1.2e9, 50e-6)) > -1
    assert coupling.by_shear(45e6, 20e-6) > coupling.by_shear(45e6, 80e-6)


def test_a_volt_of_the_disc_is_so_many_codes() -> None:
    blow = on_adc(NOMINAL, stimuli.blow(stimuli.USUAL_V))
    curves = transient(blow, 0.012, 20e-6, ["v(ch)", "v(3v3a)"])

    codes = swing(curves, "v(ch)", 0.9) / settled(curves, "v(3v3a)") * 2 * HALF_CODES

    assert codes / stimuli.USUAL_V == pytest.approx(CODES_PER_V, rel=0.02)


def test_its_table_says_what_wakes_nobody() -> None:
    """When it fails: make hw."""
    text = PAGE.read_text(encoding="utf-8")

    assert rewritten(text) == text
    assert pytest.approx(THRESHOLD * HALF_CODES, abs=0.5) == WAKE_CODES
    assert f"the ears begin at {WAKE_CODES} codes" in text
    assert ESTIMATES["foam"].codes(stimuli.USUAL_V) < WAKE_CODES < ESTIMATES["wax"].codes(0.2)
