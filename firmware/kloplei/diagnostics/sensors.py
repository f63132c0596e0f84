"""Which seats nothing hears, what is held down, and how loud the discs are in silence."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kloplei.config.settings import SLATE_PARTS, Config
from kloplei.devices.sensors import SENSORS, SensorKind, fitted_sensors
from kloplei.diagnostics.findings import bad, good, poor, said
from kloplei.files import KlopleiError
from kloplei.knock.calibration import JUDGE, Calibration
from kloplei.knock.geometry import told_size
from kloplei.knock.judgement import PIEZOS, piezo_name
from kloplei.knock.signal import RAIL
from kloplei.review.calibrations import CalibrationArchive, TuningUnkept
from kloplei.table.client import Loudness
from kloplei.table.doctor_client import Finding, FindingState
from kloplei.table.messages import Message, PartFailed, PartHealed
from kloplei.words import sentence_of

if TYPE_CHECKING:
    from kloplei.devices.box import Box
    from kloplei.knock.judgement import Judgement, Struck


LOUD = 0.03  # of full scale: a sound disc is less loud in silence
PATIENCE_S = 20.0  # with who is asked to knock: somebody has to creep under the table
MOMENT_S = 0.6  # the mains stir a pad thirty times in it, a loose wire more often
_SILENT_S = 3.0  # piezos report some times a second


def check_seats(config: Config) -> Iterator[Finding]:
    """Yield which seats no sensor hears, by the settings; none in a box of buttons alone."""
    heard = {one.seat for one in fitted_sensors(config)}
    if not heard and all(wired.button is not None for _, wired in config.wired):
        return
    deaf = tuple(str(seat.shown) for seat, _ in config.wired if seat not in heard)
    if deaf and None not in heard:
        yield poor("seats", "seats.deaf", "do.name-sensor", seats=deaf, first=deaf[0])


def check_wood(config: Config) -> Iterator[Finding]:
    """Yield whether piezos that belong to no seat can tell who knocked: by place, or by lessons."""
    if len(config.piezos) < 2 or all(seat is not None for _, seat in config.piezos):
        return
    taught = _taught(config)
    found, told = config.geometry_by(taught.wood), taught.wood or config.wood.told
    if found is not None and told is not None:
        yield good(
            "wood",
            "wood.known",
            size=told_size(told.size),
            seats=len(found.seats),
            discs=len(found.discs),
        )
    elif taught.places is None:
        yield poor("wood", "wood.unknown", "do.say-wood")


def check_held(held_down: Sequence[str]) -> Iterator[Finding]:
    """Yield which pads and buttons are down, by name."""
    for part in held_down:
        yield bad(part, "sensor.held", "do.let-go", part=part)


def check_levels(config: Config, meter: Sequence[Loudness]) -> Iterator[Finding]:
    """Yield how loud the piezos were in the last moment, while anybody may have knocked."""
    measured = next((one for one in meter if one.part == PIEZOS), None)
    if not config.piezos:
        return
    if measured is None or measured.age_s > _SILENT_S:
        yield bad(PIEZOS, "piezos.unread", "do.card" if config.audio.enabled else "do.converter")
        return
    names = [str(seat.shown) if seat is not None else f"#{at}" for at, seat in config.piezos]
    levels = tuple(zip(names, measured.peaks, strict=False))
    yield good(
        PIEZOS, "piezos.levels", levels=tuple(f"{name}: {peak:.1%}" for name, peak in levels)
    )
    # A front-end is made for the hardest blow, a card's knob stands anywhere.
    clipped = tuple(name for name, peak in levels if peak >= RAIL)
    if clipped and config.audio.enabled:
        yield poor(PIEZOS, "piezos.clipped", "do.turn-down", parts=clipped)


def check_silence(name: str, channel: int, peak: float) -> Finding:
    """Return how the disc *name* does, which was at most *peak* loud while nobody knocked."""
    facts = {"channel": channel, "peak": f"{peak:.1%}"}
    if peak < LOUD:
        return good(name, "piezo.quiet", **facts)
    return poor(name, "piezo.loud", "do.shield", **facts)


def check_card(config: Config, drift_ppm: float | None) -> Iterator[Finding]:
    """Yield on which sound card the piezos of *config* hang, and how far its clock drifts."""
    if not config.audio.enabled:
        return
    device = config.audio.device
    if drift_ppm is None:
        yield good(PIEZOS, "piezos.card", device=device)
    else:
        yield good(PIEZOS, "piezos.drift", device=device, ppm=f"{drift_ppm:+.0f}")


def check_tuned_gain(config: Config) -> Iterator[Finding]:
    """Yield which judge hears a tuned table, and how much softer than of glued discs knocks were.

    None of the latter on a sound card, whose knob stands anywhere.
    """
    from kloplei.knock.remarks import GLUED_KNOCK_DB, LOOSE_DB
    from kloplei.knock.tuning import USUAL_KNOCK_DB

    if not config.piezos:
        return
    taught = _taught(config)
    if taught.judge != JUDGE:
        yield good(PIEZOS, "piezos.judge-before")
    if config.audio.enabled:
        return
    below_db = GLUED_KNOCK_DB - (USUAL_KNOCK_DB - taught.gain_db)
    if below_db >= LOOSE_DB:
        yield poor(PIEZOS, "piezos.faint", "do.level-card", db=round(below_db))


def check_tuning(data: Path) -> Iterator[Finding]:
    """Yield why what the table was taught cannot be used; a table that runs says so itself."""
    try:
        CalibrationArchive(data).load()
    except TuningUnkept as error:
        yield said("tuning", FindingState.BAD, error.sentence)


def _taught(config: Config) -> Calibration:
    """Return what the table of *config* was taught; what any table is, where nothing was."""
    # What ails a file that cannot be used is told where it is listened by.
    with contextlib.suppress(TuningUnkept):
        return CalibrationArchive(config.table.data).load()
    return Calibration()


def check_pace(reached_hz: float, missed: int, busy: float = 0.0) -> Finding:
    """Return how fast the converter is read, each channel *reached_hz* times a second.

    *busy* is the share of one core that it takes, 0 where nobody knows.
    """
    facts = {"hz": round(reached_hz), "missed": missed}
    if missed:
        return poor(PIEZOS, "piezos.missed", "do.end-others", **facts)
    if busy:
        return good(PIEZOS, "piezos.pace-busy", busy=f"{busy:.0%}", **facts)
    return good(PIEZOS, "piezos.pace", **facts)


def listens_s(config: Config) -> float:
    """Return how long it takes to hear what is wrong with the sensors of *config*, in seconds."""
    return max((kind.quiet_s for kind in SENSORS if kind.fitted(config)), default=0.0)


def examine_parts(config: Config, wait: Callable[[float], None]) -> Iterator[Finding]:
    """Open what *config* wires, let *wait* pass a moment or more, and yield what was heard."""
    from kloplei.devices.box import Box

    faults, loudest = FaultInbox(), _LoudestPeaks()
    box = Box(config, faults, hearer=loudest)
    try:
        # A sound card hears without a header, too.
        opens = faults.about("pins") is None or config.audio.enabled
        if opens:
            _listen(config, box, wait)
        yield from faults.all()
        if not faults.all():
            yield good("parts", "parts.good")
        if opens:
            heard = _Quiet(config, box, loudest.peaks, faults)
            for kind in SENSORS:
                yield from CHECKS.get(kind.name, _check_still)(kind, heard)
            sensors = {one.part for one in fitted_sensors(config)}
            yield from check_held([part for part in heard.down if part not in sensors])
        yield from _slate(config, box)
    finally:
        box.close()


def _listen(config: Config, box: "Box", wait: Callable[[float], None]) -> None:
    """Let *wait* pass a moment, and where anything stirs in it as long as it takes to hear why."""
    whole_s = listens_s(config)
    moment_s = min(MOMENT_S, whole_s) if box.is_calm else whole_s
    wait(moment_s)
    if not box.is_calm and whole_s > moment_s:
        wait(whole_s - moment_s)


class FaultInbox:
    """An inbox that keeps what parts complain of, until they do so no longer."""

    def __init__(self) -> None:
        self._by_part: dict[str, Finding] = {}

    def put(self, message: Message) -> None:
        """Keep what it tells."""
        match message:
            case PartFailed(part, says):
                self._by_part[part] = said(part, FindingState.BAD, says)
            case PartHealed(part):
                self._by_part.pop(part, None)

    def about(self, part: str) -> Finding | None:
        """Return what *part* complains of, None if it does not."""
        return self._by_part.get(part)

    def all(self) -> list[Finding]:
        """Return what all of them complain of."""
        return list(self._by_part.values())


class _LoudestPeaks:
    """A hearer that remembers how loud each disc was at most."""

    def __init__(self) -> None:
        self.peaks: tuple[float, ...] = ()

    def struck(self, struck: "Struck") -> None:
        pass

    def judged(self, judgement: "Judgement") -> None:
        pass

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        self.peaks = tuple(map(max, peaks, self.peaks)) if self.peaks else peaks


class _Quiet(NamedTuple):
    """What was heard while nobody touched the table: *peaks* by channel, and who complained."""

    config: Config
    box: "Box"
    peaks: tuple[float, ...]
    faults: FaultInbox

    @property
    def down(self) -> list[str]:
        return [part for part in self.box.held_down if self.faults.about(part) is None]


def _check_still(kind: SensorKind, quiet: _Quiet) -> Iterator[Finding]:
    """Yield which sensors of a *kind* are quiet, and which are held down."""
    parts = [one.part for one in kind.fitted(quiet.config) if not quiet.faults.about(one.part)]
    down = [part for part in parts if part in quiet.down]
    if still := tuple(part for part in parts if part not in down):
        yield good(kind.name, "pads.quiet", pads=still)
    yield from check_held(down)


def _piezos(_: SensorKind, quiet: _Quiet) -> Iterator[Finding]:
    pace, faults = quiet.box.pace, quiet.faults
    if pace is not None and pace.reached_hz and faults.about(PIEZOS) is None:
        yield from check_card(quiet.config, pace.drift_ppm)
        yield check_pace(pace.reached_hz, pace.missed, pace.busy)
    for (channel, seat), peak in zip(quiet.config.piezos, quiet.peaks, strict=False):
        name = piezo_name(channel, seat)
        if faults.about(name) is None:
            yield check_silence(name, channel, peak)


CHECKS: Mapping[str, Callable[[SensorKind, _Quiet], Iterator[Finding]]] = {PIEZOS: _piezos}
"""By the name in `kloplei.devices.sensors.SENSORS`: what more can be told than how still it is."""


def _slate(config: Config, box: "Box") -> Iterator[Finding]:
    if config.slate.driver == "none":
        yield poor("slate", "slate.absent")
        return
    for number, part in enumerate(SLATE_PARTS[: len(config.slates)]):
        try:
            box.open_slate(number).cleanup()
        except KlopleiError as error:
            yield said(part, FindingState.BAD, sentence_of(error))
        else:
            yield good(part, "slate.answers", driver=config.slate.driver)
