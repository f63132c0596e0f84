"""The test picture: it is shown on the slate, and what one sees says which driver it needs."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from kloplei.config.settings import Config, SlateConfig
from kloplei.diagnostics.findings import bad, good, poor
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.doctor_client import SEEN, Finding
from kloplei.words import Sentence

SLATE = "slate"
NO_SLATE = Sentence("slate-off")
_WIDE_CHIP = "sh1106"  # its memory is wider than the glass, so that a picture can stand off
_MOST_OFFSET = 4


def advise(slate: SlateConfig, seen: str) -> Finding:
    """Return what *seen*, one of `SEEN`, says of *slate*, with the setting to change.

    Raises:
        BadRequest: There is no slate, or nobody can see that.
    """
    if slate.driver == "none":
        raise BadRequest(NO_SLATE)
    if seen not in SEEN:
        raise BadRequest(f"Nobody sees {seen!r:.20} on a slate, but one of {', '.join(SEEN)}.")
    if seen == "right":
        return good(SLATE, "slate.right", driver=slate.driver)
    if seen == "nothing":
        return bad(SLATE, "slate.nothing", "do.slate-wires")
    if seen == "garbled":
        other = "ssd1306" if slate.driver == _WIDE_CHIP else _WIDE_CHIP
        return bad(SLATE, "slate.garbled", "do.driver", driver=slate.driver, other=other)
    side, _, columns = seen.partition("-")
    return _shifted(slate, int(columns) if side == "left" else -int(columns))


def _shifted(slate: SlateConfig, hidden: int) -> Finding:
    """Return what to do where *hidden* columns stand beyond the left edge, minus: the right one."""
    if slate.driver != _WIDE_CHIP:
        return bad(SLATE, "slate.garbled", "do.driver", driver=slate.driver, other=_WIDE_CHIP)
    offset = slate.first_column + hidden
    if not 0 <= offset <= _MOST_OFFSET:
        return bad(SLATE, "slate.garbled", "do.driver", driver=slate.driver, other="ssd1306")
    if offset == 0 and slate.first_column == 2:
        # Two off on a chip without columns to spare: both settings show it right.
        return poor(
            SLATE, "slate.off", "do.driver", driver=slate.driver, other="ssd1306", n=-hidden
        )
    return poor(SLATE, "slate.off", "do.offset", offset=offset, n=abs(hidden))


QUESTIONS = (
    ("right", "only the two bars marked 0 touch the edges of the glass"),
    ("nothing", "nothing at all"),
    ("garbled", "specks or stripes, no bars"),
    *((f"left-{n}", f"on the left, the bars down to {n} touch the edge") for n in range(1, 5)),
    *((f"right-{n}", f"on the right, the bars down to {n} touch the edge") for n in range(1, 5)),
)
"""What one may see, and how it is asked for."""


@contextmanager
def picture_shown(config: Config) -> Iterator[None]:
    """Let the test picture stand on the slate of *config* meanwhile.

    Raises:
        SlateMissing: No slate answers, and no table runs.
        BadRequest: A table runs that has no slate.
        TableUnavailable: A table runs that does not answer.
    """
    from kloplei.table.rpc_client import remote_table

    with closing(remote_table(config.socket.path)) as table:
        try:
            table.doctor.show_test_picture()
        except TableUnavailable as silence:
            if not isinstance(silence.__cause__, FileNotFoundError | ConnectionRefusedError):
                raise
            with _on_our_own(config):
                yield
        else:
            yield


@contextmanager
def _on_our_own(config: Config) -> Iterator[None]:
    from kloplei.devices.glass import column_picture
    from kloplei.devices.oled import open_slate
    from kloplei.devices.pins import open_factory

    pins = open_factory(config.pins.factory) if config.slate.interface == "spi" else None
    slate = open_slate(config.slate, pin_factory=pins)
    try:
        slate.display(column_picture(config.slate.glass))
        yield
    finally:
        slate.cleanup()
        if pins is not None:
            pins.close()
