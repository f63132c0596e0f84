"""Numbers that may be less than nothing: a sign of chalk that stands off its digits."""

from PIL import ImageDraw

from kloplei.slate.lettering import Font, ink_of, width_of, write

# The dash of our fonts runs into the digits, and their hyphen is a dot from afar.
_GAP_PX = 2
_ARM_PX = 2  # by so much a sign reaches beyond the middle of its cross


def signed(number: int, *, plus: bool = False) -> str:
    """Return *number* as `write_signed` writes it, in letters of a keyboard."""
    return f"+{number}" if plus and number > 0 else str(number)


def signed_width(text: str, font: Font) -> int:
    """Return how many pixels `write_signed` takes for *text*."""
    sign, digits = _parted(text)
    return _after_sign(digits, font) + width_of(digits, font) if sign else width_of(text, font)


def write_signed(
    draw: ImageDraw.ImageDraw, x: int, y: int, text: str, font: Font, ink: int = 1
) -> None:
    """Write *text*, a number with or without a sign, from *x* on; *y* is the top of its digits."""
    sign, digits = _parted(text)
    if sign:
        _draw_sign(draw, x, y, font, ink, upright=sign == "+")
        x += _after_sign(digits, font)
    write(draw, x, y, digits, font, ink)


def _parted(text: str) -> tuple[str, str]:
    return (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)


def _after_sign(digits: str, font: Font) -> int:
    """Return how far behind the sign *digits* are written: by their ink they all stand alike."""
    return _sign_px(font) + _GAP_PX - ink_of(digits, font)[0]


def _sign_px(font: Font) -> int:
    return font.stroke + 2 * _ARM_PX


def _draw_sign(
    draw: ImageDraw.ImageDraw, x: int, y: int, font: Font, ink: int, *, upright: bool
) -> None:
    thick = font.stroke
    left, top = x + _ARM_PX, y + (font.capital - thick) // 2
    right, foot = left + thick - 1, top + thick - 1
    draw.rectangle((left - _ARM_PX, top, right + _ARM_PX, foot), fill=ink)
    if upright:
        draw.rectangle((left, top - _ARM_PX, right, foot + _ARM_PX), fill=ink)
