"""Who speaks: what is said next, and a thread that says it.

`SpeechQueue` is pure: the most urgent goes first, but no stake before the end of what was played
for until then; nothing is said that has waited for longer than `FRESH_S`, and nothing begins while
a pattern of knocks grows. A lesson of a first hand is said as long as it stands on the slate, and
not to its end where somebody knocks on. What is played for is no news but how things stand, so a
stake that came too late is told as it is now. `Caller` follows the table on one thread and speaks
on another: neither keeps the table waiting.
"""

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Final, Protocol

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.moments import moments_between
from kloplei.games.scoreboard import GUIDE, Scoreboard
from kloplei.table.client import Followed, show_all
from kloplei.table.messages import Inbox, PartFailed, PartHealed
from kloplei.voice.calls import Phrasing, Urgency, Utterance
from kloplei.words import sentence_of

if TYPE_CHECKING:
    from array import array

    from kloplei.voice.packs import Speech

FRESH_S: Final = 2.0
"""What has waited for longer is no news any more."""
RINGS_S: Final = 0.3
"""So long after a call its last sound may be felt: what the card still holds, and the wood."""
PART: Final = "voice"
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    utterance: Utterance
    since_s: float
    number: int


class SpeechQueue:
    """What is to be said; times in seconds, given by who asks."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._number = 0

    def put(self, utterance: Utterance, at_s: float) -> None:
        """Take in what is to be said; a newer stake, or a hand's end, replaces one."""
        if utterance.stake is not None:
            self._waiting = [
                one for one in self._waiting if one.utterance.urgency is not Urgency.STAKE
            ]
        self._number += 1
        self._waiting.append(_Waiting(utterance, at_s, self._number))

    def clear(self) -> None:
        """Forget all that waits."""
        self._waiting.clear()

    def leave_lesson(self) -> None:
        """Forget the lesson that waits: it does not stand on the slate any more."""
        self._waiting = [
            one for one in self._waiting if one.utterance.urgency is not Urgency.LESSON
        ]

    def take(self, at_s: float, *, pattern_grows: bool) -> Utterance | None:
        """Return what is said now and take it out; None where there is nothing, or not now."""
        self._waiting = [
            one
            for one in self._waiting
            if one.utterance.urgency is Urgency.LESSON or at_s - one.since_s <= FRESH_S
        ]
        if pattern_grows or not self._waiting:
            return None
        first = min(self._waiting, key=lambda one: (one.utterance.urgency, one.number))
        if first.utterance.urgency is Urgency.STAKE:
            # Who hears of the next stake first takes the end of the hand before for that one's.
            ended = (one for one in self._waiting if one.utterance.stake == 0)
            first = next((one for one in ended if one.number < first.number), first)
        self._waiting.remove(first)
        return first.utterance


class AudioOutput(Protocol):
    """What makes the sound, such as `kloplei.devices.audio.Loudspeaker`."""

    def play(self, samples: "array[int]", rate_hz: int, stop: Callable[[], bool]) -> None:
        """Play *samples* to the end, or until *stop* says so.

        Raises:
            OSError: There is nothing to play on; the message says what to do.
        """
        ...


class Caller:
    """Calls out what happens at a table.

    A part that fails is reported once, and tried again whenever something is to be said.

    Args:
        calls: How it is put into words.
        speech: Finds the sound of it; called once, on the thread that speaks.
        output: Makes it heard.
        inbox: Where faults go.
        volume: From 0 to 1.
        clock: The time in seconds.
    """

    def __init__(
        self,
        calls: Phrasing,
        speech: "Callable[[], Speech]",
        output: AudioOutput,
        inbox: Inbox,
        *,
        volume: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._calls = calls
        self._open_speech = speech
        self._output = output
        self._inbox = inbox
        self._volume = volume
        self._now_s = clock
        self._changed = threading.Condition()
        self._queue = SpeechQueue()
        self._board: Scoreboard | None = None
        self._said_stake: int | None = None
        self._closing = False
        self._quiet = False
        self._failed = False
        self._unsayable: set[str] = set()
        self._spoken_s: tuple[float, float] | None = None  # begin and end of the last call

    def speaks(self, at_s: float) -> bool:
        """Whether a call could be heard in the wood at *at_s*; safe from any thread."""
        spoken_s = self._spoken_s
        return spoken_s is not None and spoken_s[0] <= at_s <= spoken_s[1] + RINGS_S

    def hush(self, quiet: bool) -> None:
        """Be *quiet* at once, in the middle of a word, or speak again of what is still to come."""
        with self._changed:
            self._quiet = quiet
            self._changed.notify_all()

    def follow(self, table: Followed) -> None:
        """Call out what happens on *table* from now on, on threads of its own."""
        look_on = partial(show_all, table, self.show, lambda: self._closing, "the caller")
        threading.Thread(target=look_on, name="kloplei-calls", daemon=True).start()
        threading.Thread(target=self.speak, name="kloplei-voice", daemon=True).start()

    def speak(self) -> None:
        """Say what there is to say until it is over, on the thread of who calls."""
        speech: Speech | None = None
        while (utterance := self._next()) is not None:
            try:
                if speech is None:
                    speech = self._open_speech()
                    self._calls = self._calls.spoken_in(speech.language)
                if self._say(utterance, speech):
                    self._works()
            except (KlopleiError, OSError) as error:
                self._fails(error)
            except Exception:
                # A mistake of ours costs one call, and neither the others nor the evening.
                logger.exception("the caller stumbled over %r", utterance.text)

    def show(self, board: Scoreboard) -> None:
        """Take in how the table stands now."""
        with self._changed:
            before, self._board = self._board, board
            if before is None or before.shown != board.shown:
                self._queue.leave_lesson()
            if before is None or before.game != board.game:
                self._said_stake = board.stake  # what stands there is no news
            if board.tuning is None:
                for utterance in self._calls.of(moments_between(before, board), board):
                    self._queue.put(utterance, self._now_s())
            self._changed.notify_all()

    def close(self) -> None:
        """Fall silent; the threads end at once, or at the table's next sign of life."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def _next(self) -> Utterance | None:
        """Wait for what is said next; None when it is over."""
        with self._changed:
            while not self._closing:
                if self._quiet:
                    self._queue.clear()
                    self._said_stake = None if self._board is None else self._board.stake
                    self._changed.wait()
                    continue
                found = self._queue.take(self._now_s(), pattern_grows=self._pattern_grows)
                if (found := found or self._stake_unsaid()) is not None:
                    if found.stake is not None:
                        self._said_stake = found.stake
                    return found
                self._changed.wait()
            return None

    @property
    def _pattern_grows(self) -> bool:
        return self._board is not None and self._board.heard is not None

    def _stake_unsaid(self) -> Utterance | None:
        """Return the call of a stake that came too late to be said as news."""
        board = self._board
        if board is None or self._pattern_grows or board.tuning is not None:
            return None
        if board.stake is None:
            self._said_stake = None
        # A raise that waits for its answer has been called, and is not played for yet.
        if board.stake in (None, self._said_stake) or board.proposed is not None:
            return None
        return self._calls.stake(board)

    def _say(self, utterance: Utterance, speech: "Speech") -> bool:
        """Let *utterance* be heard; return False where nobody says it."""
        from kloplei.voice.clips import RATE_HZ, attenuated

        samples = speech.sound(utterance)
        if samples is None:
            if utterance.text not in self._unsayable:
                logger.warning("no clip says %r in %s", utterance.text, speech.language)
            self._unsayable.add(utterance.text)
            return False
        begun_s = self._now_s()
        self._spoken_s = (begun_s, inf)
        is_cut_off = (
            self._lesson_is_over if utterance.urgency is Urgency.LESSON else self._is_cut_off
        )
        try:
            self._output.play(attenuated(samples, self._volume), RATE_HZ, is_cut_off)
        finally:
            self._spoken_s = (begun_s, self._now_s())
        return True

    def _is_cut_off(self) -> bool:
        return self._closing or self._quiet

    def _lesson_is_over(self) -> bool:
        """Whether the lesson that is said is cut off: whoever knocks on needs none."""
        board = self._board
        stands = board is not None and board.shown is not None and board.shown.key.startswith(GUIDE)
        return self._is_cut_off() or not stands or self._pattern_grows

    def _fails(self, error: Exception) -> None:
        if not self._failed:
            logger.warning("the caller is silent: %s", error)
            self._inbox.put(PartFailed(PART, sentence_of(error)))
        self._failed = True

    def _works(self) -> None:
        if self._failed:
            self._inbox.put(PartHealed(PART))
        self._failed = False
