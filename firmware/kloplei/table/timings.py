"""How long the table listens, waits and shows; all in seconds."""

from dataclasses import dataclass, fields

from kloplei.files import KlopleiError


class BadTiming(KlopleiError, ValueError):
    """A time that cannot work: the message names it."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Times of gestures and of what stands on the slate for a while.

    Args:
        gap_s: Silence after which a pattern of knocks has ended.
        hold_s: A press from here on is a hold; shorter is a knock.
        undo_hold_s: A press this long asks for undo at once.
        stuck_s: A press this long is a stuck button.
        grace_s: How long others may cancel a last trick, an undo or a new evening; 0 is not.
        ask_s: How long a question waits for its answer.
        doubt_s: How long a doubtful knock stands flagged, for anybody to say that it was one.
        refused_s: How long a refusal stands on the slate.
        shown_s: How long a gesture that is only shown stands there.
        notice_s: How long a passing trouble of the box is told.
    """

    gap_s: float = 0.5
    hold_s: float = 0.8
    undo_hold_s: float = 3.0
    stuck_s: float = 20.0
    grace_s: float = 3.0
    ask_s: float = 20.0
    doubt_s: float = 5.0
    refused_s: float = 4.0
    shown_s: float = 4.0
    notice_s: float = 60.0

    def __post_init__(self) -> None:
        for one in fields(self):
            least = 0.0 if one.name == "grace_s" else 0.01
            if not least <= getattr(self, one.name) < float("inf"):
                raise BadTiming(f"{one.name} must be a number of seconds, at least {least:g}.")
        if not self.hold_s < self.undo_hold_s < self.stuck_s:
            raise BadTiming("hold_s, undo_hold_s and stuck_s must grow in this order.")
