"""By what machines are compared: two measures of which figures of small Pis are published.

Nobody of us has run Kloplei on a Raspberry Pi Zero 2 W with a stop-watch. What a row costs there
is reckoned: as many times more as one round of plain sums in Python takes there.
"""

import re
import shutil
import statistics
import subprocess

from benchmarks.race.row import Missing, Row, given, stopwatch

PI = "Pi Zero 2 W"
# https://github.com/alexdedyura/cpu-benchmark/issues/20: 245 s for 10,000 rounds with Python
# 3.11.2 on a Pi 3B+ at 1.4 GHz. A Zero 2 W has the same cores (Cortex-A53), at 1.0 GHz.
_ROUND_ON_3B_PLUS_MS, _GHZ_OF_3B_PLUS, _GHZ_OF_ZERO_2 = 24.5, 1.4, 1.0
ROUND_ON_ZERO_2_MS = _ROUND_ON_3B_PLUS_MS * _GHZ_OF_3B_PLUS / _GHZ_OF_ZERO_2
# https://github.com/ThomasKaiser/Knowledge, Quick_Review_of_RPi_Zero_2_W.md: one core at 1.0 GHz.
_MIPS_OF_ZERO_2 = 835.0
# Names of a module, as there: those of a function are found sooner.
_ROUND = compile(
    """
for number in range(1, 1000):
    3.141592 * 2**number
for number in range(1, 10000):
    float(number) / 3.141592
for number in range(1, 10000):
    float(3.141592) / number
""",
    "one round of cpu-benchmark",
    "exec",
)
_TRIES = 5
_SEVEN_ZIP = ("7zz", "7z", "7za")


def plain_sums() -> None:
    """Work through one round."""
    exec(_ROUND, {})  # noqa: S102 - our own


_ONE_ROUND = stopwatch(plain_sums)


def a_round_ms() -> float:
    """Return what a round takes here now: what else the machine does slows all it measures."""
    return statistics.median(_ONE_ROUND() for _ in range(_TRIES))


def times_as_long(round_ms: float) -> float:
    """Return how many times as long Python takes on a Pi Zero 2 W as where a round takes that."""
    return ROUND_ON_ZERO_2_MS / round_ms


def _mips() -> float:
    """Return what 7-Zip rates one core with, for each second that it has it to itself."""
    program = next(filter(None, map(shutil.which, _SEVEN_ZIP)), None)
    if program is None:
        raise Missing("no 7-Zip here; sudo apt-get install 7zip")
    asked = (program, "b", "1", "-mmt1", "-md22")
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    found = re.search(r"^Tot:\s+\d+\s+(\d+)", told, re.MULTILINE)
    if found is None:
        raise Missing(f"{program} tells no rating")
    return float(found[1])


ROWS = (
    Row(
        "yardstick",
        "a round of cpu-benchmark, plain sums in Python",
        "ms",
        (
            given("here", a_round_ms),
            given(PI, lambda: ROUND_ON_ZERO_2_MS),
        ),
    ),
    Row(
        "yardstick-7zip",
        "7-Zip's own measure of one core",
        "MIPS",
        (given("here", _mips), given(PI, lambda: _MIPS_OF_ZERO_2)),
        tries=1,
    ),
)
