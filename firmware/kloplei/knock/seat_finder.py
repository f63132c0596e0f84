"""Which seat knocked: by what was learned, else the seat whose disc felt it first."""

from collections.abc import Sequence
from dataclasses import dataclass

from kloplei.knock.felt import Felt
from kloplei.knock.first_arrival import first_felt
from kloplei.knock.places import LearnedSeats, Places
from kloplei.knock.signal import Window
from kloplei.knock.traits import traits
from kloplei.rules.game import Seat

SURE = 0.8  # a seat that is less likely is not told


class SeatFinder:
    """Says who knocked, or that nobody can say.

    Args:
        seats: Whose piezo each channel is, None for one in a corner or for the whole table;
            empty where nobody knows.
        places: What was learned at this table; None where nothing was. Places that were
            learned with more or fewer piezos are left alone.
    """

    def __init__(self, seats: Sequence[Seat | None] = (), places: Places | None = None) -> None:
        self._seats = tuple(seats)
        self._learned = LearnedSeats(places) if places is not None else None

    def seat_of(self, window: Window) -> tuple[Seat | None, float]:
        """Return the seat whose knock is in *window*, None if unsure, and how sure (0 to 1).

        Where no seat is told, the number is how likely the likeliest one is.
        """
        seat, sure = self._likeliest(window)
        return (seat if sure >= SURE else None), sure

    def _likeliest(self, window: Window) -> tuple[Seat | None, float]:
        if self._learned is None or self._learned.sensors != len(window.channels):
            return self._first(window)
        likely = self._learned.likelihoods(traits(window))
        return next(iter(likely.items()), (None, 0.0))

    def _first(self, window: Window) -> tuple[Seat | None, float]:
        own = [
            (seat, Felt(window, channel))
            for channel, seat in enumerate(self._seats[: len(window.channels)])
            if seat is not None
        ]
        if len(own) < 2:
            return (own[0][0], 1.0) if own else (None, 0.0)
        first, sure = first_felt([felt for _, felt in own])
        return own[first][0], sure


@dataclass(frozen=True, slots=True)
class Margin:
    """How well *seat* is told from the others: each of its knocks judged by all the others."""

    seat: Seat
    right: int
    unsure: int
    taken_for: tuple[Seat, ...]  # of each knock that would have gone to another seat

    @property
    def knocks(self) -> int:
        """How many knocks were tried."""
        return self.right + self.unsure + len(self.taken_for)


def margins(places: Places) -> tuple[Margin, ...]:
    """Return how well each of the seats is told."""
    said: dict[Seat, list[Seat | None]] = {seat: [] for seat in places.seats}
    for at, tried in enumerate(places.knocks):
        others = Places(places.knocks[:at] + places.knocks[at + 1 :])
        likely = LearnedSeats(others).likelihoods(tried.traits)
        seat, sure = next(iter(likely.items()))
        said[tried.seat].append(seat if sure >= SURE else None)
    return tuple(
        Margin(
            seat,
            right=told.count(seat),
            unsure=told.count(None),
            taken_for=tuple(one for one in told if one is not None and one != seat),
        )
        for seat, told in said.items()
    )
