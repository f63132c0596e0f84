"""What happens to a disc and its wire: blows, sparks and the mains, in ngspice's words."""

from collections.abc import Sequence
from math import exp

HARD_V = 60.0  # of an unloaded disc that is hit itself, with something hard
USUAL_V = 0.8  # a knuckle (25 N) on 25 mm of wood beside it: an estimate, see hw/piezo.md
SOFT_V = 0.2  # a knuckle that is hardly swung (6 N)
HARD_KNOCK_V = 3.0  # the side of a fist (95 N), still on wood beside it: the same estimate

CABLE_M = 3.0
CABLE_F_PER_M = 100e-12  # from wire to shield
MAINS_V = 325.0  # peak of 230 V
SHIELDED_F_PER_M = 0.1e-12  # from mains in the room to a wire with a braid around it
BARE_F_PER_M = 2e-12  # the same beside a mains cable, without

SPARK_V = 8000.0  # IEC 61000-4-2, contact, level 4
GUN_F, GUN_OHM = 150e-12, 330.0
_SPARK_A_PER_V = (16.6 / 4000, 9.3 / 4000)
_SPARK_S = ((1.1e-9, 2e-9), (12e-9, 37e-9))
_SPARK_N = 1.8
_SPARK_AT_S = (
    0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 7, 10, 13, 16, 20, 25, 30, 35, 40, 50, 60,
    80, 100, 130, 160, 200, 250, 300, 400, 500,
)  # fmt: skip


def blow(peak_v: float, hertz: float = 400.0, decay_s: float = 0.008, at_s: float = 1e-3) -> str:
    """Return the swing of a disc that rings at *hertz* after a blow, first upwards."""
    return f"sin(0 {peak_v * exp(0.25 / hertz / decay_s)} {hertz} {at_s} {1 / decay_s})"


def course(samples: Sequence[float], rate_hz: float, scale: float = 1.0, at_s: float = 0.0) -> str:
    """Return *samples* as a voltage, straight from each to the next."""
    points = (f"{at_s + at / rate_hz:.7g} {scale * one:.6g}" for at, one in enumerate(samples, 1))
    start = f"0 0 {at_s:.7g} 0" if at_s else "0 0"
    return f"pwl({start} {' '.join(points)})"


def spark(volts: float = SPARK_V, at_s: float = 1e-6) -> str:
    """Return the current of a spark from somebody charged to *volts*.

    The course is that of IEC 61000-4-2, annex B, which tests discharge at the bare contact.
    """
    points = (f"{at_s + 1e-9 * ns:.7g} {volts * _ampere_per_volt(1e-9 * ns):.5g}"
              for ns in _SPARK_AT_S)  # fmt: skip
    return f"pwl(0 0 {' '.join(points)} {at_s + 1e-6} 0)"


def gun(net: str, volts: float = SPARK_V, at_s: float = 1e-6) -> str:
    """Return, as netlist lines, what touches *net*: 150 pF at *volts*, behind 330 ohm.

    That is the circuit of IEC 61000-4-2, figure 1. Its current depends on what it meets, as that
    of `spark` does not: a resistor in its way is worth something.
    """
    return (
        f"vgun gun1 0 pwl(0 0 {at_s} 0 {at_s + 0.8e-9} {volts})\n"
        f"cgun gun1 gun2 {GUN_F}\nrgun gun2 {net} {GUN_OHM}\n"
    )


def contact(net: str, closed: Sequence[tuple[float, float]]) -> str:
    """Return, as netlist lines, a contact from *net* to ground; *closed*: from when to when."""
    points = " ".join(f"{a} 0 {a + 1e-6} 1 {b} 1 {b + 1e-6} 0" for a, b in closed)
    return (
        f"vkey key 0 pwl(0 0 {points})\nskey {net} 0 key 0 contact\n"
        f".model contact sw(vt=0.5 vh=0.1 ron=0.1 roff=1e12)\n"
    )


def _ampere_per_volt(since_s: float) -> float:
    total = 0.0
    for per_volt, (rise_s, fall_s) in zip(_SPARK_A_PER_V, _SPARK_S, strict=True):
        steep = (since_s / rise_s) ** _SPARK_N
        norm = exp(-(rise_s / fall_s) * (_SPARK_N * fall_s / rise_s) ** (1 / _SPARK_N))
        total += per_volt / norm * steep / (1 + steep) * exp(-since_s / fall_s)
    return total


def mains(farad_per_m: float, length_m: float = CABLE_M) -> str:
    """Return what couples the mains of the room into a cable, as netlist lines."""
    return f"vmains mains 0 sin(0 {MAINS_V} 50)\ncmains mains live {farad_per_m * length_m}\n"
