"""What is rendered is heard: every piece, loud enough, not clipped, always the same, and small."""

import json
import re
import shutil
import subprocess
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from kloplei.voice.calls import Phrasing, Piece, Urgency, Utterance, phrases
from kloplei.voice.clips import RATE_HZ, read_clip
from kloplei.voice.packs import INDEX, SPOKEN_BY, Speech, spelled
from scripts import voices

pytestmark = pytest.mark.skipif(
    not (shutil.which("espeak-ng") and shutil.which("opusenc")),
    reason="clips are rendered by espeak-ng and opusenc: scripts/setup voices",
)
FEW = ("Toep!", "klopt.", "drie", "plek drie")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voices, "phrases", lambda _: FEW)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("language", SPOKEN_BY)
def test_a_pack_has_a_clip_of_each_piece_with_its_licence_beside_it(
    language: str, tmp_path: Path
) -> None:
    voices.main([language, "--to", str(tmp_path)])

    clips = json.loads((tmp_path / language / INDEX).read_text())["clips"]
    assert tuple(clips) == FEW
    licence = (tmp_path / language / "LICENCE.txt").read_text()
    # The program says where its data lie as well: that is the machine's, and was taken for it.
    assert re.search(r"output of eSpeak NG \d[\w.-]+, made by", licence)
    for name in clips.values():
        heard = read_clip(tmp_path / language / name)
        assert 0.15 < len(heard) / RATE_HZ < 2.0
        assert 0.5 < max(map(abs, heard)) / 32767 < 1.0


@pytest.mark.usefixtures("few")
def test_the_same_words_are_the_same_bytes(tmp_path: Path) -> None:
    for once in ("one", "two"):
        voices.main(["nl", "--to", str(tmp_path / once)])

    one, two = (
        {f.name: f.read_bytes() for f in (tmp_path / o / "nl").iterdir()} for o in ("one", "two")
    )
    assert one == two


def test_a_name_is_said_and_a_longer_one_longer(tmp_path: Path) -> None:
    speech = Speech("nl", [tmp_path], shutil.which("espeak-ng"))

    def lasts(name: str) -> int:
        return len(speech.sound(Utterance(((Piece(name),),), Urgency.STAKE)) or ())

    assert 0 < lasts("Bo") < lasts("Maximiliaan")
    assert lasts("--help; rm") > 0  # read out, and no more than that
    assert speech.sound(Phrasing("nl").test()) is not None


@pytest.mark.skipif(find_spec("pyopenjtalk") is None, reason="scripts/setup voices-ja")
@pytest.mark.filterwarnings("ignore:Dictionary.create:DeprecationWarning")  # of its own parts
def test_japanese_is_said_whole_and_read_as_it_is_meant(tmp_path: Path) -> None:
    pyopenjtalk = import_module("pyopenjtalk")

    voices.main(["ja", "--to", str(tmp_path)])

    clips = json.loads((tmp_path / "ja" / INDEX).read_text())["clips"]
    assert tuple(clips) == phrases("ja")
    assert "Mei" in (tmp_path / "ja" / "LICENCE.txt").read_text()
    assert sum(one.stat().st_size for one in (tmp_path / "ja").iterdir()) < 1_000_000
    for name in clips.values():
        assert 0.1 < len(read_clip(tmp_path / "ja" / name)) / RATE_HZ < 8.0
    read = {
        text: pyopenjtalk.g2p(spelled("ja", text), kana=True)
        for text in ("全員降り。", "は降り。", "はあと少し！")
    }
    assert list(read.values()) == ["ゼンインオリ。", "ワ、オリ。", "ワ、アトスコシ！"]
    [long] = (text for text in phrases("ja") if "長押し" in text)
    assert "ナガオシ" in pyopenjtalk.g2p(spelled("ja", long), kana=True)


@pytest.mark.parametrize("language", ["nl", "en", "de", "da"])
def test_a_word_in_capitals_is_read_as_the_same_word(language: str) -> None:
    espeak = shutil.which("espeak-ng")

    def read(text: str) -> str:
        command = [str(espeak), "-v", SPOKEN_BY[language], "-q", "--ipa", "--stdin"]
        told = subprocess.run(
            command, input=spelled(language, text), capture_output=True, text=True, check=True
        )
        return told.stdout.strip()

    assert read("TOEP") == read("Toep")
    assert language != "nl" or read("Eén") == read("één")
