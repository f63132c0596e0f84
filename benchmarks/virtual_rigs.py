"""Rigs that are not there: virtual tables, written as a folder like any other.

Each is one table with a disc in every corner, of which the one that felt a blow most is written:
what one disc gives that is not too far away. Neither judge nor lessons ever met these tables.
"""

import json
import wave
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path
from random import Random

from benchmarks.labels import KNOCK, LABELS, NEGATIVE
from benchmarks.measured_table import MCP3008, MeasuredTable
from kloplei.knock.geometry import Spot
from kloplei.simulation.blows import Blow

FIRST_SEED = 7500  # of the tables; learning has others, and so have seats
BLOWS = {
    Blow.KNUCKLE: 26,
    Blow.GLASS: 6,
    Blow.CARD: 4,
    Blow.DICE: 4,
    Blow.KEYS: 4,
    Blow.CHIPS: 4,
    Blow.BUMP: 4,
}
_SEATS, _CORNERS = 4, 4
_BEFORE_S, _LASTING_S = 0.3, 0.7
_EDGE = 0.06  # of the table, where nobody knocks


def write_rigs(count: int, folder: Path) -> None:
    """Write *count* tables into *folder*: a recording a blow at 4 kHz and 10 bits, and labels."""
    folder.mkdir(parents=True)
    with Pool() as pool:
        tables = pool.starmap(_write_table, [(number, folder) for number in range(count)])
    files = [one for entries in tables for one in entries]
    (folder / LABELS).write_text(json.dumps({"files": files}))


def _write_table(number: int, folder: Path) -> list[dict[str, object]]:
    return list(_blows(number, folder))


def _blows(number: int, folder: Path) -> Iterator[dict[str, object]]:
    top = MeasuredTable.of_seed(FIRST_SEED + number, _SEATS, _CORNERS)
    luck = Random(f"rig {number}")  # noqa: S311 - no secret
    for kind, count in BLOWS.items():
        for turn in range(count):
            size = (top.plate.length_m, top.plate.width_m)
            spot = Spot(*(luck.uniform(_EDGE, 1 - _EDGE) * one for one in size))
            seed = 1000 * number + 100 * list(BLOWS).index(kind) + turn
            block = top.record(kind, spot, seed=seed, before_s=_BEFORE_S, lasting_s=_LASTING_S)
            felt = max(block.channels, key=lambda samples: max(map(abs, samples)))
            name = f"virtual{number}_{kind}{turn}.wav"
            with wave.open(str(folder / name), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(round(MCP3008.rate_hz))
                # Whole codes of 10 bits, as the highest of 16.
                file.writeframes(
                    b"".join(round(32768 * one).to_bytes(2, "little", signed=True) for one in felt)
                )
            is_knock = kind is Blow.KNUCKLE
            yield {
                "file": name,
                "category": KNOCK if is_knock else NEGATIVE,
                "klass": str(kind),
                "onsets": [_BEFORE_S] if is_knock else [],
            }
