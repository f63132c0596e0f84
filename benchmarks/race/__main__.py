"""Run the race and print its table: what Kloplei takes, beside its peers in the same run.

    python -m benchmarks.race [ROW...] [--tries N] [--counts] [--keep VERSION] [--list]

ROW is the beginning of a name, such as `start` or `glass-toep`; without one all are run. Figures
are medians, in brackets the quarters around them; a ratio is ours to the peer's. Peers that are
not installed or break are named (`make race` installs them). The last column is reckoned, and
measured nowhere: as much more as the yardstick takes there. --keep writes a line into the history.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence

from benchmarks.race import (
    counts,
    disk,
    ears,
    glass,
    history,
    pages,
    phones,
    rules,
    starts,
    yardstick,
)
from benchmarks.race.row import Figures, Result, Row, chosen, run

FINE, WRONG_USE = 0, 2
TRIES = 9
ROWS: tuple[Row, ...] = (
    *yardstick.ROWS,
    *glass.ROWS,
    *starts.ROWS,
    *rules.ROWS,
    *disk.ROWS,
    *ears.ROWS,
    *pages.ROWS,
    *phones.ROWS,
    *counts.ROWS,
)
_TITLES = ("what", "unit", "Kloplei", "beside", "ratio", "reach", f"{yardstick.PI}, about")
_HEAD = f"| {' | '.join(_TITLES)} |\n{'|---' * len(_TITLES)}|"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table row by row, and return the exit code."""
    asked = _parser().parse_args(argv)
    rows = [one for one in chosen(ROWS, asked.rows) if one.counts or not asked.counts]
    if asked.list:
        print("\n".join(f"{row.name:16} {row.what}" for row in rows))
        return FINE
    if not rows:
        print("benchmarks.race: no row begins so; --list tells them", file=sys.stderr)
        return WRONG_USE
    print(_HEAD, flush=True)
    results: list[Result] = []
    for row in rows:
        around_ms = [yardstick.a_round_ms()] if row.is_time else []
        results.append(run(row, asked.tries))
        around_ms += [yardstick.a_round_ms()] if row.is_time else []
        slower = yardstick.times_as_long(sum(around_ms) / 2) if around_ms else None
        print(told(results[-1], slower), flush=True)
    for told_absent in _absent(results):
        print(f"\n{told_absent}")
    if asked.keep:
        history.keep(asked.keep, results)
    return FINE


def told(result: Result, slower: float | None = None) -> str:
    """Return *result* as a line of the table; on a Pi it is so many times *slower*."""
    row = result.row
    cells = (
        row.what,
        row.unit,
        "absent" if result.ours is None else _figures(result.ours),
        "<br>".join(f"{peer.name} {_figures(peer)}" for peer in result.peers),
        "<br>".join(f"{ratio:.3g}" for ratio in map(result.ratio_to, result.peers) if ratio),
        _reach(result),
        _reckoned(result, slower),
    )
    return f"| {' | '.join(cells)} |"


def _figures(figures: Figures) -> str:
    low, high = figures.spread
    median = f"{figures.median:,.4g}" if figures.median < 1e4 else f"{figures.median:,.0f}"
    return median if low == high else f"{median} ({low:.3g} to {high:.3g})"


def _absent(results: Sequence[Result]) -> Iterator[str]:
    """Yield who was absent and why, with the rows that they were missed in."""
    rows: dict[tuple[str, str], list[str]] = {}
    for one in results:
        for missing in one.absent:
            rows.setdefault(missing, []).append(one.row.name)
    for (name, why), missed in rows.items():
        yield f"{name} is absent in {', '.join(missed)}: {why}"


def _reach(result: Result) -> str:
    row = result.row
    limits = {"under": row.under, "at least": row.over, "within": row.within}
    wanted = [f"{how} {limit:g}" for how, limit in limits.items() if limit is not None]
    if not wanted:
        return ""
    ends = {True: "met", None: "nobody can tell", False: f"missed{': ' * bool(row.why)}{row.why}"}
    return f"{wanted[0]}: {ends[result.is_reached]}"


def _reckoned(result: Result, slower: float | None) -> str:
    """Return what it costs on a Pi by the yardstick, where that is a matter of Python's speed."""
    if slower is None or result.ours is None or not result.row.is_time:
        return ""
    return f"{float(f'{slower * result.ours.median:.2g}'):,g}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.race",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--tries", type=int, default=TRIES, metavar="N", help=f"({TRIES})")
    parser.add_argument("--counts", action="store_true", help="only what is counted, not timed")
    parser.add_argument("--keep", metavar="VERSION", help="write a line into the history")
    parser.add_argument("--list", action="store_true", help="name the rows, and run none")
    return parser


if __name__ == "__main__":
    sys.exit(main())
