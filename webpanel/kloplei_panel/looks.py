"""How well-known actions look: what lies under the thumb, what asks "sure?", and in what order.

What the table itself is asked for stands here; each game says in its own module of
`kloplei_panel.games` how its actions look.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kloplei_panel.games import game_panel


@dataclass(frozen=True, slots=True)
class ButtonStyle:
    """How a well-known action appears: *order* from the top, *weight* as a style.

    *splits* is a (need, value) that gets a button of its own; *confirm* asks "sure?" first;
    *asks* are facts that may be typed but need not; *big* ones stand in reach of the thumb,
    the others behind "more". What is *anybodys* the keeper asks for as such, not for a seat.
    The last choice of one that *taps* is made by one tap, however many there are; one that
    *stays* is asked for again and again, so its sheet remains open. One *on_game_page* is
    asked for there, below the slate, and nowhere else.
    """

    order: int = 50
    weight: str = "plain"
    big: bool = False
    confirm: bool = False
    splits: tuple[str, object] | None = None
    asks: tuple[str, ...] = ()
    anybodys: bool = False
    taps: bool = False
    stays: bool = False
    on_game_page: bool = False


OF_THE_TABLE: Mapping[str, ButtonStyle] = {
    "accept_knock": ButtonStyle(-2, "amber", big=True, anybodys=True),
    "dismiss_knock": ButtonStyle(-1, "plain", big=True, anybodys=True),
    "cancel": ButtonStyle(0, "danger", big=True),
    "it_was_me": ButtonStyle(1, "main", big=True),
    "sit_down": ButtonStyle(4, "main", big=True, asks=("name",)),
    "start": ButtonStyle(5, "main", big=True),
    "undo": ButtonStyle(30),
    "redo": ButtonStyle(31),
    "stand_up": ButtonStyle(70, confirm=True),
    "wipe": ButtonStyle(90, "danger", confirm=True),
    "new_evening": ButtonStyle(91, "danger", confirm=True),
}
_PLAIN = ButtonStyle()


def look_of(action: str, game: str) -> ButtonStyle:
    """Return how *action* looks at a table that plays *game*."""
    found = OF_THE_TABLE.get(action)
    if found is None:
        found = getattr(game_panel(game), "LOOKS", {}).get(action)
    return found or _PLAIN
