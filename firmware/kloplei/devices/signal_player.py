"""Follow the table and play its signals on lamp and buzzer, whichever of them works."""

import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial

from kloplei.devices.buzzer import Buzzer
from kloplei.devices.lamp import DARK, Lamp
from kloplei.devices.signals import AMBER, FLASHES, MELODIES, RED, Signal, glow, signals
from kloplei.files import KlopleiError
from kloplei.rules.scoreboard import Scoreboard
from kloplei.table.client import TableClient
from kloplei.table.inbox import Inbox, PartFailed

_log = logging.getLogger(__name__)

_COLOURS = {"red": RED, "green": (0.0, 1.0, 0.0), "blue": (0.0, 0.0, 1.0)}


class SignalPlayer:
    """Lamp and buzzer of one table; either may be None.

    A part that fails is reported by name and left alone from then on.
    """

    def __init__(self, lamp: Lamp | None, buzzer: Buzzer | None, inbox: Inbox) -> None:
        self._lamp = lamp
        self._buzzer = buzzer
        self._inbox = inbox
        self._before: Scoreboard | None = None
        self._closing = False

    def follow(self, table: TableClient) -> None:
        """Show every change of *table* from now on, on a thread of its own."""
        threading.Thread(target=self._follow, args=(table,), name="signals", daemon=True).start()

    def show(self, board: Scoreboard) -> None:
        """Show what changed since the board before this one; the greatest moment only."""
        moments = signals(self._before, board)
        self._before = board
        if lamp := self._lamp:
            self._try("lamp", lambda: _rest(lamp, board))
            if moments:
                self._try("lamp", lambda: lamp.flash(*FLASHES[moments[0]]))
        if (buzzer := self._buzzer) and moments and moments[0] in MELODIES:
            self._try("buzzer", lambda: buzzer.play(MELODIES[moments[0]]))

    def rehearse(self) -> Iterator[str]:
        """Show each colour and a melody, and go dark: whoever builds looks whether they are right.

        Yields what is to be seen or heard now.
        """
        for name, colour in _COLOURS.items():
            if (lamp := self._lamp) is not None:
                self._try("lamp", partial(lamp.glow, colour))
                yield f"lamp: {name}" if self._lamp else "lamp: it fails"
        if lamp := self._lamp:
            self._try("lamp", partial(lamp.glow, DARK))
        if (buzzer := self._buzzer) and buzzer.quiet:
            yield "buzzer: silent, for [buzzer] quiet is true"
        elif buzzer:
            self._try("buzzer", partial(buzzer.play, MELODIES[Signal.TOEPKONING]))
            yield "buzzer: a melody" if self._buzzer else "buzzer: it fails"

    def close(self) -> None:
        """Stop showing; the thread ends at the table's next sign of life."""
        self._closing = True

    def _follow(self, table: TableClient) -> None:
        try:
            for board in table.follow():
                if self._closing:
                    return
                if board is not None:
                    self.show(board)
        except KlopleiError:
            _log.exception("lamp and buzzer lost sight of the table")

    def _try(self, part: str, do: Callable[[], None]) -> None:
        try:
            do()
        except Exception as error:  # noqa: BLE001 - each pin library brings its own errors
            if self._closing:
                return  # the part was closed under our hands
            _log.exception("the %s failed", part)
            self._inbox.put(PartFailed(part, f"the {part} failed ({error}). The table goes on"))
            if part == "lamp":
                self._lamp = None
            else:
                self._buzzer = None


def _rest(lamp: Lamp, board: Scoreboard) -> None:
    """Let *lamp* show what lasts; a doubt blinks, for armoede glows amber as well."""
    if board.doubt is not None:
        lamp.blink(AMBER)
    else:
        lamp.glow(glow(board))
