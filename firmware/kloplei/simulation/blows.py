"""What strikes a table: each kind of blow as the pushes of force that it is made of.

Forces are in newtons, at a fine rate, with silence left out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from math import ceil, exp, hypot, pi, sin
from random import Random

from kloplei.frozen import dataclass, replace


class Blow(StrEnum):
    """Something that happens on a pub table."""

    KNUCKLE = "knuckle"
    FINGER = "finger"
    GLASS = "glass"
    CARD = "card"
    DEAL = "deal"
    CHIPS = "chips"
    DICE = "dice"
    KEYS = "keys"
    PHONE = "phone"
    BUMP = "bump"
    ELBOW = "elbow"
    DRUM = "drum"
    FIST = "fist"
    SLAP = "slap"
    SLAM = "slam"
    CHAIR = "chair"


@dataclass(frozen=True, slots=True)
class Push:
    """The wood is pushed from *at_s* on for *lasting_s*, at most with *force_n*.

    A hard thing goes on ringing at *ring_hz* while it stands there, and shakes the wood with
    a part of the force that falls to 1/e within *ring_s*.
    """

    at_s: float
    lasting_s: float
    force_n: float
    ring_hz: float = 0.0
    ring_s: float = 0.0


RINGING = 0.06  # of the push: what a ringing glass or key still passes into the wood


def pushes(kind: Blow, luck: Random, force_n: float | None = None) -> tuple[Push, ...]:
    """Return one blow of *kind* as its pushes, in order.

    Args:
        kind: What strikes.
        luck: No two blows are alike; the same state gives the same blow.
        force_n: Strength of the strongest push in newtons; None for a usual one.
    """
    make, usual_n = _MADE[kind]
    made = sorted(make(luck), key=lambda push: push.at_s)
    strongest = max(push.force_n for push in made)
    usual = usual_n * exp(luck.gauss(0, _SPREAD))
    scale = (usual if force_n is None else force_n) / strongest
    return tuple(replace(push, force_n=push.force_n * scale) for push in made)


_SPREAD = 0.35  # of the logarithm of the force, from one blow to the next


def _knuckle(luck: Random) -> Iterator[Push]:
    yield Push(0.0, luck.uniform(0.0015, 0.004), 1.0)
    if luck.random() < 0.5:  # the second knuckle, or the same one bouncing
        yield Push(luck.uniform(0.003, 0.012), luck.uniform(0.0015, 0.004), luck.uniform(0.2, 0.6))


def _finger(luck: Random) -> Iterator[Push]:
    yield Push(0.0, luck.uniform(0.008, 0.02), 1.0)


def _glass(luck: Random) -> Iterator[Push]:
    ring_hz = luck.uniform(1700, 2300)
    at_s, force = 0.0, 1.0
    for _ in range(luck.randint(2, 5)):
        yield Push(at_s, luck.uniform(0.0003, 0.0009), force, ring_hz, luck.uniform(0.008, 0.02))
        at_s += luck.uniform(0.012, 0.06)
        force *= luck.uniform(0.35, 0.9)


def _card(luck: Random) -> Iterator[Push]:
    yield from _train(luck, luck.randint(6, 20), luck.uniform(0.005, 0.015), 0.0002, 0.0008)


def _deal(luck: Random) -> Iterator[Push]:
    yield from _train(luck, luck.randint(5, 14), luck.uniform(0.02, 0.06), 0.0003, 0.001)


def _chips(luck: Random) -> Iterator[Push]:
    at_s = 0.0
    for _ in range(luck.randint(2, 5)):
        yield from _bounces(luck, at_s, 0.018, 0.0002, 0.0006)
        at_s += luck.uniform(0.03, 0.12)


def _dice(luck: Random) -> Iterator[Push]:
    yield from _bounces(luck, 0.0, 0.07, 0.0003, 0.0008)
    yield from _bounces(luck, luck.uniform(0.005, 0.05), 0.07, 0.0003, 0.0008)


def _keys(luck: Random) -> Iterator[Push]:
    ring_hz = luck.uniform(1800, 2300)
    for push in _train(luck, luck.randint(8, 22), luck.uniform(0.03, 0.07), 0.0002, 0.0006):
        ring_s = luck.uniform(0.004, 0.015)
        yield Push(push.at_s, push.lasting_s, push.force_n, ring_hz, ring_s)


def _phone(luck: Random) -> Iterator[Push]:
    motor_hz, buzz_s = luck.uniform(130, 200), luck.uniform(0.8, 1.2)
    turn = 0
    while (at_s := turn / motor_hz) < buzz_s:
        spun_up = 1 - exp(-(at_s + 0.01) / 0.04)
        # The weight pulls all the time; where the case jumps, it also rattles.
        yield Push(at_s, 0.5 / motor_hz, 0.35 * spun_up)
        if luck.random() < 0.7:
            rattle_s = at_s + luck.uniform(0, 0.3) / motor_hz
            yield Push(rattle_s, luck.uniform(0.0006, 0.0012), luck.uniform(0.3, 1) * spun_up)
        turn += 1


def _bump(luck: Random) -> Iterator[Push]:
    yield Push(0.0, luck.uniform(0.02, 0.05), 1.0)


def _elbow(luck: Random) -> Iterator[Push]:
    yield Push(0.0, luck.uniform(0.025, 0.05), 1.0)
    yield Push(luck.uniform(0.03, 0.08), luck.uniform(0.04, 0.08), luck.uniform(0.3, 0.8))


def _drum(luck: Random) -> Iterator[Push]:
    at_s = 0.0
    for _ in range(luck.randint(1, 3)):  # rolls of little finger to pointing finger
        for _ in range(4):
            yield Push(at_s, luck.uniform(0.003, 0.008), luck.uniform(0.5, 1))
            at_s += luck.uniform(0.05, 0.09)
        at_s += luck.uniform(0.0, 0.08)


def _fist(luck: Random) -> Iterator[Push]:
    # The ball of the hand: as heavy as ten knuckles, and so soft that it stays three times as
    # long. From 4 ms on it is longer there than any knuckle.
    yield Push(0.0, luck.uniform(0.004, 0.012), 1.0)
    if luck.random() < 0.5:  # and the little finger
        yield Push(luck.uniform(0.002, 0.015), luck.uniform(0.004, 0.01), luck.uniform(0.3, 0.8))


def _slap(luck: Random) -> Iterator[Push]:
    # A flat hand: the palm and each finger land within some milliseconds.
    for at_s in (0.0, *(luck.uniform(0, 0.005) for _ in range(luck.randint(2, 4)))):
        yield Push(at_s, luck.uniform(0.003, 0.008), luck.uniform(0.3, 1))


def _slam(luck: Random) -> Iterator[Push]:
    # The card's edge, and at once the fingers that hold it.
    yield from _train(luck, luck.randint(3, 8), 0.004, 0.0002, 0.0008)
    for _ in range(luck.randint(1, 3)):
        yield Push(luck.uniform(0.0, 0.004), luck.uniform(0.004, 0.01), luck.uniform(0.6, 1.5))


def _chair(luck: Random) -> Iterator[Push]:
    # A back or a leg that runs into the table's edge: wood on wood, with a person's weight behind.
    at_s, force = 0.0, 1.0
    for _ in range(luck.randint(1, 3)):
        yield Push(at_s, luck.uniform(0.003, 0.012), force)
        at_s += luck.uniform(0.02, 0.09)
        force *= luck.uniform(0.2, 0.7)


def _train(
    luck: Random, count: int, within_s: float, shortest_s: float, longest_s: float
) -> Iterator[Push]:
    for at_s in (0.0, *(luck.uniform(0, within_s) for _ in range(count - 1))):
        yield Push(at_s, luck.uniform(shortest_s, longest_s), luck.uniform(0.2, 1))


def _bounces(
    luck: Random, at_s: float, first_s: float, shortest_s: float, longest_s: float
) -> Iterator[Push]:
    """Yield a small thing dropped at *at_s*, jumping lower and lower."""
    gap_s, force = luck.uniform(0.6, 1.2) * first_s, luck.uniform(0.5, 1)
    while force > 0.05:
        yield Push(at_s, luck.uniform(shortest_s, longest_s), force)
        at_s += gap_s
        kept = luck.uniform(0.45, 0.75)
        gap_s, force = gap_s * kept, force * kept


_MADE: Mapping[Blow, tuple[Callable[[Random], Iterator[Push]], float]] = {
    Blow.KNUCKLE: (_knuckle, 25.0),
    Blow.FINGER: (_finger, 3.0),
    Blow.GLASS: (_glass, 12.0),
    Blow.CARD: (_card, 4.0),
    Blow.DEAL: (_deal, 1.0),
    Blow.CHIPS: (_chips, 4.0),
    Blow.DICE: (_dice, 5.0),
    Blow.KEYS: (_keys, 4.0),
    Blow.PHONE: (_phone, 1.2),
    Blow.BUMP: (_bump, 60.0),
    Blow.ELBOW: (_elbow, 30.0),
    Blow.DRUM: (_drum, 6.0),
    Blow.FIST: (_fist, 80.0),
    Blow.SLAP: (_slap, 50.0),
    Blow.SLAM: (_slam, 30.0),
    Blow.CHAIR: (_chair, 50.0),
}
"""How a blow of each kind is made, and how many newtons its strongest push usually has."""


CLOTH_S = 0.0025  # a cloth on felt gives way for so long, whatever falls on it
CLOTH_PASSES = 0.8  # of the push: the rest warms it


def through_cloth(pushes: Iterable[Push]) -> tuple[Push, ...]:
    """Return *pushes* as the wood under a cloth feels them: longer, softer, and nothing rings.

    Nobody has measured it: a layer of cloth and felt as soft as the skin of a knuckle makes the
    touch of one half as long again, and that of a glass as long as a knuckle's.
    """
    return tuple(map(_muffled, pushes))


def _muffled(push: Push) -> Push:
    lasting_s = hypot(push.lasting_s, CLOTH_S)
    force_n = CLOTH_PASSES * push.force_n * push.lasting_s / lasting_s
    return Push(push.at_s, lasting_s, force_n)


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
