"""What every test stands on: fresh words, and no clock that fails a slow machine."""

from pathlib import Path

import pytest
from hypothesis import settings

from hatch_build import compile_words

settings.register_profile("kloplei", deadline=None)
settings.load_profile("kloplei")


@pytest.fixture(scope="session", autouse=True)
def fresh_words() -> None:
    """Compile the catalogues as they are now, so that an old .mo file cannot lie."""
    compile_words(Path(__file__).parents[1])
