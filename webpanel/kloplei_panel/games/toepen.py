"""How the actions of toepen look on a phone."""

from collections.abc import Mapping

from kloplei_panel.looks import Look

LOOKS: Mapping[str, Look] = {
    "stay": Look(2, "good", big=True),
    "fold": Look(3, "danger", big=True),
    "deal": Look(6, "main", big=True),
    "drink": Look(7, "good", big=True),
    "knock": Look(8, "knock", big=True),
    "trick": Look(10, "plain", big=True, confirm=True, splits=("n", 4)),
    "exchange": Look(11, "plain", big=True),
    "challenge": Look(12, "plain", big=True),
    "ready": Look(13, "plain", big=True),
    "misdeal": Look(60, confirm=True),
    "revoke": Look(61, confirm=True),
}
