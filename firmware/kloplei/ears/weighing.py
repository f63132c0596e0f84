"""Works out in the background what marks suggest, so that neither sensors nor phones wait.

A blow is judged anew some hundred times before an answer stands, which takes a small computer
seconds. The answer holds until the marks or the calibration change; blows that nobody marked
come and go, and only freshen it.
"""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from kloplei.ears.kept import Kept
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import Example, Learn, Proposal, Rejudge, suggest
from kloplei.knock.judgement import Judgement

logger = logging.getLogger(__name__)

BREATH_S = 0.002  # left to the sensors' threads after each blow


@dataclass(frozen=True, slots=True)
class Question:
    """What follows from the marks among *kept*, with *calibration* in force."""

    calibration: Calibration
    kept: tuple[Kept, ...]

    @property
    def stands_on(self) -> tuple[object, ...]:
        """What makes another answer of it when it changes."""
        marks = tuple((one.number, one.was, one.was_seat) for one in self.kept if one.is_marked)
        return self.calibration, marks

    @property
    def is_same(self) -> tuple[object, ...]:
        """What makes another question of it."""
        return self.stands_on, tuple(one.number for one in self.kept)


class Weighing:
    """Answers questions one after the other, the newest only; safe from any thread.

    Args:
        rejudge: Judges a blow anew.
        learn: Learns seats anew; None where no seat is attributed.
        patience_s: How long `answer` waits for one that is not there yet.
        breath_s: A pause after each blow.
    """

    def __init__(
        self,
        rejudge: Rejudge,
        learn: Learn | None = None,
        *,
        patience_s: float = 1.0,
        breath_s: float = BREATH_S,
    ) -> None:
        self._rejudge = rejudge
        self._learn = learn
        self._patience_s = patience_s
        self._breath_s = breath_s
        self._changed = threading.Condition()
        self._wanted: Question | None = None
        self._asked: Question | None = None
        self._answered: tuple[object, ...] | None = None  # what the answer stands on
        self._proposal: Proposal | None = None
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._known: dict[tuple[int, Calibration], _Found] = {}

    def answer(self, calibration: Calibration, kept: Sequence[Kept]) -> Proposal | None:
        """Return what the marks among *kept* suggest; None too while that is worked out."""
        question = Question(calibration, tuple(kept))
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

    def _is_answered(self, question: Question) -> bool:
        return self._answered == question.stands_on

    def _want(self, question: Question) -> None:
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

    def _work_out(self, question: Question) -> Proposal | None:
        live = {id(one.judgement) for one in question.kept}
        self._known = {key: found for key, found in self._known.items() if key[0] in live}

        def rejudge(judged: Judgement, calibration: Calibration) -> Judgement:
            key = id(judged), calibration
            if key not in self._known:
                self._breathe()
                self._known[key] = _Found(judged, self._rejudge(judged, calibration))
            return self._known[key].by_then

        examples = [
            Example(one.number, one.judgement, one.was, one.was_seat) for one in question.kept
        ]
        return suggest(examples, question.calibration, rejudge, self._learn)

    def _breathe(self) -> None:
        if self._is_closed:
            raise _ClosedError
        time.sleep(self._breath_s)


@dataclass(frozen=True, slots=True)
class _Found:
    """What became of a blow; *judged* is kept with it, so that nothing else gets its id."""

    judged: Judgement
    by_then: Judgement


class _ClosedError(Exception):
    """The table closes; nobody waits for the answer."""
