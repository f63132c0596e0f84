"""A kept blow as a row of the ring's file, and back."""

import sys
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from kloplei.ears.kept import Kept
from kloplei.games.game import Seat
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Window

Row = tuple[Any, ...]

_LARGEST = 1e12  # seconds, samples a second, and whatever else is told of a blow
_LAST_NUMBER = 2**53  # what every reader of JSON holds


def row(one: Kept) -> Row:
    """Return *one* in the order of the columns of `kloplei.ears.ring`."""
    judged = one.judgement
    return (
        one.number,
        one.at,
        judged.at_s,
        judged.decided_at_s,
        judged.verdict,
        judged.likelihood,
        judged.strength,
        judged.seat,
        judged.confidence,
        judged.part,
        one.was,
        one.was_seat,
        *_window_columns(judged.window),
    )


def _window_columns(window: Window | None) -> tuple[Any, ...]:
    if window is None:
        return (None,) * 6
    samples = b"".join(_little_endian(array("f", one)).tobytes() for one in window.channels)
    return (
        window.onset_s,
        window.start_s,
        window.rate_hz,
        window.skew_s,
        len(window.channels),
        samples,
    )


def sound(rows: Iterable[Row]) -> Iterator[Kept]:
    """Yield what *rows* hold, without those that make no sense."""
    for one in rows:
        try:
            yield _kept(*one)
        except (ValueError, TypeError):
            continue  # a row that somebody edited, or a version that wrote something else


def _kept(
    number: int,
    at: float | None,
    at_s: float,
    decided_at_s: float,
    verdict: str,
    likelihood: float,
    strength: float,
    seat: int | None,
    confidence: float,
    part: str,
    was: str | None,
    was_seat: int | None,
    *window: Any,
) -> Kept:
    _check(at_s, decided_at_s, 0.0 if at is None else at)
    _check(likelihood, strength, confidence, most=1.0)
    if not 0 < number <= _LAST_NUMBER:
        raise ValueError("no number of a blow")
    judgement = Judgement(
        at_s,
        decided_at_s,
        Verdict(verdict),
        likelihood,
        strength,
        None if seat is None else Seat(seat),
        confidence,
        part,
        _window(*window),
    )
    return Kept(
        number,
        at,
        judgement,
        None if was is None else Verdict(was),
        None if was_seat is None else Seat(was_seat),
    )


def _window(
    onset_s: float | None,
    start_s: float | None,
    rate_hz: float | None,
    skew_s: float | None,
    channels: int | None,
    samples: bytes | None,
) -> Window | None:
    if onset_s is None or start_s is None or not rate_hz or not channels or samples is None:
        return None
    _check(onset_s, start_s, rate_hz, onset_s - start_s)
    whole = _little_endian(array("f", samples))
    _check(*whole)
    length, rest = divmod(len(whole), channels)
    if rest or not length:
        raise ValueError("channels of unequal length")
    cut = tuple(whole[at * length : (at + 1) * length] for at in range(channels))
    return Window(onset_s, start_s, rate_hz, cut, skew_s or 0.0)


def _check(*numbers: float, most: float = _LARGEST) -> None:
    """Refuse what no sensor and no clock says, such as infinity."""
    if not all(-most <= one <= most for one in numbers):
        raise ValueError("a number beyond reason")


def _little_endian(samples: "array[float]") -> "array[float]":
    if sys.byteorder == "big":
        samples.byteswap()
    return samples
