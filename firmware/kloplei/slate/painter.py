"""The slate's own thread: paints when something is new or moves, and sleeps in between."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from PIL import Image

from kloplei.rules.scoreboard import Scoreboard
from kloplei.slate.easel import Easel, Hanging
from kloplei.slate.glass import Glass
from kloplei.slate.look import Look
from kloplei.slate.sheet import HEIGHT, WIDTH
from kloplei.table.client import Frame, TableClient
from kloplei.table.inbox import Inbox
from kloplei.words import Words

logger = logging.getLogger(__name__)

_LAST_S = 3.0  # a glass that hangs must not hold up the end


class Painter:
    """Keeps the slate as the table is.

    Two threads: one waits for the table, one paints. A slow or broken glass holds up
    neither the table nor the phones, which get each picture even if there is no glass.

    Args:
        table: Whose slate it is.
        open_device: Opens the glass: returns a luma device, or raises with a sentence.
            None for a box without a slate.
        words: The slate's language.
        look: What the box may set about its slate.
        inbox: Where a broken slate is told.
        show: Gets each picture, for those who look from afar.
        covers: Whether those get pictures without PIN and password, which are for the table.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        table: TableClient,
        open_device: Callable[[], Any] | None,
        words: Words,
        look: Look,
        *,
        inbox: Inbox,
        show: Callable[[Frame | None], None],
        covers: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table = table
        self._glass = None if open_device is None else Glass(open_device, inbox)
        self._show = show
        self._covers = covers
        self._clock = clock
        self._easel = Easel(words, look, clock())
        self._shown: Frame | None = None
        self._wake = threading.Condition()
        self._news: Scoreboard | None = None
        self._new_look: Look | None = None
        self._lent: Hanging | None = None
        self._lent_anew = False
        self._contrast = look.contrast
        self._closing = False
        self._painting = threading.Thread(target=self._paint, name="kloplei-slate", daemon=True)

    def start(self) -> None:
        """Begin to paint; returns at once."""
        self._painting.start()
        # Never joined: it waits at the table, and ends with it or with the next news.
        threading.Thread(target=self._follow, name="kloplei-slate-news", daemon=True).start()

    def lend(self, image: Image.Image, for_s: float) -> None:
        """Show *image* in place of the table for *for_s* seconds; returns at once."""
        with self._wake:
            self._lent = Hanging(image, self._contrast, self._clock() + for_s)
            self._lent_anew = True
            self._wake.notify_all()

    def look_by(self, look: Look) -> None:
        """Paint by *look* from now on: where phones find the table has changed, say."""
        with self._wake:
            self._new_look = look
            self._wake.notify_all()

    def close(self) -> None:
        """Leave on the slate that the table pauses, and stop; twice does no harm."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if self._painting.is_alive():
            self._painting.join(_LAST_S)

    def _follow(self) -> None:
        for board in self._table.follow():
            with self._wake:
                if self._closing:
                    return
                if board is not None:
                    self._news = board
                    self._wake.notify_all()

    def _paint(self) -> None:
        going = True
        while going:
            going = not self._closing
            if not going:
                self._easel.pause()
            until_s = self._once(self._clock())
            if going:
                self._take_news(until_s)
        if self._glass is not None:
            self._glass.let_go()

    def _once(self, now_s: float) -> float | None:
        """Paint what has to stand now; return until when it may."""
        try:
            hanging = self._hanging(now_s)
        except Exception:
            logger.exception("The slate cannot be drawn; what stands on it stays.")
            return None
        self._deposit(hanging)
        again_s = None if self._glass is None else self._glass.hang(hanging, now_s)
        return min((at for at in (hanging.until_s, again_s) if at is not None), default=None)

    def _hanging(self, now_s: float) -> Hanging:
        lent = self._lent
        if lent is not None and not self._closing and now_s < (lent.until_s or 0.0):
            return lent
        return self._easel.hanging(now_s)

    def _deposit(self, hanging: Hanging) -> None:
        dark = bytes(WIDTH * HEIGHT // 8)
        image = (self._covers and hanging.covered) or hanging.image
        bits = dark if image is None else image.tobytes()
        frame = Frame(WIDTH, HEIGHT, bits)
        if frame != self._shown:
            self._show(frame)
            self._shown = frame

    def _take_news(self, until_s: float | None) -> None:
        """Wait for news, but no longer than *until_s*."""
        with self._wake:
            timeout = None if until_s is None else max(until_s - self._clock(), 0.0)
            self._wake.wait_for(self._is_stirred, timeout)
            board, self._news = self._news, None
            self._lent_anew = False
            look, self._new_look = self._new_look, None
        if look is not None:
            self._easel.look_by(look)
        if board is not None:
            self._easel.saw(board, self._clock())

    def _is_stirred(self) -> bool:
        waiting = self._news is not None or self._new_look is not None
        return waiting or self._lent_anew or self._closing
