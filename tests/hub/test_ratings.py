"""Ratings: who wins rises, who plays strangers is moved by them, and nothing hangs on luck."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from kloplei.table.history_client import Evening, EveningLine, PlayedRubber, Player
from kloplei_hub.ratings import FEW, KEPT_STEPS, Ratings, Result, rate, results_of
from tests.examples import examples

NOBODY = EveningLine(1, None, None, ("toepen",), (), 0, 0)


def _evening(*rubbers: PlayedRubber, players: dict[int, int | None]) -> Evening:
    here = tuple(Player(number, "", person) for number, person in players.items())
    line = EveningLine(1, None, None, ("toepen",), here, 0, len(rubbers))
    return Evening(line, (), (), rubbers, ())


def _duel(at: int, winner: int | None, loser: int | None) -> Result:
    return Result("toepen", ((winner,), (loser,)), (1, 2), (1, at))


def test_who_wins_more_often_stands_higher() -> None:
    luck = random.Random(1)
    strengths = {person: person / 10 for person in range(1, 9)}
    results = []
    for at in range(400):
        a, b = luck.sample(sorted(strengths), 2)
        a_wins = luck.random() < strengths[a] / (strengths[a] + strengths[b])
        results.append(_duel(at, *((a, b) if a_wins else (b, a))))

    order = [one.person for one in rate(results).standings("toepen")]

    assert set(order[:3]) <= {5, 6, 7, 8}
    assert set(order[-2:]) <= {1, 2, 3}


def test_everybody_begins_at_a_thousand_and_is_shown_after_ten_rubbers() -> None:
    ratings = Ratings()
    shown = []
    for at in range(FEW):
        ratings.take(_duel(at, 1, 2))
        first, last = ratings.standings("toepen")
        shown.append((first.is_shown, last.is_shown))

    assert (first.person, last.person) == (1, 2)
    assert shown == [(False, False)] * (FEW - 1) + [(True, True)]
    assert abs(first.steps[0].shown - first.steps[0].moved - 1000) <= 1


def test_how_it_came_adds_up_and_names_where_it_can_be_seen() -> None:
    (rating, _) = rate([_duel(at, 1, 2) for at in range(KEPT_STEPS + 5)]).standings("toepen")

    assert [one.source for one in rating.steps] == [(1, at) for at in range(5, KEPT_STEPS + 5)]
    assert rating.steps[-1].shown == rating.shown
    for before, after in zip(rating.steps, rating.steps[1:], strict=False):
        assert after.shown - before.shown == after.moved
    assert all(one.won for one in rating.steps)


def test_a_guest_moves_others_and_has_no_rating() -> None:
    ratings = rate([_duel(0, 1, None), _duel(1, None, None)])

    assert [one.person for one in ratings.standings("toepen")] == [1]
    assert ratings.standings("toepen")[0].steps[0].moved > 0
    assert ratings.standings("watten") == ()


def test_partners_win_together_and_losers_of_toepen_are_equals() -> None:
    pairs = PlayedRubber(1, "watten", (1, 3), (2, 4), 5)
    alone = PlayedRubber(2, "toepen", (2,), (1, 3, 4), 9)
    worth = PlayedRubber(3, "tarok", (2,), (1, 3), 9, points={1: 5, 2: 20, 3: 15})
    drawn = PlayedRubber(4, "tarok", (1, 2, 3), (), 9)

    told = list(
        results_of(7, _evening(pairs, alone, worth, drawn, players={1: 11, 2: 12, 3: None, 4: 14}))
    )

    assert told == [
        Result("watten", ((11, None), (12, 14)), (1, 2), (7, 1)),
        Result("toepen", ((12,), (11,), (None,), (14,)), (1, 2, 2, 2), (7, 2)),
        Result("tarok", ((12,), (None,), (11,)), (1, 2, 3), (7, 3)),
    ]


@settings(max_examples=examples(15))
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(6, 9)), max_size=30))
def test_the_same_rubbers_come_to_the_same_ratings(pairs: list[tuple[int, int]]) -> None:
    results = [_duel(at, *pair) for at, pair in enumerate(pairs)]

    assert rate(results).standings("toepen") == rate(results).standings("toepen")
    rated = {person for pair in pairs for person in pair}
    assert {one.person for one in rate(results).standings("toepen")} == rated
