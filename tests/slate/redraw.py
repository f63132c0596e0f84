"""Draw the reference pictures again: ``python -m tests.slate.redraw``, then look at them."""

import sys
from pathlib import Path

from PIL import Image, ImageDraw

from kloplei.slate.drawing import HEIGHT, WIDTH, FrameTime, with_letters
from kloplei.slate.picture import draw, draw_goodbye, draw_greeting, draw_pause
from kloplei.words import Words
from tests.slate.beats import BEATS
from tests.slate.boards import SCENES
from tests.slate.scene import Scene

REFERENCE = Path(__file__).parent / "reference"
_CONTACT = Path("test-results/slates.png")
_SCALE, _ACROSS, _LABEL_PX = 4, 3, 14


def drawn(scene: Scene) -> Image.Image:
    """Return the picture of *scene*."""
    words = with_letters(Words(scene.language))
    return draw(scene.board, FrameTime(now_s=scene.after_s), words, scene.look).image


def pictures() -> dict[str, Image.Image]:
    """Return every reference picture as it is drawn now."""
    words = Words("nl")
    found = {name: drawn(scene) for name, scene in SCENES.items()}
    return found | {
        "greeting": draw_greeting(words).image,
        "pause": draw_pause(words).image,
        "goodbye": draw_goodbye(words).image,
        **BEATS,
    }


def contact_sheet(images: dict[str, Image.Image]) -> Image.Image:
    """Return all *images* on one sheet, four times as large, with their names."""
    wide, tall = WIDTH * _SCALE + 8, HEIGHT * _SCALE + _LABEL_PX + 8
    sheet = Image.new("L", (wide * _ACROSS, tall * -(-len(images) // _ACROSS)), 96)
    pen = ImageDraw.Draw(sheet)
    for number, (name, image) in enumerate(images.items()):
        left, top = number % _ACROSS * wide, number // _ACROSS * tall
        pen.text((left, top), name, fill=255)
        large = image.convert("L").resize(
            (WIDTH * _SCALE, HEIGHT * _SCALE), Image.Resampling.NEAREST
        )
        sheet.paste(large, (left, top + _LABEL_PX))
    return sheet


def main(wanted: list[str]) -> None:
    """Write the pictures that are *wanted*, all of them if none is named, and a contact sheet."""
    REFERENCE.mkdir(exist_ok=True)
    images = {name: image for name, image in pictures().items() if not wanted or name in wanted}
    for name, image in images.items():
        image.save(REFERENCE / f"{name}.png", optimize=True)
    if not wanted:
        for old in REFERENCE.glob("*.png"):
            if old.stem not in images:
                old.unlink()
    _CONTACT.parent.mkdir(exist_ok=True)
    contact_sheet(images).save(_CONTACT)
    print(f"{len(images)} pictures drawn; look at {_CONTACT}")


if __name__ == "__main__":
    main(sys.argv[1:])
