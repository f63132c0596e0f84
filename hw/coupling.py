"""What a disc hears that is glued, waxed, taped or only pressed to the wood: an estimate.

A disc feels how far the wood under it stretches. Its layer of glue passes that on by shear, over a
length that depends on how stiff and how thin it is; what is left is 1 - tanh(g a) / (g a), with
a the disc's radius and g^2 = G / (E h t) (Crawley and de Luis, Use of piezoelectric actuators as
elements of intelligent structures, AIAA Journal 25, 1987, for a layer of finite stiffness). A disc
that is merely pressed on has friction instead, and else only bends along with the wood.

Nobody has measured any of this under a table yet: moduli are those of the kinds of stuff at some
hundred hertz, layers what hands make of it. `kloplei.simulation.coupling` has the same losses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10, pi, sqrt, tanh
from pathlib import Path

from hw.marked import filled
from hw.stimuli import HARD_KNOCK_V, SOFT_V, USUAL_V

PAGE = Path(__file__).with_name("piezo.md")

RADIUS_M = 13.5e-3
STIFFNESS_N_PER_M = 105e9 * 0.3e-3 + 63e9 * 0.23e-3  # brass and ceramic of a disc of 27 mm
DISC_KG = 2.4e-3
WOOD_M = 25e-3
OFF_MIDDLE_M = 0.14e-3  # the ceramic, from the middle of its disc
USUAL_STRAIN = 3e-6  # of the wood under the disc, at a usual knock: hw/piezo.md
FOAM_N = 2.8  # a ring of 3 mm, squeezed by a third
FRICTION = 0.3
CONTACT_N_PER_M = 0.2e6  # of brass that lies on wood at a few points

CODES_PER_V = 179.0  # of the MCP3008, for what a disc gives unloaded; a test asks ngspice
HALF_CODES = 512
WAKE_CODES = 18  # what wakes the ears


def by_shear(modulus_pa: float, layer_m: float) -> float:
    """Return what part of the wood's strain a layer of glue passes on to the disc."""
    reach = RADIUS_M * sqrt(modulus_pa / (STIFFNESS_N_PER_M * layer_m))
    return 1 - tanh(reach) / reach


def by_bending() -> float:
    """Return what is left to a disc that slides freely, but bends with the wood."""
    return OFF_MIDDLE_M / (WOOD_M / 2)


def by_friction() -> float:
    """Return what of a usual knock a disc feels that lies flat and is held by friction alone."""
    wanted_n = STIFFNESS_N_PER_M * USUAL_STRAIN * 2 * RADIUS_M
    return FRICTION * FOAM_N / wanted_n


def follows_up_to_hz() -> float:
    """Return how fast a disc follows that lies on a few points: a mass on a spring."""
    return sqrt(CONTACT_N_PER_M / DISC_KG) / (2 * pi)


def as_db(passed: float, glued: float = by_shear(1.2e9, 50e-6)) -> float:
    """Return how much less *passed* is than what a disc *glued* with epoxy gets, in dB."""
    return 20 * log10(glued / passed)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Decibels lost beside a glued disc: usually, and from the best case to the worst."""

    usual_db: float
    best_db: float
    worst_db: float
    what: str
    highest_hz: float | None = None

    def codes(self, volts: float) -> float:
        """Return the height of a knock in codes, by what a glued disc would give of it."""
        return min(HALF_CODES, volts * CODES_PER_V / 10 ** (self.usual_db / 20))


ESTIMATES: Mapping[str, Estimate] = {
    "glued": Estimate(
        0.0,
        as_db(by_shear(1.3e9, 20e-6)),
        as_db(by_shear(0.7e9, 200e-6)),
        "epoxy or superglue, as thin as paper (1.2 GPa, 0.05 mm; 0.7 GPa, 0.2 mm)",
    ),
    "wax": Estimate(
        as_db(by_shear(45e6, 40e-6)),
        as_db(by_shear(100e6, 20e-6)),
        as_db(by_shear(20e6, 80e-6)),
        "mounting wax or beeswax, pressed thin (20 to 100 MPa, 0.02 to 0.08 mm)",
    ),
    "tape": Estimate(
        as_db(by_shear(3e6, 50e-6) + by_bending()),
        as_db(by_shear(10e6, 50e-6) + by_bending()),
        as_db(by_shear(1e6, 130e-6) + by_bending()),
        "double-sided tape without foam (1 to 10 MPa, 0.05 to 0.13 mm)",
    ),
    "foam": Estimate(
        20.0,  # nearer to its best, for a disc without a knock is pressed on again
        as_db(by_friction()),
        as_db(by_bending() / 4),
        "only pressed on by the foam of its puck: friction where it lies flat; "
        "at worst it bends along with a quarter of its face",
        follows_up_to_hz(),
    ),
}
"""By the names of `kloplei.simulation.coupling.COUPLINGS`."""

_HEAD = "| Disc | What | Loses | From ... to | Soft knock | Usual | Hard |\n" + 7 * "|---" + "|\n"


def table() -> str:
    """Return the losses, and knocks in codes of an MCP3008, as a table in Markdown."""
    return _HEAD + "".join(_row(name, one) for name, one in ESTIMATES.items())


def _row(name: str, one: Estimate) -> str:
    codes = [one.codes(volts) for volts in (SOFT_V, USUAL_V, HARD_KNOCK_V)]
    cells = [
        f"{name}",
        one.what + (f"; above {one.highest_hz:.0f} Hz less and less" if one.highest_hz else ""),
        f"{one.usual_db:.0f} dB",
        f"{abs(one.best_db):.0f} to {one.worst_db:.0f} dB",
        *(f"**{at:.0f}**" if at < WAKE_CODES else f"{at:.0f}" for at in codes),
    ]
    return f"| {' | '.join(cells)} |\n"


def rewritten(text: str) -> str:
    """Return *text* of the page with its table as it is now."""
    return filled(text, "couplings", table())


def write() -> None:
    """Write the table into the page."""
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
