"""Every page says things as they are said in the game that is played."""

from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from flask import Flask

from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import Seat
from kloplei.table.actions import TABLE_ACTIONS
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from kloplei_panel.context import PanelSettings
from kloplei_panel.controls import OF_THE_TABLE, ButtonStyle
from kloplei_panel.games import game_panel
from kloplei_panel.pages.demo import hint
from kloplei_panel.reader import Reader, own_words, shared_words
from tests.panel.conftest import NAMES, Phone, build
from tests.table.memory_journal import MemoryJournal

OPENED = {"nl": "Opgeven", "en": "Give up", "de": "Aufgeben", "da": "Giv op", "ja": "降りる"}
OF_TOEPEN = ("Passen", "Mitgehen", "mit oder passen", "Leben verloren", "Einsatz", "Toep")


@pytest.fixture
def watten() -> Iterator[Session]:
    """Four people play Watten; Thijs has raised, so that seats 2 and 4 are asked."""
    with Session(MemoryJournal(), TableSetup(game="watten")) as session:
        for seat, name in enumerate(NAMES):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(Seat(3), "start")
        session.submit(Seat(3), "deal")
        session.submit(Seat(3), "announced")
        session.submit(Seat(0), "raise")
        yield session


@pytest.fixture
def app(watten: Session) -> Flask:
    return build(watten, PanelSettings(clients=3, keepalive_s=0.05))


def entries(phone: Phone) -> Any:
    told: Any = phone.get("/api/v1/log").json
    return told["entries"]


@pytest.mark.parametrize("language", OPENED)
def test_who_is_asked_may_give_up_in_the_words_of_watten(app: Flask, language: str) -> None:
    page = unescape(Phone(app.test_client(), language).get("/?seat=2").text)

    assert OPENED[language] in page


@pytest.mark.parametrize("path", ["/", "/?seat=2", "/?seat=keeper", "/tv"])
def test_no_page_of_watten_speaks_of_toepen(app: Flask, path: str) -> None:
    page = unescape(Phone(app.test_client(), "de").get(path).text)

    said = page.replace(">Toepen<", "")  # the keeper may choose it
    assert [word for word in OF_TOEPEN if word in said] == []


def test_the_log_tells_what_was_played_then(watten: Session, app: Flask) -> None:
    """After a change of games the lines of the first one still say what they said."""
    watten.submit(Seat(1), "fold")
    watten.submit(None, "chalk", facts={"seat": Seat(0), "points": 7})
    phone = Phone(app.test_client(), "en")
    before = entries(phone)[0]
    watten.submit(None, "wipe")
    watten.submit(None, "options", facts={"game": "toepen"})

    after = entries(phone)[2]

    assert (before["text"], before["game"]) == ("Thijs and Thomas: it now says 7.", "watten")
    assert after == before


def test_dealer_and_neighbour_may_say_that_all_has_been_named(watten: Session, app: Flask) -> None:
    """Who will not enter Schlag and trump has the button at hand, and nobody else has it."""
    watten.submit(Seat(1), "fold")
    watten.submit(Seat(0), "deal")
    pages = [Phone(app.test_client(), "en").get(f"/?seat={seat}").text for seat in (1, 2, 3, 4)]

    assert ["Named aloud" in page for page in pages] == [True, True, False, False]


def test_a_refusal_is_told_in_the_words_of_the_game(app: Flask) -> None:
    refused: Any = Phone(app.test_client(), "de").ask(1, "accept").json

    assert (refused["error"], refused["message"]) == (
        *("own_raise", "Das hat die eigene Seite geboten."),
    )


@pytest.mark.parametrize("game", GAMES)
def test_each_game_tells_how_an_evening_goes_without_a_phone(watten: Session, game: str) -> None:
    with Session(MemoryJournal(), TableSetup(game=game)) as session:
        shown = build(session, PanelSettings(clients=3, keepalive_s=0.05))
        page = unescape(Phone(shown.test_client(), "en").get("/help").text)

    assert "Undo! Four again: redo" in page  # as the buttons call it, in all of them
    assert ("An evening by buttons and phones" in page) is (game == "tarok")
    assert ("Toep!" in page) is (game == "toepen")
    assert ("We give up" in page) is (game == "watten")
    assert ("and the pots are paid" in page) is (game == "tarok")


def test_the_help_of_watten_speaks_german(app: Flask) -> None:
    page = unescape(Phone(app.test_client(), "de").get("/help").text)

    assert 'lang="de"' in page
    assert "Wir geben auf" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_of_tarok_names_what_its_buttons_do_as_they_are_called(language: str) -> None:
    with Session(MemoryJournal(), TableSetup(game="tarok")) as session:
        shown = build(session, PanelSettings(clients=3, keepalive_s=0.05))
        page = unescape(Phone(shown.test_client(), language).get("/help").text)
    words = own_words(language, "tarok")

    assert f'lang="{language}"' in page
    assert page.count(words.say("page.help")) == 2  # above the page and in its title
    for action in ("reopen", "settle"):
        assert f"<b>{shared_words(language).say(f'action.{action}')}</b>" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_demo_has_a_hint_for_all_of_a_game_of_watten(watten: Session, language: str) -> None:
    reader = Reader(language, place=None, may_act=True)
    hints = []
    for seat, action in ((1, "fold"), (0, "deal"), (0, "announced"), (2, "trick"), (2, "trick")):
        board = watten.scoreboard()
        hints.append(hint(board, reader.at(board)))
        watten.submit(Seat(seat), action)

    assert [one.seat for one in hints] == [2, 1, 2, 2, 3]
    assert len({one.text for one in hints[:4]}) == 4
    assert not any("hint." in one.text for one in hints)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["toepen", "watten", "tarok"])
def test_each_word_behind_more_says_in_a_line_what_it_is(game: str, language: str) -> None:
    """To stand up for four jacks stood beside leaving the table, without a word."""
    looks = {**getattr(game_panel(game), "LOOKS", {}), **OF_THE_TABLE}
    actions = {*build_game(game).actions, *TABLE_ACTIONS} - {"options"}  # which has its own sheet
    styles = {name: looks.get(name, ButtonStyle()) for name in sorted(actions)}
    further = [name for name, look in styles.items() if not look.big and not look.on_game_page]
    reader = Reader(language, 1, may_act=True, game=game)

    assert "stand_up" in further
    assert [name for name in further if not reader.known(f"note.{name}")] == []
