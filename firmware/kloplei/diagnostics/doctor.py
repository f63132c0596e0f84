"""The doctor: looks at the whole box for `kloplei doctor`, and at a running table from within.

`examine` asks a table that runs, and opens the parts itself where none does; `try_parts` lets
somebody try them by hand. `TableDoctor` stands in the table's own process and keeps its pins: it
looks, lets the table hear knocks that nobody knocked, and shows the test picture.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kloplei.config.settings import JOURNAL, Config, SlateConfig
from kloplei.diagnostics.findings import good, may_not, poor, said
from kloplei.diagnostics.pins import PINS, demand_stopped, listener_at
from kloplei.diagnostics.registry import (
    Examination,
    checks_of_the_machine,
    checks_of_the_wiring,
    merged,
    needs_no_pins,
)
from kloplei.diagnostics.sensors import (
    check_card,
    check_held,
    check_levels,
    check_pace,
    check_tuning,
    examine_parts,
)
from kloplei.diagnostics.slate import NO_SLATE, advise
from kloplei.diagnostics.system import Machine
from kloplei.files import KlopleiError, as_owner_of
from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.knock import KnockHeard
from kloplei.knock.judgement import PIEZOS, Judgement, Struck, Verdict
from kloplei.network.hotspot import join_address
from kloplei.table.client import BadRequest, TableClient, TableUnavailable
from kloplei.table.doctor_client import SHOWN_S, Finding, FindingState, check_knocks
from kloplei.table.messages import (
    ButtonPressed,
    ButtonReleased,
    Inbox,
    Message,
    PartFailed,
    PartHealed,
)
from kloplei.table.uplink_client import OutsiderStatus, UplinkStatus
from kloplei.words import Sentence, Words, sentence_of

if TYPE_CHECKING:
    from kloplei.devices.box import Box
    from kloplei.review.service import ReviewService
    from kloplei.slate.painter import Painter
    from kloplei.table.session import Session

_CAUSES = {
    "slate": ("i2c", "spi"),
    "second slate": ("i2c", "spi"),
    "piezos": ("spi",),
    "pins": ("pin library",),
}
"""By part: what has to be mended before it can work, and says more about it."""

_UNIT = "kloplei-table"
_STOPPED_TABLE = poor("table", "table.stopped", "do.start-table")


def suppress_consequences(
    told: Iterable[Finding], findings: Iterable[Finding]
) -> Iterator[Finding]:
    """Yield those of *findings* that are no mere echo of a fault among those *told* before."""
    told = tuple(told)
    broken = {one.part for one in told if one.state is FindingState.BAD}
    unit_told = any(one.part == _UNIT and one.state is not FindingState.GOOD for one in told)
    for finding in findings:
        is_echo = finding.state is FindingState.BAD and not broken.isdisjoint(
            _CAUSES.get(finding.part, ())
        )
        if not (is_echo or (unit_told and finding.says.key == _STOPPED_TABLE.says.key)):
            yield finding


def examine(config: Config, wait: Callable[[float], None] = time.sleep) -> Iterator[Finding]:
    """Yield how each part of the box of *config* does.

    A table that runs keeps its pins and its journal: then what it says of them is told. Else the
    sensors are listened to, by *wait*, for as long as `kloplei.diagnostics.sensors.listens_s` says.
    """
    machine = Machine()
    table = ask_table(config.socket.path)
    listener = listener_at(config.socket.path)
    ours = frozenset() if listener is None else frozenset({listener})
    own = Examination(
        {
            **checks_of_the_wiring(machine, config, ours),
            **checks_of_the_machine(machine, config, lambda: _url(config)),
        }
    ).findings()
    if table is None:
        table = TableAnswer(_at_rest(config, wait))
    found = merged(own, table.examined)
    yield from found
    needless = {PINS} if needs_no_pins(machine, config) else set()
    said_of_itself = (one for one in table.said_of_itself if one.part not in needless)
    yield from suppress_consequences(found, said_of_itself)


def _at_rest(config: Config, wait: Callable[[float], None]) -> Iterator[Finding]:
    yield _STOPPED_TABLE
    try:
        yield _journal(config.table.data)
        yield from check_tuning(config.table.data)
    except PermissionError:  # whoever forgot the sudo still hears of the sensors
        yield may_not("journal", str(config.table.data))
    yield from examine_parts(config, wait)


def examine_without_settings(trouble: str) -> Iterator[Finding]:
    """Yield how the machine does, whose settings cannot be used for the reason *trouble*.

    No part is opened: nobody knows what is wired where.
    """
    machine, usual = Machine(), Config()
    yield said("settings", FindingState.BAD, trouble)
    own = Examination(checks_of_the_machine(machine, usual, lambda: _url(usual))).findings()
    table = ask_table(usual.socket.path) or TableAnswer([_STOPPED_TABLE])
    yield from merged(own, table.examined)
    yield from table.said_of_itself


class TableAnswer(NamedTuple):
    """What a table says of itself, and what the doctor in its process *examined* of the box.

    A table that does not run is told of in its place, part by part as it is looked at.
    """

    said_of_itself: Iterable[Finding]
    examined: tuple[Finding, ...] = ()


def ask_table(path: Path) -> TableAnswer | None:
    """Return what the table at the socket *path* answers.

    None is returned where none runs. One that runs and cannot be asked keeps its pins and its
    journal: they are let alone.
    """
    from kloplei.table.rpc_client import remote_table

    table = remote_table(path)
    try:
        board = table.scoreboard()
        told = [good("table", "table.runs", seq=board.seq)]
        told += [_told(line, board.names) for line in board.notices]
        return TableAnswer(told, _examined(table))
    except TableUnavailable as silence:
        if isinstance(silence.__cause__, FileNotFoundError | ConnectionRefusedError):
            return None
        return TableAnswer([said("table", FindingState.BAD, sentence_of(silence))])
    finally:
        table.close()


def _examined(table: TableClient) -> tuple[Finding, ...]:
    try:
        return table.doctor.examine()
    except KlopleiError as error:  # a table of another version, most likely
        return (said("table", FindingState.POOR, sentence_of(error)),)


def _told(notice: Line, names: Mapping[Seat, str]) -> Finding:
    """Return what the table says is wrong: in the part's own words, where it has any."""
    sentence = notice.facts.get("message") or Words("en").say(notice.key, notice.facts, names)
    return said(str(notice.facts.get("part", "table")), FindingState.BAD, str(sentence))


def _journal(data: Path) -> Finding:
    from kloplei.table.journal import Journal

    path = data / JOURNAL
    try:
        path.stat()
    except FileNotFoundError:
        return good("journal", "journal.none", path=str(path))
    try:
        # What is saved of a damaged one the table's own user has to open.
        with as_owner_of(data), Journal(path) as journal:
            if trouble := journal.salvaged or journal.trouble:
                return said("journal", FindingState.BAD, trouble)
            return good("journal", "journal.good", path=str(path), seq=journal.last_seq)
    except KlopleiError as error:
        return said("journal", FindingState.BAD, sentence_of(error))


def _url(config: Config) -> str:
    return join_address(config).url or ""


COLOUR_S = 1.5
_WORDS = {
    Verdict.KNOCK: "a knock",
    Verdict.DOUBTFUL: "perhaps a knock; at the table it would ask",
    Verdict.NOISE: "no knock",
}


class TrialHand:
    """Says of each thing that is touched what it is called; an inbox and a hearer in one.

    Args:
        say: Takes a line; called from any thread.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._down_s: dict[str, float] = {}

    def put(self, message: Message) -> None:
        """Say which button turned, or which part fails."""
        match message:
            case ButtonPressed(seat, at_s):
                self._down_s[f"button {seat.shown}"] = at_s
                self._say(f"button {seat.shown}: down")
            case ButtonReleased(seat, at_s):
                held_s = at_s - self._down_s.pop(f"button {seat.shown}", at_s)
                self._say(f"button {seat.shown}: up, after {held_s:.1f} s")
            case PartFailed(_, says):
                self._say(says)
            case PartHealed(part):
                self._say(f"{part}: works again")

    def struck(self, struck: Struck) -> None:
        """Wait for what it is found to be."""

    def judged(self, judgement: Judgement) -> None:
        """Say what a blow was, whose, and how loud."""
        whose = "nobody can say whose" if judgement.seat is None else f"seat {judgement.seat.shown}"
        loud = f", {judgement.strength:.0%} of full scale" if judgement.part == PIEZOS else ""
        self._say(f"{judgement.part}, {whose}: {_WORDS[judgement.verdict]}{loud}")

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Leave it be: silence is not told."""


def try_parts(
    config: Config,
    say: Callable[[str], None],
    wait: Callable[[], object],
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Show lamp and buzzer of *config*, then *say* what is touched until *wait* returns.

    Raises:
        TableHasThem: A table runs.
    """
    demand_stopped(config.socket.path)
    from kloplei.devices.box import Box
    from kloplei.knock.calibration import Calibration
    from kloplei.review.calibrations import CalibrationArchive, TuningUnkept

    hand, calibration = TrialHand(say), Calibration()
    try:
        calibration = CalibrationArchive(config.table.data).load()
    except TuningUnkept as error:  # a table listens as it came by such a one
        say(str(error))
    with closing(Box(config, hand, hearer=hand, calibration=calibration)) as box:
        for shown in box.rehearse():
            say(shown)
            pause(COLOUR_S)
        if config.voice.enabled:
            say(speak_test(config))
        say("Now press each button and knock at each seat; Ctrl-C ends it.")
        wait()


def speak_test(config: Config) -> str:
    """Let the caller of *config* say that it is there; return what it said, or why it did not."""
    from kloplei.devices.audio import Loudspeaker
    from kloplei.voice.calls import Phrasing
    from kloplei.voice.clips import RATE_HZ, attenuated
    from kloplei.voice.packs import speech_in

    try:
        speech = speech_in(config.voice_language)
        test = Phrasing(speech.language).test()
        if (sound := speech.sound(test)) is None:
            return f"voice: nothing says {test.text!r} in {speech.language}"
        quiet = attenuated(sound, config.voice.volume / 100)
        Loudspeaker(config.voice.device).play(quiet, RATE_HZ, lambda: False)
    except (KlopleiError, OSError) as error:
        return f"voice: {error}"
    return f"voice: {test.text}"


_DAY_S, _FEW_DAYS = 86_400, 15
FRESH_S = 3.0  # several phones may look at once
STRENGTH = 0.5
_APART_S = 0.25  # as people knock
_TIGHT_S = 0.14  # closer together it is drumming


def apart_s(gap_s: float) -> float:
    """Return how far apart knocks of one pattern come, where silence of *gap_s* ends it."""
    return min(_APART_S, max(_TIGHT_S, gap_s / 2))


@dataclass(frozen=True, slots=True)
class TableDoctor:
    """Examines the box, and lets the table hear knocks that nobody knocked.

    Args:
        inbox: Where knocks go: the table's own.
        seats: Places at the table.
        examination: What is looked at.
        show: Shows the test picture for so many seconds; None for a box without a slate.
        slate: How the slate is set up.
        guide: Begins to lead the table through its next hand; None for one that guides nobody.
        silence: Lets the caller be quiet, or speak again; None where there is none.
        apart_s: So far apart two knocks of one pattern come.
        clock: Monotonic seconds, the same clock that sensors stamp with.
        pause: Waits.
    """

    inbox: Inbox
    _: KW_ONLY
    seats: int
    examination: Examination
    show: Callable[[float], None] | None
    slate: SlateConfig
    guide: Callable[[], None] | None = None
    silence: Callable[[bool], None] | None = None
    apart_s: float = _APART_S
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep

    def examine(self) -> tuple[Finding, ...]:
        """Return how each part does; see `kloplei.table.doctor_client.DoctorClient.examine`."""
        return self.examination.findings()

    def knock(self, seat: Seat, times: int = 1) -> None:
        """Let the table hear *times* knocks, and return when the last one is in its inbox."""
        check_knocks(seat, times, self.seats)
        for at in range(times):
            if at:
                self.pause(self.apart_s)
            self.inbox.put(KnockHeard(seat, STRENGTH, self.clock()))

    def show_test_picture(self) -> None:
        """Show the test picture; see `DoctorClient.show_test_picture`."""
        if self.show is None:
            raise BadRequest(NO_SLATE)
        self.show(SHOWN_S)

    def explain(self) -> None:
        """Begin to lead the table; see `DoctorClient.explain`."""
        if self.guide is None:
            raise BadRequest(Sentence("no-guide"))
        self.guide()

    def hush(self, *, quiet: bool) -> None:
        """Let the caller be *quiet*, or speak again; see `DoctorClient.hush`."""
        if self.silence is None:
            raise BadRequest(Sentence("no-caller"))
        self.silence(quiet)

    def judge_picture(self, seen: str) -> Finding:
        """Return what *seen* says of the slate; see `DoctorClient.judge_picture`."""
        return advise(self.slate, seen)


def doctor_of(
    config: Config,
    session: "Session",
    *,
    painter: "Painter",
    ears: "ReviewService",
    box: "Callable[[], Box | None]",
    url: Callable[[], str],
    is_virtual: bool,
    guide: Callable[[], None] | None = None,
    silence: Callable[[bool], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> TableDoctor:
    """Return the doctor who looks after a table unit.

    Args:
        config: Settings of the box, with the folder that the journal lies in.
        session: The table, which hears the doctor's knocks.
        painter: Keeps the slate.
        ears: Know how loud it is.
        box: Returns what is wired to the header, None while it is not open.
        url: Returns where the slate's code leads phones.
        is_virtual: Nothing is wired to anything: only the machine itself is looked at.
        guide: Begins to lead the table through its next hand; None where nobody is led.
        silence: Lets the caller be quiet, or speak again; None where there is none.
        clock: Monotonic seconds, the same clock that sensors stamp with.
    """
    from kloplei.devices.glass import column_picture

    machine = Machine()
    wiring = {} if is_virtual else checks_of_the_wiring(machine, config, {os.getpid()})
    checks = {
        **wiring,
        "sensors": lambda: _check_open_box(box(), config, ears),
        "uplink": lambda: check_uplink(session.uplink.status(), session.scoreboard().seq),
        **checks_of_the_machine(machine, config, url),
    }

    def show_test_picture(for_s: float) -> None:
        painter.lend(column_picture(config.slate.glass), for_s)

    return TableDoctor(
        session,
        seats=config.table.seats,
        examination=Examination(checks, fresh_s=FRESH_S),
        show=None if config.slate.driver == "none" else show_test_picture,
        slate=config.slate,
        guide=guide,
        silence=silence,
        apart_s=apart_s(config.timing.gap_s),
        clock=clock,
    )


def check_uplink(status: UplinkStatus, seq: int) -> Iterator[Finding]:
    """Yield how it stands with the house, of a table whose last entry is *seq*; none is no fault.

    So with Home Assistant and the webhook, where the settings name them.
    """
    yield from _check_house(status, max(0, seq - status.has))
    for outsider in status.outsiders:
        yield from _check_outsider(outsider)
    if status.state != "off" and status.certificate_ends is not None:
        days = max(0, int((status.certificate_ends - time.time()) // _DAY_S))
        if days < _FEW_DAYS:
            facts = {"hub": status.hub, "days": days}
            yield poor("uplink", "uplink.certificate", "do.renew-certificate", **facts)


def _check_house(status: UplinkStatus, left: int) -> Iterator[Finding]:
    """Yield whether the house has all; *left* entries are still to come there."""
    hub = status.hub
    if status.trouble is not None:
        yield said("uplink", FindingState.BAD, status.trouble)
    elif status.state in ("pairing", "connecting"):
        yield poor("uplink", "uplink.not-yet", hub=hub)
    elif status.state == "connected" and left:
        yield good("uplink", "uplink.behind", hub=hub, left=left)
    elif status.state == "connected":
        yield good("uplink", "uplink.reached", hub=hub)


def _check_outsider(outsider: OutsiderStatus) -> Iterator[Finding]:
    if outsider.trouble is not None:
        yield said("uplink", FindingState.BAD, outsider.trouble)
    elif outsider.at is not None:
        is_home = outsider.kind == "home_assistant"
        yield good("uplink", "uplink.home_assistant" if is_home else "uplink.webhook")


def _check_open_box(box: "Box | None", config: Config, ears: "ReviewService") -> Iterator[Finding]:
    if box is None:
        return
    yield from check_held(box.held_down)
    yield from check_levels(config, ears.meter())
    pace = box.pace
    if pace is not None and pace.reached_hz:
        yield from check_card(config, pace.drift_ppm)
        yield check_pace(pace.reached_hz, pace.missed, pace.busy)
