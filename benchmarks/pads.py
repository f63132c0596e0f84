"""What comparator pads make of labelled recordings, by their edges alone.

    python benchmarks/pads.py --data FOLDER

FOLDER holds `labels.json` as `benchmarks/labels.py` describes it, and the recordings that it
names. Each is played into a comparator set to several levels, of full scale; usual knocks of
the recordings peak at half of it. A doubtful knock counts as found: people are asked.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.labels import Labelled, NoLabels, read_labels
from benchmarks.recordings import first_channel
from benchmarks.scoring import Detection, Tally, pooled, score
from kloplei.knock.edges import edges, judged
from kloplei.knock.judgement import Judgement, Verdict

LEVELS = (0.25, 0.15, 0.1, 0.06, 0.03)
FINE, UNREADABLE = 0, 2

_HEAD = "level  macro F1  found  in doubt  scene F1  false/min  hard F1  false/min  table noise/min"


@dataclass(frozen=True, slots=True)
class Row:
    """How pads at *level* do."""

    level: float
    macro_f1: float
    knocks: Tally
    doubtful: int
    scene: Tally
    hard: Tally
    on_table: Tally

    def __str__(self) -> str:
        return (
            f"{self.level:5.2f}  {self.macro_f1:8.3f}  {self.knocks.recall:5.2f}"
            f"  {self.doubtful / max(1, self.knocks.hits):8.2f}"
            f"  {self.scene.f1:8.3f}  {self.scene.false_per_minute:9.1f}"
            f"  {self.hard.f1:7.3f}  {self.hard.false_per_minute:9.1f}"
            f"  {self.on_table.false_per_minute:15.1f}"
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    arguments = parser.parse_args(argv)
    try:
        labels = read_labels(arguments.data)
    except NoLabels as error:
        print(f"benchmarks/pads.py: {error}", file=sys.stderr)
        return UNREADABLE
    print(_HEAD)
    for level in LEVELS:
        print(row(arguments.data, labels, level), flush=True)
    return FINE


def row(folder: Path, labels: Sequence[Labelled], level: float) -> Row:
    """Return how pads at *level* do on *labels* in *folder*."""
    found = {one.file: _not_noise(*first_channel(folder / one.file), level) for one in labels}
    scores = score(
        labels,
        {file: [_detection(one) for one in some] for file, some in found.items()},
    )
    in_doubt = sum(
        one.verdict is Verdict.DOUBTFUL
        for labelled in labels
        if labelled.category == "knock"
        for one in found[labelled.file]
    )
    return Row(
        level=level,
        macro_f1=scores.macro_f1 or 0.0,
        knocks=scores.pooled,
        doubtful=in_doubt,
        scene=pooled(one for klass, one in scores.scenes.items() if klass == "scene"),
        hard=pooled(one for klass, one in scores.scenes.items() if klass == "scene_hard"),
        on_table=pooled(one for domain, one in scores.noises.items() if domain == "on_table"),
    )


def heard(samples: Sequence[float], rate_hz: float, level: float) -> Iterator[Judgement]:
    """Yield what a pad behind a comparator at *level* makes of *samples*."""
    return judged(edges(samples, rate_hz, level))


def _not_noise(samples: Sequence[float], rate_hz: float, level: float) -> list[Judgement]:
    return [one for one in heard(samples, rate_hz, level) if one.verdict is not Verdict.NOISE]


def _detection(judgement: Judgement) -> Detection:
    return Detection(judgement.at_s, judgement.decided_at_s)


if __name__ == "__main__":
    sys.exit(main())
