"""The suggestion that follows from marks: shown with its effect, taken, declined, taken back."""

import hashlib
import threading
from collections.abc import Sequence

from kloplei.ears.kept import Kept
from kloplei.ears.shelf import Shelf
from kloplei.ears.weighing import Weighing
from kloplei.files import KlopleiError
from kloplei.games.game import IllegalAction
from kloplei.games.scoreboard import Line
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import Move, Proposal
from kloplei.table.client import TableSilent
from kloplei.table.ears import Change, Suggestion


class Review:
    """What marks come to; safe from any thread.

    Args:
        shelf: The calibration in force.
        weighing: Works out what marks suggest.
    """

    def __init__(self, shelf: Shelf, weighing: Weighing) -> None:
        self._shelf = shelf
        self._weighing = weighing
        self._changing = threading.Lock()
        self._declined: set[str] = set()
        self._taken: Move | None = None
        self._before: Calibration | None = None  # what `take_back` goes back to

    def close(self) -> None:
        """Work out no more suggestions."""
        self._weighing.close()

    @property
    def is_weighing(self) -> bool:
        """Whether a suggestion is being worked out, so that there may soon be one."""
        return self._weighing.is_under_way

    @property
    def taken(self) -> tuple[Line, ...]:
        """The moves that were taken last, as long as they may be taken back."""
        move = self._taken
        if move is None or self._shelf.calibration != move.calibration:
            return ()
        return (_line(move),)

    def suggestion(self, kept: Sequence[Kept]) -> Suggestion | None:
        """Return what the marks among *kept* suggest, unless it was declined."""
        proposal = self._weighing.answer(self._shelf.calibration, kept)
        if proposal is None or _id(proposal) in self._declined:
            return None
        return _told(proposal)

    def take(self, suggestion: str, kept: Sequence[Kept]) -> None:
        """Put the calibration of that suggestion on the shelf.

        Raises:
            IllegalAction: ``stale``: something else is suggested by now.
            TableSilent: It could not be written.
        """
        with self._changing:
            move = self._standing(suggestion, kept).move
            before = self._shelf.calibration
            self._put(move.calibration)
            self._taken, self._before = move, before

    def decline(self, suggestion: str, kept: Sequence[Kept]) -> None:
        """Suggest that no more.

        Raises:
            IllegalAction: ``stale``: something else is suggested by now.
        """
        with self._changing:
            self._declined.add(_id(self._standing(suggestion, kept)))

    def take_back(self) -> None:
        """Put the calibration of before the last `take` on the shelf again.

        Raises:
            IllegalAction: ``nothing_to_undo``: nothing was taken, or the table was tuned since.
            TableSilent: It could not be written.
        """
        with self._changing:
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
        proposal = self._weighing.answer(self._shelf.calibration, kept)
        if proposal is None or _id(proposal) != suggestion or suggestion in self._declined:
            raise IllegalAction("stale")
        return proposal


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
