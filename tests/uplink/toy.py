"""A journal and a house small enough to be seen through, which do what real ones do."""

import hashlib
from collections.abc import Sequence

from kloplei.table.client import BadRequest
from kloplei.table.uplink_client import EraBegun, HouseEntry, StepsAfter
from kloplei.uplink.wire import Have, Steps

MOST = 5  # entries in one message


def next_link(link: str, era: str, text: str) -> str:
    return hashlib.sha256(f"{link}{era}{text}".encode()).hexdigest()[:12]


class ToyJournal:
    """Steps of entries in one era after another, as `UplinkClient.steps` tells of them."""

    def __init__(self, box: str = "box", era: str = "era-1", salt: str = "") -> None:
        self.box, self.era, self.salt = box, era, salt
        self.begun: EraBegun | None = None
        self.entries: list[HouseEntry] = []
        self.sealed_from: int | None = None
        self.asked = 0

    def write(self, size: int = 1) -> None:
        """Write one step of so many entries."""
        first = len(self.entries) + 1
        link = next_link(self.link_at(first - 1), self.era, f"{self.salt}{first}")
        for seq in range(first, first + size):
            end = link if seq == first + size - 1 else None
            facts = f'{{"n":{seq}}}'
            self.entries.append(HouseEntry(seq, first, None, None, "pad", "Toyed", facts, end))

    def begin_era(self, era: str, after: int) -> None:
        """Go on in another era behind entry *after*, as a box does that was restored."""
        self.begun = EraBegun(self.era, after, self.link_at(after))
        self.era = era
        del self.entries[after:]

    def link_at(self, seq: int) -> str:
        return "" if seq == 0 else self.entries[seq - 1].link or ""

    def ends(self) -> Sequence[int]:
        return [0, *(one.seq for one in self.entries if one.link)]

    def steps(self, after: int, most: int = MOST) -> StepsAfter:
        self.asked += 1
        if after not in self.ends():
            raise BadRequest(f"No step ends with {after}.")
        told: list[HouseEntry] = []
        for end in (one for one in self.ends() if one > after):
            is_sealed = self.sealed_from is not None and end >= self.sealed_from
            if is_sealed or (told and end - after > most):
                break
            told = self.entries[after:end]
        last = len(self.entries)
        link = self.link_at(after)
        return StepsAfter(self.box, self.era, after, link, last, tuple(told), self.begun)


class ToyHouse:
    """Keeps what follows on, and says after it what it has."""

    def __init__(self) -> None:
        self.era = ""
        self.kept: list[HouseEntry] = []
        self.refused: str | None = None
        self.took = 0

    def take(self, message: Steps) -> Have:
        """Keep what follows on, and answer."""
        self.took += 1
        if message.era != self.era:
            self._begin(message)
        if self.refused or self._contradicts(message):
            self.refused = "twin"
        elif message.after <= len(self.kept) and message.entries:
            new = [one for one in message.entries if one.seq > len(self.kept)]
            self.kept.extend(new)
        return self.have()

    def have(self) -> Have:
        """Say what it has."""
        link = self.kept[-1].link or "" if self.kept else ""
        return Have(self.era, len(self.kept), link, self.refused)

    def forget(self, seq: int) -> None:
        """Be what it was when it had no more than *seq*, as one that is restored."""
        ends = [0, *(one.seq for one in self.kept if one.link)]
        del self.kept[max(one for one in ends if one <= seq) :]

    def _begin(self, message: Steps) -> None:
        begun = message.begun
        has_it = begun and begun.after <= len(self.kept) and begun.era == self.era
        goes_on = has_it and begun and self._link_at(begun.after) == begun.link
        del self.kept[begun.after if begun and goes_on else 0 :]
        self.era = message.era

    def _contradicts(self, message: Steps) -> bool:
        is_kept = message.after <= len(self.kept)
        return is_kept and self._link_at(message.after) != message.link

    def _link_at(self, seq: int) -> str:
        return "" if seq == 0 else self.kept[seq - 1].link or ""
