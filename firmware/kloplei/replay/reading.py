"""Which game a record is of, and the record itself."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath

from kloplei.files import KlopleiError
from kloplei.replay.play import read_trick
from kloplei.replay.reader import REMARKS, Record, Value, check_keys, values_in
from kloplei.replay.tarok import read_tarok
from kloplei.replay.toepen import read_toepen
from kloplei.replay.watten import read_watten
from kloplei.rules.catalogue import GameKind, game_kind

_LISTS = ("examples", "judge", "count")
_WATTEN_KEYS = {"variant", "schlag"}
_TAROK_KEYS = {"set", "in", "out", "reject", "cards", "piles"}
_GAME_WORDS = re.compile(r"toepen|watten|tarok", re.IGNORECASE)

_READERS: Mapping[str, Callable[[Value], Record]] = {
    "toepen": read_toepen,
    "watten": read_watten,
    "tarok": read_tarok,
}
"""How the records of each game are read, all but tricks of who played what."""


def read_records(path: str) -> Iterator[Record]:
    """Yield the records in the file *path*.

    A file holds one record, a list of them, or ``{game: ..., examples: [...]}``; on a
    Markdown page each yaml block does. A record that does not say its game is of the one
    above it, else of the one its keys tell (``variant``, ``schlag``: watten; ``set``, ``in``,
    ``cards``: tarok), else of the one in the file's name, else of toepen.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    for value in values_in(path):
        yield from _records_in(value)


def _records_in(value: Value) -> Iterator[Record]:
    if value.is_list():
        yield from _read_all(value, "records", None)
        return
    found = value.mapping("a record")
    if not any(name in found for name in _LISTS):
        yield _read_one(value, None)
        return
    check_keys(found, value, "a file of records", set(), {*REMARKS, "game", *_LISTS})
    above = found["game"].text("game") if "game" in found else None
    for name in _LISTS:
        if name in found:
            yield from _read_all(found[name], name, above)


def _read_all(value: Value, what: str, above: str | None) -> Iterator[Record]:
    items = value.items(what)
    if not items:
        raise value.wrong("this list holds no record.")
    for one in items:
        yield _read_one(one, above)


def _read_one(value: Value, above: str | None) -> Record:
    found = value.mapping("a record")
    kind = _game_of(value, found, above)
    if "plays" in found:
        return read_trick(value, kind)
    return _READERS[kind.name](value)


def _game_of(value: Value, found: dict[str, Value], above: str | None) -> GameKind:
    said = found["game"].text("game") if "game" in found else above
    try:
        return game_kind(said or _guess(value.file, found))
    except KlopleiError as error:
        raise found.get("game", value).wrong(str(error)) from None


def _guess(file: str, found: dict[str, Value]) -> str:
    if _WATTEN_KEYS & found.keys():
        return "watten"
    if _TAROK_KEYS & found.keys():
        return "tarok"
    named = _GAME_WORDS.search(PurePath(file).name)
    return named[0].lower() if named else "toepen"
