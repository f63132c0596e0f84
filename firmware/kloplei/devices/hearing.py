"""Who hears the blows: the inbox itself, or both kinds of sensors joined before it.

`InboxHearer` puts what is felt, and what it was judged to be, into the inbox. Where pads and piezos
listen to one table top, both hand in to `JointHearing`, and each blow is passed on once.
"""

import math
import threading
from collections.abc import Mapping, Sequence

from kloplei.devices.schedule import Schedule
from kloplei.knock.fusion import Fusion
from kloplei.knock.judgement import Hearer, Judgement, Struck
from kloplei.table.messages import Inbox, finding


class JointHearing:
    """Joins what several kinds of sensors find, for *hearer*; each hands in to its one of `sides`.

    May be called from any thread.

    Args:
        hearer: Where each blow goes.
        schedule: The clock, and when to give up waiting for the other kind.
        kinds: As for `kloplei.knock.fusion.Fusion`.
        together_s: Sensors that feel something within this time feel the same blow.
    """

    def __init__(
        self, hearer: Hearer, schedule: Schedule, kinds: Sequence[str], together_s: float
    ) -> None:
        self._hearer = hearer
        self._schedule = schedule
        self._lock = threading.Lock()
        self._blows = Fusion(kinds, together_s)
        self._asked_s = math.inf  # when somebody comes back to look
        self.sides: Mapping[str, Hearer] = {kind: _Side(self, hearer, kind) for kind in kinds}

    def struck(self, kind: str, struck: Struck) -> None:
        """Take in that *kind* felt the wood move."""
        with self._lock:
            news = self._blows.struck(kind, struck)
        if news is not None:
            self._hearer.struck(news)

    def judged(self, kind: str, judgement: Judgement) -> None:
        """Take in what *kind* found."""
        with self._lock:
            known = self._blows.judged(kind, judgement, self._schedule.now_s())
            self._ask()
        # Outside the lock: who hears may take its time, or ask something of this thread.
        for one in known:
            self._hearer.judged(one)

    def _ask(self) -> None:
        due_s = self._blows.due_s
        if due_s is not None and due_s < self._asked_s:
            self._asked_s = due_s
            self._schedule.at(due_s, self._give_up)

    def _give_up(self) -> None:
        with self._lock:
            self._asked_s = math.inf
            late = self._blows.overdue(self._schedule.now_s())
            self._ask()
        for judgement in late:
            self._hearer.judged(judgement)


class _Side:
    """The `Hearer` of one kind of sensors."""

    def __init__(self, joint: JointHearing, hearer: Hearer, kind: str) -> None:
        self._joint = joint
        self._hearer = hearer
        self._kind = kind

    def struck(self, struck: Struck) -> None:
        """Take note that the wood moved."""
        self._joint.struck(self._kind, struck)

    def judged(self, judgement: Judgement) -> None:
        """Take what a blow was found to be."""
        self._joint.judged(self._kind, judgement)

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Pass it on: how loud it is, each says for itself."""
        self._hearer.loudness(part, peaks, at_s)


class InboxHearer:
    """Passes blows and judgements on to *inbox*, and keeps nothing."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def struck(self, struck: Struck) -> None:
        """Put into the inbox that the wood moved."""
        self._inbox.put(struck)

    def judged(self, judgement: Judgement) -> None:
        """Put into the inbox what a blow was found to be."""
        self._inbox.put(finding(judgement))

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Do nothing: nobody looks."""
