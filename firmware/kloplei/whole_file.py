"""Write a file whole or not at all, whatever is pulled out of the wall meanwhile."""

import os
from pathlib import Path


def write_whole(path: Path, raw: bytes) -> None:
    """Let *raw* stand at *path*; a power cut leaves what stood there, or all of it.

    One that was written half, and left beside it by such a cut, is written over by the next.

    Raises:
        OSError: It could not be written; what stood there still does.
    """
    aside = path.with_name(f".{path.name}.new")
    try:
        with aside.open("wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
