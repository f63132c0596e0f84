"""The way to join, as a QR code that stands in the page itself."""

from functools import lru_cache

from markupsafe import Markup


@lru_cache(maxsize=8)
def as_svg(text: str) -> Markup:
    """Return *text* as an inline SVG; its colours are those of the page's style."""
    import segno

    code = segno.make(text, error="m", micro=False)
    svg = code.svg_inline(border=2, omitsize=True, svgclass="qr")
    return Markup(svg)  # noqa: S704  # drawn by segno from modules, the text is not in it
