"""Faces: draw functions, each of which gets a sheet or a box of one, and plain values.

A module holds the faces of one time of the evening; `icons` are the small pictures in them. None
knows words, clocks or devices: sentences come ready to write, and what moves is told where it
stands. Faces are drawn for one size of glass: `FaceSet` is the set for the small one, and
`FACE_SETS` lists a set for each size in `kloplei.config.settings.GLASS_OF`. A larger OLED is a
driver, its glass there, and a set here: a subclass that draws anew what should look different.
"""

from collections.abc import MutableMapping

from kloplei.config.settings import SMALL_GLASS, Glass
from kloplei.slate.faces.end import (
    Paid,
    draw_crowned,
    draw_debts,
    draw_payments,
    draw_result,
    draw_winner,
)
from kloplei.slate.faces.join import (
    draw_door,
    draw_door_at_foot,
    draw_goodbye,
    draw_greeting,
    draw_join,
    draw_offline,
    draw_pause,
    draw_seating,
    draw_wifi,
)
from kloplei.slate.faces.overlays import (
    draw_doubt,
    draw_grace,
    draw_notice,
    draw_question,
    draw_sentence,
    draw_shout,
    draw_stir,
)
from kloplei.slate.faces.table import draw_table, hint_of
from kloplei.slate.faces.tuning import Beat, draw_beat, draw_tuning

__all__ = ["FACE_SETS", "Beat", "FaceSet", "Paid", "faces_for"]


class FaceSet:
    """All that a slate can show, drawn for `SMALL_GLASS`."""

    draw_beat = staticmethod(draw_beat)
    draw_crowned = staticmethod(draw_crowned)
    draw_debts = staticmethod(draw_debts)
    draw_door = staticmethod(draw_door)
    draw_door_at_foot = staticmethod(draw_door_at_foot)
    draw_doubt = staticmethod(draw_doubt)
    draw_goodbye = staticmethod(draw_goodbye)
    draw_grace = staticmethod(draw_grace)
    draw_greeting = staticmethod(draw_greeting)
    draw_join = staticmethod(draw_join)
    draw_notice = staticmethod(draw_notice)
    draw_offline = staticmethod(draw_offline)
    draw_pause = staticmethod(draw_pause)
    draw_payments = staticmethod(draw_payments)
    draw_question = staticmethod(draw_question)
    draw_result = staticmethod(draw_result)
    draw_seating = staticmethod(draw_seating)
    draw_sentence = staticmethod(draw_sentence)
    draw_shout = staticmethod(draw_shout)
    draw_stir = staticmethod(draw_stir)
    draw_table = staticmethod(draw_table)
    draw_tuning = staticmethod(draw_tuning)
    draw_wifi = staticmethod(draw_wifi)
    draw_winner = staticmethod(draw_winner)
    hint_of = staticmethod(hint_of)


FACE_SETS: MutableMapping[Glass, type[FaceSet]] = {SMALL_GLASS: FaceSet}
"""By size: the faces that are drawn for it."""


def faces_for(glass: Glass) -> type[FaceSet]:
    """Return the faces that are drawn for *glass*."""
    return FACE_SETS[glass]
