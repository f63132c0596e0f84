"""From blocks of samples to judged blows, causally; the same for a live box and a recording."""

from collections.abc import Iterator, Sequence

from kloplei.knock.calibration import Calibration
from kloplei.knock.signal import Block, Samples, Window
from kloplei.knock.verdict import Judgement, Struck, Verdict
from kloplei.rules.game import Seat

THRESHOLD = 0.06  # of full scale: what wakes the judge
BEFORE_S = 0.012  # kept of what came before the blow
AFTER_S = 0.048  # judged by this much of it
DEAD_S = 0.1  # nothing new begins within this time of an onset

Finding = Struck | Judgement


class Listener:
    """Finds the blows in a signal and has each of them judged.

    Feed it the blocks as they come; it never looks ahead, and keeps no more than a window.

    Args:
        seats: Whose piezo each channel is, None for one in a corner or for the whole table;
            empty where nobody knows.
        calibration: What the table taught; None for the defaults.
        part: Name of the sensor, for `Judgement.part`.
    """

    def __init__(
        self,
        seats: Sequence[Seat | None] = (),
        calibration: Calibration | None = None,
        part: str = "piezos",
    ) -> None:
        self._seats = tuple(seats)
        self._calibration = calibration or Calibration()
        self._part = part
        self._kept: Block | None = None
        self._onset_s: float | None = None
        self._deaf_until_s = float("-inf")

    def feed(self, block: Block) -> tuple[Finding, ...]:
        """Return what *block* brings to light, in the order in which it was known."""
        kept = _joined(self._kept, block)
        found = tuple(self._find(block, kept))
        self._kept = _last(kept, BEFORE_S + AFTER_S)
        return found

    def flush(self) -> tuple[Finding, ...]:
        """Judge the blow that the end of the signal has cut short, if there is one."""
        if self._onset_s is None or self._kept is None:
            return ()
        return (self._judge(self._kept, self._onset_s, self._kept.end_s),)

    def _find(self, block: Block, kept: Block) -> Iterator[Finding]:
        for at in range(len(block.channels[0])):
            at_s = block.start_s + at / block.rate_hz
            if self._onset_s is not None and at_s >= self._onset_s + AFTER_S:
                yield self._judge(kept, self._onset_s, at_s)
            loudest = max(abs(channel[at]) for channel in block.channels)
            if loudest > THRESHOLD and at_s >= self._deaf_until_s:
                self._onset_s, self._deaf_until_s = at_s, at_s + DEAD_S
                yield Struck(at_s, min(1.0, loudest))

    def _judge(self, kept: Block, onset_s: float, now_s: float) -> Judgement:
        self._onset_s = None
        window = Window(onset_s, kept.start_s, kept.rate_hz, kept.channels, kept.skew_s)
        peaks = [max(map(abs, channel)) for channel in window.channels]
        loudest = max(range(len(peaks)), key=peaks.__getitem__)
        seat = self._seats[loudest] if loudest < len(self._seats) else None
        return Judgement(
            at_s=onset_s,
            decided_at_s=now_s,
            verdict=Verdict.KNOCK,
            likelihood=1.0,
            strength=min(1.0, peaks[loudest]),
            seat=seat,
            confidence=0.5 if seat is not None else 0.0,
            part=self._part,
            window=window,
        )


def _joined(kept: Block | None, block: Block) -> Block:
    if kept is None:
        return block
    channels = tuple((*a, *b) for a, b in zip(kept.channels, block.channels, strict=True))
    return Block(kept.start_s, block.rate_hz, channels, block.skew_s)


def _last(kept: Block, length_s: float) -> Block:
    count = max(1, round(length_s * kept.rate_hz))
    surplus = max(0, len(kept.channels[0]) - count)
    channels: tuple[Samples, ...] = tuple(channel[surplus:] for channel in kept.channels)
    return Block(kept.start_s + surplus / kept.rate_hz, kept.rate_hz, channels, kept.skew_s)
