"""What every page and every answer needs at hand: the table, the settings, the open streams."""

import threading
from dataclasses import dataclass
from typing import cast

from flask import current_app

from kloplei.table.client import TableClient
from kloplei_panel.demo import DemoTable
from kloplei_panel.pairing import Pairing
from kloplei_panel.settings import PanelSettings


class Streams:
    """Counts the live streams, for each one holds a thread of the server.

    Args:
        most: How many may be open at once.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.open = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()

    @property
    def closing(self) -> bool:
        """Whether the server is stopping and every stream should end."""
        return self._closing.is_set()

    def close(self) -> None:
        """Let every stream end at its next breath."""
        self._closing.set()

    def take(self) -> bool:
        """Take a place and return True, or return False when none is free."""
        with self._lock:
            if self.open >= self.most or self.closing:
                return False
            self.open += 1
            return True

    def give_back(self) -> None:
        """Give a place back."""
        with self._lock:
            self.open -= 1


@dataclass(frozen=True, slots=True)
class Panel:
    """The parts that one app works with."""

    table: TableClient
    settings: PanelSettings
    streams: Streams
    pairing: Pairing
    demo: DemoTable | None = None


def panel() -> Panel:
    """Return the parts of the app that serves this request."""
    return cast("Panel", current_app.extensions["kloplei"])
