"""Eight hours of a pub evening in some minutes, and what they leave behind: ``make endurance``.

A box on virtual pins with its journal on a file, its slate on a fake bus and its panel over the
socket, with phones that follow, come and go. Only time is passed in. Bots play without a pause,
some seven times as many hands as people. Memory is measured each time the table has let go of
what lies too far back, or a saw would be taken for a slope.
"""

import argparse
import gc
import http.client
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path

from kloplei.config.settings import Config
from kloplei.table.journal import REACH
from kloplei.table.rpc_client import remote_table
from kloplei_panel import PanelSettings, create_app
from kloplei_panel.server import Server
from tests.endurance.box import Stand

HOURS = 8.0
HANDS_AN_HOUR = 30  # of toepen; what people need for one is two minutes
NIGHT_HOURS = 5.0
FOLLOWERS = 4
WARM = 2  # samples until all is imported, compiled and filled
MOST_BLOCKS = 1.01  # of what was allocated when warm
MOST_KB = 10_000  # of resident memory on top of it: pages that SQLite keeps, arenas of C
MOST_WAL_BYTES = 400_000  # 256 pages until it is folded into the file, with their heads
HOST = "127.0.0.1"


@dataclass(frozen=True)
class Sample:
    """What the process held when the journal had *entries*, *at_s* seconds into the evening."""

    at_s: float
    entries: int
    hands: int
    blocks: int  # objects of Python
    rss_kb: int
    open_files: int
    threads: int
    journal_bytes: int
    wal_bytes: int
    other_bytes: int


def complaints(samples: Sequence[Sample]) -> list[str]:
    """Return what of the evening is not flat, a sentence each; nothing if all is well."""
    if len(samples) <= WARM:
        return [f"only {len(samples)} samples: the evening was too short to tell"]
    warm, *later = samples[WARM - 1 :]
    last, found = later[-1], []
    if last.blocks > warm.blocks * MOST_BLOCKS:
        found.append(f"objects grew from {warm.blocks} to {last.blocks}")
    if last.rss_kb > warm.rss_kb + MOST_KB:
        found.append(f"memory grew from {warm.rss_kb} kB to {last.rss_kb} kB")
    if max(one.open_files for one in later) > warm.open_files + 2:
        found.append(f"open files grew from {warm.open_files}")
    if max(one.threads for one in later) > warm.threads + 2:
        found.append(f"threads grew from {warm.threads}")
    if max(one.wal_bytes for one in later) > MOST_WAL_BYTES:
        found.append("the journal's log is not folded into its file")
    if last.other_bytes > 1.5 * warm.other_bytes:
        found.append("another file than the journal grew")
    return found


def evening(folder: Path, hours: float, reach: int | None, each: int) -> Iterator[Sample]:
    """Play for so many *hours*, and yield a sample every *each* entries."""
    data = folder / "data"
    data.mkdir()
    with ExitStack() as opening:
        stand = Stand(data, opening, Config(), reach)
        remote = opening.enter_context(closing(remote_table(folder / "table.sock")))
        app = create_app(remote, settings=PanelSettings(keepalive_s=0.2))
        server = opening.enter_context(Server(app, HOST, 0))
        for _ in range(FOLLOWERS):
            threading.Thread(target=_follow, args=(server.port,), daemon=True).start()
        began_s = stand.clock.now_s()
        due, dealt = each, 0
        while stand.clock.now_s() - began_s < hours * 3600:
            before = stand.session.scoreboard().phase
            seq = stand.play(1)
            dealt += before == "between_hands" != stand.session.scoreboard().phase
            if seq >= due:
                due += each
                _visit(server.port)
                yield _sample(stand.clock.now_s() - began_s, seq, dealt, data)


def _visit(port: int) -> None:
    """Let a phone come, look about, and go."""
    for path in ("/?lang=en", "/tv", "/api/v1/scoreboard", "/slate.png", "/help"):
        with closing(http.client.HTTPConnection(HOST, port, timeout=30)) as line:
            line.request("GET", path)
            line.getresponse().read()


def _follow(port: int) -> None:
    """Follow the table as a phone does, until it ends."""
    with (
        suppress(OSError, http.client.HTTPException),
        closing(http.client.HTTPConnection(HOST, port, timeout=60)) as line,
    ):
        line.request("GET", "/api/v1/stream")
        answer = line.getresponse()
        while answer.readline():
            pass


def _sample(at_s: float, entries: int, hands: int, data: Path) -> Sample:
    time.sleep(0.3)  # for who still draws or sends
    gc.collect()
    sizes = {one.name: one.stat().st_size for one in data.iterdir()}
    return Sample(
        at_s,
        entries,
        hands,
        sys.getallocatedblocks(),
        int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024,
        len(os.listdir("/proc/self/fd")),  # noqa: PTH208 - Path would open it while it counts
        threading.active_count(),
        journal_bytes=sizes.pop("kloplei.db"),
        wal_bytes=sizes.pop("kloplei.db-wal"),
        other_bytes=sum(sizes.values()),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Play the evening, print what it held and what a year of such nights comes to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=HOURS)
    parser.add_argument("--reach", type=int, default=REACH, help="entries that can be taken back")
    parser.add_argument("--leak", action="store_true", help="let go of nothing: has to be found")
    asked = parser.parse_args(argv)
    reach, samples = None if asked.leak else asked.reach, []
    print("  hour  hands  entries  objects   memory  files  threads  journal      log  others")
    with tempfile.TemporaryDirectory(prefix="kloplei-") as folder:
        for one in evening(Path(folder), asked.hours, reach, asked.reach):
            samples.append(one)
            print(
                f"{one.at_s / 3600:6.2f} {one.hands:6} {one.entries:8} {one.blocks:8} "
                f"{one.rss_kb:5} kB {one.open_files:6} {one.threads:8} {one.journal_bytes:8} "
                f"{one.wal_bytes:8} {one.other_bytes:7}",
                flush=True,
            )
    if samples:
        _tell_growth(samples[-1])
    found = complaints(samples)
    for sentence in found or ["flat: memory, files, threads, and every file but the journal"]:
        print(sentence)
    return int(bool(found))


def _tell_growth(last: Sample) -> None:
    a_hand = last.journal_bytes / last.hands
    an_hour = a_hand * HANDS_AN_HOUR
    print(
        f"The journal grew by {a_hand:.0f} bytes and {last.entries / last.hands:.1f} entries a "
        f"hand: {an_hour / 1000:.0f} kB an hour at {HANDS_AN_HOUR} hands, and "
        f"{an_hour * NIGHT_HOURS * 365 / 1e6:.0f} MB in a year of {NIGHT_HOURS:g} hours a night."
    )


if __name__ == "__main__":
    sys.exit(main())
