"""What a tuning comes to: the calibration that it proposes, and what is to be said of it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.margins import (
    Knocks,
    Remark,
    on_edges,
    on_loudness,
    on_seats,
    on_sensors,
    on_skipped,
    on_verdicts,
)
from kloplei.knock.strokes import Gathered, usual_db
from kloplei.knock.suggestion import Example, Learn, Rejudge
from kloplei.knock.verdict import Judgement, Verdict
from kloplei.knock.wariness import Wariness

USUAL_KNOCK_DB = -12.0  # below full scale: so loud are the knocks that the judge knows
MOST_GAIN_DB = 20.0


@dataclass(frozen=True, slots=True)
class Result:
    """What a tuning comes to; *calibration* is None where there was nothing to learn from."""

    remarks: tuple[Remark, ...]
    calibration: Calibration | None


def weigh(gathered: Gathered, before: Calibration, rejudge: Rejudge, learn: Learn | None) -> Result:
    """Return what *gathered* comes to at a table that was tuned as *before*.

    Takes its time: the places are learned several times over, each time to be tried on knocks
    that they have not seen. *learn* None is for a table at which no seat is attributed.
    """
    knocks = _felt(gathered)
    if not knocks:
        return Result(tuple(on_edges(gathered)), None)
    levelled = replace(before, gain_db=gain_db(knocks), floor=gathered.floor, distrust=None)
    wary = Wariness(gathered, knocks, levelled, rejudge)
    levelled = wary.calibration
    after = _taught(knocks, levelled, learn)
    remarks = (
        *on_loudness(gathered, knocks),
        *on_verdicts(gathered, knocks, before, after, wary.rejudge),
        *on_skipped(gathered),
        *_on_seats(knocks, levelled, rejudge, learn),
        *on_sensors(gathered, knocks),
        *on_edges(gathered),
    )
    return Result(remarks, after)


def _felt(gathered: Gathered) -> dict[Seat, tuple[Judgement, ...]]:
    """Return the knocks that piezos felt, by seat: of edges there is nothing to learn."""
    found = {
        seat: tuple(one for one in strokes if one.window is not None)
        for seat, strokes in gathered.knocks.items()
    }
    return {seat: strokes for seat, strokes in found.items() if strokes}


def gain_db(knocks: Knocks) -> float:
    """Return what makes these *knocks* as loud as those that the judge knows.

    Louder ones are not turned down: softer ones will come, and what else is loud here is told
    apart by `Wariness`.
    """
    usual = median(map(usual_db, knocks.values()))
    return round(max(0.0, min(MOST_GAIN_DB, USUAL_KNOCK_DB - usual)), 1)


def _taught(knocks: Knocks, calibration: Calibration, learn: Learn | None) -> Calibration:
    """Return *calibration* with what *knocks* teach about the seats."""
    examples = [
        Example(number, judged, Verdict.KNOCK, seat)
        for number, (seat, judged) in enumerate(
            (seat, one) for seat, strokes in knocks.items() for one in strokes
        )
    ]
    learned = learn(calibration, examples) if learn is not None else None
    return learned or calibration


def _on_seats(
    knocks: Knocks, levelled: Calibration, rejudge: Rejudge, learn: Learn | None
) -> Iterator[Remark]:
    """Say how far seats are apart, where there are several and somebody is to tell them apart."""
    if learn is not None and len(knocks) > 1:
        yield from on_seats(knocks, _tried(knocks, levelled, rejudge, learn))


def _tried(
    knocks: Knocks, levelled: Calibration, rejudge: Rejudge, learn: Learn
) -> list[tuple[Seat, Seat | None]]:
    """Return each knock's seat with the seat it would be taken for.

    The first knock of every seat is judged by what the others teach, then the second, and so on.
    """
    found: list[tuple[Seat, Seat | None]] = []
    for turn in range(max(map(len, knocks.values()))):
        seen = {seat: _all_but(strokes, turn) for seat, strokes in knocks.items()}
        learned = _taught(seen, levelled, learn)
        found += [
            (seat, rejudge(strokes[turn], learned).seat)
            for seat, strokes in knocks.items()
            if turn < len(strokes) and seen[seat]
        ]
    return found


def _all_but(strokes: tuple[Judgement, ...], turn: int) -> tuple[Judgement, ...]:
    return strokes[:turn] + strokes[turn + 1 :]
