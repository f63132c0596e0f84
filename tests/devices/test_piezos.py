"""From blocks to whoever hears: findings, the meter, and discs that cannot hear."""

import math
from collections.abc import Callable

import pytest

from kloplei.devices.adc import TakeBlock
from kloplei.devices.piezos import PeakMeter, Piezos
from kloplei.devices.pins import FaultRegistry
from kloplei.games.game import Seat
from kloplei.knock.detector import Finding
from kloplei.knock.judgement import Judgement, Struck, Verdict, piezo_name
from kloplei.knock.signal import Block
from kloplei.table.messages import PartFailed, PartHealed, Trouble
from tests.devices.conftest import ListInbox

RATE_HZ = 4000.0
JUDGEMENT = Judgement(100.0, 100.05, Verdict.KNOCK, 0.9, 0.5, Seat(1))


class HandedIn:
    """A source whose blocks a test hands in itself."""

    channels = 2

    def __init__(self) -> None:
        self.take: TakeBlock = lambda _: None
        self.closed = False
        self.now_s = 100.0

    def start(self, take: TakeBlock) -> None:
        self.take = take

    def close(self) -> None:
        self.closed = True

    def hand_in(self, of: Callable[[float], float], for_s: float, other: float = 0.0) -> None:
        """Let the first disc feel *of*, and the second rest at *other* with a little noise."""
        for _ in range(round(for_s / 0.016)):
            times_s = [self.now_s + at / RATE_HZ for at in range(64)]
            rest = [other + (at % 3) / 512 for at in range(64)]
            self.take(Block(self.now_s, RATE_HZ, ([of(at_s) for at_s in times_s], rest)))
            self.now_s += 0.016


class ListHearer:
    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.levels: list[tuple[str, tuple[float, ...], float]] = []

    def struck(self, struck: Struck) -> None:
        self.findings.append(struck)

    def judged(self, judgement: Judgement) -> None:
        self.findings.append(judgement)

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        self.levels.append((part, peaks, at_s))


class FakeJudge:
    """Keeps the blocks it is fed, and finds what it is told to."""

    def __init__(self) -> None:
        self.fed: list[Block] = []
        self.finds: tuple[Finding, ...] = ()
        self.fails = False

    def feed(self, block: Block) -> tuple[Finding, ...]:
        self.fed.append(block)
        if self.fails:
            raise ZeroDivisionError
        return self.finds


@pytest.fixture
def source() -> HandedIn:
    return HandedIn()


@pytest.fixture
def hearer() -> ListHearer:
    return ListHearer()


@pytest.fixture
def judge() -> FakeJudge:
    return FakeJudge()


@pytest.fixture
def piezos(source: HandedIn, hearer: ListHearer, judge: FakeJudge, inbox: ListInbox) -> Piezos:
    return Piezos(source, ["piezo 1", "corner piezo 5"], judge.feed, hearer, FaultRegistry(inbox))


def murmur(at_s: float) -> float:
    return 0.002 * math.sin(9999 * at_s)


def mains(at_s: float) -> float:
    return 0.2 * math.sin(2 * math.pi * 50 * at_s)


@pytest.mark.usefixtures("piezos")
def test_the_judge_gets_samples_around_zero(source: HandedIn, judge: FakeJudge) -> None:
    source.hand_in(lambda at_s: 0.3 + murmur(at_s), 0.5, other=-0.2)

    for channel in judge.fed[-1].channels:
        assert abs(sum(channel) / len(channel)) < 0.002


@pytest.mark.usefixtures("piezos")
def test_findings_go_to_the_hearer_in_their_order(
    source: HandedIn, hearer: ListHearer, judge: FakeJudge
) -> None:
    judge.finds = (Struck(100.0, 0.5), JUDGEMENT)

    source.hand_in(murmur, 0.016)

    assert hearer.findings == [Struck(100.0, 0.5), JUDGEMENT]


@pytest.mark.usefixtures("piezos")
def test_a_judge_that_stumbles_over_a_block_hears_the_next(
    source: HandedIn, hearer: ListHearer, judge: FakeJudge, caplog: pytest.LogCaptureFixture
) -> None:
    judge.fails = True
    source.hand_in(murmur, 0.016)
    judge.fails, judge.finds = False, (JUDGEMENT,)
    source.hand_in(murmur, 0.016)

    assert hearer.findings == [JUDGEMENT]
    assert "a block of the piezos was lost" in caplog.text


@pytest.mark.usefixtures("piezos")
def test_the_meter_is_told_some_ten_times_a_second_with_the_peaks_between(
    source: HandedIn, hearer: ListHearer
) -> None:
    source.hand_in(murmur, 1.0)
    source.hand_in(lambda at_s: 0.7 if 101.55 < at_s < 101.552 else 0.0, 1.0)

    assert 16 <= len(hearer.levels) <= 21
    assert {part for part, _, _ in hearer.levels} == {"piezos"}
    loud = [peaks for _, peaks, _ in hearer.levels if peaks[0] > 0.1]
    assert len(loud) == 1
    assert loud[0] == pytest.approx((0.7, 0.0), abs=0.01)


def test_a_meter_forgets_what_it_told() -> None:
    meter = PeakMeter(1, every_s=0.1)
    loud = Block(0.0, 100.0, ([-2.0] * 20,))
    quiet = Block(0.2, 100.0, ([0.01] * 20,))

    assert meter.peaks_of(loud) == (1.0,)  # more than full scale is full scale
    assert meter.peaks_of(quiet) == (0.01,)


@pytest.mark.usefixtures("piezos")
def test_a_disc_that_hums_is_named_and_not_listened_to_until_it_is_quiet(
    source: HandedIn, judge: FakeJudge, inbox: ListInbox
) -> None:
    source.hand_in(mains, 3.0)
    while_humming = judge.fed[-1]
    source.hand_in(murmur, 4.0)

    failed, healed = inbox.messages
    assert isinstance(failed, PartFailed)
    assert (failed.part, failed.trouble) == ("piezo 1", Trouble.HUM)
    assert "piezo 1 hears the mains and little else" in failed.message
    assert healed == PartHealed("piezo 1")
    assert set(while_humming.channels[0]) == {0.0}
    assert set(while_humming.channels[1]) != {0.0}
    assert set(judge.fed[-1].channels[0]) != {0.0}


@pytest.mark.usefixtures("piezos")
def test_a_disc_that_stands_still_is_named_beside_one_that_hears(
    source: HandedIn, inbox: ListInbox
) -> None:
    source.hand_in(lambda _: -1.0, 3.0)

    assert [(one.part, one.trouble) for one in inbox.failures] == [("piezo 1", Trouble.STUCK)]


@pytest.mark.usefixtures("piezos")
def test_a_puck_is_unplugged_and_plugged_in_again_without_a_restart(
    source: HandedIn, judge: FakeJudge, inbox: ListInbox
) -> None:
    """Its R1 goes with it, and R2 pulls the channel up: hw/piezo.md, a wire that is off."""
    source.hand_in(murmur, 1.0)
    source.hand_in(lambda _: 0.997, 3.0)
    source.hand_in(murmur, 4.0)

    failed, healed = inbox.messages
    assert isinstance(failed, PartFailed)
    assert "as with no disc at all. Check its plug" in failed.message
    assert healed == PartHealed("piezo 1")
    assert set(judge.fed[-1].channels[0]) != {0.0}


@pytest.mark.usefixtures("piezos")
@pytest.mark.parametrize(
    ("level", "for_s", "says"),
    [
        (0.99, 3.0, "at the top of its range, as with no disc at all. Check its plug"),
        (-1.0, 3.0, "at the bottom of its range. Does its wire lie on ground?"),
        (0.0, 11.0, "without even the noise of a silent disc. Check plug and wire"),
    ],
)
def test_where_a_disc_stands_still_tells_what_to_look_at(
    source: HandedIn, inbox: ListInbox, level: float, for_s: float, says: str
) -> None:
    source.hand_in(murmur, 1.0)
    source.hand_in(lambda _: level, for_s)

    assert says in inbox.failures[0].message


@pytest.mark.usefixtures("piezos")
def test_an_input_that_nothing_holds_is_named(source: HandedIn, inbox: ListInbox) -> None:
    source.hand_in(murmur, 7.0, other=0.7)

    assert [(one.part, one.trouble) for one in inbox.failures] == [("corner piezo 5", Trouble.OPEN)]


def test_a_tuned_table_is_judged_anew_from_the_next_block_on(
    piezos: Piezos, source: HandedIn, judge: FakeJudge
) -> None:
    other = FakeJudge()

    piezos.feed_to(other.feed)
    source.hand_in(murmur, 0.016)

    assert (len(judge.fed), len(other.fed)) == (0, 1)


def test_closed_it_closes_its_source(piezos: Piezos, source: HandedIn) -> None:
    piezos.close()

    assert source.closed


def test_discs_are_called_by_seat_or_by_channel() -> None:
    assert piezo_name(5, Seat(2)) == "piezo 3"
    assert piezo_name(5, None) == "corner piezo 5"
