"""Faces: draw functions, each of which gets a sheet or a box of one, and plain values.

A module holds the faces of one time of the evening; `icons` are the small pictures in them. None
knows clocks or devices: what moves is told where it stands, and sentences come ready to write, but
for the table's, which are looked up in its `TableScene`. Faces are drawn for one size of glass:
`FaceSet` is the set for the small one, and `FACE_SETS` lists a set for each size in
`kloplei.config.settings.GLASSES_OF`. Another OLED is a driver, its glass there, and a set here: a
subclass that draws anew what should look different, as `tiny` and `wide` do. Each face fills the
sheet that it gets, so that a set inherits what is fine. How a crowd of six or more stands is a
choice where they do not fit side by side: a set for each.
"""

from collections.abc import Callable, Mapping, MutableMapping

from kloplei.config.settings import SMALL_GLASS, TINY_GLASS, WIDE_GLASS, Glass
from kloplei.slate import greeting
from kloplei.slate.drawing import Area
from kloplei.slate.faces import end, join, overlays, table, tiny, tuning, wide
from kloplei.slate.faces.end import Paid
from kloplei.slate.faces.overlays import Overlay
from kloplei.slate.faces.rows import TableScene
from kloplei.slate.faces.tuning import Beat

__all__ = ["CROWDS", "FACE_SETS", "Beat", "FaceSet", "Overlay", "Paid", "TableScene", "faces_for"]


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
    draw_table: Callable[..., Area | None] = staticmethod(table.draw_table)
    draw_table_beside: Callable[..., None] | None = None
    """Draws the table with what passes beside it, where there is room for both."""
    draw_face_beside: Callable[..., None] | None = None
    """Draws any other face with what passes beside it."""
    draw_tuning = staticmethod(tuning.draw_tuning)
    draw_wifi = staticmethod(join.draw_wifi)
    how_fits = staticmethod(overlays.how_fits)
    notice_fits = staticmethod(overlays.notice_fits)
    question_fits = staticmethod(overlays.question_fits)
    sentence_fits = staticmethod(overlays.sentence_fits)


class DigitFaces(FaceSet):
    """The same, where a crowd stands all at once, by digits."""

    draw_table = staticmethod(table.draw_digits)


class StrokeFaces(FaceSet):
    """The same, where a crowd stands all at once, by strokes as low as they have to be."""

    draw_table = staticmethod(table.draw_one_page)


class TinyFaces(FaceSet):
    """The same, drawn for `TINY_GLASS`: what passes over the foot covers nearly all of it."""

    draw_beat = staticmethod(tiny.draw_beat)
    draw_call = staticmethod(tiny.draw_call)
    draw_debts = staticmethod(tiny.draw_debts)
    draw_door = staticmethod(tiny.draw_door)
    draw_door_at_foot = staticmethod(tiny.draw_door_at_foot)
    draw_fanfare = staticmethod(tiny.draw_fanfare)
    draw_goodbye = staticmethod(tiny.draw_goodbye)
    draw_greeting = staticmethod(tiny.draw_greeting)
    draw_join = staticmethod(tiny.draw_join)
    draw_notice = staticmethod(tiny.draw_notice)
    draw_offline = staticmethod(tiny.draw_offline)
    draw_pause = staticmethod(tiny.draw_pause)
    draw_payments = staticmethod(tiny.draw_payments)
    draw_question = staticmethod(tiny.draw_question)
    draw_result = staticmethod(tiny.draw_result)
    draw_seating = staticmethod(tiny.draw_seating)
    draw_shout = staticmethod(tiny.draw_shout)
    draw_table = staticmethod(tiny.draw_table)
    draw_tuning = staticmethod(tiny.draw_tuning)
    draw_wifi = staticmethod(tiny.draw_wifi)
    how_fits = staticmethod(tiny.how_fits)
    notice_fits = staticmethod(tiny.notice_fits)
    question_fits = staticmethod(tiny.question_fits)


class WideFaces(FaceSet):
    """The same on `WIDE_GLASS`: what is written is wider, and the table has more on it."""

    draw_face_beside = staticmethod(wide.draw_face_beside)
    draw_join = staticmethod(wide.draw_join)
    draw_shout = staticmethod(wide.draw_shout)
    draw_table = staticmethod(wide.draw_table)
    draw_table_beside = staticmethod(wide.draw_table_beside)
    draw_wifi = staticmethod(wide.draw_wifi)
    sentence_fits = staticmethod(wide.sentence_fits)


FACE_SETS: MutableMapping[Glass, type[FaceSet]] = {
    SMALL_GLASS: FaceSet,
    TINY_GLASS: TinyFaces,
    WIDE_GLASS: WideFaces,
}
"""By size: the faces that are drawn for it."""


CROWDS: Mapping[str, type[FaceSet]] = {
    "pages": FaceSet,
    "digits": DigitFaces,
    "strokes": StrokeFaces,
}
"""By ``[slate] crowd``: the faces for `SMALL_GLASS`."""


def faces_for(glass: Glass, crowd: str = "pages") -> type[FaceSet]:
    """Return the faces that are drawn for *glass*, six players or more as *crowd* has it."""
    return CROWDS[crowd] if glass == SMALL_GLASS else FACE_SETS[glass]
