"""What a house says itself: packs of clips in the folder of the box, one a language, and names.

And whether somebody has hushed the caller, which outlives a power cut (`HushSwitch`).

They go before the packs of the package, piece by piece. `kloplei voice` and the keeper's phone fill
them; a table that runs says what is new from its next call on. A name belongs to whoever is called
so: it goes when the box is told to forget them.
"""

import fcntl
import hashlib
import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kloplei.config.settings import VOICE
from kloplei.files import (
    FlagFile,
    UnreadableFile,
    as_owner_of,
    atomic_write,
    opened_folder,
    reason_of,
)
from kloplei.games.scoreboard import Line
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.messages import Announced, Inbox
from kloplei.table.schema import dump
from kloplei.table.seating import reads_same
from kloplei.table.voice_client import MOST_CLIP_BYTES, NAMES, VoiceStand
from kloplei.words import Sentence, sentence_of
from kloplei.words.catalogue import LANGUAGES
from kloplei.words.letters import NAME_MAX

# What reads clips is imported where a clip is asked for: most boxes have no voice of their own.
if TYPE_CHECKING:
    from kloplei.voice.packs import Pack

MOST_NAMES = 200
HUSH_FILE: Final = "voice.json"
_MADE_BY = "the house"
logger = logging.getLogger(__name__)


class RecordedVoice:
    """The clips of a house in *data*, the folder of its box; keeps `VoiceClient`.

    Args:
        data: Has a folder `VOICE` as soon as something is kept.
        calls: The language of the caller; None where there is none.
        is_quiet: Whether somebody has hushed it.
    """

    def __init__(
        self, data: Path, calls: str | None = None, is_quiet: Callable[[], bool] = lambda: False
    ) -> None:
        self._data = data
        self._calls = calls
        self._is_quiet = is_quiet
        self.folder = data / VOICE
        """Where packs are, for `kloplei.voice.packs.Speech`."""

    def look(self) -> VoiceStand:
        """Return what has been said; see `VoiceClient.look`."""
        said = {one: tuple(self._pack(one).clips) for one in (*LANGUAGES, NAMES)}
        return VoiceStand(self._calls, said, self._is_quiet())

    def clip(self, language: str, text: str) -> bytes:
        """Return the clip of *text*; see `VoiceClient.clip`."""
        file = self._pack(_checked(language)).clip(text)
        if file is None:
            raise BadRequest(Sentence("not-said", text=text))
        try:
            return file.read_bytes()
        except OSError as error:
            raise TableUnavailable(Sentence("voice-unread", error=reason_of(error))) from error

    def keep(self, language: str, text: str, clip: bytes) -> None:
        """Let *clip* say *text*; see `VoiceClient.keep`."""
        self._demand_sayable(_checked(language), text)
        _demand_clip(clip)
        # Another clip of the same text has another name: what was read before is not taken for it.
        name = f"{hashlib.sha256(clip).hexdigest()[:20]}.opus"
        with self._changing(language) as home:
            clips = dict(_clips_in(home))
            atomic_write(home / name, clip, 0o600)
            self._write(home, {**clips, text: name})

    def remove(self, language: str, text: str) -> None:
        """Throw the clip of *text* away; see `VoiceClient.remove`."""
        self._remove(_checked(language), lambda one: one == text)

    def forget_names(self, names: Iterable[str]) -> None:
        """Throw away what any of *names* is said by.

        Raises:
            TableUnavailable: It cannot be.
        """
        gone = tuple(names)
        self._remove(NAMES, lambda text: any(reads_same(text, one) for one in gone))

    def _remove(self, language: str, is_gone: Callable[[str], bool]) -> None:
        if any(map(is_gone, _clips_in(self.folder / language))):
            with self._changing(language) as home:
                clips = _clips_in(home)
                self._write(home, {one: clips[one] for one in clips if not is_gone(one)})

    def _pack(self, language: str) -> "Pack":
        from kloplei.voice.packs import Pack

        return Pack(self.folder / language)

    def _demand_sayable(self, language: str, text: str) -> None:
        if language != NAMES:
            from kloplei.voice.calls import phrases

            if text not in phrases(language):
                raise BadRequest(Sentence("not-called", text=text))
            return
        if not text.strip() or len(text) > NAME_MAX:
            raise BadRequest(Sentence("no-name-to-say", most=NAME_MAX))
        names = self._pack(NAMES).clips
        if text not in names and len(names) >= MOST_NAMES:
            raise BadRequest(Sentence("names-full", most=MOST_NAMES))

    @contextmanager
    def _changing(self, language: str) -> Iterator[Path]:
        """Give the folder of *language*, which nobody else changes meanwhile."""
        home = self.folder / language
        try:
            # The folder is the table's user's, who may have put links there to lead root astray.
            with as_owner_of(self._data):
                home.mkdir(mode=0o700, parents=True, exist_ok=True)
                with opened_folder(home) as held:
                    fcntl.flock(held, fcntl.LOCK_EX)
                    yield home
        except OSError as error:
            raise TableUnavailable(Sentence("voice-unkept", error=reason_of(error))) from error

    def _write(self, home: Path, clips: Mapping[str, str]) -> None:
        """Let the pack in *home* have *clips*, and throw away those that are none of it."""
        from kloplei.voice.packs import INDEX, PackIndex

        index = PackIndex(home.name, _MADE_BY, clips)
        atomic_write(home / INDEX, json.dumps(dump(index), ensure_ascii=False).encode(), 0o600)
        for left in home.glob("*.opus"):
            if left.name not in clips.values():
                left.unlink()


class HushSwitch:
    """Whether somebody silenced the caller: told to who calls, and kept in a file of the box.

    Where its folder takes no writes it is remembered until the end, so that it can be taken back.

    Args:
        data: The folder of the box.
    """

    def __init__(self, data: Path) -> None:
        self._kept = FlagFile(data / HUSH_FILE, "quiet")
        self._unwritten: bool | None = None
        self.silence: Callable[[bool], None] = lambda _: None
        """Is told first, before anything is written: who calls is in the middle of a word."""

    def is_quiet(self) -> bool:
        """Return whether it is to be quiet; what stands there and is none of ours says no."""
        if self._unwritten is not None:
            return self._unwritten
        try:
            return self._kept.read()
        except (FileNotFoundError, UnreadableFile):
            return False

    def keep(self, quiet: bool) -> None:
        """Let it be *quiet*, or speak again, from now on; log why that cannot be kept."""
        self.silence(quiet)
        try:
            self._kept.write(quiet)
            self._unwritten = None
        except OSError as error:
            self._unwritten, path = quiet, self._kept.path
            logger.warning("%s cannot be written (%s); it is forgotten at a restart", path, error)

    def turn(self, inbox: Inbox) -> None:
        """Let it be quiet, or speak again if it was, and the table say so through *inbox*.

        On a thread of its own: what is written to a card holds no table up.
        """

        def change() -> None:
            quiet = not self.is_quiet()
            self.keep(quiet)
            line = Line("show.hushed") if quiet else Line("show.speaks")
            inbox.put(Announced((line,), gives_way=True))

        threading.Thread(target=change, name="kloplei-hush", daemon=True).start()


def _clips_in(home: Path) -> Mapping[str, str]:
    """Return the clips in *home* for who changes them: what cannot be read is not written over."""
    from kloplei.voice.packs import INDEX, DamagedPack, clips_named_in

    if not (home / INDEX).exists():
        return {}
    try:
        return clips_named_in(home)
    except DamagedPack as error:
        raise TableUnavailable(Sentence("voice-damaged", file=str(home / INDEX))) from error


def _checked(language: str) -> str:
    if language not in (*LANGUAGES, NAMES):
        raise BadRequest(Sentence("no-such-voice", language=language))
    return language


def _demand_clip(clip: bytes) -> None:
    from kloplei.voice.clips import NoVoice, decoded

    try:
        is_clip = len(clip) <= MOST_CLIP_BYTES and len(decoded(clip)) > 0
    except OSError:
        is_clip = False
    except NoVoice as error:
        raise TableUnavailable(sentence_of(error)) from error
    if not is_clip:
        raise BadRequest(Sentence("take-unreadable"))
