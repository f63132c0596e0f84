"""The judge of tricks on a phone: cards are tapped, and it says who takes the trick and why."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from kloplei_panel import PanelSettings
from tests.panel.conftest import Phone, build
from tests.panel.watten_table import announce, watten_at
from tests.table.memory_journal import MemoryJournal


@pytest.fixture
def table() -> Iterator[Session]:
    with watten_at("tirol") as session:
        yield session


@pytest.fixture
def phone(table: Session) -> Phone:
    return phone_at(table)


def phone_at(table: Session, language: str = "en") -> Phone:
    return Phone(build(table, PanelSettings()).test_client(), language)


def press(phone: Phone, cards: str = "", **more: str) -> str:
    response = phone.client.post(
        "/judge", data={"said": "1", "cards": cards, **more}, headers=phone.headers
    )
    assert response.status_code == 200
    return response.text


NINE_HEARTS = {"schlag": "9", "trump": "H"}


def test_a_card_is_laid_and_the_trick_judged(phone: Phone) -> None:
    text = press(phone, "HA S9 D6", lay="H9", **NINE_HEARTS)

    assert 'value="HA S9 D6 H9"' in text
    assert "Card 4, 9 of hearts, takes the trick." in text
    assert "the Rechte" in text


def test_what_is_missing_is_asked_for(phone: Phone) -> None:
    assert "Tap the cards in the order they were played." in press(phone)
    assert "Say first what counts." in press(phone, "HA", trump="H")
    assert "takes the trick." not in press(phone, "HA", trump="H")


def test_the_announcement_of_the_running_deal_is_there_already(
    phone: Phone, table: Session
) -> None:
    announce(table, "K", "S")

    text = phone.get("/judge").text

    assert 'name="schlag" value="K" checked' in text
    assert 'name="trump" value="S" checked' in text
    assert text.count(" checked") == 2


def test_nothing_is_filled_in_for_a_blind_deal() -> None:
    with watten_at("blind") as table:
        table.submit(None, "deal")
        table.submit(None, "show")
        phone = phone_at(table)

        text = phone.get("/judge").text
        told = press(phone, "HA", lay="H10", **NINE_HEARTS)

    assert " checked" not in text
    assert "Card 2, 10 of hearts, takes the trick." in told
    assert "the Guate" in told


def test_the_house_rules_of_the_table_count() -> None:
    with watten_at("tirol", linke_vs_trump="trump_high") as table:
        told = press(phone_at(table), "S9", lay="HA", **NINE_HEARTS)

    assert "Card 2, ace of hearts, takes the trick." in told


def test_a_card_that_lies_there_is_not_laid_again(phone: Phone) -> None:
    text = press(phone, "HA S9", lay="HA", **NINE_HEARTS)

    assert "ace of hearts lies there already." in text
    assert 'value="HA S9"' in text
    assert "Card 2, 9 of leaves, takes the trick." in text


def test_a_trick_has_no_more_cards_than_players(phone: Phone) -> None:
    text = press(phone, "HA S9 D6 H9", lay="H7", **NINE_HEARTS)

    assert "A trick has 1 to 4 cards here." in text
    assert 'value="HA S9 D6 H9"' in text


def test_the_last_card_is_taken_back_and_all_of_them_cleared(phone: Phone) -> None:
    assert 'name="cards" value="HA"' in press(phone, "HA S9", take_back="1", **NINE_HEARTS)
    cleared = press(phone, "HA S9", clear="1", **NINE_HEARTS)
    assert 'name="cards" value=""' in cleared
    assert 'name="schlag" value="9" checked' in cleared


@pytest.mark.parametrize(
    ("cards", "more"),
    [
        ("H1", {}),
        ("HA HA HA", {}),
        ("<script>", {}),
        ("HA-folded S9--", {}),
        ("HA", {"schlag": "11", "trump": "X"}),
        ("HA", {"lay": "ß"}),
        ("HA", {"lay": ""}),
        ("HA", {"mark": "HA-folded"}),
        (" ".join(["H7"] * 500), {}),
    ],
)
def test_nonsense_is_said_to_be_nonsense(phone: Phone, cards: str, more: dict[str, str]) -> None:
    text = press(phone, cards, **{**NINE_HEARTS, **more})

    assert "<script>" not in text.replace('<script type="module"', "")
    assert "Traceback" not in text


def test_the_six_is_not_asked_for_where_nobody_names_it() -> None:
    with watten_at("kritisch") as table:
        phone = phone_at(table)
        text = phone.get("/judge").text
        told = press(phone, "HA", schlag="6", trump="H")

    assert 'name="schlag" value="6"' not in text
    assert "Say first what counts." in told


def test_in_toepen_a_card_of_somebody_who_folded_is_marked() -> None:
    with Session(MemoryJournal()) as table:
        phone = phone_at(table)
        counts = press(phone, "H7 HA", lay="H10")
        folded = press(phone, "H7 HA H10", mark="H10-folded")
        everybody = press(phone, "H7-folded")

    assert "Card 3, ♥10, takes the trick." in counts
    assert 'name="cards" value="H7 HA H10-folded"' in folded
    assert "Card 1, ♥7, takes the trick." in folded
    assert "nobody takes this trick" in everybody
    assert "Tap the next card." not in everybody


@pytest.mark.parametrize("game", [kind.name for kind in GAMES.values() if kind.has_tricks])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_with_tricks_has_its_judge_in_every_language(game: str, language: str) -> None:
    with Session(MemoryJournal(), TableSetup(game=game)) as table:
        text = phone_at(table, language).get("/judge").text

    assert text.count('name="lay"') == len(GAMES[game].bench().pack)
    assert "judge." not in text.replace("judge.js", "")


def test_a_game_without_tricks_has_no_judge(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    without = replace(GAMES["watten"], judged_by=None)
    monkeypatch.setattr("kloplei.games.catalogue.GAMES", {**GAMES, "watten": without})

    assert "/judge" not in phone.get("/").text
    assert phone.get("/judge").location == "/"
