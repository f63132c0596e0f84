"""What works in this box and what does not, part by part, each with the next step."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kloplei import __version__
from kloplei.addresses import LOOPBACK, join_url, own_address
from kloplei.config import Config
from kloplei.errors import KlopleiError
from kloplei.table.client import TableSilent
from kloplei.table.inbox import Message, PartFailed
from kloplei.unit import JOURNAL
from kloplei.words import Words

if TYPE_CHECKING:
    from kloplei.devices.box import Box

State = Literal["good", "poor", "bad"]

_LIBRARIES = ("gpiozero", "lgpio", "luma.oled", "flask", "waitress")


@dataclass(frozen=True, slots=True)
class Finding:
    """How *part* does: *says* is one sentence, with the next step where one is needed."""

    part: str
    state: State
    says: str


def examine(config: Config) -> Iterator[Finding]:
    """Yield how each part of the box of *config* does.

    While a table runs it owns pins and journal: then what it says of them is told.
    """
    yield _versions()
    running = _ask_the_table(config)
    if running is not None:
        yield from running
    else:
        yield Finding("table", "poor", "it is not running. Start it with: kloplei run")
        yield _journal(config.table.data)
        yield from _parts(config)
    yield _network(config)


def _versions() -> Finding:
    found = {name: _version(name) for name in _LIBRARIES}
    listed = ", ".join(f"{name} {version}" for name, version in found.items() if version)
    return Finding("versions", "good", f"Kloplei {__version__} with {listed}")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _ask_the_table(config: Config) -> list[Finding] | None:
    """Return what a running table says of itself and its parts, None if none runs.

    One that runs and cannot be asked keeps its pins and its journal: they are let alone.
    """
    from kloplei.table.remote import RemoteTable

    table = RemoteTable(config.socket.path)
    try:
        board = table.scoreboard()
    except TableSilent as silence:
        if isinstance(silence.__cause__, FileNotFoundError | ConnectionRefusedError):
            return None
        return [Finding("table", "bad", str(silence))]
    finally:
        table.close()
    words = Words("en")
    troubles = [words.say(line.key, line.facts, board.names) for line in board.notices]
    running = Finding("table", "good", f"it runs, at entry {board.seq} of the journal")
    return [running, *(Finding("table", "bad", trouble) for trouble in troubles)]


def _journal(data: Path) -> Finding:
    from kloplei.table.journal import Journal

    path = data / JOURNAL
    if not path.exists():
        return Finding("journal", "good", f"there is none yet; it will be {path}")
    try:
        with Journal(path) as journal:
            if trouble := journal.salvaged or journal.trouble:
                return Finding("journal", "bad", trouble)
            return Finding("journal", "good", f"{path} is sound, {journal.last_seq} entries")
    except KlopleiError as error:
        return Finding("journal", "bad", str(error))


class _Complaints:
    """An inbox that keeps what parts complain of."""

    def __init__(self) -> None:
        self.heard: list[Finding] = []

    def put(self, message: Message) -> None:
        if isinstance(message, PartFailed):
            self.heard.append(Finding(message.part, "bad", message.message))


def _parts(config: Config) -> Iterator[Finding]:
    from kloplei.devices.box import Box

    complaints = _Complaints()
    box = Box(config, complaints)
    try:
        yield from complaints.heard
        if not complaints.heard:
            yield Finding("pins", "good", f"every part opens, through {config.pins.factory}")
        yield _slate(config, box)
    finally:
        box.close()


def _slate(config: Config, box: "Box") -> Finding:
    if config.slate.driver == "none":
        return Finding("slate", "poor", "none is fitted: [slate] driver is none")
    try:
        box.open_slate().cleanup()
    except KlopleiError as error:
        return Finding("slate", "bad", str(error))
    return Finding("slate", "good", f"the {config.slate.driver} answers")


def _network(config: Config) -> Finding:
    url = join_url(config.panel.host, config.panel.port)
    if own_address() == LOOPBACK:
        return Finding("network", "poor", "there is none; the table plays on without phones")
    return Finding("network", "good", f"phones reach the panel at {url}")
