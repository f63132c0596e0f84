"""What is called out, for programs and for the loudspeakers of screens and phones; and the hush.

A call is phrased in the language of who asks and its sound made once for all who hear it in that
language: by the house itself where it has said it, by the packs of the package, by espeak-ng.
"""

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Literal

from flask import Blueprint, Response, current_app, url_for

from kloplei.frozen import dataclass
from kloplei.games.scoreboard import Within
from kloplei.table.client import BadRequest
from kloplei.table.voice_client import NAMES, VoiceClient, VoiceStand
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel import access
from kloplei_panel.answers import Problem, as_json, fresh_json
from kloplei_panel.context import panel
from kloplei_panel.reader import reader
from kloplei_panel.requests import problem, read_address, read_body
from kloplei_panel.stage import Happening

if TYPE_CHECKING:
    from kloplei.voice.calls import Utterance
    from kloplei.voice.clips import Samples

bp = Blueprint("voice_api", __name__, url_prefix="/api/v1")
_MOST_KEPT = 32
_FRESH_S = 0.5
_SOUNDS = "kloplei.calls"


@dataclass(frozen=True, slots=True)
class CallsWanted:
    """Which calls are wanted."""

    after: Annotated[int, Within(0)] = field(default=0, metadata=problem("unreadable"))


@dataclass(frozen=True, slots=True)
class SpokenCall:
    """One call, in the language of who asks."""

    number: Annotated[int, "Of what happened; several calls may tell of it"]
    text: Annotated[str, "What is said"]
    sound: Annotated[str, "The address of its sound, WAV; 404 where nobody says it"]
    urgency: Annotated[int, "What is said first; 0 is what is played for"]
    stake: Annotated[
        int | None, "What it says that is played for, or raised to; 0: nothing any more"
    ] = None


@dataclass(frozen=True, slots=True)
class CallsNow:
    """What has just happened, to be said while it is news: for two seconds."""

    last: Annotated[int, "What ``after`` is to be the next time"]
    quiet: Annotated[bool, "Somebody has hushed the caller; false while there is nothing to call"]
    calls: Annotated[tuple[SpokenCall, ...], "Oldest first"]


@dataclass(frozen=True, slots=True)
class Hush:
    """Whether the caller is to be quiet at once, until it is told otherwise."""

    quiet: Annotated[bool, "false lets it speak again"] = field(metadata=problem("unreadable"))


@dataclass(frozen=True, slots=True)
class Hushed:
    """It is: the box in the middle of a word, screens and phones with the next call."""

    status: Literal["done"] = "done"


@bp.get("/calls")
def calls() -> Response:
    """Answer with what is to be said now; ``?after=`` leaves out what was heard."""
    after = read_address(CallsWanted, digits=15).after
    # A program that calls, and watches no stream, is told of the table by nothing else.
    panel().feed.attend()
    stage, language = panel().feed.stage, reader().language
    last, happened = stage.last, stage.happened(after)
    told = tuple(
        SpokenCall(
            one.number,
            call.text,
            url_for("voice_api.sound", number=one.number, which=which, language=language),
            int(call.urgency),
            call.stake,
        )
        for one in happened
        for which, call in enumerate(_utterances(one, language))
    )
    quiet = _sounds().stand().quiet if told else False
    return fresh_json(CallsNow(max((last, *(one.number for one in happened))), quiet, told))


@bp.get("/calls/<int:number>/<int:which>.<language>.wav")
def sound(number: int, which: int, language: str) -> Response:
    """Answer with how the *which*th call of what happened at *number* sounds in *language*."""
    found = [one for one in panel().feed.stage.happened(number - 1) if one.number == number]
    if language not in LANGUAGES or not found:
        raise Problem(404, "not_found")
    told = _utterances(found[0], language)
    file = _sounds().wav((number, which, language), told[which]) if which < len(told) else None
    if file is None:
        raise Problem(404, "not_found")
    response = Response(file, mimetype="audio/wav")
    response.headers["Cache-Control"] = "private, max-age=10"
    return response


@bp.post("/hush")
def hush() -> Response:
    """Let the caller be quiet: ``{"quiet": true}``; or speak again."""
    access.demand_keeper()
    panel().table.doctor.hush(quiet=read_body(Hush).quiet)
    _sounds().look_again()
    return as_json(Hushed())


def _utterances(happening: Happening, language: str) -> "tuple[Utterance, ...]":
    from kloplei.voice.calls import Phrasing

    return tuple(Phrasing(language).of(happening.moments, happening.board))


def _sounds() -> "CallSounds":
    found: CallSounds = current_app.extensions.setdefault(_SOUNDS, CallSounds(panel().table.voice))
    return found


class TableClips:
    """The clips of the house, asked of its table: a `kloplei.voice.packs.ClipSource`.

    Args:
        voice: The table's.
        kind: A language, or `NAMES`.
        said: What there is.
    """

    def __init__(self, voice: VoiceClient, kind: str, said: tuple[str, ...]) -> None:
        self._voice = voice
        self._kind = kind
        self._said = said

    @property
    def is_empty(self) -> bool:
        """Whether the house has said nothing."""
        return not self._said

    def sound(self, text: str) -> "Samples[int] | None":
        """Return how the house says *text*; None where it does not, or not any more."""
        from kloplei.voice.clips import decoded

        if text not in self._said:
            return None
        try:
            return decoded(self._voice.clip(self._kind, text))
        except (BadRequest, OSError):
            return None


class CallSounds:
    """The sounds of the last calls, each made once for all who hear it; safe from any thread."""

    def __init__(self, voice: VoiceClient) -> None:
        self._voice = voice
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int, str], Future[bytes | None]] = OrderedDict()
        self._looking = threading.Lock()
        self._looked: tuple[float, VoiceStand] | None = None

    def stand(self) -> VoiceStand:
        """Return what the house has said, and whether it is hushed: as of half a second ago."""
        with self._looking:
            now_s = time.monotonic()
            if self._looked is None or now_s - self._looked[0] > _FRESH_S:
                self._looked = now_s, self._voice.look()
            return self._looked[1]

    def look_again(self) -> None:
        """Take note that it has changed."""
        with self._looking:
            self._looked = None

    def wav(self, key: tuple[int, int, str], call: "Utterance") -> bytes | None:
        """Return how *call* sounds in the language of its *key*; None where nobody says it.

        One that is made already waits for none that is being made.
        """
        with self._lock:
            found = self._kept.get(key)
            made = self._kept.setdefault(key, Future())
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        if found is None:
            try:
                made.set_result(self._made(call, key[-1]))
            except BaseException as error:
                with self._lock:  # another one may fare better
                    self._kept.pop(key, None)
                made.set_exception(error)
                raise
        return made.result()

    def _made(self, call: "Utterance", language: str) -> bytes | None:
        from kloplei.voice.clips import NoVoice, as_wav
        from kloplei.voice.packs import speech_in

        said = self.stand().said
        own = [TableClips(self._voice, one, said.get(one, ())) for one in (language, NAMES)]
        try:
            speech = speech_in(language, own=own)
            # A call is phrased in the one language, and would be read out by the rules of another.
            samples = speech.sound(call) if speech.language == language else None
        except NoVoice:
            return None
        return None if samples is None else as_wav(samples)
