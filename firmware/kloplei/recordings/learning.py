"""Learn who sits where from recordings in which somebody wrote down who knocked when."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kloplei.errors import KlopleiError
from kloplei.knock.calibration import Calibration, Label
from kloplei.knock.calibration_text import MOST_SEATS
from kloplei.knock.margins import gain_db
from kloplei.knock.places import FEWEST_KNOCKS, learn
from kloplei.knock.seat_finder import Margin, margins
from kloplei.knock.verdict import Judgement, Verdict
from kloplei.recordings.labels import Labelled
from kloplei.rules.game import Seat

NEAR_S = 0.15  # a blow is the one that was written down if it is no farther off


class CannotLearn(KlopleiError, ValueError):
    """Labels that teach nothing about these recordings."""


@dataclass(frozen=True, slots=True)
class Example:
    """A blow of which it is known whose it was."""

    labelled: Labelled
    blow: Judgement


@dataclass(frozen=True, slots=True)
class Learned:
    """What a table has taught, and how far it can be trusted; *margins* go by seat."""

    calibration: Calibration
    margins: tuple[Margin, ...]
    taken_for_noise: tuple[Labelled, ...]  # by the judge, though somebody knocked there


def meant_for(labelled: Sequence[Labelled], names: Sequence[str]) -> dict[str, list[Labelled]]:
    """Return which of *labelled* belong to each of the recordings *names*.

    Raises:
        CannotLearn: One of them belongs to none, or may belong to several.
    """
    meant: dict[str, list[Labelled]] = {name: [] for name in names}
    for one in labelled:
        if one.file is None and len(meant) > 1:
            raise CannotLearn(
                f"the knock at {one.at_s:g} s may be in any of {len(meant)} recordings; "
                'say in which: {"file": ...}'
            )
        fitting = [name for name in meant if one.file is None or _is_named(name, one.file)]
        if not fitting:
            raise CannotLearn(
                f"the knock at {one.at_s:g} s is in {one.file}; name that recording as well"
            )
        meant[fitting[0]].append(one)
    return meant


def examples(labelled: Sequence[Labelled], blows: Iterable[Judgement]) -> Iterator[Example]:
    """Yield *labelled* with the blow each of them means; those without a blow near are left out.

    What the judge took for a knock goes before what it took for noise, then what is nearest.
    """
    heard = [one for one in blows if any(_is_near(one, other) for other in labelled)]
    pairs = sorted(
        (blow.verdict is Verdict.NOISE, abs(blow.at_s - one.at_s), at, number)
        for number, blow in enumerate(heard)
        for at, one in enumerate(labelled)
        if _is_near(blow, one)
    )
    meant: dict[int, int] = {}
    for _, _, at, number in pairs:
        if at not in meant and number not in meant.values():
            meant[at] = number
    for at, one in enumerate(labelled):
        if at in meant:
            yield Example(one, heard[meant[at]])


def learn_table(known: Sequence[Example]) -> Learned:
    """Return what *known* teaches about a table.

    Raises:
        CannotLearn: A seat has too few knocks, or there are too many seats.
        CannotTellSeats: The knocks are not enough for another reason; it says which.
    """
    seats = seats_of({one.labelled.seat for one in known})
    by_seat: dict[Seat, tuple[Judgement, ...]] = {
        seat: tuple(one.blow for one in known if one.labelled.seat == label)
        for label, seat in seats.items()
    }
    for label, seat in seats.items():
        if len(by_seat[seat]) < FEWEST_KNOCKS:
            raise CannotLearn(
                f"only {len(by_seat[seat])} knock of seat {label} was found; "
                f"{FEWEST_KNOCKS} are needed and five are good"
            )
    places = learn(
        [(blow.window, seat) for seat, blows in by_seat.items() for blow in blows if blow.window]
    )
    return Learned(
        Calibration(gain_db=gain_db(by_seat), places=places),
        margins(places),
        tuple(one.labelled for one in known if one.blow.verdict is Verdict.NOISE),
    )


def seats_of(labels: Iterable[Label]) -> dict[Label, Seat]:
    """Return the seat of each of *labels*: a whole number is its own seat, names are counted.

    Raises:
        CannotLearn: They are more than the seats of a table.
    """
    ranked = sorted(set(labels), key=lambda one: (isinstance(one, str), one))
    if len(ranked) > MOST_SEATS:
        raise CannotLearn(f"{len(ranked)} seats are named, and a table has up to {MOST_SEATS}")
    if all(isinstance(one, int) and one < MOST_SEATS for one in ranked):
        return {one: Seat(one) for one in ranked}
    return {one: Seat(at) for at, one in enumerate(ranked)}


def _is_near(blow: Judgement, labelled: Labelled) -> bool:
    return abs(blow.at_s - labelled.at_s) <= NEAR_S


def _is_named(path: str, file: str) -> bool:
    return path == file or path.replace("\\", "/").endswith("/" + file)
