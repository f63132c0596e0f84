"""What lamp and buzzer make of the scoreboard: moments to signal, and a glow that lasts."""

from enum import Enum

from kloplei.devices.buzzer import Melody
from kloplei.devices.lamp import DARK, Colour
from kloplei.rules.scoreboard import Scoreboard


class Signal(Enum):
    """Moments worth a flash or a tone, the greatest first."""

    TOEPKONING = "toepkoning"
    RUBBER_OVER = "rubber_over"
    ARMOEDE = "armoede"
    FAULT = "fault"
    KNOCK = "knock"
    DOUBT = "doubt"
    STRUCK = "struck"


AMBER: Colour = (1.0, 0.35, 0.0)
RED: Colour = (1.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)
FAINT: Colour = (0.25, 0.25, 0.25)
GOLD: Colour = (1.0, 0.7, 0.1)

FLASHES: dict[Signal, tuple[Colour, float]] = {
    Signal.TOEPKONING: (GOLD, 3.0),
    Signal.RUBBER_OVER: (WHITE, 1.5),
    Signal.ARMOEDE: (AMBER, 1.0),
    Signal.FAULT: (RED, 1.0),
    Signal.KNOCK: (WHITE, 0.12),
    Signal.DOUBT: (AMBER, 0.12),
    Signal.STRUCK: (FAINT, 0.06),
}
"""Colour and seconds."""

MELODIES: dict[Signal, Melody] = {
    Signal.TOEPKONING: (
        ("G5", 0.12), ("C6", 0.12), ("E6", 0.12), ("G6", 0.24),
        (None, 0.04), ("E6", 0.12), ("G6", 0.5),
    ),
    Signal.RUBBER_OVER: (("C6", 0.15), ("G5", 0.15), ("C5", 0.3)),
    Signal.ARMOEDE: (("E5", 0.2), (None, 0.05), ("C5", 0.35)),
    Signal.KNOCK: (("A6", 0.015),),
}  # fmt: skip
"""A fault has none: it lasts all evening, and the slate says it. What may be noise makes none."""


def signals(before: Scoreboard | None, after: Scoreboard) -> tuple[Signal, ...]:
    """Return what happened between two looks at the table, the greatest first.

    *before* None means that nobody has looked yet: what stands there then is no news.
    """
    if before is None:
        return ()
    happened = {
        Signal.TOEPKONING: _is_new("toepkoning", before, after),
        Signal.RUBBER_OVER: _is_new("rubber_winner", before, after),
        Signal.ARMOEDE: _is_new("armoede", before, after),
        Signal.FAULT: any(notice not in before.notices for notice in after.notices),
        Signal.KNOCK: _knocked(before, after) and not _in_doubt(after),
        Signal.DOUBT: _knocked(before, after) and _in_doubt(after),
        Signal.STRUCK: after.struck and not before.struck,
    }
    return tuple(signal for signal in Signal if happened[signal])


def glow(board: Scoreboard) -> Colour:
    """Return how the lamp burns while *board* stands.

    Armoede before a fault: it changes what a knock may do, a fault is written on the slate.
    """
    if _flagged(board, "armoede"):
        return AMBER
    return RED if board.notices else DARK


def _flagged(board: Scoreboard, flag: str) -> set[int]:
    return {row.seat for row in board.rows if flag in row.flags}


def _is_new(flag: str, before: Scoreboard, after: Scoreboard) -> bool:
    return bool(_flagged(after, flag) - _flagged(before, flag))


def _in_doubt(board: Scoreboard) -> bool:
    return board.heard is not None and board.heard.doubtful


def _knocked(before: Scoreboard, after: Scoreboard) -> bool:
    """Tell whether the growing pattern grew by a knock, or another has begun."""
    was, heard = before.heard, after.heard
    if heard is None or not heard.knocks:
        return False
    return was is None or (was.seat, was.knocks) != (heard.seat, heard.knocks)
