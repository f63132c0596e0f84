"""Where the sound of each piece comes from: packs of clips, and names that a machine says.

A pack is a folder with ``pack.json`` (`PackIndex`), which names the clip of each text, beside the
clips and the licence of the voice. They are rendered with the package (`scripts.voices`), about
300 kB a language. A `Speech` looks through several folders, the first of which wins, and asks
espeak-ng for what none of them has: names above all.
"""

import io
import json
import logging
import shutil
import subprocess
import wave
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from kloplei.files import KlopleiError, UnreadableFile, read_limited
from kloplei.frozen import dataclass
from kloplei.table.schema import load
from kloplei.table.voice_client import NAMES
from kloplei.voice.calls import Piece, Utterance
from kloplei.voice.clips import NoVoice, Samples, joined, levelled, read_clip
from kloplei.words import Sentence

INDEX: Final = "pack.json"
PACKS: Final = Path(__file__).parent / "packs"
SPOKEN_BY: Final = {"nl": "nl", "en": "en-gb", "de": "de", "da": "da"}
"""What espeak-ng calls the voice of a language; it reads no Japanese."""
_SPELLED: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "Toepkoning": "Toopkoaning", "toepkoning": "toopkoaning", "Toep": "Toop", "TOEP": "Toop",
        "Armoede": "Armooda", "Gestrichen": "Gurshtrikken", "Tout": "Too",
    },
    "de": {
        "Toepkoning": "Tuhpkoning", "toepkoning": "tuhpkoning", "Toep": "Tup", "TOEP": "Tup",
        "Armoede": "Armude", "Tout": "Tuh",
    },
    "da": {
        "Toepkoning": "Toopkoning", "toepkoning": "toopkoning", "Toep": "Toop", "TOEP": "Toop",
        "Armoede": "Armude", "Tout": "Tu", "Kloplei": "Kloplaj", "Schlag": "Schlak",
    },
    "nl": {"Tout": "Toe", "Eén": "één"},
    "ja": {
        "全員降り。": "全員おり。", "は降り。": "わ、おり。", "はあと": "わ、あと",
        "長押し": "ながおし",
    },
}  # fmt: skip
"""Words of another language, as espeak-ng has to read them; and what Open JTalk reads otherwise."""
FALLBACK: Final = "en"
_MOST_BYTES = 100_000
_SAID_WITHIN_S = 5.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PackIndex:
    """What is in a pack: *clips* names the file of each text; *made_by* is whose voice it is."""

    language: str
    made_by: str
    clips: Mapping[str, str]


class DamagedPack(KlopleiError, ValueError):
    """What names the clips of a pack cannot be read; the message says where and why."""


class Pack:
    """The clips in *folder*, as they are there now: a house records while its table runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stamp: tuple[int, int] | None = None
        self._clips: Mapping[str, str] = {}

    @property
    def clips(self) -> Mapping[str, str]:
        """The name of the file in which each text is said."""
        try:
            found = (self.folder / INDEX).stat()
        except OSError:
            self._stamp, self._clips = None, {}
        else:
            if (stamp := (found.st_mtime_ns, found.st_ino)) != self._stamp:
                self._stamp, self._clips = stamp, self._index()
        return self._clips

    def clip(self, text: str) -> Path | None:
        """Return the file in which *text* is said; None where there is none."""
        name = self.clips.get(text)
        return None if name is None else self.folder / name

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said by it."""
        return not self.clips

    def sound(self, text: str) -> "Samples[int] | None":
        """Return how *text* sounds; None where it has no clip, or one that cannot be read."""
        file = self.clip(text)
        try:
            return None if file is None else read_clip(file)
        except OSError as error:
            logger.warning("%s", error)
            return None

    def _index(self) -> Mapping[str, str]:
        try:
            return clips_named_in(self.folder)
        except DamagedPack as error:
            logger.warning("%s", error)
            return {}


def clips_named_in(folder: Path) -> Mapping[str, str]:
    """Return the name of the file in *folder* in which each text is said, by its index.

    Raises:
        DamagedPack: There is no index that can be read.
    """
    file = folder / INDEX
    try:
        told = json.loads(read_limited(file, _MOST_BYTES, "for a voice"))
        clips = load(PackIndex, told).clips
    except (UnreadableFile, ValueError, RecursionError) as error:
        raise DamagedPack(f"{file}: {error}") from error
    return {text: name for text, name in clips.items() if Path(name).name == name}


class ClipSource(Protocol):
    """What has the sound of some texts: a `Pack`, or the clips of a house elsewhere."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said by it."""
        ...

    def sound(self, text: str) -> "Samples[int] | None":
        """Return how *text* sounds; None where it does not say it."""
        ...


class Speech:
    """Finds the sound of utterances in one language.

    Args:
        language: In which it speaks.
        folders: Folders of packs, each with one of that language in it, and one of `NAMES`; the
            first one that has a clip is taken.
        espeak: The program that says what no pack has; None where it is not installed.
        own: What goes before all folders.
    """

    def __init__(
        self,
        language: str,
        folders: Sequence[Path] = (PACKS,),
        espeak: str | None = None,
        own: Sequence[ClipSource] = (),
    ) -> None:
        self.language = language
        packs = [Pack(folder / kind) for kind in (language, NAMES) for folder in folders]
        self._sources: tuple[ClipSource, ...] = (*own, *packs)
        self._espeak = espeak if language in SPOKEN_BY else None

    @property
    def can_speak(self) -> bool:
        """Whether it has anything to say."""
        return self._espeak is not None or not all(one.is_empty for one in self._sources)

    def sound(self, utterance: Utterance) -> "Samples[int] | None":
        """Return the first wording of *utterance* of which every piece has a sound, as that.

        Raises:
            NoVoice: Nothing reads clips here.
        """
        for wording in utterance.wordings:
            parts = [self._piece(piece) for piece in wording]
            if parts and all(part is not None for part in parts):
                return joined([part for part in parts if part is not None])
        return None

    def _piece(self, piece: Piece) -> "Samples[int] | None":
        for source in self._sources:
            if (sound := source.sound(piece.text)) is not None:
                return sound
        if self._espeak is not None and (
            said := spoken_by_espeak(self._espeak, self.language, piece.text)
        ):
            return said
        return self._piece(Piece(piece.instead)) if piece.instead else None


def speech_in(
    language: str, folders: Sequence[Path] = (PACKS,), own: Sequence[ClipSource] = ()
) -> Speech:
    """Return who speaks *language* here, or else English; *own* is of that language.

    Raises:
        NoVoice: Nobody does.
    """
    espeak = shutil.which("espeak-ng")
    for one in dict.fromkeys((language, FALLBACK)):
        speech = Speech(one, folders, espeak, own if one == language else ())
        if speech.can_speak:
            if one != language:
                logger.warning("no voice speaks %s here: it is English instead", language)
            return speech
    raise NoVoice(Sentence("no-voice", language=language))


def spoken_by_espeak(espeak: str, language: str, text: str) -> "Samples[int] | None":
    """Return *text* as espeak-ng says it, as loud as clips are; None where it does not."""
    try:
        return _rendered(espeak, language, text)
    except (OSError, subprocess.SubprocessError, wave.Error, EOFError) as error:
        logger.warning("espeak-ng does not say %r: %s", text, error)
        return None


@lru_cache(maxsize=64)  # the names of an evening; what failed is tried again
def _rendered(espeak: str, language: str, text: str) -> "Samples[int] | None":
    command = [espeak, "-v", SPOKEN_BY[language], *ESPEAK_MANNER, "--stdin", "--stdout"]
    # A name is never part of the command, whatever somebody calls themselves.
    told = subprocess.run(  # noqa: S603
        command,
        input=spelled(language, text).encode(),
        capture_output=True,
        timeout=_SAID_WITHIN_S,
        check=True,
    ).stdout
    return levelled(*_of_wave(told))


def spelled(language: str, text: str) -> str:
    """Return *text* as a program has to be given it that is to say it well."""
    for word, respelled in _SPELLED.get(language, {}).items():
        text = text.replace(word, respelled)
    return text


ESPEAK_MANNER: Final = ("-s", "160", "-p", "42", "-a", "100")
"""Words a minute, pitch and loudness: calm, so that a figure is understood across a table."""


def _of_wave(told: bytes) -> "tuple[Samples[int], int]":
    # Of what it writes into a pipe it does not know the length beforehand, and says too much.
    with wave.open(io.BytesIO(told)) as read:
        return array("h", read.readframes(read.getnframes())), read.getframerate()
