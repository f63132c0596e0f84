"""How the actions of Watten look on a phone, and the signs that partners may give."""

from collections.abc import Mapping

from kloplei.frozen import dataclass
from kloplei.games.catalogue import game_kind
from kloplei.games.scoreboard import Scoreboard
from kloplei.games.watten.state import TEAM_PLAYERS
from kloplei.games.watten.trick import WELI_RANK, Signs, signs_of
from kloplei_panel.controls import ButtonStyle

ANSWERED = frozenset({"news.held", "news.given-up"})
"""The news of an answer: who gave it may take it back with one tap."""
LOOKS: Mapping[str, ButtonStyle] = {
    "accept": ButtonStyle(2, "good", big=True, answers=True),
    "agree": ButtonStyle(2, "good", big=True, answers=True),
    "fold": ButtonStyle(3, "danger", big=True, waits=True, answers=True),
    "refuse": ButtonStyle(3, "plain", big=True, answers=True),
    "schlag": ButtonStyle(4, "main", big=True, taps=True),
    "trump": ButtonStyle(4, "main", big=True, taps=True),
    "turnup": ButtonStyle(3, "main", big=True, taps=True),
    "confirm": ButtonStyle(4, "main", big=True),
    "announced": ButtonStyle(5, "plain", big=True),
    "seal_schlag": ButtonStyle(13, "plain", big=True, taps=True),
    "seal_trump": ButtonStyle(13, "plain", big=True, taps=True),
    "deal": ButtonStyle(6, "main", big=True),
    "new_game": ButtonStyle(6, "main", big=True),
    "raise": ButtonStyle(8, "knock", big=True),
    "card": ButtonStyle(9, "main", big=True, taps=True, stays=True),
    "trick": ButtonStyle(10, "plain", big=True, waits=True),
    "trick_of": ButtonStyle(11, "plain", big=True, taps=True, waits=True),
    "exchange": ButtonStyle(11, "plain", big=True),
    "ready": ButtonStyle(12, "plain", big=True),
    "result": ButtonStyle(13, "plain", big=True),
    "offer": ButtonStyle(14, "plain", big=True),
    "correct": ButtonStyle(confirm=True),
    "misdeal": ButtonStyle(60, confirm=True, anybodys=True),
    "revoke": ButtonStyle(61, confirm=True),
    "look_early": ButtonStyle(62, confirm=True),
    "maschine": ButtonStyle(63, confirm=True),
}


@dataclass(frozen=True, slots=True)
class Signals:
    """The signs of this Watten, and a word for whether they may be given now."""

    signs: Signs
    may: str


def signals(board: Scoreboard) -> Signals:
    """Return what *board* says of signs: all of it is what everybody at the table knows."""
    said = game_kind(board.game).bench(board.preset, board.options).said
    variant, options = str(said["variant"]), said["options"]
    off = isinstance(options, Mapping) and options.get("signals") == "off"
    return Signals(signs_of(variant), _may(board, variant, off=off))


def _may(board: Scoreboard, variant: str, *, off: bool) -> str:
    if variant == "bohemian":
        return "alone"
    if len(board.rows) != TEAM_PLAYERS:
        return "only-four"
    if off:
        return "off"
    if board.announced.get("schlag") == WELI_RANK:
        return "six"
    allowed = any(offer.action == "signal" for row in board.rows for offer in row.offers)
    return "allowed" if allowed else "later"
