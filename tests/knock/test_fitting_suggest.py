"""What marks suggest: the smallest turn that gets more of them right and spoils little."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration
from kloplei.knock.fitting import MarkedKnock, suggest
from kloplei.knock.judgement import Judgement, Verdict

KNOCK, NOISE, DOUBTFUL = Verdict.KNOCK, Verdict.NOISE, Verdict.DOUBTFUL
UNTURNED = Calibration()
LOUD = 10.0  # log-odds of a blow that nothing turns


def rejudge(judged: Judgement, calibration: Calibration) -> Judgement:
    """Judge by `Judgement.strength`, here log-odds: above 0 a knock, above -1 doubtful."""
    odds = judged.strength - calibration.strictness + calibration.gain_db / 100
    verdict = KNOCK if odds >= 0 else DOUBTFUL if odds >= -1 else NOISE
    return replace(judged, verdict=verdict)


def blow(
    number: int, odds: float, was: Verdict | None = None, seat: Seat | None = None
) -> MarkedKnock:
    judged = rejudge(Judgement(float(number), number + 0.05, KNOCK, 0.5, odds, Seat(0)), UNTURNED)
    return MarkedKnock(number, judged, was, seat)


def test_without_marks_nothing_is_suggested() -> None:
    assert suggest([blow(1, 0.2), blow(2, LOUD)], UNTURNED, rejudge) is None


def test_marks_that_were_right_anyway_suggest_nothing() -> None:
    assert suggest([blow(1, 2.0, KNOCK), blow(2, -3.0, NOISE)], UNTURNED, rejudge) is None


@pytest.mark.parametrize(
    ("odds", "was", "key", "amount"),
    [(0.2, NOISE, "stricter", 1.5), (1.2, NOISE, "stricter", 2.5), (-1.4, KNOCK, "milder", 1.5)],
)
def test_the_least_turn_that_gets_a_mark_right_is_taken(
    odds: float, was: Verdict, key: str, amount: float
) -> None:
    proposal = suggest([blow(1, odds, was), blow(2, LOUD)], UNTURNED, rejudge)

    assert proposal is not None
    assert (proposal.move.key, proposal.move.amount) == (key, amount)
    assert (proposal.right_before, proposal.right_after, proposal.marked) == (0, 1, 1)


def test_its_effect_on_every_kept_event_is_told() -> None:
    kept = [blow(1, 0.2, NOISE), blow(2, 1.1), blow(3, LOUD), blow(4, -0.5)]

    proposal = suggest(kept, UNTURNED, rejudge)

    assert proposal is not None
    turned = [(one.number, one.before.verdict, one.after.verdict) for one in proposal.turned]
    assert turned == [(1, KNOCK, NOISE), (2, KNOCK, DOUBTFUL), (4, DOUBTFUL, NOISE)]
    assert proposal.kept == 4


def test_what_would_spoil_more_than_it_mends_is_not_suggested() -> None:
    unmarked = [blow(number, 0.3) for number in range(2, 6)]

    assert suggest([blow(1, 0.2, NOISE), *unmarked], UNTURNED, rejudge) is None


def test_what_gets_no_mark_right_is_not_suggested() -> None:
    """To read "of your 3 answers I had 0 right; then 0" and be asked to take it makes no sense."""
    far_off = [blow(number, 3.4, NOISE) for number in range(3)]  # doubtful at the most

    assert suggest(far_off, UNTURNED, rejudge) is None


def test_no_mark_is_given_up_for_another() -> None:
    kept = [blow(1, 0.2, NOISE), blow(2, 0.3, NOISE), blow(3, 0.25, KNOCK)]

    assert suggest(kept, UNTURNED, rejudge) is None


def test_places_are_learned_from_marked_knocks_alone() -> None:
    asked: list[Sequence[MarkedKnock]] = []
    taught = replace(UNTURNED, labels=("taught",))

    def learn(calibration: Calibration, examples: Sequence[MarkedKnock]) -> Calibration:
        asked.append(examples)
        return taught

    def by_places(judged: Judgement, calibration: Calibration) -> Judgement:
        return replace(judged, seat=Seat(2) if calibration == taught else Seat(0))

    kept = [blow(1, LOUD, KNOCK, Seat(2)), blow(2, LOUD), blow(3, -3.0, NOISE)]
    proposal = suggest(kept, UNTURNED, by_places, learn)

    assert [[one.number for one in examples] for examples in asked] == [[1]]
    assert proposal is not None
    assert (proposal.move.key, proposal.move.calibration) == ("seats", taught)


def test_what_was_turned_as_far_as_it_goes_is_turned_no_further() -> None:
    strictest = Calibration(strictness=4.0)

    assert suggest([blow(1, 6.0, NOISE)], strictest, rejudge) is None
