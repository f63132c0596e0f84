"""What is wrong with the box, told on the slate until it is over."""

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.inbox import PartFailed, Trouble

NOTICES = ("dropped", "fault", "journal", *Trouble, "salvaged", "stuck")
"""Every trouble that is told; ``words/`` holds ``notice.<key>``."""


class Notices:
    """Troubles of the box: some last until they are healed, some are told for *notice_s*."""

    def __init__(self, notice_s: float) -> None:
        self._notice_s = notice_s
        self._parts: dict[str, PartFailed] = {}
        self._journal: str | None = None
        self._salvaged: str | None = None
        self._dropped = 0
        self._dropped_until_s: float | None = None
        self._fault_until_s: float | None = None

    def part_failed(self, failed: PartFailed) -> None:
        """A device does not work; what it said before is forgotten."""
        self._parts[failed.part] = failed

    def part_healed(self, part: str) -> None:
        """The device *part* works again."""
        self._parts.pop(part, None)

    def journal_failed(self, message: str) -> None:
        """The journal could not be written; *message* says what to do."""
        self._journal = message

    def journal_salvaged(self, message: str) -> None:
        """The journal was damaged; *message* says what could be saved."""
        self._salvaged = message

    def journal_healed(self) -> None:
        """The journal was written: the evening goes on, and everybody has seen from where."""
        self._journal = self._salvaged = None

    def dropped(self, n: int, now_s: float) -> None:
        """*n* messages found the inbox full and are lost."""
        self._dropped += n
        self._dropped_until_s = now_s + self._notice_s

    def fault(self, now_s: float) -> None:
        """Something went wrong inside; the log has the traceback."""
        self._fault_until_s = now_s + self._notice_s

    @property
    def next_deadline(self) -> float | None:
        """When the next passing trouble is told no longer."""
        ends = (self._dropped_until_s, self._fault_until_s)
        return min((end for end in ends if end is not None), default=None)

    def pass_time(self, now_s: float) -> None:
        """Forget the passing troubles that have been told long enough."""
        if self._dropped_until_s is not None and self._dropped_until_s <= now_s:
            self._dropped, self._dropped_until_s = 0, None
        if self._fault_until_s is not None and self._fault_until_s <= now_s:
            self._fault_until_s = None

    def lines(self, stuck: tuple[Seat, ...]) -> tuple[Line, ...]:
        """Return what is to be told, the worst first; *stuck* are seats with a stuck button."""
        found = []
        if self._journal is not None:
            found.append(Line("notice.journal", {"message": self._journal}))
        if self._salvaged is not None:
            found.append(Line("notice.salvaged", {"message": self._salvaged}))
        if self._fault_until_s is not None:
            found.append(Line("notice.fault"))
        if self._dropped:
            found.append(Line("notice.dropped", {"n": self._dropped}))
        for part, failed in sorted(self._parts.items()):
            facts = {"part": part, "message": failed.message}
            found.append(Line(f"notice.{failed.trouble}", facts))
        found.extend(Line("notice.stuck", {"seat": seat}) for seat in stuck)
        return tuple(found)
