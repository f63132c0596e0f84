"""Six to eight players on a small glass: whom a page shows, and what stands all at once."""

from dataclasses import replace
from typing import Any

import pytest
from PIL import Image, ImageChops

from kloplei.config.settings import SMALL_GLASS, WIDE_GLASS, SlateConfig
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Door, Doubt, Grace, Hand, Heard, Line, Scoreboard, Tone
from kloplei.network.addresses import JoinAddress, Wifi
from kloplei.slate.drawing import SHOUT, FrameTime, Motion, blank, inner
from kloplei.slate.faces import wide
from kloplei.slate.faces.overlays import Overlay
from kloplei.slate.faces.rows import page_of, pages_of
from kloplei.slate.picture import DisplaySettings, Picture, draw
from kloplei.words import LANGUAGES, Words
from kloplei.words.letters import legible
from tests.slate.boards import SCENES, answering, between_hands, rubber_over, seating, table
from tests.words.sources import sentences

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


WHO = Seat(1)
PASSING: dict[str, dict[str, Any]] = {
    "news": {"news": Line("news.hand-won", {"seat": WHO, "n": 2}, Tone.TOLD)},
    "refused": {"refused": Line("reason.same_knocker", {"seat": WHO})},
    "doubt": {"doubt": Doubt(WHO, 1, 0, 65.0, 5.0, 1, "knock")},
    "grace": {"grace": Grace(WHO, "trick", 64.0, 5.0)},
    "door": {"door": Door("KROKET", 1, None, 80.0, 30.0, 3)},
}


def on_wide(board: Scoreboard, *, after_s: float = 0.5, language: str = "nl") -> Image.Image:
    look = DisplaySettings(glass=WIDE_GLASS)
    moment = FrameTime(now_s=LONG_AGO_S + after_s, board_s=LONG_AGO_S, news_s=LONG_AGO_S)
    return draw(board, moment, Words(language), look).image


@pytest.mark.parametrize("what", PASSING)
@pytest.mark.parametrize("players", range(2, 5))
def test_what_passes_covers_no_player_and_no_stake_of_the_wide_slate(
    players: int, what: str
) -> None:
    """News covered the fourth row for some seconds, and a question half of the third name."""
    board = table(EIGHT[:players])
    before, now = on_wide(board), on_wide(replace(board, **PASSING[what]))

    left, right = (0, 0, 129, WIDE_GLASS.height), (207, 0, *WIDE_GLASS)
    assert now.crop(left).tobytes() == before.crop(left).tobytes()
    assert now.crop(right).tobytes() == before.crop(right).tobytes()
    assert now.tobytes() != before.tobytes()


@pytest.mark.parametrize("what", PASSING)
@pytest.mark.parametrize("players", [5, 8])
def test_a_crowd_moves_aside_for_what_passes_with_all_its_names_and_numbers(
    players: int, what: str
) -> None:
    """Each of them changes the picture where it stands, and nowhere else."""
    passing = replace(table(EIGHT[:players]), **PASSING[what])
    box = (0, 0, 207 - wide._PAST_PX - 5, WIDE_GLASS.height)
    before = on_wide(passing).crop(box)

    for at in range(players):
        rows = list(passing.rows)
        rows[at] = replace(rows[at], name="Xx", tally=4)
        now = on_wide(replace(passing, rows=tuple(rows))).crop(box)
        left, top, right, foot = ImageChops.difference(before, now).getbbox() or (0, 0, *WIDE_GLASS)
        column, line = divmod(at, -(-players // 2))
        high = (WIDE_GLASS.height - 2) / -(-players // 2)

        assert right - left < box[2] // 2
        assert (left > box[2] // 2 - 3) is (column == 1)
        assert line * high - 2 <= top < foot <= (line + 1) * high + 2


@pytest.mark.parametrize("what", ["doubt", "refused", "grace"])
def test_what_passes_covers_no_seat_to_take_on_the_wide_slate(what: str) -> None:
    """A knock that may have been none stood over the places of four and eight, and over the hint.

    While somebody is at it no code to come in by takes the place of the seats.
    """
    passing = replace(seating(*range(8)), **PASSING[what])
    box = (0, 0, WIDE_GLASS.width - wide._BESIDE_PX[-1], WIDE_GLASS.height)
    before = on_wide(passing).crop(box)

    for at in range(8):
        rows = list(passing.rows)
        rows[at] = replace(rows[at], name="Xx")
        now = on_wide(replace(passing, rows=tuple(rows))).crop(box)
        assert ImageChops.difference(before, now).getbbox(), at
    hint = (0, WIDE_GLASS.height - 8, box[2], WIDE_GLASS.height)
    said = {on_wide(passing, language=one).crop(hint).tobytes() for one in ("nl", "de")}
    assert len(said) == 2


def test_what_is_told_at_the_end_of_a_rubber_leaves_the_end_whole_on_the_wide_slate() -> None:
    told = Line("news.hand-won", {"seat": WHO, "n": 2}, Tone.TOLD)
    over = rubber_over()
    passing = replace(over, told=(told,))
    foot = (0, WIDE_GLASS.height - 10, WIDE_GLASS.width - wide._BESIDE_PX[-1], WIDE_GLASS.height)

    before, now = (on_wide(one, after_s=6.0) for one in (over, passing))

    assert before.crop(foot).getbbox()
    assert now.crop(foot).tobytes() == before.crop(foot).tobytes()
    assert now.tobytes() != before.tobytes()


@pytest.mark.parametrize(
    ("scene", "language"), [("watten-3", "ja"), ("watten-play", "ja"), ("play-3-to-15", "nl")]
)
def test_the_stake_of_the_wide_slate_is_half_as_high_again_as_a_shout(
    scene: str, language: str
) -> None:
    """Where kana took two pixels of its room, or it had two digits, it was 19 pixels high."""
    board = SCENES[scene].board
    assert board.stake is not None
    other = replace(board, stake=board.stake + 1)
    side = (WIDE_GLASS.width - wide._SIDE_PX, 0, *WIDE_GLASS)

    one, two = (on_wide(each, language=language).crop(side) for each in (board, other))

    _, top, _, foot = ImageChops.difference(one, two).getbbox() or (0, 0, 0, 0)
    assert foot - top > SHOUT.capital + 3


@pytest.mark.parametrize(("password", "lines"), [("proost-proost", 1), ("ab3" * 21, 2)])
def test_a_wifi_is_typed_off_the_wide_slate_as_large_as_it_can_be(
    password: str, lines: int
) -> None:
    look = DisplaySettings(
        join=JoinAddress("http://10.0.0.7/", Wifi("Kloplei", password)), glass=WIDE_GLASS
    )
    moment = FrameTime(now_s=LONG_AGO_S + 16.0, board_s=LONG_AGO_S, news_s=LONG_AGO_S)
    picture = draw(seating(0), moment, Words("nl"), look).image

    rows = [bool(picture.crop((69, y, WIDE_GLASS.width, y + 1)).getbbox()) for y in range(38, 63)]
    found = "".join("#" if lit else " " for lit in rows).split()
    assert len(found) == lines
    assert (len(found[0]) >= 14) is (lines == 1)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_may_be_said_beside_a_table_stands_there_whole(language: str, game: str) -> None:
    words, height = Words(language).of_game(game), inner(blank(WIDE_GLASS))[1] - 1
    keys = {
        key
        for key in sentences(language)
        if key.startswith(("guide.", "show.", "reason.", "told."))
    }
    facts = {"seat": Seat(0), "of": Seat(1), "next": Seat(2), "seats": (Seat(0), Seat(2)), "n": 3}
    names = {Seat(at): name for at, name in enumerate(("Thijs", "Tame", "Thomas"))}

    said = {key: Overlay(legible(words.say(key, facts, names))) for key in keys}

    widest = wide._BESIDE_PX[-1]
    tall = {key: wide._tall(one, wide._lines_of(one, widest)) for key, one in said.items()}
    assert {key: px for key, px in tall.items() if px > height} == {}
