"""Recording the table from a phone: the page for people, with and without JavaScript."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.games.scoreboard import Line, Tuning
from kloplei.table.messages import TuningShown
from kloplei.table.recordings_client import HELD_BY
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from tests.capture.recorded import Recorded
from tests.panel.conftest import Phone, build


@pytest.fixture
def recorded(table: Session, tmp_path: Path) -> Iterator[Recorded]:
    recorded = Recorded(tmp_path / "recordings")
    table.recordings = recorded.recorder
    yield recorded
    recorded.recorder.close()


def press(phone: Phone, **fields: str) -> tuple[int, str]:
    answer = phone.client.post(
        "/record/step", data=fields, headers=phone.headers, follow_redirects=True
    )
    return answer.status_code, answer.text


def buttons(page: str) -> list[str]:
    return re.findall(r'name="(?:step|walk)" value="(\w+)"', page)


def test_it_is_reached_from_the_settings_and_from_the_tuning(
    phone: Phone, recorded: Recorded, table: Session
) -> None:
    assert 'href="/record"' in phone.get("/settings").text
    table.put(TuningShown(Tuning("record", Line("tuning.record"))))
    table.log(1)

    assert '<a href="/record">The table is being recorded' in phone.get("/").text


@pytest.mark.parametrize("language", ["nl", "ja"])
def test_the_page_leads_through_it_in_the_language_of_the_phone(
    table: Session, recorded: Recorded, language: str
) -> None:
    phone = Phone(build(table, PanelSettings()).test_client(), language)
    seen: list[str] = []

    def look() -> None:
        seen.extend(phone.get(path).text for path in ("/record", "/record/now"))
        recorded.recorder.step("stop")

    recorded.once(lambda it: it.step.name == "seat-1-usual" and it.beats_done == 2, look)

    idle = phone.get("/record").text
    status, _ = press(phone, walk="short", seats="1")
    recorded.ended()
    after = phone.get("/record").text

    assert buttons(idle) == ["short", "long"]
    assert status == 200
    assert buttons(seen[0]) == ["again", "skip", "seat", "stop"]
    assert seen[1].count('class="done"') == 2
    assert "data-in-ms=" in seen[1]
    assert "<html" not in seen[1]
    assert "table-1.zip" in after
    assert "rec." not in re.sub(r"<[^>]*>", "", idle + seen[0] + after)


def test_what_holds_the_discs_is_a_choice_that_nobody_has_to_make(
    phone: Phone, recorded: Recorded
) -> None:
    recorded.once(lambda it: it.step.name != "silence", lambda: recorded.recorder.step("stop"))
    page = phone.get("/record").text

    press(phone, walk="short", seats="1", held_by="tape")
    recorded.ended()

    chosen = page.split('name="held_by"', 1)[1].split("</select>")[0]
    assert tuple(re.findall(r'value="(\w+)"', chosen)) == HELD_BY
    assert re.findall(r'value="(\w+)" selected', chosen) == ["unknown"]
    with recorded.file("table-1.zip") as packed:
        assert b'"held_by": "tape"' in packed.read("labels.json")


def test_a_file_is_downloaded_and_deleted_on_the_page(phone: Phone, recorded: Recorded) -> None:
    recorded.once(lambda it: it.step.name != "silence", lambda: recorded.recorder.step("stop"))
    recorded.record(seats=1)
    page = phone.get("/record").text

    (link,) = re.findall(r'href="(/api/v1/recordings/[^"]+)" download', page)
    assert phone.get(link, buffered=True).data.startswith(b"PK")
    deleted = [phone.client.post("/record/delete", data={"name": "table-1.zip"}) for _ in range(2)]
    assert [one.status_code for one in deleted] == [303, 404]
    assert "None yet" in phone.get("/record").text


def test_while_people_play_the_page_says_what_to_do_first(phone: Phone, recorded: Recorded) -> None:
    recorded.table.plays = True

    page = phone.get("/record").text
    status, refused = press(phone, walk="short", seats="1")

    assert buttons(page) == []
    assert "Begin a new evening first" in page
    assert 'href="/?seat=keeper"' in page
    assert (status, recorded.is_taken) == (409, False)
    assert "Begin a new evening first" in refused


@pytest.mark.parametrize(
    ("send_to", "shown"),
    [
        ("", "Nothing is sent by itself."),
        ("https://example.org/wood", '<a href="https://example.org/wood" rel="noreferrer">'),
        ("mailto:wood@example.org", '<a href="mailto:wood@example.org" rel="noreferrer">wood@'),
        ("the shop in Nes", "<b>the shop in Nes</b>"),
        ("javascript:alert(1)", "<b>javascript:alert(1)</b>"),
    ],
)
def test_where_it_may_go_says_the_distributor_and_nobody_else(
    table: Session, recorded: Recorded, send_to: str, shown: str
) -> None:
    phone = Phone(build(table, PanelSettings(recordings_to=send_to)).test_client())

    assert shown in phone.get("/record").text


def test_a_table_without_waves_says_so(phone: Phone) -> None:
    page = phone.get("/record")

    assert page.status_code == 200
    assert "There is nothing to record at this table" in page.text
    assert press(phone, walk="short", seats="1")[0] == 400
