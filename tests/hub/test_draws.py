"""Draws: everyone plays who can, nobody twice at once, and repeats are as few as can be."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kloplei_hub.draws import (
    SHAPES,
    DrawImpossible,
    Match,
    Past,
    Round,
    TableShape,
    bracket,
    draw_monster,
    next_pairs,
    replace_sides,
    round_robin,
    table_sizes,
)
from tests.examples import examples

GAMES = st.sampled_from(sorted(SHAPES))


def _coming_and_going(draw: st.DataObject, shape: TableShape) -> Iterator[list[int]]:
    """Who is there in each of some rounds."""
    for _ in range(draw.draw(st.integers(1, 5))):
        yield draw.draw(st.lists(st.integers(1, 30), unique=True, min_size=shape.least))


@settings(max_examples=examples(20))
@given(game=GAMES, tables=st.integers(1, 8), seed=st.integers(0, 9), draw=st.data())
def test_everybody_has_one_place_and_no_table_is_too_full(
    game: str, tables: int, seed: int, draw: st.DataObject
) -> None:
    shape, past = SHAPES[game], Past()
    for there in _coming_and_going(draw, shape):
        drawn = draw_monster(there, shape, range(1, tables + 1), past, seed)

        placed = [one for match in drawn.matches for one in match.players]
        assert sorted([*placed, *drawn.byes]) == sorted(there)
        assert all(shape.least <= len(match.players) <= shape.most for match in drawn.matches)
        numbers = [match.table for match in drawn.matches]
        assert numbers == sorted(set(numbers)) and set(numbers) <= set(range(1, tables + 1))
        for match in drawn.matches:
            assert sorted(one for side in match.sides for one in side) == sorted(match.players)
        room = tables * shape.most
        assert len(drawn.byes) >= max(0, len(there) - room)
        if not shape.in_pairs and len(there) <= room and len(there) != 5:
            spare = len(there) % 3 if shape.most == 3 else 0
            assert len(drawn.byes) == spare
        past.note(drawn)


@settings(max_examples=examples(5))
@given(count=st.integers(5, 11), rounds=st.integers(2, 8), seed=st.integers(0, 99))
def test_byes_go_round(count: int, rounds: int, seed: int) -> None:
    past = Past()
    for at in range(rounds):
        past.note(draw_monster(range(count), SHAPES["watten"], range(9), past, seed + at))

    had = [past.byes[one] for one in range(count)]
    assert max(had) - min(had) <= 1


@cache
def _rounds(count: int, shape: TableShape) -> tuple[Round, ...]:
    return tuple(Round(one) for one in _all_rounds(range(count), shape))


def _all_rounds(players: Sequence[int], shape: TableShape) -> Iterator[tuple[Match, ...]]:
    """All ways to fill tables of four with *players*, whose number is one of four."""
    if not players:
        yield ()
        return
    first, *others = players
    for three in combinations(others, 3):
        left = [one for one in others if one not in three]
        for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1)) if shape.in_pairs else ((0, 1, 2),):
            a, b, c = (three[at] for at in order)
            match = replace_sides(Match(0, (first, a, b, c), ()), shape)
            yield from ((match, *more) for more in _all_rounds(left, shape))


@settings(max_examples=examples(4))
@given(game=st.sampled_from(["watten", "toepen"]), seed=st.integers(0, 10_000))
def test_no_round_of_eight_has_fewer_repeats(game: str, seed: int) -> None:
    """Six rounds, each against the best of all that could have been drawn."""
    shape, past = SHAPES[game], Past()
    for at in range(6):
        drawn = draw_monster(range(8), shape, [1, 2], past, seed + at)

        best = min(map(past.repeats, _rounds(8, shape)))
        assert past.repeats(drawn) == best
        past.note(drawn)


def test_no_round_of_twelve_has_fewer_repeats() -> None:
    shape, before = SHAPES["toepen"], Past()
    before.note(draw_monster(range(12), shape, [1, 2, 3], before, 0))
    drawn = draw_monster(range(12), shape, [1, 2, 3], before, 1)
    assert before.repeats(drawn) == min(map(before.repeats, _rounds(12, shape)))


def test_a_festival_of_forty_tables_meets_nobody_twice_in_four_rounds() -> None:
    past = Past()
    for at in range(4):
        drawn = draw_monster(range(160), SHAPES["watten"], range(1, 41), past, at)
        assert past.repeats(drawn) == 0
        past.note(drawn)

    assert max(past.partners.values()) == 1
    assert set(past.played.values()) == {4}


def test_the_same_seed_draws_the_same_and_another_one_another() -> None:
    first, again, other = (
        draw_monster(range(16), SHAPES["toepen"], range(4), Past(), seed) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_partners_sit_across_and_people_see_other_seats_and_tables() -> None:
    past = Past()
    for at in range(4):
        drawn = draw_monster(range(32), SHAPES["watten"], range(1, 9), past, at)
        for match in drawn.matches:
            assert match.sides == (match.players[::2], match.players[1::2])
        past.note(drawn)

    assert max(past.sat.values()) <= 2
    assert max(past.at.values()) <= 2


@pytest.mark.parametrize(
    ("players", "tables", "sizes"),
    [
        (3, 9, [3]),
        (8, 9, [4, 4]),
        (8, 1, [8]),
        (9, 9, [5, 4]),
        (11, 9, [4, 4, 3]),
        (20, 2, [8, 8]),
        (6, 2, [3, 3]),
    ],
)
def test_toepen_fills_tables_evenly(players: int, tables: int, sizes: list[int]) -> None:
    assert table_sizes(players, SHAPES["toepen"], tables) == sizes


@pytest.mark.parametrize(("players", "tables"), [(3, 5), (0, 5), (8, 0)])
def test_too_few_are_told(players: int, tables: int) -> None:
    with pytest.raises(DrawImpossible, match="make no round"):
        draw_monster(range(players), SHAPES["watten"], range(tables), Past(), 0)


@given(count=st.integers(2, 13), tables=st.integers(1, 5), each=st.integers(1, 2))
def test_in_a_round_robin_each_meets_each_once(count: int, tables: int, each: int) -> None:
    sides = [tuple(range(at * each, at * each + each)) for at in range(count)]

    rounds = round_robin(sides, range(1, tables + 1))

    met = Counter(frozenset(match.sides) for drawn in rounds for match in drawn.matches)
    assert met == Counter(map(frozenset, combinations(sides, 2)))
    for drawn in rounds:
        playing = [one for match in drawn.matches for one in match.players]
        assert sorted([*playing, *drawn.byes]) == list(range(count * each))
        assert len({match.table for match in drawn.matches}) == len(drawn.matches) <= tables


@given(st.integers(3, 40))
def test_a_knock_out_lets_the_best_meet_last(count: int) -> None:
    """Where the better one always wins, the two best meet in the final."""
    pairs: list[tuple[tuple[int, ...], tuple[int, ...] | None]] = list(
        bracket([(at,) for at in range(count)])
    )
    assert sorted(one for pair in pairs for side in pair if side for one in side) == list(
        range(count)
    )
    rested = [a for a, b in pairs if b is None]
    assert sorted(rested) == [(at,) for at in range(len(rested))]
    winners = [min(a, b or a) for a, b in pairs]
    while len(winners) > 2:
        winners = [min(pair) for pair in next_pairs(winners)]

    assert sorted(winners) == [(0,), (1,)]
    assert next_pairs([(0,)]) == []
