"""Takes off the level at which a channel rests: a converter reads from 0, a piezo swings."""

from dataclasses import replace

from kloplei.knock.signal import Block, Samples, finite

FOLLOWS_S = 1.0  # the level drifts with warmth, in minutes; the lowest knock swings in 5 ms


class Bias:
    """Follows the mean of each channel so slowly that no knock bends it.

    Args:
        follows_s: Within this time the level has followed most of the way.
    """

    def __init__(self, follows_s: float = FOLLOWS_S) -> None:
        self._follows_s = follows_s
        self._levels: tuple[float, ...] = ()

    @property
    def levels(self) -> tuple[float, ...]:
        """What is taken off each channel, full scale -1 to 1; empty before the first block."""
        return self._levels

    def taken_off(self, block: Block) -> Block:
        """Return *block* around zero; the first one sets the level."""
        # A single sample that is no number would stay in the level for ever.
        block = replace(block, channels=tuple(map(finite, block.channels)))
        if len(block.channels) != len(self._levels):
            # The middle sample, not the mean: a recording may begin with a blow.
            self._levels = tuple(sorted(channel)[len(channel) // 2] for channel in block.channels)
        else:
            self._follow(block)
        channels: tuple[Samples, ...] = tuple(
            [sample - level for sample in channel]
            for channel, level in zip(block.channels, self._levels, strict=True)
        )
        return replace(block, channels=channels)

    def _follow(self, block: Block) -> None:
        share = min(1.0, len(block.channels[0]) / block.rate_hz / self._follows_s)
        self._levels = tuple(
            level + share * (sum(channel) / len(channel) - level)
            for level, channel in zip(self._levels, block.channels, strict=True)
        )
