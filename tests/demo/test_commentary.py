"""What the terminal says while a recording plays."""

import queue
import threading
from dataclasses import replace

import pytest

from kloplei.demo.table import Commentator, comment, heading
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Grace, Heard, Line, Row, Scoreboard
from kloplei.words import Words

PATIENCE_S = 60.0
CAP = Seat(2)
DEALT = Scoreboard(
    "toepen",
    "exchange",
    (Row(Seat(0), 0, name="Ann"), Row(Seat(1), 0, name="Bob"), Row(CAP, 0, name="Cap")),
    seq=4,
    news=Line("news.dealt", {"seat": Seat(0)}),
)


def heard(knocks: int, board: Scoreboard = DEALT) -> Scoreboard:
    return replace(board, heard=Heard(CAP, knocks))


def knocked() -> Scoreboard:
    return replace(DEALT, seq=5, news=Line("news.knocked", {"seat": CAP, "stake": 2}))


def told(*boards: Scoreboard) -> list[str]:
    return list(comment(DEALT, boards, Words("en")))


def test_a_pattern_is_told_with_what_came_of_it() -> None:
    assert told(DEALT, heard(1), knocked()) == ["1 knock: Toep! Cap makes it 2."]


def test_what_was_dealt_before_the_recording_is_no_news() -> None:
    assert told(DEALT, DEALT) == []


def test_knocks_that_mean_nothing_are_told_too() -> None:
    assert told(heard(1), heard(2), heard(7), DEALT) == ["7 knocks: nothing came of it."]


def test_a_refusal_says_why() -> None:
    refused = replace(DEALT, refused=Line("reason.answer_pending", {"seat": CAP}))

    said = told(heard(1), refused)

    assert len(said) == 1
    assert said[0].startswith("1 knock: ")
    assert "nothing" not in said[0]


def test_what_waits_for_grace_is_told_when_it_begins_and_when_it_is_done() -> None:
    waiting = replace(DEALT, grace=Grace(CAP, "trick", until_s=3.0, total_s=3.0))
    won = replace(DEALT, seq=5, news=Line("news.hand-won", {"seat": CAP, "n": 1}))

    begun, done = told(heard(2), waiting, won)

    assert begun == "2 knocks: granted in 3 s, unless another seat knocks."
    assert "Cap" in done


def test_knocks_during_a_grace_do_not_ask_for_it_again() -> None:
    waiting = replace(DEALT, grace=Grace(CAP, "undo", until_s=3.0, total_s=3.0))

    _, second = told(heard(4), waiting, heard(7, waiting), waiting)

    assert second == "7 knocks: nothing came of it."


def test_whatever_the_terminal_is_slow_to_print_is_told_in_full() -> None:
    """A commentator that looked up now and then told a result without the knocks before it."""
    printed: queue.Queue[str] = queue.Queue()
    free = threading.Event()

    def say(sentence: str) -> None:
        free.wait(PATIENCE_S)
        printed.put(sentence)

    commentator = Commentator(DEALT, say, until_s=10.0, words=Words("en"))
    for board in (heard(1), DEALT, heard(1), heard(2), DEALT):
        commentator.look(board, now_s=9.0)
    commentator.look(heard(3), now_s=10.0)
    commentator.look(DEALT, now_s=9.0)
    free.set()
    lines = [printed.get(timeout=PATIENCE_S) for _ in range(2)]

    assert lines == ["1 knock: nothing came of it.", "2 knocks: nothing came of it."]
    assert printed.empty()


@pytest.mark.parametrize(
    ("knocks_s", "says"),
    [
        ((), "wood.wav at seat 3 (Cap): no knock in it."),
        ((0.4,), "wood.wav at seat 3 (Cap): 1 knock, at 0.40 s."),
        ((0.1, 0.25), "wood.wav at seat 3 (Cap): 2 knocks, at 0.10; 0.25 s."),
    ],
)
def test_the_heading_tells_how_many_knocks_and_when(knocks_s: tuple[float, ...], says: str) -> None:
    assert heading("wood.wav", "seat 3 (Cap)", knocks_s, Words("en")) == says


def test_a_dutch_table_is_commented_in_dutch() -> None:
    dutch = Words("nl")

    assert heading("wood.wav", "plek 3", (0.4,), dutch) == "wood.wav op plek 3: 1 klop, op 0,40 s."
    assert list(comment(DEALT, [heard(2), DEALT], dutch)) == ["2 kloppen: daar kwam niets van."]


def test_a_long_recording_does_not_fill_the_terminal() -> None:
    assert (
        len(heading("wood.wav", "seat 3 (Cap)", [at / 5 for at in range(100)], Words("en"))) < 100
    )
