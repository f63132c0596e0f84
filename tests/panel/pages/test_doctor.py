"""The doctor's page: what works, a knock for trial, the test picture, and the report to copy."""

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from kloplei import __version__
from kloplei.config.settings import SlateConfig
from kloplei.diagnostics.doctor import TableDoctor
from kloplei.diagnostics.findings import bad, good, poor
from kloplei.diagnostics.registry import Examination
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.knock import KnockHeard
from kloplei.table.client import TableUnavailable
from kloplei.table.doctor_client import Finding
from kloplei.table.rpc_client import remote_table
from kloplei.table.session import Session
from kloplei_panel import PanelSettings, create_app
from tests.panel.conftest import PIN, Phone, build

FOUND = (
    good("power", "power.good"),
    bad("pad 2", "sensor.held", "do.let-go", part="pad 2"),
    poor("temperature", "temperature.warm", "do.cooler", degrees=74),
    good("versions", "versions.good", kloplei=__version__, python="3", system="", libraries=()),
)


@pytest.fixture
def shown() -> list[float]:
    return []


@pytest.fixture
def doctor(table: Session, shown: list[float]) -> TableDoctor:
    return fitted(table, FOUND, shown)


def fitted(table: Session, found: tuple[Finding, ...], shown: list[float]) -> TableDoctor:
    doctor = TableDoctor(
        table,
        seats=8,
        examination=Examination({"all": lambda: found}),
        show=shown.append,
        slate=SlateConfig(),
        pause=lambda _: None,
    )
    table.doctor = doctor
    return doctor


def text_of(page: str) -> str:
    """Return what a reader sees."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def post(phone: Phone, path: str, **fields: object) -> tuple[int, str]:
    response = phone.client.post(f"/doctor/{path}", data=fields, headers=phone.headers)
    return response.status_code, response.headers.get("Location", "")


@pytest.mark.usefixtures("doctor")
def test_what_is_broken_comes_first_with_its_next_step(phone: Phone) -> None:
    response = phone.get("/doctor")

    states = re.findall(r'<li class="(good|poor|bad)">', response.text)
    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "no-store"
    assert states == sorted(states, key=["bad", "poor", "good"].index)
    assert {"bad", "poor", "good"} <= set(states)
    assert "pad 2 is held down. → Let go of it, or look at its wire." in text_of(response.text)


@pytest.mark.usefixtures("doctor")
@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("nl", "pad 2 wordt ingedrukt"),
        ("en", "pad 2 is held"),
        ("de", "Pad 2 wird gedrückt"),
        ("da", "pad 2 holdes"),
        ("ja", "パッド2が"),
    ],
)
def test_it_speaks_the_readers_language(app: Flask, language: str, says: str) -> None:
    page = Phone(app.test_client(), language).get("/doctor")

    assert says in text_of(page.text)
    assert f'lang="{language}"' in page.text


def test_without_a_table_the_page_opens_and_says_what_it_sees(tmp_path: Path) -> None:
    remote = remote_table(tmp_path / "nobody.sock")
    phone = Phone(create_app(remote, settings=PanelSettings()).test_client())

    page = phone.get("/doctor")

    assert page.status_code == 200
    text = text_of(page.text)
    assert "It does not answer. → Start it: sudo systemctl start kloplei-table" in text
    assert f"Kloplei {__version__}" in text
    assert "Trial knock" not in text


def test_a_table_of_a_version_without_a_doctor_leaves_what_the_panel_sees(phone: Phone) -> None:
    assert "phones follow live" in text_of(phone.get("/doctor").text)


def test_two_versions_are_told_apart(table: Session, phone: Phone) -> None:
    old = good("versions", "versions.good", kloplei="0.0.1", python="3", system="", libraries=())
    fitted(table, (old,), [])

    text = text_of(phone.get("/doctor").text)

    assert f"Phones get Kloplei {__version__}, the table is 0.0.1. → Restart the table" in text


@pytest.mark.usefixtures("doctor")
def test_a_knock_goes_to_the_inbox_of_the_table(
    phone: Phone, table: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which way it goes on from there, tests/diagnostics/test_table_doctor.py tells."""
    heard: list[object] = []
    monkeypatch.setattr(table, "put", heard.append)

    assert post(phone, "knock", seat=2, times=3) == (303, "/doctor?knocked=2#knocks")

    assert [one.seat for one in heard if isinstance(one, KnockHeard)] == [Seat(1)] * 3
    assert "Knocked for seat 2." in text_of(phone.get("/doctor?knocked=2").text)


@pytest.mark.usefixtures("doctor")
@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"seat": 2, "times": 4}, 400),
        ({"seat": 2, "times": 0}, 400),
        ({"seat": 2}, 400),
        ({"seat": 9, "times": 1}, 400),
        ({"seat": "<b>", "times": 1}, 400),
    ],
)
def test_what_nobody_could_knock_is_refused(
    phone: Phone, fields: dict[str, object], status: int
) -> None:
    code, _ = post(phone, "knock", **fields)

    assert code in (status, 404)


@pytest.mark.usefixtures("doctor")
def test_after_the_test_picture_it_asks_what_one_sees_and_says_what_to_set(
    phone: Phone, shown: list[float]
) -> None:
    assert post(phone, "picture") == (303, "/doctor?shown=1#picture")
    asking = phone.get("/doctor?shown=1").text
    answered = text_of(phone.get("/doctor?saw=left-2").text)

    assert len(shown) == 1
    assert "/doctor?saw=left-2#picture" in html.unescape(asking)
    assert 'Set [slate] driver = "sh1106" in the settings' in answered
    assert phone.get("/doctor?saw=stars").status_code == 400


@pytest.mark.parametrize(
    ("method", "path"), [("get", ""), ("post", "/knock"), ("post", "/picture")]
)
@pytest.mark.usefixtures("doctor")
def test_a_viewer_of_a_locked_table_sees_and_does_nothing(
    locked_app: Flask, table: Session, shown: list[float], method: str, path: str
) -> None:
    ask: Callable[..., object] = getattr(locked_app.test_client(), method)

    response = ask(f"/doctor{path}", data={"seat": 1, "times": 1} if path else None)

    assert getattr(response, "status_code", None) == 403
    assert table.scoreboard().heard is None
    assert shown == []


@pytest.mark.usefixtures("doctor")
def test_who_gave_the_pin_sees_it_and_the_pin_is_not_in_it(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())
    phone.client.post("/settings/pair", data={"pin": PIN})

    page = phone.get("/doctor")

    assert page.status_code == 200
    assert PIN not in page.text


@pytest.mark.usefixtures("doctor")
def test_the_report_stands_ready_in_english_without_secrets(table: Session) -> None:
    settings = PanelSettings(pin="8361", secret_key="0f" * 32)
    phone = Phone(build(table, settings).test_client(), "ja")

    page = phone.get("/doctor").text
    report = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)

    assert report is not None
    assert "BAD  pad 2: pad 2 is held down." in report[1]
    assert "8361" not in page
    assert settings.secret_key not in page


class _Silent:
    """A table that fell silent between two questions."""

    def __init__(self, table: Session) -> None:
        self._table = table

    def scoreboard(self) -> Scoreboard:
        return self._table.scoreboard()

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        return self._table.follow(after)

    @property
    def doctor(self) -> TableDoctor:
        raise TableUnavailable("The table does not answer. Look again in a moment.")


def test_a_table_that_falls_silent_meanwhile_is_told(table: Session) -> None:
    app = create_app(_Silent(table), settings=PanelSettings())  # type: ignore[arg-type]

    page = Phone(app.test_client()).get("/doctor")

    assert page.status_code == 200
    assert "It does not answer." in text_of(page.text)
