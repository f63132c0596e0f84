"""Which sensors of a box can be taught, by its settings."""

from kloplei.config import Config
from kloplei.games.game import Seat
from kloplei.knock.fitting import Setup


def setup_of(config: Config) -> Setup | None:
    """Return what there is to tune, or None where no sensor of *config* feels the wood.

    A seat without a sensor of its own is felt by those in the corners, or by the shared pad.
    """
    piezos = tuple(seat for _, seat in config.piezos)
    pads = frozenset(
        seat for seat, pins in config.wired if pins.pad is not None and seat not in piezos
    )
    shared = None in piezos or (not piezos and any(pad.seat is None for pad in config.pads))
    seats = tuple(
        seat
        for seat in map(Seat, range(config.table.seats))
        if shared or seat in piezos or seat in pads
    )
    return Setup(seats, piezos, pads) if seats else None
