"""Play an evening of toepen by ear, with and without what the game knows, and count mistakes.

    python benchmarks/phases.py --data FOLDER [--minutes 10] [--rate 4000] [--folds]

FOLDER holds `labels.json` as `benchmarks/labels.py` describes it. Four players sit at a table that
is heard by one disc; a blow of theirs is taken to be found at their seat, a noise at anybody's.
They deal, toep, stay, fold, take the last trick and drink as the rules have it and dice say, by
knocks of the folder, and once more where the table did not understand. Some 24 noises a minute
fall between, in hard evenings as loud as the knocks. A wrong step is taken back at once.

``--folds`` plays five evenings, each with recordings that its judge has not met: it learns as
``make train`` does, and takes some minutes to (scikit-learn has to be there).
"""

import argparse
import sys
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import exp
from pathlib import Path
from random import Random
from typing import Any

if not __package__:  # run as a file: what lies beside it is found from the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.labels import KNOCK, NEGATIVE, NoLabels, entries
from benchmarks.recordings import first_channel
from benchmarks.scoring import matches
from benchmarks.tables import table as table_of
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.knock.calibration import Calibration
from kloplei.knock.classifier import Classifier, classifier_of, likelihood
from kloplei.knock.detector import Listener
from kloplei.knock.features import features
from kloplei.knock.judgement import Judgement, Struck, Verdict
from kloplei.knock.signal import Block, Window
from kloplei.table.core import Table
from kloplei.table.expectation import Expectation, Expectations
from kloplei.table.messages import finding
from kloplei.table.seating import TableSetup
from tests.table.memory_journal import MemoryJournal

FINE, UNREADABLE = 0, 2
RATE_HZ = 8000  # of the recordings
SEATS = 4
NOISES = 24  # a minute
STEP_S = 0.02
NEAR_S = 0.05  # a blow so near a knock is that knock
GAP_S = (0.16, 0.42)  # between knocks of one pattern
APART_S = 1.0  # between the last knock of a pattern and the next one
PATIENCE_S = 1.5  # after which who was not understood does it again
TOO_LATE_S = 6.0  # after which what happens came of something else
HAND_S = (12.0, 30.0)
TOEPS = 3.0  # a minute
FOLDS_SHARE = 0.35  # of the answers
LEAVE_S = 5.0  # before the end nobody begins anything
LONGEST_S = 2.0  # of a noise
FLOOR = 10 ** (-66 / 20)
SEED = 17

Entry = dict[str, Any]
Judge = Callable[[Window, Calibration], float]


@dataclass(slots=True)
class Pattern:
    """So many *knocks* at *seat*, meant for the table to do *what*."""

    seat: Seat
    knocks: int
    what: str
    onsets_s: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Course:
    """What came of an evening of so many *minutes*."""

    minutes: float = 0.0
    knocks: int = 0
    heard: int = 0  # of the knocks
    false: int = 0
    doubts: int = 0  # of the blows, whatever they were
    patterns: int = 0
    understood: int = 0  # of the patterns, at once
    wrong: int = 0  # steps that nobody asked for

    def add(self, other: "Course") -> None:
        """Take in what came of another one."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def row(self) -> tuple[str, ...]:
        """What is told of it, under `HEAD`."""
        return (
            f"{self.heard} of {self.knocks} ({self.heard / max(1, self.knocks):.3f})",
            f"{self.false / self.minutes:.2f}",
            f"{self.doubts / self.minutes:.2f}",
            f"{self.understood} of {self.patterns} ({self.understood / max(1, self.patterns):.3f})",
            f"{60 * self.wrong / self.minutes:.1f}",
        )


HEAD = (
    *("rate", "noises", "game", "knocks heard", "false/min", "doubtful/min"),
    *("patterns understood at once", "wrong steps an hour"),
)


class Sounds:
    """Knocks and noises of a folder, cut out of their recordings as they are asked for."""

    def __init__(self, folder: Path, entries: Sequence[Entry]) -> None:
        self._folder = folder
        self._of: dict[str, dict[str, list[Entry]]] = {KNOCK: {}, NEGATIVE: {}}
        for one in entries:
            self._of[one["category"]].setdefault(one["klass"], []).append(one)
        self._read: dict[str, list[float]] = {}

    def drawn(self, category: str, luck: Random) -> Entry:
        """Return one of a *category*, every class as often as any other."""
        classes = self._of[category]
        return luck.choice(classes[luck.choice(sorted(classes))])

    def knock(self, entry: Entry, luck: Random) -> list[float]:
        """Return one knock of *entry* from 8 ms before it on; its level is its own."""
        onset = luck.choice(entry["onsets"])
        later = [one for one in (*entry["onsets"], *entry["ignore"]) if one > onset + 0.03]
        end_s = min((*(one - 0.012 for one in later), onset + 0.35))
        cut = self._whole(entry)[max(0, round((onset - 0.008) * RATE_HZ)) : round(end_s * RATE_HZ)]
        return _faded(cut)

    def noise(self, entry: Entry, luck: Random, *, hard: bool) -> list[float]:
        """Return the beginning of *entry* at a level as it has beside knocks."""
        on_table = hard and entry["domain"] == "on_table"
        loud_db = -6 + luck.uniform(-5, 4) + (0 if on_table else entry["gain_db"])
        cut = _faded(self._whole(entry)[: round(LONGEST_S * RATE_HZ)])
        times = 10 ** (loud_db / 20) / (max(map(abs, cut)) + 1e-9)
        return [times * one for one in cut]

    def _whole(self, entry: Entry) -> list[float]:
        file = entry["file"]
        if file not in self._read:
            self._read[file] = first_channel(self._folder / file)[0]
        return self._read[file]


def _faded(cut: Sequence[float]) -> list[float]:
    fade = len(cut) // 3
    return [one * min(1.0, (len(cut) - at) / max(1, fade)) for at, one in enumerate(cut)]


class Wood:
    """What the disc feels, and from whom; all of it known but what hands will add."""

    def __init__(self, sounds: Sounds, minutes: float, *, hard: bool, luck: Random) -> None:
        self._sounds = sounds
        count = round(60 * minutes * RATE_HZ)
        self.samples = array("d", (luck.gauss(0, FLOOR) for _ in range(count)))
        self.ends_s = 60 * minutes
        at_s = luck.expovariate(NOISES / 60)
        while at_s < 60 * minutes:
            noise = sounds.noise(sounds.drawn(NEGATIVE, luck), luck, hard=hard)
            self._lay(noise, at_s)
            at_s += luck.expovariate(NOISES / 60)

    def knock(self, pattern: Pattern, at_s: float, luck: Random) -> None:
        """Let a hand do *pattern* from *at_s* on."""
        entry = self._sounds.drawn(KNOCK, luck)
        level, gap_s = 10 ** (luck.uniform(-5, 3) / 20), luck.uniform(*GAP_S)
        for _ in range(pattern.knocks):
            pattern.onsets_s.append(at_s)
            one = self._sounds.knock(entry, luck)
            self._lay([level * sample for sample in one], at_s - 0.008)
            at_s += gap_s * luck.uniform(0.95, 1.05)

    def _lay(self, piece: Sequence[float], at_s: float) -> None:
        begin = max(0, round(at_s * RATE_HZ))
        for at, sample in enumerate(piece[: max(0, len(self.samples) - begin)], begin):
            self.samples[at] += sample


class Players:
    """Four who play toepen at a table, and say by knocks what dice tell them to.

    Args:
        wood: What they knock on.
        luck: Whatever they do comes of it.
    """

    def __init__(self, wood: Wood, luck: Random) -> None:
        self._wood, self._luck = wood, luck
        self.patterns: list[Pattern] = []
        self.open: Pattern | None = None
        self._free_s = 1.0  # when somebody may knock next
        self._answers: dict[Seat, int] = {}
        self._toeps_s: list[float] = []
        self._ends_s = 0.0

    def look(self, board: Scoreboard, now_s: float) -> None:
        """Do what *board* asks for, in their own time."""
        if self.open is not None and now_s > self.open.onsets_s[-1] + PATIENCE_S:
            self.open = None  # nobody understood: once more
        is_over = now_s > self._wood.ends_s - LEAVE_S
        if is_over or self.open is not None or now_s < self._free_s or board.grace is not None:
            return
        if board.doubt is not None:
            self._say_yes(board, now_s)
        elif (meant := self._meant(board, now_s)) is not None:
            self._knock(meant, now_s)

    def dealt(self, now_s: float) -> None:
        """Plan the hand that begins."""
        self._ends_s = now_s + self._luck.uniform(*HAND_S)
        self._toeps_s, at_s = [], now_s
        while (at_s := at_s + self._luck.expovariate(TOEPS / 60)) < self._ends_s:
            self._toeps_s.append(at_s)

    def understood(self) -> None:
        """The table did what was meant."""
        if self.open is not None and self.open.what == "Knocked":
            self._toeps_s = self._toeps_s[1:]
            self._answers = {}
        self.open = None

    def meant(self, seat: Seat, happened: Collection[str], now_s: float) -> Pattern | None:
        """Return what *seat* did of late for one of these to have *happened*, if it did."""
        mine = [one for one in self.patterns if one.seat == seat and one.what != "Yes"]
        fresh = mine and now_s - mine[-1].onsets_s[-1] < TOO_LATE_S
        return mine[-1] if fresh and mine[-1].what in happened else None

    def _meant(self, board: Scoreboard, now_s: float) -> Pattern | None:
        if board.phase == "rubber_over":
            owing = [row.seat for row in board.rows if "owes_drink" in row.flags]
            return Pattern(owing[0], 2, "Drank") if owing else None
        if board.phase == "between_hands":
            return Pattern(board.dealer or Seat(0), 2, "Dealt")
        if board.to_answer:
            seat = self._luck.choice(board.to_answer)
            knocks = self._answers.setdefault(seat, 1 + (self._luck.random() < FOLDS_SHARE))
            return Pattern(seat, knocks, "Folded" if knocks == 2 else "Stayed")
        return self._played(board, now_s)

    def _played(self, board: Scoreboard, now_s: float) -> Pattern | None:
        playing = [row for row in board.rows if "in_hand" in row.flags]
        if now_s > self._ends_s:
            return Pattern(self._luck.choice(playing).seat, 2, "HandEnded")
        if not self._toeps_s or now_s < self._toeps_s[0]:
            return None
        may = [row.seat for row in playing if any(one.action == "knock" for one in row.offers)]
        if may:
            return Pattern(self._luck.choice(may), 1, "Knocked")
        self._toeps_s = self._toeps_s[1:]
        return None

    def _say_yes(self, board: Scoreboard, now_s: float) -> None:
        """Say that the doubtful knocks were meant, if they were; else let the doubt pass."""
        doubt = board.doubt
        if doubt is None or doubt.seat is None or not self.patterns:
            return
        last = self.patterns[-1]
        if last.seat == doubt.seat and last.knocks == doubt.knocks and last.what != "Yes":
            self._knock(Pattern(last.seat, 1, "Yes"), now_s)

    def _knock(self, pattern: Pattern, now_s: float) -> None:
        at_s = now_s + self._luck.uniform(0.3, 1.5)
        self._wood.knock(pattern, at_s, self._luck)
        self.patterns.append(pattern)
        self.open = pattern
        self._free_s = pattern.onsets_s[-1] + APART_S


class Evening:
    """One evening, heard by a *judge* at so many samples a second."""

    def __init__(
        self, wood: Wood, rate_hz: int, judge: Judge, luck: Random, *, heeds_game: bool
    ) -> None:
        self._wood, self._rate_hz, self._luck = wood, rate_hz, luck
        self._journal = MemoryJournal()
        self.table = Table(self._journal, TableSetup(seats=SEATS, game="toepen"))
        self._players = Players(wood, Random(luck.random()))  # noqa: S311
        self._listener = Listener(judge=judge)
        expected = self.table.expectation if heeds_game else Expectation
        self._expectations = Expectations(expected)
        self._heard: list[Judgement] = []
        self._seen = 0
        self._wrong = 0
        self._done: set[int] = set()

    def play(self) -> Course:
        """Play it through, and return what came of it."""
        for number in range(SEATS):
            self.table.submit(Seat(number), "sit_down", now_s=0.0)
        self.table.submit(Seat(0), "start", now_s=0.0)
        self._seen = self.table.scoreboard().seq
        step = round(STEP_S * RATE_HZ)
        for begin in range(0, len(self._wood.samples) - step, step):
            now_s = (begin + step) / RATE_HZ
            self._hear(begin, begin + step, now_s)
            self.table.tick(now_s)
            self._look_back(now_s)
            self._players.look(self.table.scoreboard(), now_s)
        return self._course()

    def _hear(self, begin: int, end: int, now_s: float) -> None:
        every = RATE_HZ // self._rate_hz
        noise = self._luck.gauss
        codes = (512 * one + noise(0, 0.7) for one in self._wood.samples[begin:end:every])
        samples = [max(-1.0, min(1.0, round(code) / 512)) for code in codes]
        for one in self._listener.feed(Block(begin / RATE_HZ, self._rate_hz, (samples,))):
            if isinstance(one, Struck):
                self.table.handle(one, now_s)
            elif (weighed := self._expectations.weigh(self._placed(one))) is not None:
                self._heard.append(weighed)
                self.table.handle(finding(weighed), now_s)

    def _placed(self, judged: Judgement) -> Judgement:
        """Return *judged* at the seat that knocked, or at anybody's."""
        for pattern in self._players.patterns[-3:]:
            if any(abs(at_s - judged.at_s) < NEAR_S for at_s in pattern.onsets_s):
                return _at(judged, pattern.seat)
        return _at(judged, Seat(self._luck.randrange(SEATS)))

    def _look_back(self, now_s: float) -> None:
        """Count what the table has done since, and take back what nobody asked for."""
        seq = self.table.scoreboard().seq
        if seq == self._seen:
            return
        step = tuple(self._journal.entries(self._seen))
        self._seen = seq
        happened = {one.event for one in step}
        if "Dealt" in happened:
            self._players.dealt(now_s)
        meant = self._players.meant(Seat(step[-1].seat or 0), happened, now_s)
        if meant is not None:
            # What was asked about was not understood at once.
            if self._players.patterns[-1] is meant:
                self._done.add(id(meant))
            self._players.understood()
            return
        self._wrong += 1
        self.table.submit(None, "undo", now_s=now_s)
        self._seen = self.table.scoreboard().seq

    def _course(self) -> Course:
        meant = sorted(at_s for one in self._players.patterns for at_s in one.onsets_s)
        found = sorted(one.at_s for one in self._heard if one.verdict is Verdict.KNOCK)
        hits = sum(1 for _ in matches(meant, found, NEAR_S))
        asked = [one for one in self._players.patterns if one.what != "Yes"]
        return Course(
            minutes=len(self._wood.samples) / RATE_HZ / 60,
            knocks=len(meant),
            heard=hits,
            false=len(found) - hits,
            doubts=sum(one.verdict is Verdict.DOUBTFUL for one in self._heard),
            patterns=len(asked),
            understood=sum(id(one) in self._done for one in asked),
            wrong=self._wrong,
        )


def _at(judged: Judgement, seat: Seat) -> Judgement:
    return replace(judged, seat=seat, confidence=1.0)


def judge_of(classifier: Classifier) -> Judge:
    """Return how sure *classifier* is of a window, at a table that nobody has tuned."""

    def sure(window: Window, _: Calibration) -> float:
        return 1 / (1 + exp(-classifier.log_odds(classifier.scaled(features(window)))))

    return sure


def evenings(
    folder: Path, heard: Sequence[Entry], *, in_folds: bool
) -> Iterator[tuple[list[Entry], Callable[[int], Judge]]]:
    """Yield what each evening may use of what was *heard*, and who judges it at which rate."""
    if not in_folds:
        yield list(heard), lambda _: likelihood
        return
    from scripts.train_knocks import FOLDS, fit, folds, gather

    fold, lessons = folds(heard), gather(folder)
    for at in range(FOLDS):
        others = [one for one in lessons if one.origin.fold != at]

        def judge(rate_hz: int, others: Sequence[Any] = others) -> Judge:
            there = [one for one in others if one.rate_hz == rate_hz]
            return judge_of(classifier_of(fit(rate_hz, there)))

        yield [one for one in heard if fold[one["file"]] == at], judge


Setting = tuple[int, bool, bool]
"""Samples a second, whether noises are as loud as knocks, and whether the game is heeded."""


def played(
    evening: int, sounds: Sounds, judge: Judge, rate_hz: int, minutes: float
) -> Iterator[tuple[Setting, Course]]:
    """Yield how the evening of that number goes in each setting: the same noises and the same luck.

    Args:
        evening: Counts up.
        sounds: What is heard in it.
        judge: Who hears it.
        rate_hz: Samples a second.
        minutes: How long it is.
    """
    for hard, heeds_game in product((False, True), repeat=2):
        luck = Random(f"{SEED} {evening} {hard}")  # noqa: S311
        wood = Wood(sounds, minutes, hard=hard, luck=luck)
        course = Evening(wood, rate_hz, judge, luck, heeds_game=heeds_game).play()
        yield (rate_hz, hard, heeds_game), course


def main(argv: Sequence[str] | None = None) -> int:
    """Play, and tell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--minutes", type=float, default=10.0, help="of each evening")
    parser.add_argument("--rate", type=int, action="append", choices=(4000, 8000))
    parser.add_argument("--folds", action="store_true", help="with judges that met none of it")
    arguments = parser.parse_args(argv)
    try:
        labelled = entries(arguments.data)
    except NoLabels as error:
        print(f"benchmarks/phases.py: {error}", file=sys.stderr)
        return UNREADABLE
    heard = [one for one in labelled if one["category"] in (KNOCK, NEGATIVE)]
    courses: dict[Setting, Course] = {}
    plan = evenings(arguments.data, heard, in_folds=arguments.folds)
    for number, (some, judges) in enumerate(plan):
        sounds = Sounds(arguments.data, some)
        for rate_hz in arguments.rate or (8000, 4000):
            for setting, course in played(
                number, sounds, judges(rate_hz), rate_hz, arguments.minutes
            ):
                courses.setdefault(setting, Course()).add(course)
    print(table_of(HEAD, [_row(*key, course) for key, course in courses.items()]))
    return FINE


def _row(rate_hz: int, hard: bool, heeds_game: bool, course: Course) -> tuple[str, ...]:
    noises, game = "hard" if hard else "usual", "heeded" if heeds_game else "not"
    return (f"{rate_hz // 1000} kHz", noises, game, *course.row)


if __name__ == "__main__":
    sys.exit(main())
