"""Days as people say them, in each language; a box may not know what day it was.

Months and days of the week are sentences of the catalogue, so that a language brings its own.
"""

from datetime import datetime
from typing import TypeGuard

from kloplei.words.catalogue import Words

EARLIEST_S, LATEST_S = -2_208_988_800.0, 253_370_764_800.0
"""The years 1900 and 9999: older than any notebook, and where calendars end."""
_CLOCKS_SET_S = 1_577_836_800.0
"""2020 began: a Pi without a network believes it is 1970, or when its image was made."""


def is_known(at: float | None) -> TypeGuard[float]:
    """Return whether *at*, seconds since 1970, is a moment of which one can say the day."""
    return at is not None and EARLIEST_S <= at < LATEST_S


def by_clock(at: float | None) -> float | None:
    """Return *at* as a box's clock told it, or None where nobody had set that clock."""
    return at if is_known(at) and at >= _CLOCKS_SET_S else None


def day_of(at: float | None, words: Words) -> str:
    """Return the day of *at* in full, by the clock on the wall: "maandag 23 november 2026".

    Where nobody knows it, it says so.
    """
    return _told("date.long", "month", at, words)


def short_day_of(at: float | None, words: Words) -> str:
    """Return the day of *at* as it fits into a column: "23 nov 2026"."""
    return _told("date.short", "short-month", at, words)


def time_of(at: float | None) -> str:
    """Return the time of day of *at*: "21:05"; empty where nobody knows it."""
    return f"{datetime.fromtimestamp(at).astimezone():%H:%M}" if is_known(at) else ""


def _told(form: str, month: str, at: float | None, words: Words) -> str:
    if not is_known(at):
        return words.say("date.unknown")
    day = datetime.fromtimestamp(at).astimezone()
    facts = {
        "weekday": words.say(f"date.weekday-{day.isoweekday()}"),
        "day": day.day,
        "month": words.say(f"date.{month}-{day.month}"),
        "year": day.year,
    }
    return words.say(form, facts)
