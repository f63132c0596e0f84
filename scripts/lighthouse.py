"""Let Lighthouse mark how quickly the pages come up: a phone at each game, large screen, demo.

It looks with a phone's processor and a phone's network, and the large screen's with a desk's.
What stands in the way of a full mark is named below each. A busy machine takes off some marks; the
middle one of a few looks (``--looks``) is what counts.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kloplei.demo.table import Demo, demo_config
from kloplei.games.catalogue import GAMES
from scripts.pictures import CHROMIUM, FLAGS, served

MISSING = (
    "No Lighthouse. Install it, npm install --global lighthouse (it wants Node 18.16 or newer), "
    "or name another: LIGHTHOUSE=/path/to/lighthouse"
)
FULL = 100
DEMO = 90  # it has a phone's page and a table top on it
PATIENCE_S = 180
FIGURES = (
    *("largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift"),
    "total-byte-weight",
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page, at *path* of a table that plays *game*, and the *mark* it is to get."""

    game: str
    path: str
    mark: int = FULL
    is_large: bool = False


def pages(games: tuple[str, ...]) -> list[Wanted]:
    """Return what is looked at where *games* are played: who deals has most on the phone."""
    each = [Wanted(game, "/?seat={dealer}") for game in games]
    return [*each, Wanted(games[0], "/tv", is_large=True), Wanted(games[0], "/demo", DEMO)]


def main() -> int:
    """Print each page's mark and what it hangs on; return 1 if one is below what is wanted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--looks", type=int, default=3, help="how often to look at each page")
    parser.add_argument("games", nargs="*", help="only those games (default: all)")
    asked = parser.parse_args()
    lighthouse = os.environ.get("LIGHTHOUSE") or shutil.which("lighthouse")
    if lighthouse is None:
        print(MISSING, file=sys.stderr)
        return 2
    wanted = pages(tuple(asked.games or GAMES))
    return max(_marked(one, lighthouse, asked.looks) for one in wanted)


def _marked(wanted: Wanted, lighthouse: str, looks: int) -> int:
    """Print what *wanted* got; return 1 where that is too little."""
    with table(wanted.game) as (url, dealer):
        path = wanted.path.format(dealer=dealer)
        reports = [look(lighthouse, url + path, is_large=wanted.is_large) for _ in range(looks)]
    marks = sorted(round(100 * one["categories"]["performance"]["score"]) for one in reports)
    mark = statistics.median_low(marks)
    print(
        f"{mark:4} of {wanted.mark}  {wanted.game:14} {path:10} {figures(reports[0])}", flush=True
    )
    if mark >= wanted.mark:
        return 0
    for audit in short_of(reports[0]):
        print(f"{'':12}{audit['title']}: {audit.get('displayValue', '')}")
    return 1


@contextmanager
def table(game: str) -> Iterator[tuple[str, int]]:
    """Serve a demo at which a hand of *game* has been dealt; yield its address, and who deals."""
    with served(Demo(config=demo_config("en", game=game)), _deal) as (demo, url):
        yield url, (demo.client.scoreboard().dealer or 0) + 1


def _deal(demo: Demo) -> None:
    demo.client.submit(None, "deal", via="table")


def look(lighthouse: str, url: str, *, is_large: bool) -> Mapping[str, Any]:
    """Return what *lighthouse* reports of the page at *url*."""
    flags = " ".join(("--headless", *FLAGS))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(  # noqa: S603 - no word of it comes from outside
            [lighthouse, url, "--only-categories=performance", "--quiet", "--output=json"]
            + [f"--output-path={report}", f"--chrome-flags={flags}"]
            + ["--preset=desktop"] * is_large,
            env={**os.environ, "CHROME_PATH": CHROMIUM},
            timeout=PATIENCE_S,
            check=True,
        )
        found: dict[str, Any] = json.loads(report.read_text())
    return found


def figures(report: Mapping[str, Any]) -> str:
    """Return what the mark is made of, in a line."""
    return "  ".join(report["audits"][one].get("displayValue", "") for one in FIGURES)


def short_of(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what in *report* could be better, the worst first."""
    told = [one for one in report["audits"].values() if (one.get("score") or 0) < 1]
    scored = [one for one in told if one["scoreDisplayMode"] in ("numeric", "metricSavings")]
    return sorted(scored, key=lambda one: one["score"] or 0)


if __name__ == "__main__":
    sys.exit(main())
