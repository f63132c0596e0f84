"""The letters that a slate can write, and what of a name it writes.

The fonts of the slate have those of one code page, and those of Japanese that ``letters.txt``
lists: kana, their stops, and the kanji of our words, of everyday use and of names. A name in
another script may have a short one beside it, as in "김 (Kim)": phones show both, the slate what
it can.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

CODE_PAGE = "cp1252"  # the order of the glyphs in our fonts
_LAST_OF_WEST = "\u3000"  # the blank as wide as a kanji; no letter after it is in the code page
NAME_MAX, SHORT_MAX = 20, 8  # characters
_BARE = str.maketrans("ŁłĐđĦħıŦŧ", "LlDdHhiTt")  # what Unicode does not take apart
_WITH_SHORT = re.compile(r"(?P<name>.*\S) \((?P<short>[^()]+)\)")


def legible(text: str) -> str:
    """Return *text* with the letters our fonts have; what cannot be chalked is left out.

    An unknown accent is dropped and its letter kept; pictures and other scripts go.
    """
    kept = (_chalked(one) for one in unicodedata.normalize("NFC", text))
    return " ".join("".join(kept).split())


def western(text: str) -> str:
    """Return *text* as `legible` does, without kana and kanji."""
    return " ".join("".join(one for one in legible(text) if one <= _LAST_OF_WEST).split())


@lru_cache(maxsize=64)
def chalked_name(name: str) -> str:
    """Return what the slate writes of *name*: all of it, its short one, or what is left."""
    return _written(name, legible)


def western_name(name: str) -> str:
    """Return what is written of *name* where there are no letters for kana and kanji."""
    return _written(name, western)


def is_japanese(text: str) -> bool:
    """Return whether any letter of *text* is kana, kanji or a stop among them."""
    return max(text, default="") > _LAST_OF_WEST


def place_of(letter: str) -> int | None:
    """Return which glyph of a Japanese font *letter* is, None where none is."""
    if letter <= _LAST_OF_WEST:
        return None
    letters = _japanese()
    at = bisect_left(letters, letter)
    return at if letters[at : at + 1] == letter else None


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


@cache
def _japanese() -> str:
    return Path(__file__).with_name("letters.txt").read_text("utf-8").rstrip("\n")


def _written(name: str, write: Callable[[str], str]) -> str:
    found = _WITH_SHORT.fullmatch(name)
    # Whoever has a short name beside kanji took it for the slate, which could not write them once.
    if found is not None and not _says_something(western(found["name"])):
        return write(found["short"])
    left, plain = write(name), unicodedata.normalize("NFC", name)
    if any(one > _LAST_OF_WEST and one.isalnum() and not _chalked(one) for one in plain):
        left = western(name)  # half a name in kanji is another name
    return left if left == plain or _says_something(left) else ""


def _is_ours(character: str) -> bool:
    if character > _LAST_OF_WEST:
        return place_of(character) is not None
    try:
        character.encode(CODE_PAGE)
    except UnicodeEncodeError:
        return False
    return character.isprintable()
