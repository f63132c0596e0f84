"""The suggestion that follows from marks, with its effect.

A blow is judged anew (`Reclassifier`) some hundred times before an answer stands, which takes a
small computer seconds; so `SuggestionWorker` does it on a thread of its own, and neither sensors
nor phones wait. The answer holds until the marks or the calibration change; blows that nobody
marked come and go, and only freshen it.
"""

import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from kloplei.frozen import dataclass, replace
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Line
from kloplei.knock.arrival import location_features
from kloplei.knock.calibration import Calibration
from kloplei.knock.classifier import likelihood_of, seen_by
from kloplei.knock.fitting import Learn, MarkedKnock, Proposal, Rejudge, suggest
from kloplei.knock.geometry import TableGeometry, ToldWood
from kloplei.knock.judgement import Judgement, verdict
from kloplei.knock.localization import CannotTellSeats, KnownKnock, Places, SeatFinder, learn
from kloplei.knock.signal import Window
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.store import LoggedEvent
from kloplei.table.client import Change, Suggestion

logger = logging.getLogger(__name__)

PAUSE_S = 0.002  # left to the sensors' threads after each blow


@dataclass(frozen=True, slots=True)
class SuggestionQuestion:
    """What follows from the marks among *kept*, with *calibration* in force."""

    calibration: Calibration
    kept: tuple[LoggedEvent, ...]

    @property
    def stands_on(self) -> tuple[object, ...]:
        """What makes another answer of it when it changes."""
        marks = tuple((one.number, one.was, one.was_seat) for one in self.kept if one.is_marked)
        return self.calibration, marks

    @property
    def is_same(self) -> tuple[object, ...]:
        """What makes another question of it."""
        return self.stands_on, tuple(one.number for one in self.kept)


class SuggestionWorker:
    """Answers questions one after the other, the newest only; safe from any thread.

    Args:
        rejudge: Judges a blow anew.
        learn: Learns seats anew; None where no seat is attributed.
        patience_s: How long `answer` waits for one that is not there yet.
        pause_s: A pause after each blow.
    """

    def __init__(
        self,
        rejudge: Rejudge,
        learn: Learn | None = None,
        *,
        patience_s: float = 1.0,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._rejudge = rejudge
        self._learn = learn
        self._patience_s = patience_s
        self._pause_s = pause_s
        self._changed = threading.Condition()
        self._wanted: SuggestionQuestion | None = None
        self._asked: SuggestionQuestion | None = None
        self._answered: tuple[object, ...] | None = None  # what the answer stands on
        self._proposal: Proposal | None = None
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._known: dict[tuple[int, Calibration], _Found] = {}

    def answer(self, calibration: Calibration, kept: Sequence[LoggedEvent]) -> Proposal | None:
        """Return what the marks among *kept* suggest; None too while that is worked out."""
        question = SuggestionQuestion(calibration, tuple(kept))
        if not any(one.is_marked for one in kept):
            return None
        with self._changed:
            self._want(question)
            self._changed.wait_for(
                lambda: self._is_closed or self._is_answered(question), self._patience_s
            )
            return self._proposal if self._is_answered(question) else None

    @property
    def is_under_way(self) -> bool:
        """Whether the question asked last has no answer yet."""
        with self._changed:
            asked = self._asked
            return asked is not None and not self._is_answered(asked)

    def close(self) -> None:
        """Work nothing out any more; an answer under way is dropped."""
        with self._changed:
            self._is_closed = True
            self._wanted = None
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _is_answered(self, question: SuggestionQuestion) -> bool:
        return self._answered == question.stands_on

    def _want(self, question: SuggestionQuestion) -> None:
        if self._is_closed or (self._asked and self._asked.is_same == question.is_same):
            return
        self._asked = self._wanted = question
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="kloplei-review", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        """Answer what is wanted until nothing is."""
        while True:
            with self._changed:
                question, self._wanted = self._wanted, None
                if question is None:
                    self._thread = None
                    return
            try:
                proposal = self._work_out(question)
            except _ClosedError:
                continue
            except Exception:
                logger.exception("The review stumbled over what was marked, and suggests nothing.")
                proposal = None
            with self._changed:
                self._answered, self._proposal = question.stands_on, proposal
                self._changed.notify_all()

    def _work_out(self, question: SuggestionQuestion) -> Proposal | None:
        live = {id(one.judgement) for one in question.kept}
        self._known = {key: found for key, found in self._known.items() if key[0] in live}

        def rejudge(judged: Judgement, calibration: Calibration) -> Judgement:
            key = id(judged), calibration
            if key not in self._known:
                self._pause()
                self._known[key] = _Found(judged, self._rejudge(judged, calibration))
            return self._known[key].by_then

        examples = [
            MarkedKnock(one.number, one.judgement, one.was, one.was_seat) for one in question.kept
        ]
        return suggest(examples, question.calibration, rejudge, self._learn)

    def _pause(self) -> None:
        if self._is_closed:
            raise _ClosedError
        time.sleep(self._pause_s)


@dataclass(frozen=True, slots=True)
class _Found:
    """What became of a blow; *judged* is kept with it, so that nothing else gets its id."""

    judged: Judgement
    by_then: Judgement


class _ClosedError(Exception):
    """The table closes; nobody waits for the answer."""


class Suggestions:
    """What becomes of what is suggested: taken, declined, or taken back; safe from any thread.

    Args:
        store: The calibration in force.
        worker: Works out what marks suggest; closed with this.
        kept: Returns all blows that are kept now, oldest first, marked or not.
    """

    def __init__(
        self,
        store: CalibrationStore,
        worker: SuggestionWorker,
        kept: Callable[[], Sequence[LoggedEvent]],
    ) -> None:
        self._store = store
        self._worker = worker
        self._kept = kept
        self._changing = threading.Lock()
        self._declined: set[str] = set()
        self._taken: Proposal | None = None
        self._before: Calibration | None = None  # what `take_back` goes back to

    @property
    def is_under_way(self) -> bool:
        """Whether the marks asked of last have no answer yet."""
        return self._worker.is_under_way

    def close(self) -> None:
        """Work nothing out any more."""
        self._worker.close()

    def proposal(self) -> Proposal | None:
        """Return what the marks suggest, unless it was declined."""
        proposal = self._worker.answer(self._store.calibration, self._kept())
        if proposal is None or proposal_id(proposal) in self._declined:
            return None
        return proposal

    def take(self, suggestion: str) -> None:
        """Do what the suggestion with that id says, if the marks still suggest it.

        Raises:
            IllegalAction: ``stale``.
            TableUnavailable: It could not be written, and is not in force.
        """
        with self._changing:
            proposal = self._standing(suggestion)
            before = self._store.tuned
            self._store.put(proposal.move.calibration)
            self._taken, self._before = proposal, before

    def decline(self, suggestion: str) -> None:
        """Suggest that no more until the marks suggest another.

        Raises:
            IllegalAction: ``stale``.
        """
        with self._changing:
            self._declined.add(proposal_id(self._standing(suggestion)))

    def take_back(self) -> None:
        """Undo the `take` before, unless the table was tuned since.

        Raises:
            IllegalAction: ``nothing_to_undo``.
            TableUnavailable: It could not be written.
        """
        with self._changing:
            if not self.taken_moves() or self._before is None:
                raise IllegalAction("nothing_to_undo")
            self._store.put(self._before)
            self._taken = self._before = None

    def taken_moves(self) -> tuple[Line, ...]:
        """Return the moves that were taken last, as long as they may be taken back."""
        taken = self._taken
        if taken is None or self._store.tuned != replace(taken.move.calibration, played=None):
            return ()
        return suggestion_of(taken).moves

    def _standing(self, suggestion: str) -> Proposal:
        proposal = self.proposal()
        if proposal is None or proposal_id(proposal) != suggestion:
            raise IllegalAction("stale")
        return proposal


def proposal_id(proposal: Proposal) -> str:
    """Return by which the suggestion is known that *proposal* makes."""
    # What is learned in play goes on meanwhile, and makes no other move of it.
    move = replace(proposal.move, calibration=replace(proposal.move.calibration, played=None))
    return hashlib.sha256(repr(move).encode()).hexdigest()[:12]


def suggestion_of(proposal: Proposal) -> Suggestion:
    """Return *proposal* as those outside read it."""
    move = proposal.move
    return Suggestion(
        id=proposal_id(proposal),
        moves=(Line(f"move.{move.key}", {"amount": move.amount}),),
        kept=proposal.kept,
        changes=tuple(
            Change(
                one.number,
                one.before.verdict,
                one.after.verdict,
                one.before.seat,
                one.after.seat,
            )
            for one in proposal.turned
        ),
        marked=proposal.marked,
        right_before=proposal.right_before,
        right_after=proposal.right_after,
    )


MOST_SEEN = 256  # windows; no more than 200 events are kept
MOST_KNOWN = 200  # knocks that places are made of; the oldest give way to what is marked


@dataclass(slots=True)
class _Seen:
    """What a blow looks like; *window* is kept with it, so that nothing else gets its id.

    *features* are those that a table which was taught is judged by, and one that was not; *seat*
    and *confidence* are what was found by *finder*.
    """

    window: Window
    features: dict[bool, Mapping[str, float]] = field(default_factory=dict)
    finder: SeatFinder | None = None
    seat: Seat | None = None
    confidence: float = 0.0


class Reclassifier:
    """Judges blows anew, as the live judge would with another calibration.

    What a blow looks like is worked out once and remembered, for it takes nearly all the time;
    so ten calibrations are tried as quickly as one. For one thread at a time.

    Args:
        seats: Whose piezo each channel is, None for one in a corner; as for the `Listener`.
        geometry: Where seats and discs are, by what was told at the table; likewise.
    """

    def __init__(
        self,
        seats: Sequence[Seat | None] = (),
        geometry: Callable[[ToldWood | None], TableGeometry | None] = lambda _: None,
    ) -> None:
        self._seats = tuple(seats)
        self._geometry = geometry
        self._seen: OrderedDict[int, _Seen] = OrderedDict()
        self._known: tuple[Places | None, ToldWood | None] = (None, None)  # to the finder
        self._finder = SeatFinder(self._seats, None, geometry(None))

    def rejudge(self, judged: Judgement, calibration: Calibration) -> Judgement:
        """Return *judged* with the verdict and the seat that *calibration* leads to.

        One of which only edges are known stays as it was.
        """
        window = judged.window
        if window is None:
            return judged
        seen = self._look_at(window)
        is_taught = calibration.is_taught
        if is_taught not in seen.features:
            seen.features[is_taught] = seen_by(window, calibration)
        sure = likelihood_of(seen.features[is_taught], window.rate_hz, calibration)
        self._place(seen, calibration)
        return replace(
            judged,
            likelihood=sure,
            is_held=False,
            verdict=verdict(sure),
            seat=seen.seat,
            confidence=seen.confidence,
        )

    def _place(self, seen: _Seen, calibration: Calibration) -> None:
        """Find whose blow it was, unless that is known: most calibrations share their places."""
        places, wood = calibration.places, calibration.wood
        if places is not self._known[0] or wood != self._known[1]:
            self._known = places, wood
            self._finder = SeatFinder(self._seats, places, self._geometry(wood))
        if seen.finder is not self._finder:
            seen.finder = self._finder
            seen.seat, seen.confidence = self._finder.seat_of(seen.window)

    def _look_at(self, window: Window) -> _Seen:
        known = self._seen.get(id(window))
        if known is None:
            known = self._seen[id(window)] = _Seen(window)
            if len(self._seen) > MOST_SEEN:
                self._seen.popitem(last=False)
        return known


def learn_anew(calibration: Calibration, examples: Sequence[MarkedKnock]) -> Calibration | None:
    """Return *calibration* with the places that *examples* teach, as a tuning does.

    None if they teach none.
    """
    return _with_places(calibration, _known(examples))


def learn_more(calibration: Calibration, examples: Sequence[MarkedKnock]) -> Calibration | None:
    """Return *calibration* with what *examples* add to its places, as marks do.

    None if they add nothing. Marks alone teach no places: whoever is not among them would be
    taken for one of those who are.
    """
    if calibration.places is None:
        return None
    before = calibration.places.knocks
    added = [one for one in _known(examples) if one not in before]
    return _with_places(calibration, [*before, *added][-MOST_KNOWN:]) if added else None


def _known(examples: Sequence[MarkedKnock]) -> list[KnownKnock]:
    return [
        KnownKnock(one.seat, location_features(one.judged.window))
        for one in examples
        if one.judged.window is not None and one.seat is not None
    ]


def _with_places(calibration: Calibration, known: Sequence[KnownKnock]) -> Calibration | None:
    try:
        return replace(calibration, places=learn(known))
    except CannotTellSeats:
        return None
