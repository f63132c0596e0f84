"""From a scoreboard to one picture for the glass."""

from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from kloplei.rules.scoreboard import Scoreboard
from kloplei.slate.look import Look
from kloplei.slate.motion import Moment, Motion
from kloplei.words import Words

WIDTH, HEIGHT = 128, 64


@dataclass(frozen=True, slots=True)
class Picture:
    """*image* is one bit a pixel; it stays as it is for *lasts_s* seconds, None for ever."""

    image: Image.Image
    lasts_s: float | None = None


def draw(board: Scoreboard, moment: Moment, words: Words, look: Look) -> Picture:
    """Return what stands on the slate at *moment*."""
    motion = Motion(moment)
    image = Image.new("1", (WIDTH, HEIGHT))
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default_imagefont()
    for number, row in enumerate(board.rows):
        pen.text((0, 8 * number - 2), f"{row.name[:9]} {row.tally}", font=font, fill=1)
    if board.stake is not None:
        pen.text((110, 20), str(board.stake), font=font, fill=1)
    return Picture(image, motion.lasts_s)


def draw_greeting(words: Words) -> Picture:
    """Return what stands on the slate before the table has said anything."""
    return _one_word("Kloplei")


def draw_goodbye(words: Words) -> Picture:
    """Return what stays on the slate when the box stops."""
    return _one_word(words.say("slate.goodbye"))


def _one_word(word: str) -> Picture:
    image = Image.new("1", (WIDTH, HEIGHT))
    pen = ImageDraw.Draw(image)
    pen.text((30, 26), word.encode("ascii", "replace"), font=ImageFont.load_default_imagefont())
    return Picture(image)
