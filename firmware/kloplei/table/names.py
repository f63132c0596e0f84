"""What a player at the table may be called."""

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import count

from kloplei.games.game import IllegalAction, Seat

NAME_MAX = 20

_LENT: Mapping[str, str] = {
    "nl": "Plek {n}",
    "en": "Seat {n}",
    "de": "Platz {n}",
    "da": "Plads {n}",
    "ja": "席{n}",
}
"""Name that a seat lends to whoever sits down without one, by language."""


def lent_name(seat: Seat, language: str, taken: Iterable[str]) -> str:
    """Return the name that *seat* lends, different from all that are *taken*."""
    name = _LENT.get(language, _LENT["en"]).format(n=seat.shown)
    used = {_folded(one) for one in taken}
    tries = (name if again == 1 else f"{name} ({again})" for again in count(1))
    return next(one for one in tries if _folded(one) not in used)


def checked_name(asked: str, taken: Iterable[str]) -> str:
    """Return *asked* as it will be chalked: trimmed, single spaces, 1 to 20 characters.

    Raises:
        IllegalAction: ``bad_name``, or ``name_taken`` when one of *taken* reads the same.
    """
    # Only blanks are trimmed and joined: a tab or a line break is not a slip but a bad name.
    name = " ".join(filter(None, unicodedata.normalize("NFC", asked).split(" ")))
    if not 1 <= len(name) <= NAME_MAX or not all(map(_chalkable, name)):
        shown = "".join(one if _chalkable(one) else "\N{REPLACEMENT CHARACTER}" for one in name)
        raise IllegalAction("bad_name", name=shown[:NAME_MAX], most=NAME_MAX)
    if _folded(name) in {_folded(one) for one in taken}:
        raise IllegalAction("name_taken", name=name)
    return name


def _chalkable(character: str) -> bool:
    # Cc, Cf, Cs, Co, Cn: controls, direction marks and what no font draws; Zl, Zp: line breaks.
    kind = unicodedata.category(character)
    return kind[0] != "C" and kind not in ("Zl", "Zp")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
