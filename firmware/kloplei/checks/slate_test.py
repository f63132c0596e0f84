"""What one sees of the test picture tells which driver the slate needs.

The picture (`kloplei.devices.columns`) has five bars on either side, marked 0 to 4; bar *n*
begins *n* columns from the edge. On glass that fits, only bar 0 touches the edge on both sides.
"""

from kloplei.checks.findings import bad, good, poor
from kloplei.config.settings import SlateConfig
from kloplei.table.client import Unreadable
from kloplei.table.doctor import SEEN, Finding

PART = "slate"
NO_SLATE = 'This box has no slate: [slate] driver is "none".'

_WIDE_CHIP = "sh1106"  # its memory is wider than the glass, so that a picture can stand off
_MOST_OFFSET = 4


def advise(slate: SlateConfig, seen: str) -> Finding:
    """Return what *seen*, one of `SEEN`, says of *slate*, with the setting to change.

    Raises:
        Unreadable: There is no slate, or nobody can see that.
    """
    if slate.driver == "none":
        raise Unreadable(NO_SLATE)
    if seen not in SEEN:
        raise Unreadable(f"Nobody sees {seen!r:.20} on a slate, but one of {', '.join(SEEN)}.")
    if seen == "right":
        return good(PART, "slate.right", driver=slate.driver)
    if seen == "nothing":
        return bad(PART, "slate.nothing", "do.slate-wires")
    if seen == "garbled":
        other = "ssd1306" if slate.driver == _WIDE_CHIP else _WIDE_CHIP
        return bad(PART, "slate.garbled", "do.driver", driver=slate.driver, other=other)
    side, _, columns = seen.partition("-")
    return _shifted(slate, int(columns) if side == "left" else -int(columns))


def _shifted(slate: SlateConfig, hidden: int) -> Finding:
    """Return what to do where *hidden* columns stand beyond the left edge, minus: the right one."""
    if slate.driver != _WIDE_CHIP:
        return bad(PART, "slate.garbled", "do.driver", driver=slate.driver, other=_WIDE_CHIP)
    offset = slate.first_column + hidden
    if not 0 <= offset <= _MOST_OFFSET:
        return bad(PART, "slate.garbled", "do.driver", driver=slate.driver, other="ssd1306")
    if offset == 0 and slate.first_column == 2:
        # Two off on a chip without columns to spare: both settings show it right.
        return poor(PART, "slate.off", "do.driver", driver=slate.driver, other="ssd1306", n=-hidden)
    return poor(PART, "slate.off", "do.offset", offset=offset, n=abs(hidden))
