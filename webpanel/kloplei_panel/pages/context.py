"""What every template may call: labels for flags, counts and actions, and where it is."""

import re

from flask import Flask

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Row, Scoreboard
from kloplei_panel import doorstep, ledger
from kloplei_panel.controls import SIGNS, action_label
from kloplei_panel.games import game_pages, game_panel
from kloplei_panel.judging import ladder_of
from kloplei_panel.panel import way_in
from kloplei_panel.reader import Reader, here

_PLAIN_FLAGS = frozenset({"in_hand", "must_answer"})  # shown by other means, or the usual state
_SYMBOL = re.compile(r'<symbol id="([^"]+)"')


def register(app: Flask) -> None:
    """Hand the templates of *app* what they call."""
    app.jinja_env.globals.update(
        flags_of=flags_of,
        shared_flags=shared_flags,
        game_panel=game_panel,
        game_pages=game_pages,
        ladder_of=ladder_of,
        drawn_flags=_drawn_flags(app),
        suit_signs=SIGNS,
        honours_of=honours_of,
        count_label=count_label,
        action_label=action_label,
        doubt_said=doubt_said,
        signed=ledger.signed,
        pots_in=ledger.pots_in,
        total_of=ledger.total_of,
        total_of_pot=ledger.total_of_pot,
        of_hand=ledger.of_hand,
        door_told=doorstep.told,
        lost_said=lost_said,
        tuning_banner=Line("tuning.banner"),
    )
    app.context_processor(lambda: {"here": here()})


def _drawn_flags(app: Flask) -> frozenset[str]:
    """Return the flags there is a picture of: a symbol that goes by the name of the flag."""
    with app.open_resource("static/icons.svg", "r") as icons:
        return frozenset(_SYMBOL.findall(icons.read()))


def flags_of(row: Row, reader: Reader) -> list[tuple[str, str]]:
    """Return the flags of *row* that a reader should see, each with its word."""
    shown = [flag for flag in row.flags if flag not in _PLAIN_FLAGS]
    return [(flag, reader.word(f"flag.{flag}") or flag.replace("_", " ")) for flag in shown]


def shared_flags(board: Scoreboard, side: tuple[Seat, ...]) -> frozenset[str]:
    """Return the flags of all of *side*: said of the side, they need not be said of each."""
    rows = [set(row.flags) for row in board.rows if row.seat in side]
    return frozenset(set.intersection(*rows) if rows else ())


def honours_of(board: Scoreboard) -> list[str]:
    """Return the names of the counts that anybody at *board* has any of."""
    return sorted({name for row in board.rows for name, count in row.counts.items() if count})


def count_label(name: str, reader: Reader) -> str:
    """Return the heading for the count *name*."""
    key = f"count.{name}"
    label = reader.say(key)
    return name.replace("_", " ") if label == key else label


def doubt_said(board: Scoreboard, reader: Reader) -> str:
    """Return the question that the doubt of *board* puts to everybody; "" without one."""
    doubt = board.doubt
    if doubt is None:
        return ""
    if doubt.action is not None:
        what = action_label(doubt.action, reader)
    else:
        what = reader.word("slate.knocks", {"n": doubt.knocks}) or str(doubt.knocks)
    if doubt.seat is None:
        return reader.say("slate.doubt_nobody", what=what)
    name = board.names.get(doubt.seat) or reader.say("seat.number", number=doubt.seat.shown)
    return reader.say("slate.doubt", name=name, what=what)


def lost_said(reader: Reader) -> str:
    """Return what a page says when it has lost the table, with the Wi-Fi to go back to.

    It is kept in the page, for by then nothing reaches the box: a phone that left its Wi-Fi.
    """
    wifi = way_in().wifi
    lost = reader.say("live.lost")
    return lost if wifi is None else f"{lost} {reader.say('live.wifi', wifi=wifi.name)}"
