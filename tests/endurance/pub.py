"""A pub to break things in: box, panel and phones in a house of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).parents[2]


class NoHouse(AssertionError):
    """This machine does not let us have mounts and a network of our own."""


class Pub:
    """An evening with a box that is told what to do; every method waits for its answer."""

    def __init__(self, house: "subprocess.Popen[str]") -> None:
        self._house = house
        self.is_full = self.is_read_only = False

    def do(self, word: str, *more: object) -> Any:
        """Tell house or box; see `tests.endurance.house` and `tests.endurance.box`."""
        assert self._house.stdin is not None
        assert self._house.stdout is not None
        print(json.dumps({"do": word, "with": more}), file=self._house.stdin, flush=True)
        line = self._house.stdout.readline()
        assert line, "the house fell down; stderr tells why"
        return json.loads(line)

    @property
    def board(self) -> dict[str, Any]:
        """The scoreboard of the table itself."""
        return cast("dict[str, Any]", self.do("board"))

    @property
    def notices(self) -> list[str]:
        """What the slate says is wrong."""
        return cast("list[str]", self.do("notices"))

    def page(self) -> tuple[int, str]:
        """Return status and text of the slate on a phone."""
        status, text = self.do("get", "/?lang=en")
        return int(status), str(text)


@contextmanager
def pub(folder: Path) -> Iterator[Pub]:
    """Open a pub whose files lie in *folder*.

    Raises:
        NoHouse: It may not be built here; the message says what to do.
    """
    apart = ["unshare", "-mn"] if os.geteuid() == 0 else ["unshare", "-rmn"]
    house = subprocess.Popen(
        [*apart, sys.executable, "-m", "tests.endurance.house", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert house.stdin is not None
    assert house.stdout is not None
    try:
        if house.stdout.readline() != "ready\n":
            raise NoHouse(
                "No house for the faults could be built. Run the tests as root, or allow user "
                "namespaces (sysctl kernel.unprivileged_userns_clone=1); stderr tells more."
            )
        yield Pub(house)
    finally:
        house.stdin.close()
        house.stdout.close()
        house.wait(timeout=30)
