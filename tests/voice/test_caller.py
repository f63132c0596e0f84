"""Who speaks: the most urgent first, nothing stale, nothing into a pattern, never in the way."""

import threading
from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from kloplei.devices.adc import PulledOut
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Heard, Line, Row, Scoreboard, Tone, Tuning
from kloplei.table.messages import Message, PartFailed, PartHealed
from kloplei.voice.caller import (
    FRESH_S,
    Caller,
    SpeechQueue,
)
from kloplei.voice.calls import Phrasing, Piece, Urgency, Utterance
from kloplei.voice.packs import Speech
from kloplei.words import Sentence

ROWS = (Row(Seat(0), 0, 10, "Thijs"), Row(Seat(1), 0, 10, "Tame"))
BOARD = Scoreboard("toepen", "play", ROWS, seq=7, stake=1)


def call(text: str, urgency: Urgency = Urgency.ANSWER, stake: int | None = None) -> Utterance:
    return Utterance(((Piece(text),),), urgency, stake=stake)


def taken(queue: SpeechQueue, at_s: float, *, pattern_grows: bool = False) -> str | None:
    found = queue.take(at_s, pattern_grows=pattern_grows)
    return None if found is None else found.text


def test_the_most_urgent_goes_first_and_the_older_of_two() -> None:
    queue = SpeechQueue()
    for at, (text, urgency) in enumerate(
        (("stay", Urgency.ANSWER), ("fold", Urgency.ANSWER), ("toep", Urgency.STAKE))
    ):
        queue.put(call(text, urgency), at / 10)

    assert [taken(queue, 0.5) for _ in range(4)] == ["toep", "stay", "fold", None]


@pytest.mark.parametrize(("late_s", "said"), [(FRESH_S, "fold"), (FRESH_S + 0.01, None)])
def test_nothing_is_said_that_is_no_news_any_more(late_s: float, said: str | None) -> None:
    queue = SpeechQueue()
    queue.put(call("fold"), 10.0)

    assert taken(queue, 10.0 + late_s) == said


def test_nothing_begins_while_a_pattern_grows() -> None:
    queue = SpeechQueue()
    queue.put(call("fold"), 0.0)

    assert taken(queue, 0.1, pattern_grows=True) is None
    assert taken(queue, 0.6) == "fold"


def test_of_two_stakes_only_the_newer_is_said() -> None:
    queue = SpeechQueue()
    queue.put(call("two", Urgency.STAKE, 2), 0.0)
    queue.put(call("three", Urgency.STAKE, 3), 0.1)

    assert [taken(queue, 0.2), taken(queue, 0.2)] == ["three", None]


def test_the_end_of_a_hand_is_not_said_after_what_is_played_for_next() -> None:
    """ "Two. Hand to Tame": who only listened took that one for over."""
    queue = SpeechQueue()
    queue.put(call("stay"), 0.0)
    queue.put(call("hand to Tame", Urgency.HAND, 0), 0.1)
    queue.put(call("two", Urgency.STAKE, 2), 0.2)

    assert [taken(queue, 0.4) for _ in range(3)] == ["hand to Tame", "two", "stay"]


def test_a_stake_that_nobody_heard_of_before_the_hand_was_over_is_not_said() -> None:
    queue = SpeechQueue()
    queue.put(call("two", Urgency.STAKE, 2), 0.0)
    queue.put(call("rubber to Tame", Urgency.VICTORY, 0), 0.1)

    assert [taken(queue, 0.2), taken(queue, 0.2)] == ["rubber to Tame", None]


def test_who_treats_ends_no_hand_of_the_others() -> None:
    """Where the last one standing wins, who is out treats while the others play on."""
    queue = SpeechQueue()
    queue.put(call("two", Urgency.STAKE, 2), 0.0)
    queue.put(call("drinks from Tame", Urgency.VICTORY), 0.1)

    assert [taken(queue, 0.2), taken(queue, 0.2)] == ["two", "drinks from Tame"]


class Room:
    """A caller in a room: what plays notes what it was given, and the clock is turned by hand."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.heard: list[str] = []
        self.reported: list[Message] = []
        self.trouble: Exception | None = None
        self.is_dumb = False
        self.asked = threading.Semaphore(0)
        self.held = threading.Event()  # a call lasts until it is set
        self.held.set()
        self.spoke = threading.Semaphore(0)
        self.began = threading.Event()
        self.caller = Caller(
            Phrasing("nl"),
            lambda: cast("Speech", self),
            self,
            self,
            clock=lambda: self.now_s,
        )
        self.language = "nl"
        self._text = ""
        self._thread = threading.Thread(target=self.caller.speak, daemon=True)
        self._thread.start()

    def sound(self, utterance: Utterance) -> "array[int] | None":
        self.asked.release()
        if self.is_dumb:
            return None
        self._text = utterance.text
        return array("h", [1000, -1000])

    def play(self, samples: "array[int]", rate_hz: int, stop: Callable[[], bool]) -> None:
        try:
            if self.trouble is not None:
                raise self.trouble
            self.began.set()
            while not self.held.wait(0.005) and not stop():
                pass
            self.heard.append("cut off" if stop() else self._text)
        finally:
            self.spoke.release()

    def put(self, message: Message) -> None:
        self.reported.append(message)

    def show(self, board: Scoreboard) -> None:
        self.caller.show(board)

    def wait(self, calls: int = 1) -> None:
        for _ in range(calls):
            assert self.spoke.acquire(timeout=20)

    def end(self) -> None:
        self.held.set()
        self.caller.close()
        self._thread.join(20)
        assert not self._thread.is_alive()


@pytest.fixture
def room() -> Room:
    return Room()


def begin_to_speak(room: Room) -> None:
    """Let a toep be called, and its call last until `Room.held` is set."""
    room.held.clear()
    room.show(BOARD)
    room.show(toep(2, 2))
    assert room.began.wait(20)


def test_the_ears_are_told_while_a_call_can_be_felt_in_the_wood(room: Room) -> None:
    before = room.caller.speaks(room.now_s)
    begin_to_speak(room)
    while_it_speaks = [room.caller.speaks(room.now_s + s) for s in (-0.1, 0.0, 5.0)]
    room.now_s += 1.0
    room.held.set()
    room.wait()
    room.end()

    assert (before, while_it_speaks) == (False, [False, True, True])
    assert [room.caller.speaks(room.now_s + s) for s in (0.2, 0.4)] == [True, False]


def test_who_is_hushed_stops_in_the_middle_and_makes_up_for_nothing(room: Room) -> None:
    begin_to_speak(room)
    room.caller.hush(quiet=True)
    room.wait()
    room.held.set()
    room.show(toep(3, 3))
    room.caller.hush(quiet=False)
    room.show(toep(4, 4))
    room.wait()
    room.end()

    assert room.heard[0] == "cut off"
    assert stakes(room)[1:] == ["vier"]


def stakes(room: Room) -> list[str]:
    return [one.rsplit(" ", 1)[-1] for one in room.heard]


def toep(seq: int, stake: int) -> Scoreboard:
    line = Line("news.knocked", {"seat": Seat(1), "stake": stake}, Tone.SHOUT)
    return replace(BOARD, seq=seq, stake=stake, news=line)


def test_what_stands_there_already_is_not_called(room: Room) -> None:
    room.show(toep(8, 2))
    room.show(toep(9, 3))
    room.wait()
    room.end()

    assert stakes(room) == ["drie"]


def test_a_stake_that_could_not_be_said_in_time_is_told_as_it_is_now(room: Room) -> None:
    growing = replace(toep(8, 2), heard=Heard(Seat(0), 1))
    room.show(BOARD)
    room.show(growing)
    room.now_s += FRESH_S + 1
    room.show(replace(growing, seq=9, heard=None))
    room.wait()
    room.end()

    assert stakes(room) == ["twee"]


def test_a_raise_that_waits_is_not_taken_back_by_what_is_still_played_for(room: Room) -> None:
    watten = replace(BOARD, game="watten", stake=2)
    line = Line("news.raised", {"seat": Seat(1), "stake": 3}, Tone.SHOUT)
    raised = replace(watten, seq=8, news=line, proposed=3, to_answer=(Seat(0),))
    room.show(watten)
    room.show(raised)
    room.wait(2)
    held = Line("news.held", {"seat": Seat(0), "stake": 3})
    room.show(replace(watten, seq=9, stake=3, news=held))
    room.wait()
    room.end()

    assert [room.heard[0].rsplit(" ", 1)[-1], room.heard[2].rsplit(" ", 1)[-1]] == ["drie", "drie"]
    assert len(room.heard) == 3


def test_the_end_cuts_off_what_is_said(room: Room) -> None:
    room.held.clear()
    room.show(BOARD)
    room.show(toep(8, 2))
    assert room.began.wait(20)
    room.caller.close()
    room.wait()
    room.end()

    assert room.heard == ["cut off"]


def test_a_table_that_is_tuned_is_left_in_peace(room: Room) -> None:
    tuned = replace(toep(8, 2), tuning=Tuning("quiet", Line("tune.quiet")))
    room.show(BOARD)
    room.show(tuned)
    room.show(replace(tuned, seq=9, tuning=None))
    room.wait()
    room.end()

    assert stakes(room) == ["twee"]


def test_a_dead_card_is_named_once_and_the_evening_goes_on(room: Room) -> None:
    gone = Sentence("no-loudspeaker", device="plughw:9")
    room.trouble = PulledOut(gone)
    room.show(BOARD)
    for stake in (2, 3):
        room.show(toep(6 + stake, stake))
        room.wait()
    room.trouble = None
    room.show(toep(10, 4))
    room.wait()
    room.end()

    assert room.reported == [PartFailed("voice", gone), PartHealed("voice")]
    assert stakes(room) == ["vier"]


def test_what_nobody_can_say_heals_no_card(room: Room) -> None:
    gone = Sentence("no-loudspeaker", device="plughw:9")
    room.trouble = PulledOut(gone)
    room.show(BOARD)
    room.show(toep(8, 2))
    room.wait()
    assert room.asked.acquire(timeout=20)
    room.is_dumb = True
    room.show(toep(9, 3))
    assert room.asked.acquire(timeout=20)
    room.is_dumb = False
    room.show(toep(10, 4))
    room.wait()
    room.end()

    assert room.reported == [PartFailed("voice", gone)]


def test_a_mistake_of_ours_costs_one_call(room: Room) -> None:
    room.show(BOARD)
    room.trouble = ZeroDivisionError()
    room.show(toep(8, 2))
    room.wait()
    room.trouble = None
    room.show(toep(9, 3))
    room.wait()
    room.end()

    assert room.reported == []
    assert stakes(room) == ["drie"]


LESSON = Line("guide.deal", {"seat": Seat(1)})


def test_a_lesson_waits_for_news_and_is_said_while_it_stands(room: Room) -> None:
    begin_to_speak(room)
    room.show(replace(toep(2, 2), shown=LESSON))
    room.now_s += 2 * FRESH_S
    room.held.set()
    room.wait(2)
    room.end()

    assert "Klop dan twee keer" in room.heard[-1]


def test_a_lesson_that_is_gone_is_not_said(room: Room) -> None:
    begin_to_speak(room)
    room.show(replace(toep(2, 2), shown=LESSON))
    room.show(toep(2, 2))
    room.held.set()
    room.wait()
    room.end()

    assert len(room.heard) == 1


def test_whoever_knocks_on_cuts_a_lesson_off(room: Room) -> None:
    room.held.clear()
    room.show(BOARD)
    room.show(replace(BOARD, shown=LESSON))
    assert room.began.wait(20)
    room.show(replace(BOARD, shown=LESSON, heard=Heard(Seat(0), 1)))
    room.wait()
    room.end()

    assert room.heard == ["cut off"]
