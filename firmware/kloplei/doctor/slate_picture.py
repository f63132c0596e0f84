"""Show the test picture on the slate, by the table if one runs, and say what one may see."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from kloplei.config import Config
from kloplei.table.client import TableSilent

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
        Unreadable: A table runs that has no slate.
        TableSilent: A table runs that does not answer.
    """
    from kloplei.table.remote import RemoteTable

    with closing(RemoteTable(config.socket.path)) as table:
        try:
            table.doctor.show_test_picture()
        except TableSilent as silence:
            if not isinstance(silence.__cause__, FileNotFoundError | ConnectionRefusedError):
                raise
            with _on_our_own(config):
                yield
        else:
            yield


@contextmanager
def _on_our_own(config: Config) -> Iterator[None]:
    from kloplei.devices.columns import column_picture
    from kloplei.devices.factory import open_factory
    from kloplei.devices.oled import open_slate

    pins = open_factory(config.pins.factory) if config.slate.interface == "spi" else None
    slate = open_slate(config.slate, pin_factory=pins)
    try:
        slate.display(column_picture())
        yield
    finally:
        slate.cleanup()
        if pins is not None:
            pins.close()
