"""The suggestion that follows from marks: worked out when asked for, taken, declined, taken back.

Blows are judged anew under other calibrations, which takes a while; so nothing here may be
called by a sensor, and an answer is kept until something that it rests on changes.
"""

import hashlib
import threading
from collections.abc import Sequence

from kloplei.ears.kept import Kept
from kloplei.ears.shelf import Shelf
from kloplei.errors import KlopleiError
from kloplei.knock.calibration import Calibration
from kloplei.knock.suggestion import Example, Learn, Move, Proposal, Rejudge, suggest
from kloplei.knock.verdict import Judgement
from kloplei.rules.game import IllegalAction
from kloplei.rules.scoreboard import Line
from kloplei.table.client import TableSilent
from kloplei.table.ears import Change, Suggestion


class Review:
    """What marks come to; safe from any thread, one at a time.

    Args:
        shelf: The calibration in force.
        rejudge: Judges a blow anew.
        learn: Learns seats anew; None where no seat is attributed.
    """

    def __init__(self, shelf: Shelf, rejudge: Rejudge, learn: Learn | None = None) -> None:
        self._shelf = shelf
        self._rejudge = rejudge
        self._learn = learn
        self._working = threading.Lock()
        self._rests_on: tuple[object, ...] = ()
        self._proposal: Proposal | None = None
        self._declined: set[str] = set()
        self._taken: Move | None = None
        self._before: Calibration | None = None  # what `take_back` goes back to

    @property
    def taken(self) -> tuple[Line, ...]:
        """The moves that were taken last, as long as they may be taken back."""
        move = self._taken
        if move is None or self._shelf.calibration != move.calibration:
            return ()
        return (_line(move),)

    def suggestion(self, kept: Sequence[Kept]) -> Suggestion | None:
        """Return what the marks among *kept* suggest, unless it was declined."""
        with self._working:
            proposal = self._propose(kept)
        if proposal is None or _id(proposal) in self._declined:
            return None
        return _told(proposal)

    def take(self, suggestion: str, kept: Sequence[Kept]) -> None:
        """Put the calibration of that suggestion on the shelf.

        Raises:
            IllegalAction: ``stale``: something else is suggested by now.
            TableSilent: It could not be written.
        """
        with self._working:
            move = self._standing(suggestion, kept).move
            before = self._shelf.calibration
            self._put(move.calibration)
            self._taken, self._before = move, before

    def decline(self, suggestion: str, kept: Sequence[Kept]) -> None:
        """Suggest that no more.

        Raises:
            IllegalAction: ``stale``: something else is suggested by now.
        """
        with self._working:
            self._declined.add(_id(self._standing(suggestion, kept)))

    def take_back(self) -> None:
        """Put the calibration of before the last `take` on the shelf again.

        Raises:
            IllegalAction: ``nothing_to_undo``: nothing was taken, or the table was tuned since.
            TableSilent: It could not be written.
        """
        with self._working:
            if not self.taken or self._before is None:
                raise IllegalAction("nothing_to_undo")
            self._put(self._before)
            self._taken = self._before = None

    def _put(self, calibration: Calibration) -> None:
        try:
            self._shelf.put(calibration)
        except (KlopleiError, OSError) as error:
            raise TableSilent(str(error)) from error

    def _standing(self, suggestion: str, kept: Sequence[Kept]) -> Proposal:
        proposal = self._propose(kept)
        if proposal is None or _id(proposal) != suggestion or suggestion in self._declined:
            raise IllegalAction("stale")
        return proposal

    def _propose(self, kept: Sequence[Kept]) -> Proposal | None:
        calibration = self._shelf.calibration
        marks = tuple((one.number, one.was, one.was_seat) for one in kept if one.is_marked)
        # Blows that nobody marked come and go; they count when the marks change.
        rests_on = (calibration, marks, tuple(one.number for one in kept) if marks else ())
        if rests_on != self._rests_on:
            self._proposal = self._work_out(kept, calibration) if marks else None
            self._rests_on = rests_on
        return self._proposal

    def _work_out(self, kept: Sequence[Kept], calibration: Calibration) -> Proposal | None:
        known: dict[tuple[int, int], Judgement] = {}
        examples = [Example(one.number, one.judgement, one.was, one.was_seat) for one in kept]

        def rejudge(judged: Judgement, other: Calibration) -> Judgement:
            key = id(judged), id(other)  # both live as long as this does
            if key not in known:
                known[key] = self._rejudge(judged, other)
            return known[key]

        return suggest(examples, calibration, rejudge, self._learn)


def _id(proposal: Proposal) -> str:
    return hashlib.sha256(repr(proposal.move).encode()).hexdigest()[:12]


def _told(proposal: Proposal) -> Suggestion:
    return Suggestion(
        id=_id(proposal),
        moves=(_line(proposal.move),),
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


def _line(move: Move) -> Line:
    return Line(f"move.{move.key}", {"amount": move.amount})
