"""A box as a keeper has it: two units of its own, on pins that nobody wired, at a socket."""

import random
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from kloplei.config.settings import JOURNAL
from kloplei.table.rpc_client import RemoteTable, remote_table
from kloplei_hub.boxes import new_code
from kloplei_hub.demo import DemoHouse
from kloplei_hub.virtual import think_at
from tests.cli.processes import patiently, running

_PATIENCE_S = 60.0
_LOOK_S = 0.1
_SETTINGS = """
table.data = "{folder}"
pins.factory = "mock"
slate.driver = "none"
socket.path = "{folder}/table.sock"
timing = {{ grace_s = 0.5 }}
uplink = {{ enabled = true, data = "{folder}/uplink" }}
"""


class RealBox:
    """``kloplei run`` and ``kloplei uplink``, with bots at their table; a context manager.

    Args:
        folder: For journal, socket and settings.
        seed: Of the bots' dice.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self._dice = random.Random(seed)
        self._opened = ExitStack()
        self.table: RemoteTable = remote_table(folder / "table.sock")

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True)
        settings = self.folder / "kloplei.toml"
        settings.write_text(_SETTINGS.format(folder=self.folder))
        with ExitStack() as opening:
            for unit in ("run", "uplink"):
                opening.enter_context(running(unit, "--config", str(settings)))
            opening.callback(self.table.close)
            patiently(self.table.scoreboard)
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def journal(self) -> Path:
        """The file of its journal."""
        return self.folder / JOURNAL

    def go_with(self, house: DemoHouse, name: str, number: int) -> None:
        """Go with *house*, by a code that somebody types."""
        with house.owner() as connection:
            code = new_code(connection, name, number)
        self.table.uplink.pair(house.address, code)
        until_s = time.monotonic() + _PATIENCE_S
        while (status := self.table.uplink.status()).state != "connected":
            assert time.monotonic() < until_s, f"{name} does not reach the house: {status}"
            time.sleep(_LOOK_S)

    def think(self) -> bool:
        """Let the bots do one thing, or only look; return whether they did."""
        return think_at(self.table, self._dice, plays_on=False)
