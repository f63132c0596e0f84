"""A test picture that shows at which column the glass of an OLED begins.

SH1106 chips have memory for 132 columns behind 128 columns of glass; where the glass begins
differs by maker, and shops sell them as SSD1306. ``kloplei doctor --slate`` shows it;
`kloplei.diagnostics.slate` says what follows from what one sees.
"""

from typing import TYPE_CHECKING

from kloplei.devices.oled import HEIGHT, WIDTH

if TYPE_CHECKING:
    from PIL import Image

STEPS = 5  # columns that may be hidden: 0 to 4
STEP_PX = 12  # from one bar down to the next
BAR_PX = 7
TOP_PX = 4
REACH_PX = 24  # bars end here, counted from their edge


def column_picture() -> "Image.Image":
    """Return the picture, one bit a pixel: on either side five bars, marked 0 to 4.

    Bar *n* begins *n* columns from the edge. So the last bar that still touches the edge of
    the glass on the left says how many columns are hidden there and are to be added to
    ``[slate] column_offset``; on the right, how many are to be taken off it.
    """
    from PIL import Image, ImageDraw

    image = Image.new("1", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    for step in range(STEPS):
        top = TOP_PX + step * STEP_PX
        bottom = top + BAR_PX - 1
        draw.rectangle((step, top, REACH_PX, bottom), fill=1)
        draw.rectangle((WIDTH - 1 - REACH_PX, top, WIDTH - 1 - step, bottom), fill=1)
        draw.text((REACH_PX + 6, top + BAR_PX // 2), str(step), fill=1, anchor="lm")
        draw.text((WIDTH - 7 - REACH_PX, top + BAR_PX // 2), str(step), fill=1, anchor="rm")
    return image
