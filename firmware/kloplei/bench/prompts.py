"""What is to be done, in words: one sentence for the terminal, one picture for the slate."""

from collections.abc import Callable
from typing import Any

from PIL import Image

from kloplei.bench.sensors import Troubles
from kloplei.bench.showing import Phase, Shown
from kloplei.slate.drawing import blank
from kloplei.slate.faces import Beat, draw_beat
from kloplei.slate.painter import PART, Glass, Hanging
from kloplei.slate.picture import draw_greeting, draw_pause, with_letters
from kloplei.words import Words

DOMAIN = "bench"
_STEPS = 24  # of the bar: a slate on a slow bus takes some fifteen pictures a second


class SlatePrompts:
    """Shows on the OLED what is to be done; a slate that is missing holds nothing up.

    Args:
        open_device: Opens the glass, or raises with a sentence.
        language: The slate's.
        troubles: Where a missing slate is told.
        clock: Monotonic seconds.
        contrast: Of the glass.
    """

    def __init__(
        self,
        open_device: Callable[[], Any],
        language: str,
        troubles: Troubles,
        clock: Callable[[], float],
        contrast: int,
    ) -> None:
        self._glass = Glass(open_device, troubles)
        self._language = language
        self._troubles = troubles
        self._clock = clock
        self._contrast = contrast
        self._picture: tuple[object, Image.Image] | None = None
        self._hang(draw_greeting(with_letters(Words(language))).image)

    @property
    def trouble(self) -> str | None:
        """Why there is no slate, None as long as there is one."""
        return self._troubles.of(PART)

    def show(self, shown: Shown) -> None:
        """Hang what is to be done now."""
        # To draw is dear on a small Pi, and mostly nothing has changed since the last look.
        moment = (shown.step, shown.phase, shown.count, shown.beats_done, shown.is_now, _bar(shown))
        if self._picture is None or self._picture[0] != moment:
            self._picture = (moment, picture_of(shown, self._language))
        self._hang(self._picture[1])

    def close(self) -> None:
        """Leave on the slate that the table pauses."""
        self._hang(draw_pause(with_letters(Words(self._language))).image)
        self._glass.let_go()

    def _hang(self, image: Image.Image) -> None:
        self._glass.hang(Hanging(image, self._contrast), self._clock())


def picture_of(shown: Shown, language: str) -> Image.Image:
    """Return what the slate shows of *shown*."""
    words = Words(with_letters(Words(language)).language, domain=DOMAIN)
    kind = shown.step.kind
    beat = Beat(
        done=shown.beats_done,
        of=kind.beats,
        count=shown.count,
        is_now=shown.is_now,
        filled=_bar(shown),
        go=words.say("go") if kind.beats else "",
    )
    image = blank()
    seats = tuple(seat.shown for seat in shown.step.seats)
    draw_beat(image, seats, words.say(f"word.{kind.name}"), words.say(f"how.{kind.name}"), beat)
    return image


def sentence_of(shown: Shown, language: str) -> str:
    """Return what is to be done, and at which seat: "seat 3: HARD, knock hard"."""
    words, seats = Words(language, domain=DOMAIN), Words(language)
    kind = shown.step.kind
    asked = f"{words.say(f'word.{kind.name}')}, {words.say(f'how.{kind.name}')}"
    whose = " + ".join(
        seats.say("seat.unnamed", {"number": seat.shown}) for seat in shown.step.seats
    )
    return f"{whose}: {asked}" if whose else asked


def word_of(shown: Shown, language: str) -> str:
    """Return the countdown as one word, "" where nothing is to be counted."""
    if shown.is_now and shown.step.kind.beats:
        return Words(language, domain=DOMAIN).say("go")
    return "" if shown.count is None else str(shown.count)


def _bar(shown: Shown) -> float:
    runs = shown.phase is Phase.RUNS
    return int(shown.filled * _STEPS) / _STEPS if runs else 0.0
