"""The history of the race: `benchmarks/history.jsonl`, one line a release, the oldest first.

Each line holds medians and ratios by the name of the row. A line of another machine compares by
its ratios alone, or by its row `yardstick`, which is measured with the rest.
"""

import json
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.race.row import Result

HISTORY = Path(__file__).parents[1] / "history.jsonl"


def line(version: str, results: Sequence[Result]) -> dict[str, object]:
    """Return what is kept of *results* for *version*."""
    return {
        "version": version,
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "rows": {one.row.name: _kept(one) for one in results if one.ours is not None},
    }


def keep(version: str, results: Sequence[Result], path: Path = HISTORY) -> None:
    """Write the line of *version*; one that stood there for it goes."""
    lines = [one for one in read(path) if one["version"] != version]
    lines.append(line(version, results))
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")


def read(path: Path = HISTORY) -> list[dict[str, object]]:
    """Return all lines, the oldest first."""
    written = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(one) for one in written.splitlines()]


def _kept(result: Result) -> dict[str, object]:
    ratios = {
        peer.name: float(f"{ratio:.3g}")
        for peer in result.peers
        if (ratio := result.ratio_to(peer)) is not None
    }
    ours = result.ours.median if result.ours else 0.0
    return {result.row.unit: float(f"{ours:.4g}"), **({"ratio": ratios} if ratios else {})}


def _commit() -> str:
    asked = ("git", "rev-parse", "--short=12", "HEAD")
    found = subprocess.run(asked, cwd=HISTORY.parent, capture_output=True, text=True, check=False)
    return found.stdout.strip()
