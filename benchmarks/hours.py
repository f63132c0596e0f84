"""Let Kloplei sit for hours in a loud pub where nobody knocks, and count what it takes for one.

    python benchmarks/hours.py --data FOLDER [--hours 3]

FOLDER holds `labels.json` as `benchmarks/labels.py` describes it. What came through the air or
out of the electronics is played in random order, each time at another level, with short rests.
"""

import argparse
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.labels import Labelled, NoLabels, read_labels
from benchmarks.recordings import first_channel
from kloplei.knock.detector import Listener
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Block

FINE, UNREADABLE = 0, 2
DOMAINS = ("airborne", "electronics")
LOUDER_DB = (-6.0, 6.0)
REST_S = (0.1, 3.0)
SEED = 3


@dataclass(frozen=True, slots=True)
class Stretch:
    """A noise of class *klass* that begins at *at_s*."""

    at_s: float
    klass: str
    rate_hz: int
    samples: Sequence[float]


def main(argv: Sequence[str] | None = None) -> int:
    """Listen, print what was heard, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--hours", type=float, default=3.0, metavar="N")
    arguments = parser.parse_args(argv)
    try:
        labels = [one for one in read_labels(arguments.data) if one.domain in DOMAINS]
    except NoLabels as error:
        print(f"benchmarks/hours.py: {error}", file=sys.stderr)
        return UNREADABLE
    if not labels:
        print(f"benchmarks/hours.py: no noise of {' or '.join(DOMAINS)} there", file=sys.stderr)
        return UNREADABLE
    blows, found = heard(noises(arguments.data, labels, arguments.hours * 3600))
    knocks = found[Verdict.KNOCK]
    print(f"{arguments.hours:g} hours of {len(labels)} noises: {blows} blows were judged")
    print(f"taken for a knock: {sum(knocks.values())} {dict(knocks)}")
    print(f"doubtful: {sum(found[Verdict.DOUBTFUL].values())} {dict(found[Verdict.DOUBTFUL])}")
    return FINE


def noises(folder: Path, labels: Sequence[Labelled], lasting_s: float) -> Iterator[Stretch]:
    """Yield noises one after the other for *lasting_s* seconds, each with its rest."""
    luck = Random(SEED)  # noqa: S311 - the same evening each time
    at_s = 0.0
    while at_s < lasting_s:
        labelled = luck.choice(labels)
        samples, rate_hz = first_channel(folder / labelled.file)
        gain = 10 ** (luck.uniform(*LOUDER_DB) / 20)
        rest = [0.0] * round(luck.uniform(*REST_S) * rate_hz)
        louder = (max(-1.0, min(1.0, gain * one)) for one in samples)
        stretch = Stretch(at_s, labelled.klass, rate_hz, array("f", (*louder, *rest)))
        yield stretch
        at_s += len(stretch.samples) / rate_hz


def heard(stretches: Iterator[Stretch]) -> tuple[int, dict[Verdict, Counter[str]]]:
    """Return how many blows one listener judged, and of which class each verdict was."""
    listener = Listener()
    found: dict[Verdict, Counter[str]] = {verdict: Counter() for verdict in Verdict}
    for stretch in stretches:
        block = Block(stretch.at_s, float(stretch.rate_hz), (stretch.samples,))
        for one in listener.feed(block):
            if isinstance(one, Judgement):
                found[one.verdict][stretch.klass] += 1
    return sum(sum(count.values()) for count in found.values()), found


if __name__ == "__main__":
    sys.exit(main())
