"""From samples to patterns, in whatever pieces: each blow is told, shown and counted once."""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.detector import Finding, Listener
from kloplei.knock.judgement import DEAD_S, Judgement, Struck, Verdict
from kloplei.knock.signal import Block, Window
from kloplei.recordings._listening import Found
from kloplei.table.expectation import Expectations
from kloplei.table.gestures import Gestures, Pattern
from kloplei.table.messages import finding
from tests.examples import examples
from tests.table.seated import TIMINGS, Tabletop

RATE_HZ = 4000.0
BEGUN_S = 100.0
SEATS = (Seat(0), Seat(1))
Blow = tuple[float, float, int, float]
"""So long after the one before, so loud, at which seat, and how sure a knock by itself."""

# Some 0.03 to 0.6 s apart, all multiples of 11 samples: no two lie just as far apart as any limit
# is, where the last bit of a time decides.
BLOWS = st.lists(
    st.tuples(
        st.sampled_from([at / RATE_HZ for at in (121, 242, 484, 803, 1199, 1606, 2398)]),
        st.sampled_from([0.015, 0.03, 0.05, 0.07, 0.1, 0.5]),
        st.sampled_from([0, 0, 0, 1]),
        st.sampled_from([0.02, 0.12, 0.24, 0.3, 0.45, 0.9]),
    ),
    min_size=2,
    max_size=7,
)


def signal(blows: Sequence[Blow]) -> tuple[list[list[float]], list[float]]:
    """Return what two discs feel of *blows*, and when those were."""
    onsets_s = [0.4 + sum(one[0] for one in blows[: at + 1]) for at in range(len(blows))]
    chance = random.Random(1)
    length = round((onsets_s[-1] + 0.4) * RATE_HZ)
    channels = [[chance.gauss(0.0, 0.0005) for _ in range(length)] for _ in SEATS]
    for onset_s, (_, peak, seat, _) in zip(onsets_s, blows, strict=True):
        for channel, samples in enumerate(channels):
            loud = peak if channel == seat else 0.3 * peak
            first = round(onset_s * RATE_HZ) + 4 * (channel != seat)
            for at in range(300):
                since_s = at / RATE_HZ
                samples[first + at] += (
                    1.4 * loud * math.exp(-since_s / 0.01) * math.sin(math.tau * 190 * since_s)
                )
    return channels, onsets_s


def hear(blows: Sequence[Blow], lengths: Sequence[int] = ()) -> list[Finding]:
    """Return what is found in *blows*, in pieces of so many samples in turn; in one if of none."""
    channels, onsets_s = signal(blows)

    def sure(window: Window, _: Calibration) -> float:
        since_s = [abs(window.onset_s - BEGUN_S - onset_s) for onset_s in onsets_s]
        return blows[since_s.index(min(since_s))][3]

    listener, begin, found = Listener(SEATS, judge=sure), 0, list[Finding]()
    while begin < len(channels[0]):
        length = lengths[begin % len(lengths)] if lengths else len(channels[0])
        piece = tuple(one[begin : begin + length] for one in channels)
        found += listener.feed(Block(BEGUN_S + begin / RATE_HZ, RATE_HZ, piece))
        begin += length
    return [*found, *listener.flush()]


def figures(one: Finding) -> tuple[object, ...]:
    """Return all of *one* but its samples, of its numbers what no rounding moves."""
    if isinstance(one, Struck):
        return round(one.at_s, 9), round(one.strength, 9)
    return (
        one.verdict,
        one.seat,
        one.amends,
        one.is_held,
        *(round(each, 9) for each in (one.at_s, one.decided_at_s, one.strength, one.likelihood)),
    )


def judged(found: Sequence[Finding]) -> list[Judgement]:
    return [one for one in found if isinstance(one, Judgement)]


def at_table(found: Sequence[Judgement]) -> tuple[list[Judgement], list[Pattern]]:
    """Return what a table is told of *found*, and the patterns that it takes it for."""
    tabletop, patterns = Tabletop(seats=2).start(1, 2), list[Pattern]()
    tabletop.ask(1, "deal")
    expectations = Expectations(tabletop.table.expectation)

    def due(gestures: Gestures, now_s: float) -> tuple[Pattern, ...]:
        ended = all_due(gestures, now_s)
        patterns.extend(ended)
        return ended

    def told() -> Iterator[Judgement]:
        for one in found:
            if (weighed := expectations.weigh(one)) is not None:
                tabletop.table.handle(finding(weighed), one.decided_at_s)
                yield weighed

    all_due = Gestures.due
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Gestures, "due", due)
        heard = list(told())
        tabletop.now_s = heard[-1].decided_at_s if heard else tabletop.now_s
        tabletop.wait(2 * TIMINGS.gap_s)
    return heard, patterns


SOFT_PAIR: list[Blow] = [(0.3, 0.05, 0, 0.24), (0.3, 0.05, 0, 0.24)]


@settings(max_examples=examples(60), deadline=None)
@given(BLOWS, st.lists(st.integers(7, 700), min_size=1, max_size=7))
@example([*SOFT_PAIR, (0.06, 0.05, 0, 0.24)], [64])  # the second one is echoed
@example([SOFT_PAIR[0], (0.06, 0.05, 0, 0.24), SOFT_PAIR[1]], [64])  # and the first one
@example([SOFT_PAIR[0], (0.2, 0.5, 0, 0.9), (0.2, 0.05, 0, 0.24)], [7])  # another one between
def test_each_blow_is_told_shown_and_counted_once(blows: list[Blow], lengths: list[int]) -> None:
    found = hear(blows, lengths)

    assert list(map(figures, found)) == list(map(figures, hear(blows))), "the pieces tell nothing"
    _is_amended_once(judged(found))
    _is_listed_once(judged(found))
    heard, patterns = at_table(judged(found))
    _is_counted_once(heard, patterns)


def _is_amended_once(found: Sequence[Judgement]) -> None:
    for at, one in enumerate(found):
        before = [each for each in found[:at] if each.at_s == one.at_s]
        if one.amends:
            assert [each.amends for each in before] == [False]
            assert before[0].verdict is not Verdict.KNOCK
        else:
            assert not before
    knocks = [one for one in found if one.verdict is Verdict.KNOCK]
    for one, other in ((one, other) for one in knocks for other in knocks if one is not other):
        assert one.seat != other.seat or abs(one.at_s - other.at_s) >= DEAD_S, "that is its echo"


def _is_listed_once(judgements: Sequence[Judgement]) -> None:
    found = Found()
    for one in judgements:
        found.add(replace(one, window=None))
    lists = [[one.at_s for one in found.those(verdict)] for verdict in Verdict]
    assert all(one == sorted(one) for one in lists)
    assert set(Counter(at_s for one in lists for at_s in one).values()) <= {1}
    assert sum(one.count for one in found.patterns) == len(found.those(Verdict.KNOCK))
    assert all(one.at_s <= one.last_s for one in found.patterns)


def _is_counted_once(heard: Sequence[Judgement], patterns: Sequence[Pattern]) -> None:
    counted = [at_s for one in patterns for at_s in one.blows]
    assert set(Counter(counted).values()) <= {1}
    last = {one.at_s: one for one in heard}
    assert all(last[at_s].verdict is not Verdict.NOISE for at_s in counted)
    for one in patterns:
        assert one.knocks == len(one.blows)
        assert one.doubtful == len(one.doubts)
        assert one.began_s == min(one.blows)
        assert set(one.doubts) <= set(one.blows)
        settled = [at_s for at_s in one.doubts if last[at_s].amends]
        assert all(last[at_s].verdict is Verdict.DOUBTFUL for at_s in settled), "nobody is asked"
