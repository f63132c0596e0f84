"""Run the race and print its table: what Kloplei takes, beside its peers in the same run.

    python -m benchmarks.race [ROW...] [--tries N] [--counts] [--keep VERSION] [--list]

ROW is the beginning of a name, such as `start` or `glass-toep`; without one all are run. Figures
are medians, in brackets the quarters around them; a ratio is ours to the peer's. Peers that are
not installed are named (`make race` installs them). --keep writes a line into the history.
"""

import argparse
import sys
from collections.abc import Sequence

from benchmarks.race import disk, ears, glass, history, phones, rules, starts
from benchmarks.race.row import Figures, Result, Row, chosen, run

FINE, WRONG_USE = 0, 2
TRIES = 9
ROWS: tuple[Row, ...] = (
    *history.ROWS,
    *glass.ROWS,
    *starts.ROWS,
    *rules.ROWS,
    *disk.ROWS,
    *ears.ROWS,
    *phones.ROWS,
)
_HEAD = "| what | unit | Kloplei | beside | ratio | reach |\n|---|---|---|---|---|---|"


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
        results.append(run(row, asked.tries))
        print(told(results[-1]), flush=True)
    for name, why in dict.fromkeys(missing for one in results for missing in one.absent):
        print(f"\n{name} is absent: {why}")
    if asked.keep:
        history.keep(asked.keep, results)
    return FINE


def told(result: Result) -> str:
    """Return *result* as a line of the table."""
    row = result.row
    cells = (
        row.what,
        row.unit,
        "absent" if result.ours is None else _figures(result.ours),
        "<br>".join(f"{peer.name} {_figures(peer)}" for peer in result.peers),
        "<br>".join(f"{ratio:.3g}" for ratio in map(result.ratio_to, result.peers) if ratio),
        _reach(result),
    )
    return f"| {' | '.join(cells)} |"


def _figures(figures: Figures) -> str:
    low, high = figures.spread
    median = f"{figures.median:,.4g}" if figures.median < 1e4 else f"{figures.median:,.0f}"
    return median if low == high else f"{median} ({low:.3g} to {high:.3g})"


def _reach(result: Result) -> str:
    row = result.row
    if row.under is not None:
        wanted = f"under {row.under:g}"
    elif row.within is not None:
        wanted = f"within {row.within:g}"
    else:
        return ""
    return f"{wanted}: {'reached' if result.is_reached else 'not yet'}"


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
