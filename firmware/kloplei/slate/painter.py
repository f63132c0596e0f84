"""The slate's own thread: paints when something is new or moves, and sleeps in between.

`Presenter` decides what has to stand on the glass and until when: told the time, it never asks for
it. `Display` opens the glass when it is there, sends what it does not show yet, and opens it again
when it was lost. `Painter` owns the two threads and brings both together; what moves by itself it
draws no oftener than the glass's wires bear.
"""

import logging
import math
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from PIL import Image

from kloplei.config.settings import SLATE_PARTS
from kloplei.frozen import dataclass, replace
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.slate.drawing import Area, FrameTime, blank, with_letters
from kloplei.slate.picture import (
    DisplaySettings,
    Picture,
    draw,
    draw_greeting,
    draw_pause,
)
from kloplei.table.client import Followed, Frame, show_all
from kloplei.table.messages import Inbox, PartFailed, PartHealed
from kloplei.words import Words, sentence_of

logger = logging.getLogger(__name__)
GREETING_S = 1.2
SHIFT_EVERY_S = 180.0
OPENING_S = 0.025  # what says it goes ahead of all else by so much, and has just arrived by then
_SHIFTS = ((0, 0), (1, 0), (1, 1), (0, 1))  # pixels right and down


@dataclass(frozen=True, slots=True)
class FrameRequest:
    """What has to stand: *image* (None: the glass sleeps) at *contrast*, until *until_s*.

    *covered* is for who is not at the table, where *image* tells what only the table may know.
    *whole* is the finished picture where *image* has only the part of it that goes out first.
    """

    image: Image.Image | None
    contrast: int
    until_s: float | None = None
    covered: Image.Image | None = None
    whole: Image.Image | None = None


class Presenter:
    """Chooses the picture and lets the glass rest; no thread, no clock, no device.

    The picture moves about by a pixel, dims and goes dark when nothing happens, so that
    names do not burn into the glass; any new scoreboard wakes it.
    """

    def __init__(self, words: Words, settings: DisplaySettings, now_s: float) -> None:
        self._words = with_letters(words)
        self._settings = settings
        self._board: Scoreboard | None = None
        self._began_s = self._moved_s = self._board_s = self._news_s = now_s
        self._trouble: Line | None = None
        self._trouble_s = now_s
        self._pausing = False
        self._last: Image.Image | None = None  # the picture that was asked for last
        self._stood: Image.Image | None = None  # the one when the board came
        self._whole: FrameRequest | None = None  # what follows when only a part has gone out

    def saw(self, board: Scoreboard, now_s: float) -> None:
        """Take *board* as what the table shows from *now_s* on."""
        self._whole = None
        if self._board is not None and replace(board, struck=self._board.struck) == self._board:
            # A blow that nobody has judged is shown, and neither wakes nor moves anything.
            self._board = replace(self._board, struck=board.struck)
            return
        if self._board is None or _news(board) != _news(self._board):
            self._news_s = now_s
        told = () if self._board is None else self._board.notices
        for notice in board.notices:
            if notice not in told:
                self._trouble, self._trouble_s = notice, now_s
        self._board = board
        self._board_s = self._moved_s = now_s
        self._stood = self._last

    def use(self, settings: DisplaySettings) -> None:
        """Take *settings* from now on; it wakes nobody."""
        self._settings, self._whole = settings, None

    def speak(self, words: Words) -> None:
        """Say all in the language of *words* from now on; it wakes nobody."""
        self._words, self._whole = with_letters(words), None

    def pause(self) -> None:
        """Show from now on that the table pauses: whoever stops it, whatever for."""
        self._pausing, self._whole = True, None

    def frame_at(self, now_s: float) -> FrameRequest:
        """Return what has to stand on the glass at *now_s*."""
        request = self._whole_by(now_s) or self._request_at(now_s)
        self._last = request.image
        return request

    def _whole_by(self, now_s: float) -> FrameRequest | None:
        """Return the picture of which a part went out first, drawn already, from when it is due."""
        whole = self._whole
        if whole is None or whole.until_s is None:
            return None
        return whole if self._board_s + OPENING_S <= now_s < whole.until_s else None

    def _request_at(self, now_s: float) -> FrameRequest:
        if self._pausing:
            return FrameRequest(
                draw_pause(self._words, self._settings.glass).image, self._settings.slate.contrast
            )
        idle_s = now_s - self._moved_s
        if self._board is not None and idle_s >= self._settings.slate.sleep_after_s:
            return FrameRequest(None, self._settings.dimmed)
        picture, ends_s = self._picture(now_s)
        dim = idle_s >= self._settings.slate.dim_after_s
        shift, shift_ends_s = self._shift(now_s)
        rest_s = self._settings.slate.sleep_after_s if dim else self._settings.slate.dim_after_s
        ends = [self._moved_s + rest_s, shift_ends_s, *ends_s]
        contrast = self._settings.dimmed if dim else self._settings.slate.contrast
        covered = None if picture.covered is None else _moved(picture.covered, shift)
        image, until_s = _moved(picture.image, shift), min(ends)
        whole = FrameRequest(image, contrast, until_s, covered)
        opened_s = self._board_s + OPENING_S
        if picture.first is None or self._stood is None or now_s >= opened_s:
            return whole
        self._whole = whole
        opening = _opening(self._stood, image, picture.first, shift)
        return FrameRequest(opening, contrast, min(until_s, opened_s), covered, whole=image)

    def _picture(self, now_s: float) -> tuple[Picture, list[float]]:
        greeting_ends_s = self._began_s + GREETING_S
        if self._board is None:
            return draw_greeting(self._words, self._settings.glass), []
        if self._board.phase == "seating" and now_s < greeting_ends_s:
            return draw_greeting(self._words, self._settings.glass), [greeting_ends_s]
        moment = FrameTime(now_s, self._board_s, self._news_s, self._trouble_s, self._trouble)
        picture = draw(self._board, moment, self._words, self._settings)
        return picture, [] if picture.lasts_s is None else [now_s + picture.lasts_s]

    def _shift(self, now_s: float) -> tuple[tuple[int, int], float]:
        number = int((now_s - self._began_s) / SHIFT_EVERY_S)
        return _SHIFTS[number % len(_SHIFTS)], self._began_s + (number + 1) * SHIFT_EVERY_S


def _news(board: Scoreboard) -> tuple[object, ...]:
    return (board.seq, board.phase, board.news)


def _moved(image: Image.Image, shift: tuple[int, int]) -> Image.Image:
    """Return *image* moved by *shift*; faces leave the last pixels on the right and below dark."""
    if shift == (0, 0):
        return image
    moved = Image.new(image.mode, image.size)
    moved.paste(image, shift)
    return moved


def _opening(
    stood: Image.Image, image: Image.Image, first: Area, shift: tuple[int, int]
) -> Image.Image:
    """Return what *stood*, and in it the part of *image* that goes out *first*."""
    left, top = first.x + shift[0], first.y + shift[1]
    opening = stood.copy()
    opening.paste(image.crop((left, top, left + first.width, top + first.height)), (left, top))
    return opening


PART, SECOND_PART = SLATE_PARTS
RETRY_S = 2.0
BUSY_SHARE = 0.5  # of the time, at most, wires are busy with what moves by itself


class Oled(Protocol):
    """A luma device, as far as a slate asks something of it; what it raises is its library's."""

    persist: bool
    """Whether the last picture stays on the glass when it is let go of."""

    @property
    def wire_s(self) -> float:
        """How long all that it has been sent took its wires; 0 where nobody knows."""
        ...

    def display(self, image: Image.Image) -> None:
        """Show *image*."""
        ...

    def contrast(self, level: int) -> None:
        """Shine as bright as *level*, 0 to 255."""
        ...

    def show(self) -> None:
        """Switch the glass on; what stood on it is there again."""
        ...

    def hide(self) -> None:
        """Switch the glass off."""
        ...

    def cleanup(self) -> None:
        """Let go of bus and pins."""
        ...


@dataclass(slots=True)
class _Known:
    """What is known to stand on the glass; None is nothing."""

    bits: bytes | None = None
    contrast: int | None = None
    lit: bool | None = None


class Display:
    """One OLED that may come and go.

    Whatever it raises, a loose wire is no reason to end an evening: trouble is told to *inbox* once
    when it begins and once when it is over, and the glass is opened again every `RETRY_S` until it
    answers. One that stumbles and comes back at the first try is not worth a word.

    Args:
        open_device: Opens the glass, cleared and lit, or raises with a sentence.
        inbox: Where a broken part is told.
        part: What it is called there.
    """

    def __init__(self, open_device: Callable[[], Oled], inbox: Inbox, part: str = PART) -> None:
        self._part = part
        self._open_device = open_device
        self._inbox = inbox
        self._device: Oled | None = None
        self._told = False
        self._try_again_s = float("-inf")
        self._known = _Known()
        self._proven = False
        self.rests_until_s = float("-inf")
        """Until when the wires are to be left alone by what moves by itself."""

    def show(self, request: FrameRequest, now_s: float) -> float | None:
        """Bring the glass to look like *request*; return when to try again, None if it does."""
        if self._device is not None and self._brought(self._device, request, now_s):
            return None
        if now_s < self._try_again_s:
            return self._try_again_s
        self._try_again_s = now_s + RETRY_S
        opened = self._opened()
        if opened is not None and self._brought(opened, request, now_s):
            if self._told:
                self._told = False
                self._inbox.put(PartHealed(self._part))
            return None
        return self._try_again_s

    def let_go(self) -> None:
        """Let go of the glass; the last picture stays on it when the program ends."""
        if self._device is not None:
            self._device.persist = True
            self._drop()

    def _opened(self) -> Oled | None:
        try:
            self._device, self._known, self._proven = self._open_device(), _Known(), False
        except Exception as error:  # noqa: BLE001 - each library of buses and pins has its own
            self._failed(error)
            return None
        return self._device

    def _brought(self, device: Oled, request: FrameRequest, now_s: float) -> bool:
        before_s = device.wire_s
        try:
            self._send(device, request)
        except Exception as error:  # noqa: BLE001
            logger.warning("The slate does not take its picture: %r", error)
            if not self._proven:
                self._failed(error)
            self._drop()
            return False
        self._proven = True
        self.rests_until_s = now_s + (device.wire_s - before_s) / BUSY_SHARE
        return True

    def _send(self, device: Oled, request: FrameRequest) -> None:
        """Send what the glass does not show yet; a picture before light falls on it."""
        if request.image is None:
            self._set_lit(device, lit=False)
            return
        # Contrast first, then the picture, then light: nobody sees an old picture flash up.
        if self._known.contrast != request.contrast:
            device.contrast(request.contrast)
            self._known.contrast = request.contrast
        bits = request.image.tobytes()
        if self._known.bits != bits:
            device.display(request.image)
            self._known.bits = bits
        self._set_lit(device, lit=True)

    def _set_lit(self, device: Oled, *, lit: bool) -> None:
        if self._known.lit == lit:
            return
        if lit:
            device.show()
        else:
            device.hide()
        self._known.lit = lit

    def _drop(self) -> None:
        device, self._device = self._device, None
        if device is None:
            return
        try:
            device.cleanup()
        except Exception as error:  # noqa: BLE001
            logger.debug("The slate's wires could not be let go of: %s", error)

    def _failed(self, error: Exception) -> None:
        if not self._told:
            self._told = True
            self._inbox.put(PartFailed(self._part, sentence_of(error) or type(error).__name__))


_LAST_S = 3.0  # a glass that hangs must not hold up the end


class Painter:
    """Keeps the slate as the table is, or both of them: what they show is drawn once.

    Two threads: one waits for the table, one paints. A slow or broken glass holds up
    neither the table nor the phones, which get each picture even if the glass is lost. Where there
    never is one, nothing is drawn but for who looks from afar (`look`).

    Args:
        table: Whose slate it is.
        open_device: Opens the glass, cleared and lit, or raises with a sentence.
            None for a box without a slate.
        words: The slate's language.
        settings: What the box may set about its slate.
        inbox: Where a broken slate is told.
        show: Gets each picture, for those who look from afar.
        open_second: Opens another glass of the same size, which shows the same; either may be lost.
        covers: Whether those get pictures without PIN and password, which are for the table.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        table: Followed,
        open_device: Callable[[], Oled] | None,
        words: Words,
        settings: DisplaySettings,
        *,
        inbox: Inbox,
        show: Callable[[Frame | None], None],
        open_second: Callable[[], Oled] | None = None,
        covers: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table = table
        opened = ((open_device, PART), (open_second, SECOND_PART))
        self._displays = [Display(one, inbox, part) for one, part in opened if one is not None]
        self._show = show
        self._covers = covers
        self._clock = clock
        self._presenter = Presenter(words, settings, clock())
        self.language = words.language
        """Which language the slate speaks."""
        self._shown: Frame | None = None
        self._stays_until_s = -math.inf  # for who looks, where there is no glass
        self._wake = threading.Condition()
        self._news: Scoreboard | None = None
        self._new_settings: DisplaySettings | None = None
        self._new_words: Words | None = None
        self._lent: FrameRequest | None = None
        self._lent_anew = False
        self._glass, self._contrast = settings.glass, settings.slate.contrast
        self._closing = False
        self._painting = threading.Thread(target=self._paint, name="kloplei-slate", daemon=True)

    def start(self) -> None:
        """Begin to paint; returns at once."""
        self._painting.start()
        # Never joined: it waits at the table, and ends with it or with the next news.
        look_on = partial(show_all, self._table, self._heed, lambda: self._closing, "the slate")
        threading.Thread(target=look_on, name="kloplei-slate-news", daemon=True).start()

    def lend(self, image: Image.Image, for_s: float) -> None:
        """Show *image* in place of the table for *for_s* seconds; returns at once."""
        with self._wake:
            self._lent = FrameRequest(image, self._contrast, self._clock() + for_s)
            self._lent_anew = True
            self._wake.notify_all()

    def use(self, settings: DisplaySettings) -> None:
        """Paint by *settings* from now on: where phones find the table has changed, say."""
        with self._wake:
            self._new_settings = settings
            self._wake.notify_all()

    def speak(self, words: Words) -> None:
        """Paint in the language of *words* from now on."""
        with self._wake:
            self._new_words, self.language = words, words.language
            self._wake.notify_all()

    def look(self) -> Frame | None:
        """Return what stands on the slate of a box without a glass, drawn now if need be."""
        with self._wake:
            self._take()
            now_s = self._clock()
            if now_s >= self._stays_until_s:
                until_s = self._once(now_s)
                self._stays_until_s = math.inf if until_s is None else until_s
            return self._shown

    def close(self) -> None:
        """Leave on the slate that the table pauses, and stop; twice does no harm."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        if self._painting.is_alive():
            self._painting.join(_LAST_S)

    def _heed(self, board: Scoreboard) -> None:
        with self._wake:
            self._news = board
            self._wake.notify_all()

    def _paint(self) -> None:
        going = True
        while going:
            going = not self._closing
            if not going:
                self._presenter.pause()
                self._stays_until_s = -math.inf
            until_s = None if not self._displays else self._once(self._clock())
            if going:
                self._take_news(until_s)
        for display in self._displays:
            display.let_go()

    def _once(self, now_s: float) -> float | None:
        """Paint what has to stand now; return until when it may."""
        try:
            request = self._frame_at(now_s)
        except Exception:
            logger.exception("The slate cannot be drawn; what stands on it stays.")
            return None
        self._deposit(request)
        if not self._displays:
            return request.until_s
        again_s = [display.show(request, now_s) for display in self._displays]
        wakes_s = min((at for at in (request.until_s, *again_s) if at is not None), default=None)
        # News come at once. A picture that only moves waits until the last one has long arrived:
        # on slow wires what falls between two is never drawn.
        # Two glasses may hang on the same wires, which rest as long as both have kept them busy.
        rests_s = sum(max(display.rests_until_s - now_s, 0.0) for display in self._displays)
        return None if wakes_s is None else max(wakes_s, now_s + rests_s)

    def _frame_at(self, now_s: float) -> FrameRequest:
        lent = self._lent
        if lent is not None and not self._closing and now_s < (lent.until_s or 0.0):
            return lent
        return self._presenter.frame_at(now_s)

    def _deposit(self, request: FrameRequest) -> None:
        image = (self._covers and request.covered) or request.whole or request.image
        sheet = blank(self._glass) if image is None else image
        frame = Frame.of(sheet)
        if frame != self._shown:
            self._show(frame)
            self._shown = frame

    def _take_news(self, until_s: float | None) -> None:
        """Wait for news, but no longer than *until_s*."""
        with self._wake:
            timeout = None if until_s is None else max(until_s - self._clock(), 0.0)
            self._wake.wait_for(self._is_stirred, timeout)
            self._take()

    def _take(self) -> None:
        """Take what is new to the presenter; whoever comes first, the painter or who looks."""
        if self._is_stirred():
            self._stays_until_s = -math.inf
        if self._new_settings is not None:
            self._presenter.use(self._new_settings)
        if self._new_words is not None:
            self._presenter.speak(self._new_words)
        if self._news is not None:
            self._presenter.saw(self._news, self._clock())
        self._lent_anew = False
        self._news = self._new_settings = self._new_words = None

    def _is_stirred(self) -> bool:
        news = (self._news, self._new_settings, self._new_words)
        return any(one is not None for one in news) or self._lent_anew or self._closing
