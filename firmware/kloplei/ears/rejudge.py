"""How a kept blow would be judged today, by one calibration or another; and what blows teach."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kloplei.games.game import Seat
from kloplei.knock.arrival import traits
from kloplei.knock.calibration import Calibration
from kloplei.knock.classifier import likelihood_of, verdict
from kloplei.knock.features import features
from kloplei.knock.fitting import Example
from kloplei.knock.judgement import Judgement
from kloplei.knock.localization import CannotTellSeats, KnownKnock, Places, SeatFinder, learn
from kloplei.knock.signal import Window

MOST_SEEN = 256  # windows; a ring holds no more than 200
MOST_KNOWN = 200  # knocks that places are made of; the oldest give way to what is marked


@dataclass(slots=True)
class _Seen:
    """What a blow looks like; *window* is kept with it, so that nothing else gets its id.

    *seat* and *confidence* are what was found by *finder*.
    """

    window: Window
    features: Mapping[str, float]
    finder: SeatFinder | None = None
    seat: Seat | None = None
    confidence: float = 0.0


class Hindsight:
    """Judges blows anew, as the live judge would with another calibration.

    What a blow looks like is worked out once and remembered, for it takes nearly all the time;
    so ten calibrations are tried as quickly as one. For one thread at a time.

    Args:
        seats: Whose piezo each channel is, None for one in a corner; as for the `Listener`.
    """

    def __init__(self, seats: Sequence[Seat | None] = ()) -> None:
        self._seats = tuple(seats)
        self._seen: OrderedDict[int, _Seen] = OrderedDict()
        self._places: Places | None = None  # that the finder knows
        self._finder = SeatFinder(self._seats)

    def rejudge(self, judged: Judgement, calibration: Calibration) -> Judgement:
        """Return *judged* with the verdict and the seat that *calibration* leads to.

        One of which only edges are known stays as it was.
        """
        window = judged.window
        if window is None:
            return judged
        seen = self._look_at(window)
        sure = likelihood_of(seen.features, window.rate_hz, calibration)
        self._place(seen, calibration.places)
        return replace(
            judged,
            likelihood=sure,
            verdict=verdict(sure),
            seat=seen.seat,
            confidence=seen.confidence,
        )

    def _place(self, seen: _Seen, places: Places | None) -> None:
        """Find whose blow it was, unless that is known: most calibrations share their places."""
        if places is not self._places:
            self._places, self._finder = places, SeatFinder(self._seats, places)
        if seen.finder is not self._finder:
            seen.finder = self._finder
            seen.seat, seen.confidence = self._finder.seat_of(seen.window)

    def _look_at(self, window: Window) -> _Seen:
        known = self._seen.get(id(window))
        if known is None:
            known = self._seen[id(window)] = _Seen(window, features(window))
            if len(self._seen) > MOST_SEEN:
                self._seen.popitem(last=False)
        return known


def learn_anew(calibration: Calibration, examples: Sequence[Example]) -> Calibration | None:
    """Return *calibration* with the places that *examples* teach, as a tuning does.

    None if they teach none.
    """
    return _with_places(calibration, _known(examples))


def learn_more(calibration: Calibration, examples: Sequence[Example]) -> Calibration | None:
    """Return *calibration* with what *examples* add to its places, as marks do.

    None if they add nothing. Marks alone teach no places: whoever is not among them would be
    taken for one of those who are.
    """
    if calibration.places is None:
        return None
    before = calibration.places.knocks
    added = [one for one in _known(examples) if one not in before]
    return _with_places(calibration, [*before, *added][-MOST_KNOWN:]) if added else None


def _known(examples: Sequence[Example]) -> list[KnownKnock]:
    return [
        KnownKnock(one.seat, traits(one.judged.window))
        for one in examples
        if one.judged.window is not None and one.seat is not None
    ]


def _with_places(calibration: Calibration, known: Sequence[KnownKnock]) -> Calibration | None:
    try:
        return replace(calibration, places=learn(known))
    except CannotTellSeats:
        return None
