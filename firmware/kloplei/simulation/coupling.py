"""How the discs of a virtual table are stuck to its wood, and what that costs of a knock.

A glued disc is what all levels are reckoned for. The others lose by the estimate of hw/coupling.py
(hw/piezo.md, Glue, wax, tape and foam), which nobody has measured yet; a test holds both together.
"""

from collections.abc import Mapping, Sequence
from math import hypot, inf
from random import Random

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Coupling:
    """What a disc that is stuck to the wood in one way makes of the wood's strain."""

    name: str
    loss_db: float  # beside a glued one
    spread_db: float = 3.0  # from one disc to the next, as a standard deviation
    highest_hz: float = inf  # what is faster, the disc follows less and less

    def gain_at(self, hertz: float) -> float:
        """Return what part of a wave of *hertz* the usual disc passes on."""
        passed: float = 10 ** (-self.loss_db / 20)
        return passed / hypot(1.0, hertz / self.highest_hz)


GLUED = Coupling("glued", 0.0)
COUPLINGS: Mapping[str, Coupling] = {
    one.name: one
    for one in (
        GLUED,
        Coupling("wax", 4.0, 4.0),
        Coupling("tape", 21.0, 5.0),
        Coupling("foam", 20.0, 6.0, highest_hz=1500.0),
        Coupling("off", inf),  # it hangs by its cable
    )
}
"""By name; ``off`` hears nothing."""

MOST_DB = 80.0


class UnknownCoupling(KlopleiError, ValueError):
    """No disc is stuck on like that."""


def read_couplings(text: str) -> tuple[Coupling, ...]:
    """Return what *text* names, separated by commas: names of `COUPLINGS`, or decibels lost.

    Raises:
        UnknownCoupling: It names something else.
    """
    return tuple(_read(one.strip()) for one in text.split(","))


def _read(text: str) -> Coupling:
    if text in COUPLINGS:
        return COUPLINGS[text]
    try:
        loss_db = abs(float(text))
    except ValueError:
        loss_db = inf
    if not loss_db <= MOST_DB:
        raise UnknownCoupling(
            f"{text!r} is no way to stick a disc to the wood; name {', '.join(COUPLINGS)}, "
            f"or the decibels that it loses, 0 to {MOST_DB:g}"
        )
    return Coupling(f"{loss_db:g} dB", loss_db)


def unevenly(discs: int, luck: Random, most_db: float = 20.0) -> tuple[Coupling, ...]:
    """Return a coupling for each of so many *discs*, which loses up to *most_db* by *luck*."""
    losses_db = [luck.uniform(0, most_db) for _ in range(discs)]
    return tuple(Coupling(f"{loss_db:.0f} dB", loss_db, 0.0) for loss_db in losses_db)


def coupled(couplings: Sequence[Coupling], discs: int) -> tuple[Coupling, ...]:
    """Return the coupling of each of so many *discs*.

    One is for all of them; of several each is for its disc, and those not named are glued.

    Raises:
        UnknownCoupling: There are not so many discs.
    """
    if len(couplings) == 1:
        return tuple(couplings) * discs
    if len(couplings) > discs:
        raise UnknownCoupling(
            f"{len(couplings)} couplings for {discs} discs; name one for all, or one for each seat"
        )
    return (*couplings, *(GLUED,) * (discs - len(couplings)))
