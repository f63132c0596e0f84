"""A house that is its own caller: what it said is kept, goes first, and goes when it has to.

And that somebody hushed the caller is kept.
"""

import errno
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import VOICE, Config, SlateConfig, VoiceConfig
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.journal_file import FORMER
from kloplei.table.messages import Announced, Message
from kloplei.table.voice_client import MOST_CLIP_BYTES, NAMES
from kloplei.unit import TableUnit
from kloplei.voice import clips, recorded
from kloplei.voice.calls import Piece, Urgency, Utterance, phrases
from kloplei.voice.clips import decoded, encoded
from kloplei.voice.packs import INDEX, Speech
from kloplei.voice.recorded import HUSH_FILE, HushSwitch, RecordedVoice
from tests.voice.test_packs import tone, write_pack

CLIP = encoded(tone(300, 0.3))
OTHER = encoded(tone(700, 0.6))
TOEP = phrases("nl")[0]


@pytest.fixture
def voice(tmp_path: Path) -> RecordedVoice:
    return RecordedVoice(tmp_path / "data", "nl")


@pytest.fixture(autouse=True)
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


def files(data: Path, language: str = "nl") -> set[str]:
    return {one.suffix for one in (data / VOICE / language).iterdir()}


def test_what_is_kept_is_there_for_whoever_looks(voice: RecordedVoice, data: Path) -> None:
    voice.keep("nl", TOEP, CLIP)
    voice.keep(NAMES, "Thijs", OTHER)

    stand = RecordedVoice(data).look()
    assert (stand.said["nl"], stand.said[NAMES], stand.said["da"]) == ((TOEP,), ("Thijs",), ())
    assert voice.look().calls == "nl"
    assert voice.clip("nl", TOEP) == CLIP


def test_said_again_it_takes_the_place_of_what_was_said(voice: RecordedVoice, data: Path) -> None:
    voice.keep("nl", TOEP, CLIP)
    voice.keep("nl", TOEP, OTHER)

    assert voice.clip("nl", TOEP) == OTHER
    assert len(list((data / VOICE / "nl").glob("*.opus"))) == 1


def test_what_is_removed_leaves_nothing(voice: RecordedVoice, data: Path) -> None:
    voice.keep("nl", TOEP, CLIP)
    voice.remove("nl", TOEP)
    voice.remove("nl", TOEP)

    assert voice.look().said["nl"] == ()
    assert files(data) == {".json"}
    with pytest.raises(BadRequest, match="Nobody has said"):
        voice.clip("nl", TOEP)


@pytest.mark.parametrize(
    ("language", "text", "clip", "why"),
    [
        ("fr", TOEP, CLIP, "no voice fr"),
        ("../nl", TOEP, CLIP, "no voice"),
        ("nl", "Proost!", CLIP, "never says"),
        (NAMES, " ", CLIP, "1 to"),
        (NAMES, "a" * 60, CLIP, "1 to"),
        ("nl", TOEP, b"", "no recording"),
        ("nl", TOEP, b"OggS", "no recording"),
        ("nl", TOEP, CLIP + bytes(MOST_CLIP_BYTES), "no recording"),
    ],
)
def test_what_cannot_be_said_is_refused_and_nothing_is_kept(
    voice: RecordedVoice, data: Path, language: str, text: str, clip: bytes, why: str
) -> None:
    with pytest.raises(BadRequest, match=why):
        voice.keep(language, text, clip)

    assert not (data / VOICE).exists()


def test_what_names_the_clips_is_damaged_and_no_clip_is_lost(
    voice: RecordedVoice, data: Path
) -> None:
    for text in phrases("nl")[:3]:
        voice.keep("nl", text, encoded(tone(200 + 50 * len(text), 0.3)))
    index = data / VOICE / "nl" / INDEX
    whole = index.read_text()
    index.write_text(whole[:40])

    with pytest.raises(TableUnavailable, match="put a backup back"):
        voice.keep("nl", TOEP, OTHER)
    with pytest.raises(TableUnavailable, match="put a backup back"):
        voice.remove("nl", TOEP)

    index.write_text(whole)
    assert all(voice.clip("nl", text) for text in phrases("nl")[:3])


def test_a_name_that_cannot_be_forgotten_is_told(voice: RecordedVoice, data: Path) -> None:
    voice.keep(NAMES, "Thijs", OTHER)
    (data / VOICE / NAMES / INDEX).write_text("[" * 50_000)

    with pytest.raises(TableUnavailable, match="damaged"):
        voice.forget_names(["Thijs"])


def test_there_is_an_end_to_names(voice: RecordedVoice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "MOST_NAMES", 1)
    voice.keep(NAMES, "Thijs", CLIP)
    voice.keep(NAMES, "Thijs", OTHER)

    with pytest.raises(BadRequest, match="Throw one away"):
        voice.keep(NAMES, "Tame", CLIP)


def test_a_disk_that_takes_nothing_is_told(voice: RecordedVoice, data: Path) -> None:
    (data / VOICE).write_text("in the way")

    with pytest.raises(TableUnavailable, match="cannot be kept"):
        voice.keep("nl", TOEP, CLIP)


def test_without_what_reads_clips_nothing_is_taken(
    voice: RecordedVoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clips, "LIBRARY", "libnobody.so.9")
    clips._library.cache_clear()
    try:
        with pytest.raises(TableUnavailable, match="libsndfile1"):
            voice.keep("nl", TOEP, CLIP)
    finally:
        clips._library.cache_clear()


def saying(text: str, instead: str = "") -> Utterance:
    return Utterance(((Piece(text, instead),),), Urgency.STAKE)


def test_a_caller_that_runs_says_at_once_what_is_new(voice: RecordedVoice, tmp_path: Path) -> None:
    box = write_pack(tmp_path / "box", "nl", plek=500)
    speech = Speech("nl", [voice.folder, box])
    before = speech.sound(saying("Thijs", "plek"))
    voice.keep(NAMES, "Thijs", OTHER)
    named = speech.sound(saying("Thijs", "plek"))
    voice.keep(NAMES, "Thijs", CLIP)

    assert (before, named) == (tone(500), decoded(OTHER))
    assert speech.sound(saying("Thijs", "plek")) == decoded(CLIP)


def test_whoever_is_forgotten_is_not_heard_any_more(data: Path) -> None:
    config = Config(slate=SlateConfig(driver="none"), voice=VoiceConfig(enabled=True))
    with TableUnit(config, data, pin_factory=MockFactory()) as unit:
        table = unit.session
        table.submit(Seat(0), "sit_down", facts={"name": "Thijs"})
        person = table.people.adopt("Thijs")
        table.voice.keep(NAMES, "Thijs", CLIP)
        table.voice.keep(NAMES, "Tame", OTHER)
        (data / FORMER).mkdir()
        RecordedVoice(data / FORMER).keep(NAMES, "Thijs", CLIP)

        table.people.forget(person)

        assert table.voice.look().said[NAMES] == ("Tame",)
        assert table.voice.look().calls == "nl"
    assert RecordedVoice(data / FORMER).look().said[NAMES] == ()


@pytest.mark.parametrize("kept", ["", "[]", '{"quiet": "yes"}', "\x00", "[" * 200_000])
def test_what_is_no_hush_of_ours_silences_nobody(kept: str, tmp_path: Path) -> None:
    file = HushSwitch(tmp_path)
    file.keep(quiet=True)
    was = file.is_quiet()
    (tmp_path / HUSH_FILE).write_text(kept)

    assert was
    assert not file.is_quiet()


def test_who_was_hushed_is_quiet_after_a_power_cut_as_well(tmp_path: Path) -> None:
    config = Config(slate=SlateConfig(driver="none"), voice=VoiceConfig(enabled=True))
    with TableUnit(config, tmp_path, pin_factory=MockFactory()) as unit:
        unit.session.doctor.hush(quiet=True)

    assert HushSwitch(tmp_path).is_quiet()
    with TableUnit(config, tmp_path, pin_factory=MockFactory()) as unit:
        unit.session.doctor.hush(quiet=False)

    assert not HushSwitch(tmp_path).is_quiet()
    # Screens and phones may call where the box itself does not.
    mute = replace(config, voice=VoiceConfig())
    with TableUnit(mute, tmp_path, pin_factory=MockFactory()) as unit:
        unit.session.doctor.hush(quiet=True)
    assert HushSwitch(tmp_path).is_quiet()


def test_a_card_that_takes_no_writes_can_be_told_to_speak_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("kloplei.files.atomic_write", full)
    hushed, told = HushSwitch(tmp_path), list[bool]()
    hushed.silence = told.append
    room = Announcements()

    for _ in range(3):
        hushed.turn(room)
        room.wait()

    assert told == [True, False, True]
    assert [line.key for line in room.lines] == ["show.hushed", "show.speaks", "show.hushed"]


class Announcements:
    """Notes what the table is told to say."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._came = threading.Semaphore(0)

    def put(self, message: Message) -> None:
        assert isinstance(message, Announced)
        self.lines += message.lines
        self._came.release()

    def wait(self) -> None:
        assert self._came.acquire(timeout=20)


def test_a_box_without_a_caller_loads_nothing_that_reads_clips_or_phrases_calls(
    tmp_path: Path,
) -> None:
    start = (
        "import sys; from pathlib import Path; from gpiozero.pins.mock import MockFactory\n"
        "from kloplei.config.settings import Config, SlateConfig\n"
        "from kloplei.unit import TableUnit\n"
        "config = Config(slate=SlateConfig(driver='none'))\n"
        "with TableUnit(config, Path(sys.argv[1]), pin_factory=MockFactory()):\n"
        "    print(*(one for one in sys.modules if one.startswith('kloplei.voice.')))"
    )

    done = subprocess.run(
        [sys.executable, "-c", start, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["kloplei.voice.recorded"]
