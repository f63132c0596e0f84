"""What is wrong with each part, the worst first: told once, and taken back when it is over."""

import threading

from kloplei.table.inbox import Inbox, PartFailed, PartHealed, Trouble


class Complaints:
    """Keeps the troubles of all parts and tells *inbox* of each part the worst one.

    May be called from any thread.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._lock = threading.Lock()
        self._troubles: dict[str, dict[Trouble, str]] = {}

    def tell(self, part: str, trouble: Trouble, message: str) -> None:
        """Say that *part* has *trouble*; *message* is one sentence that says what to do next."""
        with self._lock:
            before = self._worst(part)
            self._troubles.setdefault(part, {})[trouble] = message
            self._report(part, before)

    def heal(self, part: str, trouble: Trouble) -> None:
        """Say that *trouble* of *part* is over; nothing happens if it never was."""
        with self._lock:
            before = self._worst(part)
            self._troubles.get(part, {}).pop(trouble, None)
            self._report(part, before)

    def _worst(self, part: str) -> PartFailed | None:
        troubles = self._troubles.get(part, {})
        for trouble in Trouble:  # by weight
            if trouble in troubles:
                return PartFailed(part, troubles[trouble], trouble)
        return None

    def _report(self, part: str, before: PartFailed | None) -> None:
        now = self._worst(part)
        if now != before:
            self._inbox.put(now or PartHealed(part))
