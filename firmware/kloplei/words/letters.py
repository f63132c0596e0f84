"""The letters that a slate can write, and what of a name it writes.

The fonts of the slate have those of one code page. A name in another script may have a short one
beside it, as in "阿部 (Abe)": phones show both, the slate what it can.
"""

import re
import unicodedata
from functools import lru_cache

CODE_PAGE = "cp1252"  # the order of the glyphs in our fonts
NAME_MAX, SHORT_MAX = 20, 8  # characters
_BARE = str.maketrans("ŁłĐđĦħıŦŧ", "LlDdHhiTt")  # what Unicode does not take apart
_WITH_SHORT = re.compile(r"(?P<name>.*\S) \((?P<short>[^()]+)\)")


def legible(text: str) -> str:
    """Return *text* with the letters our fonts have; what cannot be chalked is left out.

    An unknown accent is dropped and its letter kept; pictures and other scripts go.
    """
    kept = (_chalked(one) for one in unicodedata.normalize("NFC", text))
    return " ".join("".join(kept).split())


@lru_cache(maxsize=64)
def chalked_name(name: str) -> str:
    """Return what the slate writes of *name*: all of it, its short one, or what is left."""
    found = _WITH_SHORT.fullmatch(name)
    if found is not None and not _says_something(legible(found["name"])):
        return legible(found["short"])
    left = legible(name)
    whole = left == unicodedata.normalize("NFC", name)
    return left if whole or _says_something(left) else ""


def folded(name: str) -> str:
    """Return what is the same for names that nobody could tell apart, however they are typed."""
    return unicodedata.normalize("NFKC", name).casefold()


def with_short(name: str, short: str) -> str:
    """Return *name* with a *short* one beside it."""
    return f"{name} ({short})"


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))


def _chalked(character: str) -> str:
    """Return what *character* looks like in our code page: itself, bare letters, or nothing."""
    if character.isspace():
        return " "
    if _is_ours(character):
        return character
    bare = unicodedata.normalize("NFKD", character).translate(_BARE)
    return "".join(one for one in bare if _is_ours(one))


def _is_ours(character: str) -> bool:
    try:
        character.encode(CODE_PAGE)
    except UnicodeEncodeError:
        return False
    return character.isprintable()
