"""What the slate says at the bench, moment by moment, for bench.md."""

from pathlib import Path

from PIL import Image

from kloplei.games.game import Seat
from kloplei.recordings.capture.protocol import LEAD_S, ProtocolStep, steps_for
from kloplei.recordings.capture.session import Shown, picture_of

NAME = "bench-slate.png"
_STEP = "seat-3-hard"
_SCALE, _RIM_PX = 3, 9
_MOMENTS = (None, LEAD_S - 1.0, LEAD_S + 0.1)  # before it begins, the countdown, and now


def draw(folder: Path) -> None:
    """Write the picture into *folder*."""
    step = next(one for one in steps_for([Seat(at) for at in range(4)]) if one.name == _STEP)
    images = [picture_of(_shown(step, at_s), "en") for at_s in _MOMENTS]
    wide, tall = (side * _SCALE + _RIM_PX for side in images[0].size)
    sheet = Image.new("L", (wide * len(images) - _RIM_PX, tall - _RIM_PX), 96)
    for number, image in enumerate(images):
        large = image.convert("L").resize(
            (wide - _RIM_PX, tall - _RIM_PX), Image.Resampling.NEAREST
        )
        sheet.paste(large, (number * wide, 0))
    sheet.save(folder / NAME, optimize=True)


def _shown(step: ProtocolStep, since_s: float | None) -> Shown:
    return Shown(step, 1, 1, since_s is not None, since_s or 0.0)
