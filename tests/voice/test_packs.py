"""Packs: where a piece has its sound from, and what is done without one."""

import io
import json
import math
import shutil
import subprocess
import wave
from array import array
from itertools import pairwise
from pathlib import Path

import pytest

from kloplei.voice import clips
from kloplei.voice.calls import Piece, Urgency, Utterance
from kloplei.voice.clips import (
    BREATH_S,
    PEAK,
    RATE_HZ,
    NoVoice,
    as_wav,
    at_rate,
    levelled,
    read_clip,
)
from kloplei.voice.packs import INDEX, Speech, speech_in, spoken_by_espeak


def tone(hz: float, for_s: float = 0.2, rate_hz: int = RATE_HZ, loud: float = 0.5) -> "array[int]":
    step = 2 * math.pi * hz / rate_hz
    samples = (int(32767 * loud * math.sin(step * at)) for at in range(round(for_s * rate_hz)))
    return array("h", samples)


def write_pack(folder: Path, language: str, **hz: float) -> Path:
    """Write a pack into *folder* in which each text is a tone; return *folder*."""
    home = folder / language
    home.mkdir(parents=True)
    for text, pitch in hz.items():
        with wave.open(str(home / f"{text}.wav"), "wb") as file:
            file.setparams((1, 2, RATE_HZ, 0, "NONE", ""))
            file.writeframes(tone(pitch).tobytes())
    clips = {text: f"{text}.wav" for text in hz}
    index = {"language": language, "made_by": "a whistle", "clips": clips}
    (home / INDEX).write_text(json.dumps(index))
    return folder


def utterance(*wordings: tuple[Piece, ...]) -> Utterance:
    return Utterance(wordings, Urgency.STAKE)


def test_pieces_are_said_one_behind_the_other_with_a_breath_between(tmp_path: Path) -> None:
    speech = Speech("nl", [write_pack(tmp_path, "nl", toep=400, drie=600)])

    said = speech.sound(utterance((Piece("toep"), Piece("drie"))))

    breath = array("h", bytes(2 * round(BREATH_S * RATE_HZ)))
    assert said == tone(400) + breath + tone(600)


def test_the_first_wording_that_can_be_said_is_taken(tmp_path: Path) -> None:
    speech = Speech("nl", [write_pack(tmp_path, "nl", drie=600)])

    assert speech.sound(utterance((Piece("toep"), Piece("drie")), (Piece("drie"),))) == tone(600)
    assert speech.sound(utterance((Piece("toep"),))) is None


def test_a_name_that_nobody_says_is_called_by_its_seat(tmp_path: Path) -> None:
    speech = Speech("nl", [write_pack(tmp_path, "nl", plek=500)])

    assert speech.sound(utterance((Piece("Thijs", "plek"),))) == tone(500)


def test_a_house_goes_before_the_pack_of_the_box(tmp_path: Path) -> None:
    house = write_pack(tmp_path / "house", "nl", drie=300)
    box = write_pack(tmp_path / "box", "nl", drie=600, vier=700)
    speech = Speech("nl", [house, box])

    assert speech.sound(utterance((Piece("drie"),))) == tone(300)
    assert speech.sound(utterance((Piece("vier"),))) == tone(700)


def test_a_language_without_a_voice_is_called_in_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    write_pack(tmp_path, "en", three=600)

    assert speech_in("da", [tmp_path]).language == "en"
    assert "da" in caplog.text
    with pytest.raises(NoVoice, match="make voices"):
        speech_in("da", [tmp_path / "nowhere"])


@pytest.mark.parametrize("index", ["", "[]", '{"language": "nl"}', "{", "\x00"])
def test_a_damaged_index_is_an_empty_pack(tmp_path: Path, index: str) -> None:
    (tmp_path / "nl").mkdir()
    (tmp_path / "nl" / INDEX).write_text(index)

    assert not Speech("nl", [tmp_path]).can_speak


def test_an_index_names_nothing_outside_its_folder(tmp_path: Path) -> None:
    write_pack(tmp_path, "nl", drie=600)
    index = {"language": "nl", "made_by": "", "clips": {"drie": "../nl/drie.wav"}}
    (tmp_path / "nl" / INDEX).write_text(json.dumps(index))

    assert Speech("nl", [tmp_path]).sound(utterance((Piece("drie"),))) is None


def test_a_clip_that_is_none_is_done_without(tmp_path: Path) -> None:
    write_pack(tmp_path, "nl", drie=600)
    (tmp_path / "nl/drie.wav").write_bytes(b"RIFF and no more")

    assert Speech("nl", [tmp_path]).sound(utterance((Piece("drie", "vier"),))) is None


def test_what_a_busy_box_failed_to_say_once_is_said_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = io.BytesIO(as_wav(tone(300)))
    tries = iter((subprocess.TimeoutExpired("espeak-ng", 5), file.getvalue()))

    def run(command: list[str], **_: object) -> "subprocess.CompletedProcess[bytes]":
        came = next(tries)
        if isinstance(came, Exception):
            raise came
        return subprocess.CompletedProcess(command, 0, came)

    monkeypatch.setattr(subprocess, "run", run)

    said = [spoken_by_espeak("espeak-ng", "nl", "Wilhelmus") for _ in range(3)]

    assert said[0] is None
    assert said[1]
    assert said[2] is said[1]  # and no third time


def test_without_what_reads_clips_it_is_said_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clips, "LIBRARY", "libnobody.so.9")
    clips._library.cache_clear()
    try:
        with pytest.raises(NoVoice, match="libsndfile1"):
            read_clip(tmp_path / "one.opus")
    finally:
        clips._library.cache_clear()


def test_clips_of_another_rate_keep_their_pitch_and_their_length(tmp_path: Path) -> None:
    there = at_rate(tone(300, 1.0, 22_050), 22_050)

    crossings = sum(1 for a, b in pairwise(there) if a < 0 <= b)
    assert len(there) == pytest.approx(RATE_HZ, abs=3)
    assert crossings == pytest.approx(300, abs=2)


def test_a_take_is_cut_to_what_is_said_and_made_as_loud_as_all() -> None:
    silence = array("h", bytes(2 * RATE_HZ))

    cut = levelled(silence + tone(400, 0.3, loud=0.1) + silence, RATE_HZ)

    assert cut is not None
    assert len(cut) / RATE_HZ == pytest.approx(0.345, abs=0.01)
    assert max(cut) == pytest.approx(PEAK * 32767, rel=0.01)
    assert levelled(silence, RATE_HZ) is None
