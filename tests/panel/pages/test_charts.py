"""The course of an evening: lines that can be told apart, names that do not lie on each other."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kloplei.games.scoreboard import Line
from kloplei.table.history_client import PlayedHand, PlayedRubber, Player
from kloplei_panel.pages._charts import HEIGHT, LOW_HEIGHT, WIDTH, course_of, race_of
from tests.examples import examples
from tests.panel.past import FOUR, toepen


def hand(number: int, rubber: int = 1, **tallies: int) -> PlayedHand:
    by_player = {int(name[1:]): tally for name, tally in tallies.items()}
    return PlayedHand(number, "toepen", rubber, (), Line("how.trick"), by_player, by_player)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 - we drew it


def lines_of(svg: str) -> list[list[tuple[float, float]]]:
    return [
        [(float(x), float(y)) for x, y in (at.split(",") for at in points.split())]
        for points in re.findall(r'points="([^"]+)"', svg)
    ]


def test_who_loses_more_stands_higher_and_time_runs_to_the_right() -> None:
    first, second = lines_of(course_of([hand(1, p1=1, p2=0), hand(2, p1=5, p2=2)], FOUR[:2]))

    assert [x for x, _ in first] == sorted(x for x, _ in first) == [x for x, _ in second]
    assert first[-1][1] < second[-1][1]


def test_a_new_rubber_begins_a_new_line() -> None:
    played = [hand(1, p1=9), hand(2, p1=10), hand(3, rubber=2, p1=1), hand(4, rubber=2, p1=3)]

    runs = lines_of(course_of(played, FOUR[:1]))

    assert len(runs) == 2
    assert runs[0][-1][0] == runs[1][0][0]
    assert 'class="rubber"' in course_of(played, FOUR[:1])


def test_who_came_late_has_a_line_from_then_on() -> None:
    played = [hand(1, p1=1), hand(2, p1=2, p2=4), hand(3, p1=2, p2=5)]

    first, late = lines_of(course_of(played, FOUR[:2]))

    assert len(first) == 4
    assert len(late) == 3
    assert late[0][0] == first[1][0]


@pytest.mark.parametrize("hands", [0, 1])
def test_one_hand_makes_no_course(hands: int) -> None:
    assert course_of(toepen().hands[:hands], FOUR) == ""


def test_a_name_is_never_markup() -> None:
    svg = course_of(toepen().hands, FOUR)

    texts = [one.text or "" for one in parsed(svg).iter("text")]
    assert {"Thijs", "<b>Sanne</b>", "=Bram(1)"} <= set(texts)


@given(
    st.lists(st.lists(st.integers(-300, 300), min_size=10, max_size=10), min_size=2, max_size=60)
)
@settings(max_examples=examples(30))
def test_all_of_it_lies_on_the_picture_and_no_name_on_another(tallies: list[list[int]]) -> None:
    players = tuple(replace(FOUR[0], number=one + 1, name=f"Speler {one + 1}") for one in range(10))
    played = [
        hand(at, **{f"p{one + 1}": tally for one, tally in enumerate(row)})
        for at, row in enumerate(tallies, start=1)
    ]

    drawing = parsed(course_of(played, players))

    names = [one for one in drawing.iter("text") if "who" in one.get("class", "")]
    places = sorted(float(one.get("y", "")) for one in names)
    assert len(names) == len(players)
    assert all(after - before > 10 for before, after in pairwise(places))
    for text in drawing.iter("text"):
        assert 0 <= float(text.get("x", "")) <= WIDTH
        assert 0 <= float(text.get("y", "")) <= HEIGHT
    for run in lines_of(course_of(played, players)):
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in run)


def won_in_turn(rubbers: int) -> list[PlayedRubber]:
    return [PlayedRubber(n, "toepen", (1 + n % 4,), (), n) for n in range(rubbers)]


def test_of_many_rubbers_it_is_told_who_won_how_many() -> None:
    first, *others = lines_of(race_of(won_in_turn(9), FOUR))  # who won three, others two

    assert len(first) == 10
    assert all(first[-1][1] < one[-1][1] - 20 for one in others)
    assert all(before[1] >= after[1] for before, after in pairwise(first))


def test_who_won_as_many_does_not_lie_below_another() -> None:
    ends = sorted(one[-1][1] for one in lines_of(race_of(won_in_turn(4), FOUR)))

    assert all(after - before > 1 for before, after in pairwise(ends))


def test_partners_who_go_the_same_way_are_both_seen() -> None:
    first, second = lines_of(course_of([hand(1, p1=2, p2=2), hand(2, p1=5, p2=5)], FOUR[:2]))

    assert [x for x, _ in first] == [x for x, _ in second]
    assert all(0 < low[1] - high[1] < 3 for high, low in zip(first, second, strict=True))


@pytest.mark.parametrize("rubbers", [1, 40])
def test_the_race_of_a_dozen_lies_on_its_picture(rubbers: int) -> None:
    dozen = tuple(Player(number, f"Speler {number}") for number in range(1, 13))
    svg = race_of(won_in_turn(rubbers), dozen)

    high = float(parsed(svg).get("viewBox", "").split()[-1])
    assert all(0 <= y <= high for run in lines_of(svg) for _, y in run)
    names = [one for one in parsed(svg).iter("text") if "who" in one.get("class", "")]
    places = sorted(float(one.get("y", "")) for one in names)
    assert places[-1] <= high
    assert all(after - before > 10 for before, after in pairwise(places))


def test_a_low_chart_grows_with_its_names() -> None:
    ten = tuple(Player(number, f"Speler {number}") for number in range(1, 11))
    played = [hand(at, **{f"p{one}": at for one in range(1, 11)}) for at in (1, 2)]

    few, many = (course_of(played, ten[:n], LOW_HEIGHT) for n in (4, 10))

    assert f'viewBox="0 0 {WIDTH} {LOW_HEIGHT}"' in few
    assert float(parsed(many).get("viewBox", "").split()[-1]) > LOW_HEIGHT


def test_players_beyond_the_kinds_of_lines_take_one_again() -> None:
    nine = tuple(Player(number, f"Speler {number}") for number in range(1, 10))
    played = [hand(at, **{f"p{one}": at for one in range(1, 10)}) for at in (1, 2)]

    assert 'class="of-1"' in course_of(played, nine)
    assert 'class="of-9"' not in course_of(played, nine)
