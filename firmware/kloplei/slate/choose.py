"""Which face the slate shows, and what passes over it."""

from collections.abc import Mapping
from enum import Enum, auto

from kloplei.rules.scoreboard import Line, Scoreboard, Tone
from kloplei.slate.look import Look
from kloplei.slate.motion import Motion

SHOUT_S = 1.4
FANFARE_FRAME_S = 0.3  # rays that swap three times a second do not flicker
FANFARE_FRAMES = 16
NEWS_S = 4.0
_SEATING_S, _JOIN_S, _WIFI_S, _NOTICE_S = 6.0, 9.0, 9.0, 5.0
_CALM_S = 8.0
_PAUSE_S, _LATECOMER_S = 30.0, 6.0  # so long is nobody dealing; somebody may want to look on
_OVER_S, _SLATE_S = 10.0, 6.0  # the fanfare takes its part of the first

SEATING = "seating"
_OVER = {"owes_drink", "rubber_winner"}  # flags that stand until the next one begins
_WON = (Tone.FANFARE, Tone.CROWN)


class Face(Enum):
    """A picture that fills the slate."""

    SEATING = auto()
    JOIN = auto()
    WIFI = auto()
    TABLE = auto()
    SHOUT = auto()
    QUESTION = auto()
    FANFARE = auto()
    OVER = auto()
    NOTICE = auto()
    TUNING = auto()
    DOOR = auto()


def choose(board: Scoreboard, look: Look, motion: Motion) -> Face:
    """Return the face for *board*: what somebody has to do comes before what is nice to see."""
    if board.tuning is not None:
        return Face.TUNING
    if board.asking is not None and board.doubt is None:
        return Face.QUESTION
    if _somebody_is_at_it(board):
        return Face.SEATING if board.phase == SEATING else Face.TABLE
    tone = Tone.PLAIN if board.news is None else board.news.tone
    if tone in _WON and motion.frame(FANFARE_FRAME_S, FANFARE_FRAMES) is not None:
        return Face.FANFARE
    if tone is Tone.SHOUT and motion.frame(SHOUT_S, 1) is not None:
        return Face.SHOUT
    if board.door is not None and not board.deal_runs:
        return Face.DOOR
    turns = _turns(board, look)
    faces = tuple(turns)
    return faces[motion.turn(*turns.values())] if len(faces) > 1 else faces[0]


def whose_page(board: Scoreboard, look: Look, motion: Motion) -> Line:
    """Return the notice of *board* whose turn it is when notices have theirs: one a round."""
    round_s = sum(_turns(board, look).values())
    return board.notices[motion.turn(*(round_s for _ in board.notices))]


def passing(board: Scoreboard, motion: Motion) -> Line | None:
    """Return the sentence that stands over the face for a while, if there is one."""
    if board.refused is not None or board.shown is not None:
        return board.refused or board.shown
    if line := _told(board, motion):
        return line
    # Between hands it has a page of its own.
    trouble = motion.new_trouble(_NOTICE_S) if board.deal_runs else None
    return trouble if trouble in board.notices else None


def _told(board: Scoreboard, motion: Motion) -> Line | None:
    """Return what happened, and then what has to be said besides, each for a while."""
    lines = [board.news, *(line for line in board.told if line.tone is Tone.TOLD)]
    while lines and (lines[-1] is None or lines[-1].tone is not Tone.TOLD):
        lines.pop()  # nobody has to wake up for the end of what is not shown
    number = motion.frame(NEWS_S, len(lines)) if lines else None
    line = None if number is None else lines[number]
    return line if line is not None and line.tone is Tone.TOLD else None


def _somebody_is_at_it(board: Scoreboard) -> bool:
    return any((board.heard, board.doubt, board.grace, board.refused, board.shown))


def _turns(board: Scoreboard, look: Look) -> Mapping[Face, float]:
    """Return the faces that take turns, with their seconds."""
    turns: dict[Face, float] = {}
    if board.phase == SEATING:
        turns[Face.SEATING] = _SEATING_S
        if look.join_url or look.is_offline:
            turns[Face.JOIN] = _JOIN_S
        if look.wifi_name:
            turns[Face.WIFI] = _WIFI_S
    elif board.payments or any(_OVER & set(row.flags) for row in board.rows):
        turns.update({Face.OVER: _OVER_S, Face.TABLE: _SLATE_S})
        if look.join_url:
            turns[Face.JOIN] = _LATECOMER_S
    elif not board.deal_runs and look.join_url and not board.notices:
        turns.update({Face.TABLE: _PAUSE_S, Face.JOIN: _LATECOMER_S})
    else:
        turns[Face.TABLE] = _CALM_S
    if _worth_a_page(board):
        turns[Face.NOTICE] = _NOTICE_S
    return turns


def _worth_a_page(board: Scoreboard) -> bool:
    """Whether a notice takes its turn: between hands, or at once if nothing is kept any more."""
    keys = {notice.key for notice in board.notices}
    return bool(keys) and (not board.deal_runs or "notice.journal" in keys)
