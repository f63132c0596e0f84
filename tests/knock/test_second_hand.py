"""Two who knock at once: the first counts, and the second is not lost, though the wood rings."""

from collections.abc import Callable, Sequence
from math import dist, exp, hypot, pi, sin

import pytest

from benchmarks.measured_table import MCP3008
from kloplei.games.game import Seat
from kloplei.knock._second_hand import has_died_away, heard_alone, regrowth
from kloplei.knock.calibration import Calibration
from kloplei.knock.detector import Listener
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Block, Samples, Window
from kloplei.simulation.blows import Blow
from tests.knock.seated import table

RATE_HZ = 4000.0
AHEAD_S = 0.2
SEATS = 4
ALL_SEATS = tuple(map(Seat, range(SEATS)))


def knock_waves(seed: int, seat: int) -> list[Samples]:
    at = table(seed, SEATS, None)
    block = at.record(
        Blow.KNUCKLE,
        at.seats[seat],
        seed=seed,
        electronics=MCP3008,
        before_s=AHEAD_S,
        lasting_s=0.09,
    )
    assert block.rate_hz == RATE_HZ
    return list(block.channels)


def later(waves: Sequence[Samples], by_s: float) -> list[Samples]:
    late = round(by_s * RATE_HZ)
    return [[0.0] * late + list(wave)[: len(wave) - late] for wave in waves]


def both(waves: Sequence[Samples], others: Sequence[Samples]) -> list[Samples]:
    return [[a + b for a, b in zip(*pair, strict=True)] for pair in zip(waves, others, strict=True)]


def ears(
    waves: list[Samples], judge: Callable[[Window, Calibration], float]
) -> list[tuple[int | None, Verdict]]:
    """Return which seats are heard, noise left out, and what they are taken for."""
    listener = Listener(ALL_SEATS[: len(waves)], judge=judge)
    found = (*listener.feed(Block(0.0, RATE_HZ, tuple(waves))), *listener.flush())
    return [
        (one.seat, one.verdict)
        for one in found
        if isinstance(one, Judgement) and one.verdict is not Verdict.NOISE
    ]


def burst(at_s: float, loud: float, lasting_s: float = 0.3) -> Samples:
    """A ring of 900 Hz that begins at *at_s* and has died away in some 20 ms."""
    times = (number / RATE_HZ - AHEAD_S - at_s for number in range(round(RATE_HZ * lasting_s)))
    return [loud * sin(2 * pi * 900 * t) * exp(-t / 0.005) if t >= 0 else 0.0 for t in times]


def bursts(*blows: tuple[int, float]) -> list[Samples]:
    """Rings at discs 0 and 1; the other disc feels each of them weaker and a little later."""
    waves: list[Samples] = [burst(9.0, 0.0)] * 2
    for disc, at_s in blows:
        felt = [burst(at_s, 0.5), burst(at_s + 0.0008, 0.15)]
        waves = both(waves, felt if disc == 0 else felt[::-1])
    return waves


def window_of(waves: Sequence[Samples], at_s: float = 0.0) -> Window:
    return Window(AHEAD_S + at_s, 0.0, RATE_HZ, tuple(waves))


def knocks_apart(seed: int, first: int, second: int, by_s: float) -> list[Samples]:
    """Two hands at one table, the second one so much later."""
    return both(knock_waves(seed, first), later(knock_waves(seed + 50, second), by_s))


def off(one: Window, other: Window) -> float:
    """By how much all channels differ in the first 2 ms of the blow: they tell where it fell."""
    cuts = []
    for window in (one, other):
        onset = round((window.onset_s - window.start_s) * window.rate_hz)
        cuts.append([channel[onset : onset + 8] for channel in window.channels])
    return hypot(*(dist(a, b) for a, b in zip(*cuts, strict=True)))


def sure(_: Window, __: Calibration) -> float:
    return 1.0


@pytest.mark.parametrize("apart_s", [0.02, 0.03, 0.06, 0.09])
def test_it_is_found_when_it_struck(apart_s: float) -> None:
    found = regrowth(window_of(bursts((0, 0.0), (1, apart_s))))

    assert found == pytest.approx(AHEAD_S + apart_s, abs=0.0015)


def test_what_was_felt_already_is_not_found_again() -> None:
    assert regrowth(window_of(bursts((0, 0.0), (1, 0.06))), [AHEAD_S + 0.058]) is None


@pytest.mark.parametrize("felt_s", [-0.5, 0.0, 9.0])
def test_what_was_felt_at_another_time_hides_nothing(felt_s: float) -> None:
    """Blows are kept for longer than a window has room."""
    found = regrowth(window_of(bursts((0, 0.0), (1, 0.06))), [felt_s])

    assert found == pytest.approx(AHEAD_S + 0.06, abs=0.0015)


def test_one_hand_alone_is_no_second_one() -> None:
    assert regrowth(window_of(bursts((0, 0.0)))) is None


@pytest.mark.parametrize("samples", [0, 1, 7, 810, 900])
def test_a_window_that_is_cut_short_holds_none(samples: int) -> None:
    waves = [list(wave)[:samples] for wave in bursts((0, 0.0), (1, 0.2))]

    assert regrowth(window_of(waves)) is None


def test_silence_holds_none() -> None:
    assert regrowth(Window(0.1, 0.0, RATE_HZ, ([0.0] * 800, [0.0] * 800))) is None


def test_it_is_heard_with_less_of_what_still_rings() -> None:
    parts = []
    for seed in range(51, 57):
        first, second = seed % SEATS, (seed + 1) % SEATS
        waves = knocks_apart(seed, first, second, 0.06)
        by_itself = window_of(later(knock_waves(seed + 50, second), 0.06), 0.06)
        alone = heard_alone(window_of(waves), window_of(waves, 0.06))
        assert alone is not None
        parts.append(off(alone, by_itself) / off(window_of(waves, 0.06), by_itself))

    assert sum(parts) / len(parts) < 0.8


def test_wood_that_rings_by_itself_is_no_blow() -> None:
    waves = knock_waves(52, 1)

    assert heard_alone(window_of(waves), window_of(waves, 0.04)) is None


@pytest.mark.parametrize(("apart_s", "is_still"), [(0.02, False), (0.06, True)])
def test_on_wood_that_is_still_again_a_second_blow_is_left_as_it_is(
    apart_s: float, is_still: bool
) -> None:
    waves = bursts((0, 0.0), (1, apart_s))
    ringing = window_of(waves, apart_s)

    alone = heard_alone(window_of(waves), ringing)

    assert has_died_away(ringing) is is_still
    assert alone is not None
    assert (off(alone, ringing) == 0) is is_still


@pytest.mark.parametrize("apart_s", [0.02, 0.03, 0.05, 0.09])
def test_the_first_counts_and_the_second_is_doubtful(apart_s: float) -> None:
    heard = ears(bursts((1, 0.0), (0, apart_s)), sure)

    assert heard == [(Seat(1), Verdict.KNOCK), (Seat(0), Verdict.DOUBTFUL)]


def test_a_knuckle_that_bounces_is_one_knock() -> None:
    assert ears(bursts((0, 0.0), (0, 0.02), (0, 0.06)), sure) == [(Seat(0), Verdict.KNOCK)]


def test_the_second_hand_may_bounce_as_well() -> None:
    """Its bounce made two knocks of one: who stayed would have folded."""
    heard = ears(bursts((0, 0.0), (1, 0.04), (1, 0.08)), sure)

    assert heard == [(Seat(0), Verdict.KNOCK), (Seat(1), Verdict.DOUBTFUL)]


def test_what_was_no_knock_has_no_second_hand() -> None:
    assert ears(bursts((0, 0.0), (1, 0.02)), lambda _, __: 0.0) == []


@pytest.mark.parametrize(("by_s", "least"), [(0.03, 3), (0.06, 5)])
def test_on_wood_that_rings_most_second_hands_are_found(by_s: float, least: int) -> None:
    found = []
    for seed in range(51, 57):
        first, second = seed % SEATS, (seed + 1 + seed % 3) % SEATS
        heard = ears(knocks_apart(seed, first, second, by_s), sure)
        assert heard[0] == (first, Verdict.KNOCK)
        found += [(seat in (second, None), verdict) for seat, verdict in heard[1:]]

    assert all(verdict is Verdict.DOUBTFUL for _, verdict in found)
    assert least <= len(found) <= 6
    assert sum(not is_right for is_right, _ in found) <= 1


@pytest.mark.parametrize("seed", range(51, 57))
def test_on_wood_that_rings_one_hand_is_one_knock(seed: int) -> None:
    seat = seed % SEATS

    assert ears(knock_waves(seed, seat), sure) == [(seat, Verdict.KNOCK)]
