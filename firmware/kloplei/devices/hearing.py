"""The plain `Hearer`: what is felt, and what it was judged to be, goes into the inbox."""

from kloplei.knock.verdict import Judgement, Struck
from kloplei.table.inbox import Inbox, finding


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
