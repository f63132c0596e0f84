"""The thread that reads a converter: its pace, its gaps, and what it makes of errors."""

import errno
import threading
from collections.abc import Callable, Iterator

import pytest

from kloplei.devices import sampling
from kloplei.devices.adc import LOWEST, Burst, NobodyAnswers
from kloplei.devices.pins import FaultRegistry
from kloplei.devices.sampling import WAITING_BLOCKS, AdcSource, BlockQueue, Overruns
from kloplei.knock.signal import Block
from kloplei.table.messages import PartFailed, PartHealed, Trouble
from kloplei.words import Words
from tests.devices.chips import Pause, PlayedConverter, eventually
from tests.devices.conftest import ListInbox

BUS_ERROR = OSError(errno.EIO, "Input/output error")

Start = Callable[[PlayedConverter], AdcSource]


@pytest.fixture
def blocks() -> list[Block]:
    return []


@pytest.fixture
def start(inbox: ListInbox, blocks: list[Block]) -> Iterator[Start]:
    """Start a source that wants 4 kHz of a converter, and end it after the test."""
    sources: list[AdcSource] = []

    def started(converter: PlayedConverter) -> AdcSource:
        source = AdcSource(converter, 2, 4000.0, FaultRegistry(inbox))
        queue = source._queue
        converter.is_ahead = lambda: len(queue._blocks) > 4 and not queue.is_closed
        sources.append(source)
        source.start(blocks.append)
        return source

    yield started
    for source in sources:
        source.close()
        source.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses after an error that a test can wait for."""
    monkeypatch.setattr(sampling, "FIRST_PAUSE_S", 0.001)


def test_blocks_come_at_the_rate_that_was_reached(
    start: Start, blocks: list[Block], inbox: ListInbox
) -> None:
    source = start(PlayedConverter())

    assert eventually(lambda: len(blocks) > 5)
    assert [block.end_s for block in blocks[:3]] == pytest.approx(
        [block.start_s for block in blocks[1:4]]
    )
    assert blocks[3].rate_hz == pytest.approx(4000)
    assert source.pace.reached_hz == pytest.approx(4000)
    assert source.pace.missed == 0
    assert inbox.messages == []


class HangingConverter(PlayedConverter):
    """A converter whose driver comes back from no read while it is not `free`."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()
        self.free.set()
        self.is_hanging = False

    def burst(self) -> Burst:
        self.is_hanging = not self.free.is_set()
        assert self.free.wait(60)
        self.is_hanging = False
        return super().burst()


def test_a_bus_that_hangs_is_told_and_healed_and_holds_up_no_end(
    start: Start, blocks: list[Block], inbox: ListInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gives no error, and so was not told at all: the table was deaf and said nothing."""
    converter, get = HangingConverter(), BlockQueue.get

    def get_unless_it_hangs(queue: BlockQueue, _: float | None = None) -> Block | None:
        # A busy machine may leave a thread waiting for longer than a bus that hangs.
        block = None
        while block is None and not queue.is_closed and not converter.is_hanging:
            block = get(queue, 0.01)
        return block

    monkeypatch.setattr(BlockQueue, "get", get_unless_it_hangs)
    start(converter)
    assert eventually(lambda: blocks)

    converter.free.clear()
    assert eventually(lambda: inbox.failures)
    converter.free.set()
    assert eventually(lambda: isinstance(inbox.messages[-1], PartHealed))

    (failed,) = inbox.failures
    assert (failed.part, failed.trouble) == ("piezos", Trouble.STUCK)
    assert "hangs" in failed.message
    assert "Piezos hängt" in Words("de").tell(failed.message)


def test_a_source_that_hangs_can_be_closed(
    inbox: ListInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "_PARTING_S", 0.05)
    converter = HangingConverter()
    source = AdcSource(converter, 2, 4000.0, FaultRegistry(inbox))
    converter.free.clear()
    source.start(lambda _: None)

    source.close()

    assert converter.closed == 0
    converter.free.set()
    for thread in source._threads:
        thread.join(60)


def test_a_converter_off_its_pace_is_tuned_before_anything_is_heard(
    start: Start, blocks: list[Block], inbox: ListInbox
) -> None:
    converter = PlayedConverter(reads_hz=3000.0)
    start(converter)

    assert eventually(lambda: blocks)
    assert converter.tuned_to_hz == pytest.approx([3000.0])
    assert blocks[0].rate_hz == pytest.approx(4000)
    assert inbox.messages == []


def test_what_cannot_be_tuned_up_is_heard_slower_and_told(
    start: Start, blocks: list[Block], inbox: ListInbox
) -> None:
    source = start(PlayedConverter(reads_hz=2500.0, tuned_hz=2700.0))

    assert eventually(lambda: blocks)
    (told,) = inbox.failures
    assert (told.part, told.trouble) == ("piezos", Trouble.SLOW)
    assert "are read at 2.7 kHz instead of 4." in told.message
    assert source.pace.is_slow
    assert blocks[0].rate_hz == pytest.approx(2700)


def test_a_bus_too_slow_for_any_judgement_is_let_alone(start: Start, inbox: ListInbox) -> None:
    """Software SPI would cost half a processor all evening and hear nothing."""
    start(PlayedConverter(reads_hz=300.0, tuned_hz=300.0))

    assert eventually(lambda: inbox.failures)
    assert "only 300 times a second" in inbox.failures[0].message
    assert inbox.failures[0].message.endswith("too slow to tell a knock; only a friend can help")
    assert eventually(lambda: not any(one.name == "piezos" for one in threading.enumerate()))


@pytest.mark.usefixtures("impatient")
def test_the_thread_survives_an_error_of_the_bus_and_says_when_it_is_over(
    start: Start, blocks: list[Block], inbox: ListInbox
) -> None:
    quiet = [0.0] * 20
    start(PlayedConverter(*quiet, BUS_ERROR, *quiet, 0.5))

    assert eventually(lambda: max((max(block.channels[0]) for block in blocks), default=0) > 0.4)
    failed, healed = inbox.messages
    assert isinstance(failed, PartFailed)
    assert failed.part == "piezos"
    assert "cannot be read (Input/output error)" in failed.message
    assert healed == PartHealed("piezos")


@pytest.mark.usefixtures("impatient")
def test_a_wire_that_nobody_drives_is_told_as_such(start: Start, inbox: ListInbox) -> None:
    start(PlayedConverter(NobodyAnswers()))

    assert eventually(lambda: inbox.messages)
    assert "no converter answers on SPI0" in inbox.failures[0].message


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("heard_before", [0, 20])
def test_where_every_code_is_0_no_converter_answers(
    start: Start, inbox: ListInbox, heard_before: int
) -> None:
    """A Pi pulls MISO down: without power, or with CS on the other pin, nothing but 0 comes."""
    start(PlayedConverter(*[0.0] * heard_before, *[LOWEST] * 100))

    assert eventually(lambda: PartHealed("piezos") in inbox.messages)
    failed, healed = inbox.messages
    assert isinstance(failed, PartFailed)
    assert failed.message.startswith("no converter answers on SPI0")
    assert "CS on GPIO 8 is [adc] chip_select 0, on GPIO 7 it is 1" in failed.message
    assert healed == PartHealed("piezos")


def test_a_bump_that_pushes_all_discs_to_the_end_is_no_dead_converter(
    start: Start, inbox: ListInbox, blocks: list[Block]
) -> None:
    start(PlayedConverter(*[0.0] * 20, *[LOWEST] * 40, 0.5))

    assert eventually(lambda: max((max(block.channels[0]) for block in blocks), default=0) > 0.4)
    assert inbox.messages == []


def test_the_pauses_after_errors_grow_to_half_a_minute() -> None:
    pauses_s = [pause_s for pause_s, _ in zip(sampling._pauses_s(), range(9), strict=False)]

    assert pauses_s == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_what_was_not_read_is_counted_and_told_and_healed_in_time(
    start: Start, blocks: list[Block], inbox: ListInbox
) -> None:
    quiet = [0.0] * 30
    source = start(PlayedConverter(*quiet, Pause(0.5), *quiet, Pause(0.5)))

    assert eventually(lambda: source.pace.missed >= 4000)
    assert source.pace.missed == pytest.approx(4000, abs=8)
    assert eventually(lambda: inbox.failures)
    assert inbox.failures[0].trouble is Trouble.OVERRUN
    assert "2000 samples a channel were missed" in inbox.failures[0].message
    assert eventually(lambda: PartHealed("piezos") in inbox.messages)


def test_a_judge_who_stands_still_costs_the_oldest_blocks_and_no_memory(
    inbox: ListInbox,
) -> None:
    queue = BlockQueue(WAITING_BLOCKS)
    block = Block(0.0, 4000.0, ([0.0] * 64,))

    for at in range(1000):
        queue.put(Block(at * 0.016, 4000.0, block.channels))

    assert queue.dropped() == (1000 - WAITING_BLOCKS) * 64
    assert queue.dropped() == 0
    first = queue.get()
    assert first is not None
    assert first.start_s == pytest.approx((1000 - WAITING_BLOCKS) * 0.016)


def test_a_slow_judge_shows_as_an_overrun(inbox: ListInbox) -> None:
    judge = threading.Event()
    source = AdcSource(PlayedConverter(*[0.1] * 200), 2, 4000.0, FaultRegistry(inbox))

    def wait_for_judge(_: Block) -> None:
        judge.wait()

    source.start(wait_for_judge)

    assert eventually(lambda: source.pace.missed > 0)
    assert eventually(lambda: inbox.failures)
    judge.set()
    source.close()
    assert inbox.failures[0].trouble is Trouble.OVERRUN


def test_overruns_are_told_once_a_second_at_most(inbox: ListInbox) -> None:
    overruns = Overruns(FaultRegistry(inbox))

    for at in range(1000):
        overruns.look(missed=at, now_s=at / 500)

    assert len(inbox.failures) == 2
    assert "501 metingen" in Words("nl").tell(inbox.failures[-1].message)


def test_closed_it_ends_its_threads_and_lets_go_of_the_bus(
    inbox: ListInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "_PARTING_S", 60.0)
    converter = PlayedConverter()
    source = AdcSource(converter, 2, 4000.0, FaultRegistry(inbox))
    source.start(lambda _: None)

    source.close()

    assert not {"piezos", "listener"} & {thread.name for thread in threading.enumerate()}
    assert converter.closed == 1
