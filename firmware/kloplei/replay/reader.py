"""Records as they are written: files of YAML, values that know their line, and whose they are.

A path comes in, `Record`s ready to be played go out; whatever cannot be one is refused as
`NotARecord`, with file and line. Words are read by YAML 1.2's core schema: ``off``, ``no`` and a
player called ``No`` stay words; only ``true`` and ``false`` are switches. Nothing is ever built
from a tag, and a file may come from anybody: its size, its numbers and its aliases have bounds.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, replace
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from math import inf
from pathlib import Path, PurePath
from typing import ParamSpec, Protocol, TypeVar, cast

import yaml

from kloplei.files import KlopleiError, reason_of
from kloplei.frozen import dataclass
from kloplei.games.catalogue import GAMES, game_kind
from kloplei.games.game import Seat

DATE = "date"
"""Key of the day on which a record was played, ``2019-03-08``; any record may have it."""
REMARKS = ("title", "why", "about", DATE)
"""Keys that no rule asks for; any record may have them."""
_TAG = "tag:yaml.org,2002:"
_CORE = (
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
)
_FORMS = {name: re.compile(pattern) for name, pattern, _ in _CORE}
_LONGEST_NUMBER = 18  # digits
_MOST_VALUES = 250_000  # with all that aliases repeat; the longest real file has fewer
_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})\s*(?P<language>[^\s`]*)")
_YAML = ("yaml", "yml")
_LARGEST = 500_000  # bytes; a dozen evenings have fewer, and are read in seconds
_LISTS = ("examples", "judge", "count")
_TELLING = {
    "watten": {"variant", "schlag"},
    "tarok": {"set", "in", "out", "reject", "cards", "piles"},
}
"""Keys that only the records of one game have."""
K = TypeVar("K", str, int)
P = ParamSpec("P")
T = TypeVar("T")


class NotARecord(KlopleiError, ValueError):
    """A file that cannot be read as records; the message names file, line and what is wrong."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something came out otherwise than the record expects.

    *where* is ``file:line``, *what* the place in the play ("event 3 (knock)").
    """

    where: str
    record: str
    what: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.where}: {self.record}, {self.what}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a record went: *report* for ``--json``, and *difference*, the first one, if any."""

    report: Mapping[str, object]
    difference: Difference | None


class Record(Protocol):
    """One example, ready to be played."""

    def play(self) -> Outcome:
        """Play the record through the rules and compare."""
        ...


@dataclass(frozen=True, slots=True)
class Value:
    """One YAML value: its node, the file it stands in, and how many lines stand above.

    *players* says who sits where, once that has been read.
    """

    node: yaml.Node
    file: str
    above: int = 0
    players: Mapping[str, Seat] = field(default_factory=dict)

    @property
    def line(self) -> int:
        """Line in the file, from 1."""
        return self.above + cast("int", self.node.start_mark.line) + 1

    def wrong(self, sentence: str) -> NotARecord:
        """Return the complaint *sentence* about this value; what it quotes stays on one line."""
        spelled = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in sentence)
        return NotARecord(f"{self.file}:{self.line}: {spelled}")

    def playing(self, players: Mapping[str, Seat]) -> "Value":
        """Return this value as one that names *players*."""
        return replace(self, players=players)

    def is_list(self) -> bool:
        """Whether this is a list."""
        return isinstance(self.node, yaml.SequenceNode)

    def is_nothing(self) -> bool:
        """Whether no value is written here."""
        return isinstance(self.node, yaml.ScalarNode) and self.node.tag == _TAG + "null"

    def items(self, what: str) -> list["Value"]:
        """Return the values of this list; *what* names it in a complaint."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.wrong(f"{what} must be a list.")
        return [self._at(node) for node in self.node.value]

    def mapping(self, what: str) -> dict[str, "Value"]:
        """Return the values of this mapping by key; *what* names it in a complaint."""
        return self._keyed(what, lambda key: key.text(f"a key of {what}"))

    def keyed(
        self, what: str, needed: Collection[str], allowed: Collection[str] = ()
    ) -> dict[str, "Value"]:
        """Return the values of this mapping by key: all that are *needed*, and any *allowed*."""
        found = self.mapping(what)
        self.check_keys(found, what, needed, allowed)
        return found

    def numbered(self, what: str) -> dict[int, "Value"]:
        """Return the values of this mapping by their numbers; *what* names it in a complaint."""
        return self._keyed(what, lambda key: key.whole(f"a key of {what}"))

    def plain(self, what: str) -> str | int | float | bool | None:
        """Return this single value; *what* names it in a complaint."""
        if not isinstance(self.node, yaml.ScalarNode):
            raise self.wrong(f"{what} must be a single value.")
        written = cast("str", self.node.value)
        kind = self.node.tag.removeprefix(_TAG)
        if kind in _FORMS and not _FORMS[kind].fullmatch(written):
            # Nobody who leaves tags away meets this: `!!int ten` says what it is not.
            raise self.wrong(f"{what} has the tag {kind}, but {written!r:.40} is none.")
        match kind:
            case "str":
                return written
            case "null":
                return None
            case "bool":
                return written.lower() == "true"
            case "int" if len(written) <= _LONGEST_NUMBER:
                return int(written, 0) if written[:2] in ("0o", "0x") else int(written)
            case "float" if len(written) <= _LONGEST_NUMBER:
                return float(written)
            case "int" | "float":
                raise self.wrong(f"{what} is too long a number.")
        raise self.wrong(f"{what} has the tag {self.node.tag!r}; records have no tags.")

    def text(self, what: str) -> str:
        """Return this text; *what* names it in a complaint."""
        written = self.plain(what)
        if not isinstance(written, str) or not written:
            raise self.wrong(f"{what} must be a text, not {written!r}.")
        return written

    def label(self, what: str) -> str:
        """Return this text or number as a text; *what* names it in a complaint."""
        written = self.plain(what)
        return str(written) if isinstance(written, int | float) else self.text(what)

    def whole(self, what: str, least: int | None = None) -> int:
        """Return this whole number, no less than *least*; *what* names it in a complaint."""
        number = self.plain(what)
        if not isinstance(number, int) or isinstance(number, bool):
            raise self.wrong(f"{what} must be a whole number, not {number!r:.40}.")
        if least is not None and number < least:
            raise self.wrong(f"{what} cannot be less than {least}.")
        return number

    def switch(self, what: str) -> bool:
        """Return this true or false; *what* names it in a complaint."""
        on = self.plain(what)
        if not isinstance(on, bool):
            raise self.wrong(f"{what} must be true or false, not {on!r:.40}.")
        return on

    def check_keys(
        self,
        found: Mapping[str, "Value"],
        what: str,
        needed: Collection[str],
        allowed: Collection[str],
    ) -> None:
        """Complain about the first key *found* here that is unknown, or needed and missing."""
        known = {*needed, *allowed}
        remarked = not found.keys().isdisjoint(REMARKS)
        for key, value in found.items():
            # YAML cuts `{why: nobody followed, the jack wins}` at its comma.
            tail_of_remark = remarked and " " in key and value.is_nothing()
            if key not in known and not tail_of_remark:
                there = ", ".join(sorted(known))
                raise value.wrong(f"{what} has the unknown key {key!r:.40}; it may have {there}.")
        for key in sorted(set(needed) - found.keys()):
            raise self.wrong(f"{what} lacks the key {key!r}.")

    def makes(self, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what *make* makes of what is written here; what it refuses is wrong here."""
        try:
            return make(*args, **kwargs)
        except KlopleiError as error:
            raise self.wrong(str(error)) from None

    def _keyed(self, what: str, read: Callable[["Value"], K]) -> dict[K, "Value"]:
        if not isinstance(self.node, yaml.MappingNode):
            raise self.wrong(f"{what} must be a mapping (key: value).")
        found: dict[K, Value] = {}
        for key_node, node in self.node.value:
            name = self._at(key_node)
            key = read(name)
            if key in found:
                raise name.wrong(f"{what} has the key {key!r:.40} twice.")
            found[key] = self._at(node)
        return found

    def _at(self, node: yaml.Node) -> "Value":
        return replace(self, node=node)


def differs(key: str, wanted: object, came: object) -> str:
    """Return the sentence that *key* was to be *wanted* but is *came*."""
    return f"expected {key} {_shown(wanted)}, but it is {_shown(came)}"


def read_records(path: str) -> Iterator["Record"]:
    """Yield the records in the file *path*.

    A file holds one record, a list of them, or ``{game: ..., examples: [...]}``; on a
    Markdown page each yaml block does. A record that does not say its game is of the one
    above it, else of the one its keys tell (``variant``, ``schlag``: watten; ``set``, ``in``,
    ``cards``: tarok), else of the one in the file's name, else of toepen.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    yield from records_in(text_of(path), path)


def records_in(text: str, file: str) -> Iterator["Record"]:
    """Yield the records in *text*, which stood in *file*, as `read_records` does.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    some = False
    for block, above in _blocks(file, text):
        for value in documents(block, file, above):
            some = True
            yield from _records_in(value)
    if not some:
        raise NotARecord(f"{file}:1: there is no record in this file.")


def documents(text: str, file: str, above: int = 0) -> Iterator[Value]:
    """Yield the YAML documents of *text*, which stands *above* lines down in *file*.

    Raises:
        NotARecord: The text is not YAML.
    """
    try:
        for node in yaml.compose_all(text, _CoreLoader):
            value = Value(node, file, above)
            if _size(node, {}) > _MOST_VALUES:
                raise value.wrong("this is too much to be a record; aliases repeat too often.")
            yield value
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = above + (mark.line if mark else 0) + 1
        raise NotARecord(f"{file}:{line}: this is not YAML: {error.problem}.") from None
    except yaml.reader.ReaderError as error:
        line = above + text.count("\n", 0, error.position) + 1
        raise NotARecord(f"{file}:{line}: this is not text: {error.reason}.") from None
    except RecursionError:
        raise NotARecord(f"{file}:{above + 1}: this YAML is nested too deeply.") from None
    except NotARecord:
        raise
    except (ValueError, OverflowError) as error:
        # PyYAML lets impossible escapes such as "\UFFFFFFFF" through to chr().
        raise NotARecord(f"{file}:{above + 1}: this is not YAML: {error}.") from None


class _CoreLoader(yaml.SafeLoader):
    """Resolves plain words by the core schema; nodes only, nothing is ever constructed."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


for _name, _pattern, _first in _CORE:
    _CoreLoader.add_implicit_resolver(
        _TAG + _name, re.compile(rf"^(?:{_pattern})$"), ["" if c == "\0" else c for c in _first]
    )


def _size(node: yaml.Node, known: dict[yaml.Node, float]) -> float:
    """Return how many values *node* holds, those counted again that aliases repeat.

    A few lines of aliases can stand for more than a computer plays in a year, and one that
    stands in itself never ends.
    """
    if isinstance(node, yaml.ScalarNode):
        return 1
    if node not in known:
        known[node] = inf  # until it is known; whoever meets it inside itself finds this
        parts = chain(*node.value) if isinstance(node, yaml.MappingNode) else node.value
        known[node] = 1 + sum(_size(part, known) for part in parts)
    return known[node]


def _records_in(value: Value) -> Iterator["Record"]:
    if value.is_list():
        yield from _read_all(value, "records", None)
        return
    found = value.mapping("a record")
    if not any(name in found for name in _LISTS):
        yield _read_one(value, None)
        return
    value.check_keys(found, "a file of records", (), (*REMARKS, "game", *_LISTS))
    above = found["game"].text("game") if "game" in found else None
    for name in _LISTS:
        if name in found:
            yield from _read_all(found[name], name, above)


def _read_all(value: Value, what: str, above: str | None) -> Iterator["Record"]:
    items = value.items(what)
    if not items:
        raise value.wrong("this list holds no record.")
    for one in items:
        yield _read_one(one, above)


def _read_one(value: Value, above: str | None) -> "Record":
    """Return the record *value*, read by the module of its game in this package."""
    found = value.mapping("a record")
    said = found["game"].text("game") if "game" in found else above
    kind = found.get("game", value).makes(game_kind, said or _guess(value.file, found))
    module = f"{__package__}.{kind.name}"
    if find_spec(module) is None:
        raise value.wrong(f"how records of {kind.name} are written is not told yet ({module}).")
    return cast("Record", import_module(module).read(value))


def _guess(file: str, found: Mapping[str, Value]) -> str:
    told = [game for game, keys in _TELLING.items() if keys & found.keys()]
    named = re.search("|".join(GAMES), PurePath(file).name, re.IGNORECASE)
    return told[0] if told else named[0].lower() if named else "toepen"


def text_of(path: str) -> str:
    """Return what stands in the file *path*.

    Raises:
        NotARecord: It cannot be read, is no text, or is too large to be records.
    """
    try:
        with Path(path).open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name.
        raise NotARecord(
            f"{path}: cannot be read ({reason_of(error)}); name a YAML file."
        ) from None
    if len(raw) > _LARGEST:
        raise NotARecord(f"{path}:1: this file is too large to be a record.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotARecord(f"{path}:{line}: this is not text in UTF-8.") from None


def _blocks(path: str, text: str) -> Iterator[tuple[str, int]]:
    """Yield what is YAML of the file's *text*, and how many lines stand above it.

    On a Markdown page these are the fenced blocks whose language is yaml.
    """
    if not path.lower().endswith((".md", ".markdown")):
        yield text, 0
        return
    mark, language, top = "", "", 0
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        fence = _FENCE.match(line)
        if not mark and fence:
            mark, language, top, lines = fence["mark"], fence["language"].lower(), number, []
        elif mark and fence and fence["mark"].startswith(mark) and not fence["language"]:
            if language in _YAML:
                yield "\n".join(lines), top
            mark = ""
        elif mark:
            lines.append(line)
    if mark and language in _YAML:
        yield "\n".join(lines), top


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
