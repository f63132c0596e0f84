"""What every test stands on: fresh words, and no clock that fails a slow machine."""

import gc
import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from hatch_build import compile_words
from tests.examples import MANY
from tests.memory import memory

# Each run tries other examples, and what is found is for who looks. What lands is judged by the
# same ones each time: a find there would hold up whoever happens to come along.
settings.register_profile(
    "kloplei", deadline=None, max_examples=MANY, derandomize="CI" in os.environ
)
settings.register_profile("habit", deadline=None, max_examples=10)  # of `make quick`
settings.load_profile("kloplei")

HERE = Path(__file__).parent
# An old .mo file must not lie, and Kloplei reads one as soon as anything imports it, such as a
# folder's conftest: so this comes first. The processes that share the tests find them compiled.
if "PYTEST_XDIST_WORKER" not in os.environ:
    compile_words(HERE.parent)

WHOLE_ONLY = (
    # Browsers, machines, circuits, built packages, whole evenings of the box.
    *("browser", "box", "endurance", "hw", "packaging", "systemd", "benchmarks", "demo"),
    # Processes that are started, and killed.
    *("cli/test_main.py", "cli/test_notified.py", "cli/test_units.py", "cli/test_greeting.py"),
    *("table/test_killed.py", "review/test_lessons_killed.py"),
    *(
        "hub",
        "uplink/test_boxes.py",
        "uplink/test_home_agent.py",
        "uplink/test_service.py",
        "cli/test_uplink.py",
    ),
    *("review/test_store.py", "test_layers.py", "network/test_switch.py"),
    # Schemathesis, a server with many phones, and every byte that anybody gets.
    *(
        "panel/test_fuzz.py",
        "panel/test_server.py",
        "panel/test_broadcast.py",
        "panel/test_fragments.py",
        "panel/test_blind_referee.py",
    ),
    # Whole evenings, and simulated or recorded wood: seconds each.
    *("words/test_evenings.py", "table/test_cut.py", "table/test_snapshot.py"),
    *("history/test_store.py", "history/test_beside_play.py"),
    *(
        "table/test_tarok_evening.py",
        "table/test_door_beside_play.py",
        "capture/test_folder_pack.py",
        "capture/test_recorder.py",
    ),
    *("table/test_journal_evenings.py", "table/test_journal_mark.py", "table/test_recovered.py"),
    *("table/test_journal_bits.py", "table/test_journal_chain.py"),
    *("knock/test_fitting_noise.py", "knock/test_arrival.py", "knock/test_localization.py"),
    *(
        "devices/test_recorded_codes.py",
        "diagnostics/test_levels_simulated.py",
        "review/test_suggest_reclassifier.py",
        "recordings/test_learning.py",
    ),
    "games/test_options_in_force.py",
    *("evenings", "replay/test_examples.py", "replay/test_examples_tarok.py"),
)
"""Folders and files that `make quick` leaves to `make test`."""
LONGEST = (
    *("table/test_killed.py", "panel/test_blind_referee.py", "browser", "games", "endurance"),
    *("hw", "slate", "packaging", "hub", "demo", "table", "words", "panel", "knock", "uplink"),
)
"""What begins first, because it takes longest: else one process ends long after the others."""


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_counts() -> None:
    """Let what tests start hear of Ctrl-C even where a shell runs them in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return two workers more than there are cores, since some of them wait: for a browser, for
    programs that they started and killed, for a database. Three kept two cores busy half the time.

    The habit of `make quick` has none, and waits for nobody.
    """
    is_whole: bool = config.option.markexpr != "not whole"
    return len(os.sched_getaffinity(0)) + 2 * is_whole


def pytest_configure(config: pytest.Config) -> None:
    """Let what is run on all cores keep its folders in memory; who names a few tests may look."""
    kept_in = memory() if getattr(config.option, "numprocesses", None) else None
    if kept_in is not None:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(kept_in))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what `make quick` leaves out: a browser's driver, a fuzzer."""
    if config.option.markexpr != "not whole":
        return None
    return _place(collection_path, WHOLE_ONLY) < len(WHOLE_ONLY) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Do not look for garbage in what stays: half a million objects of all the tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what only `make test` runs, and let the longest begin."""
    for item in items:
        if _place(item.path, WHOLE_ONLY) < len(WHOLE_ONLY):
            item.add_marker("whole")
    items.sort(key=lambda item: _place(item.path, LONGEST))


@cache  # asked thrice of each test, and there are some twenty-five in a file
def _place(path: Path, among: tuple[str, ...]) -> int:
    """Return which of those files and folders holds *path*, or their number if none does."""
    return next((at for at, one in enumerate(among) if path.is_relative_to(HERE / one)), len(among))
