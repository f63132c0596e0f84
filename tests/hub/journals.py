"""Journals as boxes have them, made up: whole steps with links, and messages of them."""

from hashlib import sha256
from itertools import accumulate
from typing import Any

from kloplei.frozen import dataclass
from kloplei.table.uplink_client import EraBegun, HouseEntry
from kloplei.uplink.wire import Steps, encode


def link_of(*told: object) -> str:
    return sha256(repr(told).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Journal:
    """Steps of so many entries each, in *era*; the same *story* has the same links."""

    era: str
    sizes: tuple[int, ...]
    story: str = "one"
    told_alike: int = 0
    """So many steps are the same in every story."""

    @property
    def ends(self) -> tuple[int, ...]:
        """Where a message may begin and end."""
        return (0, *accumulate(self.sizes))

    @property
    def last(self) -> int:
        return self.ends[-1]

    def link(self, end: int) -> str:
        at = self.ends.index(end)
        return link_of(end, "" if at <= self.told_alike else self.story) if end else ""

    def entries(self, after: int, upto: int) -> tuple[HouseEntry, ...]:
        found = []
        for first, last in zip(self.ends, self.ends[1:], strict=False):
            for seq in range(first + 1, last + 1):
                link = self.link(last) if seq == last else None
                if after < seq <= upto:
                    facts = f'{{"n":{seq}}}'
                    found.append(HouseEntry(seq, last, 1.0, 0, "pad", "Knocked", facts, link))
        return tuple(found)

    def steps(
        self, after: int = 0, upto: int | None = None, begun: EraBegun | None = None
    ) -> Steps:
        entries = self.entries(after, self.last if upto is None else upto)
        return Steps(self.era, after, self.link(after), entries, begun)

    def body(self, *where: Any, **more: Any) -> bytes:
        return encode(self.steps(*where, **more))
