"""The demo's table top: its wood, where people sit round it, and what may land on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from kloplei.simulation import Blow, Plate, Spot, TableTop

LENGTH_M, WIDTH_M = 1.2, 0.95
THICKNESS_M = 0.022
YOUNGS_PA = 8e9  # between chipboard and good beech
HAND_M = 0.1  # a hand knocks so far in from its edge of the table
DISC_M = 0.075  # a disc is glued so far in from its edge, nearly under the hand
REACH_M = 0.22  # further off, no hand is at its own place
HALFWAY_M = 0.06  # a spot that is so much nearer to one place than to the next belongs to it
SEED = 1

_MIDDLE = Spot(LENGTH_M / 2, WIDTH_M / 2)


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that lands on the wood; *force_n* None is a usual blow of its kind."""

    blow: Blow
    force_n: float | None = None


THINGS: Mapping[str, Thing] = {
    "knuckle": Thing(Blow.KNUCKLE),
    "soft": Thing(Blow.KNUCKLE, 7.0),
    "glass": Thing(Blow.GLASS),
    "card": Thing(Blow.CARD),
    "deal": Thing(Blow.DEAL),
    "dice": Thing(Blow.DICE),
    "keys": Thing(Blow.KEYS),
    "phone": Thing(Blow.PHONE),
    "drum": Thing(Blow.DRUM),
    "bump": Thing(Blow.BUMP),
}


def table_top(seats: int) -> TableTop:
    """Return the table for so many *seats*, with the disc of each before its place."""
    places = places_round(seats)
    luck = Random(SEED)  # noqa: S311 - which modes this wood has is no secret
    plate = Plate(LENGTH_M, WIDTH_M, THICKNESS_M, YOUNGS_PA, luck=luck)
    return TableTop(plate, places, tuple(_towards_the_edge(place) for place in places), SEED)


def places_round(seats: int) -> tuple[Spot, ...]:
    """Return where the hands of so many *seats* come down, clockwise from the slate's foot.

    They are as far from each other as they can be, measured round the table.
    """
    step_m = _round_m() / seats
    return tuple(_hand_after((seat + 0.5) * step_m) for seat in range(seats))


def place_near(spot: Spot, places: Sequence[Spot]) -> int | None:
    """Return which of *places* a hand at *spot* knocks from, None where two are as likely."""
    near, *others = sorted(range(len(places)), key=lambda at: spot.distance_m(places[at]))
    distance_m = spot.distance_m(places[near])
    if distance_m > REACH_M:
        return None
    if any(spot.distance_m(places[at]) - distance_m < HALFWAY_M for at in others):
        return None
    return near


def _round_m() -> float:
    return 2 * (LENGTH_M + WIDTH_M - 4 * HAND_M)


def _hand_after(way_m: float) -> Spot:
    """Return the point `HAND_M` in from the edge, *way_m* clockwise from the slate's foot."""
    long, wide = LENGTH_M - 2 * HAND_M, WIDTH_M - 2 * HAND_M
    turn_m = way_m + long / 2  # from the corner before the slate's foot
    for corner, side_m, by_x, by_y in (
        (Spot(LENGTH_M - HAND_M, WIDTH_M - HAND_M), long, -1, 0),
        (Spot(HAND_M, WIDTH_M - HAND_M), wide, 0, -1),
        (Spot(HAND_M, HAND_M), long, 1, 0),
        (Spot(LENGTH_M - HAND_M, HAND_M), wide, 0, 1),
    ):
        if turn_m <= side_m:
            return corner.moved(turn_m * by_x, turn_m * by_y)
        turn_m -= side_m
    return _hand_after(turn_m - long / 2)


def _towards_the_edge(place: Spot) -> Spot:
    """Return the point of the table's inner edge that lies behind *place*, from the middle."""
    off_x, off_y = place.x - _MIDDLE.x, place.y - _MIDDLE.y
    reach = min(
        (_MIDDLE.x - DISC_M) / max(abs(off_x), 1e-9),
        (_MIDDLE.y - DISC_M) / max(abs(off_y), 1e-9),
    )
    return _MIDDLE.moved(reach * off_x, reach * off_y)
