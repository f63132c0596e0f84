"""Compare Kloplei with other ways of finding knocks, on a folder of labelled recordings.

    python benchmarks/knocks.py --data FOLDER [--tables N] [--json FILE]

FOLDER holds `labels.json` as `benchmarks/labels.py` describes it, and the recordings that it
names. Everything is measured in this one run; what cannot be compared here is named. Who knocked
is told on N virtual tables of each kind (`benchmarks/seats.py`), which takes minutes.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.cost import cost_of, cost_of_reading, cost_of_the_box, start_of_listen
from benchmarks.labels import Labelled, NoLabels, read_labels
from benchmarks.methods import Kloplei, methods
from benchmarks.recordings import first_channel, heard_by, heard_by_kloplei
from benchmarks.scoring import Scores, score
from benchmarks.seats import tell_apart
from benchmarks.tables import (
    COST_HEAD,
    SCENE,
    SCORE_HEAD,
    cost_row,
    details,
    score_row,
    scores_as_dict,
    table,
)

FINE, UNREADABLE = 0, 2

_UNSEEN = """\
Kloplei's judge and the others' settings were chosen on recordings; if these are the same ones,
this says little. docs/knocks.md tells which they were, and how it does on others."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and return the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        labels = read_labels(arguments.data)
    except NoLabels as error:
        print(f"benchmarks/knocks.py: {error}", file=sys.stderr)
        return UNREADABLE
    report = {
        "knocks": compare_hearing(arguments.data, labels),
        "cost": compare_cost(arguments.data, labels),
    }
    if arguments.tables > 0:
        print()
        report["seats"] = tell_apart(arguments.tables)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    return FINE


def compare_hearing(folder: Path, labels: Sequence[Labelled]) -> dict[str, object]:
    """Print how well each method hears; return the same as plain values."""
    there, absent = methods()
    scores: dict[str, Scores] = {}
    for method in there:
        _progress(f"{method.name} listens to {len(labels)} recordings")
        if isinstance(method, Kloplei):
            detections = heard_by_kloplei(folder, labels)
        else:
            detections = heard_by(method, folder, labels)
        scores[method.name] = score(labels, detections)
    print(table(SCORE_HEAD, [score_row(name, one) for name, one in scores.items()]))
    for missing in absent:
        print(f"{missing.name} is absent: {missing.why}")
    for method in there:
        print(f"{method.name}: {method.settings}")
    print(_UNSEEN)
    print(f"\n{Kloplei.name} in detail\n{details(scores[Kloplei.name])}\n")
    return {
        **{name: scores_as_dict(one) for name, one in scores.items()},
        "settings": {method.name: method.settings for method in there},
        "absent": {missing.name: missing.why for missing in absent},
    }


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
    return {
        **{
            one.name: {"real_time_factor": one.real_time_factor, "microseconds": one.microseconds}
            for one in costs
        },
        "start": {"seconds": start.seconds, "memory_mb": start.memory_mb},
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--tables", type=int, default=2, metavar="N", help="0 leaves seats out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    return parser


def _progress(sentence: str) -> None:
    if sys.stderr.isatty():
        print(sentence, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
