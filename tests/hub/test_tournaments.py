"""Tournaments: a fold of their trail; whole ones of every kind come to an end with a winner."""

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kloplei.table.history_client import Evening, EveningLine, PlayedRubber, Player
from kloplei_hub.draws import DrawImpossible, Match
from kloplei_hub.tournaments import (
    BYE,
    FULL,
    CameOut,
    Drawn,
    Ended,
    Joined,
    Kind,
    Left,
    NotNow,
    Opened,
    TablesChanged,
    Tournament,
    TournamentEvent,
    begin,
    checked,
    result_of,
)
from tests.examples import examples


def opened(
    players: int, game: str = "watten", kind: Kind = "monster", rounds: int = 4, tables: int = 40
) -> list[TournamentEvent]:
    first = Opened("Feest", game, kind, rounds, tuple(range(1, tables + 1)), seed=7)
    return [first, *(Joined(one) for one in range(1, players + 1))]


def stronger_wins(drawn: Drawn) -> list[CameOut]:
    """Each match goes to the side whose ids are smaller."""
    results = []
    for match in drawn.matches:
        best = min(match.sides, key=sum)
        ranks = tuple(1 if side == best else 2 for side in match.sides)
        results.append(CameOut(drawn.number, match.table, ranks, source=f"b/e/1/{match.table}"))
    return results


def played(trail: list[TournamentEvent]) -> Tournament:
    """Let it be played to its end; the trail grows by all that happens."""
    tournament = begin(trail)
    for _ in range(100):
        if tournament.is_played:
            return tournament
        drawn = tournament.draw()
        happened: list[TournamentEvent] = [drawn, *stronger_wins(drawn)]
        trail += happened
        for event in happened:
            tournament = tournament.after(event)
    pytest.fail("It never ends.")


def test_forty_tables_play_four_rounds_and_the_best_is_first() -> None:
    trail = opened(160)

    tournament = played(trail)

    assert [len(drawn.matches) for drawn in tournament.rounds] == [40] * 4
    table = tournament.standings()
    assert len(table) == 160
    assert sum(line.points for line in table) == 4 * 40 * 2 * FULL
    assert {line.played for line in table} == {4}
    assert [line.place for line in table] == sorted(line.place for line in table)
    top = {line.player for line in table[:40]}
    assert sum(top) < sum(range(1, 161)) / 4


@settings(max_examples=examples(8))
@given(
    players=st.integers(4, 13),
    game=st.sampled_from(["watten", "toepen"]),
    kind=st.sampled_from(["monster", "robin", "knockout"]),
    data=st.data(),
)
def test_a_tournament_is_what_its_trail_tells(
    players: int, game: str, kind: Kind, data: st.DataObject
) -> None:
    trail = opened(players - players % 2, game, kind)
    tournament = played(trail)

    assert begin(trail) == tournament
    cut = data.draw(st.integers(1, len(trail)))
    again = begin(trail[:cut])
    for event in trail[cut:]:
        again = again.after(event)
    assert again == tournament


def test_a_knock_out_is_won_by_the_strongest() -> None:
    tournament = played(opened(10, "toepen", "knockout", 0))

    assert [len(drawn.matches) for drawn in tournament.rounds] == [2, 4, 2, 1]
    final = tournament.rounds[-1].matches[0]
    assert final.sides == ((1,), (2,))
    with pytest.raises(NotNow, match="over"):
        tournament.draw()


def test_in_a_round_robin_of_pairs_each_meets_each() -> None:
    tournament = played(opened(8, "watten", "robin", 0))

    met = [frozenset(one.sides) for drawn in tournament.rounds for one in drawn.matches]
    sides = [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert sorted(map(sorted, met)) == sorted(map(sorted, map(frozenset, combinations(sides, 2))))
    assert [line.player for line in tournament.standings()[:2]] == [1, 2]


def test_who_comes_and_goes_is_drawn_from_the_next_round_on() -> None:
    tournament = begin(opened(8))
    first = tournament.draw()
    for event in (first, Joined(9), Left(1), Joined(10)):
        tournament = tournament.after(event)
    for result in stronger_wins(first):
        tournament = tournament.after(result)

    drawn = tournament.draw()

    there = {one for match in drawn.matches for one in match.players} | set(drawn.byes)
    assert there == set(range(2, 11))
    assert len(drawn.byes) == 1
    assert {line.player for line in tournament.standings()} == set(range(1, 11))


def test_a_bye_brings_half_and_goes_to_somebody_else_next_time() -> None:
    tournament = begin(opened(5, rounds=2))
    byes: list[int] = []
    for _ in range(2):
        drawn = tournament.draw()
        byes += drawn.byes
        tournament = tournament.after(drawn)
        for result in stronger_wins(drawn):
            tournament = tournament.after(result)

    assert len(set(byes)) == 2
    points = {line.player: line for line in tournament.standings()}
    for one in byes:
        assert points[one].byes == 1
        assert points[one].points in (BYE, BYE + FULL)


def test_no_round_is_drawn_before_all_have_come_out_and_the_tables_are_named() -> None:
    tournament = begin(opened(8, tables=2))
    drawn = tournament.draw()
    first, last = stronger_wins(drawn)
    tournament = tournament.after(drawn).after(first)

    assert [match.table for match in tournament.running] == [last.table]
    with pytest.raises(NotNow, match=f"table {last.table}"):
        tournament.draw()
    assert tournament.after(last).draw().number == 2


def test_a_referee_corrects_and_the_table_follows() -> None:
    tournament = begin(opened(4, rounds=1))
    drawn = tournament.draw()
    (wrong,) = stronger_wins(drawn)
    right = CameOut(1, wrong.table, wrong.ranks[::-1], by="Referee", why="counted twice")
    before = tournament.after(drawn).after(wrong)
    after = before.after(right)

    winners = [{line.player for line in one.standings() if line.won} for one in (before, after)]
    assert winners[0].isdisjoint(winners[1])
    assert after.results[1, wrong.table].why == "counted twice"


def test_it_ends_when_the_referee_says_so_and_too_few_are_told() -> None:
    assert begin([*opened(8), Ended("Referee")]).running == ()
    with pytest.raises(NotNow, match="over"):
        begin([*opened(8), Ended("Referee")]).draw()
    with pytest.raises(DrawImpossible):
        begin(opened(3)).draw()
    with pytest.raises(NotNow, match="no partner"):
        begin(opened(5, "watten", "robin")).draw()
    with pytest.raises(NotNow, match="not known"):
        begin([Joined(1)])
    assert begin([*opened(8, tables=1), TablesChanged((3, 4))]).draw().matches[0].table == 3


MATCH = Match(1, (11, 12, 13, 14), ((11, 13), (12, 14)))


@pytest.mark.parametrize(
    ("winners", "losers", "people", "ranks"),
    [
        ((1, 3), (2, 4), {1: 11, 2: 12, 3: 13, 4: 14}, (1, 2)),
        ((2, 4), (1, 3), {1: 11, 2: 12, 3: 13, 4: 14}, (2, 1)),
        ((1, 2), (3, 4), {1: 11, 2: 12, 3: 13, 4: 14}, None),  # other partners than drawn
        ((1, 3), (2, 4), {1: 11, 2: 12, 3: 13, 4: 15}, None),  # somebody else
        ((1, 3), (2, 4), {1: 11, 2: 12, 3: 13, 4: None}, None),  # a guest
        ((1, 3), (2,), {1: 11, 2: 12, 3: 13, 4: 14}, None),  # somebody was missing
    ],
)
def test_a_rubber_is_a_result_only_if_it_was_that_match(
    winners: tuple[int, ...],
    losers: tuple[int, ...],
    people: dict[int, int | None],
    ranks: tuple[int, ...] | None,
) -> None:
    rubber = PlayedRubber(1, "watten", winners, losers, 1)
    here = tuple(Player(number, "", person) for number, person in people.items())
    line = EveningLine(1, None, None, ("watten",), here, 1, 1)

    assert result_of(MATCH, Evening(line, (), (), (rubber,), ()), rubber) == ranks


def test_toepen_alone_has_one_best() -> None:
    match = Match(1, (11, 12, 13), ((11,), (12,), (13,)))
    rubber = PlayedRubber(1, "toepen", (2,), (1, 3), 1)
    here = tuple(Player(at, "", at + 10) for at in (1, 2, 3))
    evening = Evening(EveningLine(1, None, None, ("toepen",), here, 1, 1), (), (), (rubber,), ())

    assert result_of(match, evening, rubber) == (2, 1, 2)


@pytest.mark.parametrize("ranks", [(), (1,), (2, 2), (1, 2, 2), (0, 1)])
def test_what_a_referee_cannot_mean_is_told(ranks: tuple[int, ...]) -> None:
    with pytest.raises(NotNow, match="rank"):
        checked(MATCH, ranks)
    assert checked(MATCH, (1, 1)) == (1, 1)


def test_whoever_is_equal_shares_a_place() -> None:
    luck = random.Random(3)
    trail = opened(8, rounds=3)
    tournament = begin(trail)
    for _ in range(3):
        drawn = tournament.draw()
        tournament = tournament.after(drawn)
        for match in drawn.matches:
            ranks = luck.choice([(1, 2), (2, 1), (1, 1)])
            tournament = tournament.after(CameOut(drawn.number, match.table, ranks))
    table = tournament.standings()

    for one, other in combinations(table, 2):
        same = (one.points, one.won, one.opponents) == (other.points, other.won, other.opponents)
        assert same == (one.place == other.place)
