"""The caller: `kloplei hush`, and `kloplei voice`, which records it phrase by phrase.

A keeper's phone does the same (docs/voice.md). What a house says itself is kept in the folder of
the box; a table that runs says it from its next call on.
"""

import argparse
import contextlib
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from kloplei.cli.terminal import (
    Keys,
    WrongOption,
    add_config,
    load_config,
    say,
    single_keys,
    sound_device,
)
from kloplei.files import KlopleiError, UnreadableFile, read_limited
from kloplei.words.catalogue import LANGUAGES

if TYPE_CHECKING:
    from kloplei.config.settings import Config
    from kloplei.devices.audio import CapturePcm
    from kloplei.replay.commands import Subparsers
    from kloplei.table.voice_client import VoiceClient
    from kloplei.voice.caller import AudioOutput

_MOST_FILE_BYTES = 20_000_000  # a dozen seconds of a studio, at 192 kHz, 32 bits and two channels
_RATE_HZ, _BITS = 48_000, 16  # asked of a microphone; what it has instead is taken as well
_FOR_EVER_S = 3600.0
_NUMBERED = re.compile(r"(\d{1,4})(?!\d)")
_KEYS: Final = "Enter records, and Enter ends it; p plays the last one, b goes back to it, s skips."


class NotRecorded(KlopleiError, ValueError):
    """It cannot be recorded so; the sentence says why, and what to do."""


def register(commands: "Subparsers") -> None:
    """Add ``voice`` and ``hush`` to the command line."""
    _register_hush(commands)
    voice = commands.add_parser(
        "voice",
        description="Let the house be its own caller: record what it says, phrase by phrase. The "
        "table may go on (docs/voice.md).",
    )
    steps = voice.add_subparsers(title="what to do", required=True, metavar="DO")
    listed = steps.add_parser(
        "list",
        help="what the caller says, with numbers",
        description="List what the caller says, with numbers; * is what the house has recorded.",
    )
    listed.set_defaults(run=list_phrases)
    record = steps.add_parser(
        "record",
        help="lead somebody with a good voice through it",
        description=f"Lead somebody through what is not recorded yet, at a microphone. {_KEYS} "
        "Each is cut to what is said and brought to one loudness, and kept at once.",
    )
    record.add_argument("--all", action="store_true", help="also what is recorded already")
    record.add_argument(
        "--device",
        type=sound_device,
        metavar="NAME",
        help="the microphone, by ALSA's name (that of [audio])",
    )
    record.set_defaults(run=record_phrases)
    add = steps.add_parser(
        "add",
        help="take in what was recorded elsewhere",
        description="Take in files that begin with the number of what they say: 001-toep.wav. "
        "Each is cut to what is said and brought to one loudness.",
    )
    add.add_argument("files", nargs="+", type=Path, metavar="FILE", help="WAV, FLAC, Ogg or MP3")
    add.set_defaults(run=add_files)
    remove = steps.add_parser(
        "remove",
        help="throw recordings away",
        description="Throw recordings away; the voice of the package is heard again.",
    )
    remove.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="of what they say")
    remove.add_argument("--all", action="store_true", help="all of the language")
    remove.set_defaults(run=remove_phrases)
    for step in (record, add, remove):
        step.add_argument("--name", help="not a phrase, but what a player is called")
    for step in (listed, record, add, remove):
        step.add_argument(
            "--language", choices=tuple(LANGUAGES), help="of the caller (as in the settings)"
        )
        add_config(step)


def _register_hush(commands: "Subparsers") -> None:
    hush = commands.add_parser(
        "hush",
        description="Let the caller of the table that runs be quiet at once, until it is told "
        "otherwise (docs/voice.md).",
    )
    hush.add_argument("--off", action="store_true", help="let it speak again")
    add_config(hush)
    hush.set_defaults(run=hush_caller)


def hush_caller(arguments: argparse.Namespace) -> int:
    """Let the caller be quiet, or speak again."""
    from kloplei.table.rpc_client import remote_table

    with contextlib.closing(remote_table(load_config(arguments.config).socket.path)) as table:
        table.doctor.hush(quiet=not arguments.off)
    print(
        "The caller speaks again." if arguments.off else "The caller is quiet until told otherwise."
    )
    return 0


class Script(NamedTuple):
    """What is to be said: *texts* in a *language*, or names where that is `NAMES`."""

    language: str
    texts: tuple[str, ...]

    def text(self, number: int) -> str:
        """Return the text with that *number*.

        Raises:
            NotRecorded: There is none.
        """
        if not 1 <= number <= len(self.texts):
            raise NotRecorded(
                f"There is no number {number}: kloplei voice list has 1 to {len(self.texts)}."
            )
        return self.texts[number - 1]


def _script(config: "Config", arguments: argparse.Namespace) -> Script:
    from kloplei.table.voice_client import NAMES
    from kloplei.voice.calls import phrases

    if name := getattr(arguments, "name", None):
        return Script(NAMES, (name,))
    language = arguments.language or config.voice_language
    return Script(language, phrases(language))


@contextlib.contextmanager
def _voice(config: "Config") -> "Iterator[VoiceClient]":
    """Give the voice of the table that runs, else that in the folder of the box."""
    from kloplei.table.client import TableUnavailable
    from kloplei.table.rpc_client import remote_table
    from kloplei.voice.recorded import RecordedVoice

    with contextlib.closing(remote_table(config.socket.path)) as table:
        try:
            table.scoreboard()
            voice: VoiceClient = table.voice
        except TableUnavailable:
            voice = RecordedVoice(config.table.data)
        yield voice


def list_phrases(arguments: argparse.Namespace) -> int:
    """Print what the caller says, and what of it is recorded."""
    from kloplei.table.voice_client import NAMES

    config = load_config(arguments.config)
    script = _script(config, arguments)
    with _voice(config) as voice:
        said = voice.look().said
    recorded = said.get(script.language, ())
    for number, text in enumerate(script.texts, 1):
        print(f"{number:4} {'*' if text in recorded else ' '} {text}")
    print(f"{sum(one in recorded for one in script.texts)} of {len(script.texts)} are recorded.")
    if names := said.get(NAMES, ()):
        print(f"Names: {', '.join(names)}.")
    return 0


def add_files(arguments: argparse.Namespace) -> int:
    """Take files in, all that can be; return 1 if one of them cannot."""
    from kloplei.table.client import BadRequest
    from kloplei.voice.clips import BadTake

    config = load_config(arguments.config)
    script = _script(config, arguments)
    if arguments.name and len(arguments.files) > 1:
        raise WrongOption("--name goes with one FILE")
    refused = 0
    with _voice(config) as voice:
        for file in arguments.files:
            try:
                text = script.texts[0] if arguments.name else script.text(_number_of(file))
                voice.keep(script.language, text, _clip_in(file))
                say(f"{file}: {text}")
            except (NotRecorded, BadTake, BadRequest) as error:
                refused += 1
                say(f"{file}: {error}")
    return int(refused > 0)


def _clip_in(file: Path) -> bytes:
    """Return the clip that the recording in *file* makes.

    Raises:
        NotRecorded: It cannot be read.
        BadTake: It makes none.
    """
    from kloplei.voice.clips import clip_of, decoded, encoded

    try:
        take = decoded(read_limited(file, _MOST_FILE_BYTES, "for a few words"))
    except UnreadableFile as error:
        raise NotRecorded(str(error)) from error
    except OSError as error:
        raise NotRecorded("it is no WAV, FLAC, Ogg or MP3") from error
    clip = clip_of(take)
    try:
        return encoded(clip)
    except OSError as error:
        raise NotRecorded(str(error)) from error


def _number_of(file: Path) -> int:
    found = _NUMBERED.match(file.name)
    if found is None:
        raise NotRecorded("its name has to begin with a number of kloplei voice list: 001-toep.wav")
    return int(found[1])


def remove_phrases(arguments: argparse.Namespace) -> int:
    """Throw recordings away."""
    config = load_config(arguments.config)
    script = _script(config, arguments)
    if not (arguments.all or arguments.numbers or arguments.name):
        raise WrongOption("name the NUMBERs of kloplei voice list, or say --all or --name NAME")
    is_whole = arguments.all or arguments.name
    texts = script.texts if is_whole else [script.text(one) for one in arguments.numbers]
    with _voice(config) as voice:
        there = voice.look().said.get(script.language, ())
        gone = [one for one in texts if one in there]
        for text in gone:
            voice.remove(script.language, text)
    print(f"{len(gone)} thrown away: {'; '.join(gone)}" if gone else "Nothing was recorded of it.")
    return 0


class PhraseRecorder:
    """Leads somebody through what is to be said, take by take.

    Args:
        voice: Keeps what was said.
        script: What may be said.
        open_microphone: Opens it, for one take.
        speaker: Plays a take again.
        keys: What is pressed.
        tell: Shows a line.
    """

    def __init__(
        self,
        voice: "VoiceClient",
        script: Script,
        open_microphone: "Callable[[], CapturePcm]",
        speaker: "AudioOutput",
        keys: Keys,
        tell: Callable[[str], None] = say,
    ) -> None:
        self._voice = voice
        self._script = script
        self._open_microphone = open_microphone
        self._speaker = speaker
        self._keys = keys
        self._tell = tell
        self._last: array[int] | None = None

    def lead(self, texts: Sequence[str]) -> int:
        """Lead through *texts*; return how many were recorded. A `q`, or no more keys, ends it."""
        at, done = 0, set[str]()
        while at < len(texts):
            number = self._script.texts.index(texts[at]) + 1
            self._tell(f"\n[{number}/{len(self._script.texts)}]  {texts[at]}")
            match self._keys.key(_FOR_EVER_S):
                case "\n" | "\r":
                    if self._record(texts[at]):
                        done.add(texts[at])
                        at += 1
                case "p":
                    self._play()
                case "b":
                    at = max(0, at - 1)
                case "s":
                    at += 1
                case "q" | "":
                    break
        return len(done)

    def _record(self, text: str) -> bool:
        from kloplei.voice.clips import BadTake, clip_of, encoded

        self._tell("... say it now, then Enter.")
        take = self._take()
        try:
            clip = clip_of(take)
        except BadTake as error:
            self._tell(f"{error}.")
            return False
        self._voice.keep(self._script.language, text, encoded(clip))
        self._last = clip
        self._tell("Kept.")
        return True

    def _take(self) -> "array[int]":
        """Return what the microphone hears until a key is pressed, or for as long as a clip may."""
        from kloplei.voice.clips import LONGEST_CLIP_S, at_rate

        with contextlib.closing(self._open_microphone()) as microphone:
            heard, most = array("h"), LONGEST_CLIP_S * microphone.rate_hz
            while len(heard) < most and self._keys.key(0.0) is None:
                frames = microphone.read()[:: microphone.channels]
                wide = 8 * (frames.itemsize - heard.itemsize)
                heard.extend(one >> wide for one in frames)
            return at_rate(heard, microphone.rate_hz)

    def _play(self) -> None:
        from kloplei.voice.clips import RATE_HZ

        if self._last is None:
            return
        try:
            self._speaker.play(self._last, RATE_HZ, lambda: self._keys.key(0.0) is not None)
        except OSError as error:
            self._tell(f"{error}.")


def record_phrases(arguments: argparse.Namespace) -> int:
    """Lead somebody through what is not recorded yet, or through all."""
    import sys

    from kloplei.devices.audio import AlsaPcm, Loudspeaker

    if not sys.stdin.isatty():
        raise NotRecorded(
            "Somebody has to press keys: run it in a terminal. Files that are recorded already: "
            "kloplei voice add FILE"
        )
    config = load_config(arguments.config)
    script = _script(config, arguments)
    device = arguments.device or (config.audio.device if config.audio.enabled else "default")
    microphone = partial(AlsaPcm, device, 1, _RATE_HZ, _BITS)
    microphone().close()  # that it is not there is told before anything is asked
    with _voice(config) as voice:
        recorded = (
            () if arguments.all or arguments.name else voice.look().said.get(script.language, ())
        )
        texts = [one for one in script.texts if one not in recorded]
        if not texts:
            print("All is recorded. With --all it is recorded anew; kloplei voice list lists it.")
            return 0
        print(f"{len(texts)} to say, at {device}. {_KEYS} q ends; what is kept stays.")
        with single_keys():
            recorder = PhraseRecorder(
                voice, script, microphone, Loudspeaker(config.voice.device), Keys()
            )
            done = recorder.lead(texts)
    print(f"{done} recorded.")
    return 0
