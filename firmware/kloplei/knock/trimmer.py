"""Which way to turn the trimmer of a comparator pad, how far, and when to stop; by its edges alone.

Wood rings down exponentially, so the longer a pad is down for a knock, the further that knock lies
above its threshold: five of them tell how many octaves of trimmer there are between a usual knock
and the threshold. Where those are `ROOM_OCT`, the softest knocks just count, and as few other
things as may be: so it was on twelve virtual tables, of any wood (docs/sensors.md).
"""

import math
from collections.abc import Sequence
from enum import StrEnum
from statistics import mean

from kloplei.frozen import dataclass
from kloplei.knock.judgement import Judgement, Verdict

KNOCKS, GLASSES = 5, 3
ROOM_OCT = 1.55  # from the threshold to a usual knock
LEAST_ROOM_OCT = 1.2  # where glasses pass: knocks that are softer than that are few
NEAR_OCT = 0.25  # from where it should be: well set
DB_AN_OCTAVE = 6.0
TURNS_AN_OCTAVE = 1.5  # of a trimmer of ten turns, in the middle of its range (hw/piezo.md)
MOST_OCT = 1.0  # in one go: how much more there is to turn is told better on the way
SURE = 15  # knocks; of fewer one more round may say otherwise

_JUST_S = 0.0047  # so long a pad is down for a knock that just counts
_DOUBLES_OCT = 0.67  # every doubling of that is so much more
_MISSED_OCT = -0.3  # below the threshold, nobody knows how far
_KEPT = 25  # knocks: the last five rounds
_WRONG_WAY_OCT = 0.9  # off what the turn should have brought: it was another turn


class TrimmerTurn(StrEnum):
    """What to do with the trimmer."""

    GOOD = "good"
    AGAIN = "again"  # leave it, and knock once more to be sure
    FINER = "finer"
    COARSER = "coarser"
    SILENT = "silent"  # it felt nothing: nobody knocked, or it is far too coarse


class Trend(StrEnum):
    """Whether the last turn brought it nearer."""

    FIRST = "first"
    BETTER = "better"
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Advice:
    """What a round of knocks and glasses tells of one pad.

    *felt* of the *knocks* that were asked for, and *passed* of the *glasses*, None where none were
    put down. *octaves* are to be turned in the way of *turn*.
    """

    turn: TrimmerTurn
    octaves: float
    felt: int
    passed: int | None
    trend: Trend
    knocks: int = KNOCKS
    glasses: int = GLASSES

    @property
    def most_glasses_pass(self) -> bool:
        """Whether a glass is as loud as a knock beside this pad."""
        return 2 * (self.passed or 0) > self.glasses

    @property
    def db(self) -> int:
        """How much that is, in decibels."""
        return max(1, round(DB_AN_OCTAVE * self.octaves))

    @property
    def turns(self) -> float:
        """About how many turns of a trimmer of ten, in quarters."""
        return max(0.25, round(4 * TURNS_AN_OCTAVE * self.octaves) / 4)


@dataclass(frozen=True, slots=True)
class Trimming:
    """What is known of one pad by now.

    *room* are the octaves between its threshold, as it stands now, and each of the last knocks;
    *off_oct* is how far the last round alone lay from `ROOM_OCT`, None before the first. It takes
    *fewest* knocks to say that it is set well, unless they say so very clearly.
    """

    room: tuple[float, ...] = ()
    off_oct: float | None = None
    fewest: int = SURE

    def heard(
        self, knocks: Sequence[Judgement], glasses: Sequence[Judgement] | None = None
    ) -> tuple["Trimming", Advice]:
        """Take in a round; return what is known then, and what to do before the next.

        Args:
            knocks: What its pad felt of `KNOCKS` that were asked for.
            glasses: What it felt of `GLASSES` that were put down beside it, None if none were.
        """
        felt = [one for one in knocks if one.verdict is not Verdict.NOISE][:KNOCKS]
        passed = None if glasses is None else len(_counting(glasses))
        if not felt:
            silent = Advice(TrimmerTurn.SILENT, MOST_OCT, 0, passed, Trend.FIRST)
            return Trimming(fewest=self.fewest), silent
        now = (*map(octaves_above, felt), *[_MISSED_OCT] * (KNOCKS - len(felt)))
        room = self._with(now)
        off_oct = mean(room) - _wanted_oct(passed)
        turn, to_turn = self._turned(off_oct, len(room), len(felt))
        # Without the glasses, which are not put down in every round.
        round_off_oct = mean(now) - ROOM_OCT
        trend = _trend(self.off_oct, round_off_oct)
        advice = Advice(turn, abs(to_turn), len(felt), passed, trend)
        left = tuple(one - to_turn for one in room)
        return Trimming(left, round_off_oct, self.fewest), advice

    def _turned(self, off_oct: float, known: int, felt: int) -> tuple[TrimmerTurn, float]:
        """Return what to do, and how many octaves to turn for it, above 0 to be coarser."""
        if abs(off_oct) > NEAR_OCT:
            to_turn = max(-MOST_OCT, min(MOST_OCT, off_oct))
            return (TrimmerTurn.COARSER if to_turn > 0 else TrimmerTurn.FINER), to_turn
        if felt < KNOCKS:
            return TrimmerTurn.FINER, -NEAR_OCT
        is_sure = known >= self.fewest or abs(off_oct) < NEAR_OCT / 2
        return (TrimmerTurn.GOOD if is_sure else TrimmerTurn.AGAIN), 0.0

    def _with(self, now: tuple[float, ...]) -> tuple[float, ...]:
        """Return the room of *now* and before; of *now* alone after another turn than was asked."""
        if not self.room or abs(mean(self.room) - mean(now)) > _WRONG_WAY_OCT:
            return now
        return (*self.room, *now)[-_KEPT:]


def octaves_above(knock: Judgement) -> float:
    """Return how many octaves of trimmer *knock* lies above the threshold of its pad."""
    return max(0.0, _DOUBLES_OCT * math.log2(max(knock.rang_s, _JUST_S) / _JUST_S))


def _counting(blows: Sequence[Judgement]) -> list[Judgement]:
    return [one for one in blows if one.verdict is not Verdict.NOISE][:GLASSES]


def _wanted_oct(passed: int | None) -> float:
    """Return how much room is best: less where most glasses pass for knocks."""
    return LEAST_ROOM_OCT if 2 * (passed or 0) > GLASSES else ROOM_OCT


def _trend(before_oct: float | None, now_oct: float) -> Trend:
    if before_oct is None:
        return Trend.FIRST
    return Trend.BETTER if abs(now_oct) < abs(before_oct) else Trend.WORSE
