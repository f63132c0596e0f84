"""The plain `Hearer`: what was judged a knock, or nearly one, goes into the inbox."""

from kloplei.knock import KnockHeard
from kloplei.knock.verdict import Judgement, Struck, Verdict
from kloplei.table.inbox import Inbox


class InboxHearer:
    """Puts knocks and doubtful knocks into *inbox* and lets noise go by."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    def struck(self, struck: Struck) -> None:
        """Do nothing: it may be a glass."""

    def judged(self, judgement: Judgement) -> None:
        """Put a knock, doubtful or not, into the inbox."""
        if judgement.verdict is Verdict.NOISE:
            return
        doubtful = judgement.verdict is Verdict.DOUBTFUL
        self._inbox.put(
            KnockHeard(judgement.seat, judgement.strength, judgement.at_s, doubtful=doubtful)
        )

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Do nothing: nobody looks."""
