"""What beats what, and the signs, on every phone: only what everybody at the table has heard."""

import re
from pathlib import Path

import pytest

from kloplei.games.game import Seat
from kloplei.games.tarok.cards import PACK
from kloplei.games.watten.trick import signs_of
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from kloplei_panel import PanelSettings
from kloplei_panel.games.watten import signals
from kloplei_panel.reader import own_words
from tests.panel.conftest import Phone, build
from tests.panel.watten_table import announce, watten_at
from tests.table.memory_journal import MemoryJournal

FIGURES = Path("webpanel/kloplei_panel/static/figures.svg")


def page(table: Session, language: str = "de") -> str:
    return Phone(build(table, PanelSettings()).test_client(), language).get("/?seat=1").text


def rungs(text: str) -> list[list[str]]:
    """Return the cards of each rung of the ladder in *text*, from the best down."""
    if 'id="ladder"' not in text:
        return []
    ladder = text[text.index('id="ladder"') :].partition("</details>")[0]
    rows = ladder.split("<li>")[1:]
    return [re.findall(r'class="card[^>]*aria-label="([^"]+)"', one) for one in rows]


def test_the_ladder_stands_there_as_soon_as_all_is_announced() -> None:
    with watten_at("tirol") as table:
        table.submit(None, "deal")
        table.submit(Seat(0), "schlag", facts={"rank": "9"})
        assert rungs(page(table)) == []

        table.submit(Seat(3), "trump", facts={"suit": "H"})
        text = page(table)

    assert rungs(text)[:3] == [
        ["Herz 9"],
        ["Schell 9", "Laub 9", "Eichel 9"],
        [f"Herz {rank}" for rank in ("Ass", "König", "Ober", "Unter", "10", "8", "7")],
    ]
    assert "der Rechte" in text


def test_the_ladder_goes_by_the_house_rules() -> None:
    with watten_at("suedtirol") as table:
        announce(table)
        assert rungs(page(table))[:2] == [["Herz 10"], ["Herz 9"]]
    with watten_at("vier kritische") as table:
        announce(table)
        assert rungs(page(table))[0] == ["Herz König", "Weli", "Schell 7", "Eichel 7"]
    with watten_at("boehmisch", players=3, bohemian_schlag="no rank") as table:
        table.submit(None, "deal")
        table.submit(None, "turnup", facts={"suit": "H", "rank": "9"})
        assert rungs(page(table))[0][0] == "Herz Ass"


def test_there_is_no_ladder_in_blind_watten() -> None:
    with watten_at("blind") as table:
        table.submit(None, "deal")
        table.submit(None, "show")
        table.submit(Seat(0), "trick")

        assert rungs(page(table)) == []


def test_toepen_has_neither_ladder_nor_signs(phone: Phone) -> None:
    phone.do(None, "deal")

    text = phone.get("/?seat=1").text

    assert 'id="ladder"' not in text
    assert 'id="signals"' not in text


def test_signs_are_allowed_once_trump_is_known() -> None:
    with watten_at("tirol") as table:
        assert signals(table.scoreboard()).may == "later"
        table.submit(None, "deal")
        assert signals(table.scoreboard()).may == "later"
        table.submit(Seat(0), "schlag", facts={"rank": "9"})
        table.submit(Seat(3), "trump", facts={"suit": "H"})

        assert signals(table.scoreboard()).may == "allowed"


@pytest.mark.parametrize(
    ("preset", "players", "options", "may"),
    [
        ("tirol", 3, {}, "only-four"),
        ("tirol", 2, {}, "only-four"),
        ("tirol", 4, {"signals": "off"}, "off"),
        ("turnier 11", 4, {}, "off"),
        ("kritisch", 4, {}, "allowed"),
    ],
)
def test_whether_signs_are_allowed_goes_by_the_game(
    preset: str, players: int, options: dict[str, object], may: str
) -> None:
    with watten_at(preset, players=players, **options) as table:
        announce(table)

        assert signals(table.scoreboard()).may == may


def test_with_the_six_as_schlag_nobody_gives_signs() -> None:
    with watten_at("tirol") as table:
        announce(table, "6", "S")

        assert signals(table.scoreboard()).may == "six"
        assert "in die Karten schauen" in page(table)


def test_signs_of_a_blind_deal_do_not_tell_what_is_sealed() -> None:
    found = []
    for rank in ("6", "9"):
        with watten_at("blind") as table:
            table.submit(None, "deal")
            table.submit(Seat(0), "seal_schlag", facts={"rank": rank})
            table.submit(Seat(3), "seal_trump", facts={"suit": "H"})
            found.append((signals(table.scoreboard()), table.scoreboard().announced))

    assert found[0] == found[1]
    assert found[0][1] == {}


def test_who_plays_alone_gives_no_signs() -> None:
    with watten_at("boehmisch", players=4) as table:
        found = signals(table.scoreboard())

    assert (found.may, found.signs) == ("alone", ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sign_has_words_in_every_language(language: str) -> None:
    words = own_words(language)
    for variant in ("tyrol", "kritisch"):
        for held, sign in signs_of(variant):
            for key in (f"held.{held}", f"sign.{sign}"):
                assert words.say(key) != key


def test_blind_watten_has_the_signs_of_tyrol_and_kritisch_its_own() -> None:
    """docs/rules/watten.md § 6."""
    assert signs_of("blind") == signs_of("tyrol")
    assert dict(signs_of("kritisch"))["rechte"] == "wink-right"
    assert dict(signs_of("tyrol"))["rechte"] == "kiss"
    assert {"suit-C", "nothing", "two-linken"} & set(dict(signs_of("kritisch"))) == set()


def test_every_figure_of_tarok_is_drawn_and_each_of_them_otherwise() -> None:
    drawn = {str(card): card.figure for card in PACK if card.figure}
    symbols = dict(re.findall(r'<symbol id="(\w+)"[^>]*>(.*?)</symbol>', FIGURES.read_text(), re.S))

    assert len(drawn) == 16 + 3
    assert set(drawn.values()) == {"king", "queen", "knight", "jack", "fool", "pagat", "moon"}
    assert set(drawn.values()) <= symbols.keys()
    assert len(set(symbols.values())) == len(symbols)


def test_the_judge_of_tarok_shows_them_and_reads_the_cards_aloud() -> None:
    with Session(MemoryJournal(), TableSetup(seats=3, game="tarok")) as table:
        phone = Phone(build(table, PanelSettings()).test_client(), "nl")
        judge = phone.get("/judge").text

    def card(name: str) -> str:
        return judge.partition(f'id="lay-{name}"')[2].partition("</button>")[0]

    assert "#queen" in card("QH") and "V" in card("QH")
    assert "#moon" in card("T21") and "#fool" in card("EX")
    assert "<svg" not in card("T20") + card("10H")
