"""Ears behind the panel that have heard a knock, a doubtful one and a glass."""

import pytest

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Verdict
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.lessons import LessonBook
from kloplei.review.service import ReviewService
from kloplei.review.suggest import SuggestionWorker
from kloplei.table.session import Session
from tests.review.blows import Paper, blow, rejudge


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def ears(table: Session, paper: Paper) -> ReviewService:
    store = CalibrationStore(Calibration(), paper.save)
    ears = ReviewService(
        table,
        seats=8,
        store=store,
        lessons=LessonBook(store),
        worker=SuggestionWorker(rejudge, pause_s=0, patience_s=60),
        keep=10,
    )
    table.ears = ears
    return ears


@pytest.fixture
def heard(ears: ReviewService) -> ReviewService:
    """A knock of Tame's, a doubtful one, and a glass."""
    ears.judged(blow(Verdict.KNOCK, seat=Seat(1)))
    ears.judged(blow(Verdict.DOUBTFUL, likelihood=0.4))
    ears.judged(blow(Verdict.NOISE))
    return ears
