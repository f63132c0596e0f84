"""What is said when ngspice is missing or does not understand."""

import pytest

from hw.front_end import ADC
from hw.spice import NOMINAL, NoSimulator, netlist, simulate


def test_without_ngspice_the_one_command_to_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(NoSimulator, match="scripts/setup hw"):
        simulate("r1 a 0 1k", "op", ["v(a)"])


def test_a_circuit_that_makes_no_sense_is_no_result() -> None:
    with pytest.raises(ValueError, match="ngspice"):
        simulate("r1 a", "tran 1u 1m", ["v(nowhere)"])


def test_a_divider_divides() -> None:
    curves = simulate("v1 a 0 2\nr1 a b 1k\nr2 b 0 1k", "tran 1u 10u", ["v(b)"])

    assert curves["v(b)"][-1] == pytest.approx(1.0)


def test_every_part_of_the_drawing_is_simulated() -> None:
    lines = netlist(ADC, NOMINAL).lower().split()

    assert [
        part.ref for part in ADC.parts if not any(part.ref.lower() in one for one in lines)
    ] == []
