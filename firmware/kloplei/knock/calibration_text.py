"""A calibration as TOML that people can read and copy, and back again."""

import json
import reprlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from kloplei.files import KlopleiError
from kloplei.knock.calibration import VERSION, Calibration, Label
from kloplei.knock.distrust import Distrust
from kloplei.knock.features import RATES_HZ
from kloplei.knock.judge import learned
from kloplei.knock.places import CannotTellSeats, KnownKnock, Places, usable
from kloplei.knock.traits import BANDS_HZ, PARTS, Traits
from kloplei.rules.game import Seat

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
_KEYS = ("version", "gain_db", "strictness", "floor", "labels", "distrust", "knock")
_ROWS = ("arrivals_ms", "levels_db", "likeness")
_DISTRUST = ("rate_hz", "bias", "weights")
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
    if calibration.labels:
        labels = ", ".join(json.dumps(one, ensure_ascii=False) for one in calibration.labels)
        lines.append(f"labels = [{labels}]  # of the seats, in their order")
    if calibration.distrust is not None:
        lines += _distrust_lines(calibration.distrust)
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
        told = "no version" if "version" not in read else f"version {_shown(read['version'])}"
        raise NotACalibration(f"It has {told}, and this Kloplei reads version {VERSION}")
    _no_others(read, _KEYS, "a calibration")
    floor = _list(read.get("floor", []), "floor", 0, MOST_PIEZOS)
    labels = _list(read.get("labels", []), "labels", 0, MOST_SEATS)
    return Calibration(
        gain_db=_number(read.get("gain_db", 0.0), "gain_db", -MOST_DB, MOST_DB),
        floor=tuple(_number(one, "floor", 0.0, 1.0) for one in floor),
        strictness=_number(read.get("strictness", 0.0), "strictness", -STRICTEST, STRICTEST),
        distrust=_distrust(read["distrust"]) if "distrust" in read else None,
        places=_places(read["knock"]) if "knock" in read else None,
        labels=tuple(map(_label, labels)),
    )


# Writing


def _distrust_lines(distrust: Distrust) -> Iterator[str]:
    yield "\n[distrust]  # what glasses and phones here sound like, and knocks do not"
    yield f"rate_hz = {distrust.rate_hz}"
    yield f"bias = {distrust.bias}"
    yield "\n[distrust.weights]  # of what the judge looks at (docs/knocks.md)"
    yield from (f"{name} = {weight}" for name, weight in distrust.weights.items())


def _places_lines(places: Places) -> Iterator[str]:
    yield ""
    yield "# Knocks of each seat, counted from 1 and clockwise from the slate: which of the piezos"
    yield f"# felt it; when each had felt {_spelt(PARTS)} of it, after the onset; how loud"
    yield f"# each was in {_spelt(f'{a}-{b}' for a, b in BANDS_HZ)} Hz; and how alike"
    yield "# each two of them swung there."
    for knock in places.knocks:
        found = knock.traits
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


def _distrust(read: object) -> Distrust:
    read = _section(read, "distrust")
    _no_others(read, _DISTRUST, "distrust")
    rate_hz = read.get("rate_hz")
    if rate_hz not in RATES_HZ or not isinstance(rate_hz, int):
        rates = ", ".join(map(str, RATES_HZ))
        raise NotACalibration(
            f"distrust has rate_hz {_shown(rate_hz)}, but must have one of {rates}"
        )
    weights = _section(read.get("weights"), "distrust.weights")
    _no_others(weights, learned(rate_hz).scales, "distrust.weights")
    return Distrust(
        rate_hz,
        _number(read.get("bias"), "distrust bias", -HEAVIEST, HEAVIEST),
        {
            name: _number(one, f"distrust {name}", -HEAVIEST, HEAVIEST)
            for name, one in weights.items()
        },
    )


def _places(read: object) -> Places:
    knocks = _list(read, "knock", 1, MOST_KNOCKS)
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
    felt = tuple(
        _switch(one, f"{name} felt") for one in _list(read["felt"], f"{name} felt", 1, MOST_PIEZOS)
    )
    levels_db = _rows(
        read["levels_db"], f"{name} levels_db", len(felt), range(1, len(BANDS_HZ) + 1)
    )
    bands = len(levels_db[0])
    pairs = len(tuple(combinations(felt, 2)))
    return KnownKnock(
        _seat(read["seat"], name),
        Traits(
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
    if not isinstance(read, int) or isinstance(read, bool) or not 1 <= read <= MOST_SEATS:
        raise NotACalibration(
            f"{name} has seat {_shown(read)}, but must have a number from 1 to {MOST_SEATS}"
        )
    return Seat(read - 1)


def _switch(read: object, name: str) -> bool:
    if not isinstance(read, bool):
        raise NotACalibration(f"{name} holds {_shown(read)}, but must hold true or false")
    return read


def _rows(
    read: object, name: str, count: int, widths: Sequence[int]
) -> tuple[tuple[float, ...], ...]:
    """Return *count* rows of numbers, all of one and the same of *widths*."""
    rows = [_list(row, name, min(widths), max(widths)) for row in _list(read, name, count, count)]
    if len(set(map(len, rows))) > 1:
        raise NotACalibration(f"{name} must hold as many numbers in each row")
    return tuple(tuple(_number(one, name, -1000.0, 1000.0) for one in row) for row in rows)


def _label(read: object) -> Label:
    if isinstance(read, str) and read.isprintable() and 0 < len(read) <= LONGEST_LABEL:
        return read
    if isinstance(read, int) and not isinstance(read, bool) and read.bit_length() < 64:
        return read
    raise NotACalibration(
        f"labels holds {_shown(read)}, but must hold numbers, or names of up to "
        f"{LONGEST_LABEL} characters"
    )


def _list(read: object, name: str, fewest: int, most: int) -> list[object]:
    if not isinstance(read, list) or not fewest <= len(read) <= most:
        count = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise NotACalibration(f"{name} must be a list of {count}")
    return read


def _number(read: object, name: str, lowest: float, highest: float) -> float:
    if isinstance(read, bool) or not isinstance(read, int | float):
        raise NotACalibration(f"{name} holds {_shown(read)}, which is no number")
    if not lowest <= read <= highest:  # nor is what is no number
        raise NotACalibration(
            f"{name} holds {_shown(read)}, but must lie from {lowest:g} to {highest:g}"
        )
    return float(read)


def _no_others(read: Mapping[str, object], known: Iterable[str], name: str) -> None:
    for key in read:
        if key not in known:
            raise NotACalibration(f"{name} has no {_shown(key)}")


def _shown(read: object) -> str:
    if isinstance(read, int) and read.bit_length() > 64:
        return "a number without end"
    shown = reprlib.repr(read)  # of what is nested without end it shows the beginning
    return shown if len(shown) <= 40 else shown[:37] + "..."
