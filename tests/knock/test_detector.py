"""The listener where blocks do not come as they should: gaps, other paces, samples of nothing."""

import math
import random
import tracemalloc
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration, PlayCorrection
from kloplei.knock.detector import Finding, KnockRow, Listener, SoftTable
from kloplei.knock.judgement import Judgement, Struck, Verdict
from kloplei.knock.signal import Block, HighPass, loudest
from tests.examples import examples

RATE_HZ = 4000.0
SEATS = (Seat(0), Seat(1))


def knock(length_s: float = 0.1, at_s: float = 0.02, rate_hz: float = RATE_HZ) -> list[float]:
    """Silence, and in it a knuckle on wood."""
    samples = [0.0] * round(length_s * rate_hz)
    first = round(at_s * rate_hz)
    for at in range(first, len(samples)):
        since_s = (at - first) / rate_hz
        samples[at] = 0.5 * math.exp(-since_s / 0.01) * math.sin(math.tau * 190 * since_s)
    return samples


SILENCE = [0.0] * 400


def block(start_s: float, samples: Sequence[float], rate_hz: float = RATE_HZ) -> Block:
    """*samples* on each of two discs, the second of which feels little of it."""
    return Block(start_s, rate_hz, (samples, [0.3 * sample for sample in samples]))


def credulous(*_: object) -> float:
    """Take every blow for a knock: what it sounds like is not the matter here."""
    return 0.99


def hear(*blocks: Block) -> list[Finding]:
    listener = Listener(SEATS, judge=credulous)
    found = [one for block in blocks for one in listener.feed(block)]
    return [*found, *listener.flush()]


def knocks_s(found: Iterable[Finding]) -> list[float]:
    return [
        one.at_s for one in found if isinstance(one, Judgement) and one.verdict is Verdict.KNOCK
    ]


def test_a_knock_before_a_gap_is_told_as_of_when_it_was() -> None:
    found = hear(block(10.0, knock(at_s=0.07)), block(15.0, SILENCE))

    assert [one.at_s for one in found] == pytest.approx([10.07, 10.07], abs=0.002)


def test_samples_on_the_two_sides_of_a_gap_are_not_one_blow() -> None:
    begins, ends = knock(at_s=0.07), knock(at_s=0.07)[300:]

    found = hear(block(10.0, begins), block(15.0, [*ends, *SILENCE]))

    windows = [one.window for one in found if isinstance(one, Judgement) and one.window]
    before = [window for window in windows if window.start_s < 15]
    assert before
    assert all(len(window.channels[0]) <= len(begins) for window in before)


def test_blocks_that_come_a_little_early_or_late_still_join() -> None:
    whole = knock(0.2)

    found = hear(block(10.0, whole[:100]), block(10.026, whole[100:]))

    assert len(knocks_s(found)) == 1


def test_a_seat_is_heard_again_after_time_has_gone_back() -> None:
    found = hear(
        block(10.0, knock()), block(10.1, SILENCE), block(3.0, knock()), block(3.1, SILENCE)
    )

    assert knocks_s(found) == pytest.approx([10.02, 3.02], abs=0.002)


def test_a_converter_that_is_read_at_another_pace_is_timed_by_that() -> None:
    found = hear(
        block(10.0, SILENCE),
        block(10.1, knock(rate_hz=8000.0), rate_hz=8000.0),
        block(10.2, [0.0] * 800, rate_hz=8000.0),
    )

    assert knocks_s(found) == pytest.approx([10.12], abs=0.002)


def test_discs_may_be_added_while_it_listens() -> None:
    listener = Listener((*SEATS, Seat(2)), judge=credulous)
    listener.feed(block(10.0, SILENCE))

    found = listener.feed(Block(10.1, RATE_HZ, (SILENCE, SILENCE, knock(0.2))))

    assert [one.seat for one in found if isinstance(one, Judgement)] == [Seat(2)]


@pytest.mark.parametrize("nothing", [math.nan, math.inf, -math.inf])
def test_a_sample_that_is_no_number_is_silence_and_leaves_no_trace(nothing: float) -> None:
    found = hear(block(10.0, [nothing, *SILENCE[1:]]), block(10.1, knock()), block(10.2, SILENCE))

    assert knocks_s(found) == pytest.approx([10.12], abs=0.002)
    assert sum(isinstance(one, Struck) for one in found) == 1


def noises(seed: int) -> list[list[float]]:
    """Two channels of whatever a table may bring forth, and then some."""
    chance = random.Random(seed)
    hiss = chance.choice([0.0, 0.001, 0.05])
    channels = [[chance.gauss(0.0, hiss) for _ in range(2400)] for _ in SEATS]
    for _ in range(chance.randrange(8)):
        first, loud = chance.randrange(2400), chance.uniform(0.02, 3.0)
        turns, falls = chance.uniform(0.05, 3.0), chance.uniform(4, 400)
        for channel in channels:
            for at in range(first, min(2400, first + 800)):
                since = at - first
                channel[at] += loud * math.exp(-since / falls) * math.sin(turns * since)
            first += chance.randrange(16)
            first = min(first, 2399)
    return [[max(-1.0, min(1.0, sample)) for sample in channel] for channel in channels]


def cut(channels: list[list[float]], lengths: Sequence[int]) -> list[Block]:
    blocks: list[Block] = []
    at = 0
    while at < len(channels[0]):
        length = lengths[len(blocks) % len(lengths)]
        blocks.append(
            Block(at / RATE_HZ, RATE_HZ, tuple(one[at : at + length] for one in channels))
        )
        at += length
    return blocks


def said(one: Finding) -> tuple[object, ...]:
    return ("struck",) if isinstance(one, Struck) else (one.verdict, one.seat)


def figures(one: Finding) -> tuple[float, ...]:
    if isinstance(one, Struck):
        return one.at_s, one.strength
    return one.at_s, one.strength, one.decided_at_s, one.likelihood, one.confidence


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 700), min_size=1, max_size=9))
@example(seed=225, lengths=[1])  # a second hand is known in the midst of a block, before a blow
def test_whatever_comes_in_whatever_pieces_is_told_alike_and_in_order(
    seed: int, lengths: list[int]
) -> None:
    channels = noises(seed)

    found = hear(*cut(channels, lengths))

    whole = hear(*cut(channels, [2400]))
    assert list(map(said, found)) == list(map(said, whole))
    for one, other in zip(found, whole, strict=True):
        assert figures(one) == pytest.approx(figures(other), abs=1e-12)
    judged = [one for one in found if isinstance(one, Judgement)]
    assert all(one.at_s <= one.decided_at_s <= 2400 / RATE_HZ + 1e-9 for one in judged)
    assert all(0 <= one.likelihood <= 1 and 0 <= one.confidence <= 1 for one in judged)
    struck_s = [one.at_s for one in found if isinstance(one, Struck)]
    assert struck_s == sorted(struck_s)
    decided_s = [one.decided_at_s for one in judged]
    assert decided_s == sorted(decided_s)
    assert all(0 < one.strength <= 1 for one in found)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 700), min_size=1, max_size=9))
@example(seed=225, lengths=[64])
def test_a_window_knows_how_loud_its_channels_are_in_whatever_pieces_they_came(
    seed: int, lengths: list[int]
) -> None:
    found = hear(*cut(noises(seed), lengths))

    windows = [one.window for one in found if isinstance(one, Judgement) and one.window]
    for window in windows:
        assert window.peaks == tuple(map(loudest, window.channels))


@pytest.fixture
def filtered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many samples went through a filter at a time: each is a step of Python."""
    counts: list[int] = []
    passed = HighPass.passed

    def counting(self: HighPass, samples: Sequence[float]) -> list[float]:
        counts.append(len(samples))
        return passed(self, samples)

    monkeypatch.setattr(HighPass, "passed", counting)
    return counts


def second(*blows: list[float]) -> list[Block]:
    """A second of what a converter hears in silence, and in it *blows*."""
    chance = random.Random(4)
    samples = [chance.gauss(0.0, 0.001) for _ in range(round(RATE_HZ))]
    for blow in blows:
        samples[2000 : 2000 + len(blow)] = blow
    return cut([samples, [0.3 * sample for sample in samples]], [64])


def test_silence_is_only_asked_how_loud_it_is(filtered: list[int]) -> None:
    assert hear(*second()) == []

    assert filtered == []


def test_around_a_blow_no_more_is_filtered_than_it_rings(filtered: list[int]) -> None:
    listener = Listener(judge=credulous)

    found = [one for block in second(knock()) for one in listener.feed(block)]

    assert len(knocks_s(found)) == 1
    assert 0 < sum(filtered) < 2 * 0.09 * RATE_HZ


def test_a_blow_in_a_long_block_leaves_the_rest_of_it_silent(filtered: list[int]) -> None:
    listener = Listener(judge=credulous)
    channels = second(knock())[0].channels
    longer = [[*samples, *knock(), *[0.001] * 4000] for samples in channels]

    listener.feed(Block(0.0, RATE_HZ, tuple(longer)))

    assert 0 < sum(filtered) < 2 * 0.1 * RATE_HZ


def test_what_is_learned_in_play_counts_for_the_blow_that_is_under_way() -> None:
    signal = knock()
    half = len(signal) // 2
    listener = Listener(judge=lambda _, calibration: 1.0 if calibration.played else 0.0)
    listener.feed(block(0.0, signal[:half]))

    kept = listener.learn(Calibration(played=PlayCorrection()))
    found = [*listener.feed(block(half / RATE_HZ, signal[half:])), *listener.flush()]

    assert kept
    assert [one.verdict for one in found if isinstance(one, Judgement)] == [Verdict.KNOCK]


@pytest.mark.parametrize("tuned", [Calibration(gain_db=3.0), Calibration(strictness=1.0)])
def test_a_tuning_wants_a_listener_of_its_own(tuned: Calibration) -> None:
    assert not Listener().learn(tuned)
    assert Listener(calibration=tuned).learn(replace(tuned, played=PlayCorrection()))


SOFT = 0.08  # of full scale, -22 dB
AT_8_KHZ, AT_4_KHZ = 8000, 4000


def test_one_that_may_be_a_knock_makes_soft_ones_after_it_surer() -> None:
    table = SoftTable()

    said = [table.weighed(0.4, SOFT, at_s, AT_8_KHZ) for at_s in (1.0, 1.3, 1.6)]

    assert said[0] == 0.4
    assert said[1] == said[2] > 0.5


def test_the_softer_the_milder_within_bounds() -> None:
    table = SoftTable()
    table.weighed(0.45, SOFT, 0.0, AT_8_KHZ)

    said = [table.weighed(0.1, peak, 1.0, AT_8_KHZ) for peak in (0.2, 0.08, 0.04, 0.02, 0.0)]

    assert said == sorted(said)
    assert said[0] == 0.1  # that is no soft blow
    assert said[-1] < 0.75


@pytest.mark.parametrize("louder", [0.13, 0.5, 1.0])
def test_beside_louder_blows_a_soft_one_is_less_of_a_knock(louder: float) -> None:
    alone, beside = SoftTable(), SoftTable()
    for one in (alone, beside):
        one.weighed(0.4, SOFT, 0.0, AT_8_KHZ)
    beside.weighed(0.9, louder, 1.0, AT_8_KHZ)

    assert 0.3 <= beside.weighed(0.3, SOFT, 2.0, AT_8_KHZ) < alone.weighed(0.3, SOFT, 2.0, AT_8_KHZ)
    # After a minute nobody remembers the loud one, but for what came since.
    assert beside.weighed(0.45, SOFT, 62.0, AT_8_KHZ) == 0.45
    assert beside.weighed(0.45, SOFT, 63.0, AT_8_KHZ) > 0.5


def test_what_is_surely_no_knock_says_nothing_of_a_table() -> None:
    table = SoftTable()

    assert [table.weighed(0.3, SOFT, at_s / 10, AT_8_KHZ) for at_s in range(50)] == [0.3] * 50
    assert table.softer_db == 0.0


def test_it_forgets_after_a_minute_and_when_time_goes_back() -> None:
    table = SoftTable()
    table.weighed(0.4, SOFT, 100.0, AT_8_KHZ)

    assert table.weighed(0.3, SOFT, 160.1, AT_8_KHZ) == 0.3
    table.weighed(0.4, SOFT, 161.0, AT_8_KHZ)
    assert table.weighed(0.3, SOFT, 5.0, AT_8_KHZ) == 0.3


def soft_knocks(*peaks: float) -> list[Verdict]:
    """What a table that nobody tuned makes of knocks so loud, a second apart."""
    listener = Listener((Seat(0),), judge=lambda *_: 0.45)
    found: list[Finding] = []
    for at, peak in enumerate(peaks):
        samples = [2 * peak * sample for sample in knock(1.0)]
        found += listener.feed(Block(float(at), RATE_HZ, (samples,)))
    return [one.verdict for one in found if isinstance(one, Judgement)]


def test_where_all_knocks_are_soft_even_softer_ones_are_felt() -> None:
    doubtful, sure = Verdict.DOUBTFUL, Verdict.KNOCK

    assert soft_knocks(0.025, 0.025) == []  # the wood moved too little for anybody
    assert soft_knocks(0.08, 0.08, 0.025, 0.08) == [doubtful, sure, sure, sure]
    assert soft_knocks(0.5, 0.025, 0.08) == [doubtful, doubtful]


def in_a_row(said: Sequence[float], gap_s: float) -> list[float]:
    """Return how sure blows are that by themselves are as *said*, so long after one another."""
    row = KnockRow()
    return [row.weighed(sure, at * gap_s) for at, sure in enumerate(said)]


def test_what_comes_soon_after_a_knock_is_surer_to_be_one() -> None:
    first, second, third = in_a_row([0.5, 0.4, 0.4], 0.3)

    assert first == 0.5
    assert second == third == pytest.approx(0.64, abs=0.01)


@pytest.mark.parametrize("gap_s", [0.03, 0.09, 0.71, 5.0, -1.0])
def test_nobody_knocks_so_fast_or_so_slowly_in_a_row(gap_s: float) -> None:
    assert in_a_row([0.6, 0.4], gap_s) == [0.6, 0.4]


def test_a_row_of_blows_that_hardly_are_knocks_never_talks_itself_up() -> None:
    assert in_a_row([0.24] * 20, 0.3) == [0.24] * 20
    _, *others = in_a_row([0.6, 0.24, 0.24, 0.24, 0.24], 0.3)

    assert others == [pytest.approx(0.46, abs=0.01)] * 2 + [0.24] * 2  # 0.7 s after that one


def test_two_that_may_be_knocks_are_a_row() -> None:
    first, second = in_a_row([0.25, 0.27], 0.3)

    assert first == 0.25
    assert second == pytest.approx(0.50, abs=0.01)


@pytest.mark.parametrize("surely", [0.0, 1.0])
def test_in_a_row_too_what_is_certain_stays_so(surely: float) -> None:
    assert in_a_row([0.9, surely], 0.3) == [0.9, surely]


@pytest.mark.parametrize("calibration", [Calibration(), Calibration(gain_db=3.0)])
def test_a_table_hears_the_whole_row_of_which_it_is_sure_of_one(calibration: Calibration) -> None:
    by_themselves = iter((0.45, 0.6, 0.45))
    listener = Listener((Seat(0),), calibration, judge=lambda *_: next(by_themselves))
    signal = [sample for _ in range(3) for sample in knock(0.4)]

    found = [*listener.feed(Block(0.0, RATE_HZ, (signal,))), *listener.flush()]

    said = [one.verdict for one in found if isinstance(one, Judgement)]
    assert said == [Verdict.DOUBTFUL, Verdict.KNOCK, Verdict.KNOCK]


def test_a_table_that_was_tuned_has_told_how_loud_its_knocks_are() -> None:
    listener = Listener((Seat(0),), Calibration(gain_db=3.0), judge=lambda *_: 0.45)
    samples = [0.16 * sample for sample in knock(1.0)]

    found = [one for at in range(3) for one in listener.feed(Block(at, RATE_HZ, (samples,)))]

    said = [one.likelihood for one in found if isinstance(one, Judgement)]
    assert said == [0.45] * 3


@pytest.mark.parametrize(
    ("judged_hz", "sure", "gap_s", "second"),
    [
        (AT_8_KHZ, (0.2, 0.2), 0.3, SOFT),  # where claps come as near
        (AT_4_KHZ, (0.09, 0.09), 0.3, SOFT),  # neither may be one
        (AT_4_KHZ, (0.2, 0.01), 0.3, SOFT),
        (AT_4_KHZ, (0.2, 0.2), 0.09, SOFT),  # one hand is not so fast
        (AT_4_KHZ, (0.2, 0.2), 0.44, SOFT),
        (AT_4_KHZ, (0.2, 0.2), 0.3, 0.2 * SOFT),  # not as loud
        (AT_4_KHZ, (0.2, 0.2), 0.3, 3 * SOFT),  # nor soft
    ],
)
def test_two_soft_blows_that_do_not_belong_together_tell_nothing(
    judged_hz: int, sure: tuple[float, float], gap_s: float, second: float
) -> None:
    table = SoftTable()

    said = (
        table.weighed(sure[0], SOFT, 1.0, judged_hz),
        table.weighed(sure[1], second, 1.0 + gap_s, judged_hz),
    )

    assert said == sure
    assert not table.take_turned_out()
    assert table.softer_db == 0.0


def test_two_in_a_row_that_would_be_soft_knocks_were_knocks() -> None:
    table = SoftTable()

    said = [table.weighed(0.24, 0.05, at_s, AT_4_KHZ) for at_s in (1.0, 1.3)]
    turned_out = table.take_turned_out()

    assert said[0] == 0.24
    assert said[1] > 0.5
    assert turned_out == {1.0: pytest.approx(said[1])}
    assert table.softer_db > 0
    assert table.weighed(0.24, 0.05, 30.0, AT_4_KHZ) > 0.5, "the table stays a soft one"


def knocks_in_a_row(
    *peaks: float, seats: Sequence[Seat | None] = (Seat(0),), sure: float = 0.24
) -> list[Judgement]:
    """What is told of knocks so loud, 0.3 s apart, of which each by itself would be so *sure*."""
    samples = [0.0] * round(RATE_HZ)
    for at, peak in enumerate(peaks):
        first = round((0.4 + 0.3 * at) * RATE_HZ)
        samples[first : first + 300] = [2 * peak * one for one in knock(at_s=0.0)[:300]]
        samples += [0.0] * round(0.3 * RATE_HZ)
    listener = Listener(seats, judge=lambda *_: sure)
    found = listener.feed(Block(0.0, RATE_HZ, (samples,) * len(seats)))
    return [one for one in (*found, *listener.flush()) if isinstance(one, Judgement)]


def test_the_first_of_a_soft_row_is_told_once_more_as_the_knock_that_it_was() -> None:
    told = knocks_in_a_row(0.05, 0.05, 0.05)

    assert [one.verdict for one in told] == [Verdict.NOISE, *[Verdict.KNOCK] * 3]
    assert [one.amends for one in told] == [False, True, False, False]
    first, again, second, _ = told
    assert (again.at_s, again.window) == (first.at_s, first.window)
    assert again.decided_at_s == second.decided_at_s


def test_what_was_too_faint_to_be_told_is_told_with_the_second_one() -> None:
    told = knocks_in_a_row(0.02, 0.02)

    assert [(one.verdict, one.amends) for one in told] == [(Verdict.KNOCK, False)] * 2
    assert knocks_in_a_row(0.02) == []


def test_a_soft_row_takes_two_that_may_be_of_one_seat() -> None:
    """The judge hears one table; whose the blows were, the discs tell."""
    samples = [0.0] * round(1.5 * RATE_HZ)
    for at_s in (0.4, 0.7):
        first = round(at_s * RATE_HZ)
        samples[first : first + 300] = [0.1 * one for one in knock(at_s=0.0)[:300]]
    middle = round(0.55 * RATE_HZ)
    here = [*samples[:middle], *[0.0] * (len(samples) - middle)]
    there = [*[0.0] * middle, *samples[middle:]]
    listener = Listener((Seat(0), Seat(1)), judge=lambda *_: 0.24)

    found = [*listener.feed(Block(0.0, RATE_HZ, (here, there))), *listener.flush()]

    judged = [one for one in found if isinstance(one, Judgement)]
    assert [one.seat for one in judged] == [Seat(0), Seat(1)]
    assert [one.amends for one in judged] == [False, False]
    assert judged[0].verdict is Verdict.NOISE


def soft_blows(*at_s: float, length_s: float = 1.5, sure: float = 0.24) -> list[Judgement]:
    """What is told of blows as soft as each other, each by itself so *sure* to be a knock."""
    samples = [0.0] * round(length_s * RATE_HZ)
    for one_s in at_s:
        first = round(one_s * RATE_HZ)
        samples[first : first + 300] = [0.1 * one for one in knock(at_s=0.0)[:300]]
    listener = Listener((Seat(0),), judge=lambda *_: sure)
    found = [*listener.feed(Block(0.0, RATE_HZ, (samples,))), *listener.flush()]
    return [one for one in found if isinstance(one, Judgement)]


def test_who_turns_out_to_have_knocked_is_no_less_deaf_to_the_echo_of_the_last_knock() -> None:
    """The first knock was noted as the latest one, and the echo of the second was a third."""
    assert knocks_s(soft_blows(0.4, 0.7, 0.76)) == pytest.approx([0.4, 0.7], abs=0.002)


def test_of_a_soft_knock_and_its_echo_the_knock_turns_out_to_be_one() -> None:
    """The echo did, and beside a doubt about the knock the two were two knocks."""
    assert knocks_s(soft_blows(0.4, 0.46, 0.75)) == pytest.approx([0.4, 0.75], abs=0.002)
    three_s = knocks_s(soft_blows(0.4, 0.46, 0.6, 0.85))
    assert three_s == pytest.approx([0.4, 0.6, 0.85], abs=0.002)


@pytest.mark.parametrize("step_s", [1.0, -1.0])
def test_hours_of_noise_without_a_knock_take_no_memory(step_s: float) -> None:
    """Neither while a clock runs back."""
    listener = Listener((Seat(0),), judge=lambda *_: 0.1)
    noise = [0.1 * one for one in knock(1.0)]
    kept_bytes = []
    tracemalloc.start()
    for at in range(60):
        listener.feed(Block(100.0 + step_s * at, RATE_HZ, (noise,)))
        kept_bytes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()

    assert kept_bytes[-1] < kept_bytes[9] + 20_000


def block_of_one(start_s: float, samples: Sequence[float]) -> Block:
    return Block(start_s, RATE_HZ, (samples,))


def test_a_table_that_was_tuned_is_told_of_all_that_wakes_its_judge() -> None:
    """A slow swing hides how loud a blow is, and the trigger looks beneath it."""
    samples = [-0.006 * math.cos(math.tau * 8 * at / RATE_HZ) for at in range(4000)]
    for at in range(40):
        samples[2000 + at] += 0.09 * math.exp(-at / 3) * math.sin(math.tau * 190 * at / RATE_HZ)
    listener = Listener((Seat(0),), Calibration(gain_db=0.1), judge=credulous)

    found = [*listener.feed(block_of_one(0.0, samples)), *listener.flush()]

    (judged,) = (one for one in found if isinstance(one, Judgement))
    assert judged.verdict is Verdict.KNOCK
    assert judged.strength < 0.0217, "softer than what it is felt from"


def test_a_table_is_no_soft_one_for_what_it_heard_before_time_went_back() -> None:
    table = SoftTable()
    table.weighed(0.45, SOFT, 100.0, AT_4_KHZ)
    assert table.softer_db > 0

    table.weighed(0.05, SOFT, 5.0, AT_4_KHZ)

    assert table.softer_db == 0.0
