"""Compare Kloplei with other ways of finding knocks, on a folder of labelled recordings.

    python benchmarks/knocks.py --data FOLDER [--quick] [--only PART,PART] [--unseen RIG,RIG]
                                [--keep FOLDER] [--json FILE] [--publish]

FOLDER holds `labels.json` as `benchmarks/labels.py` describes it, and the recordings that it
names. What is measured, and how others can measure the same: docs/bench.md. Everything is measured
in this one run; what cannot be compared here is named.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from os import cpu_count
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.cost import (
    TABLES,
    cost_at,
    cost_of,
    cost_of_a_card,
    cost_of_reading,
    cost_of_the_box,
    start_of_listen,
    times_on_a_pi,
)
from benchmarks.judges import SETTINGS, Kind, NoTrainer, trained
from benchmarks.labels import (
    KNOCK,
    NEGATIVE,
    SCENE,
    Labelled,
    NoLabels,
    check_recordings,
    read_labels,
)
from benchmarks.methods import Kloplei, Method, methods
from benchmarks.protocol import (
    PROTOCOL,
    QUICK,
    USUAL,
    WHOLE,
    Condition,
    Extent,
    converted_folder,
)
from benchmarks.race.yardstick import PI
from benchmarks.recordings import Ear, first_channel, heard_by, judge_in_use, with_judge
from benchmarks.rigs import Outcomes, Rig, heard_taught, heard_untaught, rigs_of, teaching
from benchmarks.scoring import Detections, Scores, score
from benchmarks.seats import tell_apart
from benchmarks.tables import (
    BUSY_HEAD,
    COST_HEAD,
    SCORE_HEAD,
    busy_row,
    cost_row,
    details,
    rung_as_dict,
    score_row,
    scores_as_dict,
    summary,
    table,
)
from benchmarks.virtual_rigs import write_rigs
from kloplei import __version__
from kloplei.devices.audio import S24_PACKED
from kloplei.knock.features import RATES_HZ

FINE, UNREADABLE = 0, 2
PARTS = ("hearing", "levels", "rates", "rigs", "tables", "seats", "cost")
_LEARNED = (
    "hearing",
    "levels",
    "rates",
    "rigs",
    "tables",
)  # parts in which trained judges are compared

_UNSEEN = """\
Kloplei's judge and the others' settings were chosen on recordings; if these are the same ones,
this says little. docs/knocks.md tells which they were, and how it does on others."""

Hears = Callable[[Path, Sequence[Labelled]], Detections]
"""Finds the knocks in some recordings of a folder."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and return the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        labels = read_labels(arguments.data)
        check_recordings(arguments.data, labels)
        _check_unseen(arguments.unseen, labels)
    except NoLabels as error:
        print(f"benchmarks/knocks.py: {error}", file=sys.stderr)
        return UNREADABLE
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(
            arguments.data,
            labels,
            Path(work),
            extent=QUICK if arguments.quick else WHOLE,
            unseen=arguments.unseen,
            kept=arguments.keep,
        )
        report = bench.measured(arguments.only, arguments.tables)
    print(f"\nAll of it in one table\n{summary(report)}")
    for name, settings in report["settings"].items():
        print(f"{name}: {settings}")
    for name, why in report["absent"].items():
        print(f"{name} is absent: {why}")
    if not report.get("rigs", {}).get("trained_anew", True):
        print("No judge was trained anew: rigs left out are heard by Kloplei as it comes")
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    if arguments.publish:
        from benchmarks.plots import publish  # with matplotlib, which only this needs

        publish(report)
    return FINE


@dataclass
class Bench:
    """One run on one folder.

    Args:
        folder: With labels.json.
        labels: What it says.
        work: An empty folder for what is made on the way.
        extent: How much is measured.
        unseen: Rigs that are left out of everything that is learned, and reported apart.
        kept: Folder where lessons are kept for the next run; None to keep none.
    """

    folder: Path
    labels: Sequence[Labelled]
    work: Path
    extent: Extent = WHOLE
    unseen: Sequence[str] = ()
    kept: Path | None = None
    _begun_s: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._absent: dict[str, str] = {}
        self._settings: dict[str, str] = {str(Kind.OURS): Kloplei.settings}
        self._others: list[Method] = []
        there, absent = methods()
        self._others += [one for one in there if not isinstance(one, Kloplei)]
        self._absent |= {one.name: one.why for one in absent}

    def measured(self, parts: Sequence[str], tables: int) -> dict[str, Any]:
        """Measure *parts*, print their tables, and return all as docs/bench.md says."""
        report: dict[str, Any] = {
            "protocol": PROTOCOL,
            "version": __version__,
            "judge": judge_in_use(),
            "extent": "quick" if self.extent is QUICK else "whole",
            "data": self._data(),
            "unseen": list(self.unseen),
        }
        ears = self._ears() if set(parts) & set(_LEARNED) else {}
        others = {one.name: one.settings for one in self._others}
        report["settings"], report["absent"] = {**self._settings, **others}, self._absent
        if "hearing" in parts:
            report["hearing"] = compare_hearing(self.folder, self.labels, ears, self._others)
        if "levels" in parts:
            report["levels"] = self._ladder("levels", self.extent.levels(), ears)
        if "rates" in parts:
            report["rates"] = self._ladder("rates and bits", self.extent.rates(), ears)
        if "rigs" in parts:
            report["rigs"] = self._rigs(ears)
        if "tables" in parts:
            report["tables"] = self._tables(ears)
        if "seats" in parts and tables > 0:
            self._told(f"seats at {tables} virtual tables of each kind")
            report["seats"] = tell_apart(tables)
        if "cost" in parts:
            report["cost"] = compare_cost(self.folder, self.labels)
        report["took_s"] = round(time.monotonic() - self._begun_s)
        return report

    def _data(self) -> dict[str, Any]:
        rigs = rigs_of(self.labels)
        return {
            "recordings": len(self.labels),
            "minutes": round(sum(one.duration_s for one in self.labels) / 60, 1),
            "rigs": {
                one.name: {"knocks": one.onsets, "noise_recordings": len(one.noises)}
                for one in rigs
            },
        }

    def _ears(self) -> dict[str, Ear]:
        """Return Kloplei as it comes, and those that have learned the same from this folder."""
        ears = {str(Kind.OURS): Ear()}
        others = (Kind.LINEAR, Kind.LARGE)
        if self._why_not_trained():
            self._absent |= dict.fromkeys(map(str, others), self._why_not_trained())
            return ears
        try:
            ears |= self._trained("known", RATES_HZ, others, self.unseen)
        except NoTrainer as error:
            self._absent |= dict.fromkeys(map(str, others), str(error))
            return ears
        self._settings |= {str(kind): SETTINGS[kind] for kind in others}
        return ears

    def _why_not_trained(self) -> str:
        left = [one for one in rigs_of(self.labels) if one.name not in self.unseen]
        if sum(bool(one.knocks) for one in left) < 2 or not any(one.noises for one in left):
            return "nothing to learn from: it takes knocks of two rigs, and noises"
        return ""

    def _trained(
        self, name: str, rates_hz: Sequence[int], kinds: Sequence[Kind], without: Sequence[str]
    ) -> dict[str, Ear]:
        self._told(f"learning ({name}): {', '.join(kinds)}")
        judges = trained(self.folder, rates_hz, kinds, without, self.kept or self.work / "lessons")
        return {
            str(kind): with_judge(judge, self.work / "judges" / name / kind.name)
            for kind, judge in judges.items()
        }

    def _converted(self, to: Condition) -> Path:
        into = self.work / str(to).replace(" ", "")
        if not into.exists():
            heard = [one for one in self.labels if one.category in (KNOCK, NEGATIVE, SCENE)]
            converted_folder(self.folder, heard, to, into)
        return into

    def _ladder(
        self, name: str, conditions: Sequence[Condition], ears: Mapping[str, Ear]
    ) -> list[dict[str, Any]]:
        """Return how each method does at each of *conditions*."""
        rungs = []
        heard = [one for one in self.labels if one.category in (KNOCK, NEGATIVE, SCENE)]
        for to in conditions:
            folder = self._converted(to)
            found: dict[str, Any] = {}
            for method, hears in hearers(ears, self._others).items():
                self._told(f"{name}: {to}, {method}")
                found[method] = rung_as_dict(score(heard, hears(folder, heard)))
            rungs.append(
                {"level_db": to.level_db, "rate_hz": to.rate_hz, "bits": to.bits, "methods": found}
            )
        return rungs

    def _rigs(self, ears: Mapping[str, Ear]) -> dict[str, Any]:
        """Return how rigs are heard that were met, and that were left out of what was learned."""
        folder = self._converted(USUAL)
        met, left = defaultdict[str, Outcomes](Outcomes), defaultdict[str, Outcomes](Outcomes)
        rigs = rigs_of(self.labels)
        for rig in rigs:
            for name, ear in ears.items():
                met[name].listen(rig, ear, folder)
            alone = self._that_never_met(rig, ears)
            self._ask(rig, folder, alone, left)
            for to in self.extent.levels():
                left[Kind.OURS].listen_softer(
                    rig, alone[Kind.OURS], self._converted(to), to.level_db
                )
        others = [one.name for one in rigs if one.name not in self.unseen]
        return {
            "trained_anew": len(ears) > 1,
            "met": {name: one.as_dict(others) for name, one in met.items()},
            "left_out": {name: one.as_dict(others) for name, one in left.items()},
            "unseen": {name: one.as_dict(self.unseen) for name, one in left.items()}
            if self.unseen
            else {},
        }

    def _tables(self, ears: Mapping[str, Ear]) -> dict[str, Any]:
        """Return how virtual tables are heard, none of which was ever learned from."""
        self._told(f"tables: {self.extent.tables} virtual ones are knocked on")
        folder = self.work / "tables there are not"
        write_rigs(self.extent.tables, folder)
        rigs = rigs_of(read_labels(folder))
        found = defaultdict[str, Outcomes](Outcomes)
        for rig in rigs:
            self._ask(rig, folder, ears, found)
        return {name: one.as_dict([one.name for one in rigs]) for name, one in found.items()}

    def _ask(
        self, rig: Rig, folder: Path, ears: Mapping[str, Ear], outcomes: Mapping[str, Outcomes]
    ) -> None:
        """Let *ears*, and whoever learns nothing, hear *rig*, and *ears* again after lessons."""
        self._told(f"{rig.name}, which nobody met, is heard and teaches")
        for name, hears in hearers({}, self._others).items():
            outcomes[name].add((0, 0), rig.name, heard_untaught(rig, hears(folder, rig.all)))
        for name, ear in ears.items():
            outcomes[name].listen(rig, ear, folder)
        self._teach(rig, ears, folder, outcomes)

    def _that_never_met(self, rig: Rig, ears: Mapping[str, Ear]) -> dict[str, Ear]:
        """Return what learned from all rigs but *rig*; Kloplei as it comes where nothing can."""
        if len(ears) == 1:
            return dict(ears)
        kinds = [kind for kind in Kind if kind in ears]
        without = sorted({rig.name, *self.unseen})
        return self._trained(f"without {rig.name}", [USUAL.rate_hz], kinds, without)

    def _teach(
        self,
        rig: Rig,
        ears: Mapping[str, Ear],
        folder: Path,
        left: Mapping[str, Outcomes],
    ) -> None:
        """Let *rig* teach each of *ears* as often as lessons are drawn, and count what it heard."""
        lessons = [one for one in self.extent.lessons if any(one)]
        jobs = []
        for counts, draw, (name, ear) in product(lessons, range(self.extent.draws), ears.items()):
            taught = teaching(rig, folder, counts, draw)
            if taught is not None:
                work = self.work / "tables" / f"{rig.name} {counts} {draw} {name}"
                work.mkdir(parents=True, exist_ok=True)
                jobs.append((name, counts, (rig, folder, ear, taught, work)))
        with ThreadPoolExecutor(cpu_count()) as pool:
            done = pool.map(lambda job: heard_taught(*job[2]), jobs)
            for (name, counts, _), tallies in zip(jobs, done, strict=True):
                left[name].add(counts, rig.name, tallies)

    def _told(self, sentence: str) -> None:
        minutes = (time.monotonic() - self._begun_s) / 60
        print(f"{minutes:5.1f} min  {sentence}", file=sys.stderr, flush=True)


def hearers(ears: Mapping[str, Ear], others: Sequence[Method]) -> dict[str, Hears]:
    """Return who finds knocks, by name: *ears* first, then the *others*."""
    return {
        **{name: ear.knocks for name, ear in ears.items()},
        **{one.name: partial(heard_by, one) for one in others},
    }


def compare_hearing(
    folder: Path,
    labels: Sequence[Labelled],
    ears: Mapping[str, Ear] | None = None,
    others: Sequence[Method] = (),
) -> dict[str, object]:
    """Print how well each method hears recordings as they are; return the same as plain values.

    Of *ears*, the first is Kloplei as it comes; without any it is that alone.
    """
    ears = ears or {str(Kind.OURS): Ear()}
    scores: dict[str, Scores] = {
        name: score(labels, hears(folder, labels)) for name, hears in hearers(ears, others).items()
    }
    print(table(SCORE_HEAD, [score_row(name, one) for name, one in scores.items()]))
    print(_UNSEEN)
    print(f"\n{Kind.OURS} in detail\n{details(scores[Kind.OURS])}\n")
    return {name: scores_as_dict(one) for name, one in scores.items()}


def compare_cost(folder: Path, labels: Sequence[Labelled]) -> dict[str, object]:
    """Print what each method takes for the longest recording; return the same as plain values."""
    busy = folder / max(labels, key=lambda one: (one.category == SCENE, one.duration_s)).file
    samples, rate_hz = first_channel(busy)
    there, _ = methods()
    costs = [cost_of(method, samples, rate_hz) for method in there]
    costs += [cost_of_the_box(samples, rate_hz), cost_of_reading(busy)]
    start = start_of_listen()
    print(f"Cost of {busy.name}, {rate_hz} Hz, without reading it from disk")
    print(table(COST_HEAD, [cost_row(one) for one in costs]))
    print(f"kloplei listen starts in {start.seconds:.2f} s and takes {start.memory_mb:.0f} MB")
    slower = times_on_a_pi()
    at_tables = [(one.name, [cost_at(one, hz) for hz in (4000, 8000)]) for one in TABLES]
    print(f"\nFour discs, a block each 16 ms; a {PI} takes {slower:.1f} times as long as this core")
    rows = [busy_row(name, costs, slower) for name, costs in at_tables]
    print(table(BUSY_HEAD, rows))
    cards = [cost_of_a_card(channels) for channels in (1, 2, 4, 8)]
    cards.append(cost_of_a_card(8, S24_PACKED))
    print(table(COST_HEAD, [cost_row(one) for one in cards]))
    costs += [cost for _, both in at_tables for cost, _ in both] + cards
    return {
        "pi_zero_2_w_times": slower,
        **{
            one.name: {"real_time_factor": one.real_time_factor, "microseconds": one.microseconds}
            for one in costs
        },
        "start": {"seconds": start.seconds, "memory_mb": start.memory_mb},
    }


def _check_unseen(unseen: Sequence[str], labels: Sequence[Labelled]) -> None:
    there = [one.name for one in rigs_of(labels)]
    for name in unseen:
        if name not in there:
            raise NoLabels(f"--unseen {name} is no rig of this folder; it has {', '.join(there)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--only", type=_parts, default=PARTS, metavar="PART,...", help=f"of {', '.join(PARTS)}"
    )
    parser.add_argument("--quick", action="store_true", help="fewer rungs, and lessons drawn once")
    parser.add_argument(
        "--unseen",
        type=lambda names: tuple(names.split(",")),
        default=(),
        metavar="RIG,...",
        help="left out of all that is learned, and reported apart",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep lessons there for the next run"
    )
    parser.add_argument("--tables", type=int, default=2, metavar="N", help="0 leaves seats out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument(
        "--publish", action="store_true", help="write table and pictures of docs/knocks.md anew"
    )
    return parser


def _parts(written: str) -> tuple[str, ...]:
    parts = tuple(written.split(","))
    if unknown := sorted({*parts} - {*PARTS}):
        raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(PARTS)}")
    return parts


if __name__ == "__main__":
    sys.exit(main())
