"""The pushes of a blow as forces at a fine rate, with silence left out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, exp, pi, sin

from kloplei.tabletop.blows import RINGING, Push

LOW_PASS_HZ = 3000.0  # of the disc's front-end, hw/piezo.md; a test compares them
_TAIL_S = 0.0005  # some time constants of the low pass
_RUNG_OUT = 5.0  # time constants after which a ringing thing is still


@dataclass(frozen=True, slots=True)
class Stretch:
    """Forces in newtons, one a sample, from sample *start* on."""

    start: int
    forces: tuple[float, ...]

    @property
    def end(self) -> int:
        """The sample after the last one."""
        return self.start + len(self.forces)


def stretches(pushes: Iterable[Push], rate_hz: float) -> tuple[Stretch, ...]:
    """Return the force of *pushes* after the front-end's low pass, in parts that do not touch.

    Wood, disc and front-end are linear: what filters the voltage may as well filter the
    force, which is one signal and not one a channel.
    """
    spans: list[tuple[int, int, list[Push]]] = []
    for push in sorted(pushes, key=lambda one: one.at_s):
        start, end = int(push.at_s * rate_hz), ceil((_end_s(push) + _TAIL_S) * rate_hz)
        if spans and start <= spans[-1][1]:
            first, last, together = spans[-1]
            spans[-1] = (first, max(last, end), [*together, push])
        else:
            spans.append((start, end, [push]))
    return tuple(_stretch(start, end, together, rate_hz) for start, end, together in spans)


def _end_s(push: Push) -> float:
    return push.at_s + push.lasting_s + (_RUNG_OUT * push.ring_s if push.ring_hz else 0.0)


def _stretch(start: int, end: int, pushes: Sequence[Push], rate_hz: float) -> Stretch:
    forces = [0.0] * (end - start)
    for push in pushes:
        first = int(push.at_s * rate_hz)
        for at in range(first, ceil(_end_s(push) * rate_hz)):
            forces[at - start] += _force(push, at / rate_hz - push.at_s)
    return Stretch(start, _low_pass(forces, rate_hz))


def _force(push: Push, since_s: float) -> float:
    if since_s <= 0:
        return 0.0
    if since_s < push.lasting_s:
        # A round body on an elastic one: half a sine, a little sharper (Hertz's contact).
        return float(push.force_n * sin(pi * since_s / push.lasting_s) ** 1.5)
    if not push.ring_hz:
        return 0.0
    since_s -= push.lasting_s
    swing = sin(2 * pi * push.ring_hz * since_s)
    return RINGING * push.force_n * exp(-since_s / push.ring_s) * swing


def _low_pass(forces: Iterable[float], rate_hz: float) -> tuple[float, ...]:
    follow = 1 - exp(-2 * pi * LOW_PASS_HZ / rate_hz)
    level = 0.0
    passed = []
    for force in forces:
        level += follow * (force - level)
        passed.append(level)
    return tuple(passed)
