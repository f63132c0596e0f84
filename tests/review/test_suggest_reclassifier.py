"""Blows in hindsight: judged as the live judge would, and taught by where people knocked."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmarks.measured_table import MeasuredTable
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.detector import Listener
from kloplei.knock.fitting import MarkedKnock
from kloplei.knock.geometry import Spot
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.review.suggest import Reclassifier, learn_anew, learn_more
from kloplei.simulation.blows import Blow
from tests.review.blows import blow

CORNERS = (None, None, None, None)
TABLE = MeasuredTable.of_seed(3, seats=4, corners=4)


def heard(
    spot: Spot, seed: int, calibration: Calibration | None = None, kind: Blow = Blow.KNUCKLE
) -> Judgement:
    """Return what a live listener makes of one blow."""
    listener = Listener(CORNERS, calibration)
    block = TABLE.record(kind, spot, seed=seed, before_s=0.15)
    found = (*listener.feed(block), *listener.flush())
    return next(one for one in found if isinstance(one, Judgement))


def knocks(times: int, seats: Sequence[int] = range(4), seed: int = 0) -> list[MarkedKnock]:
    return [
        MarkedKnock(number, heard(TABLE.seats[seat], seed + number), Verdict.KNOCK, Seat(seat))
        for number, seat in enumerate([seat for seat in seats for _ in range(times)])
    ]


@pytest.fixture(scope="module")
def tuned() -> Calibration:
    calibration = learn_anew(Calibration(), knocks(4))
    assert calibration is not None
    return calibration


@pytest.mark.parametrize("seat", range(4))
def test_it_says_what_the_live_judge_says(tuned: Calibration, seat: int) -> None:
    """Else the effect that is shown of a suggestion would not be its effect."""
    hindsight = Reclassifier(CORNERS)
    untuned = heard(TABLE.seats[seat], 50 + seat)
    by_then = replace(tuned, gain_db=4.0, strictness=0.5)

    found = hindsight.rejudge(untuned, by_then)

    live = heard(TABLE.seats[seat], 50 + seat, by_then)
    assert (found.seat, found.verdict) == (live.seat, live.verdict) == (seat, Verdict.KNOCK)
    assert found.likelihood == pytest.approx(live.likelihood)
    assert found.confidence == pytest.approx(live.confidence)
    assert untuned.seat is None
    assert hindsight.rejudge(found, Calibration()).seat is None  # and there and back again


def test_of_edges_there_is_nothing_to_judge_anew(tuned: Calibration) -> None:
    edges = blow(edges_only=True)

    assert Reclassifier(CORNERS).rejudge(edges, tuned) is edges


def test_knocks_of_one_seat_teach_no_places() -> None:
    assert learn_anew(Calibration(), knocks(3, seats=[1])) is None


def test_marks_add_to_what_a_tuning_taught(tuned: Calibration) -> None:
    marks = knocks(1, seats=[2], seed=70)

    taught = learn_more(tuned, marks)

    assert tuned.places is not None
    assert taught is not None
    assert taught.places is not None
    assert taught.places.knocks[:-1] == tuned.places.knocks
    assert taught.places.knocks[-1].seat == Seat(2)
    assert learn_more(taught, marks) is None  # they have said it already


def test_marks_alone_teach_no_places() -> None:
    """Two seats that were marked would take all the knocks of the others."""
    assert learn_more(Calibration(), knocks(2, seats=[0, 1])) is None
