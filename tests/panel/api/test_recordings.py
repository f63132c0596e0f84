"""A recording of the table over HTTP, with the table in another process: behind its socket."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from kloplei.recordings.capture import recorder
from kloplei.table.rpc_client import remote_table
from kloplei.table.rpc_server import RpcServer
from kloplei.table.session import Session
from kloplei_panel import PanelSettings, create_app
from kloplei_panel.api.openapi import describe
from tests.capture.recorded import Recorded
from tests.panel.api.test_openapi import assert_fits
from tests.panel.conftest import NAMES, PIN, TEMPLATES, Phone

API = "/api/v1/recordings"


@pytest.fixture
def recorded(table: Session, tmp_path: Path) -> Iterator[Recorded]:
    recorded = Recorded(tmp_path / "recordings")
    table.recordings = recorded.recorder
    yield recorded
    recorded.recorder.close()


@pytest.fixture
def far(table: Session, recorded: Recorded, tmp_path: Path) -> Iterator[Phone]:
    """A phone at a panel that reaches the table through its socket."""
    remote = remote_table(tmp_path / "table.sock")
    with RpcServer(table, tmp_path / "table.sock"):
        app = create_app(remote, settings=PanelSettings(recordings_to="https://example.org/wood"))
        app.jinja_env.bytecode_cache = TEMPLATES
        yield Phone(app.test_client(), "nl")
        remote.close()


def ask(phone: Phone, step: str, **facts: object) -> Any:
    return phone.client.post(API, json={"step": step, **facts}, headers=phone.headers)


def test_a_phone_records_the_table_takes_the_file_along_and_deletes_it(
    far: Phone, recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "CHUNK_BYTES", 10_000)
    document = describe(with_demo=False)
    told: list[Any] = []
    recorded.once(
        lambda it: it.step.name == "seat-2-usual", lambda: told.append(far.get(API).get_json())
    )

    before = far.get(API).get_json()
    begun = ask(far, "begin", walk="short", seats=2)
    recorded.ended()
    after = far.get(API).get_json()
    (kept,) = after["files"]
    answer = far.get(f"{API}/{kept['name']}", buffered=True)
    on_disk = (recorded.folder / kept["name"]).read_bytes()
    deleted = far.client.delete(f"{API}/{kept['name']}")

    for state in (before, begun.get_json(), *told, after, deleted.get_json()):
        assert_fits(document, "RecordingState", state)
    assert (before["state"], before["commands"], before["files"]) == ("idle", ["begin"], [])
    assert before["send_to"] == "https://example.org/wood"
    assert told[0]["text"] == "Plek 2: KLOP, zoals altijd"
    assert (told[0]["seats"], told[0]["number"], told[0]["of"]) == ([2], 3, 5)
    assert after["said"] == "bewaard als table-1.zip: 5 van 5 stappen"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="kloplei-table-1.zip"'
    assert answer.data == on_disk
    assert len(on_disk) > 30_000  # it went over the socket in parts
    assert not any(name.encode() in on_disk for name in NAMES)
    assert len(zipfile.ZipFile(io.BytesIO(answer.data)).namelist()) == 7
    assert deleted.get_json()["files"] == []
    assert list(recorded.folder.iterdir()) == []


def test_a_file_that_is_spoilt_is_told_and_can_be_deleted(far: Phone, recorded: Recorded) -> None:
    recorded.folder.mkdir()
    (recorded.folder / "table-3.zip").write_bytes(b"no zip")

    before = far.get(API).get_json()
    page = far.get("/record").text
    deleted = far.client.delete(f"{API}/table-3.zip").get_json()

    assert_fits(describe(with_demo=False), "RecordingState", before)
    assert [(one["name"], one["spoilt"], "walk" in one) for one in before["files"]] == [
        ("table-3.zip", True, False)
    ]
    assert "Beschadigd en niet meer te lezen; 6" in page
    assert deleted["files"] == []


def test_refusals_are_sentences(far: Phone, recorded: Recorded) -> None:
    recorded.table.plays = True

    refused = ask(far, "begin")
    unknown = [ask(far, "jump"), ask(far, "begin", walk="endless"), ask(far, "begin", seats="two")]
    unknown.append(ask(far, "begin", walk={}))
    gone = [far.get(f"{API}/table-9.zip"), far.client.delete(f"{API}/table-9.zip")]

    assert refused.status_code == 409
    assert refused.get_json()["message"].startswith("Er wordt gespeeld")
    assert [one.status_code for one in (*unknown, ask(far, "stop"))] == [*[400] * 4, 409]
    assert [one.status_code for one in gone] == [404, 404]
    assert recorded.is_taken is False


def test_a_table_without_waves_says_so(phone: Phone) -> None:
    for answer in (phone.get(API), ask(phone, "begin"), phone.get(f"{API}/table-1.zip")):
        assert answer.status_code == 400
        assert "no piezos on a converter" in answer.get_json()["message"]


def test_only_the_keeper_records_and_hears_what_was_recorded(
    locked_app: Flask, recorded: Recorded
) -> None:
    stranger = Phone(locked_app.test_client())
    keeper = Phone(locked_app.test_client())
    keeper.client.post("/settings/pair", data={"pin": PIN})

    asked = [
        stranger.get(API),
        ask(stranger, "begin"),
        stranger.get(f"{API}/table-1.zip"),
        stranger.client.delete(f"{API}/table-1.zip"),
    ]

    assert [one.status_code for one in asked] == [403] * 4
    assert recorded.is_taken is False
    assert keeper.get(API).status_code == 200
