"""Chips on the slate: in the middle of the table, and from hand to hand at the end."""

from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from kloplei.games.card_game import Deal
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Payment, Scoreboard
from kloplei.games.toepen import Options, Toepen
from kloplei.slate.drawing import FrameTime, Motion, blank
from kloplei.slate.faces.end import Paid, draw_payments
from kloplei.slate.faces.table import draw_pots
from kloplei.slate.picture import DisplaySettings, Face, choose, draw
from kloplei.words import Words
from tests.slate.tarok_boards import evening, settled, table

WORDS = Words("en")
SIDE = (93, 0, 128, 64)
HINT = (93, 45, 128, 64)


def side_of(board: Scoreboard, at_s: float = 60.0) -> Image.Image:
    return draw(board, FrameTime(now_s=at_s), WORDS, DisplaySettings()).image.crop(SIDE)


def pots_of(**pots: int) -> Image.Image:
    image = Image.new("1", (34, 63))
    draw_pots(ImageDraw.Draw(image), *image.size, pots, "")
    return image


def page(*payments: Paid) -> Image.Image:
    sheet = blank()
    draw_payments(sheet, ("Anna", "wins"), list(payments))
    return sheet


@pytest.mark.parametrize("chips", [0, 5, 85, 120, 999, 1285, 9999, 65432])
def test_a_pot_is_whole_however_much_lies_in_it(chips: int) -> None:
    """Its last digit counts, which goes first where there is too little room."""
    lies, more = pots_of(king=chips), pots_of(king=chips + 5)

    assert lies.tobytes() != more.tobytes()


def test_it_is_plain_which_pot_is_which() -> None:
    king, pagat = pots_of(king=85), pots_of(pagat=85)

    assert king.crop((0, 0, 34, 6)).tobytes() != pagat.crop((0, 0, 34, 6)).tobytes()
    assert king.crop((0, 7, 34, 63)).tobytes() == pagat.crop((0, 7, 34, 63)).tobytes()


def test_both_pots_are_of_one_size() -> None:
    """A small pot in larger digits than the one beside it looked the more important one."""
    poor, rich = pots_of(king=5, pagat=5), pots_of(king=5, pagat=1285)

    tall = [image.crop((0, 8, 34, 22)).getbbox() for image in (poor, rich)]
    assert tall[0] is not None
    assert tall[1] is not None
    assert tall[1][3] - tall[1][1] < tall[0][3] - tall[0][1]


def test_between_hands_the_hint_says_whose_deal_it_is_and_then_how() -> None:
    board = evening()
    hints = {
        draw(board, FrameTime(now_s=at_s), WORDS, DisplaySettings()).image.crop(HINT).tobytes()
        for at_s in (60.0, 64.5)
    }

    assert len(hints) == 2


def test_an_empty_table_shows_who_deals_in_place_of_empty_pots() -> None:
    empty = table()

    assert side_of(empty).tobytes() == side_of(replace(empty, pots={})).tobytes()
    assert side_of(evening()).tobytes() != side_of(replace(evening(), pots={})).tobytes()


def test_who_plays_toepen_for_chips_reads_the_stake_while_a_hand_runs() -> None:
    """It was the pot that stood there, and the stake nowhere."""
    game = Toepen(Options(stake_in="chips"))
    dealt = game.start((Seat(0), Seat(1), Seat(2)), Seat(0))
    for event in game.decide(dealt, Deal()):
        dealt = game.apply(dealt, event)
    board = game.scoreboard(dealt)

    assert board.pots == {"chips": 0}
    assert side_of(board).tobytes() == side_of(replace(board, pots={})).tobytes()


def test_payments_take_turns_with_the_slate_once_all_is_settled() -> None:
    board = settled(45, -20, -25)
    faces = {
        choose(board, DisplaySettings(), Motion(FrameTime(now_s=float(s)))) for s in range(6, 40)
    }

    assert faces == {Face.OVER, Face.TABLE}


def test_payments_have_their_page_even_if_nobody_has_won() -> None:
    board = replace(
        table(), news=None, payments=(Payment(Seat(0), Seat(1), 5), Payment(Seat(1), Seat(0), 5))
    )

    assert choose(board, DisplaySettings(), Motion(FrameTime())) is Face.OVER


@pytest.mark.parametrize("name", ["Bo", "W" * 20])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_amount_is_whole_however_long_names_are(count: int, name: str) -> None:
    """One digit more or less shows, in each of the lines."""
    before = page(*(Paid(name, name, 2222) for _ in range(count)))
    seen = set()
    for line in range(count):
        now = page(*(Paid(name, name, 2222 + (at == line)) for at in range(count)))
        changed = [
            y
            for y in range(64)
            if now.crop((0, y, 128, y + 1)).tobytes() != before.crop((0, y, 128, y + 1)).tobytes()
        ]
        seen.add((min(changed), max(changed)))

    assert len(seen) == count


def test_a_long_name_keeps_off_arrow_and_amount() -> None:
    """Names share what the amounts leave; a short one leaves its part to the other."""
    long = page(Paid("W" * 20, "Bo", 45)).crop((0, 24, 128, 64))
    both = page(Paid("W" * 20, "W" * 20, 45)).crop((0, 24, 128, 64))

    def payer_ends(image: Image.Image) -> int:
        lit = [image.crop((x, 0, x + 1, 40)).getbbox() is not None for x in range(128)]
        return next(x for x in range(128) if not any(lit[x : x + 4]))

    assert payer_ends(long) > payer_ends(both) > 20
