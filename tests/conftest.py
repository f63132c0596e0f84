"""What every test stands on: fresh words, and no clock that fails a slow machine."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from hatch_build import compile_words

settings.register_profile("kloplei", deadline=None, max_examples=60)  # each run tries others
settings.load_profile("kloplei")


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_counts() -> None:
    """Let what tests start hear of Ctrl-C even where a shell runs them in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the catalogues as they are now, so that an old .mo file cannot lie.

    Where several processes share the tests, the one that shares them out does it before they start.
    """
    if not hasattr(session.config, "workerinput"):
        compile_words(Path(__file__).parents[1])
