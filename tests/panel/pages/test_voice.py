"""The page on which a house says itself what its caller says."""

import time
import wave
from array import array
from io import BytesIO
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from kloplei.games.game import Seat
from kloplei.table.session import Session
from kloplei.table.voice_client import NAMES
from kloplei.voice.calls import phrases
from kloplei.voice.clips import RATE_HZ, decoded
from kloplei.voice.recorded import RecordedVoice
from kloplei_panel import PanelSettings
from tests.panel.conftest import Phone, build
from tests.voice.test_clips import room, take, word
from tests.voice.test_recorded import CLIP

TEXTS = phrases("nl")
KEPT = {"language": "nl", "n": "1"}
NAME = {"language": NAMES, "n": "2"}


def as_wav(samples: "array[int]") -> bytes:
    file = BytesIO()
    with wave.open(file, "wb") as written:
        written.setparams((1, 2, RATE_HZ, 0, "NONE", ""))
        written.writeframes(samples.tobytes())
    return file.getvalue()


TAKE = as_wav(take(word()))


@pytest.fixture
def voice(table: Session, tmp_path: Path) -> RecordedVoice:
    table.voice = voice = RecordedVoice(tmp_path, "nl")
    return voice


def say(phone: Phone, clip: bytes | None = TAKE, form: dict[str, str] = KEPT) -> TestResponse:
    sent = {} if clip is None else {"clip": (BytesIO(clip), "take.m4a")}
    return phone.client.post(
        "/voice/keep",
        data={**form, **sent},
        headers=phone.headers,
        content_type="multipart/form-data",
    )


def seated(app: Flask, seat: Seat) -> Phone:
    """Return a phone that somebody at the table has knocked for."""
    phone = Phone(app.test_client())
    with phone.client.session_transaction() as kept, app.app_context():
        mark = app.extensions["kloplei"].pairing._mark()
        kept.update(may=seat.shown, until=int(time.time()) + 3600, mark=mark, who="Tame")
    return phone


def test_a_phrase_is_said_and_the_next_one_is_asked_for(phone: Phone, voice: RecordedVoice) -> None:
    assert f'lang="nl">{TEXTS[0]}</h2>' in phone.get("/voice").text

    answer = say(phone)

    assert answer.status_code == 303
    page = phone.get(answer.headers["Location"]).text
    assert f'lang="nl">{TEXTS[1]}</h2>' in page
    assert "/voice/nl/1.wav" in page
    assert voice.look().said["nl"] == (TEXTS[0],)


def test_what_was_said_can_be_heard_and_thrown_away(phone: Phone, voice: RecordedVoice) -> None:
    say(phone)

    heard = phone.get("/voice/nl/1.wav")
    with wave.open(BytesIO(heard.data)) as read:
        assert read.getnframes() == len(decoded(voice.clip("nl", TEXTS[0])))
    gone = phone.client.post("/voice/remove", data=KEPT)

    assert gone.status_code == 303
    assert voice.look().said["nl"] == ()
    assert phone.get("/voice/nl/1.wav").status_code == 404


def test_a_whole_language_is_led_through_to_its_end(phone: Phone, voice: RecordedVoice) -> None:
    where = "/voice"
    for text in TEXTS:
        page = phone.get(where).text
        number = TEXTS.index(text) + 1
        assert f'name="n" value="{number}"' in page
        where = say(phone, form={"language": "nl", "n": str(number)}).headers["Location"]

    assert set(voice.look().said["nl"]) == set(TEXTS)
    assert f"{len(TEXTS)} recorded" in phone.get(where).text


@pytest.mark.parametrize(
    ("clip", "status", "why"),
    [
        (None, 400, "cannot be read"),
        (b"", 400, "cannot be read"),
        (b"\x00\x00\x00\x18ftypM4A and so on", 400, "cannot be read"),
        (as_wav(room(1.0)), 400, "Nothing is to be heard"),
        (bytes(500_000), 413, "eight seconds"),
    ],
)
def test_what_is_no_clip_is_refused_in_words(
    phone: Phone, voice: RecordedVoice, clip: bytes | None, status: int, why: str
) -> None:
    answer = say(phone, clip)

    assert answer.status_code == status
    assert why in answer.text
    assert voice.look().said["nl"] == ()


def test_eight_seconds_of_plain_samples_go_through(phone: Phone, voice: RecordedVoice) -> None:
    answer = say(phone, as_wav(take(*[word()] * 14, before_s=0.3, after_s=0.3)))

    assert answer.status_code == 303


@pytest.mark.parametrize(
    "form",
    [
        {"language": "nl", "n": "0"},
        {"language": "nl", "n": "9999"},
        {"language": "fr", "n": "1"},
        {"language": "../nl", "n": "1"},
        {"language": NAMES, "n": "5"},
        {"language": "nl"},
        {"n": "1"},
        {"language": "nl", "n": "-1"},
    ],
)
def test_what_nobody_says_is_refused(
    phone: Phone, voice: RecordedVoice, form: dict[str, str]
) -> None:
    assert say(phone, form=form).status_code in (400, 404)


def test_a_player_says_his_own_name_and_no_more(
    table: Session, locked_app: Flask, voice: RecordedVoice
) -> None:
    mine, viewer = seated(locked_app, Seat(1)), Phone(locked_app.test_client())

    assert say(mine, form=NAME).status_code == 303
    assert voice.look().said[NAMES] == ("Tame",)
    page = mine.get("/voice").text
    assert "2 · Tame" in page
    assert "1 · Thijs" not in page
    assert TEXTS[0] not in page
    for form in ({"language": NAMES, "n": "1"}, KEPT):
        assert say(mine, form=form).status_code == 403
    assert mine.client.post("/voice/remove", data={"name": "Tame"}).status_code == 403
    assert viewer.get("/voice").status_code == 403
    assert say(viewer, form=NAME).status_code == 403
    assert viewer.get("/voice/names/2.wav").status_code == 403


def test_the_keeper_throws_names_away_of_who_has_left(phone: Phone, voice: RecordedVoice) -> None:
    voice.keep(NAMES, "Zonder <plek>", CLIP)
    assert "Zonder &lt;plek&gt;" in phone.get("/voice").text

    phone.client.post("/voice/remove", data={"name": "Zonder <plek>"})

    assert voice.look().said[NAMES] == ()


def test_whoever_has_a_lent_name_says_none(table: Session, voice: RecordedVoice) -> None:
    phone = Phone(build(table, PanelSettings()).test_client())
    table.submit(Seat(4), "sit_down", facts={})

    assert say(phone, form={"language": NAMES, "n": "5"}).status_code == 404
