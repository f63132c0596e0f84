"""The ears between sensors and table: in memory, over the socket, and what sensors see of them."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import Config, EarsConfig, SlateConfig
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Verdict
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.lessons import LessonBook
from kloplei.review.service import ReviewService
from kloplei.review.suggest import SuggestionWorker
from kloplei.table.client import EarsClient
from kloplei.table.expectation import NONE, OWED
from kloplei.table.gestures import Timings
from kloplei.table.rpc_client import remote_table
from kloplei.table.rpc_server import RpcServer
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.unit import TableUnit
from tests.review.blows import blow, rejudge
from tests.review.contract import EarsContract
from tests.table.memory_journal import MemoryJournal
from tests.table.toy import toy_setup
from tests.until import until

SLOW_HANDS = TableSetup(seats=4, game="toepen", timings=Timings(gap_s=600.0))


def ears_of_a_game(session: Session, *, heeds_game: bool) -> ReviewService:
    return ReviewService(
        session,
        seats=4,
        store=CalibrationStore(Calibration()),
        worker=SuggestionWorker(rejudge),
        expects=(lambda: session.expectation) if heeds_game else None,
    )


@pytest.mark.parametrize(("heeds_game", "doubts"), [(True, 0), (False, 1)])
def test_what_may_have_been_the_answer_is_one_where_the_game_is_heeded(
    heeds_game: bool, doubts: int
) -> None:
    with Session(MemoryJournal(), SLOW_HANDS) as session:
        for seat in (Seat(0), Seat(1), Seat(2)):
            session.submit(seat, "sit_down")
        session.submit(Seat(0), "start")
        session.submit(session.scoreboard().dealer, "deal")
        session.submit(Seat(0), "knock")
        until(lambda: session.expectation.by_seat[:2] == (NONE, OWED))
        ears = ears_of_a_game(session, heeds_game=heeds_game)

        ears.judged(blow(Verdict.DOUBTFUL, time.monotonic(), seat=Seat(1), likelihood=0.4))

        until(lambda: session.scoreboard().heard is not None)
        heard = session.scoreboard().heard
        assert heard is not None
        assert (heard.seat, heard.doubtful) == (Seat(1), bool(doubts))
        assert ears.heard_events()[0].likelihood == 0.4


@pytest.mark.parametrize(
    ("heeds_game", "found"), [(True, Verdict.DOUBTFUL), (False, Verdict.KNOCK)]
)
def test_a_setting_lets_every_blow_be_judged_alike(
    tmp_path: Path, heeds_game: bool, found: Verdict
) -> None:
    """At a table where nobody plays yet, nobody waits for a knock."""
    config = Config(slate=SlateConfig(driver="none"), ears=EarsConfig(heeds_game=heeds_game))
    with TableUnit(config, tmp_path, pin_factory=MockFactory()) as unit:
        unit.ears.judged(blow(seat=Seat(1), likelihood=0.55))

        assert unit.ears.heard_events()[0].verdict is found


class TestEars(EarsContract):
    """The body in memory."""

    @pytest.fixture(autouse=True)
    def _direct(self) -> None:
        """No socket."""

    def ears_of(self, session: Session) -> AbstractContextManager[EarsClient]:
        return nullcontext(session.ears)


class TestRemoteEars(EarsContract):
    """The body over a Unix socket."""

    @pytest.fixture(autouse=True)
    def _socket(self, tmp_path: Path) -> None:
        self.path = tmp_path / "table.sock"

    def ears_of(self, session: Session) -> AbstractContextManager[EarsClient]:
        return self._through_the_socket(session)

    @contextmanager
    def _through_the_socket(self, session: Session) -> Iterator[EarsClient]:
        with RpcServer(session, self.path), closing(remote_table(self.path)) as remote:
            yield remote.ears


class TestLearnsFromTheTable:
    """Ears beside a table that plays: what becomes of a blow there is what it learns."""

    @pytest.fixture
    def table(self) -> Iterator[Session]:
        with Session(MemoryJournal(), toy_setup(seats=4, timings=QUICK)) as table:
            store = CalibrationStore(Calibration())
            worker = SuggestionWorker(rejudge)
            lessons = LessonBook(store)
            table.ears = ears = ReviewService(
                table, seats=4, store=store, worker=worker, lessons=lessons
            )
            table.tell_fate = ears.became
            for seat in (0, 1):
                table.submit(Seat(seat), "sit_down")
            table.submit(Seat(0), "start")
            table.submit(Seat(0), "deal")
            yield table

    def test_a_doubt_that_is_answered_is_a_lesson(self, table: Session) -> None:
        strike(table, Verdict.DOUBTFUL, 0.4)
        until(lambda: table.scoreboard().doubt is not None)

        table.submit(Seat(0), "dismiss_knock")

        until(lambda: table.ears.learned_in_play().lessons)
        (lesson,) = table.ears.learned_in_play().lessons
        assert (lesson.said, lesson.was_knock, lesson.event) == ("answer", False, 1)

    def test_a_raise_that_is_taken_back_at_once_was_no_knock(self, table: Session) -> None:
        before = table.scoreboard().seq
        strike(table, Verdict.KNOCK, 0.7)
        until(lambda: table.scoreboard().seq > before)

        table.submit(Seat(0), "undo")

        until(lambda: table.ears.learned_in_play().lessons)
        (lesson,) = table.ears.learned_in_play().lessons
        assert (lesson.said, lesson.was_knock) == ("undo", False)

    def test_a_knock_that_was_heard_and_nothing_more_teaches_nothing(self, table: Session) -> None:
        before = table.scoreboard().seq
        strike(table, Verdict.KNOCK, 0.7)
        until(lambda: table.scoreboard().seq > before)

        table.submit(Seat(0), "win")

        assert table.ears.learned_in_play().lessons == ()


QUICK = Timings(gap_s=0.05)


def strike(table: Session, verdict: Verdict, likelihood: float) -> None:
    """Let seat 2 strike the wood now, as sensors hand it in."""
    judged = blow(verdict, time.monotonic(), seat=Seat(1), likelihood=likelihood)
    assert isinstance(table.ears, ReviewService)
    table.ears.judged(replace(judged, confidence=1.0))
