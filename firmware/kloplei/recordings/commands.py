"""What ``kloplei listen`` does: the knocks in recordings, or what labelled ones teach.

Answers go to stdout, complaints and progress to stderr. Exit codes: 0 all were listened to, 1
what was learned could not be kept, 2 something could not be read or teaches nothing.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass, replace
from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration, Label
from kloplei.knock.detector import Listener
from kloplei.knock.geometry import (
    AT_SEATS,
    IN_CORNERS,
    PLANKS,
    NotAGeometry,
    TableGeometry,
    TableSize,
    ToldWood,
)
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Block, DcOffset
from kloplei.recordings import _listening
from kloplei.recordings._learning import (
    Learned,
    LearningExample,
    Trial,
    examples,
    learn_table,
    meant_for,
)
from kloplei.recordings._listening import Found, channels_of, clock, listen
from kloplei.recordings.labels import Labelled, check_room, read_labelled, read_table, write_table
from kloplei.recordings.wav import Recording, UnreadableRecording, open_recording

FINE, UNREADABLE = 0, 2


class SomethingMissing(KlopleiError, ValueError):
    """``kloplei listen`` without anything to listen to, or ``--learn`` without a ``--table``."""


def run(arguments: argparse.Namespace) -> int:
    """Learn from the recordings named, or listen to them, and return the exit code.

    Raises:
        SomethingMissing: No recording is named.
        KlopleiError: Something is wrong that none of the recordings can help.
    """
    if not arguments.recordings:
        raise SomethingMissing(
            "name a recording to listen to: kloplei listen table.wav; "
            "or record your table: kloplei listen --record FOLDER"
        )
    if arguments.learn is not None:
        return learn_from(arguments)
    return listen_to(arguments)


def listen_to(arguments: argparse.Namespace) -> int:
    """Listen to every recording named and return the exit code.

    Raises:
        UnreadableTable: ``--table`` names none that can be used.
    """
    calibration = Calibration() if arguments.table is None else read_table(arguments.table)
    progress = Progress()
    exit_code = FINE
    for name in arguments.recordings:
        try:
            _listen_to_one(name, calibration, arguments, progress)
        except KlopleiError as error:
            # The others are still answered.
            complain(str(error))
            exit_code = UNREADABLE
        finally:
            progress.clear()
    return exit_code


def listen_live(
    blocks: Iterable[Block],
    seats: Sequence[Seat | None],
    arguments: argparse.Namespace,
    geometry: TableGeometry | None = None,
) -> None:
    """Say each knock of *blocks* as soon as it is known, timed from the first, until they end.

    *seats* are those of the channels, None in a corner; *arguments* are those of ``listen``, and
    *geometry* is where the settings have all of them. ``--table-size`` says otherwise.

    Raises:
        UnreadableTable: ``--table`` names none that can be used.
        SomethingMissing: It names one of other sensors, or nobody said how many sit there.
        NotAGeometry: Seats or discs cannot be there.
    """
    calibration = Calibration() if arguments.table is None else read_table(arguments.table)
    places = calibration.places
    if places is not None and places.sensors != len(seats):
        raise SomethingMissing(
            f"{arguments.table} was learned with {channels_of(places.sensors)}, and "
            f"{channels_of(len(seats))} are listened to; set --channels, or leave --table out"
        )
    if arguments.table_size is not None:
        geometry = _geometry("--live", len(seats), calibration, arguments)
        seats = (None,) * len(seats)
    found, offset = Found(calibration.labels), DcOffset()
    listener = Listener(seats, calibration, geometry=geometry)
    begun_s: float | None = None
    for block in blocks:
        begun_s = block.start_s if begun_s is None else begun_s
        for one in listener.feed(offset.taken_off(block)):
            if isinstance(one, Judgement) and (arguments.all or one.verdict is not Verdict.NOISE):
                _say_live(one, begun_s, found, as_json=arguments.json)


def _say_live(judgement: Judgement, begun_s: float, found: Found, *, as_json: bool) -> None:
    heard = replace(
        judgement,
        at_s=judgement.at_s - begun_s,
        decided_at_s=judgement.decided_at_s - begun_s,
        window=None,
    )
    pattern, seat = found.add(heard), found.label(heard.seat)
    found.judgements.clear()  # an evening of them would fill the memory
    if as_json:
        entry = {**_listening.entry(heard, seat), "verdict": heard.verdict.name.lower()}
        if heard.amends:
            entry["amends"] = True
        say(json.dumps(entry, allow_nan=False))
    else:
        say(_listening.row(heard, pattern, seat, plain=not can_draw()))


def learn_from(arguments: argparse.Namespace) -> int:
    """Learn the table from the recordings named, write it down, and return the exit code.

    Raises:
        KlopleiError: Nothing could be learned or kept; an old table stands as it did.
    """
    if arguments.table is None:
        raise SomethingMissing("--learn needs a file to keep what it learns: add --table my.toml")
    labelled = read_labelled(arguments.learn)
    check_room(arguments.table)
    heard = list(_heard(meant_for(labelled, arguments.recordings)))
    learned = learn_table(labelled, [example for one in heard for example in one.known])
    write_table(arguments.table, learned.calibration)
    if arguments.json:
        trials = iter(learned.trials)
        for one in heard:
            mine = list(islice(trials, sum(each.labelled.is_knock for each in one.known)))
            say(_as_json(one, arguments.table, mine))
    else:
        for line in _rows(arguments.table, learned):
            say(line)
    for one in heard:
        for complaint in (*one.complaints, *map(_unheard, one.missed)):
            complain(f"{one.name}: {complaint}")
    return FINE


@dataclass(frozen=True, slots=True)
class _Heard:
    """What was found in the recording *name*: the knocks written down, and which are *missed*."""

    name: str
    known: tuple[LearningExample, ...]
    missed: tuple[Labelled, ...]
    complaints: tuple[str, ...]


def _listen_to_one(
    name: str,
    calibration: Calibration,
    arguments: argparse.Namespace,
    progress: "Progress",
) -> None:
    found = Found(calibration.labels)
    with open_recording(name) as recording:
        _check_fits(recording, calibration, arguments.table)
        if not arguments.json:
            say(_listening.heading(name, recording))

        def tell() -> None:
            progress.tell(name, recording, found.knocks)

        geometry = _geometry(recording.name, recording.channels, calibration, arguments)
        for judgement in listen(recording, calibration, tell, geometry):
            if judgement.verdict is Verdict.NOISE and not arguments.all:
                continue  # a loud evening has hundreds of thousands of it
            pattern = found.add(replace(judgement, window=None))
            if not arguments.json:
                progress.clear()
                seat = found.label(judgement.seat)
                say(_listening.row(judgement, pattern, seat, plain=not can_draw()))
        progress.clear()
        if arguments.json:
            say(_listening.as_json(name, recording, found, with_noise=arguments.all))
        else:
            say(_listening.summary(found))
        for complaint in recording.complaints():
            complain(f"{name}: {complaint}")


def _geometry(
    name: str, channels: int, calibration: Calibration, arguments: argparse.Namespace
) -> TableGeometry | None:
    """Return where seats and discs of what is called *name* are, None where nobody said.

    Raises:
        SomethingMissing: Nobody said how many seats there are, or learned ones have names.
        NotAGeometry: They cannot be there.
    """
    size: TableSize | None = arguments.table_size
    if size is None or channels < 2:
        return None
    if any(label != at for at, label in enumerate(calibration.labels)):
        raise SomethingMissing(
            "--table-size counts the seats from 0, and the table that was learned calls them "
            "otherwise; leave one of the two out"
        )
    count = len(arguments.seats_at) or arguments.seats
    discs = arguments.discs or IN_CORNERS
    if not count and discs == AT_SEATS:
        count = channels
    if not count:
        raise SomethingMissing("--table-size needs to know who sits there: add --seats 4")
    places = arguments.seats_at or count
    told = ToldWood(size, arguments.top == PLANKS, places, discs)
    try:
        return told.geometry(count, (None,) * channels)
    except NotAGeometry as error:
        raise NotAGeometry(f"{name}: {error}", error.cause, **error.facts) from error


def _check_fits(recording: Recording, calibration: Calibration, table: Path) -> None:
    places = calibration.places
    if places is not None and places.sensors != recording.channels:
        raise UnreadableRecording.of(
            recording.name,
            f"has {channels_of(recording.channels)}, and {table} was learned with "
            f"{channels_of(places.sensors)}; record the same sensors, or learn the table anew",
        )


def _heard(meant: dict[str, list[Labelled]]) -> Iterator[_Heard]:
    """Yield what is found in each recording, all of the same channels."""
    first: Recording | None = None
    for name, labelled in meant.items():
        with open_recording(name) as recording:
            first = first or recording
            _check_sensors(recording, first)
            found = _found(recording, labelled)
            yield _Heard(
                name,
                known=tuple(one for one in found if one is not None),
                missed=tuple(
                    one for one, example in zip(labelled, found, strict=True) if example is None
                ),
                complaints=tuple(recording.complaints()),
            )


def _check_sensors(recording: Recording, first: Recording) -> None:
    if recording.channels != first.channels:
        raise UnreadableRecording.of(
            recording.name,
            f"has {recording.channels} channels, and {first.name} has {first.channels}; "
            "learn a table from recordings of the same sensors",
        )


def _found(
    recording: Recording, labelled: Sequence[Labelled]
) -> tuple[LearningExample | None, ...]:
    progress = Progress()
    try:
        blows = listen(recording, after_block=lambda: progress.tell(recording.name, recording))
        return examples(labelled, blows)
    finally:
        progress.clear()


def _unheard(labelled: Labelled) -> str:
    if not labelled.is_knock:
        return f"nothing was heard at {labelled.at_s:g} s, where something was no knock"
    whose = "somebody" if labelled.seat is None else f"seat {labelled.seat}"
    return f"nothing was heard at {labelled.at_s:g} s, where {whose} knocked"


def _as_json(heard: _Heard, table: Path, trials: Sequence[Trial]) -> str:
    """Return one line: the object of ``kloplei listen --learn --json`` (docs/listen.md).

    It can be learned from in its turn.
    """
    learned: dict[str, object] = {
        "file": heard.name,
        "table": str(table),
        "knocks": [_entry(trial) for trial in trials],
        "noise": [_noise(one) for one in heard.known if not one.labelled.is_knock],
        "missed": [_missed(one) for one in heard.missed],
    }
    if heard.complaints:
        learned["complaints"] = list(heard.complaints)
    return json.dumps(learned, allow_nan=False)


def _noise(example: LearningExample) -> dict[str, object]:
    return _listening.entry(example.blow, None)


def _missed(labelled: Labelled) -> dict[str, object]:
    if labelled.is_knock:
        return {"at_s": labelled.at_s, "seat": labelled.seat}
    return {"at_s": labelled.at_s, "knock": False}


def _entry(trial: Trial) -> dict[str, object]:
    blow = trial.example.blow
    return {
        **_listening.entry(blow, trial.example.labelled.seat),
        "confidence": _listening.short(trial.confidence),
        "told": trial.told,
    }


def _rows(table: Path, learned: Learned) -> Iterator[str]:
    """Yield a line a seat on how its knocks would fare, and what all of it came to."""
    by_seat: dict[Label, list[Trial]] = {}
    for trial in learned.trials:
        if trial.example.labelled.seat is not None and learned.calibration.places is not None:
            by_seat.setdefault(trial.example.labelled.seat, []).append(trial)
    for seat, mine in by_seat.items():
        told = Counter(trial.told for trial in mine)
        right, unsure = told.pop(seat, 0), told.pop(None, 0)
        remarks = [f"{right} told by the others"]
        remarks += [f"{count} taken for seat {other}" for other, count in told.items()]
        remarks += [f"{unsure} unsure"] * bool(unsure)
        noise = sum(trial.example.blow.verdict is Verdict.NOISE for trial in mine)
        remarks += [f"{noise} not taken for a knock at all"] * bool(noise)
        yield f"  seat {seat}: {len(mine)} knocks, {', '.join(remarks)}"
    what = f"{len(by_seat)} seats" if by_seat else "what a knock sounds like"
    lessons = f"{len(learned.trials)} knocks"
    if learned.noises:
        yield f"  {learned.noises} noises, {learned.noises_taken} of them taken for knocks"
        lessons += f" and {learned.noises} noises"
    yield f"{table}: learned {what} from {lessons}"


EVERY_S = 0.2
_CLEAR = "\r\x1b[K"


class Progress:
    """One line at the foot of a terminal, written over and over."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._is_shown = False
        self._again_at_s = 0.0
        self._is_terminal = self._stream.isatty()

    def tell(self, name: str, recording: Recording, knocks: int | None = None) -> None:
        """Say how much of *recording* was read and found, if the last word is a while ago."""
        if not self._is_terminal or time.monotonic() < self._again_at_s:
            return
        self._again_at_s = time.monotonic() + EVERY_S
        of = "" if recording.duration_s is None else f" of {clock(recording.duration_s)}"
        found = "" if knocks is None else f", {knocks} knocks"
        self._stream.write(f"{_CLEAR}{name}: {clock(recording.read_s)}{of}{found}")
        self._stream.flush()
        self._is_shown = True

    def clear(self) -> None:
        """Take the line away, so that something else can be written there."""
        if self._is_shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._is_shown = False


def can_draw() -> bool:
    """Return whether whoever reads our answers knows blocks."""
    try:
        "█▏".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def complain(sentence: str) -> None:
    """Say on stderr what is wrong."""
    print(f"kloplei: {sentence}", file=sys.stderr)


def say(text: str) -> None:
    """Print *text* at once: whoever reads gets each line when it is known."""
    print(text, flush=True)
