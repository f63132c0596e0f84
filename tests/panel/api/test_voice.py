"""What is called out, for screens and phones: phrased for each reader, made once, and hushed."""

import shutil
import threading
import wave
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from flask import Flask
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import Config, SlateConfig
from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei.table.voice_client import NAMES, VoiceStand
from kloplei.unit import TableUnit
from kloplei.voice import packs
from kloplei.voice.calls import Piece, Urgency, Utterance, phrases
from kloplei.voice.clips import BREATH_S, RATE_HZ, decoded
from kloplei.voice.recorded import RecordedVoice
from kloplei_panel import PanelSettings
from kloplei_panel.api.voice import CallSounds
from kloplei_panel.context import Panel
from tests.panel.conftest import NAMES as PLAYERS
from tests.panel.conftest import Phone, build
from tests.until import until
from tests.voice.test_recorded import CLIP, OTHER


@pytest.fixture
def voice(table: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordedVoice:
    """A house that has said all of Dutch, and what Thijs is called; nobody else speaks."""
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(packs, "PACKS", tmp_path / "none")
    table.voice = voice = RecordedVoice(tmp_path, "nl")
    for text in phrases("nl"):
        voice.keep("nl", text, CLIP)
    voice.keep(NAMES, PLAYERS[0], OTHER)
    return voice


@pytest.fixture
def followed(app: Flask, table: Session) -> Flask:
    """A panel that follows the table, as it does once anybody looks on."""
    parts: Panel = app.extensions["kloplei"]
    parts.feed.begin()
    until(lambda: parts.feed.newest[0] is not None)
    return app


def reader_of(app: Flask, language: str = "nl") -> Phone:
    return Phone(app.test_client(), language)


def calls(phone: Phone, after: int = 0) -> list[dict[str, object]]:
    found: list[dict[str, object]] = phone.get(f"/api/v1/calls?after={after}").json["calls"]  # type: ignore[index]
    return found


def toep(phone: Phone) -> dict[str, object]:
    """Let seat 1 toep, and return the call of it."""
    phone.do(None, "deal")
    phone.do(1, "knock")

    def called() -> dict[str, object] | None:
        return next((one for one in calls(phone) if one.get("stake") == 2), None)

    until(lambda: called() is not None)
    found = called()
    assert found is not None
    return found


def test_a_toep_is_called_in_the_language_of_whoever_listens(
    followed: Flask, voice: RecordedVoice
) -> None:
    here, there = reader_of(followed), reader_of(followed, "de")

    mine = toep(here)

    theirs = [one for one in calls(there) if one["number"] == mine["number"]]
    assert str(mine["text"]).endswith(("twee", "Twee!", "twee!", "Twee."))
    assert mine["urgency"] == 0
    assert theirs[0]["text"] != mine["text"]


def test_who_asks_for_calls_alone_hears_them_though_nobody_looks_on(
    app: Flask, voice: RecordedVoice
) -> None:
    """A program that polled heard nothing until a phone had opened its page."""
    phone, parts = reader_of(app), app.extensions["kloplei"]

    assert calls(phone) == []
    until(lambda: parts.feed.newest[0] is not None)

    assert toep(phone)["stake"] == 2


def test_what_is_heard_is_what_the_house_said_and_made_once(
    followed: Flask, voice: RecordedVoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = reader_of(followed)
    call = toep(phone)
    first = phone.get(str(call["sound"]))

    monkeypatch.setattr(RecordedVoice, "clip", lambda *_: pytest.fail("asked for a second time"))
    again = reader_of(followed).get(str(call["sound"]))

    assert (first.status_code, first.mimetype, again.data) == (200, "audio/wav", first.data)
    with wave.open(BytesIO(first.data)) as read:
        said = read.getnframes() / RATE_HZ
    # Of pieces of one length, with a breath between: as many as its wording has, one his name.
    clip, name = (len(decoded(one)) / RATE_HZ for one in (CLIP, OTHER))
    lasts = [n * clip + (n - 1) * BREATH_S + named for n in (1, 2, 3) for named in (0, name - clip)]
    assert min(abs(said - one) for one in lasts) < 0.001


def test_whoever_has_heard_it_is_not_told_again(followed: Flask, voice: RecordedVoice) -> None:
    phone = reader_of(followed)
    toep(phone)
    last = phone.get("/api/v1/calls").json["last"]  # type: ignore[index]

    assert calls(phone, last) == []


@pytest.mark.parametrize("path", ["999999/0.nl", "1/99.nl", "1/0.fr", "1/0.", "x/0.nl"])
def test_what_was_never_called_has_no_sound(
    followed: Flask, voice: RecordedVoice, path: str
) -> None:
    toep(reader_of(followed))

    assert reader_of(followed).get(f"/api/v1/calls/{path}.wav").status_code == 404


def test_a_language_that_nobody_speaks_is_told_and_not_heard(
    followed: Flask, voice: RecordedVoice
) -> None:
    toep(reader_of(followed))
    call = calls(reader_of(followed, "da"))[0]

    assert call["text"]
    assert reader_of(followed).get(str(call["sound"])).status_code == 404


def test_a_hush_is_that_of_screens_as_well(tmp_path: Path) -> None:
    config = Config(slate=SlateConfig(driver="none"))
    with TableUnit(config, tmp_path, pin_factory=MockFactory()) as unit:
        phone = Phone(build(unit.session, PanelSettings()).test_client())

        told = phone.client.post("/api/v1/hush", json={"quiet": True})

        assert (told.status_code, told.json) == (200, {"status": "done"})
        assert unit.session.voice.look().quiet
        phone.client.post("/api/v1/hush", json={"quiet": False})
        assert not unit.session.voice.look().quiet


def test_while_it_is_hushed_screens_and_phones_are_told_with_each_call(
    followed: Flask, table: Session, voice: RecordedVoice, tmp_path: Path
) -> None:
    table.voice = RecordedVoice(tmp_path, "nl", lambda: True)
    toep(reader_of(followed))

    assert reader_of(followed).get("/api/v1/calls").json["quiet"] is True  # type: ignore[index]


def test_however_many_listen_the_table_is_asked_once(
    followed: Flask, voice: RecordedVoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [100.0]
    monkeypatch.setattr("kloplei_panel.api.voice.time.monotonic", lambda: now_s[0])
    toep(reader_of(followed))
    now_s[0] += 1
    asked: list[RecordedVoice] = []
    look = RecordedVoice.look

    def counted(self: RecordedVoice) -> VoiceStand:
        asked.append(self)
        return look(self)

    monkeypatch.setattr(RecordedVoice, "look", counted)

    for _ in range(12):
        assert calls(reader_of(followed))

    assert len(asked) == 1


def test_what_is_made_already_waits_for_nothing_that_is_being_made(
    voice: RecordedVoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    sounds, goes_on, began = CallSounds(voice), threading.Event(), threading.Event()
    ready = Utterance(((Piece(phrases("nl")[0]),),), Urgency.ANSWER)
    first = sounds.wav((1, 0, "nl"), ready)
    read = RecordedVoice.clip

    def slowly(self: RecordedVoice, language: str, text: str) -> bytes:
        began.set()
        assert goes_on.wait(20)
        return read(self, language, text)

    monkeypatch.setattr(RecordedVoice, "clip", slowly)
    with ThreadPoolExecutor(2) as threads:
        made = [threads.submit(sounds.wav, (2, 0, "nl"), ready) for _ in range(2)]
        assert began.wait(20)
        again = sounds.wav((1, 0, "nl"), ready)
        goes_on.set()

    assert again is first is not None
    assert made[0].result() is made[1].result() is not None


def test_only_the_keeper_hushes(locked_app: Flask, table: Session) -> None:
    assert (
        Phone(locked_app.test_client())
        .client.post("/api/v1/hush", json={"quiet": True})
        .status_code
        == 403
    )


def test_before_a_hand_nothing_is_called(followed: Flask, voice: RecordedVoice) -> None:
    told = reader_of(followed).get("/api/v1/calls").json

    assert told == {"last": 0, "quiet": False, "calls": []}
    assert Seat(0) in followed.extensions["kloplei"].feed.newest[0].names
