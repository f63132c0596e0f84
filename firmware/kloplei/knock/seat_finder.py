"""Which seat knocked: by what was learned, else the seat whose disc felt it first."""

from collections import Counter
from collections.abc import Sequence

from kloplei.games.game import Seat
from kloplei.knock.felt import Felt
from kloplei.knock.first_arrival import first_felt
from kloplei.knock.places import LearnedSeats, Places
from kloplei.knock.signal import Window
from kloplei.knock.traits import traits

SURE = 0.8  # a seat that is less likely is not told

_MOST_TURNS = 10  # in which knocks are tried: each of them means learning anew


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

    def at_disc(self, channel: int) -> Seat | None:
        """Return whose disc *channel* is, None for one in a corner or for the whole table."""
        return self._seats[channel] if channel < len(self._seats) else None

    def _likeliest(self, window: Window) -> tuple[Seat | None, float]:
        if self._learned is None or self._learned.sensors != len(window.channels):
            return self._first(window)
        return self._learned.likeliest(traits(window))

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


def tried(places: Places) -> tuple[tuple[Seat | None, float], ...]:
    """Return whose each of the knocks seems to be by what others teach, and how sure (0 to 1).

    The first knock of every seat is judged by those that are not the first, then the second,
    and so on; of many, every `_MOST_TURNS`-th together.
    """
    turns = _turns(places)
    found: list[tuple[Seat | None, float]] = [(None, 0.0)] * len(turns)
    for turn in set(turns):
        seen = zip(places.knocks, turns, strict=True)
        learned = LearnedSeats(Places(tuple(one for one, its in seen if its != turn)))
        for at, knock in enumerate(places.knocks):
            if turns[at] == turn:
                found[at] = learned.likeliest(knock.traits)
    return tuple(found)


def _turns(places: Places) -> list[int]:
    """Return when each of the knocks is tried."""
    counts = Counter[Seat]()
    turns = []
    for knock in places.knocks:
        turns.append(counts[knock.seat] % _MOST_TURNS)
        counts[knock.seat] += 1
    return turns
