"""`kloplei voice`: phrases by number, files from elsewhere, and a booth in the terminal."""

import wave
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.cli import main
from kloplei.cli.voice import PhraseRecorder, Script
from kloplei.table.voice_client import NAMES
from kloplei.voice.calls import phrases
from kloplei.voice.clips import RATE_HZ, decoded
from kloplei.voice.recorded import RecordedVoice
from tests.voice.test_clips import room, take, word

TEXTS = phrases("nl")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def settings(tmp_path: Path, data: Path) -> Path:
    file = tmp_path / "kloplei.toml"
    file.write_text(f'[table]\ndata = "{data}"\n[socket]\npath = "{tmp_path}/none.sock"\n')
    return file


def written(file: Path, samples: "array[int]") -> Path:
    with wave.open(str(file), "wb") as told:
        told.setparams((1, 2, RATE_HZ, 0, "NONE", ""))
        told.writeframes(samples.tobytes())
    return file


def voice(settings: Path, *words: object) -> int:
    return main(["voice", *map(str, words), "--config", str(settings)])


def test_files_are_taken_in_by_their_number(
    settings: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = written(tmp_path / "001-toep.wav", take(word()))
    third = written(tmp_path / "3.wav", take(word(1.0)))

    assert voice(settings, "add", first, third) == 0
    assert RecordedVoice(data).look().said["nl"] == (TEXTS[0], TEXTS[2])

    capsys.readouterr()
    assert voice(settings, "list") == 0
    told = capsys.readouterr().out
    assert f"   1 * {TEXTS[0]}\n   2   {TEXTS[1]}\n   3 * {TEXTS[2]}\n" in told
    assert f"2 of {len(TEXTS)} are recorded." in told


def test_what_cannot_be_taken_in_is_named_and_the_rest_is(
    settings: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "toep.wav": take(word()),
        "999.wav": take(word()),
        "4.wav": room(1.0),
        "5.wav": take(word()),
    }
    paths = [written(tmp_path / name, samples) for name, samples in files.items()]
    (tmp_path / "6.wav").write_text("no sound")

    assert voice(settings, "add", *paths, tmp_path / "6.wav", tmp_path / "7.wav") == 1

    said = capsys.readouterr().out
    for why in ("begin with a number", "no number 999", "Nothing is to be heard", "no WAV"):
        assert why in said
    assert "7.wav: cannot be read (No such file" in said
    assert RecordedVoice(data).look().said["nl"] == (TEXTS[4],)


def test_a_player_is_called_as_he_calls_himself(
    settings: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path / "me.wav", take(word()))

    assert voice(settings, "add", file, "--name", "Thijs") == 0
    assert voice(settings, "list") == 0
    assert "Names: Thijs." in capsys.readouterr().out

    assert voice(settings, "remove", "--name", "Thijs") == 0
    assert RecordedVoice(data).look().said[NAMES] == ()
    assert voice(settings, "remove", "--name", "Thijs") == 0
    assert "Nothing was recorded" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("remove",), "NUMBER"),
        (("remove", "0"), "no number 0"),
        (("record",), "run it in a terminal"),
        (("add", "a.wav", "b.wav", "--name", "Thijs"), "one FILE"),
        (("add", "a.wav", "--language", "fr"), "no choice 'fr'"),
    ],
)
def test_what_makes_no_sense_is_told_and_changes_nothing(
    settings: Path,
    data: Path,
    words: tuple[str, ...],
    why: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        code = voice(settings, *words)
    except SystemExit as error:
        code = int(str(error.code))

    assert code == 2
    assert why in capsys.readouterr().err
    assert list(data.iterdir()) == []


class Microphone:
    """Gives a take in blocks, of 32 bits and two channels as some cards do."""

    def __init__(self, samples: "array[int]", keys: "Pressed") -> None:
        self.rate_hz, self.channels = RATE_HZ, 2
        self._left, self._keys = samples, keys

    def read(self) -> "array[int]":
        block, self._left = self._left[:4800], self._left[4800:]
        if not self._left:
            self._keys.press("\n")
        return array("i", [value for one in block for value in (one << 16, 0)])

    def close(self) -> None:
        self._keys.closed += 1


class Pressed:
    """Keys in the order they are pressed; what a microphone presses comes first."""

    def __init__(self, keys: str) -> None:
        self._next = iter(keys)
        self._pressed: list[str] = []
        self.closed = 0

    def press(self, key: str) -> None:
        self._pressed.append(key)

    def key(self, within_s: float) -> str | None:
        if self._pressed:
            return self._pressed.pop(0)
        return next(self._next, "") if within_s else None


class Room:
    def __init__(self) -> None:
        self.played: list[array[int]] = []

    def play(self, samples: "array[int]", rate_hz: int, stop: object) -> None:
        self.played.append(samples)


def booth(
    data: Path, keys: str, takes: "Iterator[array[int]]"
) -> tuple[PhraseRecorder, Room, list[str], Pressed]:
    pressed, speaker, told = Pressed(keys), Room(), list[str]()
    made = PhraseRecorder(
        RecordedVoice(data),
        Script("nl", TEXTS),
        lambda: Microphone(next(takes), pressed),
        speaker,
        pressed,  # type: ignore[arg-type]
        told.append,
    )
    return made, speaker, told, pressed


def test_a_booth_leads_through_takes_and_lets_a_bad_one_be_said_again(data: Path) -> None:
    takes = iter([take(word()), room(1.0), take(word(1.0)), take(word(0.3)), take(word())])
    made, speaker, told, keys = booth(data, "\np\n\nb\n\n", takes)

    assert made.lead(TEXTS[:3]) == 3

    assert RecordedVoice(data).look().said["nl"] == TEXTS[:3]
    assert len(speaker.played) == 1
    assert any("Nothing is to be heard" in line for line in told)
    assert f"\n[2/{len(TEXTS)}]  {TEXTS[1]}" in told
    assert keys.closed == 5


def test_whoever_ends_it_keeps_what_was_said(data: Path) -> None:
    made, _, _, _ = booth(data, "\nq", iter([take(word(0.7))]))

    assert made.lead(TEXTS[:5]) == 1
    kept = decoded(RecordedVoice(data).clip("nl", TEXTS[0]))
    assert len(kept) / RATE_HZ == pytest.approx(0.88, abs=0.1)
