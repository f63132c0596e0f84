"""Six to eight players on a small glass: whom a page shows, and what stands all at once."""

from dataclasses import replace

import pytest

from kloplei.config.settings import SMALL_GLASS, SlateConfig
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand, Heard, Line, Scoreboard
from kloplei.slate.drawing import FrameTime, Motion
from kloplei.slate.faces.rows import page_of, pages_of
from kloplei.slate.picture import DisplaySettings, Picture, draw
from kloplei.words import Words
from tests.slate.boards import answering, between_hands, table

EIGHT = (3, 7, 0, 5, 9, 2, 6, 8)
LONG_AGO_S = 60.0
FIRST, SECOND = {0, 1, 2, 3}, {4, 5, 6, 7}


def shown(board: Scoreboard, *, board_s: float = 0.0, news_s: float = LONG_AGO_S) -> set[int]:
    """Return the seats on the page *board_s* after the board came, *news_s* after its news."""
    motion = Motion(FrameTime(now_s=100.0, board_s=100.0 - board_s, news_s=100.0 - news_s))
    return {int(row.seat) for row in page_of(board, motion)}


def drawn(board: Scoreboard, crowd: str = "pages", *, at_s: float = LONG_AGO_S) -> Picture:
    look = DisplaySettings(slate=SlateConfig(crowd=crowd))
    return draw(board, FrameTime(now_s=at_s), Words("nl"), look)


@pytest.mark.parametrize(("players", "sizes"), [(6, [3, 3]), (7, [4, 3]), (8, [4, 4])])
def test_there_are_two_pages_as_full_as_each_other(players: int, sizes: list[int]) -> None:
    assert [len(page) for page in pages_of(table(EIGHT[:players]))] == sizes


def test_where_nothing_matters_more_pages_take_turns() -> None:
    assert [shown(table(EIGHT), board_s=at_s) for at_s in (0, 6, 11)] == [FIRST, SECOND, FIRST]


@pytest.mark.parametrize(("seat", "page"), [(1, FIRST), (6, SECOND)])
def test_whoever_knocks_is_seen(seat: int, page: set[int]) -> None:
    for board_s in (0, 6):
        assert shown(replace(table(EIGHT), heard=Heard(Seat(seat), 1)), board_s=board_s) == page


def test_whoever_is_refused_is_seen() -> None:
    refused = Line("reason.knock_limit", {"seat": Seat(4), "left": 1})

    assert shown(replace(table(EIGHT), refused=refused)) == SECOND


def test_whoever_was_hit_is_seen_for_a_while() -> None:
    hit = Hand(1, Seat(0), "tricks", {Seat(5): 2})
    board = replace(between_hands(EIGHT), hands=(hit,))

    assert shown(board, news_s=1.0) == SECOND
    assert shown(board, news_s=LONG_AGO_S) == FIRST


def test_whoever_has_answered_is_seen_and_then_who_has_not() -> None:
    board = replace(
        answering(EIGHT, 2),
        to_answer=(Seat(6),),
        news=Line("news.stayed", {"seat": Seat(1), "stake": 2}),
    )

    assert shown(board, news_s=0.5) == FIRST
    assert shown(board, news_s=2.0) == SECOND


def test_five_stay_on_one_page() -> None:
    board = table(EIGHT[:5])

    assert drawn(board).image.tobytes() == drawn(board, "strokes").image.tobytes()


@pytest.mark.parametrize("crowd", ["digits", "strokes"])
@pytest.mark.parametrize("seat", range(8))
def test_without_pages_everybody_stands_there_at_any_time(crowd: str, seat: int) -> None:
    other = (*EIGHT[:seat], 1, *EIGHT[seat + 1 :])

    for at_s in (LONG_AGO_S, LONG_AGO_S + 6):
        before, after = (drawn(table(lost), crowd, at_s=at_s).image for lost in (EIGHT, other))
        assert before.tobytes() != after.tobytes()


def test_the_row_of_whoever_knocks_goes_ahead_of_its_page() -> None:
    picture = drawn(replace(table(EIGHT), heard=Heard(Seat(6), 1)), at_s=0.0)

    assert picture.first is not None
    assert picture.first.height < SMALL_GLASS.height / 3
    assert picture.first.y > SMALL_GLASS.height / 3
