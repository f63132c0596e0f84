"""How the actions of Watten look on a phone."""

from collections.abc import Mapping

from kloplei_panel.looks import Look

LOOKS: Mapping[str, Look] = {
    "accept": Look(2, "good", big=True),
    "agree": Look(2, "good", big=True),
    "fold": Look(3, "danger", big=True),
    "refuse": Look(3, "plain", big=True),
    "schlag": Look(4, "main", big=True, taps=True),
    "trump": Look(4, "main", big=True, taps=True),
    "turnup": Look(3, "main", big=True, taps=True),
    "confirm": Look(4, "main", big=True),
    "seal_schlag": Look(13, "plain", big=True, taps=True),
    "seal_trump": Look(13, "plain", big=True, taps=True),
    "deal": Look(6, "main", big=True),
    "new_game": Look(6, "main", big=True),
    "raise": Look(8, "knock", big=True),
    "card": Look(9, "main", big=True, taps=True, stays=True),
    "trick": Look(10, "plain", big=True, confirm=True),
    "exchange": Look(11, "plain", big=True),
    "ready": Look(12, "plain", big=True),
    "result": Look(13, "plain", big=True),
    "offer": Look(14, "plain", big=True),
    "misdeal": Look(60, confirm=True),
    "revoke": Look(61, confirm=True),
    "look_early": Look(62, confirm=True),
    "maschine": Look(63, confirm=True),
}
