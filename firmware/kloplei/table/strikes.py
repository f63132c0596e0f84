"""That the wood moved: shown at once and for a moment, before anybody knows what it was."""

SHOWN_S = 0.15  # the judge takes some 50 ms; what it never speaks of is forgotten by then
REST_S = 0.35  # drumming fingers change the slate no more than some times a second
_ONSET_OFF_S = 0.05  # the judge may place the beginning of a blow a little elsewhere


class Strikes:
    """The last blow that is shown and not yet judged; one at a time, and with rests between."""

    def __init__(self) -> None:
        self._at_s: float | None = None
        self._rests_until_s = float("-inf")

    @property
    def is_shown(self) -> bool:
        """Whether the wood moved a moment ago and nobody knows yet what it was."""
        return self._at_s is not None

    @property
    def next_deadline(self) -> float | None:
        """When the blow that is shown is forgotten."""
        return None if self._at_s is None else self._at_s + SHOWN_S

    def struck(self, at_s: float, now_s: float) -> None:
        """Show that the wood moved at *at_s*, unless that is shown, was just now, or long ago."""
        if self._at_s is None and at_s >= self._rests_until_s and at_s + SHOWN_S > now_s:
            self._at_s, self._rests_until_s = at_s, at_s + REST_S

    def judged(self, at_s: float) -> None:
        """Show the blow of *at_s* no longer, or one before it: it is known what it was."""
        if self._at_s is not None and self._at_s < at_s + _ONSET_OFF_S:
            self._at_s = None

    def pass_time(self, now_s: float) -> None:
        """Forget a blow of which nobody has said in time what it was."""
        if (ends_s := self.next_deadline) is not None and ends_s <= now_s:
            self._at_s = None
