"""Numbers that come in with an address or a form, and who the log says did what."""

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.client import LogEntry
from kloplei_panel.reader import Reader, whole


@pytest.mark.parametrize(("written", "number"), [("0", 0), ("7", 7), ("007", 7), ("999", 999)])
def test_plain_digits_are_a_number(written: str, number: int) -> None:
    assert whole(written, 3) == number


@pytest.mark.parametrize("written", ["", "-1", "+1", " 1", "1_0", "1.0", "²", "٣", "1000", "one"])
def test_anything_else_is_none(written: str) -> None:
    assert whole(written, 3) is None


@pytest.mark.parametrize(
    ("seat", "about", "line", "who"),
    [
        (None, Seat(0), Line("news.stayed", {"seat": Seat(0)}), "Schrijver"),
        (None, Seat(0), Line("news.nothing"), "Schrijver over Thijs"),
        (Seat(1), Seat(0), Line("news.nothing"), "Tame over Thijs"),
        (Seat(1), None, Line("news.nothing"), "Tame"),
        (Seat(1), Seat(2), Line("news.nothing"), "Tame over Plek 3"),
    ],
)
def test_the_log_says_of_whom_somebody_told_it_unless_its_line_does(
    seat: Seat | None, about: Seat | None, line: Line, who: str
) -> None:
    names = {Seat(0): "Thijs", Seat(1): "Tame"}
    entry = LogEntry(7, seat, "phone", line, names=names, about=about)

    assert Reader("nl", None, may_act=True).who_did(entry) == who
