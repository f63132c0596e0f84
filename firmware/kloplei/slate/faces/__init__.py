"""Draw functions, one module an idea: each gets a box or a sheet, and plain values."""

from kloplei.slate.faces.band import draw_doubt, draw_grace, draw_sentence
from kloplei.slate.faces.beat import Beat, draw_beat
from kloplei.slate.faces.door import draw_door, draw_door_at_foot
from kloplei.slate.faces.echo import draw_stir
from kloplei.slate.faces.fanfare import draw_crowned, draw_winner
from kloplei.slate.faces.greeting import draw_goodbye, draw_greeting, draw_pause
from kloplei.slate.faces.join import draw_join, draw_offline, draw_wifi
from kloplei.slate.faces.notice import draw_notice
from kloplei.slate.faces.over import draw_debts, draw_result
from kloplei.slate.faces.payments import Paid, draw_payments
from kloplei.slate.faces.question import draw_question
from kloplei.slate.faces.seating import draw_seating
from kloplei.slate.faces.shout import draw_shout
from kloplei.slate.faces.table import draw_table, hint_of
from kloplei.slate.faces.tuning import draw_tuning

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
