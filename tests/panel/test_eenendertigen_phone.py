"""A phone at a table of eenendertigen: what lies under the thumb, and what is said of it."""

import re
from collections.abc import Iterator
from html import unescape

import pytest

from kloplei.games.game import Seat
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from kloplei_panel import PanelSettings
from tests.panel.conftest import Phone, build
from tests.table.memory_journal import MemoryJournal


@pytest.fixture
def table() -> Iterator[Session]:
    with Session(MemoryJournal(), TableSetup(game="eenendertigen", preset="de")) as session:
        for seat, name in enumerate(("Thijs", "Tame", "Thomas")):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(Seat(2), "start")
        yield session


def page(table: Session, path: str = "/?seat=1", language: str = "en") -> str:
    app = build(table, PanelSettings())
    return unescape(Phone(app.test_client(), language).get(path).text)


def thumbs(text: str) -> str:
    return text.partition('<section class="thumbs')[2]


def test_a_hand_is_played_by_what_lies_under_the_thumb(table: Session) -> None:
    table.submit(None, "deal")
    under = thumbs(page(table))

    assert all(word in under for word in ("Knock", "I was lowest", "Lay open"))
    assert "three of a kind" not in under  # it counts, in Schwimmen
    assert "three aces" in under
    assert "Equal, nobody pays" not in under
    assert 'class="stake' not in page(table)  # nothing in it has a price


def test_who_swims_and_who_knocked_is_said(table: Session) -> None:
    table.submit(None, "chalk", facts={"seat": Seat(0), "lives": 3})
    table.submit(None, "deal")
    table.submit(Seat(1), "knock")
    text = page(table)

    assert "swims" in text
    assert "<small>/3</small>" in text  # three lives; swimming is none
    assert "<small>/4</small>" not in text
    assert "knocked last" not in text  # there is one knock a hand
    assert "Tame knocked: one more turn. Then the lowest knocks twice." in text


def test_who_was_as_low_may_say_so_while_the_other_waits(table: Session) -> None:
    table.submit(None, "deal")
    table.submit(Seat(1), "lowest", waits=True)

    assert "do-lowest-2" not in page(table, "/?seat=2")
    said = page(table, "/?seat=1")
    # It stood beside "Stop that" in the same red, and said "I was lowest" against Tame's.
    assert re.search(r'id="do-lowest-1"[^>]*>I was lowest <span class="of">just as Tame<', said)


def test_who_is_out_is_told_until_when(table: Session) -> None:
    """It was "Nothing for you to do just now", for the rest of the rubber."""
    table.submit(None, "chalk", facts={"seat": Seat(0), "lives": 4})
    table.submit(None, "deal")

    assert "You are out until the next rubber." in thumbs(page(table))
    assert "out until" not in thumbs(page(table, "/?seat=2"))


def test_who_lays_open_is_told_with_whom_it_costs_a_life(table: Session) -> None:
    """It was "31! Tame lays the hand open", and three tallies had gone up."""
    table.submit(None, "deal")
    table.submit(Seat(1), "lay", facts={"holds": "three_aces"})

    told = {language: page(table, language=language) for language in ("en", "nl")}

    assert "Fire! Three aces from Tame! That costs Thijs and Thomas a life." in told["en"]
    assert "Dat kost Thijs en Thomas een leven." in told["nl"]


def test_a_hand_to_correct_is_known_by_who_was_lowest_in_it(table: Session) -> None:
    for seat in (0, 1):
        table.submit(None, "deal")
        table.submit(Seat(seat), "lowest")
    text = page(table, "/?seat=keeper")

    assert "<span>1 · Thijs</span>" in text
    assert "<span>2 · Tame</span>" in text


def test_who_moves_is_not_asked_who_was_lowest(table: Session) -> None:
    """The sheet of another place had the question of the one that corrects a hand."""
    for action in ("deal", "lowest"):
        table.submit(Seat(0) if action == "lowest" else None, action)
    text = page(table, "/?seat=keeper")
    swap = text.partition('id="sheet-swap-2"')[2].partition("</details>")[0]
    correct = text.partition('id="sheet-correct-1-table"')[2].partition("</details>")[0]

    assert "Which hand? 1 · Thijs" in correct
    assert correct.count("Who was lowest?") > 1  # the button, and what it asks
    assert "Who was lowest?" not in swap


def test_where_people_sit_down_nothing_has_a_price_yet(table: Session) -> None:
    table.submit(None, "undo")

    assert 'class="stake' not in page(table)


@pytest.mark.parametrize("language", LANGUAGES)
def test_slate_large_screen_and_help_speak_every_language(table: Session, language: str) -> None:
    table.submit(None, "deal")
    table.submit(Seat(1), "knock")
    table.submit(Seat(0), "lowest")

    for path in ("/?seat=1", "/?seat=keeper", "/tv", "/help"):
        text = page(table, path, language)
        assert not any(f"{family}." in text for family in ("prompt", "news", "flag", "action"))
    assert "/judge" not in page(table)


def test_a_deal_is_corrected_by_who_was_lowest(table: Session) -> None:
    table.submit(None, "deal")
    table.submit(Seat(0), "lowest")

    asked = page(table, "/?seat=keeper")
    assert "Who was lowest?" in asked
    assert "Somebody else was lowest in that hand." in asked  # nobody wins a hand of this game
    assert "Somebody else had won that hand." not in asked
    table.submit(None, "correct", facts={"hand": 1, "of": Seat(1)})
    assert [row.tally for row in table.scoreboard().rows] == [0, 1, 0]


def test_once_a_hand_is_over_a_button_says_with_whom_one_was_lowest(table: Session) -> None:
    table.submit(None, "deal")
    assert "as low as" not in page(table)
    table.submit(Seat(1), "lowest")

    assert "as low as Tame" in thumbs(page(table, "/?seat=3"))
