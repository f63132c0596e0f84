"""The trimmers of pads: knocks and glasses at each, and which way to turn it, until it is set well.

A pad tells no level, only when it was loud and for how long. `trim` leads people from pad to pad,
`PadBench` opens the pins for it; how far to turn, `kloplei.knock.trimmer` says.
"""

import queue
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from kloplei.config.settings import AdcConfig, AudioConfig, Config
from kloplei.diagnostics.findings import bad, good, poor
from kloplei.diagnostics.sensors import PATIENCE_S, FaultInbox
from kloplei.knock import trimmer
from kloplei.knock.judgement import Judgement, Struck
from kloplei.knock.trimmer import Advice, Trend, TrimmerTurn, Trimming
from kloplei.table.doctor_client import Finding

if TYPE_CHECKING:
    from gpiozero import Factory

ROUNDS = 8
SILENT_ROUNDS = 2
PAUSE_S = 4.0  # after the last blow: no more will come
ECHO_S = 0.25  # a hand that knocks one by one is slower


class BlowFeed(Protocol):
    """What pads feel, blow by blow, at a time of its own."""

    def now_s(self) -> float:
        """Return its time in seconds."""
        ...

    def blow(self, until_s: float) -> Judgement | None:
        """Return the next blow, None if none has come *until_s*; waits for it."""
        ...

    def turned(self) -> bool:
        """Wait until the trimmer was turned, and forget what came meanwhile; False ends it."""
        ...


class PadBench:
    """The pads of a box, opened by themselves: a `BlowFeed` in real time, and who complains.

    Args:
        config: What is wired where; piezos are left alone.
        turned: Asks for the trimmer to be turned, and returns whether somebody did.
        pin_factory: The pins; None for those of *config*.
    """

    def __init__(
        self, config: Config, turned: Callable[[], bool], pin_factory: "Factory | None" = None
    ) -> None:
        from kloplei.devices.box import Box

        self.pads = tuple(pad.part for pad in config.pads)
        self._turned = turned
        self._blows: queue.SimpleQueue[Judgement] = queue.SimpleQueue()
        self._faults = FaultInbox()
        pads_alone = replace(config, adc=AdcConfig(), audio=AudioConfig())
        self._box = Box(pads_alone, self._faults, hearer=self, pin_factory=pin_factory)

    def close(self) -> None:
        """Let go of the pins."""
        self._box.close()

    def trouble(self, pad: str) -> Finding | None:
        """Return what ails *pad*, or the whole header."""
        return self._faults.about(pad) or self._faults.about("pins")

    def now_s(self) -> float:
        """Return the monotonic time."""
        return time.monotonic()

    def blow(self, until_s: float) -> Judgement | None:
        """Wait for the next blow."""
        try:
            return self._blows.get(timeout=max(0.0, until_s - self.now_s()))
        except queue.Empty:
            return None

    def turned(self) -> bool:
        """Wait until somebody says so, and forget what the screwdriver did to the wood."""
        turned = self._turned()
        with suppress(queue.Empty):
            while True:
                self._blows.get_nowait()
        return turned

    def struck(self, struck: Struck) -> None:
        """Wait for what it is found to be."""

    def judged(self, judgement: Judgement) -> None:
        """Keep it for who asks."""
        self._blows.put(judgement)

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Leave it be: pads have none."""


def trim(
    pads: Sequence[str],
    feed: BlowFeed,
    trouble: Callable[[str], Finding | None],
    say: Callable[[str], None],
) -> Iterator[Finding]:
    """Lead people through the trimmers of *pads*, by name, and yield how each of them ended.

    Args:
        pads: In the order of the seats.
        feed: Where their blows come from.
        trouble: Returns what ails a pad, None if nothing does: one that is held down or storms
            feels no knock.
        say: Takes a line that says what to do, and how it was.
    """
    for pad in pads:
        yield trouble(pad) or _trimmed(pad, feed, trouble, say)


def _trimmed(
    pad: str,
    feed: BlowFeed,
    trouble: Callable[[str], Finding | None],
    say: Callable[[str], None],
) -> Finding:
    known, silent = Trimming(), 0
    for _ in range(ROUNDS):
        say(f"{pad}: knock five times at its seat, one by one, as hard as you always do")
        knocks, others = _round(feed, pad, trimmer.KNOCKS)
        glasses = None
        if knocks:
            say(f"{pad}: now put a glass down beside it, three times")
            glasses, _ = _round(feed, pad, trimmer.GLASSES)
        if found := trouble(pad):
            return found
        if len(others) > len(knocks):
            other, _ = Counter(others).most_common(1)[0]
            return bad(pad, "pad.elsewhere", "do.swap-plugs", other=other)
        known, advice = known.heard(knocks, glasses)
        if advice.turn is TrimmerTurn.GOOD:
            return _set_well(pad, advice)
        silent = silent + 1 if advice.turn is TrimmerTurn.SILENT else 0
        say(_spoken(pad, advice))
        if silent == SILENT_ROUNDS or not feed.turned():
            break
    if silent:
        return bad(pad, "pad.silent", "do.finer-or-wire")
    return poor(pad, "pad.unset", "do.go-on-turning", **_facts(advice))


def _round(feed: BlowFeed, pad: str, most: int) -> tuple[list[Judgement], list[str]]:
    """Return what *pad* felt of so many blows, and which other pads felt one first."""
    felt: list[Judgement] = []
    others: list[str] = []
    until_s, last_s = feed.now_s() + PATIENCE_S, float("-inf")
    while len(felt) < most and (blow := feed.blow(until_s)) is not None:
        until_s = feed.now_s() + PAUSE_S
        if blow.at_s - last_s < ECHO_S:
            continue
        last_s = blow.at_s
        if blow.part == pad:
            felt.append(blow)
        else:
            others.append(blow.part)
        if len(others) >= most:
            break
    return felt, others


def _set_well(pad: str, advice: Advice) -> Finding:
    facts = _facts(advice)
    if advice.most_glasses_pass:
        return poor(pad, "pad.passes", "do.glasses-away", **facts)
    return good(pad, "pad.good", **facts)


def _facts(advice: Advice) -> dict[str, object]:
    return {
        "felt": advice.felt,
        "knocks": advice.knocks,
        "passed": advice.passed or 0,
        "glasses": advice.glasses,
        "db": advice.db,
        "turns": f"{advice.turns:g}",
    }


def _spoken(pad: str, advice: Advice) -> str:
    """Return what a round came to, and what to do before the next."""
    if advice.turn is TrimmerTurn.SILENT:
        return f"{pad}: it felt nothing. Did somebody knock? Then turn its trimmer a good way finer"
    trend = "" if advice.trend is Trend.FIRST else f"{advice.trend}: "
    counts = f"knocks {advice.felt} of {advice.knocks}"
    if advice.passed is not None:
        counts += f", glasses {advice.passed} of {advice.glasses}"
    if advice.turn is TrimmerTurn.AGAIN:
        return f"{pad}: {trend}{counts}. Nearly: leave it, and do that once more to be sure"
    return (
        f"{pad}: {trend}{counts}. Turn its trimmer {advice.turn} by some {advice.db} dB"
        f" (of ten turns, about {advice.turns:g})"
    )
