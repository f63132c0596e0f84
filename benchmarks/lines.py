"""Ask each rig by lines that were picked without it: do those that we picked flatter our figures?

    python benchmarks/lines.py --data FOLDER [--keep FOLDER] [--json FILE]

`CompanyLines` say how much the company of a blow counts, and were picked on recordings. Here each
of them is moved by itself, and each rig is heard by a judge that learned from all others
(docs/bench.md), at three levels. Then one rig after the other, and each two of them, are kept
unseen: what the rest would pick hears them, and is told beside what we picked. The rest are heard
by judges that know the unseen rig; the lines alone do not.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from os import cpu_count
from pathlib import Path

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.judges import Kind, NoTrainer, trained
from benchmarks.labels import KNOCK, NEGATIVE, NoLabels, check_recordings, read_labels
from benchmarks.protocol import USUAL, Condition, converted_folder
from benchmarks.recordings import with_judge
from benchmarks.rigs import Heard, Rig, heard_untaught, rigs_of
from benchmarks.scoring import Tally
from benchmarks.tables import table
from kloplei.knock.detector import USUAL_LINES, CompanyLines

OURS, ALONE = "ours", "each blow alone"
LINES: Mapping[str, Sequence[float]] = {
    "begins_a_row": (0.15, 0.2, 0.3, 0.35, 0.4, 0.5),
    "surer_in_a_row": (0.5, 1.5),
    "one_of_two": (0.05, 0.2, 0.3),
    "alike_db": (6.0, 15.0),
    "milder_a_db": (0.2, 0.4),
    "most_milder": (2.0, 4.0),
}
"""Other values of ours, one at a time."""
LEVELS_DB = (0.0, -12.0, -20.0)
MORE_FALSE = 0.1
"""A minute: so many more noises may pass by a line that is picked than by each blow alone."""
FINE, UNREADABLE = 0, 2

ByLevel = Mapping[float, Heard]
"""How rigs were heard, each by a judge that never met it."""


def settings() -> dict[str, CompanyLines]:
    """Return by which lines one is heard, by what that is called."""
    moved = {
        f"{name} {one:g}": replace(USUAL_LINES, **{name: one})
        for name, ones in LINES.items()
        for one in ones
    }
    alone = replace(USUAL_LINES, begins_a_row=2.0, alike_db=-1.0)
    return {OURS: USUAL_LINES, ALONE: alone, **moved}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep lessons there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    arguments = parser.parse_args(argv)
    try:
        labels = read_labels(arguments.data)
        check_recordings(arguments.data, labels)
        with tempfile.TemporaryDirectory() as work:
            heard = heard_by_lines(arguments.data, Path(work), arguments.keep)
    except (NoLabels, NoTrainer) as error:
        print(f"benchmarks/lines.py: {error}", file=sys.stderr)
        return UNREADABLE
    knocked = [one.name for one in rigs_of(labels) if one.knocks]
    print(table(_HEAD, [(name, *_figures(one)) for name, one in heard.items()]))
    held = [picked_without(heard, knocked, some) for some in (1, 2)]
    for one in held:
        picks = ", ".join(f"{name} ({count})" for name, count in one.picks.items())
        print(f"\n{one.unseen} unseen at a time; what the others picked: {picks}")
        print(table(_HEAD, [("picked unseen", *_figures(one.heard))]))
    if arguments.json:
        report = {
            "lines": {name: _figures(one) for name, one in heard.items()},
            "held": [
                {"unseen": one.unseen, "picks": one.picks, "figures": _figures(one.heard)}
                for one in held
            ],
        }
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return FINE


_HEAD = ("line", *(f"recall {one:+.0f} dB" for one in LEVELS_DB), "false a minute")


def _figures(heard: ByLevel) -> tuple[str, ...]:
    recalls = [heard[one].recall for one in LEVELS_DB]
    false = heard[LEVELS_DB[0]].false_per_minute
    return tuple("-" if one is None else f"{one:.3f}" for one in (*recalls, false))


def heard_by_lines(data: Path, work: Path, kept: Path | None = None) -> dict[str, ByLevel]:
    """Return how the rigs of *data* are heard by each of `settings`.

    Args:
        data: Folder with labels.json.
        work: An empty folder for what is made on the way.
        kept: Folder where lessons are kept for the next run; None to keep none.

    Raises:
        NoTrainer: The trainer's libraries are not installed.
    """
    labels = [one for one in read_labels(data) if one.category in (KNOCK, NEGATIVE)]
    folders = {one: work / f"{one:g} dB" for one in LEVELS_DB}
    for level_db, folder in folders.items():
        converted_folder(data, labels, Condition(level_db=level_db), folder)
    heard = {name: {one: Heard() for one in LEVELS_DB} for name in settings()}
    for rig in rigs_of(labels):
        print(f"{rig.name}: learning from all others", file=sys.stderr, flush=True)
        judges = trained(data, [USUAL.rate_hz], [Kind.OURS], [rig.name], kept or work / "lessons")
        for name, level_db, tallies in _asked(rig, judges[Kind.OURS], folders, work / rig.name):
            heard[name][level_db].add(rig.name, *tallies)
    return dict(heard)


def _asked(
    rig: Rig, judge: object, folders: Mapping[float, Path], work: Path
) -> Iterator[tuple[str, float, tuple[Tally, Tally]]]:
    """Yield how *rig* is heard by each setting at each level."""
    by_it = with_judge(judge, work)
    ears = {name: replace(by_it, lines=lines) for name, lines in settings().items()}
    jobs = [(name, level_db) for name in ears for level_db in folders]

    def ask(job: tuple[str, float]) -> tuple[Tally, Tally]:
        name, level_db = job
        return heard_untaught(rig, ears[name].knocks(folders[level_db], rig.all))

    with ThreadPoolExecutor(cpu_count()) as pool:
        for (name, level_db), tallies in zip(jobs, pool.map(ask, jobs), strict=True):
            yield name, level_db, tallies


def picked(heard: Mapping[str, ByLevel], unseen: Collection[str]) -> str:
    """Return by which setting most is heard of all rigs but those *unseen*.

    It is the mean over the levels, among settings by which few more noises pass (`MORE_FALSE`).
    """
    seen = {name: _without(one, unseen) for name, one in heard.items()}
    most_false = _false(seen[ALONE]) + MORE_FALSE
    return max(
        (name for name, one in seen.items() if _false(one) <= most_false),
        key=lambda name: sum(seen[name][one].recall or 0.0 for one in LEVELS_DB),
    )


@dataclass(frozen=True, slots=True)
class Held:
    """How rigs are heard by what was picked while so many of them were *unseen*.

    *picks* says how often a setting was picked, *heard* how the unseen ones did by it.
    """

    unseen: int
    picks: Mapping[str, int]
    heard: ByLevel


def picked_without(heard: Mapping[str, ByLevel], knocked: Sequence[str], some: int) -> Held:
    """Return how rigs are heard by what was picked without them.

    Args:
        heard: By each setting.
        knocked: Rigs that have knocks.
        some: How many of these are unseen at a time; every such choice is made.
    """
    picks: Counter[str] = Counter()
    found = {one: Heard() for one in LEVELS_DB}
    for unseen in combinations(knocked, some):
        name = picked(heard, unseen)
        picks[name] += 1
        for level_db, one in found.items():
            for rig in unseen:
                by_it = heard[name][level_db]
                one.add(rig, by_it.knocks[rig], by_it.noises[rig])
    return Held(some, picks, found)


def _without(heard: ByLevel, unseen: Collection[str]) -> ByLevel:
    return {level_db: one.of(set(one.knocks) - {*unseen}) for level_db, one in heard.items()}


def _false(heard: ByLevel) -> float:
    return heard[LEVELS_DB[0]].false_per_minute or 0.0


if __name__ == "__main__":
    sys.exit(main())
