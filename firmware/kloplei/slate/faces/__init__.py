"""Faces: draw functions, each of which gets a sheet or a box of one, and plain values.

A module holds the faces of one time of the evening; `icons` are the small pictures in them. None
knows words, clocks or devices: sentences come ready to write, and what moves is told where it
stands. Faces are drawn for one size of glass: `FaceSet` is the set for the small one, and
`FACE_SETS` lists a set for each size in `kloplei.config.settings.GLASS_OF`. A larger OLED is a
driver, its glass there, and a set here: a subclass that draws anew what should look different.
"""

from collections.abc import MutableMapping

from kloplei.config.settings import SMALL_GLASS, Glass
from kloplei.slate import greeting
from kloplei.slate.faces import end, join, overlays, table, tuning
from kloplei.slate.faces.end import Paid
from kloplei.slate.faces.tuning import Beat

__all__ = ["FACE_SETS", "Beat", "FaceSet", "Paid", "faces_for"]


class FaceSet:
    """All that a slate can show, drawn for `SMALL_GLASS`."""

    draw_beat = staticmethod(tuning.draw_beat)
    draw_call = staticmethod(join.draw_call)
    draw_debts = staticmethod(end.draw_debts)
    draw_door = staticmethod(join.draw_door)
    draw_door_at_foot = staticmethod(join.draw_door_at_foot)
    draw_doubt = staticmethod(overlays.draw_doubt)
    draw_fanfare = staticmethod(end.draw_fanfare)
    draw_goodbye = staticmethod(join.draw_goodbye)
    draw_grace = staticmethod(overlays.draw_grace)
    draw_greeting = staticmethod(greeting.draw_greeting)
    draw_join = staticmethod(join.draw_join)
    draw_notice = staticmethod(overlays.draw_notice)
    draw_offline = staticmethod(join.draw_offline)
    draw_pause = staticmethod(join.draw_pause)
    draw_payments = staticmethod(end.draw_payments)
    draw_question = staticmethod(overlays.draw_question)
    draw_result = staticmethod(end.draw_result)
    draw_seating = staticmethod(join.draw_seating)
    draw_sentence = staticmethod(overlays.draw_sentence)
    draw_shout = staticmethod(table.draw_shout)
    draw_stir = staticmethod(overlays.draw_stir)
    draw_table = staticmethod(table.draw_table)
    draw_tuning = staticmethod(tuning.draw_tuning)
    draw_wifi = staticmethod(join.draw_wifi)
    hint_of = staticmethod(table.hint_of)


FACE_SETS: MutableMapping[Glass, type[FaceSet]] = {SMALL_GLASS: FaceSet}
"""By size: the faces that are drawn for it."""


def faces_for(glass: Glass) -> type[FaceSet]:
    """Return the faces that are drawn for *glass*."""
    return FACE_SETS[glass]
