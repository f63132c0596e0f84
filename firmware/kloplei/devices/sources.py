"""Where blocks of samples come from: a converter on the header, or discs nobody can touch."""

from collections.abc import Callable
from typing import Protocol

from kloplei.knock.signal import Block

TakeBlock = Callable[[Block], None]

BLOCK_S = 0.016  # long enough to be cheap, short against the 50 ms that a judgement takes


class BlockSource(Protocol):
    """Something that has piezos: it hands in what they give, block after block.

    Samples run from -1 to 1 and may rest anywhere between; blocks come in the order of their
    time, from one thread, and mostly end where the next one starts. Time that nobody sampled
    is a gap between two blocks, never made up.
    """

    @property
    def channels(self) -> int:
        """How many channels each block has."""
        ...

    def start(self, take: TakeBlock) -> None:
        """Begin to hand blocks to *take*, which lasts no longer than a block does."""
        ...

    def close(self) -> None:
        """Hand in nothing more, and let go of what is held; may be called twice."""
        ...
