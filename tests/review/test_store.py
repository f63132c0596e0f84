"""The event log on disk: small for ever, there again after a kill, and never in anybody's way."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import DOUBTFUL_LINE, KNOCK_LINE, Judgement, Verdict
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.service import EventMemory, ReviewService
from kloplei.review.store import (
    APPLICATION_ID,
    LONGEST_S,
    EventLog,
    EventLogError,
    EventLogWriter,
    LoggedEvent,
    slim,
)
from kloplei.review.suggest import SuggestionWorker
from kloplei.table.expectation import BEGUN, NONE, Expectation
from kloplei.table.messages import Message
from tests.review.blows import RATE_HZ, blow, rejudge, window
from tests.table.small_disk import SmallDisk, where_mounts_are_allowed

KEEP = 5


class Letterbox:
    """An inbox that keeps what was put."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def put(self, message: Message) -> None:
        self.messages.append(message)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "ears.db"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(tmp_path / "disk")
    if os.geteuid() != 0:
        yield disk  # the test will run elsewhere
        return
    disk.mount()
    yield disk
    disk.unmount()


def ears_at(path: Path, keep: int = KEEP, expected: float = BEGUN) -> ReviewService:
    return review_for(Letterbox(), path, keep, expected)


def review_for(
    inbox: "Letterbox", path: Path, keep: int = KEEP, expected: float = BEGUN
) -> ReviewService:
    store, worker = CalibrationStore(Calibration()), SuggestionWorker(rejudge)
    return ReviewService(
        inbox,
        seats=4,
        store=store,
        worker=worker,
        keep=keep,
        path=path,
        expects=lambda: Expectation((expected,) * 4),
    )


def numbers_at(path: Path) -> list[int]:
    log = EventLog(path)
    try:
        return [one.number for one in log.read()]
    finally:
        log.close()


def write(path: Path, *blows: LoggedEvent) -> None:
    log = EventLog(path)
    log.write(blows, [one.number for one in blows])
    log.close()


def test_what_was_heard_is_there_at_the_next_start(path: Path) -> None:
    with ears_at(path) as ears:
        ears.judged(blow(Verdict.KNOCK, seat=Seat(2)))
        ears.judged(blow(Verdict.NOISE, edges_only=True))
        ears.mark(1, Verdict.KNOCK, Seat(3))
        told = ears.heard_events()

    with ears_at(path) as ears:
        assert ears.heard_events() == told


def test_a_window_comes_back_sample_for_sample(path: Path) -> None:
    judged = slim(blow())
    write(path, LoggedEvent(1, 12.5, judged, Verdict.NOISE, None))

    log = EventLog(path)
    (kept,) = log.read()
    log.close()

    assert kept.judgement == judged
    assert kept == LoggedEvent(1, 12.5, judged, Verdict.NOISE, None)


def test_numbers_go_on_where_they_ended(path: Path) -> None:
    with ears_at(path) as ears:
        ears.judged(blow())

    with ears_at(path) as ears:
        ears.judged(blow())

        assert [one.number for one in ears.heard_events()] == [2, 1]


def test_the_file_stays_as_small_as_the_ring(path: Path) -> None:
    with ears_at(path) as ears:
        for _ in range(40 * KEEP):
            ears.judged(blow())

    assert numbers_at(path) == [*range(39 * KEEP + 1, 40 * KEEP + 1)]
    assert sum(one.stat().st_size for one in path.parent.iterdir()) < 96 * 1024


def test_a_smaller_ring_forgets_what_is_too_much_for_it(path: Path) -> None:
    with ears_at(path) as ears:
        for _ in range(KEEP):
            ears.judged(blow())

    with ears_at(path, keep=2) as ears:
        ears.judged(blow())

    assert numbers_at(path) == [5, 6]


def test_only_its_owner_may_read_it(path: Path) -> None:
    with ears_at(path) as ears:
        ears.judged(blow())

    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_no_window_is_long_enough_for_a_word(path: Path) -> None:
    long = Judgement(10.0, 10.05, Verdict.KNOCK, 0.9, 0.5, window=window(length_s=3.0))

    kept = slim(long).window

    assert kept is not None
    assert {len(one) for one in kept.channels} == {int(LONGEST_S * RATE_HZ)}


def test_switched_off_it_keeps_nothing_and_takes_away_what_was_kept(path: Path) -> None:
    with ears_at(path) as ears:
        ears.judged(blow())
    assert path.exists()

    with ears_at(path, keep=0) as ears:
        ears.judged(blow())

        assert ears.heard_events() == ()
    assert [*path.parent.iterdir()] == []


def test_switched_off_it_leaves_what_is_not_its_own(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("Shopping list: earplugs")

    with ears_at(path, keep=0) as ears:
        assert "is no file of the ears" in str(ears.keeping().trouble)

    assert path.read_text() == "Shopping list: earplugs"


@pytest.mark.parametrize("other", ["text", "database"])
def test_somebody_elses_file_is_left_alone_and_told(path: Path, other: str) -> None:
    path.parent.mkdir()
    if other == "text":
        path.write_text("Shopping list: earplugs")
    else:
        with sqlite3.connect(path) as theirs:
            theirs.execute("PRAGMA application_id = 7")
            theirs.execute("CREATE TABLE shopping (list)")
        theirs.close()
    before = path.read_bytes()

    with ears_at(path) as ears:
        ears.judged(blow())

        assert "is no file of the ears. Move it away" in str(ears.keeping().trouble)
        assert len(ears.heard_events()) == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["wiped", "torn", "scribbled"])
def test_a_damaged_file_is_begun_anew(path: Path, damage: str) -> None:
    with ears_at(path) as ears:
        for _ in range(KEEP):
            ears.judged(blow())
    whole = path.read_bytes()
    path.write_bytes(
        {
            "wiped": bytes(len(whole)),
            "torn": whole[:5000],
            "scribbled": whole[:4096] + b"\xa5" * (len(whole) - 4096),
        }[damage]
    )

    with ears_at(path) as ears:
        ears.judged(blow())
        assert len(ears.heard_events()) >= 1

    with ears_at(path) as ears:
        assert ears.keeping().trouble is None
        assert ears.heard_events()[0].verdict is Verdict.KNOCK


def test_a_row_that_makes_no_sense_is_left_out(path: Path) -> None:
    write(path, *(LoggedEvent(number, None, slim(blow())) for number in (1, 2, 3, 4)))
    with sqlite3.connect(path) as edited:
        edited.execute("UPDATE blows SET verdict = 'thunder' WHERE number = 1")
        edited.execute("UPDATE blows SET samples = x'00' WHERE number = 2")
        edited.execute("UPDATE blows SET channels = 7 WHERE number = 3")
    edited.close()

    assert numbers_at(path) == [4]


@pytest.mark.parametrize(
    "nonsense",
    [
        "at = 9e999",
        "likelihood = 9e999",
        "strength = -7",
        "onset_s = 1e308",
        "start_s = -9e999",
        "rate_hz = 9e999",
        "samples = x'000000000000c07f'",
        "number = 9223372036854775807",
        "number = -3",
        "verdict = CAST(x'6be26f636b' AS TEXT)",
    ],
)
def test_a_row_that_no_page_could_show_is_left_out(path: Path, nonsense: str) -> None:
    write(path, *(LoggedEvent(number, None, slim(blow())) for number in (1, 2)))
    with sqlite3.connect(path) as edited:
        edited.execute(f"UPDATE blows SET channels = 1, {nonsense} WHERE number = 1")  # noqa: S608
    edited.close()

    with ears_at(path) as ears:
        ears.judged(blow())
        assert [one.number for one in ears.heard_events()] == [3, 2]
    assert numbers_at(path) == [2, 3]


@pytest.mark.parametrize("scribble", [b"\x8e", b"x"])
@pytest.mark.parametrize("column", [b"number", b"verdict TEXT", b"CREATE TABLE"])
def test_a_scribble_in_the_schema_keeps_no_table_from_starting(
    path: Path, column: bytes, scribble: bytes
) -> None:
    write(path, LoggedEvent(1, None, slim(blow())))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(column, scribble + column[1:], 1))

    with ears_at(path) as ears:
        ears.judged(blow())

    with ears_at(path) as ears:
        assert ears.keeping().trouble is None
        assert ears.heard_events()[0].verdict is Verdict.KNOCK


def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    write(path, LoggedEvent(1, None, slim(blow())))
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()

    with pytest.raises(EventLogError, match="written by a newer Kloplei"):
        EventLog(path)


OF_VERSION_1 = """
CREATE TABLE blows (
    number INTEGER PRIMARY KEY, at REAL, at_s REAL NOT NULL, decided_at_s REAL NOT NULL,
    verdict TEXT NOT NULL, likelihood REAL NOT NULL, strength REAL NOT NULL, seat INTEGER,
    confidence REAL NOT NULL, part TEXT NOT NULL, was TEXT, was_seat INTEGER, onset_s REAL,
    start_s REAL, rate_hz REAL, skew_s REAL, channels INTEGER, samples BLOB
) STRICT
"""


def test_a_file_of_the_version_before_is_read_and_written_on(path: Path) -> None:
    """It knew of no line but the one at 0.5."""
    write(path, LoggedEvent(1, None, slim(blow())))
    with sqlite3.connect(path) as before:
        before.execute("ALTER TABLE blows RENAME TO newer")
        before.execute(OF_VERSION_1)
        names = [one[1] for one in before.execute("PRAGMA table_info(blows)")]
        before.execute(f"INSERT INTO blows SELECT {', '.join(names)} FROM newer")  # noqa: S608
        before.execute("DROP TABLE newer")
        before.execute("PRAGMA user_version = 1")
    before.close()

    with ears_at(path) as ears:
        ears.judged(blow())
        assert ears.keeping().trouble is None

    with ears_at(path) as ears:
        assert [one.line for one in ears.heard_events()] == [KNOCK_LINE, KNOCK_LINE]


def test_the_line_that_stood_then_is_kept(path: Path) -> None:
    with ears_at(path, expected=NONE) as ears:
        ears.judged(blow(seat=Seat(0), likelihood=0.7))

    with ears_at(path) as ears:
        (heard,) = ears.heard_events()
        assert heard.verdict is Verdict.DOUBTFUL
        assert heard.line == pytest.approx(0.73, abs=0.01)


@pytest.mark.parametrize("is_held", [True, False])
def test_what_was_held_as_another_hands_is_so_at_the_next_start(path: Path, is_held: bool) -> None:
    likelihood = DOUBTFUL_LINE if is_held else DOUBTFUL_LINE + 0.01
    judged = slim(blow(Verdict.DOUBTFUL, likelihood=likelihood, is_held=is_held))
    write(path, LoggedEvent(1, 12.5, judged))

    log = EventLog(path)
    (kept,) = log.read()
    log.close()

    assert kept.judgement == judged


def test_it_says_whose_database_it_is(path: Path) -> None:
    write(path)

    assert path.read_bytes()[68:72] == APPLICATION_ID.to_bytes(4, "big")


KILLED = """
import sys
from pathlib import Path
from kloplei.review.store import LoggedEvent, slim
from kloplei.review.store import EventLog
from tests.review.blows import blow, rejudge

log = EventLog(Path(sys.argv[1]))
number = max((one.number for one in log.read()), default=0)
while True:
    number += 1
    log.write([LoggedEvent(number, None, slim(blow()))], range(number - 4, number + 1))
    print(number, flush=True)
"""


def test_a_killed_box_has_heard_what_it_had_written(path: Path) -> None:
    """kill -9 in the midst of writing, time after time."""
    for told_before_the_kill in (1, 3, 10, 40):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, path],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            text=True,
        ) as box:
            assert box.stdout is not None
            for _ in range(told_before_the_kill):
                told = int(box.stdout.readline())
            box.send_signal(signal.SIGKILL)
            told = max([told, *map(int, box.stdout.read().split())])

        kept = numbers_at(path)

        assert kept[-1] in {told, told + 1}  # one more may have been written and not yet told
        assert kept == [*range(max(1, kept[-1] - 4), kept[-1] + 1)]


@where_mounts_are_allowed
def test_a_full_disk_is_told_once_and_holds_nothing_up(
    disk: SmallDisk, caplog: pytest.LogCaptureFixture
) -> None:
    path = disk.folder / "ears.db"
    writer = EventLogWriter(path)
    writer.load()
    memory = EventMemory(KEEP)
    disk.fill()

    for _ in range(4 * KEEP):
        writer.put(memory.add(slim(blow()), None), memory.numbers)
        writer._write()

    assert "cannot be written" in str(writer.trouble)
    assert len(caplog.messages) == 1
    disk.free()
    assert writer._write() is True
    assert writer.trouble is None
    writer.close()
    assert numbers_at(path) == [16, 17, 18, 19, 20]


@where_mounts_are_allowed
def test_a_table_on_a_read_only_disk_hears_and_tells_why_it_keeps_nothing(
    disk: SmallDisk,
) -> None:
    path = disk.folder / "ears.db"
    disk.remount("ro")
    inbox = Letterbox()

    with review_for(inbox, path) as ears:
        ears.judged(blow())

        assert "cannot be written" in str(ears.keeping().trouble)
        assert len(ears.heard_events()) == len(inbox.messages) == 1
        disk.remount("rw")


def test_what_waits_for_a_slow_disk_is_no_more_than_the_ring(path: Path) -> None:
    writer = EventLogWriter(path)
    memory = EventMemory(KEEP)

    for _ in range(1000):
        writer.put(memory.add(slim(blow(edges_only=True)), None), memory.numbers)

    assert len(writer._waiting) == KEEP


@given(
    keep=st.integers(0, 8),
    marks=st.lists(st.tuples(st.integers(1, 60), st.booleans()), max_size=30),
    blows=st.integers(0, 60),
)
def test_the_ring_is_bounded_whatever_is_marked(
    keep: int, marks: list[tuple[int, bool]], blows: int
) -> None:
    memory = EventMemory(keep)
    judged = blow(edges_only=True)

    for at in range(1, blows + 1):
        memory.add(judged, None)
        for number, is_marked in marks:
            if number in memory.numbers and number % 7 == at % 7:
                memory.mark(number, Verdict.NOISE if is_marked else None, None)

    kept = [one.number for one in memory.blows]
    assert len(kept) <= 2 * keep
    assert kept == sorted(kept)
    newest = [*range(max(1, blows - keep + 1), blows + 1)] if keep else []
    assert kept[len(kept) - len(newest) :] == newest
    older = memory.blows[: len(kept) - len(newest)]
    assert all(one.is_marked for one in older)
