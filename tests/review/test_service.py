"""The ears between sensors and table: in memory, over the socket, and what sensors see of them."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Verdict
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.service import ReviewService
from kloplei.review.suggest import SuggestionWorker
from kloplei.table.client import EarsClient
from kloplei.table.expectation import NONE, OWED
from kloplei.table.gestures import Timings
from kloplei.table.rpc_client import remote_table
from kloplei.table.rpc_server import RpcServer
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from tests.review.blows import blow, rejudge
from tests.review.contract import EarsContract
from tests.table.memory_journal import MemoryJournal
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
        until(lambda: session.expectation.seats[:2] == (NONE, OWED))
        ears = ears_of_a_game(session, heeds_game=heeds_game)

        ears.judged(blow(Verdict.DOUBTFUL, time.monotonic(), seat=Seat(1), likelihood=0.4))

        until(lambda: session.scoreboard().heard is not None)
        heard = session.scoreboard().heard
        assert heard is not None
        assert (heard.seat, heard.doubtful) == (Seat(1), bool(doubts))
        assert ears.heard_events()[0].likelihood == 0.4


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
