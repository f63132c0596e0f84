"""Draw the recaps again, that of the docs as well: ``python -m tests.history.redraw``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

from PIL import Image

from kloplei.history import _chalk
from kloplei.history.recap import draw
from kloplei.words import Words
from tests.history.recaps import SCENES

REFERENCE = Path(__file__).parent / "reference"
SMALL = (360, 450)
_LARGE = Path("test-results/recaps")
_DOCS, _IN_DOCS = Path(__file__).parents[2] / "docs/pictures/recap.png", (720, 900)


@contextmanager
def ours_alone() -> Iterator[None]:
    """Write with our own letters, whatever else this machine has."""
    with patch.object(_chalk, "machine_fonts", tuple):
        _chalk.lettering.cache_clear()
        yield
    _chalk.lettering.cache_clear()


def large(name: str) -> bytes:
    """Return the recap *name*."""
    one = SCENES[name]
    with ours_alone():
        return draw(one.evening, Words(one.language), place=one.place)


def small(name: str) -> Image.Image:
    """Return the recap *name*, as small as it is kept."""
    picture = Image.open(BytesIO(large(name)))
    return picture.convert("L").resize(SMALL, Image.Resampling.BOX)


def main(wanted: list[str]) -> None:
    """Write the pictures that are *wanted*, all if none is named, and large ones to look at."""
    REFERENCE.mkdir(exist_ok=True)
    _LARGE.mkdir(parents=True, exist_ok=True)
    for name in wanted or SCENES:
        (_LARGE / f"{name}.png").write_bytes(large(name))
        small(name).quantize(16).save(REFERENCE / f"{name}.png", optimize=True)
    shown = Image.open(BytesIO(large("toepen-4"))).convert("RGB").resize(_IN_DOCS)
    shown.quantize(64, dither=Image.Dither.NONE).save(_DOCS, optimize=True)
    print(f"look at {_LARGE}")


if __name__ == "__main__":
    main(sys.argv[1:])
