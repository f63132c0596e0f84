from dataclasses import replace
from itertools import groupby

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Doubt, Grace, Heard, Line, Scoreboard, Tone
from kloplei.slate.drawing import FrameTime, Motion
from kloplei.slate.picture import DisplaySettings, Face, choose, passing, whose_page
from tests.slate.boards import (
    JOIN,
    WIFI,
    between_hands,
    called,
    door,
    rubber_over,
    seating,
    table,
    tuned,
)

PLAY = table((3, 7, 0, 5))
KNOCKED = replace(
    PLAY,
    phase="answering",
    news=Line("news.knocked", {"seat": Seat(1), "stake": 2}, Tone.SHOUT),
)
DOUBT = Doubt(Seat(0), knocks=1, sure=0, until_s=5.0, total_s=5.0, number=1)
PART = Line("notice.part", {"part": "lamp", "message": "Mend it."})
JOURNAL = Line("notice.journal", {"message": "Make room."})


def face(board: Scoreboard, at_s: float = 0.0, look: DisplaySettings = JOIN) -> Face:
    return choose(board, look, Motion(FrameTime(now_s=at_s)))


def faces(board: Scoreboard, seconds: int, look: DisplaySettings = JOIN) -> set[Face]:
    return {face(board, float(at_s), look) for at_s in range(seconds)}


def test_a_hand_shows_the_table() -> None:
    assert faces(PLAY, 30) == {Face.TABLE}


def test_codes_take_turns_with_the_seats_until_somebody_starts() -> None:
    assert faces(seating(0, 1), 60, WIFI) == {Face.SEATING, Face.JOIN, Face.WIFI}


def test_whoever_comes_late_finds_the_code_when_nobody_deals_for_a_while() -> None:
    """It stood among the empty seats only, where a late guest never looked."""
    board = between_hands((0, 0, 0))

    assert faces(board, 30, WIFI) == {Face.TABLE}
    assert faces(board, 60, WIFI) == {Face.TABLE, Face.JOIN}
    assert faces(board, 60, DisplaySettings()) == {Face.TABLE}


def test_after_seven_knocks_the_slate_shows_what_to_come_in_by() -> None:
    welcome = replace(PLAY, shown=Line("notice.welcome"))

    assert [face(welcome, at_s, WIFI) for at_s in (0.0, 5.0, 19.0)] == [
        *(Face.TABLE, Face.JOIN, Face.JOIN)
    ]
    assert faces(replace(welcome, doubt=DOUBT), 20, WIFI) == {Face.TABLE}
    assert faces(welcome, 20, DisplaySettings()) == {Face.TABLE}


def test_without_an_address_no_code_is_shown() -> None:
    assert faces(seating(), 60, DisplaySettings()) == {Face.SEATING}


def test_a_doubt_comes_before_the_question_it_may_answer() -> None:
    asking = replace(PLAY, asking=Line("ask.who-knocked", {"n": 1}))

    assert face(asking) is Face.QUESTION
    assert face(replace(asking, doubt=DOUBT)) is Face.TABLE


def test_who_asks_at_the_door_fills_the_slate_only_between_hands() -> None:
    assert faces(door(between_hands((0, 0, 0))), 60, WIFI) == {Face.DOOR}
    assert faces(door(seating(0, 1)), 60, WIFI) == {Face.DOOR}
    assert faces(door(PLAY), 60) == {Face.TABLE}


def test_a_call_takes_turns_between_hands_and_hides_nothing_of_one() -> None:
    between = called(between_hands((0, 0, 0)))

    assert face(between, 0.5) is Face.CALL
    assert faces(between, 60) >= {Face.CALL, Face.TABLE}
    assert faces(called(PLAY), 60) == {Face.TABLE}
    assert face(replace(between, asking=Line("ask.who-knocked", {"n": 1}))) is Face.QUESTION
    assert face(replace(between, heard=Heard(Seat(0), 1))) is Face.TABLE
    assert faces(door(between), 60) == {Face.DOOR}


def test_the_door_waits_for_whatever_the_game_has_to_show() -> None:
    between = door(between_hands((0, 0, 0)))

    assert face(replace(between, asking=Line("ask.who-knocked", {"n": 1}))) is Face.QUESTION
    assert face(replace(between, heard=Heard(Seat(0), 1))) is Face.TABLE
    assert face(replace(between, grace=Grace(Seat(0), "undo", 3.0, 3.0))) is Face.TABLE
    assert face(door(KNOCKED), 0.5) is Face.SHOUT


def test_a_knock_is_shouted_for_a_moment() -> None:
    assert face(KNOCKED, 0.5) is Face.SHOUT
    assert face(KNOCKED, 1.5) is Face.TABLE


@pytest.mark.parametrize(
    "at_it",
    [
        {"heard": Heard(Seat(0), 1)},
        {"grace": Grace(Seat(0), "undo", 3.0, 3.0)},
        {"doubt": DOUBT},
        {"refused": Line("reason.same_knocker", {"seat": Seat(1)})},
    ],
)
def test_who_is_at_it_sees_the_table_at_once(at_it: dict[str, object]) -> None:
    for board in (KNOCKED, rubber_over()):
        assert face(replace(board, **at_it), 0.1) is Face.TABLE  # type: ignore[arg-type]


def test_a_question_comes_before_everything() -> None:
    assert face(replace(rubber_over(), asking=Line("ask.who-knocked", {"n": 1}))) is Face.QUESTION


@pytest.mark.parametrize("crowned", [False, True])
def test_who_wins_gets_a_fanfare_and_then_the_drinks_are_asked_for(crowned: bool) -> None:
    board = rubber_over(crowned=crowned)

    assert face(board, 1.0) is Face.FANFARE
    assert face(board, 6.0) is Face.OVER
    assert faces(board, 60) == {Face.FANFARE, Face.OVER, Face.TABLE, Face.JOIN}


def test_a_broken_part_is_told_between_hands() -> None:
    assert Face.NOTICE in faces(replace(between_hands((0, 0, 0)), notices=(PART,)), 30)
    assert faces(replace(PLAY, notices=(PART,)), 30) == {Face.TABLE}


def test_a_part_that_breaks_in_a_hand_is_told_at_once_and_for_a_moment() -> None:
    """Only a sign stood beside the stake, and the seat was named when the hand was over."""
    board = replace(PLAY, notices=(JOURNAL, PART))

    def told(at_s: float, board: Scoreboard = board) -> Line | None:
        return passing(board, Motion(FrameTime(at_s, trouble_s=10.0, trouble=PART)))

    assert told(10.0) is PART
    assert told(14.9) is PART
    assert told(15.0) is None
    assert told(10.0, PLAY) is None  # it works again
    assert told(10.0, replace(between_hands((0, 0, 0)), notices=(PART,))) is None


def test_every_broken_part_has_its_turn() -> None:
    """Four piezos on one plug came loose, and the slate named the first of them all evening."""
    parts = tuple(Line("notice.part", {"part": f"piezo {number}"}) for number in (1, 2, 3))
    board = replace(between_hands((0, 0, 0)), notices=parts)

    told = [
        whose_page(board, JOIN, Motion(FrameTime(now_s=float(at_s))))
        for at_s in range(39)
        if face(board, float(at_s)) is Face.NOTICE
    ]

    assert [line for line, _ in groupby(told)] == list(parts)


def test_a_slate_that_keeps_nothing_says_so_at_any_time() -> None:
    assert Face.NOTICE in faces(replace(PLAY, notices=(JOURNAL,)), 30)


def test_a_refusal_stands_as_long_as_the_table_shows_it() -> None:
    refused = Line("reason.same_knocker", {"seat": Seat(1)})

    assert passing(replace(PLAY, refused=refused), Motion(FrameTime(now_s=99.0))) is refused


def test_news_that_no_row_shows_pass_by() -> None:
    won = Line("news.hand-won", {"seat": Seat(1), "n": 2}, Tone.TOLD)
    board = between_hands((0, 0, 0), news=won)

    assert passing(board, Motion(FrameTime(now_s=1.0))) is won
    assert passing(board, Motion(FrameTime(now_s=9.0))) is None


def test_what_is_told_besides_passes_by_after_the_news() -> None:
    won = Line("news.deal-won", {"seats": (Seat(0),), "points": 2}, Tone.TOLD)
    opened = Line("news.seal-opened", {"rank": "10", "suit": "C"}, Tone.TOLD)
    lies = Line("told.cards-lie", {"card": ("H7",), "next": Seat(1)})
    board = replace(PLAY, news=won, told=(opened, lies))

    passed = [passing(board, Motion(FrameTime(at_s))) for at_s in (1.0, 5.0, 9.0)]

    assert passed == [won, opened, None]


def test_what_the_rows_show_is_not_said_again() -> None:
    assert passing(replace(PLAY, news=Line("news.stayed")), Motion(FrameTime())) is None


def test_a_table_that_is_tuned_shows_nothing_else() -> None:
    """A question would be answered by knocks, and those are not for the game now."""
    board = replace(
        tuned("quiet"), asking=Line("ask.who-knocked"), heard=Heard(Seat(0), 1), notices=(JOURNAL,)
    )

    assert faces(board, 60, WIFI) == {Face.TUNING}
