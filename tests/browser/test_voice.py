"""A phone that lends its recorder: its browser decodes, and the box cuts and keeps."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from kloplei.table.session import Session
from kloplei.table.voice_client import NAMES
from kloplei.voice.calls import phrases
from kloplei.voice.clips import RATE_HZ, decoded, encoded
from kloplei.voice.recorded import RecordedVoice
from tests.browser.conftest import House, Visitors, picture
from tests.browser.test_looks import inaccessible, outside, too_small
from tests.voice.test_clips import room, take, word

pytestmark = pytest.mark.browser
TEXTS = phrases("nl")


@pytest.fixture
def voice(house: House, tmp_path: Path) -> RecordedVoice:
    assert isinstance(house.demo.client, Session)
    house.demo.client.voice = voice = RecordedVoice(tmp_path, "nl")
    return voice


def test_what_a_phone_recorded_is_sent_as_what_the_box_reads(
    house: House, visitors: Visitors, voice: RecordedVoice, tmp_path: Path
) -> None:
    file = tmp_path / "recorder.opus"
    file.write_bytes(encoded(take(word(0.8), before_s=1.5, after_s=1.5)))
    page = visitors.open("/voice?lang=nl&language=nl")
    expect(page.locator("#phrase")).to_have_text(TEXTS[0])

    page.locator("#clip-nl-1").set_input_files(file)

    expect(page.locator("#phrase")).to_have_text(TEXTS[1])
    kept = decoded(voice.clip("nl", TEXTS[0]))
    assert len(kept) / RATE_HZ == pytest.approx(0.98, abs=0.1)
    picture(page, "voice")
    assert outside(page) + too_small(page) == []
    assert inaccessible(page) == []


def test_what_cannot_be_is_said_and_nothing_is_lost(
    house: House, visitors: Visitors, voice: RecordedVoice, tmp_path: Path
) -> None:
    page = visitors.open("/voice?lang=nl&language=nl")
    told = page.locator(".to-say .told")
    (tmp_path / "note.txt").write_text("geen geluid")
    page.locator("#clip-nl-1").set_input_files(tmp_path / "note.txt")
    expect(told).to_contain_text("niet te lezen")

    (tmp_path / "long.opus").write_bytes(encoded(take(*[word()] * 17, before_s=0.3)))
    page.locator("#clip-nl-1").set_input_files(tmp_path / "long.opus")
    expect(told).to_contain_text("acht seconden")

    (tmp_path / "still.opus").write_bytes(encoded(room(1.0)))
    with page.expect_response("**/voice/keep"):
        page.locator("#clip-nl-1").set_input_files(tmp_path / "still.opus")
    expect(page.get_by_role("alert")).to_contain_text("niets te horen")
    visitors.complaints.clear()
    assert voice.look().said["nl"] == ()


def test_a_name_is_said_on_a_small_phone(
    house: House, visitors: Visitors, voice: RecordedVoice, tmp_path: Path
) -> None:
    (tmp_path / "me.opus").write_bytes(encoded(take(word())))
    page = visitors.open("/voice?lang=ja", 320, 640)

    page.locator("#clip-names-2").set_input_files(tmp_path / "me.opus")

    expect(page.locator("#name-2 audio")).to_be_visible()
    assert voice.look().said[NAMES] == (house.demo.client.scoreboard().rows[1].name,)
    assert outside(page) + too_small(page) == []
