"""The wall: all tables of the house at one glance, live.

What moves on it is the same for everybody who reads one language, whoever they are, and is drawn
once. ``/wall/after/<version>`` answers when the wall is another one, so that a proxy that asks once
serves all (`hub/nginx.conf`).
"""

from flask import Blueprint, Response, make_response, render_template

from kloplei_hub.web.access import has_signed_in
from kloplei_hub.web.context import house, page, read_as_asked
from kloplei_hub.web.live import Wall
from kloplei_hub.web.pages import Way
from kloplei_panel.reader import reader

bp = Blueprint("wall", __name__)
WAY = Way("wall.whole", "way.wall")
FEW, SOME, MANY = 6, 20, 60
"""Up to so many tables stand on the wall large, less large, small."""
_MOST_DRAWN = 32
_SHARED_S = 1


@bp.get("/")
def whole() -> Response:
    """Show the wall; who has not signed in may get what a proxy gave another of that language."""
    wall = house().live.wall
    answer = page("wall/page.html", now=drawn(wall, reader().language), wall=wall)
    if has_signed_in():
        return answer
    answer.vary.update(("Accept-Language", "Cookie"))
    return shared(answer)


@bp.get("/wall/after/<version>")
def after(version: str) -> Response:
    """Answer with what moves once it is another wall than *version*; 204 where none came."""
    read_as_asked()
    wall = house().live.wall_after(version)
    if wall.version == version:
        return shared(Response(status=204))
    return shared(make_response(drawn(wall, reader().language)))


def shared(answer: Response) -> Response:
    """Return *answer*, which a proxy may give to all who ask for the same in this breath."""
    answer.headers["Cache-Control"] = f"public, max-age=0, s-maxage={_SHARED_S}"
    return answer


def drawn(wall: Wall, language: str) -> str:
    """Return what moves of *wall*, drawn once for all who read that *language*."""
    kept, key = house().drawn, ("wall", wall.version, language)
    found: str | None = kept.get(key)
    if found is None:
        with house().drawing:
            found = kept.get(key) or render_template(
                "wall/now.html", reader=reader(), wall=wall, size=_size_of(wall)
            )
            if len(kept) >= _MOST_DRAWN:
                kept.clear()
            kept[key] = found
    return found


def _size_of(wall: Wall) -> str:
    for size, most in (("few", FEW), ("some", SOME), ("many", MANY)):
        if len(wall.tiles) <= most:
            return size
    return "crowd"
