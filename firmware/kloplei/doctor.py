"""What works in this box and what does not, part by part, each with the next step."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kloplei import __version__
from kloplei.addresses import LOOPBACK, join_url, own_address
from kloplei.config import Config
from kloplei.errors import KlopleiError
from kloplei.knock.verdict import PIEZOS
from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Line
from kloplei.table.client import TableSilent
from kloplei.table.inbox import Message, PartFailed, PartHealed
from kloplei.unit import JOURNAL
from kloplei.words import Words

if TYPE_CHECKING:
    from kloplei.devices.adc_source import Pace
    from kloplei.devices.box import Box
    from kloplei.knock.verdict import Judgement, Struck

State = Literal["good", "poor", "bad"]

PADS_S = 4.5  # of quiet shows a pad that is held down, or hums
PIEZOS_S = 11.5  # of quiet shows a disc that stands still
LOUD = 0.03  # of full scale: a sound disc is less loud in silence

_LIBRARIES = ("gpiozero", "lgpio", "luma.oled", "flask", "waitress")


@dataclass(frozen=True, slots=True)
class Finding:
    """How *part* does: *says* is one sentence, with the next step where one is needed."""

    part: str
    state: State
    says: str


def listens_s(config: Config) -> float:
    """Return how long `examine` listens to the sensors of *config*, in seconds."""
    if config.piezos:
        return PIEZOS_S
    return PADS_S if config.pads else 0.0


def examine(config: Config, wait: Callable[[float], None] = time.sleep) -> Iterator[Finding]:
    """Yield how each part of the box of *config* does.

    While a table runs it owns pins and journal: then what it says of them is told. Else the
    sensors are listened to for `listens_s`, by *wait*.
    """
    yield _versions()
    yield from _deaf_seats(config)
    running = _ask_the_table(config)
    if running is not None:
        yield from running
    else:
        yield Finding("table", "poor", "it is not running. Start it with: kloplei run")
        yield _journal(config.table.data)
        yield from _parts(config, wait)
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


def _deaf_seats(config: Config) -> Iterator[Finding]:
    """Yield which seats no sensor hears, by the settings."""
    heard = {pad.seat for pad in config.pads} | {seat for _, seat in config.piezos}
    deaf = [str(seat.shown) for seat, _ in config.wired if seat not in heard]
    if deaf and None not in heard:
        says = (
            f"neither pad nor piezo hears seat {', '.join(deaf)}. If one is there, name it in the "
            f"settings: [seat.{deaf[0]}] pad or piezo"
        )
        yield Finding("seats", "poor", says)


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
    running = Finding("table", "good", f"it runs, at entry {board.seq} of the journal")
    return [running, *(_told(line, board.names) for line in board.notices)]


def _told(notice: Line, names: Mapping[Seat, str]) -> Finding:
    """Return what the table says is wrong: in the part's own words, where it has any."""
    said = notice.facts.get("message") or Words("en").say(notice.key, notice.facts, names)
    return Finding(str(notice.facts.get("part", "table")), "bad", str(said))


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
    """An inbox that keeps what parts complain of, until they do so no longer."""

    def __init__(self) -> None:
        self._by_part: dict[str, Finding] = {}

    def put(self, message: Message) -> None:
        match message:
            case PartFailed(part, says):
                self._by_part[part] = Finding(part, "bad", says)
            case PartHealed(part):
                self._by_part.pop(part, None)

    def about(self, part: str) -> Finding | None:
        return self._by_part.get(part)

    def all(self) -> list[Finding]:
        return list(self._by_part.values())


class _Loudest:
    """A hearer that remembers how loud each disc was at most."""

    def __init__(self) -> None:
        self.peaks: tuple[float, ...] = ()

    def struck(self, struck: "Struck") -> None:
        pass

    def judged(self, judgement: "Judgement") -> None:
        pass

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        self.peaks = tuple(map(max, peaks, self.peaks)) if self.peaks else peaks


def _parts(config: Config, wait: Callable[[float], None]) -> Iterator[Finding]:
    from kloplei.devices.box import Box

    complaints, loudest = _Complaints(), _Loudest()
    box = Box(config, complaints, hearer=loudest)
    try:
        if complaints.about("pins") is None:
            wait(listens_s(config))
        yield from complaints.all()
        if not complaints.all():
            yield Finding("pins", "good", f"every part opens, through {config.pins.factory}")
        if complaints.about("pins") is None:
            yield from _pads(config, box, complaints)
            yield from _piezos(config, box.pace, loudest.peaks, complaints)
        yield _slate(config, box)
    finally:
        box.close()


def _pads(config: Config, box: "Box", complaints: _Complaints) -> Iterator[Finding]:
    down = [part for part in box.held_down if complaints.about(part) is None]
    quiet = [
        pad.part
        for pad in config.pads
        if pad.part not in down and complaints.about(pad.part) is None
    ]
    if quiet:
        yield Finding(
            "pads",
            "good",
            f"quiet: {', '.join(quiet)}. One that is not plugged in is as quiet: knock, and see "
            "whether the slate stirs",
        )
    for part in down:
        yield Finding(part, "bad", f"{part} is held down. Let go of it, or look at its wire")


def _piezos(
    config: Config, pace: "Pace | None", peaks: tuple[float, ...], complaints: _Complaints
) -> Iterator[Finding]:
    from kloplei.devices.piezos import piezo_name

    if pace is not None and pace.reached_hz and complaints.about(PIEZOS) is None:
        yield Finding(
            PIEZOS,
            "poor" if pace.missed else "good",
            f"read {pace.reached_hz:.0f} times a second each; {pace.missed} samples were missed",
        )
    for (channel, seat), peak in zip(config.piezos, peaks, strict=False):
        name = piezo_name(channel, seat)
        if complaints.about(name) is None:
            yield _disc(name, channel, peak)


def _disc(name: str, channel: int, peak: float) -> Finding:
    says = f"on channel {channel}, at most {peak:.1%} of full scale loud"
    if peak < LOUD:
        return Finding(name, "good", f"{says} in silence")
    return Finding(name, "poor", f"{says}. If nobody touched the table, look at plug and shield")


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
