"""The piezos of a box: block by block into the judge, and what it finds to whoever hears."""

import logging
from collections.abc import Callable

from kloplei.devices.sources import BlockSource
from kloplei.knock.bias import Bias
from kloplei.knock.listener import Finding
from kloplei.knock.signal import Block
from kloplei.knock.verdict import Hearer, Struck

_log = logging.getLogger(__name__)

METER_S = 0.1  # a live meter is told so often
PART = "piezos"

Feed = Callable[[Block], tuple[Finding, ...]]
"""What finds the blows, such as `kloplei.knock.listener.Listener.feed`."""


class Piezos:
    """All piezos of a box; works on the thread of its *source*, and has none of its own.

    Args:
        source: Where blocks come from; closed with this.
        feed: What finds the blows.
        hearer: Where the findings go.
    """

    def __init__(self, source: BlockSource, feed: Feed, hearer: Hearer) -> None:
        self._source = source
        self._feed = feed
        self._hearer = hearer
        self._bias = Bias()
        self._meter = Meter(source.channels)
        source.start(self._take)

    def close(self) -> None:
        """Hear nothing more; may be called twice."""
        self._source.close()

    def _take(self, block: Block) -> None:
        level = self._bias.taken_off(block)
        try:
            for finding in self._feed(level):
                self._tell(finding)
            if peaks := self._meter.peaks_of(level):
                self._hearer.loudness(PART, peaks, level.end_s)
        except Exception:  # noqa: BLE001 - one block that is misjudged must not end the evening
            _log.exception("a block of the piezos was lost; they go on")

    def _tell(self, finding: Finding) -> None:
        if isinstance(finding, Struck):
            self._hearer.struck(finding)
        else:
            self._hearer.judged(finding)


class Meter:
    """The loudest sample of each channel, some ten times a second."""

    def __init__(self, channels: int, every_s: float = METER_S) -> None:
        self._every_s = every_s
        self._silence = (0.0,) * channels
        self._peaks = self._silence
        self._told_s = float("-inf")

    def peaks_of(self, block: Block) -> tuple[float, ...]:
        """Return the peaks since they were last told, 0 to 1; none while it is too early."""
        self._peaks = tuple(
            min(1.0, max((peak, max(channel), -min(channel))))
            for peak, channel in zip(self._peaks, block.channels, strict=True)
        )
        if block.end_s - self._told_s < self._every_s:
            return ()
        self._told_s = block.end_s
        peaks, self._peaks = self._peaks, self._silence
        return peaks
