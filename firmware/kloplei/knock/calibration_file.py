"""A calibration as TOML that people can read and copy, and back again.

The file's words are older than the code's: its ``[lessons]`` are a `Correction`, its ``[[knock]]``
a `KnownKnock`. They stay, for tables have been tuned with them, as does ``[distrust]``: lessons of
a table that was tuned when they made it stricter alone. Seats are counted from 1 there.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from kloplei.files import KlopleiError
from kloplei.games.game import Seat
from kloplei.knock.arrival import BANDS_HZ, PARTS, LocationFeatures
from kloplei.knock.calibration import (
    FIRST_JUDGE,
    JUDGE,
    RATE_OF_BEFORE_HZ,
    VERSION,
    Calibration,
    Correction,
)
from kloplei.knock.classifier import classifier_for
from kloplei.knock.features import RATES_HZ
from kloplei.knock.geometry import (
    AT_SEATS,
    IN_CORNERS,
    PLANKS,
    PLATE,
    TOPS,
    NotAGeometry,
    Spot,
    ToldWood,
    read_size,
    read_spots,
    told_size,
    told_spot,
)
from kloplei.knock.localization import CannotTellSeats, KnownKnock, Places, usable
from kloplei.validation import (
    Check,
    NotAllowed,
    abridged,
    is_line,
    is_whole,
    list_of,
    narrowed,
    number,
    switch,
    whole,
)

MOST_PIEZOS = 16  # a recording has up to so many channels
MOST_SEATS = 16
MOST_KNOCKS = 1000
MOST_DB = 60.0
STRICTEST = 20.0
LONGEST_LABEL = 40
HEAVIEST = 100.0  # log-odds for a scaled feature

_HEAD = """\
# What one table taught Kloplei, by kloplei tune or kloplei listen --learn. Without this file it
# listens as at any table.
"""
_JUDGE = "judge"
_KEYS = (
    "version",
    "gain_db",
    "strictness",
    "floor",
    "labels",
    "lessons",
    "distrust",
    "knock",
    "wood",
    "rate_hz",
    _JUDGE,
)
_LESSONS, _DISTRUST = "lessons", "distrust"
_ROWS = ("arrivals_ms", "levels_db", "likeness")
_CORRECTION = ("rate_hz", "bias", "weights")
_WOOD = ("size", "top", "seats", "discs")
_KNOCK = ("seat", "felt", *_ROWS)


class NotACalibration(KlopleiError, ValueError):
    """A text that holds no calibration which this Kloplei can use."""


def as_toml(calibration: Calibration) -> str:
    """Return *calibration* as text; `from_toml` gives the same one back."""
    lines = [
        f"version = {calibration.version}",
        f"gain_db = {calibration.gain_db}  # added to all that comes in",
        f"strictness = {calibration.strictness}  # above 0: more is noise here; below: less",
        f"floor = {_row(calibration.floor)}  # loudest sample of each piezo in silence",
    ]
    # Only what differs is written: a Kloplei of before reads all other files.
    if calibration.rate_hz != RATE_OF_BEFORE_HZ:
        lines.append(f"rate_hz = {calibration.rate_hz}  # at which all of this was heard")
    if _is_on_top(calibration) and calibration.judge != FIRST_JUDGE:
        lines.append(f"judge = {calibration.judge}  # on top of which it was taught")
    if calibration.labels:
        labels = ", ".join(json.dumps(one, ensure_ascii=False) for one in calibration.labels)
        lines.append(f"labels = [{labels}]  # of the seats, in their order")
    if calibration.correction is not None:
        lines += _correction_lines(calibration.correction)
    if calibration.wood is not None:
        lines += _wood_lines(calibration.wood)
    if calibration.places is not None:
        lines += _places_lines(calibration.places)
    return _HEAD + "\n".join(lines) + "\n"


def from_toml(text: str) -> Calibration:
    """Return the calibration in *text*.

    Raises:
        NotACalibration: There is none in it, or one that cannot be used; it says why.
    """
    try:
        read = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotACalibration(f"It is not TOML: {error}") from error
    if read.get("version") != VERSION or isinstance(read["version"], bool):
        told = "no version" if "version" not in read else f"version {abridged(read['version'])}"
        raise NotACalibration(f"It has {told}, and this Kloplei reads version {VERSION}")
    _no_others(read, _KEYS, "a calibration")
    calibration = Calibration(
        gain_db=_read(_GAIN, read.get("gain_db", 0.0), "gain_db"),
        floor=_read(_FLOOR, read.get("floor", []), "floor"),
        strictness=_read(_STRICTNESS, read.get("strictness", 0.0), "strictness"),
        correction=_correction(read),
        places=_places(read["knock"]) if "knock" in read else None,
        labels=_read(_LABELS, read.get("labels", []), "labels"),
        wood=_wood(read["wood"]) if "wood" in read else None,
        rate_hz=_rate(read.get("rate_hz", RATE_OF_BEFORE_HZ), "a calibration"),
    )
    of_its_time = FIRST_JUDGE if _is_on_top(calibration) else JUDGE
    return replace(calibration, judge=_read(_JUDGES, read.get(_JUDGE, of_its_time), _JUDGE))


def _is_on_top(calibration: Calibration) -> bool:
    """Whether it says anything of how sure the judge is to be."""
    return calibration.correction is not None or bool(calibration.strictness)


# Writing


def _correction_lines(correction: Correction) -> Iterator[str]:
    name = _DISTRUST if correction.only_stricter else _LESSONS
    yield f"\n[{name}]  # what knocks here sound like, and glasses and phones do not"
    yield f"rate_hz = {correction.rate_hz}"
    yield f"bias = {correction.bias}"
    yield f"\n[{name}.weights]  # of what the judge looks at (docs/knocks.md)"
    yield from (f"{name} = {weight}" for name, weight in correction.weights.items())


def _wood_lines(wood: ToldWood) -> Iterator[str]:
    yield "\n[wood]  # the table top, as somebody said it; as in the settings (docs/config.md)"
    yield f'size = "{told_size(wood.size)}"'
    yield f'top = "{PLANKS if wood.planks else PLATE}"'
    for name, places in (("seats", wood.seats), ("discs", wood.discs)):
        told = list(map(told_spot, places)) if isinstance(places, tuple) else places
        if told:
            yield f"{name} = {json.dumps(told)}"


def _places_lines(places: Places) -> Iterator[str]:
    yield ""
    yield "# Knocks of each seat, counted from 1 and clockwise from the slate: which of the piezos"
    yield f"# felt it; when each had felt {_spelt(PARTS)} of it, after the onset; how loud"
    yield f"# each was in {_spelt(f'{a}-{b}' for a, b in BANDS_HZ)} Hz; and how alike"
    yield "# each two of them swung there."
    for knock in places.knocks:
        found = knock.location
        yield "\n[[knock]]"
        yield f"seat = {knock.seat.shown}"
        yield f"felt = [{', '.join(str(one).lower() for one in found.felt)}]"
        for name in _ROWS:
            rows: Sequence[Sequence[float]] = getattr(found, name)
            yield f"{name} = [{', '.join(map(_row, rows))}]"


def _row(numbers: Iterable[float]) -> str:
    return f"[{', '.join(map(str, numbers))}]"


def _spelt(parts: Iterable[object]) -> str:
    return ", ".join(map(str, parts))


# Reading


def _correction(read: Mapping[str, object]) -> Correction | None:
    name = next((one for one in (_LESSONS, _DISTRUST) if one in read), None)
    if name is None:
        return None
    taught = _section(read[name], name)
    _no_others(taught, _CORRECTION, name)
    rate_hz = _rate(taught.get("rate_hz"), name)
    weights = _section(taught.get("weights"), f"{name}.weights")
    _no_others(weights, classifier_for(rate_hz).scales, f"{name}.weights")
    return Correction(
        rate_hz,
        _read(_WEIGHT, taught.get("bias"), f"{name} bias"),
        {key: _read(_WEIGHT, one, f"{name} {key}") for key, one in weights.items()},
        only_stricter=name == _DISTRUST,
    )


def _wood(read: object) -> ToldWood:
    told = _section(read, "wood")
    _no_others(told, _WOOD, "wood")
    seats = told.get("seats", 0)
    discs = told.get("discs", [])
    try:
        return ToldWood(
            read_size(_read(_TEXT, told.get("size"), "wood size")),
            _read(_TOP, told.get("top", PLATE), "wood top") == PLANKS,
            _read(_SEATED, seats, "wood seats") if is_whole(seats) else _spots(seats, "seats"),
            _read(_HUNG, discs, "wood discs") if isinstance(discs, str) else _spots(discs, "discs"),
        )
    except NotAGeometry as error:
        raise NotACalibration(f"wood: {error}") from error


def _spots(read: object, name: str) -> tuple[Spot, ...]:
    texts = _read(_TEXTS, read, f"wood {name}")
    return tuple(spot for one in texts for spot in read_spots(one))


def _rate(rate_hz: object, name: str) -> int:
    if rate_hz not in RATES_HZ or not isinstance(rate_hz, int):
        rates = ", ".join(map(str, RATES_HZ))
        raise NotACalibration(
            f"{name} has rate_hz {abridged(rate_hz)}, but must have one of {rates}"
        )
    return rate_hz


def _places(read: object) -> Places:
    knocks = _read(_KNOCKS, read, "knock")
    try:
        return usable(Places(tuple(_knock(one, number) for number, one in enumerate(knocks, 1))))
    except CannotTellSeats as error:
        raise NotACalibration(str(error)) from error


def _knock(read: object, number: int) -> KnownKnock:
    name = f"knock {number}"
    if not isinstance(read, Mapping):
        raise NotACalibration(f"{name} must be a section of its own: [[knock]]")
    _no_others(read, _KNOCK, name)
    for key in _KNOCK:
        if key not in read:
            raise NotACalibration(f"{name} lacks {key}")
    felt = _read(_FELT, read["felt"], f"{name} felt")
    levels_db = _rows(
        read["levels_db"], f"{name} levels_db", len(felt), range(1, len(BANDS_HZ) + 1)
    )
    bands = len(levels_db[0])
    pairs = len(tuple(combinations(felt, 2)))
    return KnownKnock(
        _seat(read["seat"], name),
        LocationFeatures(
            felt=felt,
            arrivals_ms=_rows(read["arrivals_ms"], f"{name} arrivals_ms", len(felt), (len(PARTS),)),
            levels_db=levels_db,
            likeness=_rows(read["likeness"], f"{name} likeness", pairs, (2 * bands,)),
        ),
    )


def _section(read: object, name: str) -> Mapping[str, object]:
    if not isinstance(read, Mapping):
        raise NotACalibration(f"{name} must be a section of its own: [{name}]")
    return read


def _seat(read: object, name: str) -> Seat:
    if not is_whole(read) or not 1 <= read <= MOST_SEATS:
        raise NotACalibration(
            f"{name} has seat {abridged(read)}, but must have a number from 1 to {MOST_SEATS}"
        )
    return Seat(read - 1)


def _rows(
    read: object, name: str, count: int, widths: Sequence[int]
) -> tuple[tuple[float, ...], ...]:
    """Return *count* rows of numbers, all of one and the same of *widths*."""
    row = list_of(number(-1000.0, 1000.0), min(widths), max(widths))
    rows: tuple[tuple[float, ...], ...] = _read(list_of(row, count, count), read, name)
    if len(set(map(len, rows))) > 1:
        raise NotACalibration(f"{name} must hold as many numbers in each row")
    return rows


def _read(check: Check, read: object, name: str) -> Any:
    try:
        return check.read(read)
    except NotAllowed as wrong:
        raise NotACalibration(f"{name} {wrong}") from wrong


def _no_others(read: Mapping[str, object], known: Iterable[str], name: str) -> None:
    for key in read:
        if key not in known:
            raise NotACalibration(f"{name} has no {abridged(key)}")


def _is_label(read: object) -> bool:
    return is_line(read, 1, LONGEST_LABEL) or (is_whole(read) and read.bit_length() < 64)


_ANYTHING = Check("anything", lambda read: read)
_GAIN, _STRICTNESS = number(-MOST_DB, MOST_DB), number(-STRICTEST, STRICTEST)
_WEIGHT = number(-HEAVIEST, HEAVIEST)
_FLOOR = list_of(number(0.0, 1.0), 0, MOST_PIEZOS)
_LABEL = narrowed(_ANYTHING, f"numbers, or names of up to {LONGEST_LABEL} characters", _is_label)
_LABELS = list_of(_LABEL, 0, MOST_SEATS)
_KNOCKS = list_of(_ANYTHING, 1, MOST_KNOCKS)
_TEXT = narrowed(_ANYTHING, "one line of text", lambda read: is_line(read, 1, LONGEST_LABEL))
_TEXTS = list_of(_TEXT, 0, MOST_PIEZOS)
_TOP = narrowed(_TEXT, f'"{PLATE}" or "{PLANKS}"', TOPS.__contains__)
_HUNG = narrowed(_TEXT, f'"{IN_CORNERS}" or "{AT_SEATS}"', (IN_CORNERS, AT_SEATS).__contains__)
_SEATED = whole(0, MOST_SEATS)
_JUDGES = whole(FIRST_JUDGE, JUDGE)
_FELT = list_of(switch(), 1, MOST_PIEZOS)
