"""Days as people say them, in five languages."""

from datetime import datetime

import pytest

from kloplei.words import LANGUAGES, Words
from kloplei.words.dates import by_clock, day_of, is_known, short_day_of, time_of

AT = datetime(2026, 11, 23, 21, 5).astimezone().timestamp()


@pytest.mark.parametrize(
    ("language", "long", "short"),
    [
        ("nl", "maandag 23 november 2026", "23 nov 2026"),
        ("en", "Monday 23 November 2026", "23 Nov 2026"),
        ("de", "Montag, 23. November 2026", "23. Nov. 2026"),
        ("da", "mandag den 23. november 2026", "23. nov. 2026"),
        ("ja", "2026年11月23日（月）", "2026年11月23日"),
    ],
)
def test_a_day_is_told_as_its_language_does(language: str, long: str, short: str) -> None:
    words = Words(language)

    assert (day_of(AT, words), short_day_of(AT, words)) == (long, short)
    assert time_of(AT) == "21:05"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("at", [None, -1e12, 1e300, float("nan")])
def test_what_no_calendar_has_is_no_day(language: str, at: float | None) -> None:
    words = Words(language)

    assert day_of(at, words) == short_day_of(at, words) == words.say("date.unknown")
    assert not is_known(at)
    assert time_of(at) == ""


def test_an_evening_on_paper_has_its_day_whatever_box_was_there_then() -> None:
    played = datetime(1987, 3, 8, 12).astimezone().timestamp()

    assert day_of(played, Words("en")) == "Sunday 8 March 1987"


@pytest.mark.parametrize("at", [None, 0.0, 12.5, 86_400.0 * 365 * 40, 1e300, float("nan")])
def test_a_clock_that_never_was_set_tells_nothing(at: float | None) -> None:
    assert by_clock(at) is None
    assert by_clock(AT) == AT
