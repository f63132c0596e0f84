"""How the actions of toepen look on a phone."""

from collections.abc import Mapping

from kloplei_panel.controls import ButtonStyle

ANSWERED = frozenset({"news.stayed", "news.folded"})
"""The news of an answer: who gave it may take it back with one tap."""
COSTS_LIVES = True
"""Whether a hand costs lives rather than that it brings points."""
LOOKS: Mapping[str, ButtonStyle] = {
    "stay": ButtonStyle(2, "good", big=True, answers=True),
    "fold": ButtonStyle(3, "danger", big=True, answers=True),
    "deal": ButtonStyle(6, "main", big=True),
    "drink": ButtonStyle(7, "good", big=True),
    "knock": ButtonStyle(8, "knock", big=True),
    "trick": ButtonStyle(10, "plain", big=True, splits=("n", 4), waits=True),
    "exchange": ButtonStyle(11, "plain", big=True),
    "challenge": ButtonStyle(12, "plain", big=True),
    "ready": ButtonStyle(13, "plain", big=True),
    # All of a hand is corrected on a page of its own (`toepen_correct`).
    "correct": ButtonStyle(on_game_page=True),
    "amend": ButtonStyle(on_game_page=True),
    "payout": ButtonStyle(55),
    "won_before": ButtonStyle(56),
    "misdeal": ButtonStyle(60, confirm=True, anybodys=True),
    "revoke": ButtonStyle(61, confirm=True),
}
