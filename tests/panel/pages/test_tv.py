"""What a large screen tells while nobody plays: titles, the evening so far and the honours."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import pytest
from flask import Flask

from kloplei.games.scoreboard import Scoreboard
from kloplei.table.history_client import Evening
from kloplei.table.session import Session
from tests.panel.conftest import Phone
from tests.panel.past import Past, titled, toepen
from tests.until import PATIENCE_S, until


class Counted(Past):
    """A past that counts how often an evening is asked for."""

    asked = 0

    def evening(self, number: int) -> Evening:
        self.asked += 1
        return super().evening(number)


def told(phone: Phone) -> list[tuple[str, str, str]]:
    """Return the titles of the break: each with who bears it, and why."""
    found = re.findall(
        r'class="title">.*?<b>(.*?)</b><span class="whom">(.*?)</span><small>(.*?)</small>',
        phone.get("/tv/break").text,
    )
    return [(unescape(title), unescape(whom), unescape(why)) for title, whom, why in found]


@pytest.mark.parametrize(
    ("language", "heading", "titles"),
    [
        (
            "nl",
            "Titels tot nu toe",
            [
                ("De Hattrick", "Jan-Willem van der Berg", "3 keer op rij gewonnen"),
                ("De Boeman", "Thijs", "<b>Sanne</b> paste 5 keer voor die klop"),
                ("De Trommelaar", "<b>Sanne</b> en =Bram(1)", "9 van de 20 kloppen"),
            ],
        ),
        (
            "ja",
            "ここまでの称号",
            [
                ("ハットトリック", "Jan-Willem van der Berg", "3連勝"),
                ("天敵", "Thijs", "<b>Sanne</b>を5回降ろした"),
                ("太鼓名人", "<b>Sanne</b>と=Bram(1)", "ノック20回のうち9回"),
            ],
        ),
    ],
)
def test_a_break_has_the_titles_with_who_bears_them_and_why(
    app: Flask, table: Session, language: str, heading: str, titles: list[tuple[str, str, str]]
) -> None:
    table.history = Past({0: titled(toepen(0))})
    phone = Phone(app.test_client(), language)

    assert told(phone) == titles
    assert f"<h2>{heading}</h2>" in phone.get("/tv/break").text


def test_the_titles_of_an_evening_that_is_over_are_no_longer_so_far(
    app: Flask, table: Session
) -> None:
    evening = titled(toepen(1))
    table.history = Past({1: evening})

    page = Phone(app.test_client(), "en").get("/tv/break").text

    assert not evening.line.runs
    assert re.search(r"<h2>Titles · [^<]*23 November", page)


def test_an_evening_without_titles_says_nothing_of_any(app: Flask, table: Session) -> None:
    table.history = Past({0: replace(toepen(0), titles=())})

    page = Phone(app.test_client(), "en").get("/tv/break")

    assert page.status_code == 200
    assert "itle" not in page.text


def test_a_hundred_screens_in_five_languages_read_the_evening_once(
    app: Flask, table: Session
) -> None:
    table.history = past = Counted({0: titled(toepen(0))})
    phones = [Phone(app.test_client(), each) for each in ("nl", "en", "de", "da", "ja")]

    pages = {phone.get("/tv/break").text for _ in range(20) for phone in phones}

    assert len(pages) == 5
    assert past.asked == 1


def test_whoever_plays_ends_the_break_and_what_follows_is_read_anew(
    app: Flask, table: Session
) -> None:
    table.history = past = Counted({0: titled(toepen(0))})
    phone = Phone(app.test_client())
    assert len(told(phone)) == 3

    phone.do(None, "deal")
    assert phone.get("/tv/break").status_code == 204
    phone.do(None, "undo")
    past.told[0] = toepen(0)
    assert told(phone) == []
    assert past.asked == 2


@pytest.mark.parametrize("page", ["/tv", "/overlay"])
def test_what_happens_before_a_screen_has_opened_its_stream_is_shown(
    app: Flask, table: Session, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    """A busy box begins to follow late; on a screen of the tests a rubber was won unseen."""
    has_happened = threading.Event()
    follow = table.follow

    def late() -> Iterator[Scoreboard | None]:
        assert has_happened.wait(PATIENCE_S)
        yield from follow()

    monkeypatch.setattr(table, "follow", late)
    screen = Phone(app.test_client(), "en")
    screen.get(page)
    for seat in range(3):
        limit = table.scoreboard().rows[seat].limit
        assert limit is not None
        screen.do(seat + 1, "chalk", lives=limit - 1)
    screen.do(None, "deal")
    screen.do(4, "stay")
    screen.do(4, "trick", n=4)
    has_happened.set()

    until(lambda: "moment-" in screen.get(page).text)
