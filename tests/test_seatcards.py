"""Seat cards as they come off the printer: drawn again, read back, and followed."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from flask import Flask
from PIL import Image
from reportlab.pdfbase.ttfonts import TTFont

import kloplei
from kloplei.cli import main
from kloplei.frozen import replace
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.seatcards import SeatCards, draw, seat_url
from kloplei.table.session import Session
from kloplei.words import LANGUAGES, Words
from kloplei_panel import PanelSettings
from kloplei_panel.reader import own_words
from tests.panel.conftest import PIN, Phone, build, table

__all__ = ["table"]  # a fixture
URL = "http://10.75.76.1:8080/"
DPI = 110
POINTS = 72
EDGE_MM = 3.5  # of a card, below what stands on it
FONTS = Path(kloplei.__file__).parent / "fonts"


HOUSE = SeatCards(URL, 5, ("nl", "en"), "toepen")


def house(**changes: Any) -> SeatCards:
    return replace(HOUSE, **changes)


def pages(pdf: bytes) -> Iterator[Image.Image]:
    document = pypdfium2.PdfDocument(pdf)
    for page in document:
        yield page.render(scale=DPI / POINTS).to_pil().convert("L")
    document.close()


def texts(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    found = [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]
    document.close()
    return found


def codes(page: Image.Image) -> list[str]:
    """Return what the codes on *page* say, from the top, and from the left."""
    found = zxingcpp.read_barcodes(page)
    found.sort(key=lambda one: (one.position.top_left.y // 100, one.position.top_left.x))
    return [one.text for one in found]


def test_the_code_on_each_card_leads_to_its_seat() -> None:
    first, second, tent = pages(draw(house()))

    assert codes(first) == [f"HTTP://10.75.76.1:8080/S/{seat}" for seat in (1, 2, 3, 4)]
    assert codes(second) == ["HTTP://10.75.76.1:8080/S/5"]
    assert codes(tent) == [URL]


@pytest.mark.parametrize("way", ["S", "s"])
def test_whoever_follows_a_card_asks_at_that_seat_and_is_let_in_by_a_knock_alone(
    table: Session, way: str
) -> None:
    app: Flask = build(table, PanelSettings(locked=True, pin=PIN))
    phone = Phone(app.test_client())

    to = phone.get(f"/{way}/3")
    shown = phone.get(to.location).text

    assert (to.status_code, to.location) == (303, "/?seat=3")
    assert "Let me in at seat 3" in shown
    assert phone.get("/api/v1/door").json == {"may": "look"}
    assert phone.ask(3, "knock").status_code == 403


def test_a_card_of_another_table_leads_nowhere(table: Session) -> None:
    phone = Phone(build(table, PanelSettings()).test_client())

    assert phone.get("/S/9").status_code == 404


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://box.lan/", "HTTP://BOX.LAN/S/2"),
        ("http://[fd00::1]:8080/", "HTTP://[FD00::1]:8080/S/2"),
        ("https://pub.example/slate/", "https://pub.example/slate/S/2"),
    ],
)
def test_only_what_means_the_same_in_capitals_is_written_so(url: str, address: str) -> None:
    assert seat_url(url, Seat(1)) == address


def test_a_card_says_where_to_press_in_the_words_of_the_button() -> None:
    for language in LANGUAGES:
        said = Words(language, domain="cards").say("card.door", {"number": "3"})

        assert own_words(language).say("door.ask_seat", {"number": 3}) in said


def test_cards_say_how_to_knock_in_the_game_that_is_played() -> None:
    toepen, _ = texts(draw(house(seats=3)))
    watten, _ = texts(draw(house(seats=3, game="watten")))
    armed, _ = texts(draw(house(seats=3, game="watten", options={"pads": "armed"})))

    assert "Toep! The stake goes up" in toepen
    assert "Knock on the table" in toepen
    assert "the wood does not listen" in watten
    assert "Toep" not in watten
    assert "Knock on the table" in armed


def test_the_tent_has_the_rules_of_the_house_as_it_plays_now() -> None:
    *_, usual = texts(draw(house()))
    *_, own = texts(draw(house(preset="vijftien", options={"max_stake": 5})))

    assert "Lives: 10" in usual
    assert "Vijftien" in own
    assert "Lives: 15" in own
    option = Words("en").name("option", "max_stake")
    assert f"{option}: 5" in own
    assert option not in usual  # nobody has to read what this house does not play


def test_a_number_of_the_rules_is_written_in_figures() -> None:
    """On a Japanese tent three players or more were so many cards, 三枚."""
    *_, toepen = texts(draw(house()))
    *_, watten = texts(draw(house(game="watten", preset="kritisch")))

    words = Words("en")
    assert f"{words.name('option', 'min_players')}: 3" in toepen
    kritische = words.of_game("watten").name("option", "kritische")
    assert f"{kritische}: {words.name('option-value', '3')}" in watten


def test_an_open_box_asks_nobody_to_knock_for_a_phone() -> None:
    card, _ = texts(draw(house(seats=3, locked=False)))

    assert "Let me in" not in card
    assert "plays at this seat at once" in card


@pytest.mark.parametrize(
    ("game", "languages"), [*product(GAMES, [("de", "ja"), ("da", "nl"), ("en",)])]
)
def test_nothing_runs_over_the_edge_of_a_card_or_of_the_tent(
    game: str, languages: tuple[str, ...]
) -> None:
    place = "In den Wilden Watertoren aan de Overkant"
    card, tent = pages(draw(house(seats=4, game=game, languages=languages, place=place)))

    edge = int(EDGE_MM / 25.4 * DPI)
    half_wide, half_high = card.width // 2, card.height // 2
    for left, top in product((0, half_wide), (0, half_high)):
        strip = (left + 3, top + half_high - edge, left + half_wide - 3, top + half_high - 3)
        assert card.crop(strip).getextrema() == (255, 255)
        beside = (left + half_wide - edge, top + 3, left + half_wide - 3, top + half_high - 3)
        assert card.crop(beside).getextrema() == (255, 255)
    assert tent.crop((0, tent.height - edge, *tent.size)).getextrema() == (255, 255)
    assert tent.crop((tent.width - edge, half_high + 3, *tent.size)).getextrema() == (255, 255)


@cache
def letters(name: str) -> frozenset[int]:
    return frozenset(TTFont(name, str(FONTS / f"{name}.ttf")).face.charToGlyph)


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_letters_for_all_that_may_stand_on_a_card(language: str) -> None:
    """Where some are missing: ``python -m scripts.make_card_fonts``."""
    folder = Path(kloplei.__file__).parent / "words" / language / "LC_MESSAGES"
    said = re.findall(r'^msgstr "(.*)"$', (folder / "cards.po").read_text(), re.MULTILINE)
    words = (folder / "kloplei.po").read_text()
    said += re.findall(r'^msgid "(?:option|preset|game).*\nmsgstr "(.*)"$', words, re.MULTILINE)

    needed = {ord(one) for one in "".join(said)} - {ord("\n")}

    assert len(said) > 150
    for name in ("mplus-1-regular", "mplus-1-bold"):
        assert not needed - letters(name)


def test_a_name_without_letters_of_ours_stops_no_printer() -> None:
    *_, tent = texts(draw(house(place="Café 😀 Ōsaka")))

    assert "Café Ōsaka" in tent


def test_the_same_house_prints_the_same_bytes() -> None:
    assert draw(house()) == draw(house())


def test_the_keeper_prints_from_the_phone_and_nobody_else(table: Session) -> None:
    app = build(table, PanelSettings(locked=True, pin=PIN, join_url=URL))
    viewer, keeper = Phone(app.test_client()), Phone(app.test_client())
    keeper.client.post("/settings/pair", data={"pin": PIN})

    assert viewer.get("/seatcards/kloplei-seatcards.pdf").status_code == 403
    assert "/seatcards" not in viewer.get("/settings").text
    assert "/seatcards" in keeper.get("/settings").text
    made = keeper.get("/seatcards/kloplei-seatcards.pdf?first=da&second=ja")
    assert made.mimetype == "application/pdf"
    assert "Plads 1 席1" in texts(made.data)[0]


def test_the_command_prints_the_house_of_the_settings_where_no_table_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings, file = tmp_path / "kloplei.toml", tmp_path / "cards.pdf"
    settings.write_text(
        f"[table]\nseats = 3\ngame = 'watten'\nlanguage = 'de'\ndata = '{tmp_path}'\n"
        f"[socket]\npath = '{tmp_path}/none.sock'\n[network]\naddress = '192.168.7.7'\n"
    )

    assert main(["seatcards", str(file), "--config", str(settings)]) == 0

    card, tent = texts(file.read_bytes())
    assert "Platz 3" in card
    assert "Watten" in tent
    assert "http://192.168.7.7:8080/" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--address", "http://" + "a" * 3500], "no address of a page"),
        (["--address", "مقهى 🍺"], "no address of a page"),
        (["--address", ""], "no address of a page"),
        (["."], "cannot be written"),
        (["nowhere/cards.pdf"], "No such file or directory"),
    ],
)
def test_what_cannot_be_printed_or_written_is_told_with_what_helps(
    arguments: list[str],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kloplei.toml").write_text(
        f"[table]\ndata = '{tmp_path}'\n[socket]\npath = '{tmp_path}/none.sock'\n"
        "[network]\naddress = '192.168.7.7'\n"
    )

    assert main(["seatcards", *arguments, "--config", "kloplei.toml"]) == 1
    assert why in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["kloplei.toml"]
