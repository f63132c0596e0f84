"""What the bench looks like in a terminal: the thing to do, its countdown, and what was said."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from kloplei.cli.terminal import Keys, Redrawn, is_live, single_keys
from kloplei.frozen import dataclass
from kloplei.recordings.capture.session import (
    DOMAIN,
    Console,
    Shown,
    SlatePrompts,
    sentence_of,
    word_of,
)
from kloplei.words import Words

_BAR = 40  # signs
KEYS_SHOWN = ("begin", "skip", "seat", "again", "stop")


@contextlib.contextmanager
def open_screen(language: str, out: TextIO | None = None) -> Iterator[Console]:
    """Give a live screen on a terminal, else one that prints lines; put all back at the end."""
    out = out or sys.stdout
    if not is_live(out):
        yield RecordLines(out, language)
        return
    with single_keys():
        yield LiveRecord(out, language)


class LiveRecord(Keys):
    """Draws over what it drew before."""

    def __init__(self, out: TextIO, language: str) -> None:
        super().__init__()
        self._drawn = Redrawn(out)
        self._language = language
        self._said = ""
        words = Words(language, domain=DOMAIN)
        self._keys = "   ".join(words.say(f"key.{key}") for key in KEYS_SHOWN)

    def show(self, shown: Shown) -> None:
        """Draw what is to be done now."""
        kind = shown.step.kind
        boxes = "[" + "#" * shown.beats_done + "." * (kind.beats - shown.beats_done) + "]"
        bar = "=" * int(shown.filled * _BAR) if shown.runs else ""
        self._drawn.draw(
            [
                f"{shown.number}/{shown.of}  {sentence_of(shown, self._language)}",
                "",
                f"  {word_of(shown, self._language):<8}{boxes if kind.beats else ''}",
                f"  |{bar:<{_BAR}}|",
                f"  {self._said}",
                f"  {self._keys}",
            ]
        )

    def say(self, sentence: str) -> None:
        """Say *sentence* until there is something else to say."""
        self._said = Words(self._language).tell(sentence)


class RecordLines(Keys):
    """Prints a line a step; for logs, pipes and readers of screens."""

    def __init__(self, out: TextIO, language: str) -> None:
        super().__init__()
        self._out = out
        self._language = language
        self._told: set[str] = set()

    def show(self, shown: Shown) -> None:
        """Print what is to be done, once."""
        self.say(f"{shown.number}/{shown.of}  {sentence_of(shown, self._language)}")

    def say(self, sentence: str) -> None:
        """Print *sentence*, once."""
        told = Words(self._language).tell(sentence)
        if told not in self._told:
            self._told.add(told)
            self._out.write(f"{told}\n")
            self._out.flush()


@dataclass(frozen=True, slots=True)
class WithSlate:
    """A console of a *screen* and, where there is one, a *slate*.

    Args:
        wait: Lets time pass that is not the real one; None waits for keys meanwhile.
    """

    screen: Console
    slate: SlatePrompts | None
    wait: Callable[[float], None] | None = None

    def show(self, shown: Shown) -> None:
        """Show it on both."""
        self.screen.show(shown)
        if self.slate is not None:
            self.slate.show(shown)
            if self.slate.why_alone:
                self.say(self.slate.why_alone)

    def say(self, sentence: str) -> None:
        """Say it on the screen: a technician reads it."""
        self.screen.say(sentence)

    def key(self, within_s: float) -> str | None:
        """Return what was pressed within that time."""
        if self.wait is None:
            return self.screen.key(within_s)
        self.wait(within_s)
        return ""
