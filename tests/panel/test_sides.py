"""A game of two sides on the phones: what a side holds stands there once."""

import re
from collections.abc import Iterator

import pytest

from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from tests.panel.conftest import NAMES, Phone, build
from tests.panel.watten_table import announce, watten_at
from tests.table.memory_journal import MemoryJournal


@pytest.fixture
def table() -> Iterator[Session]:
    with watten_at("tirol") as session:
        yield session


@pytest.fixture
def phone(table: Session) -> Phone:
    return Phone(build(table, PanelSettings()).test_client(), "de")


def page(phone: Phone, path: str = "/?seat=1") -> str:
    return phone.get(path).text


@pytest.mark.parametrize("path", ["/?seat=1", "/tv"])
def test_the_points_of_a_team_stand_there_once(phone: Phone, path: str) -> None:
    text = page(phone, path)

    assert text.count('class="points"') == 2
    assert text.count("0 von 15 Punkten") == 2
    assert all(name in text for name in NAMES)


def test_tricks_are_counted_for_the_side(phone: Phone, table: Session) -> None:
    announce(table)
    for seat in (0, 2, 1):
        table.submit(Seat(seat), "trick")

    text = page(phone)

    assert text.count("2 von 3 Stichen") == 1
    assert text.count("1 von 3 Stichen") == 1


def test_an_open_raise_stands_large_until_it_is_answered(phone: Phone, table: Session) -> None:
    announce(table)
    table.submit(Seat(0), "raise")
    raised = page(phone)

    assert "<strong>3?</strong>" in raised
    assert raised.count("side asked") == 1

    table.submit(Seat(1), "accept")
    assert "<strong>3</strong>" in page(phone)
    assert "side asked" not in page(phone)


def test_what_was_announced_is_told(phone: Phone, table: Session) -> None:
    announce(table, "J", "C")

    text = page(phone)

    assert "<b>Unter</b>" in text
    assert 'aria-label="Eichel"' in text


def test_who_is_gestrichen_is_told_once_for_the_side(phone: Phone, table: Session) -> None:
    for _ in range(7):
        announce(table)
        for _ in range(3):
            table.submit(Seat(1), "trick")

    text = page(phone)

    assert text.count('class="mark flag-gestrichen"') == 1
    assert "side gestrichen" in text


def test_three_are_rows_with_tricks_and_one_plays_alone() -> None:
    with watten_at("tirol", players=3) as table:
        announce(table)
        table.submit(Seat(0), "trick")
        text = page(Phone(build(table, PanelSettings()).test_client(), "de"))

    assert 'class="sides"' not in text
    assert text.count("allein gegen zwei") == 1
    assert text.count("1 von 3 Stichen") == 1


def test_a_tally_that_falls_has_no_strokes_and_no_end_beside_it() -> None:
    with watten_at("boehmisch", players=5) as table:
        table.submit(None, "deal")
        table.submit(None, "turnup", facts={"suit": "S", "rank": "9"})
        text = page(Phone(build(table, PanelSettings()).test_client(), "de"))

    assert 'class="tally"' not in text
    assert "<small>/" not in text
    assert text.count(">20<") == 5
    assert 'aria-label="Laub"' in text


def test_a_toepen_table_looks_as_it_did() -> None:
    with Session(MemoryJournal()) as table:
        for seat, name in enumerate(NAMES):
            table.submit(Seat(seat), "sit_down", facts={"name": name})
        table.submit(Seat(0), "start")
        table.submit(None, "deal")
        text = page(Phone(build(table, PanelSettings()).test_client()))

    assert 'class="sides"' not in text
    assert text.count('class="tally"') == 4
    assert 'class="tricks"' not in text


def deals_told(table: Session) -> list[list[str]]:
    """Return what the table of this game's deals says of each player, the newest first."""
    text = page(Phone(build(table, PanelSettings()).test_client(), "de"))
    hands = text[text.index('class="hands"') :].partition("</table>")[0]
    rows = hands.partition("<tbody>")[2].split("</tr>")[:-1]
    return [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows]


def test_the_deals_tell_by_what_each_tally_moved() -> None:
    """Who won had a star, the partner two points, and Bohemian tricks stood there as "+-3"."""
    with watten_at("tirol") as table:
        announce(table)
        for _ in range(3):
            table.submit(Seat(0), "trick")
        assert deals_told(table) == [["+2", "", "+2", ""]]

    with watten_at("boehmisch", players=3) as table:
        table.submit(None, "deal")
        table.submit(None, "turnup", facts={"suit": "S", "rank": "9"})
        table.submit(None, "result", facts={"tricks": [3, 0, 2]})
        assert deals_told(table) == [["−3", "+5", "−2"]]
