"""Draw the reference pictures again: ``python -m tests.slate.redraw``, then look at them."""

import sys
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from kloplei.config.settings import SMALL_GLASS, TINY_GLASS, WIDE_GLASS, Glass
from kloplei.slate.drawing import FrameTime, with_letters
from kloplei.slate.picture import draw, draw_goodbye, draw_greeting, draw_pause
from kloplei.words import Words
from tests.slate.beats import beats
from tests.slate.boards import IN_JAPANESE, SCENES
from tests.slate.scene import Scene

REFERENCE = Path(__file__).parent / "reference"
FOLDERS = {
    SMALL_GLASS: REFERENCE,
    TINY_GLASS: REFERENCE / str(TINY_GLASS),
    WIDE_GLASS: REFERENCE / str(WIDE_GLASS),
}
"""Where the pictures of each glass are kept."""
OF_EACH = (
    *("play-4", "play-8", "answering-4", "answering-8", "armoede-4", "between-hands-8", "folded"),
    *("toep", "toepkoning", "rubber-over", "rubber-over-slate", "clean-slate", "hand-won"),
    *(
        "exchange",
        "seating-some",
        "seating-heard",
        "join",
        "wifi",
        "offline",
        "door-seat",
        "door-play",
    ),
    *("call-seating", "grace-trick", "doubt", "refused-8", "asking", "notice", "heard-three-8"),
    *("watten-play", "watten-raised", "watten-blind", "watten-gestrichen", "watten-over"),
    *("tarok-between-hands", "tarok-settled", "tarok-declaring", "31-play", "31-swimming"),
    *("tuning-knocks", "bench-countdown", "bench-knock", "greeting", "goodbye", "pause"),
    *("japanese-names", *(f"japanese-{name}" for name in IN_JAPANESE)),
)
"""What is kept of other glasses than the small one, of which all is."""
_CONTACT = Path("test-results")
_SCALE, _ACROSS_PX, _LABEL_PX = 4, 512, 14


def drawn(scene: Scene, glass: Glass = SMALL_GLASS) -> Image.Image:
    """Return the picture of *scene* on *glass*."""
    words, look = with_letters(Words(scene.language)), replace(scene.look, glass=glass)
    return draw(scene.board, FrameTime(now_s=scene.after_s), words, look).image


def pictures(glass: Glass = SMALL_GLASS) -> dict[str, Image.Image]:
    """Return every picture as it is drawn now on *glass*, by its name."""
    words = Words("nl")
    found = {name: drawn(scene, glass) for name, scene in SCENES.items()}
    return found | {
        "greeting": draw_greeting(words, glass).image,
        "pause": draw_pause(words, glass).image,
        "goodbye": draw_goodbye(words, glass).image,
        **beats(glass),
    }


def contact_sheet(images: dict[str, Image.Image]) -> Image.Image:
    """Return all *images*, of one size, on one sheet, four times as large, with their names."""
    width, height = next(iter(images.values())).size
    across = _ACROSS_PX // width
    wide, tall = width * _SCALE + 8, height * _SCALE + _LABEL_PX + 8
    sheet = Image.new("L", (wide * across, tall * -(-len(images) // across)), 96)
    pen = ImageDraw.Draw(sheet)
    for number, (name, image) in enumerate(images.items()):
        left, top = number % across * wide, number // across * tall
        pen.text((left, top), name, fill=255)
        large = image.convert("L").resize(
            (width * _SCALE, height * _SCALE), Image.Resampling.NEAREST
        )
        sheet.paste(large, (left, top + _LABEL_PX))
    return sheet


def main(wanted: list[str]) -> None:
    """Write the pictures that are *wanted*, all of them if none is named, and contact sheets."""
    for glass, folder in FOLDERS.items():
        _redraw(glass, folder, wanted)


def kept(glass: Glass) -> dict[str, Image.Image]:
    """Return the reference pictures of *glass* as they are drawn now."""
    drawn_now = pictures(glass)
    return drawn_now if glass == SMALL_GLASS else {name: drawn_now[name] for name in OF_EACH}


def _redraw(glass: Glass, folder: Path, wanted: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    images = {name: image for name, image in kept(glass).items() if not wanted or name in wanted}
    for name, image in images.items():
        image.save(folder / f"{name}.png", optimize=True)
    if not wanted:
        for old in folder.glob("*.png"):
            if old.stem not in images:
                old.unlink()
    _CONTACT.mkdir(parents=True, exist_ok=True)
    contact = _CONTACT / f"slates-{glass}.png"
    contact_sheet(images).save(contact)
    print(f"{len(images)} pictures drawn; look at {contact}")


if __name__ == "__main__":
    main(sys.argv[1:])
