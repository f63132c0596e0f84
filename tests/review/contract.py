"""What every `EarsClient` keeps, in memory or over a socket: one set of tests for both bodies.

A test module subclasses `EarsContract`, names it ``Test...`` and says in `ears_of` how to reach
the ears of a running session.
"""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest

from kloplei.games.game import Facts, IllegalAction, Seat
from kloplei.games.scoreboard import Line
from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.lessons import LessonBook
from kloplei.review.service import ReviewService
from kloplei.review.suggest import SuggestionWorker
from kloplei.table.client import (
    MOST_EVENTS,
    BadRequest,
    EarsClient,
    Keeping,
    LearnedInPlay,
    LessonHeard,
    Loudness,
    Suggestion,
    TableUnavailable,
    Taught,
    TuneStand,
)
from kloplei.table.schema import MOST_WHOLE
from kloplei.table.session import Session
from tests.review.blows import Paper, blow, rejudge
from tests.table.memory_journal import MemoryJournal
from tests.table.toy import toy_setup
from tests.until import until

NOW_S = 100.0
WALL = 1_790_000_000.0
KEEP = 10


UNTAUGHT = Taught(False, 0.0, 0.0, False, (), ())


class EchoingTuner:
    """Says back what it was asked, and counts what it heard."""

    is_under_way = True

    def __init__(self) -> None:
        self.heard = 0
        self.asked: tuple[str, Facts, float] = ("", {}, 0.0)

    def step(self, step: str, facts: Facts, now_s: float) -> TuneStand:
        if step == "jump":
            raise BadRequest("No step is called 'jump'.")
        if step == "later":
            raise IllegalAction("too_late", seat=Seat(2))
        self.asked = (step, facts, now_s)
        seat = facts.get("seat")
        assert seat is None or isinstance(seat, Seat)
        return TuneStand(step, (), UNTAUGHT, seat=seat, count=self.heard)

    def judged(self, judgement: Judgement) -> None:
        self.heard += 1

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        self.heard += 1


class EarsContract:
    """Subclass it, say how to reach the ears of a session, and all of this holds."""

    @abstractmethod
    def ears_of(self, session: Session) -> AbstractContextManager[EarsClient]:
        """Return a client that reaches the ears of *session* the way that is to be proven."""

    @pytest.fixture
    def session(self) -> Iterator[Session]:
        with Session(MemoryJournal(), toy_setup(seats=4)) as session:
            yield session

    @pytest.fixture
    def paper(self) -> Paper:
        return Paper()

    @pytest.fixture
    def shelf(self, paper: Paper) -> CalibrationStore:
        return CalibrationStore(Calibration(), paper.save)

    @pytest.fixture
    def ears(self, session: Session, shelf: CalibrationStore) -> ReviewService:
        """The ears themselves, as sensors know them."""
        ears = ReviewService(
            session,
            seats=4,
            store=shelf,
            worker=SuggestionWorker(rejudge, pause_s=0, patience_s=60),
            keep=KEEP,
            lessons=LessonBook(shelf, clock=lambda: NOW_S, wall=lambda: WALL),
            clock=lambda: NOW_S,
            wall=lambda: WALL,
        )
        session.ears = ears
        return ears

    @pytest.fixture
    def client(self, session: Session, ears: ReviewService) -> Iterator[EarsClient]:
        with self.ears_of(session) as client:
            yield client

    def test_what_was_heard_is_told_newest_first(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        ears.judged(blow(Verdict.KNOCK, seat=Seat(1)))
        ears.judged(blow(Verdict.NOISE))

        noise, knock = client.heard_events()

        assert (noise.number, noise.verdict, noise.seat) == (2, Verdict.NOISE, None)
        assert (knock.number, knock.verdict, knock.seat) == (1, Verdict.KNOCK, Seat(1))
        assert isinstance(knock.seat, Seat)
        assert isinstance(knock.verdict, Verdict)
        assert (knock.likelihood, knock.strength, knock.confidence) == (0.95, 0.5, 0.9)
        assert (knock.part, knock.at, knock.was) == ("piezos", WALL, None)

    def test_what_amends_a_blow_takes_its_place_and_its_number(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        ears.judged(blow(Verdict.NOISE, 10.0, seat=Seat(1)))
        ears.judged(blow(Verdict.NOISE, 10.2, seat=Seat(1)))
        client.mark(1, Verdict.KNOCK, Seat(2))

        ears.judged(replace(blow(Verdict.KNOCK, 10.0, seat=Seat(1)), amends=True))

        other, amended = client.heard_events()
        assert (other.number, other.verdict) == (2, Verdict.NOISE)
        assert (amended.number, amended.verdict) == (1, Verdict.KNOCK)
        assert (amended.was, amended.was_seat) == (Verdict.KNOCK, Seat(2)), "people's word stands"

    def test_an_event_shows_the_outline_of_its_blow(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        ears.judged(blow())

        shape = client.heard_events()[0].shape

        assert shape is not None
        assert shape.span_s == pytest.approx(0.062)
        assert shape.onset_s == pytest.approx(0.012)  # of the long quiet before, no more is shown
        assert len(shape.lows) == len(shape.highs) == 48
        assert max(shape.highs) == 500  # thousandths: it is as loud as half of full scale
        assert all(low <= high for low, high in zip(shape.lows, shape.highs, strict=True))

    def test_where_only_edges_are_known_there_is_no_shape(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        ears.judged(blow(edges_only=True))

        assert client.heard_events()[0].shape is None

    def test_it_tells_as_many_as_asked(self, ears: ReviewService, client: EarsClient) -> None:
        for _ in range(4):
            ears.judged(blow())

        assert [len(client.heard_events(limit)) for limit in (0, 1, 3, 200)] == [0, 1, 3, 4]

    @pytest.mark.parametrize("limit", [-1, MOST_EVENTS + 1, MOST_WHOLE])
    def test_a_limit_without_sense_is_refused(self, client: EarsClient, limit: int) -> None:
        with pytest.raises(BadRequest, match=f"The limit is {limit}, but must be from 0 to"):
            client.heard_events(limit)

    def test_the_oldest_fall_out(self, ears: ReviewService, client: EarsClient) -> None:
        for _ in range(KEEP + 3):
            ears.judged(blow())

        assert [one.number for one in client.heard_events()] == [*range(KEEP + 3, 3, -1)]
        assert client.keeping() == Keeping(most=KEEP, kept=KEEP)

    def test_a_marked_one_stays_longer(self, ears: ReviewService, client: EarsClient) -> None:
        for _ in range(3):
            ears.judged(blow())
        client.mark(2, Verdict.NOISE)

        for _ in range(KEEP):
            ears.judged(blow())

        assert [one.number for one in client.heard_events()] == [*range(KEEP + 3, 3, -1), 2]

    def test_a_mark_is_kept_and_told(self, ears: ReviewService, client: EarsClient) -> None:
        ears.judged(blow(Verdict.NOISE))

        marked = client.mark(1, Verdict.KNOCK, Seat(3))

        assert (marked.number, marked.was, marked.was_seat) == (1, Verdict.KNOCK, Seat(3))
        assert client.heard_events() == (marked,)

    def test_a_mark_can_be_taken_back(self, ears: ReviewService, client: EarsClient) -> None:
        ears.judged(blow())
        client.mark(1, Verdict.NOISE)

        client.mark(1, None)

        assert client.heard_events()[0].was is None

    @pytest.mark.parametrize("number", [0, -1, 2, MOST_WHOLE])
    def test_what_is_not_kept_cannot_be_marked(
        self, ears: ReviewService, client: EarsClient, number: int
    ) -> None:
        ears.judged(blow())

        with pytest.raises(IllegalAction) as refused:
            client.mark(number, Verdict.NOISE)

        assert (refused.value.reason, refused.value.facts) == ("event_gone", {"number": number})

    @pytest.mark.parametrize(
        ("was", "seat", "why"),
        [
            (Verdict.DOUBTFUL, None, "a knock or noise"),
            (Verdict.NOISE, Seat(1), "Only a knock has a seat"),
            (None, Seat(1), "Only a knock has a seat"),
            (Verdict.KNOCK, Seat(4), "Seat 5 is none of this table, which has 4"),
            (Verdict.KNOCK, Seat(-1), "Seat 0 is none"),
        ],
    )
    def test_a_mark_without_sense_is_refused(
        self,
        ears: ReviewService,
        client: EarsClient,
        was: Verdict | None,
        seat: Seat | None,
        why: str,
    ) -> None:
        ears.judged(blow())

        with pytest.raises(BadRequest, match=why):
            client.mark(1, was, seat)

        assert client.heard_events()[0].was is None

    def test_nothing_is_suggested_before_anything_is_marked(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        ears.judged(blow())

        assert client.suggestion() is None

    def test_a_suggestion_comes_with_its_effect_and_does_nothing_yet(
        self, ears: ReviewService, client: EarsClient, shelf: CalibrationStore
    ) -> None:
        suggested = self.suggested(ears, client)

        assert suggested.moves == (Line("move.stricter", {"amount": 0.5}),)
        assert (suggested.kept, suggested.marked) == (3, 1)
        assert (suggested.right_before, suggested.right_after) == (0, 1)
        assert [(one.number, one.before, one.after) for one in suggested.changes] == [
            (2, Verdict.DOUBTFUL, Verdict.NOISE)
        ]
        assert shelf.calibration.strictness == 0

    def test_taking_a_suggestion_puts_it_in_force(
        self, ears: ReviewService, client: EarsClient, shelf: CalibrationStore
    ) -> None:
        suggested = self.suggested(ears, client)

        client.take(suggested.id)

        assert shelf.calibration.strictness == 0.5
        assert client.suggestion() is None
        assert client.keeping().taken == suggested.moves

    def test_what_was_taken_can_be_taken_back(
        self, ears: ReviewService, client: EarsClient, shelf: CalibrationStore
    ) -> None:
        suggested = self.suggested(ears, client)
        client.take(suggested.id)

        client.take_back()

        assert shelf.calibration.strictness == 0
        assert client.keeping().taken == ()
        assert client.suggestion() == suggested

    def test_nothing_is_taken_back_twice(self, ears: ReviewService, client: EarsClient) -> None:
        client.take(self.suggested(ears, client).id)
        client.take_back()

        with pytest.raises(IllegalAction) as refused:
            client.take_back()

        assert refused.value.reason == "nothing_to_undo"

    def test_another_suggestion_than_the_one_shown_is_not_taken(
        self, ears: ReviewService, client: EarsClient, shelf: CalibrationStore
    ) -> None:
        shown = self.suggested(ears, client)
        client.mark(2, None)

        for ask in (client.take, client.decline):
            with pytest.raises(IllegalAction) as refused:
                ask(shown.id)
            assert refused.value.reason == "stale"
        assert shelf.calibration.strictness == 0

    def test_a_declined_suggestion_is_heard_no_more(
        self, ears: ReviewService, client: EarsClient, shelf: CalibrationStore
    ) -> None:
        client.decline(self.suggested(ears, client).id)

        assert client.suggestion() is None
        assert shelf.calibration.strictness == 0

    def test_what_cannot_be_written_is_not_taken_and_is_told(
        self, ears: ReviewService, client: EarsClient, paper: Paper
    ) -> None:
        suggested = self.suggested(ears, client)
        paper.full = True

        with pytest.raises(TableUnavailable, match="the disk is full"):
            client.take(suggested.id)

        assert client.keeping().taken == ()
        assert client.suggestion() == suggested

    def test_what_was_marked_is_learned_and_told(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        ears.judged(blow(Verdict.KNOCK))
        ears.judged(blow(Verdict.NOISE))
        assert client.learned_in_play() == LearnedInPlay(())

        client.mark(1, Verdict.NOISE)
        client.mark(2, Verdict.KNOCK)
        until(lambda: not client.learned_in_play().is_learning)

        learned = client.learned_in_play()
        assert learned.lessons == (
            LessonHeard(2, True, "mark", event=2, at=WALL),
            LessonHeard(1, False, "mark", event=1, at=WALL),
        )
        assert (learned.knocks.of, learned.others.of) == (1, 1)

    def test_a_mark_that_is_taken_back_is_a_lesson_no_more(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        ears.judged(blow(Verdict.KNOCK))
        client.mark(1, Verdict.NOISE)

        client.mark(1, None)

        assert client.learned_in_play().lessons == ()

    def test_a_lesson_is_taken_back_by_its_number_once(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        for number in (1, 2):
            ears.judged(blow(Verdict.KNOCK))
            client.mark(number, Verdict.NOISE)

        client.forget_lesson(1)

        assert [one.number for one in client.learned_in_play().lessons] == [2]
        with pytest.raises(IllegalAction) as refused:
            client.forget_lesson(1)
        assert (refused.value.reason, refused.value.facts) == ("lesson_gone", {"number": 1})

    def test_all_lessons_are_forgotten_at_once(
        self, ears: ReviewService, client: EarsClient, shelf: CalibrationStore
    ) -> None:
        ears.judged(blow(Verdict.KNOCK))
        client.mark(1, Verdict.NOISE)

        client.forget_lessons()
        until(lambda: not client.learned_in_play().is_learning)

        assert client.learned_in_play() == LearnedInPlay(())
        assert shelf.calibration == Calibration()

    def test_the_meter_tells_each_part(self, ears: ReviewService, client: EarsClient) -> None:
        ears.loudness("piezos", (0.1, 0.4), NOW_S - 2.0)
        ears.loudness("piezos", (0.3, 0.2), NOW_S - 1.5)
        ears.loudness("pad 3", (0.7,), NOW_S)

        assert client.meter() == (
            Loudness("pad 3", (0.7,), age_s=0.0),
            Loudness("piezos", (0.3, 0.4), age_s=1.5),
        )

    def test_a_step_of_a_tuning_goes_through_with_its_facts(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        tuner = EchoingTuner()
        ears.fit_tuner(tuner)
        ears.judged(blow())
        ears.loudness("piezos", (0.1,), NOW_S)

        facts = {"seat": Seat(2), "nested": {"one": (1, 2.5, None, "x")}, "on": True}
        state = client.tune("knock", facts)

        assert state == TuneStand("knock", (), UNTAUGHT, seat=Seat(2), count=2)
        assert isinstance(state.seat, Seat)
        assert tuner.asked == ("knock", facts, NOW_S)
        assert isinstance(tuner.asked[1]["seat"], Seat)

    def test_a_step_that_cannot_be_is_refused(
        self, ears: ReviewService, client: EarsClient
    ) -> None:
        ears.fit_tuner(EchoingTuner())

        with pytest.raises(BadRequest, match="No step is called 'jump'"):
            client.tune("jump")
        with pytest.raises(IllegalAction) as refused:
            client.tune("later")

        assert (refused.value.reason, refused.value.facts) == ("too_late", {"seat": Seat(2)})

    def test_a_table_that_cannot_be_tuned_says_so(self, client: EarsClient) -> None:
        with pytest.raises(BadRequest, match="cannot be tuned"):
            client.tune("look")

    def suggested(self, ears: ReviewService, client: EarsClient) -> Suggestion:
        """Return what follows when of three blows the doubtful one was noise."""
        ears.judged(blow(Verdict.KNOCK))
        ears.judged(blow(Verdict.DOUBTFUL, likelihood=0.4))
        ears.judged(blow(Verdict.NOISE))
        client.mark(2, Verdict.NOISE)
        suggested = client.suggestion()
        assert suggested is not None
        return suggested
