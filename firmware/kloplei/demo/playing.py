"""What the discs under the wood feel when a recording is played at one place."""

from array import array
from collections.abc import Sequence

from kloplei.knock.signal import Samples
from kloplei.simulation import Spot

WAVE_M_S = 550.0  # how fast the waves of a knock run in a table top
HALVED_M = 0.2  # so much further from the blow, a disc feels half as much


def felt_by_discs(
    samples: Samples, rate_hz: float, place: Spot, discs: Sequence[Spot]
) -> list[Samples]:
    """Return what each of *discs* feels if the one nearest to *place* feels *samples*.

    One microphone does not tell how a wave changes on its way, so the others feel the same,
    but later and weaker.
    """
    nearest_m = min(place.distance_m(disc) for disc in discs)
    ways_m = [place.distance_m(disc) - nearest_m for disc in discs]
    return [_felt_after(samples, rate_hz, way_m) for way_m in ways_m]


def _felt_after(samples: Samples, rate_hz: float, way_m: float) -> Samples:
    gain = 1 / (1 + way_m / HALVED_M)
    still = [0.0] * round(way_m / WAVE_M_S * rate_hz)
    return array("f", [*still, *(gain * sample for sample in samples)])
