"""What a tuning looks like in a terminal: a few lines that stay where they are, and live.

Without a terminal each thing that changes is a line of its own.
"""

import contextlib
import sys
from collections.abc import Iterator
from typing import TextIO

from kloplei.cli.terminal import Keys, Redrawn, is_live, single_keys
from kloplei.cli.tune_walk import Screen
from kloplei.games.scoreboard import Line
from kloplei.table.tune import RESULT, STEPS, TuneStand
from kloplei.words import Words

_METER = 40  # signs
_MARKS = {"good": "ok  ", "fair": "note", "poor": "POOR"}
_TITLES = {
    "quiet": "Be quiet",
    "glass": "A glass",
    "phone": "A phone",
    "knocks": "Knocks",
    "weighing": "Adding up",
    RESULT: "The result",
}


@contextlib.contextmanager
def open_screen(out: TextIO | None = None) -> Iterator[Screen]:
    """Give a live screen on a terminal, else one that prints lines; put all back at the end."""
    out = out or sys.stdout
    if not is_live(out):
        yield Lines(out)
        return
    with single_keys():
        yield Live(out)


class Live(Keys):
    """Draws over what it drew before."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._drawn = Redrawn(out)

    def show(self, stand: TuneStand, said: str = "") -> None:
        """Draw where it stands."""
        self._drawn.draw([*_picture(stand), said])

    def end(self, sentence: str) -> None:
        """Leave *sentence* below what was drawn last."""
        self._drawn.leave(sentence)


class Lines(Keys):
    """Prints what has changed, a line each; for logs, pipes and readers of screens."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out
        self._told: set[str] = set()
        self._step = ""

    def show(self, stand: TuneStand, said: str = "") -> None:
        """Print what of *stand* has not been printed at this step."""
        if stand.step != self._step:
            self._step, self._told = stand.step, set()
        for line in (*_news(stand), said):
            if line and line not in self._told:
                self._told.add(line)
                self._out.write(f"{line}\n")
        self._out.flush()

    def end(self, sentence: str) -> None:
        """Print *sentence*."""
        self._out.write(f"{sentence}\n")
        self._out.flush()


def _picture(stand: TuneStand) -> list[str]:
    if stand.step == RESULT:
        return [_heading(stand), "", *_remarks(stand), "", _offers(stand)]
    return [
        _heading(stand),
        "",
        f"  {_say(stand.prompt)}",
        f"  {_boxes(stand)}",
        "" if stand.edges else f"  {_meter(stand.level)}",
        f"  {_say(stand.hint)}",
        "",
        "  Enter: next   s: skip   r: once more   q: quit without saving",
    ]


def _news(stand: TuneStand) -> list[str]:
    if stand.step == RESULT:
        return [*_remarks(stand), _offers(stand)]
    counted = f"  {_say(stand.prompt)} {stand.count} of {stand.of}" if stand.of else ""
    return [_say(stand.prompt), counted, f"  {_say(stand.hint)}".rstrip()]


def _heading(stand: TuneStand) -> str:
    at = STEPS.index(stand.step) + 1 if stand.step in STEPS else len(STEPS)
    return f"{at}/{len(STEPS)}  {_TITLES.get(stand.step, stand.step)}"


def _remarks(stand: TuneStand) -> list[str]:
    told = [f"  {_MARKS.get(one.grade, '')}  {_say(one.line)}" for one in stand.remarks]
    if stand.proposed is not None:
        before, after = stand.in_force.get("gain_db"), stand.proposed.get("gain_db")
        told.append(f"  The table would be heard with {after:+.1f} dB; now it is {before:+.1f} dB.")
    return told


def _offers(stand: TuneStand) -> str:
    again = "1-9: that seat once more   q: quit without saving"
    return f"  y: save it   {again}" if "save" in stand.commands else f"  {again}"


def _boxes(stand: TuneStand) -> str:
    """Draw what is done; the many loud moments of a phone are a bar."""
    return "[" + "#" * stand.count + "." * (stand.of - stand.count) + "]" if stand.of else ""


def _meter(level: int) -> str:
    reached = _METER * level // 100
    return "|" + "=" * reached + " " * (_METER - reached) + "|"


def _say(line: Line | None) -> str:
    return "" if line is None else Words("en").say(line.key, line.facts)
