"""Tuning the table from a phone: the page for people, with and without JavaScript, and the API."""

import errno
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from kloplei.config.settings import AdcConfig, AudioConfig, Config, TableConfig
from kloplei.games.game import Seat
from kloplei.review import calibrations
from kloplei.review.tuning import wood_setup_of
from kloplei.table.messages import PartFailed
from kloplei.table.session import Session
from kloplei.words.catalogue import LANGUAGES, Sentence
from kloplei_panel.api.openapi import describe
from tests.knock.lessons import PADS, THREE, edge, stroke
from tests.panel.api.test_openapi import assert_fits
from tests.panel.conftest import PIN, Phone
from tests.review.evening import Evening

API = "/api/v1/tune"


@pytest.fixture
def evening(table: Session, tmp_path: Path) -> Iterator[Evening]:
    evening = Evening(tmp_path, table=table)
    table.ears = evening.ears
    yield evening
    evening.tuning.close()


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return describe(with_demo=False)


def press(phone: Phone, step: str, **fields: object) -> tuple[int, str]:
    """Press a button of the page; return the status and what is seen then."""
    response = phone.client.post(
        "/tune/step", data={"step": step, **fields}, headers=phone.headers, follow_redirects=True
    )
    return response.status_code, response.text


def ask(phone: Phone, step: str, **facts: object) -> Any:
    return phone.client.post(API, json={"step": step, **facts}, headers=phone.headers)


def buttons(page: str) -> list[str]:
    return re.findall(r'name="step" value="(\w+)"', page)


def test_the_settings_lead_there(phone: Phone, evening: Evening) -> None:
    assert 'href="/tune"' in phone.get("/settings").text


def test_a_table_that_nobody_tuned_can_be_tuned(phone: Phone, evening: Evening) -> None:
    page = phone.get("/tune").text

    assert "Nobody has tuned this table yet" in page
    assert buttons(page) == ["begin"]


def test_a_part_that_does_not_work_is_named_where_the_table_is_tuned(
    phone: Phone, table: Session, evening: Evening
) -> None:
    """Whoever tuned while the sound card was pulled out knocked on, and nothing was counted."""
    press(phone, "begin")
    table.put(PartFailed("piezos", Sentence("sound-card-gone", error="No such device")))
    table.submit(Seat(0), "rename", facts={"name": "Matthijs"})  # the inbox is read in order

    assert "The sound card is gone" in phone.get("/tune/now").text


def test_one_thing_is_asked_for_at_a_time(phone: Phone, evening: Evening) -> None:
    _, quiet = press(phone, "begin", seats="3")
    evening.wait(6.0)
    glass = phone.get("/tune").text

    assert "hands off the table" in quiet
    assert "Set a glass down" in glass
    assert buttons(glass) == ["next", "skip", "redo", "quit"]
    assert '<li class="here" aria-current="step">glass</li>' in glass


def test_the_page_says_who_is_to_knock_and_how_far_it_is(phone: Phone, evening: Evening) -> None:
    press(phone, "begin")
    evening.wait(6.0)
    press(phone, "skip")
    press(phone, "skip")
    evening.wait(1.5).hear(stroke(0.0), stroke(0.0))

    page = phone.get("/tune/now").text

    assert "Thijs: knock 5 times" in page
    assert page.count('class="done"') == 2
    assert '<meter min="0" max="100" value="' in page
    assert "<html" not in page


def test_a_hint_says_what_was_wrong(phone: Phone, evening: Evening) -> None:
    press(phone, "begin")
    evening.wait(3.0).wait(1.0, peak=0.1)

    assert "Something buzzes. A phone?" in phone.get("/tune").text


def test_after_the_knocks_of_pads_a_glass_is_asked_for_beside_each(
    phone: Phone, table: Session, tmp_path: Path
) -> None:
    evening = Evening(tmp_path, PADS, table=table)
    table.ears = evening.ears
    press(phone, "begin")
    for seat in THREE:
        evening.now_s += 1.5
        evening.hear(*(replace(edge(0.0, seat), rang_s=0.0235),) * 5)

    page = phone.get("/tune").text
    for _ in THREE:
        press(phone, "next")
    evening.tuning.work_out()

    assert "put a glass down beside your pad 3 times" in page
    way = re.findall(r'<li class="(\w*)"[^>]*>(\w+)</li>', page)
    assert way == [("past", "knocks"), ("here", "glass"), ("", "result")]
    assert "is set well: all knocks count" in phone.get("/tune").text
    evening.tuning.close()


def test_the_result_is_told_in_plain_words_and_saved_on_demand(
    phone: Phone, evening: Evening, tmp_path: Path
) -> None:
    evening.to_the_result()

    page = phone.get("/tune").text
    nothing_yet = list(tmp_path.iterdir())
    _, after = press(phone, "save")

    assert "dB above the silence: good." in page
    assert "hear the table with +8 dB" in page
    assert nothing_yet == []
    assert "a tuning with +8 dB" in after
    assert buttons(after) == ["begin", "back"]


def test_a_result_can_be_thrown_away(phone: Phone, evening: Evening, tmp_path: Path) -> None:
    evening.to_the_result()

    _, page = press(phone, "quit")

    assert "Nobody has tuned this table yet" in page
    assert list(tmp_path.iterdir()) == []


def test_a_seat_can_knock_again(phone: Phone, evening: Evening) -> None:
    evening.to_the_result()

    _, page = press(phone, "redo", seat="2")

    assert "Tame: knock 5 times" in page


def test_the_tuning_before_comes_back(phone: Phone, evening: Evening) -> None:
    evening.to_the_result()
    press(phone, "save")

    _, page = press(phone, "back")

    assert "Nobody has tuned this table yet" in page


def test_a_pad_is_told_to_feel_no_loudness(table: Session, phone: Phone, tmp_path: Path) -> None:
    evening = Evening(tmp_path, PADS, table)
    table.ears = evening.ears
    press(phone, "begin")
    asked = phone.get("/tune").text
    for seat in THREE:
        evening.now_s += 1.5
        evening.hear(*(edge(0.0, seat),) * 5)
    evening.tuning.work_out()

    result = phone.get("/tune").text

    assert "only feels that something struck" in asked
    assert "<meter" not in asked
    assert "save" not in buttons(result)
    evening.tuning.close()


def test_a_table_without_sensors_says_so(phone: Phone) -> None:
    page = phone.get("/tune")

    assert page.status_code == 200
    assert "no sensor that can be tuned" in page.text
    assert phone.get(API).status_code == 400


def test_the_slate_page_says_that_the_table_is_tuned(
    phone: Phone, evening: Evening, table: Session
) -> None:
    before = phone.get("/").text
    press(phone, "begin")
    table.log(1)  # the tuning tells the table by its inbox, which is read in order

    assert "being tuned" not in before
    assert "The table is being tuned; knocks do not play." in phone.get("/").text


def test_a_step_at_the_wrong_time_is_refused_in_words(phone: Phone, evening: Evening) -> None:
    status, page = press(phone, "save")

    assert status == 409
    assert "Nobody is tuning the table. Begin first." in page


@pytest.mark.parametrize(
    ("step", "fields"),
    [
        ("jump", {}),
        ("", {}),
        ("begin", {"seats": "four"}),
        ("begin", {"seats": "9" * 40}),
        ("redo", {"seat": "-1"}),
    ],
)
def test_what_cannot_be_understood_is_told(
    phone: Phone, evening: Evening, step: str, fields: dict[str, str]
) -> None:
    assert press(phone, step, **fields)[0] == 400


def test_a_disk_that_takes_nothing_is_told_and_nothing_is_lost(
    phone: Phone, evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    evening.to_the_result()
    monkeypatch.setattr(calibrations, "atomic_write", no_room)

    status, page = press(phone, "save")

    assert status == 503
    assert "could not be written down" in page
    assert "save" in buttons(page)


def test_a_locked_panel_lets_only_the_keeper_tune(locked_app: Flask, evening: Evening) -> None:
    phone = Phone(locked_app.test_client())
    evening.do("begin")

    page = phone.get("/tune", headers={"Accept": "text/html"})

    assert page.status_code == 403
    assert "hands off the table" not in page.text
    assert buttons(page.text) == []
    assert 'name="pin"' in page.text
    assert press(phone, "quit")[0] == 403
    assert ask(phone, "quit").status_code == 403
    phone.client.post("/settings/pair", data={"pin": PIN})
    assert press(phone, "quit")[0] == 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_words_for_all_of_it(
    app: Flask, evening: Evening, language: str
) -> None:
    phone = Phone(app.test_client(), language)
    pages = [phone.get("/tune").text, press(phone, "begin")[1], phone.get("/").text]
    evening.do("quit")
    evening.to_the_result()
    pages.append(phone.get("/tune").text)

    text = re.sub(r"<[^>]*>", "", " ".join(pages))

    assert re.findall(r"\b(?:tune|tuning|page)\.[a-z-]+", text) == []


# For programs


def test_the_api_tells_each_step_as_described(
    phone: Phone, evening: Evening, document: dict[str, Any]
) -> None:
    answers = [phone.get(API), ask(phone, "begin", seats=3)]
    evening.wait(3.0).wait(0.1, peak=0.3)
    answers.append(phone.get(API))
    evening.wait(6.0)
    answers += [ask(phone, "skip"), ask(phone, "skip"), ask(phone, "quit")]
    evening.to_the_result()
    answers += [phone.get(API), ask(phone, "save")]

    for answer in answers:
        assert answer.status_code == 200
        assert_fits(document, "TuneState", answer.get_json())
    assert [one.get_json()["step"] for one in answers] == [
        "idle", "quiet", "quiet", "phone", "knocks", "idle", "result", "idle",
    ]  # fmt: skip
    assert answers[2].get_json()["hint"] == "Somebody knocked. Once more, quiet."
    assert answers[4].get_json()["seat"] == 1


def test_the_api_speaks_of_seats_from_one_on(phone: Phone, evening: Evening) -> None:
    evening.to_the_result()

    state = ask(phone, "redo", seat=3).get_json()

    assert (state["seat"], evening.do("look").seat) == (3, Seat(2))
    assert [one["seat"] for one in state["seats"]] == [1, 2, 3]


def test_what_the_api_cannot_understand_is_told(
    phone: Phone, evening: Evening, document: dict[str, Any]
) -> None:
    answers = [
        ask(phone, "jump"),
        ask(phone, "begin", seats=0),
        ask(phone, "redo", seat="3"),
        phone.client.post(API, json={"step": 3}),
        phone.client.post(API, data="begin"),
        ask(phone, "save"),
        ask(phone, "redo", seat=99),
    ]

    assert [one.status_code for one in answers] == [400, 400, 400, 400, 415, 409, 404]
    for one in answers:
        assert_fits(document, "Problem", one.get_json())


@pytest.fixture
def corners(table: Session, tmp_path: Path) -> Iterator[Evening]:
    config = Config(table=TableConfig(seats=4), adc=AdcConfig(enabled=True, corners=(0, 1, 2, 3)))
    evening = Evening(tmp_path, table=table, wood=wood_setup_of(replace(config, seats=())))
    table.ears = evening.ears
    yield evening
    evening.tuning.close()


def test_the_drawing_names_the_channels_that_the_settings_name(
    phone: Phone, table: Session, tmp_path: Path
) -> None:
    """On the last inputs of an interface it said 0 to 3, where the doctor says 4 to 7."""
    audio = AudioConfig(enabled=True, corners=(4, 5, 6, 7))
    config = Config(table=TableConfig(seats=4), audio=audio, seats=())
    evening = Evening(tmp_path, table=table, wood=wood_setup_of(config))
    table.ears = evening.ears

    page = phone.get("/tune/wood").text
    evening.tuning.close()

    drawing = page[page.index("<svg class=") : page.index("</svg>")]
    discs = re.findall(r'class="disc"><circle [^>]*/><text [^>]*>(\d)</text>', drawing)
    assert discs == ["4", "5", "6", "7"]


MEASURED = {"shape": "rectangular", "length": "140", "width": "80,5", "top": "planks"}
PLACES = {"seats": "4", "discs": "corners"}


def tell_wood(phone: Phone, **fields: str) -> tuple[int, str]:
    response = phone.client.post(
        "/tune/wood", data=fields, headers=phone.headers, follow_redirects=True
    )
    return response.status_code, response.text


def test_where_all_is_may_be_said_in_place_of_knocks(phone: Phone, corners: Evening) -> None:
    assert "First choice, without a knock" in phone.get("/tune").text
    assert 'name="length"' in phone.get("/tune/wood").text

    status, page = tell_wood(phone, **MEASURED, **PLACES)

    assert (status, "First choice" in page) == (200, False)
    assert "1.4 x 0.805 m, piezos in the corners, 4 seats" in page
    drawing = page[page.index("<svg class=") : page.index("</svg>")]
    counts = [drawing.count(f'class="{one}"') for one in ("seat", "disc", "grain")]
    assert counts == [4, 4, 5]
    assert corners.shelf.calibration.wood is not None


def test_a_round_table_is_drawn_round(phone: Phone, corners: Evening) -> None:
    _, page = tell_wood(phone, shape="round", length="110", width="", top="plate", **PLACES)

    assert '<circle class="edge"' in page


def test_what_is_no_table_is_refused_on_the_page_itself(phone: Phone, corners: Evening) -> None:
    status, page = tell_wood(phone, shape="round", length="wide", top="plate", **PLACES)

    assert status == 400
    assert "is no size of a table" in page
    assert "openapi" not in page, "that is of use to programs alone"
    assert corners.shelf.calibration.wood is None


HOSTILE = (
    "",
    "-1",
    "nan",
    "1e308",
    "9" * 400,
    "１４０",
    "<b>",
    "\0",
    "0.1x0.1," * 900,
    "1x1" * 9000,
)


@pytest.mark.parametrize("field", ["shape", "length", "width", "top", "seats", "discs"])
def test_whatever_is_posted_as_a_table_top_is_no_fault_and_no_tuning(
    phone: Phone, corners: Evening, tmp_path: Path, field: str
) -> None:
    for value in HOSTILE:
        status, page = tell_wood(phone, **(MEASURED | PLACES | {field: value}))

        assert status in (200, 400, 409, 413)
        assert "<b>" not in page
        if status != 200:
            assert list(tmp_path.glob("tuning*")) == []
            assert phone.get("/tune/wood").status_code == 200
        for kept in tmp_path.glob("tuning*"):
            kept.unlink()


@pytest.mark.parametrize("field", ["size", "top", "discs", "seats", "seat", "step", "facts"])
def test_whatever_a_program_posts_as_a_step_is_no_fault(
    phone: Phone, corners: Evening, field: str
) -> None:
    wood = {"step": "wood", "seats": 4, "size": "1.4x0.8", "top": "plate", "discs": "corners"}
    for value in (None, True, -1, 1.5, 10**40, [], {}, [1], {"a": 1}, "\ud800", *HOSTILE):
        for step in ("wood", "begin", "redo"):
            answer = phone.client.post(
                API, json=wood | {"step": step} | {field: value}, headers=phone.headers
            )

            assert answer.status_code < 500
    assert phone.client.get(API).status_code == 200


def test_what_was_typed_stands_there_still_when_it_is_refused(
    phone: Phone, corners: Evening
) -> None:
    typed = {"shape": "round", "length": "wide", "width": "7", "top": "planks", "seats": "3"}

    _, page = tell_wood(phone, **typed, discs="own", spots='0.1x"')

    assert re.findall(r'<input name="\w+"[^>]* value="([^"]*)"', page) == ["wide", "7", "0.1x&#34;"]
    assert re.findall(r'value="(\w+)" checked', page) == ["round", "planks", "own"]
    assert "<option selected>3</option>" in page


def test_a_table_whose_top_tells_nothing_leads_back(phone: Phone, evening: Evening) -> None:
    """The page of a top that is not asked about could not be drawn."""
    status, page = tell_wood(phone, **MEASURED, **PLACES)

    assert (status, 'name="length"' in page) == (200, False)


def test_what_is_only_drawn_is_not_kept(phone: Phone, corners: Evening) -> None:
    status, page = tell_wood(phone, **{**MEASURED, "top": "plate"}, **PLACES, draw="1")

    drawing = page[page.index("<svg class=") : page.index("</svg>")]
    assert (status, 'viewBox="-4 -4 148.0 94.5"' in drawing) == (200, True)
    assert 'class="grain"' not in drawing
    assert 'value="140"' in page, "what was typed stands there still"
    assert corners.shelf.calibration.wood is None


def test_places_of_ones_own_have_to_be_said(phone: Phone, corners: Evening) -> None:
    status, page = tell_wood(phone, **MEASURED, seats="4", discs="own", spots=" ")

    assert (status, "names no places" in page) == (400, True)
    assert corners.shelf.calibration.wood is None


def test_what_was_said_can_be_taken_back(phone: Phone, corners: Evening) -> None:
    tell_wood(phone, **MEASURED, **PLACES)
    assert 'name="forget"' in phone.get("/tune/wood").text

    tell_wood(phone, **MEASURED, **PLACES, forget="1")

    assert corners.shelf.calibration.wood is None


def test_the_api_says_and_tells_the_table_top(
    phone: Phone, corners: Evening, document: dict[str, Any]
) -> None:
    answer = ask(phone, "wood", size="1.1", seats=4, discs="corners")

    assert_fits(document, "TuneState", answer.get_json())
    told = answer.get_json()["wood"]
    assert (told["told"], told["is_round"], len(told["places"])) == ("table", True, 4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_the_table_top_speaks_every_language(
    phone: Phone, corners: Evening, language: str
) -> None:
    page = phone.get(f"/tune/wood?lang={language}").text

    assert "wood." not in re.sub(r"<[^>]*>", "", page)
