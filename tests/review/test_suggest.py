"""What takes its time is worked out aside: no sensor waits for it, and no phone."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.service import ReviewService
from kloplei.review.suggest import SuggestionWorker
from kloplei.table.rpc_client import remote_table
from kloplei.table.rpc_server import RpcServer
from kloplei.table.session import Session
from tests.review.blows import blow, rejudge
from tests.table.memory_journal import MemoryJournal
from tests.table.toy import toy_setup


class SlowJudge:
    """Judges a blow anew only when it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.judged = 0

    def rejudge(self, judged: Judgement, calibration: Calibration) -> Judgement:
        self.let.wait()
        self.judged += 1
        return rejudge(judged, calibration)


@pytest.fixture
def judge() -> Iterator[SlowJudge]:
    judge = SlowJudge()
    yield judge
    judge.let.set()


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(MemoryJournal(), toy_setup(seats=4)) as session:
        yield session


@pytest.fixture
def shelf() -> CalibrationStore:
    return CalibrationStore(Calibration())


@pytest.fixture
def ears(session: Session, judge: SlowJudge, shelf: CalibrationStore) -> ReviewService:
    """Three blows heard, one of them marked."""
    weighing = SuggestionWorker(judge.rejudge, patience_s=0, pause_s=0)
    ears = ReviewService(session, seats=4, store=shelf, worker=weighing)
    session.ears = ears
    ears.judged(blow(Verdict.KNOCK))
    ears.judged(blow(Verdict.DOUBTFUL, likelihood=0.4))
    ears.judged(blow(Verdict.NOISE))
    ears.mark(2, Verdict.NOISE)
    return ears


def settle(ears: ReviewService) -> None:
    """Wait until what was asked is answered."""
    while ears.keeping().weighing:
        threading.Event().wait(0.005)


def test_who_looks_is_told_that_it_is_worked_out(ears: ReviewService, judge: SlowJudge) -> None:
    assert ears.suggestion() is None
    assert ears.keeping().weighing

    judge.let.set()
    settle(ears)

    assert ears.suggestion() is not None


def test_sensors_do_not_wait_for_it(ears: ReviewService) -> None:
    assert ears.suggestion() is None

    ears.judged(blow())
    ears.loudness("piezos", (0.5,), at_s=0.0)

    assert ears.keeping().weighing
    assert len(ears.heard_events()) == 4


def test_phones_do_not_wait_for_it(
    session: Session, ears: ReviewService, judge: SlowJudge, tmp_path: Path
) -> None:
    path = tmp_path / "table.sock"
    patient = SuggestionWorker(judge.rejudge, patience_s=60)
    ears._suggestions._worker = patient
    with RpcServer(session, path), closing(remote_table(path, patience_s=60)) as remote:
        looking = threading.Thread(target=remote.ears.suggestion, daemon=True)
        looking.start()
        while not patient.is_under_way:
            threading.Event().wait(0.005)

        remote.submit(Seat(0), "sit_down", facts={"name": "Thijs"})

        assert looking.is_alive()
        assert session.scoreboard().names == {Seat(0): "Thijs"}
        judge.let.set()


def test_another_mark_makes_the_answer_stale(
    ears: ReviewService, judge: SlowJudge, shelf: CalibrationStore
) -> None:
    judge.let.set()
    ears.suggestion()
    settle(ears)
    judge.let.clear()

    ears.mark(1, Verdict.NOISE)

    assert ears.suggestion() is None
    assert ears.keeping().weighing


def test_another_blow_only_freshens_it(ears: ReviewService, judge: SlowJudge) -> None:
    judge.let.set()
    ears.suggestion()
    settle(ears)
    first = ears.suggestion()
    judge.let.clear()

    ears.judged(blow())

    assert ears.suggestion() == first
    assert not ears.keeping().weighing


def test_what_is_known_is_not_judged_again(ears: ReviewService, judge: SlowJudge) -> None:
    judge.let.set()
    ears.suggestion()
    settle(ears)
    before = judge.judged

    ears.judged(blow())
    ears.suggestion()
    ears.mark(3, Verdict.NOISE)
    ears.suggestion()
    settle(ears)

    # The new blow and the new mark, by each calibration that is tried; not the others again.
    assert judge.judged - before < before


def test_closing_the_table_waits_for_nothing(ears: ReviewService, judge: SlowJudge) -> None:
    before = set(threading.enumerate())
    assert ears.suggestion() is None
    weighing = set(threading.enumerate()) - before
    judge.let.set()

    with ears:
        pass

    assert ears.suggestion() is None
    for judging in weighing:
        judging.join(10)
    assert not any(judging.is_alive() for judging in weighing)


def test_a_judge_that_stumbles_costs_the_suggestion_and_no_more(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    def stumble(judged: Judgement, calibration: Calibration) -> Judgement:
        raise ZeroDivisionError

    worker = SuggestionWorker(stumble, patience_s=60)
    ears = ReviewService(session, seats=4, store=CalibrationStore(Calibration()), worker=worker)
    ears.judged(blow())
    ears.mark(1, Verdict.NOISE)

    assert ears.suggestion() is None
    assert not ears.keeping().weighing
    assert "stumbled" in caplog.text
