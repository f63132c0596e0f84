"""Draw functions, one module an idea: each gets a box or a sheet, and plain values."""

from kloplei.slate.faces.band import draw_doubt, draw_grace, draw_sentence
from kloplei.slate.faces.echo import draw_stir
from kloplei.slate.faces.fanfare import draw_toepkoning, draw_winner
from kloplei.slate.faces.greeting import draw_goodbye, draw_greeting
from kloplei.slate.faces.join import draw_join, draw_wifi
from kloplei.slate.faces.notice import draw_notice
from kloplei.slate.faces.question import draw_question
from kloplei.slate.faces.rubber_over import draw_rubber_over
from kloplei.slate.faces.seating import draw_seating
from kloplei.slate.faces.table import draw_table
from kloplei.slate.faces.toep import draw_toep
from kloplei.slate.faces.tuning import draw_tuning

__all__ = [
    "draw_doubt",
    "draw_goodbye",
    "draw_grace",
    "draw_greeting",
    "draw_join",
    "draw_notice",
    "draw_question",
    "draw_rubber_over",
    "draw_seating",
    "draw_sentence",
    "draw_stir",
    "draw_table",
    "draw_toep",
    "draw_toepkoning",
    "draw_tuning",
    "draw_wifi",
    "draw_winner",
]
