"""Render the packs of clips of `kloplei.voice`: ``make voices``, and before a package is built.

    python -m scripts.voices [--to FOLDER] [LANGUAGE ...]

espeak-ng says each piece, Open JTalk those of Japanese; silence is cut off it, all are brought to
one loudness, and opusenc makes Opus of them. The same words, program and version give the same
bytes. The licence that stands beside a pack says whose voice it is.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import wave
from array import array
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from kloplei.files import atomic_write
from kloplei.voice.calls import phrases
from kloplei.voice.clips import RATE_HZ, levelled
from kloplei.voice.packs import INDEX, PACKS, SPOKEN_BY, spelled, spoken_by_espeak

BITRATE_KBPS = 24
"""Speech of one voice sounds the same above it; a word takes two kilobytes."""
_LICENCE = """The clips in this folder are the output of {engine}, made by scripts/voices.py out of
firmware/kloplei/words/{language}/LC_MESSAGES/voice.po. {terms}
"""
_ESPEAK_TERMS = (
    "eSpeak NG is free software under the GNU General Public\n"
    "License, version 3 or later (https://github.com/espeak-ng/espeak-ng); nothing of the program\n"
    "or of its data is in here, and its licence does not reach what it says. The words are\n"
    "Kloplei's, under the MIT license."
)
_MEI_TERMS = (
    'It speaks with the HTS voice "Mei", Copyright (c) 2009-2013 Nagoya Institute of Technology,\n'
    "Department of Computer Science, released by the MMDAgent Project Team\n"
    "(http://www.mmdagent.jp/) under the Creative Commons Attribution 3.0 license\n"
    "(https://creativecommons.org/licenses/by/3.0/). It is cut here, and brought to one loudness.\n"
    "Open JTalk is free software under the Modified BSD license. The words are Kloplei's, under\n"
    "the MIT license."
)
Say = Callable[[str], "array[int] | None"]


def render(language: str, folder: Path, say: Say, made_by: str, terms: str) -> int:
    """Write the pack of *language* into *folder* and return how many bytes its clips take.

    Raises:
        SystemExit: A piece cannot be said.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    clips: dict[str, str] = {}
    for number, text in enumerate(phrases(language)):
        samples = say(text)
        if samples is None:
            sys.exit(f"voices: {made_by} makes no sound of {text!r} ({language}).")
        clips[text] = f"{number:03}.opus"
        encode(samples, folder / clips[text])
    index = {"language": language, "made_by": made_by, "clips": clips}
    atomic_write(folder / INDEX, json.dumps(index, ensure_ascii=False, indent=1).encode())
    licence = _LICENCE.format(engine=made_by, language=language, terms=terms)
    atomic_write(folder / "LICENCE.txt", licence.encode())
    return sum(one.stat().st_size for one in folder.glob("*.opus"))


def encode(samples: "array[int]", file: Path) -> None:
    """Write *samples*, 16 bits of one channel at `RATE_HZ`, as Opus into *file*."""
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "clip.wav"
        with wave.open(str(plain), "wb") as written:
            written.setparams((1, 2, RATE_HZ, len(samples), "NONE", ""))
            written.writeframes(samples.tobytes())
        # A serial number and no padding of its own: the same clip is the same file.
        command = ["opusenc", "--quiet", "--serial", "1", "--padding", "0", "--discard-comments"]
        command += ["--bitrate", str(BITRATE_KBPS), "--vbr", "--framesize", "20"]
        subprocess.run([*command, str(plain), str(file)], check=True)  # noqa: S603


def espeak(language: str) -> tuple[Say, str, str]:
    """Return who says a piece in *language*, which program that is, and on which terms."""
    program = shutil.which("espeak-ng")
    if program is None:
        sys.exit("voices: espeak-ng is not installed. Set it up with: scripts/setup voices")
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)  # noqa: S603
    # Behind its version it says where its data lie, which is nobody's business.
    number = re.search(r"\d+\.[\w.-]+", told.stdout.partition("Data at")[0])
    return (
        lambda text: spoken_by_espeak(program, language, text),
        f"eSpeak NG {number.group()}" if number else "eSpeak NG",
        _ESPEAK_TERMS,
    )


def open_jtalk(language: str) -> tuple[Say, str, str]:
    """Return the same for Japanese, of whose letters espeak-ng reads none."""
    try:
        engine = import_module("pyopenjtalk")
    except ImportError:
        sys.exit("voices: Open JTalk is not installed. Set it up with: scripts/setup voices-ja")

    def say(text: str) -> "array[int] | None":
        wave_of, rate_hz = engine.tts(spelled(language, text))
        loudest = max(1.0, float(abs(wave_of).max()))  # it may be more than 16 bits hold
        return levelled(array("h", (30_000 / loudest * wave_of).astype("int16").tobytes()), rate_hz)

    return say, f"Open JTalk (pyopenjtalk-plus {version('pyopenjtalk-plus')})", _MEI_TERMS


ENGINES: Mapping[str, Callable[[str], tuple[Say, str, str]]] = {
    **dict.fromkeys(SPOKEN_BY, espeak),
    "ja": open_jtalk,
}
"""Who renders each language."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Render packs, and say how large they are."""
    parser = argparse.ArgumentParser(prog="scripts.voices", description=__doc__.splitlines()[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", default=list(ENGINES))
    parser.add_argument("--to", type=Path, default=PACKS, help="folder of the packs")
    asked = parser.parse_args(arguments)
    for language in asked.languages:
        if language not in ENGINES:
            parser.error(f"{language} is none of {', '.join(ENGINES)}")
        size = render(language, asked.to / language, *ENGINES[language](language))
        print(f"{language}: {len(phrases(language))} clips, {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
