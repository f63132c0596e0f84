"""The judge of tricks at a table of Tarok: 78 cards, the Fool, and what became of the kings."""

import re
from html import unescape

import pytest

from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from kloplei_panel import PanelSettings
from tests.panel.conftest import Phone, build
from tests.panel.tarok_table import tarok_at


def phone_at(table: Session, language: str = "en") -> Phone:
    return Phone(build(table, PanelSettings()).test_client(), language)


def press(table: Session, cards: str = "", language: str = "en", **more: str) -> str:
    phone = phone_at(table, language)
    response = phone.client.post(
        "/judge", data={"said": "1", "cards": cards, **more}, headers=phone.headers
    )
    assert response.status_code == 200
    return unescape(response.text)


def verdict(text: str) -> str:
    """Return all that is said of the trick in *text*, without what it is said in."""
    said = text[text.index('<p class="verdict') : text.index('<ol class="lying">')]
    return " ".join(re.sub(r"<[^>]*>", " ", said.partition("<fieldset")[0]).split())


def laid_out(text: str) -> list[str]:
    return re.findall(r'name="lay" value="([^"]+)"', text)


def test_the_whole_pack_lies_there_taroks_first() -> None:
    with tarok_at() as table:
        names = laid_out(phone_at(table).get("/judge").text)

    assert names[:22] == [f"T{number}" for number in range(21, 0, -1)] + ["EX"]
    assert names[22:30] == ["KH", "KD", "KS", "KC", "QH", "QD", "QS", "QC"]
    assert names[-4:] == ["AH", "AD", "AS", "AC"]
    assert len(names) == len(set(names)) == 78


def test_three_taps_make_a_verdict() -> None:
    with tarok_at() as table:
        text = press(table, "KS T1", lay="QS")

    assert 'name="cards" value="KS T1 QS"' in text
    assert verdict(text) == (
        "Card 2, pagat, takes the trick. the highest tarok ♠K is lost. The pagat is home."
    )


@pytest.mark.parametrize(
    ("preset", "cards", "trick", "said"),
    [
        ("dansk", "T9 EX T14", "1", "The Fool goes back to its owner"),
        ("dansk", "T9 EX T14", "24", "The Fool must not be played to trick 24."),
        ("dansk", "T9 EX T14", "25", "The Fool stays with who takes the trick."),
        ("grosstarock", "T9 EX T14", "23", "The Fool stays with who takes the trick."),
        ("taroc 1754", "T9 EX T14", "1", "The Fool goes back to its owner"),
        ("taroc 1754", "T9 EX T14", "24", "Too late: the Fool should be played by trick 23."),
        ("grosstarock", "KH 2H 3H", "1", "♥K is home."),
        ("dansk", "KH T1 KD", "25", "Pagat ultimo: it takes the last trick."),
        ("dansk", "KH T1 KD", "25", "King ultimo lost: ♦K is beaten in the last trick."),
        ("dansk", "KH 2H AD", "25", "King ultimo: ♥K takes the last trick."),
        ("dansk", "T9 T1 T14", "25", "Pagat ultimo lost: it is beaten in the last trick."),
        ("dansk", "QH 2H AD", "25", "Neither pagat nor king is in the last trick."),
    ],
)
def test_what_came_of_the_trick_is_told(preset: str, cards: str, trick: str, said: str) -> None:
    with tarok_at(preset) as table:
        assert said in verdict(press(table, cards, trick=trick))


def test_kings_are_nothing_in_1754() -> None:
    with tarok_at("taroc 1754") as table:
        early, last = (verdict(press(table, "KH 2H AD", trick=one)) for one in ("1", "25"))

    assert early == last == "Card 1, ♥K, takes the trick. the highest of the suit that was led"


@pytest.mark.parametrize(
    ("preset", "numbers"),
    [
        ("dansk", ["1", "24", "25"]),
        ("grosstarock", ["1", "23", "24", "25"]),
        ("taroc 1754", ["1", "24", "25"]),
    ],
)
def test_the_trick_is_an_early_one_unless_somebody_says_otherwise(
    preset: str, numbers: list[str]
) -> None:
    with tarok_at(preset) as table:
        text = phone_at(table).get("/judge").text

    assert re.findall(r'name="trick" value="(\d+)"', text) == numbers
    assert 'name="trick" value="1" checked' in text
    assert text.count(" checked") == 1


def test_what_was_named_is_asked_where_the_fool_was_led_and_only_there() -> None:
    with tarok_at() as table:
        asked = {cards: "What was named?" in press(table, cards) for cards in ("", "KS EX", "EX")}
    with tarok_at("grosstarock") as table:
        assert "What was named?" not in press(table, "EX 5D 7H")

    assert asked == {"": False, "KS EX": False, "EX": True}


@pytest.mark.parametrize(
    ("cards", "named", "said"),
    [
        ("EX", {}, "Tap the next card."),
        ("EX", {"named": "H"}, "Tap the next card."),
        ("EX 5D", {}, "Card 2, ♦5, takes the trick."),
        ("EX 5D 7H", {}, "Say first what counts."),
        ("EX 5D 7H", {"named": "H"}, "Card 3, ♥7, takes the trick."),
        ("EX 5D 7H", {"named": "S"}, "Card 2, ♦5, takes the trick."),
        ("EX 5D 7H", {"named": "T"}, "Card 2, ♦5, takes the trick."),
        ("EX 5D 7H", {"named": "X"}, "Say first what counts."),
        ("EX 5D T2", {}, "Card 3, tarok 2, takes the trick."),
        ("EX 5D 7D", {}, "Card 3, ♦7, takes the trick."),
    ],
)
def test_what_was_named_need_not_be_said_where_it_makes_no_difference(
    cards: str, named: dict[str, str], said: str
) -> None:
    with tarok_at() as table:
        assert verdict(press(table, cards, **named)).startswith(said)


@pytest.mark.parametrize(
    ("preset", "options", "order", "best"),
    [
        ("dansk", {}, "ten high, ace low", "♥10"),
        ("dansk", {"pips": "reversed"}, "ace high, ten low", "♥A"),
        ("grosstarock", {}, "ace high, ten low", "♥A"),
        ("grosstarock", {"pips": "natural"}, "ten high, ace low", "♥10"),
    ],
)
def test_red_pips_rank_as_in_this_house_and_the_page_says_how(
    preset: str, options: dict[str, object], order: str, best: str
) -> None:
    with tarok_at(preset, players=3, **options) as table:
        text = press(table, "10H AH 2S")

    assert order in text
    assert f", {best}, takes the trick." in verdict(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_every_language(language: str) -> None:
    with tarok_at() as table:
        text = press(table, "EX T1", language, lay="KD", trick="25")

    kept = re.sub(r'"[^"]*"', "", text)
    assert not re.search(r"\b(trick|judge|bench|note|why|card)\.[a-z]", kept)


def test_court_cards_go_by_the_letters_of_the_game() -> None:
    """In German Watten has an Ober where Tarok has a Dame."""
    letters = {"de": "♦D ♦R ♦B", "nl": "♦V ♦R ♦B", "da": "♦D ♦C ♦B", "en": "♦Q ♦C ♦J"}
    with tarok_at() as table:
        for language, said in letters.items():
            text = phone_at(table, language).get("/judge").text
            cards = dict(re.findall(r'value="([^"]+)"[^>]*>(.*?)</button>', text, re.DOTALL))
            faces = [re.sub(r"<[^>]*>", "", cards[card]).strip() for card in ("QD", "CD", "JD")]
            assert " ".join(faces) == said


@pytest.mark.parametrize("lay", ["T0", "H10", "KX", "", "EXX", "<b>"])
def test_what_is_no_card_of_tarok_is_said_to_be_none(lay: str) -> None:
    with tarok_at() as table:
        assert "There is no such card." in press(table, lay=lay)
