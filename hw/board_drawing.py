"""Pictures of a board, as SVG: from the component side, and turned over from the copper side."""

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from hw.board import DRILLED, SCREW_HEAD, Board, Put
from hw.footprints import ELECTROLYTIC, PITCH, Box, Stand
from hw.sheet import Kind

SCALE = 12.0  # pixels a mm
_MARGIN = 4.6  # mm around the board, for the names of strips and holes
_TITLE = 6.0  # mm above
_COPPER, _BASE, _WIRE = "#d08a4e", "#f3e3c3", "#1d4f9c"
_FILL = {
    Kind.RESISTOR: "#8fb8de", Kind.CAPACITOR: "#e8c15a", Kind.SCHOTTKY: "#e39a8d",
    Kind.SUPPRESSOR: "#b9b0aa", Kind.JUMPER: "#c4a6d8", Kind.TRIMMER: "#7fc4b4",
}  # fmt: skip
_CHIP, _CLAMP, _LOOSE = "#9aa5a0", "#8ec98a", "#ffffff"

Place = Callable[[float, float], tuple[float, float]]


def draw_top(board: Board) -> str:
    """Return the picture of the component side."""

    def place(x: float, y: float) -> tuple[float, float]:
        return (_MARGIN + PITCH / 2 + x) * SCALE, (_MARGIN + _TITLE + PITCH / 2 + y) * SCALE

    lines = [*_ground(board, place, "component side", 0.35)]
    for link in board.links:
        (x1, y1), (x2, y2) = place(*link.begin.mm), place(*link.end.mm)
        lines.append(_line(x1, y1, x2, y2, _WIRE, 0.55 * SCALE))
        lines += [_dot(x, y, 0.5 * SCALE, _WIRE) for x, y in ((x1, y1), (x2, y2))]
    lines += [line for put in board.parts for line in _body(put, place)]
    lines += [line for put in board.parts for line in _text(put, board.each, place)]
    return _svg(board, lines)


def draw_copper(board: Board) -> str:
    """Return the picture of the copper side, hole 1 on the right: turned over like a page."""
    width = board.size[0]

    def place(x: float, y: float) -> tuple[float, float]:
        across = _MARGIN + width - PITCH / 2 - x
        return across * SCALE, (_MARGIN + _TITLE + PITCH / 2 + y) * SCALE

    lines = [*_ground(board, place, "copper side, turned over: hole 1 is on the right", 1.0)]
    for put in board.parts:
        lines += [_dot(*place(*hole.mm), 0.75 * SCALE, "#c9ccd1", "#555") for hole in put.holes]
    for link in board.links:
        for hole in (link.begin, link.end):
            lines.append(_dot(*place(*hole.mm), 0.75 * SCALE, "#c9ccd1", _WIRE))
    for put in board.parts:
        if put.footprint.stand is Stand.CHIP:
            lines += [_label(*place(*hole.mm), str(pin), 0.95, "#222")
                      for pin, hole in enumerate(put.holes, start=1)]  # fmt: skip
    return _svg(board, lines)


def draw(board: Board, folder: Path) -> None:
    """Draw both sides of *board* into *folder*."""
    for side, picture in (("top", draw_top(board)), ("copper", draw_copper(board))):
        (folder / f"board-{board.name}-{side}.svg").write_text(picture, encoding="utf-8")


def _ground(board: Board, place: Place, side: str, strength: float) -> Iterator[str]:
    """Yield board, copper, holes, cuts and their names."""
    width, height = board.size
    edge = Box(-PITCH / 2, -PITCH / 2, width - PITCH / 2, height - PITCH / 2)
    yield _rectangle(edge, place, _BASE, "#998866")
    yield _label(_MARGIN * SCALE, 2.2 * SCALE, board.title, 2.2, "#111", "start")
    yield _label(_MARGIN * SCALE, 5.2 * SCALE, side, 1.7, "#444", "start")
    for strip in range(board.strips):
        band = Box(edge.left, strip * PITCH - 1.0, edge.right, strip * PITCH + 1.0)
        yield _rectangle(band, place, _COPPER, "none", strength)
        for x in (-PITCH / 2 - 1.9, width - PITCH / 2 + 1.9):
            yield _label(*place(x, strip * PITCH), chr(ord("A") + strip), 1.7, "#333")
    for at in range(board.length):
        for y in (-PITCH / 2 - 1.6, height - PITCH / 2 + 1.6):
            yield _label(*place(at * PITCH, y), str(at + 1), 1.3, "#333")
    yield from _holes(edge, place)
    yield from (line for cut in sorted(board.cuts) for line in _cut(*place(*cut.mm)))
    for hole in board.screws:
        x, y = place(*hole.mm)
        yield _dot(x, y, SCREW_HEAD / 2 * SCALE, "#ddd", "#777")
        yield _dot(x, y, DRILLED / 2 * SCALE, "#fff", "#333")


def _holes(edge: Box, place: Place) -> Iterator[str]:
    """Yield all holes at once, as a pattern: the picture is half as large."""
    (x1, y1), (x2, _) = place(edge.left, edge.top), place(edge.right, edge.top)
    step, half = PITCH * SCALE, PITCH * SCALE / 2
    yield (
        f'<pattern id="holes" x="{min(x1, x2):.2f}" y="{y1:.2f}" width="{step:.2f}" '
        f'height="{step:.2f}" patternUnits="userSpaceOnUse">'
        f"{_dot(half, half, 0.42 * SCALE, '#fff', '#b9a582')}</pattern>"
    )
    yield _rectangle(edge, place, "url(#holes)", "none")


def _cut(x: float, y: float) -> Iterator[str]:
    r = 1.05 * SCALE
    yield _dot(x, y, r + 1.5, _BASE, "#b3261e")
    d = r * 0.62
    yield _line(x - d, y - d, x + d, y + d, "#b3261e", 2.2)
    yield _line(x - d, y + d, x + d, y - d, "#b3261e", 2.2)


def _body(put: Put, place: Place) -> Iterator[str]:
    boxes = put.body()
    fill = _fill(put)
    if put.footprint.stand is Stand.LOOSE:
        yield from (_dot(*place(*hole.mm), 0.85 * SCALE, _LOOSE, "#111") for hole in put.holes)
        return
    yield _rectangle(boxes[-1], place, "#666", "none")
    if put.footprint.stand is Stand.UPRIGHT:
        x, y = place(*put.holes[put.foot].mm)
        yield _dot(x, y, put.footprint.width / 2 * SCALE, fill, "#333")
    else:
        yield _rectangle(boxes[0], place, fill, "#333", 0.92)
    for number, hole in enumerate(put.holes):
        first = number == 0 and put.footprint.stand is Stand.CHIP
        yield _dot(*place(*hole.mm), (0.75 if first else 0.5) * SCALE, "#222")
    if put.footprint.has_ring:
        x, y = place(*put.holes[1].mm)
        yield _dot(x, y, 0.75 * SCALE, "none", "#b3261e", 2.5)
    if put.footprint is ELECTROLYTIC:
        x, y = place(*put.holes[0].mm)
        yield _label(x - 1.6 * SCALE, y, "+", 2.2, "#111")


def _fill(put: Put) -> str:
    if put.footprint.stand is Stand.CHIP:
        return _CHIP
    return next((_FILL[kind] for kind in put.footprint.kinds), _CLAMP)


def _text(put: Put, each: str, place: Place) -> Iterator[str]:
    if put.footprint.stand is Stand.LOOSE:
        for hole, net in put.legs:
            x, y = place(*hole.mm)
            anchor = "end" if hole.at > 3 else "start"
            yield _label(x - 1.2 * SCALE, y, net, 1.45, "#111", anchor, halo=True)
        return
    if put.ref == "J1":
        for hole, wire in zip(put.holes, ("core", "braid"), strict=True):
            x, y = place(*hole.mm)
            yield _label(x - 1.0 * SCALE, y, wire, 1.35, "#111", "end")
        x, y = place(*put.holes[0].mm)
        yield _label(x, y - 1.75 * SCALE, f"{each}{put.group}", 1.45, "#111", halo=True)
        return
    box = put.body()[0]
    x, y = place((box.left + box.right) / 2, (box.top + box.bottom) / 2)
    size = 2.4 if put.footprint.stand is Stand.CHIP else 1.45
    yield _label(x, y, put.ref, size, "#111", halo=True)


def _rectangle(box: Box, place: Place, fill: str, stroke: str, opacity: float = 1.0) -> str:
    (x1, y1), (x2, y2) = place(box.left, box.top), place(box.right, box.bottom)
    left, wide, high = min(x1, x2), abs(x2 - x1), y2 - y1
    return (
        f'<rect x="{left:.1f}" y="{y1:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="3" '
        f'fill="{fill}" stroke="{stroke}" fill-opacity="{opacity:g}"/>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width:.1f}" stroke-linecap="round"/>'
    )


def _dot(x: float, y: float, r: float, fill: str, stroke: str = "none", width: float = 1) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{fill}" stroke="{stroke}" '
        f'stroke-width="{width:g}"/>'
    )


def _label(x: float, y: float, text: str, size: float, colour: str, anchor: str = "middle", *,
           halo: bool = False) -> str:  # fmt: skip
    edge = ' stroke="#fff" stroke-width="3" paint-order="stroke"' if halo else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size * SCALE:.1f}" fill="{colour}" '
        f'text-anchor="{anchor}" dominant-baseline="central"{edge}>{escape(text)}</text>'
    )


def _svg(board: Board, lines: list[str]) -> str:
    width = (board.size[0] + 2 * _MARGIN) * SCALE
    height = (board.size[1] + 2 * _MARGIN + _TITLE) * SCALE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="Helvetica, Arial, sans-serif">'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>'
    )
    return "\n".join((head, *lines, "</svg>\n"))
