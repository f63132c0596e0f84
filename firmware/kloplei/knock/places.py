"""Where the seats are, learned from a few knocks whose seat somebody told."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from kloplei.files import KlopleiError
from kloplei.games.game import Seat
from kloplei.knock.discriminant import Discriminant, Vector
from kloplei.knock.traits import Traits

FEWEST_KNOCKS = 2  # of a seat, to know how much they differ

# How much knocks of one seat differ: standard deviations over many virtual tables. What is
# learned at a table corrects them.
_ARRIVALS_MS = (0.45, 0.55, 0.82)  # of each of traits.PARTS
_LEVELS_DB = (1.0, 1.5, 2.1, 2.3, 2.2)  # of each of traits.BANDS_HZ
_LIKENESS = (0.16, 0.23, 0.30, 0.32, 0.26)  # of each of traits.BANDS_HZ

_SHARPNESS = 0.5  # all of these numbers come of the same few milliseconds
_MOSTLY = 0.75  # of the learned knocks: a disc that felt fewer is no help


class CannotTellSeats(KlopleiError, ValueError):
    """The knocks that were given do not teach where the seats are."""


@dataclass(frozen=True, slots=True)
class KnownKnock:
    """A knock whose seat somebody told."""

    seat: Seat
    traits: Traits


@dataclass(frozen=True, slots=True)
class Places:
    """What was learned of all seats: some knocks of each."""

    knocks: tuple[KnownKnock, ...]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that were learned."""
        return tuple(sorted({knock.seat for knock in self.knocks}))

    @property
    def sensors(self) -> int:
        """How many channels the table had."""
        return len(self.knocks[0].traits.felt)

    @property
    def channels(self) -> tuple[int, ...]:
        """The channels, counted from 0, that felt every one of the knocks."""
        felt = zip(*(knock.traits.felt for knock in self.knocks), strict=True)
        return tuple(channel for channel, each in enumerate(felt) if all(each))


def learn(known: Sequence[KnownKnock], names: Mapping[Seat, object] | None = None) -> Places:
    """Return where the seats are, from *known* knocks.

    Those that were too faint for a piezo which felt most of the others are left out, unless
    their seat has no others. A complaint calls the seats by their *names*, None for their
    numbers on the slate.

    Raises:
        CannotTellSeats: There are too few knocks, seats or channels.
    """
    mostly = _mostly_felt(known)
    clear = [one for one in known if all(one.traits.felt[channel] for channel in mostly)]
    enough = Counter(one.seat for one in clear)
    # Of a seat that has no others the faint ones will do, if the piezos that felt them can tell.
    kept = [one for one in known if one in clear or enough[one.seat] < FEWEST_KNOCKS]
    places = Places(tuple(kept))
    return usable(places if len(places.channels) > 1 else Places(tuple(clear)), names)


def usable(places: Places, names: Mapping[Seat, object] | None = None) -> Places:
    """Return *places* if seats can be told by them; a complaint calls the seats by *names*.

    Raises:
        CannotTellSeats: There are too few knocks, seats or channels.
    """
    counts = Counter(knock.seat for knock in places.knocks)
    if len(counts) < 2:
        raise CannotTellSeats(
            f"Knocks that the piezos felt came from {len(counts)} seats, but telling seats apart "
            "takes two: knock at each seat, five times"
        )
    for seat, count in sorted(counts.items()):
        if count < FEWEST_KNOCKS:
            shown = names[seat] if names else seat.shown
            raise CannotTellSeats(
                f"Only {count} of the knocks of seat {shown} was felt by all piezos, but it "
                f"takes {FEWEST_KNOCKS}: knock there again, five times and a little harder"
            )
    if len({len(knock.traits.felt) for knock in places.knocks}) > 1:
        raise CannotTellSeats("The knocks were felt by more piezos, then by fewer: knock anew")
    if len(places.channels) < 2:
        raise CannotTellSeats(
            f"The knocks were felt by {len(places.channels)} of the piezos, but telling seats "
            "apart takes two: look for a loose plug, or let the slate ask who it was"
        )
    return places


class LearnedSeats:
    """Compares a knock with those of *places*."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._fitted: dict[tuple[tuple[int, ...], int], Discriminant[Seat]] = {}
        if len(places.channels) > 1:
            # Many knocks take their time, and the first one that is judged is not to wait for it.
            self._fit(places.channels, min(knock.traits.bands for knock in places.knocks))

    @property
    def sensors(self) -> int:
        """How many channels a knock must have."""
        return self._places.sensors

    def likeliest(self, found: Traits) -> tuple[Seat | None, float]:
        """Return the likeliest seat and how likely it is, 0 to 1; None if nothing can be said."""
        return next(iter(self.likelihoods(found).items()), (None, 0.0))

    def likelihoods(self, found: Traits) -> dict[Seat, float]:
        """Return how likely each seat is, adding up to 1, the likeliest first.

        Channels that felt nothing are left out; with less than two nothing can be said.
        """
        places = self._places
        channels = tuple(channel for channel in places.channels if found.felt[channel])
        if len(channels) < 2:
            return {}
        bands = min(found.bands, *(knock.traits.bands for knock in places.knocks))
        numbers = tuple(_numbers(found, channels, bands))
        return self._fit(channels, bands).likelihoods(numbers, _SHARPNESS)

    def _fit(self, channels: tuple[int, ...], bands: int) -> Discriminant[Seat]:
        if (channels, bands) not in self._fitted:
            self._fitted[channels, bands] = _fitted(self._places, channels, bands)
        return self._fitted[channels, bands]


def _mostly_felt(known: Sequence[KnownKnock]) -> list[int]:
    """Return the channels that felt most of the knocks."""
    felt = zip(*(knock.traits.felt for knock in known), strict=False)
    return [channel for channel, each in enumerate(felt) if sum(each) >= _MOSTLY * len(each)]


def _fitted(places: Places, channels: tuple[int, ...], bands: int) -> Discriminant[Seat]:
    examples: dict[Seat, list[Vector]] = {seat: [] for seat in places.seats}
    for knock in places.knocks:
        examples[knock.seat].append(tuple(_numbers(knock.traits, channels, bands)))
    return Discriminant(examples)


def _numbers(found: Traits, channels: tuple[int, ...], bands: int) -> Iterator[float]:
    """Yield what differs between *channels*, each in its usual standard deviations."""
    for part, scatter in enumerate(_ARRIVALS_MS):
        yield from _centred([found.arrivals_ms[one][part] for one in channels], scatter)
    for band, scatter in enumerate(_LEVELS_DB[:bands]):
        yield from _centred([found.levels_db[one][band] for one in channels], scatter)
    pairs = combinations(range(len(found.felt)), 2)
    for (one, other), likeness in zip(pairs, found.likeness, strict=True):
        if one in channels and other in channels:
            yield from (likeness[at] / _LIKENESS[at // 2] for at in range(2 * bands))


def _centred(values: Sequence[float], scatter: float) -> Iterator[float]:
    mean = sum(values) / len(values)
    return ((value - mean) / scatter for value in values)
