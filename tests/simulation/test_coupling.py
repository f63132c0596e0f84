"""What a virtual table's discs lose when they are not glued: the estimate of hw/coupling.py."""

from math import log10
from statistics import median

import pytest

from benchmarks.measured_table import MeasuredTable
from kloplei.simulation.blows import Blow
from kloplei.simulation.coupling import COUPLINGS, Coupling, UnknownCoupling, read_couplings
from kloplei.simulation.table_top import TableTop

RATE_HZ = 4000.0


def knocked(couplings: tuple[Coupling, ...], seed: int = 0, seat: int = 0) -> list[float]:
    """Return how loud each disc is when somebody knocks at *seat*."""
    top = TableTop.of_seed(seed, couplings=couplings)
    felt = top.sampled(Blow.KNUCKLE, top.seats[seat], RATE_HZ, seed=seed)
    return [max(map(abs, channel)) for channel in felt]


def test_a_table_that_says_nothing_of_its_discs_is_glued() -> None:
    """As every table was before there was anything else: the same numbers."""
    assert knocked(()) == knocked((COUPLINGS["glued"],))
    assert knocked(()) == knocked(read_couplings("glued,glued,glued"))
    assert knocked(())[0] == pytest.approx(0.23901, abs=1e-5)


@pytest.mark.parametrize("name", ["wax", "tape", "foam"])
def test_a_disc_loses_what_its_coupling_says(name: str) -> None:
    coupling = COUPLINGS[name]

    lost_db = [
        20 * log10(glued / loose)
        for seed in range(6)
        for glued, loose in zip(knocked((), seed), knocked((coupling,), seed), strict=True)
    ]

    assert median(lost_db) == pytest.approx(coupling.loss_db, abs=2.5)


def test_each_disc_of_a_table_may_be_stuck_on_otherwise() -> None:
    glued, mixed = knocked(()), knocked(read_couplings("glued,12,off"))

    assert mixed[0] == glued[0]
    assert mixed[1] == pytest.approx(glued[1] / 10 ** (12 / 20))
    assert mixed[2] == 0
    assert mixed[3] == glued[3]


def test_a_disc_that_foam_presses_on_follows_what_is_fast_less_and_less() -> None:
    foam, tape = COUPLINGS["foam"], COUPLINGS["tape"]

    assert 20 * log10(foam.gain_at(100) / foam.gain_at(1500)) == pytest.approx(3, abs=0.1)
    assert tape.gain_at(100) == tape.gain_at(1500)


def test_what_is_read_at_once_is_what_is_read_slowly() -> None:
    """`TableTop.sampled` and `MeasuredTable.strike` know of the same discs."""
    couplings = read_couplings("foam,glued")
    table = MeasuredTable.of_seed(3, seats=2, couplings=couplings)

    quick = table.sampled(Blow.KNUCKLE, table.seats[0], RATE_HZ, seed=1)
    wave = table.strike(Blow.KNUCKLE, table.seats[0], seed=1)

    for channel in range(2):
        slow = [wave.at(channel, (at + channel / 2) / RATE_HZ) for at in range(200)]
        assert list(quick[channel][:200]) == pytest.approx(slow, abs=0.01 * max(map(abs, slow)))


@pytest.mark.parametrize(
    ("text", "losses_db"), [("wax", [4]), ("-20", [20]), ("20, glued ,7.5", [20, 0, 7.5])]
)
def test_couplings_are_names_or_decibels(text: str, losses_db: list[float]) -> None:
    assert [one.loss_db for one in read_couplings(text)] == losses_db


@pytest.mark.parametrize("text", ["", "velcro", "glued,", "nan", "1e9", "inf"])
def test_what_is_neither_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(UnknownCoupling, match="glued, wax, tape, foam, off"):
        read_couplings(text)


def test_a_disc_too_many_is_refused() -> None:
    with pytest.raises(UnknownCoupling, match="5 couplings for 4 discs"):
        TableTop.of_seed(1, couplings=read_couplings("wax,wax,wax,wax,wax"))
