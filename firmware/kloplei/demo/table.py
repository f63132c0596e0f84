"""The demo: a table unit on virtual hardware, what may be done to it, and what it makes of it.

`Demo` is what the panel's pages for the demo ask. `Commentator` says in the terminal what the table
makes of a recording that is played; `ScriptedPlayers` do what a tuning asks, for tests and tools.
"""

import contextlib
import queue
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Self

from kloplei.config.settings import (
    GLASSES_OF,
    TUNING_IN_FORCE,
    AdcConfig,
    AudioConfig,
    BuzzerConfig,
    Config,
    LampConfig,
    PanelConfig,
    PinsConfig,
)
from kloplei.demo.bots import Bots
from kloplei.demo.wood import Onlooker, PlayedRecording, VirtualPeople, Wood, table_top
from kloplei.devices.schedule import Schedule
from kloplei.devices.virtual import NotFitted, VirtualBox
from kloplei.files import KlopleiError, atomic_write
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Scoreboard, Tuning
from kloplei.keys import KeyFile, panel_keys
from kloplei.knock.judgement import Landing
from kloplei.network.addresses import JoinAddress
from kloplei.simulation.coupling import Coupling
from kloplei.simulation.table_top import TableTop
from kloplei.table.client import EarsClient, TableClient
from kloplei.table.gestures import Timings
from kloplei.unit import TableUnit
from kloplei.words import Words

if TYPE_CHECKING:
    from kloplei.recordings.capture.protocol import ProtocolStep

TOLD_AT_MOST = 8  # moments of knocks in one heading


def heading(recording: str, place: str, knocks_s: Sequence[float], words: Words) -> str:
    """Return one line on what is about to be played: *recording* at *place*, knocks in seconds."""
    facts: dict[str, object] = {"recording": recording, "place": place}
    if not knocks_s:
        return words.say("demo.no-knock", facts)
    moments = "; ".join(words.number(at_s, ".2f") for at_s in knocks_s[:TOLD_AT_MOST])
    more = "; ..." if len(knocks_s) > TOLD_AT_MOST else ""
    facts |= {"knocks": _counted(len(knocks_s), words), "moments": moments + more}
    return words.say("demo.heading", facts)


def comment(before: Scoreboard, boards: Iterable[Scoreboard], words: Words) -> Iterator[str]:
    """Yield a sentence for each pattern of knocks that ends and for all that comes of it.

    Args:
        before: The table before the first of *boards*.
        boards: Every one that follows; whoever misses one misses what was heard.
        words: The language of the sentences.
    """
    for board in boards:
        own = words.of_game(board.game, board.suits)
        told = (own.say(line.key, line.facts, board.names) for line in _new(before, board))
        said = " ".join(told).replace("\n", " ")  # a question may have a line for each choice
        if before.heard and before.heard.knocks and board.heard is None:
            counted = _counted(before.heard.knocks, words)
            yield f"{counted}: {said or _waiting(before, board, words)}"
        elif said:
            yield said
        before = board


def _new(before: Scoreboard, board: Scoreboard) -> list[Line]:
    """Return what *board* says that *before* did not."""
    passing = [
        (before.refused, board.refused),
        (before.shown, board.shown),
        (before.asking, board.asking),
    ]
    lines = [now for then, now in passing if now is not None and now != then]
    if board.news is not None and board.seq != before.seq:
        lines.insert(0, board.news)
    return lines


def _waiting(before: Scoreboard, board: Scoreboard, words: Words) -> str:
    if board.grace is None or before.grace is not None:
        return words.say("demo.nothing")
    return words.say("demo.waits", {"seconds": board.grace.total_s})


def _counted(knocks: int, words: Words) -> str:
    return words.say("demo.knocks", {"n": knocks})


class Commentator:
    """Comments on every scoreboard it is shown, on a thread of its own.

    Args:
        before: The table as it stands.
        say: Gets each sentence.
        until_s: When it has nothing more to tell, by the table's clock.
        words: The language it speaks.
    """

    def __init__(
        self, before: Scoreboard, say: Callable[[str], None], until_s: float, words: Words
    ) -> None:
        self._before = before
        self._say = say
        self._until_s = until_s
        self._words = words
        self._is_over = False
        self._shown: queue.SimpleQueue[Scoreboard | None] = queue.SimpleQueue()
        threading.Thread(target=self._comment, name="commentator", daemon=True).start()

    def look(self, board: Scoreboard, now_s: float) -> None:
        """Take *board* in; returns at once, and whoever says it may take time."""
        if now_s >= self._until_s:
            self.close()
        elif not self._is_over:
            self._shown.put(board)

    def close(self) -> None:
        """Say nothing of what comes from now on."""
        if not self._is_over:
            self._is_over = True
            self._shown.put(None)

    def _comment(self) -> None:
        for sentence in comment(self._before, iter(self._shown.get, None), self._words):
            self._say(sentence)


PLAYERS = ("Thijs", "Tame", "Thomas", "Stan")  # who sat at the first toepen slate we know
FIRST_DEALER = Seat(3)
FIRST_SLATE_S = 2.0  # what the demo waits at most for its first slate
A_LOOK_S = 1.5  # somebody sees the dealt hand before the recording knocks on it
AFTERWARDS_S = 5.0  # the last pattern has ended by then, and the grace it may have asked for


def demo_config(language: str = "nl", *, locked: bool = False, game: str | None = None) -> Config:
    """Return the settings of the virtual box: every part fitted, eight seats.

    *game* None is the one of a box that nobody has set up.
    No real header has pins for all of it: the piezos take those of SPI0 as well.
    """
    config = Config()
    return replace(
        config,
        seats=tuple(replace(pins, piezo=at) for at, pins in enumerate(config.seats)),
        adc=AdcConfig(enabled=True),
        table=replace(config.table, language=language, game=game or config.table.game, guide=False),
        pins=PinsConfig(factory="mock"),
        lamp=LampConfig(enabled=True),
        buzzer=BuzzerConfig(enabled=True),
        panel=PanelConfig(locked=locked),
    )


def for_show(config: Config) -> Config:
    """Return *config* with all that is seen and heard of an evening, as a new box has it.

    The slate is the wide one. The caller speaks on the sound card of this machine; where there is
    none it is left out, for nothing is broken.
    """
    return replace(
        config,
        table=replace(config.table, guide=True),
        slate=replace(config.slate, driver="ssd1322", interface="spi", chip_select=1),
        voice=replace(config.voice, enabled=is_audible(config.voice.device)),
    )


def is_audible(device: str) -> bool:
    """Whether something can be played on ALSA's *device* here and now."""
    from array import array

    from kloplei.devices.audio import Loudspeaker

    try:
        Loudspeaker(device).play(array("h", [0] * 480), 48000, lambda: False)
    except (KlopleiError, OSError):
        return False
    return True


def in_corners(config: Config) -> Config:
    """Return *config* with four seats, and four piezos in the corners in place of their own.

    A table that nobody has tuned: who knocked is asked, until somebody says how large it is.
    """
    return replace(
        config,
        table=replace(config.table, seats=SEATS),
        seats=tuple(replace(pins, piezo=None) for pins in config.seats),
        adc=replace(config.adc, corners=(0, 1, 2, 3)),
    )


def on_glass(config: Config, size: str) -> Config:
    """Return *config* with a slate of *size*, as `Glass` is written: what is sold so."""
    drivers = (
        driver for driver, sold in GLASSES_OF.items() if size in [str(glass) for glass in sold]
    )
    return replace(config, slate=replace(config.slate, driver=next(drivers), size=size))


def on_sound_card(config: Config, device: str, channels: int) -> Config:
    """Return *config* with a real table top: so many *channels* of ALSA's *device* hear it.

    Pads and piezos that nobody can touch would contradict it, and are left out.
    """
    return replace(
        config,
        seats=tuple(replace(pins, pad=None, piezo=None) for pins in config.seats),
        adc=AdcConfig(),
        audio=AudioConfig(enabled=True, device=device, corners=tuple(range(channels))),
    )


def at_seats(config: Config) -> Config:
    """Return *config* of a sound card with its discs before seats 1, 2, ... in place of corners."""
    channels = config.audio.corners
    return replace(
        config,
        seats=tuple(
            replace(pins, piezo=at if at in channels else None)
            for at, pins in enumerate(config.seats)
        ),
        audio=replace(config.audio, corners=()),
    )


class Demo:
    """A table that anybody can play on without wood; a context manager.

    Fits ``kloplei_panel.context.DemoTable``: seats are 1-based in its methods.

    Args:
        data: Folder that keeps the evening; None forgets it when the demo ends.
        config: Settings of the virtual box, see `demo_config`.
        url: Address of the panel, for the QR code on the slate.
        timings: Times of gestures; None for those of *config*.
        schedule: The clock of the virtual box and the table; None for the real one.
        polyglot: Whether the slate takes the language of whoever opens the virtual table.
        couplings: How the discs are stuck to the wood; they are glued unless it says otherwise.

    Raises:
        JournalError: The journal in *data* cannot be opened, or another table owns it.
        NotFitted: *config* has no piezos.
    """

    def __init__(
        self,
        data: Path | None = None,
        config: Config | None = None,
        *,
        url: str | None = None,
        timings: Timings | None = None,
        schedule: Schedule | None = None,
        polyglot: bool = False,
        couplings: Sequence[Coupling] = (),
    ) -> None:
        self.config = config or demo_config()
        self._polyglot = polyglot
        self.seats = self.config.table.seats
        self._commentator: Commentator | None = None
        self._people: VirtualPeople | None = None
        self._opened = ExitStack()
        with ExitStack() as opening:
            if data is None:
                folder = opening.enter_context(tempfile.TemporaryDirectory(prefix="kloplei-"))
                data = Path(folder)
            self.keys = panel_keys(data)
            file = KeyFile(data, self.keys)
            self.read_key, self.read_evening = file.read_key, file.read_evening
            if not couplings:
                _lay_tuning(data, self.config)
            # Where a real table is listened to, the drawn one is there to be looked at.
            self.is_real = self.config.audio.enabled
            drawn = demo_config() if self.is_real else self.config
            self.virtual = VirtualBox(drawn, schedule)
            opening.callback(self.virtual.close)
            self._wood = self._lay_wood(couplings)
            self.size_m, self.places = self._wood.size_m, self._wood.places
            # Where those of a real table are glued, only whoever glued them knows.
            self.piezos = () if self.is_real else self._wood.discs
            self.has_own_piezos = not drawn.adc.corners
            self._unit = self._unit_at(data, url, timings)
            opening.push(self._unit)
            self.client: TableClient = self._unit.session
            opening.callback(self._hush)
            self._bots = Bots(self._unit.session, self.virtual.knock)
            opening.callback(self._bots.close)
            self._opened = opening.pop_all()

    def _unit_at(self, data: Path, url: str | None, timings: Timings | None) -> TableUnit:
        """Return the unit of a box whose header and glass are those of `virtual`."""
        return TableUnit(
            self.config,
            data,
            timings=timings,
            join_address=None if url is None else lambda: JoinAddress(url),
            keys=self.keys if self.config.panel.locked else None,
            keys_replaced=bool(self.keys.replaced),
            open_slate=self.virtual.oled.open,
            pin_factory=self.virtual.pin_factory,
            schedule=self.virtual.schedule,
            oblige=self._oblige_step,
            overhear=lambda hearer: Onlooker(hearer, self._wood.landings),
            on_loop=self._look_at_table,
        )

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.push(self._opened)
            self._unit.__enter__()
            # Flask, which the caller imports next, would hold the first slate up.
            self.virtual.oled.first_frame.wait(FIRST_SLATE_S)
            self._seat_players()
            self._opened = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def strike(self, kind: str, spot: tuple[float, float]) -> int | None:
        """Let *kind* land at *spot*; return its number, None when too much is under way."""
        return self._wood.strike(kind, *spot, is_heeded=not self.client.scoreboard().deaf)

    def heard(self, after: int = 0) -> Sequence[Landing]:
        """Return what landed after number *after*, and what the box made of it."""
        return self._wood.landings.after(after)

    def knock(self, seat: int, times: int) -> None:
        """Knock *times* times on the virtual pad of *seat*."""
        self.virtual.knock(Seat(seat - 1), times)

    def hold(self, seat: int, for_s: float) -> None:
        """Hold the virtual button of *seat* down for *for_s* seconds; returns at once."""
        self.virtual.hold(Seat(seat - 1), for_s)

    def box(self) -> dict[str, object]:
        """Return what the lamp and the buzzer do."""
        red, green, blue = self.virtual.lamp_rgb
        return {"lamp": f"#{red:02x}{green:02x}{blue:02x}", "buzzer_hz": self.virtual.buzzer_hz}

    @property
    def bots_speed(self) -> float | None:
        """How many times as fast as people the bots play, or None while they rest."""
        return self._bots.speed

    def set_bots(self, speed: float | None) -> None:
        """Let bots play every seat at *speed* times human pace, or send them away with None."""
        self._bots.speed = speed

    def speak(self, language: str) -> None:
        """Let the slate speak *language*, if nobody chose another when the demo began."""
        if self._polyglot:
            self._unit.painter.speak(Words(language))

    def choose_game(self, game: str) -> None:
        """Let those who sit play *game* by its usual house rules, at once if they are as many.

        Raises:
            IllegalAction: A game is under way.
            BadRequest: There is no such game.
        """
        self.client.submit(None, "options", facts={"game": game}, via="table")
        if any(offer.action == "start" for offer in self.client.scoreboard().offers):
            self.client.submit(None, "start", via="table")

    def play(self, seat: int, recording: PlayedRecording, say: Callable[[str], None]) -> None:
        """Let the piezo of *seat* feel *recording*, on a dealt hand; returns at once.

        What the judge finds in it and what the table makes of it goes to *say*, sentence by
        sentence.
        """
        felt = recording.at_rate(self._wood.rate_hz)
        begin_s = self._announce(seat, recording, recording.judged_knocks_s(), say)
        self._wood.play(felt, Seat(seat - 1), begin_s)

    def play_into_pad(
        self, seat: int, recording: PlayedRecording, say: Callable[[str], None]
    ) -> None:
        """Do the same with the comparator pad of *seat*, which knows nothing but edges."""
        knocks_s = recording.knocks_of_edges_s(self.config.timing.deaf_s)
        self._announce(seat, recording, knocks_s, say)
        self.virtual.play(Seat(seat - 1), (edge.later(A_LOOK_S) for edge in recording.edges()))

    def _announce(
        self,
        seat: int,
        recording: PlayedRecording,
        knocks_s: Sequence[float],
        say: Callable[[str], None],
    ) -> float:
        """Say what is about to be played, and return when; from then on the table comments."""
        self._deal_if_none_runs()
        board = self.client.scoreboard()
        words = Words(self.config.table.language)
        place = words.say("demo.place", {"number": seat, "name": board.names.get(Seat(seat - 1))})
        say(heading(recording.name, place, knocks_s, words))
        if board.deaf:
            say(words.say("demo.passed-over"))
        begin_s = self.virtual.schedule.now_s() + A_LOOK_S
        self._hush()
        until_s = begin_s + recording.duration_s + AFTERWARDS_S
        self._commentator = Commentator(board, say, until_s, words)
        return begin_s

    def _oblige_step(self, step: "ProtocolStep", begun_s: float) -> None:
        """Let people who are not there do what a recording asks for."""
        if self._people is None and self.virtual.piezos is not None:
            self._people = VirtualPeople(self.virtual.piezos, self._top())
        if self._people is not None:
            self._people.oblige(step, begun_s)

    def _look_at_table(self) -> None:
        """Show the commentator each board there is, on the table's thread.

        Who follows the table sees the newest one alone, and on a slow machine not all that was
        heard.
        """
        if self._commentator is not None:
            self._commentator.look(self.client.scoreboard(), self.virtual.schedule.now_s())

    def _hush(self) -> None:
        if self._commentator is not None:
            self._commentator.close()

    def _lay_wood(self, couplings: Sequence[Coupling]) -> Wood:
        piezos = self.virtual.piezos
        if piezos is None:
            raise NotFitted("the demo's wood needs piezos; see [adc]")
        return Wood(self._top(couplings), piezos, self.virtual.schedule)

    def _top(self, couplings: Sequence[Coupling] = ()) -> TableTop:
        return table_top(self.seats, couplings, corners=len(self.config.adc.corners))

    def _seat_players(self) -> None:
        """Seat four players at a table that nobody has sat down at yet."""
        table = self._unit.session
        if table.scoreboard().rows:
            return  # --data brought an evening back
        for at, name in enumerate(PLAYERS):
            table.submit(Seat(at), "sit_down", facts={"name": name}, via="table")
        table.submit(FIRST_DEALER, "start", via="table")

    def _deal_if_none_runs(self) -> None:
        table = self._unit.session
        if table.scoreboard().phase == "between_hands":
            table.submit(table.scoreboard().dealer, "deal", via="table")


def _lay_tuning(data: Path, config: Config) -> None:
    """Let a table of the demo's own wood know its glasses, unless it has been tuned already.

    A newcomer puts a glass down before reading about tunings. ``tuning.toml`` is made by
    ``scripts/tune_demo.py``.
    """
    own_wood = config.seats == demo_config().seats and config.adc == demo_config().adc
    if own_wood and not (data / TUNING_IN_FORCE).exists():
        atomic_write(
            data / TUNING_IN_FORCE, files("kloplei.demo").joinpath(TUNING_IN_FORCE).read_bytes()
        )


SEATS, MOST_SEATS = 4, 8
_PACE_S = (0.7, 1.3)  # between two things that somebody does
_OFF_M = 0.02  # nobody hits the same spot twice


@contextlib.contextmanager
def obliging_table(
    seats: int | None = None, language: str = "nl", couplings: Sequence[Coupling] = ()
) -> Iterator[EarsClient]:
    """Give the ears of a virtual table where all do what the slate asks, in *language*.

    It has so many *seats*, but no fewer than the people who sit in the demo; its discs are glued
    unless *couplings* say otherwise.
    """
    config = demo_config(language)
    seats = max(SEATS, min(seats or SEATS, MOST_SEATS))
    config = replace(config, table=replace(config.table, seats=seats))
    with Demo(config=config, couplings=couplings) as demo:
        people = ScriptedPlayers(demo)
        try:
            yield demo.client.ears
        finally:
            people.close()


class ScriptedPlayers:
    """Does on the wood of *demo* what its slate asks for, on a thread of its own."""

    def __init__(self, demo: Demo) -> None:
        self._demo = demo
        self._luck = Random(1)  # noqa: S311 - where a hand comes down is no secret
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="people", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let them go home."""
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.wait(self._luck.uniform(*_PACE_S)):
            tuning = self._demo.client.scoreboard().tuning
            if tuning is not None:
                self._oblige(tuning)

    def _oblige(self, tuning: Tuning) -> None:
        match tuning.step:
            case "glass":
                self._demo.strike("glass", self._somewhere((0.5, 0.5), 0.2))
            case "phone":
                self._demo.strike("phone", self._somewhere((0.5, 0.5), 0.2))
            case "knocks" if tuning.seat is not None:
                place = self._demo.places[tuning.seat]
                self._demo.strike("knuckle", self._somewhere(place, _OFF_M))

    def _somewhere(self, spot: tuple[float, float], off: float) -> tuple[float, float]:
        """Return a point about *spot*, still on the table."""
        x, y = (min(0.98, max(0.02, self._luck.gauss(part, off / 2))) for part in spot)
        return (x, y)
