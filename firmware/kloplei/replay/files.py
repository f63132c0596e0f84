"""Files of records: YAML, or the yaml blocks of a Markdown page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kloplei.replay.yaml_values import NotARecord, Value, documents

_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})\s*(?P<language>[^\s`]*)")
_LARGEST = 500_000  # bytes; a dozen evenings have fewer, and are read in seconds


@dataclass(frozen=True, slots=True)
class _Block:
    """A piece of YAML in a file, *above* lines from its top."""

    text: str
    above: int


def values_in(path: str) -> Iterator[Value]:
    """Yield what stands in the file *path*, one value a YAML document.

    Raises:
        NotARecord: The file cannot be read, is not text, or holds no YAML.
    """
    text = _text_of(path)
    blocks = _blocks(text) if path.lower().endswith((".md", ".markdown")) else [_Block(text, 0)]
    some = False
    for block in blocks:
        for value in documents(block.text, path, block.above):
            some = True
            yield value
    if not some:
        raise NotARecord(f"{path}:1: there is no record in this file.")


def _text_of(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the name.
        reason = getattr(error, "strerror", None) or str(error)
        raise NotARecord(f"{path}: cannot be read ({reason}); name a YAML file.") from None
    if len(raw) > _LARGEST:
        raise NotARecord(f"{path}:1: this file is too large to be a record.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotARecord(f"{path}:{line}: this is not text in UTF-8.") from None


def _blocks(markdown: str) -> Iterator[_Block]:
    """Yield the fenced blocks whose language is yaml."""
    mark, language, top = "", "", 0
    lines: list[str] = []
    for number, line in enumerate(markdown.splitlines(), start=1):
        fence = _FENCE.match(line)
        if not mark and fence:
            mark, language, top, lines = fence["mark"], fence["language"], number, []
        elif mark and fence and fence["mark"].startswith(mark) and not fence["language"]:
            if language.lower() in ("yaml", "yml"):
                yield _Block("\n".join(lines), top)
            mark = ""
        elif mark:
            lines.append(line)
    if mark and language.lower() in ("yaml", "yml"):
        yield _Block("\n".join(lines), top)
