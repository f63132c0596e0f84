"""Draw functions, one module an idea: each gets a box or a sheet, and plain values."""

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

__all__ = [
    "Beat",
    "Paid",
    "draw_beat",
    "draw_crowned",
    "draw_debts",
    "draw_door",
    "draw_door_at_foot",
    "draw_doubt",
    "draw_goodbye",
    "draw_grace",
    "draw_greeting",
    "draw_join",
    "draw_notice",
    "draw_offline",
    "draw_pause",
    "draw_payments",
    "draw_question",
    "draw_result",
    "draw_seating",
    "draw_sentence",
    "draw_shout",
    "draw_stir",
    "draw_table",
    "draw_tuning",
    "draw_wifi",
    "draw_winner",
    "hint_of",
]
