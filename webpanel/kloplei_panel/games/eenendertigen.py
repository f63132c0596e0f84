"""How the actions of eenendertigen look on a phone."""

from collections.abc import Mapping

from kloplei_panel.controls import ButtonStyle

COSTS_LIVES = True
"""Whether a hand costs lives rather than that it brings points."""
LOOKS: Mapping[str, ButtonStyle] = {
    "deal": ButtonStyle(6, "main", big=True),
    "drink": ButtonStyle(7, "good", big=True),
    "knock": ButtonStyle(8, "knock", big=True),
    "lowest": ButtonStyle(9, "danger", big=True, waits=True),
    "lay": ButtonStyle(10, "plain", big=True),
    "equal": ButtonStyle(59, confirm=True, anybodys=True),
    "misdeal": ButtonStyle(60, confirm=True, anybodys=True),
}
