"""What steps from a box mean for what is kept of it: judged here, stored by `_keeping`.

Pure: what stands in the database comes as arguments. An era is a line of entries of one box, and
may go on from a *parent*, whose entries up to *after* are its own. What follows on is kept; what is
there already has to be the same; anything else is answered with what is there.
"""

import re
from collections.abc import Callable, Mapping
from itertools import groupby
from math import isfinite
from typing import Final, Literal

from kloplei.frozen import dataclass, replace
from kloplei.table.schema import MOST_WHOLE
from kloplei.table.uplink_client import HouseEntry
from kloplei.uplink.wire import BadMessage, Have, Steps

TWIN: Final = "twin"
UNKNOWN: Final = "unknown"
MALFORMED: Final = "malformed"
MOST_ERAS: Final = 1000
"""Of one box: one begins when a card is put back or somebody forgotten, not every evening."""
_LONGEST = 64
_MOST_SEATS = 64
_LINK = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Era:
    """What is kept of one era: all up to entry *seq*, whose step has that *link*."""

    era: str
    parent: str | None = None
    after: int = 0
    seq: int = 0
    link: str = ""
    superseded: str | None = None
    quarantined: str | None = None

    @property
    def have(self) -> Have:
        """Return what a box that plays in it is told."""
        refused = TWIN if self.superseded is not None else self.quarantined
        return Have(self.era, self.seq, self.link, refused)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a message comes to: *have* is the answer, once the rest is on the disk.

    *era* is how the era stands from now on, None where nothing has changed of it; *entries* are to
    be kept. *supersedes* are eras whose place this one takes, in that order, each with up to which
    entry what is kept of it becomes this one's.
    """

    have: Have
    era: Era | None = None
    entries: tuple[HouseEntry, ...] = ()
    supersedes: tuple[tuple[str, int], ...] = ()
    kind: Literal["kept", "known", "gap", "refused"] = "known"


Links = Callable[[Era, int, int], Mapping[int, str]]
"""Of an era, its parents' included: the links from one entry to another, ends included."""


def checked(steps: Steps) -> Steps:
    """Return *steps* whose entries are whole steps that follow on one another.

    Raises:
        BadMessage: They are not; the message says what is wrong.
    """
    begun = steps.begun
    texts = [steps.era] if begun is None else [steps.era, begun.era, *begun.replaced]
    if len(texts) > MOST_ERAS or not all(_is_word(one) for one in texts):
        raise BadMessage("An era is a word of 1 to 64 letters.")
    if steps.begun is not None and steps.begun.era == steps.era:
        raise BadMessage("No era begins behind itself.")
    ends = [(one.after, one.link) for one in (steps, steps.begun) if one is not None]
    for after, link in ends:
        if not 0 <= after <= MOST_WHOLE or not _fits(after, link):
            raise BadMessage("`link` is that of the step which ends at `after`, 64 hex digits.")
    after = steps.after
    for _, of_one in groupby(steps.entries, key=lambda entry: entry.step):
        step = tuple(of_one)
        _check_step(step, after + 1)
        after = step[-1].seq
    return steps


def judge(steps: Steps, eras: Mapping[str, Era], links: Links) -> Judged:
    """Return what *steps*, which are `checked`, come to for a box that has those *eras*.

    Args:
        steps: What the box sent.
        eras: All eras of the box, by name.
        links: What is kept of an era's links.
    """
    over = _superseded(steps, eras)
    era = eras.get(steps.era)
    if era is not None:
        told = tuple((one, 0) for one in _within_bounds(era, eras, over))
        return replace(_go_on(era, steps, links), supersedes=told)
    if len(eras) + len(over) >= MOST_ERAS:
        return _refused(Era(steps.era), MALFORMED)
    return _begin(steps, eras, over, links)


def _within_bounds(era: Era, eras: Mapping[str, Era], over: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of *over* the *era* that is known here may supersede."""
    if era.superseded is not None:
        return ()  # what has been replaced takes nobody's place
    if len(eras) + sum(one not in eras for one in over) > MOST_ERAS:
        return tuple(one for one in over if one in eras)
    return over


def _begin(steps: Steps, eras: Mapping[str, Era], over: tuple[str, ...], links: Links) -> Judged:
    """Return what *steps* come to that begin a new era, which supersedes *over*."""
    begun = _begun(steps, eras, links)
    found = _go_on(begun, steps, links)
    if found.era is None and begun.parent is None and not over:
        return found
    stands = found.era or begun
    inherits: dict[str, int] = {}
    while stands.parent in over:
        # What its parent has up to there becomes its own, and that has gone on from another one.
        before = eras[str(stands.parent)]
        inherits[before.era] = stands.after
        stands = replace(stands, parent=before.parent, after=min(before.after, stands.after))
    # A parent before its own, whose end lets go of who went on from it.
    told = (*inherits.items(), *((one, 0) for one in over if one not in inherits))
    return replace(found, era=stands, supersedes=told)


def _superseded(steps: Steps, eras: Mapping[str, Era]) -> tuple[str, ...]:
    """Return the eras that the one of *steps* supersedes, as far as that is news."""
    if steps.begun is None:
        return ()
    begun = steps.begun
    told = (*begun.replaced, *([begun.era] if begun.supersedes else []))
    news = dict.fromkeys(one for one in told if one != steps.era)
    return tuple(one for one in news if one not in eras or eras[one].superseded is None)


def _begun(steps: Steps, eras: Mapping[str, Era], links: Links) -> Era:
    """Return the era that *steps* begin: behind its parent's entries where they are kept here."""
    before = steps.begun
    if before is None or before.era not in eras:
        return Era(steps.era)
    parent = eras[before.era]
    if parent.superseded is not None or not 0 < before.after <= parent.seq:
        return Era(steps.era)
    if _links_of(parent, before.after, before.after, links) != {before.after: before.link}:
        return Era(steps.era)  # it tells all of it anew
    return Era(steps.era, parent.era, before.after, before.after, before.link)


def _go_on(era: Era, steps: Steps, links: Links) -> Judged:
    if era.superseded is not None or era.quarantined is not None:
        return Judged(era.have, kind="refused")
    if steps.after > era.seq:
        return Judged(era.have, kind="gap")
    if not _is_same(era, steps, links):
        return _refused(era, TWIN)
    entries = tuple(one for one in steps.entries if one.seq > era.seq)
    if not entries:
        return Judged(era.have)
    grown = replace(era, seq=entries[-1].seq, link=entries[-1].link or "")
    return Judged(grown.have, grown, entries, kind="kept")


def _is_same(era: Era, steps: Steps, links: Links) -> bool:
    """Whether all of *steps* that is kept already is the same, step for step."""
    if steps.after == era.seq:
        return steps.link == era.link
    told = {one.seq: one.link for one in steps.entries if one.link and one.seq <= era.seq}
    told |= {steps.after: steps.link} if steps.after else {}
    last = min(steps.entries[-1].seq if steps.entries else steps.after, era.seq)
    return told == _links_of(era, max(steps.after, 1), last, links)


def _links_of(era: Era, first: int, last: int, links: Links) -> Mapping[int, str]:
    """Return what is kept of links, without a look for the last one."""
    if first == last == era.seq:
        return {era.seq: era.link}
    return links(era, first, last) if first <= last else {}


def _refused(era: Era, why: str) -> Judged:
    quarantined = replace(era, quarantined=why)
    return Judged(quarantined.have, quarantined if why == TWIN else None, kind="refused")


def _check_step(step: tuple[HouseEntry, ...], first: int) -> None:
    """Refuse a step that is not whole, or does not begin with entry *first*."""
    numbers = [entry.seq for entry in step]
    if numbers != list(range(first, first + len(step))) or step[0].step != numbers[-1]:
        raise BadMessage(f"Entry {first} should follow, and begin a step that is here to its end.")
    if numbers[-1] > MOST_WHOLE:
        raise BadMessage("No journal has so many entries.")
    if any(entry.link is not None for entry in step[:-1]) or not _LINK.fullmatch(
        step[-1].link or ""
    ):
        raise BadMessage(f"The step {first} has no link with its last entry, or one before it.")
    for entry in step:
        if not all(_is_word(one) for one in (entry.via, entry.event)):
            raise BadMessage(f"Entry {entry.seq}: `via` and `event` are words of 1 to 64 letters.")
        if not (entry.seat is None or 0 <= entry.seat < _MOST_SEATS):
            raise BadMessage(f"Entry {entry.seq}: there is no such seat.")
        if not (entry.at is None or isfinite(entry.at)):
            raise BadMessage(f"Entry {entry.seq}: `at` is no moment.")


def _is_word(written: str) -> bool:
    return 1 <= len(written) <= _LONGEST and written.isascii() and written.isprintable()


def _fits(after: int, link: str) -> bool:
    return link == "" if after == 0 else bool(_LINK.fullmatch(link))
