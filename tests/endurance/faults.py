"""What breaks in a pub, how it is told, and how it is over again."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, cycle

from tests.endurance.pub import Pub

PATIENCE_S = 20.0
STREAMS = 40
MOST_STEPS = 2000  # more than a log takes that is not folded into its file
ASK = {"action": "rename", "name": "Tame"}
"""Something a phone may ask at any time."""


@dataclass(frozen=True)
class Fault:
    """*begin* breaks something, *is_told* says whether people hear of it, *end* mends it.

    *is_lasting*: it lies in the box, so that a table that starts anew meets it again. *hides*
    is one that nobody can notice meanwhile.
    """

    name: str
    begin: Callable[[Pub], object]
    is_told: Callable[[Pub], bool]
    end: Callable[[Pub], object]
    is_lasting: bool = False
    hides: str = ""


def eventually(holds: Callable[[], object], pub: Pub | None = None) -> bool:
    """Wait until *holds*, for what other threads and processes do; time passes at *pub*."""
    until_s = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > until_s:
            return False
        if pub is not None:
            pub.do("wait", 1.0)
        time.sleep(0.01)
    return True


def in_the_box(name: str, *told: str, hides: str = "") -> Fault:
    """Return a fault of a part, told by a notice that holds *told*."""
    return Fault(
        name,
        lambda pub: pub.do("break", name),
        lambda pub: stands_everywhere(pub, *told),
        lambda pub: pub.do("mend", name),
        is_lasting=True,
        hides=hides,
    )


def stands_everywhere(pub: Pub, *told: str) -> bool:
    """Tell whether slate and phones say so; a phone that gets no page cannot."""

    names = cycle(("Thijs", "Mathijs"))

    def on_the_slate() -> list[str]:
        pub.do("rename", next(names))  # a slate that need not change is not written to
        return [one for one in pub.notices if all(word in one for word in told)]

    if not eventually(on_the_slate, pub):
        return False
    (sentence, *_) = on_the_slate()
    status, page = pub.page()
    return status == 0 or sentence in page


def try_until_refused(pub: Pub) -> None:
    """Use up what the journal's own log has left, as an evening does by itself."""
    assert pub.do("rename", "Thijs", MOST_STEPS), "a full disk took everything"


def fill(pub: Pub) -> None:
    pub.do("fill")
    try_until_refused(pub)
    pub.do("fill")  # letting go of its log made a little room
    pub.is_full = True


def free(pub: Pub) -> None:
    pub.do("free")
    pub.is_full = False


def make_read_only(pub: Pub) -> None:
    """As after an error of the card; nothing may be open for writing, or the kernel will not."""
    if not pub.is_full:
        pub.do("fill")
        try_until_refused(pub)
        pub.do("free")
    pub.do("remount", "ro")
    pub.is_read_only = True


def make_writable(pub: Pub) -> None:
    pub.do("remount", "rw")
    pub.is_read_only = False


def is_not_kept(pub: Pub) -> bool:
    """Tell whether a full or read-only disk is said to everybody, and first to who asked."""
    try_until_refused(pub)
    told = ("is read-only", "Restart the box") if pub.is_read_only else ("is full", "Free some")
    status, answer = pub.do("post", "/api/v1/seats/2/actions", ASK)
    if status == 0:
        return stands_everywhere(pub, "cannot write", *told)
    said = json.loads(answer)
    is_refused = (status, said["error"]) == (503, "not_kept")
    return (
        is_refused
        and "was not done" in said["message"]
        and stands_everywhere(pub, "cannot write", *told)
    )


def nobody_answers(pub: Pub) -> bool:
    """A phone shows that it lost the box by itself, as tests/browser finds."""
    return bool(pub.page()[0] == 0)


def kill_table(pub: Pub) -> None:
    pub.do("kill-box")
    status, page = pub.page()
    assert status == 0 or (status == 503 and "does not answer" in page)
    pub.do("start-box")


def crowd(name: str, phones: int) -> Fault:
    """Return the fault that so many *phones* come at once, more than can follow."""

    def come(pub: Pub) -> None:
        followed, turned_away = pub.do("crowd", phones)
        # Or nobody was there.
        assert (followed, turned_away) in {(STREAMS, phones - STREAMS), (0, 0)}

    return Fault(name, come, nothing_to_tell, lambda pub: pub.do("send-home"))


def nothing_to_tell(pub: Pub) -> bool:
    return True


TWO_HUNDRED_PHONES, FIFTY_PHONES = crowd("two-hundred-phones", 200), crowd("fifty-phones", 50)
FAULTS = (
    in_the_box("i2c-errors", "the slate", "no OLED answers"),
    in_the_box("i2c-unplugged", "the slate", "no OLED answers"),
    in_the_box("spi-stuck", "the piezos", "no converter answers"),
    in_the_box("spi-hangs", "Stuck: the piezos", hides="spi-stuck"),
    in_the_box("edge-storm", "Rattling: the knock pad of seat 5"),
    Fault(
        "clock-jumps",
        lambda pub: pub.do("break", "clock-jumps"),
        nothing_to_tell,
        lambda pub: pub.do("mend", "clock-jumps"),
        is_lasting=True,
    ),
    Fault("disk-full", fill, is_not_kept, free),
    Fault("disk-read-only", make_read_only, is_not_kept, make_writable),
    Fault(
        "panel-killed",
        lambda pub: pub.do("kill-panel"),
        nobody_answers,
        lambda pub: pub.do("start-panel"),
    ),
    Fault("table-killed", kill_table, nothing_to_tell, lambda pub: None),
    Fault(
        "network-gone",
        lambda pub: pub.do("network", False),
        nobody_answers,
        lambda pub: pub.do("network", True),
    ),
    TWO_HUNDRED_PHONES,
    Fault(
        "slow-phones",
        lambda pub: pub.do("sleepers"),
        nothing_to_tell,
        lambda pub: pub.do("send-home"),
    ),
)
_SPOKEN_FOR = {"i2c-errors", "spi-stuck"}
_IN_PAIRS = [
    FIFTY_PHONES if one is TWO_HUNDRED_PHONES else one
    for one in FAULTS
    if one.name not in _SPOKEN_FOR
]
PAIRS = [*combinations(FAULTS[:2], 2), *combinations(FAULTS[2:4], 2), *combinations(_IN_PAIRS, 2)]
"""What comes two at once. Of two that break one part, the one that breaks more meets all others:
an unplugged slate forgets, too, and a converter that hangs lets nobody go. Ten phones too many are
too many, and cost a quarter of two hundred.
"""
