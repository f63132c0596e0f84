"""The table on which `kloplei tune --virtual` is tried."""

from math import log10

import pytest

from kloplei.cli import main
from kloplei.demo.table import obliging_table
from kloplei.demo.wood import table_top
from kloplei.simulation.coupling import read_couplings


@pytest.mark.parametrize("seats", [None, 1, 3, 8, 99])
def test_it_opens_whatever_number_of_seats_is_asked_for(seats: int | None) -> None:
    with obliging_table(seats) as ears:
        assert ears.heard_events(1) == ()


def test_its_discs_may_be_stuck_on_otherwise() -> None:
    glued, foam = table_top(4), table_top(4, read_couplings("glued,20"))

    assert [20 * log10(a.gain / b.gain) for a, b in zip(glued.discs, foam.discs, strict=True)] == (
        pytest.approx([0, 20, 0, 0])
    )
    with obliging_table(4, couplings=read_couplings("foam")) as ears:
        assert ears.heard_events(1) == ()


@pytest.mark.parametrize("command", [["demo"], ["tune", "--virtual"]])
def test_a_disc_that_is_stuck_on_like_nothing_we_know_is_refused_in_one_sentence(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--coupling", "velcro"])

    assert "name glued, wax, tape, foam, off, or the decibels" in capsys.readouterr().err


def test_a_real_table_is_not_told_how_its_discs_are_glued(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tune", "--coupling", "foam"]) == 2

    assert "--coupling goes with --virtual" in capsys.readouterr().err
