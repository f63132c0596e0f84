"""Knocks at the seats of virtual tables, as windows."""

from collections.abc import Sequence
from functools import cache

from benchmarks.measured_table import MCP3008, Electronics, MeasuredTable
from kloplei.games.game import Seat
from kloplei.knock.arrival import location_features
from kloplei.knock.localization import KnownKnock, Places, learn
from kloplei.knock.signal import Window
from kloplei.simulation.blows import Blow


@cache
def table(seed: int, seats: int, corners: int | None) -> MeasuredTable:
    return MeasuredTable.of_seed(seed, seats, corners)


@cache
def knock(
    at: MeasuredTable, seat: int, seed: int, electronics: Electronics = MCP3008, off_m: float = 0.0
) -> Window:
    """One knock at a seat; the onset is that of the blow."""
    block = at.record(
        Blow.KNUCKLE,
        at.seats[seat].moved(off_m, -off_m),
        seed=seed,
        electronics=electronics,
        before_s=0.025,
        lasting_s=0.025,
    )
    return Window(0.0, block.start_s, block.rate_hz, block.channels, block.skew_s)


def knocks(at: MeasuredTable, each: int, first: int = 0) -> list[tuple[Window, Seat]]:
    return [
        (knock(at, seat, seed), Seat(seat))
        for seat in range(len(at.seats))
        for seed in range(first, first + each)
    ]


def learned_from(examples: Sequence[tuple[Window, Seat]]) -> Places:
    return learn([KnownKnock(seat, location_features(window)) for window, seat in examples])
