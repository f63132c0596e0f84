"""The piezos of a box: block by block into the judge, and what it finds to whoever hears."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from kloplei.devices.adc import BlockSource, TakeBlock
from kloplei.devices.pins import FaultRegistry
from kloplei.knock.detector import Finding
from kloplei.knock.health import Fault, SensorHealth
from kloplei.knock.judgement import PIEZOS, Hearer, Struck
from kloplei.knock.signal import Block, DcOffset
from kloplei.table.messages import Trouble

logger = logging.getLogger(__name__)

METER_S = 0.1  # a live meter is told so often

_TROUBLES = {
    Fault.STUCK: Trouble.STUCK,
    Fault.OPEN: Trouble.OPEN,
    Fault.HUM: Trouble.HUM,
}
_AT_ITS_END = 0.5  # of full scale: the level has followed most of the way by then
_AT_THE_TOP = (
    "stands still at the top of its range, as with no disc at all. Check its plug and wire, and "
    "the resistor in its puck"
)
_AT_THE_BOTTOM = (
    "stands still at the bottom of its range. Does its wire lie on ground? Does 3V3 reach its "
    "front-end?"
)
_SAYS = {
    Fault.STUCK: "stands still, without even the noise of a silent disc. Check plug and wire",
    Fault.OPEN: "rests far from the middle: nothing holds its input. Check plug and front-end",
    Fault.HUM: "hears the mains and little else. Plug it in again; is its shield on ground?",
}

Feed = Callable[[Block], tuple[Finding, ...]]
"""What finds the blows, such as `kloplei.knock.detector.Listener.feed`."""


class Piezos:
    """All piezos of a box; works on the thread of its *source*, and has none of its own.

    A disc that hums is named and not listened to until it is quiet, so that the others are
    still heard.

    Args:
        source: Where blocks come from; closed with this.
        names: What each channel is called, such as ``piezo 3``.
        feed: What finds the blows.
        hearer: Where the findings go.
        faults: Where troubles of single discs go.
    """

    def __init__(
        self,
        source: BlockSource,
        names: Sequence[str],
        feed: Feed,
        hearer: Hearer,
        faults: FaultRegistry,
    ) -> None:
        self._source = source
        self._names = tuple(names)
        self._feed = feed
        self._hearer = hearer
        self._faults = faults
        self._offset = DcOffset()
        self._meter = PeakMeter(source.channels)
        self._health = [SensorHealth() for _ in names]
        self._channel_faults: list[Fault | None] = [None for _ in names]
        self._overheard: TakeBlock | None = None
        source.start(self._take)

    def feed_to(self, feed: Feed) -> None:
        """Let *feed* find the blows from the next block on: the table has been tuned."""
        self._feed = feed

    def overhear(self, take: TakeBlock | None) -> None:
        """Let *take* have every block as it was sampled, and judge none; None judges again."""
        self._overheard = take

    def close(self) -> None:
        """Hear nothing more; may be called twice."""
        self._source.close()

    def _take(self, block: Block) -> None:
        try:
            felt = self._offset.taken_off(block)
            self._look_after(felt)
            if (take := self._overheard) is not None:
                take(block)
            else:
                self._hear(felt)
        except Exception:
            logger.exception("a block of the piezos was lost; they go on")

    def _hear(self, block: Block) -> None:
        if peaks := self._meter.peaks_of(block):
            self._hearer.loudness(PIEZOS, peaks, block.end_s)
        for finding in self._feed(self._without_hum(block)):
            if isinstance(finding, Struck):
                self._hearer.struck(finding)
            else:
                self._hearer.judged(finding)

    def _look_after(self, block: Block) -> None:
        for channel, (health, rest) in enumerate(
            zip(self._health, self._offset.levels, strict=True)
        ):
            fault = health.fault(block, channel, rest)
            if fault is not self._channel_faults[channel]:
                self._tell(self._names[channel], self._channel_faults[channel], fault, rest)
                self._channel_faults[channel] = fault

    def _tell(self, name: str, before: Fault | None, now: Fault | None, rest: float) -> None:
        if now is not None:
            self._faults.tell(name, _TROUBLES[now], f"{name} {_says(now, rest)}")
        if before is not None:
            self._faults.heal(name, _TROUBLES[before])

    def _without_hum(self, block: Block) -> Block:
        if Fault.HUM not in self._channel_faults:
            return block
        channels = tuple(
            [0.0] * len(samples) if fault is Fault.HUM else samples
            for samples, fault in zip(block.channels, self._channel_faults, strict=True)
        )
        return replace(block, channels=channels)


def _says(fault: Fault, rest: float) -> str:
    """Return what *fault* is and what to do, of a channel whose level is *rest*."""
    if fault is Fault.STUCK and abs(rest) > _AT_ITS_END:
        return _AT_THE_TOP if rest > 0 else _AT_THE_BOTTOM
    return _SAYS[fault]


class PeakMeter:
    """The loudest sample of each channel, some ten times a second."""

    def __init__(self, channels: int, every_s: float = METER_S) -> None:
        self._every_s = every_s
        self._silence = (0.0,) * channels
        self._peaks = self._silence
        self._told_s = float("-inf")

    def peaks_of(self, block: Block) -> tuple[float, ...]:
        """Return the peaks since they were last told, 0 to 1; none while it is too early."""
        self._peaks = tuple(
            [
                min(1.0, max(peak, highest, -lowest))
                for peak, (lowest, highest) in zip(self._peaks, block.extremes, strict=True)
            ]
        )
        if block.end_s - self._told_s < self._every_s:
            return ()
        self._told_s = block.end_s
        peaks, self._peaks = self._peaks, self._silence
        return peaks
