"""``/slate.png``: what stands on the OLED now, one pixel a pixel or magnified."""

import hashlib
import io

from flask import Blueprint, Response, request

from kloplei.table.client import Frame
from kloplei_panel.forms import in_address
from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

bp = Blueprint("picture", __name__)
MOST_SCALE = 16


@bp.get("/slate.png")
def slate_png() -> Response:
    """Answer with the picture; ``?scale=4`` draws each pixel as a square of 4."""
    scale = in_address("scale", usual=1, most=MOST_SCALE, digits=2, problem="bad_scale")
    frame = panel().table.frame()
    if frame is None:
        raise Problem(404, "no_slate")
    response = Response(mimetype="image/png")
    response.headers["Cache-Control"] = "no-cache"
    # The picture is asked for several times a second and mostly has not changed.
    response.set_etag(hashlib.blake2b(frame.bits, digest_size=12, salt=bytes([scale])).hexdigest())
    response.make_conditional(request)
    if response.status_code == 200:
        response.set_data(to_png(frame, scale))
    return response


def to_png(frame: Frame, scale: int = 1) -> bytes:
    """Return *frame* as a PNG of one bit a pixel, magnified *scale* times without blur."""
    from PIL import Image  # some megabytes that a panel without onlookers never loads

    size = (frame.width, frame.height)
    picture = Image.frombytes("1", size, frame.bits)
    large = picture.resize((frame.width * scale, frame.height * scale), Image.Resampling.NEAREST)
    png = io.BytesIO()
    large.save(png, "PNG")
    return png.getvalue()
