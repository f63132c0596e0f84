"""A second hand that strikes while the wood still rings from the first: found, and heard by itself.

`regrowth` looks for it where nothing was loud enough to be felt: what swings fast dies away soon,
so a blow is told by it much better than by how loud the wood is. `heard_alone` takes away what
the first blow would still have done. Wood that is left alone swings in its own modes, the same ones
under every disc; so each sample is one weighted sum of those before it, everywhere and at all times
(Prony's method: linear prediction, by covariance). What was predicted is taken off, and what stays
is the second blow, to be judged and placed like any other.

All of that is dear, so what is cheap is asked first: `has_died_away` tells where nothing is left to
take off. Long sums of products are had by way of a distance, as in `signal.Weights`: one call in C,
in a quarter of the time.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations
from math import dist, hypot, inf, sqrt
from operator import add, mul, sub, truediv

from kloplei.knock.arrival import LocationFeatures
from kloplei.knock.localization import solved
from kloplei.knock.signal import Samples, Window, loudest, resampled

RATE_HZ = 4000.0  # finer, it takes much longer to predict as much
LAG_S = 0.00075  # twice the difference to what was so long before: best heard is what is 700 Hz
HOP_S = 0.001
BEFORE_HOPS, AFTER_HOPS = 10, 8  # compared with each other
SOUGHT_S = AFTER_HOPS * HOP_S  # a window has to go on for so long after the last that is found
EARLIEST_S = 0.016  # the first hand itself has left by then, both of its knuckles
QUIET_S = 0.024  # before the first blow: what the table does by itself
LOUDER = 1.5  # times the energy before, on average of all discs: wood that rings seldom gains so
_ABOVE_NOISE = 3.0  # times the noise before is nothing yet
_FAINT = 1e-5  # of the energy of the first blow in a hop: nor is that

ORDER = 32  # samples that predict the next one: two for each mode
_FITTED_S = 0.045  # of the ringing, the newest
_PUSHED_S = 0.0025  # after a blow: the hand still pushes
_GUARD_S = 0.002  # before a blow: it may have begun
_PREDICTED_S = 0.012  # by then all that could be predicted has died away
_RIDGE = 1e-4  # of the mean power: holds the weights back
_MOST_GROWN = 1.5  # modes that swing against each other now swing together
_TINY = 1e-9

_FINER = 1.25  # times that rate: less is left as it is
_PUSH_S = (-0.0015, 0.004)  # of a blow: what nobody could predict
_LEARNED_S = 0.02  # before it: how well it can be predicted how this wood rings
GROWN_ERROR = 1.15  # times as badly: wood that rings by itself does not do that
_BLOW_S = (-0.0005, 0.012)
_RINGING_S = (-0.0125, -0.001)
_DIED_AWAY = 0.01  # of the blow, at each disc: what is so weak before a blow, the judge leaves out
STANDS_OUT = 0.9  # of what rang just before: less was added, and it was predicted badly
WEAKEST = 0.4  # of the first blow: nobody knocks so much softer than another

# How much two knocks of a hand that keeps its place differ: standard deviations.
_ARRIVALS_MS = (0.45, 0.55, 0.82)  # of each of arrival.PARTS
_LEVELS_DB = (1.0, 1.5, 2.1, 2.3, 2.2)  # of each of arrival.BANDS_HZ
# Of each of arrival.BANDS_HZ, in step and a quarter turn apart.
_LIKENESS = (0.16, 0.16, 0.23, 0.23, 0.30, 0.30, 0.32, 0.32, 0.26, 0.26)
ELSEWHERE = 6.5  # mean square of what differs, of these: another place


def regrowth(window: Window, skip_s: Sequence[float] = ()) -> float | None:
    """Return when all discs grow loudest anew after the blow at the onset of *window*.

    None where they do nowhere. What lies within some ms of one of *skip_s* is known already.
    """
    first = window.onset_s - window.start_s
    # By hops, each a sum of what all its samples hold: gains from sample to sample are those of
    # each single swing.
    hop = max(1, round(HOP_S * window.rate_hz))
    begin = max(0, round((first - QUIET_S) * window.rate_hz))
    courses = [_course(channel[begin:], window.rate_hz, hop) for channel in window.channels]
    struck = round(first * window.rate_hz - begin) // hop
    earliest = max(BEFORE_HOPS, struck + round(EARLIEST_S / HOP_S))
    gains = _gains(courses[0], struck, earliest)
    for course in courses[1:]:
        gains = list(map(add, gains, _gains(course, struck, earliest)))
    least = LOUDER * len(courses)
    if max(gains, default=0.0) < least:
        return None
    # Around a blow that is known the gain is its own, as long as one of both spans reaches it.
    for at_s in skip_s:
        known = round((at_s - window.start_s) * window.rate_hz - begin) // hop - earliest
        its = slice(max(0, known - AFTER_HOPS + 1), max(0, known + AFTER_HOPS + BEFORE_HOPS))
        gains[its] = [0.0] * len(gains[its])
    most = max(gains)
    if most < least:
        return None
    at = earliest + gains.index(most)  # of two that grew as much, the earlier one
    return window.start_s + (begin + at * hop) / window.rate_hz


def _course(samples: Samples, rate_hz: float, hop: int) -> list[float]:
    """Return the energy of what swings fast in *samples* up to each hop, from 0 on."""
    lag = max(1, round(LAG_S * rate_hz))
    once = list(map(sub, samples[lag:], samples))
    # Each sample is that *lag* later: what is lost at the beginning is put back as silence. The
    # second difference is never written down: the distance of two hops is the root of its energy.
    silence = [0.0] * (2 * lag)
    later, earlier = iter([*silence, *once[lag:]]), iter([*silence, *once[:-lag]])
    off = map(dist, zip(*[later] * hop, strict=False), zip(*[earlier] * hop, strict=False))
    return list(accumulate([far * far for far in off], initial=0.0))


def _gains(course: Sequence[float], struck: int, first: int) -> list[float]:
    """Return for each hop from *first* on how much more energy comes after it than came before."""
    if len(course) <= first + AFTER_HOPS:
        return []
    # By the noise and a little of the blow no gain is large that rises out of next to nothing. The
    # first two hops are where the differences begin, and say nothing.
    quiet = (course[struck - 1] - course[2]) / max(1, struck - 3) if struck > 3 else 0.0
    nothing = _ABOVE_NOISE * quiet + _FAINT * (course[struck + AFTER_HOPS] - course[struck]) + _TINY
    last = len(course) - AFTER_HOPS
    hops = zip(
        course[first - BEFORE_HOPS : last - BEFORE_HOPS],
        course[first:last],
        course[first + AFTER_HOPS :],
        strict=True,
    )
    return [
        (later - now) / AFTER_HOPS / ((now - earlier) / BEFORE_HOPS + nothing)
        for earlier, now, later in hops
    ]


def is_elsewhere(one: LocationFeatures, other: LocationFeatures) -> bool:
    """Return whether two blows fell at different places, whether or not it is known where.

    They did not as far as anybody knows where fewer than two channels felt both.
    """
    # A disc that felt nothing of one of them has noise for numbers.
    channels = [at for at, both in enumerate(zip(one.felt, other.felt, strict=True)) if all(both)]
    if len(channels) < 2:
        return False
    off = [
        *_off(one.arrivals_ms, other.arrivals_ms, channels, _ARRIVALS_MS),
        *_off(one.levels_db, other.levels_db, channels, _LEVELS_DB),
    ]
    pairs = combinations(range(len(one.felt)), 2)
    for pair, mine, theirs in zip(pairs, one.likeness, other.likeness, strict=True):
        if pair[0] in channels and pair[1] in channels:
            off += map(truediv, map(sub, theirs, mine), _LIKENESS)
    return hypot(*off) ** 2 >= ELSEWHERE * len(off)


def _off(
    mine: Sequence[Sequence[float]],
    theirs: Sequence[Sequence[float]],
    channels: Sequence[int],
    scatters: Sequence[float],
) -> Iterator[float]:
    """Yield by how many standard deviations two blows differ, in each number of *channels*.

    In those that both of them have: a slow converter knows fewer bands.
    """
    each = [map(sub, theirs[one], mine[one]) for one in channels]
    for off, scatter in zip(zip(*each, strict=True), scatters, strict=False):
        # What all discs have in common is of the hand, and no place: it knocked harder, or the
        # onset was found a little later.
        mean = sum(off) / len(off)
        yield from [(one - mean) / scatter for one in off]


def heard_alone(first: Window, window: Window) -> Window | None:
    """Return the blow in *window* as if the wood had not rung from that in *first*.

    None where nothing but the ringing explains it, or too little else for another blow. What came
    before it is taken from before the first one. No more than `RATE_HZ` comes out.
    """
    rate_hz = RATE_HZ if window.rate_hz > _FINER * RATE_HZ else window.rate_hz
    heard = [resampled(one, window.rate_hz, rate_hz) for one in window.channels]
    onset = round((window.onset_s - window.start_s) * rate_hz)
    # Learned from what rings freely: not while the first hand pushes, nor once the second may.
    end = onset - round(_GUARD_S * rate_hz)
    begin = round((first.onset_s + _PUSHED_S - window.start_s) * rate_hz)
    begin = max(0, begin, end - round(_FITTED_S * rate_hz))
    is_still = has_died_away(window)
    order = 0 if is_still else max(0, min(ORDER, (end - begin) // 2))
    weights = _predictor([one[begin:end] for one in heard], order) if order else []
    if not is_still and _error_growth(heard, weights, begin, onset, rate_hz) < GROWN_ERROR:
        return None
    stop = max(end, min(onset + round(_PREDICTED_S * rate_hz), len(heard[0])))
    quiet = max(0, round((first.onset_s - _GUARD_S - first.start_s) * first.rate_hz))
    # The judge listens to what was before as well, and would hear the first blow in it.
    channels = tuple(
        (
            *resampled(before[:quiet], first.rate_hz, rate_hz),
            *map(sub, one[end:stop], _predicted(one[end - order : end], weights, stop - end)),
            *one[stop:],
        )
        for before, one in zip(first.channels, heard, strict=True)
    )
    start_s = window.start_s + (len(heard[0]) - len(channels[0])) / rate_hz
    alone = Window(window.onset_s, start_s, rate_hz, channels, window.skew_s)
    added, rung = _energies(alone, _BLOW_S), _energies(window, _RINGING_S)
    strong = max(added) >= WEAKEST * max(_energies(first, _BLOW_S))
    return alone if strong and sum(added) >= STANDS_OUT * sum(rung) else None


def has_died_away(window: Window) -> bool:
    """Return whether the wood hardly rang any more when the blow in *window* came.

    Then there is next to nothing to take off, and where it fell is heard as on quiet wood.
    """
    blow, rang = _energies(window, _BLOW_S), _energies(window, _RINGING_S)
    return all(less <= _DIED_AWAY * more for less, more in zip(rang, blow, strict=True))


def _error_growth(
    channels: Sequence[Samples], weights: Samples, begin: int, onset: int, rate_hz: float
) -> float:
    """Return how many times as badly *weights* predict the push at *onset* as what rang before."""
    # How badly is told beside how badly it goes by itself: wood whose modes change, or whose noise
    # is loud, is predicted badly all the time.
    order = len(weights)
    pushed, over = (onset + round(one * rate_hz) for one in _PUSH_S)
    since = max(begin + order, onset - round(_LEARNED_S * rate_hz))
    if since >= pushed:
        return inf
    before = sum(_prediction_error(one, weights, since, pushed) for one in channels)
    return sum(_prediction_error(one, weights, pushed, over) for one in channels) / (before + _TINY)


def _prediction_error(samples: Samples, weights: Samples, begin: int, end: int) -> float:
    """Return the error of what *weights* predict from *begin* to *end*: root of the mean square."""
    backward, order = tuple(weights[::-1]), len(weights)
    heard = tuple(samples[begin - order : end])
    energies = _energies_up_to(heard)
    own = hypot(*backward) ** 2
    off = [
        heard[at + order]
        - (own + energies[at + order] - energies[at] - dist(backward, heard[at : at + order]) ** 2)
        / 2
        for at in range(len(heard) - order)
    ]
    return hypot(*off) / sqrt(max(1, len(off)))


def _energies_up_to(samples: Samples) -> list[float]:
    """Return the energy of all *samples* before each of them, and last that of all."""
    return list(accumulate(map(mul, samples, samples), initial=0.0))


def _energies(window: Window, span_s: tuple[float, float]) -> list[float]:
    """Return the root of the energy of each channel in *span_s*, 0 being the onset."""
    begin, end = (
        max(0, round((window.onset_s + one - window.start_s) * window.rate_hz)) for one in span_s
    )
    return [hypot(*channel[begin:end]) / sqrt(window.rate_hz) for channel in window.channels]


def _predictor(channels: Sequence[Sequence[float]], order: int) -> list[float]:
    """Return the weights, the newest sample's first, that predict all of *channels* best."""
    # Sums of products of samples so many before the one that is predicted, each row from the
    # diagonal on: the next row is this one moved by a sample.
    reversed_ends = [one[: -order - 2 : -1] for one in channels]
    reversed_heads = [one[order::-1] for one in channels]
    each = [_products(one, order) for one in channels]
    row = [float(sum(products)) for products in zip(*each, strict=True)]
    rows = [row]
    for at in range(order):
        moved = row[: order - at]
        for head, last in zip(reversed_heads, reversed_ends, strict=True):
            come, gone = head[at + 1], last[at]
            moved = [
                was + come * a - gone * b
                for was, a, b in zip(moved, head[at + 1 :], last[at:], strict=False)
            ]
        rows.append(row := moved)
    ridge = _RIDGE * rows[1][0] + _TINY
    triangle = [
        [
            rows[column + 1][at - column] + (ridge if at == column else 0.0)
            for column in range(at + 1)
        ]
        for at in range(order)
    ]
    return solved(triangle, rows[0][1:])


def _products(samples: Samples, order: int) -> list[float]:
    """Return the sum of products of *samples* from *order* on with those 0 to *order* earlier."""
    heard, end = tuple(samples), len(samples)
    newest, energies = heard[order:], _energies_up_to(heard)
    own = energies[end] - energies[order]
    return [
        (
            own
            + energies[end - back]
            - energies[order - back]
            - dist(newest, heard[order - back : end - back]) ** 2
        )
        / 2
        for back in range(order + 1)
    ]


def _predicted(before: Samples, weights: Samples, count: int) -> list[float]:
    """Return the *count* samples that follow those *before* by *weights*."""
    backward, heard, order = weights[::-1], list(before), len(weights)
    for at in range(count):
        heard.append(sum(map(mul, backward, heard[at:])))
    # Wood that is left alone grows no louder: weights that say so predict nothing.
    grows = loudest(heard[order:]) > _MOST_GROWN * loudest(before)
    return [0.0] * max(0, count) if grows else heard[order:]
