"""The line of steps by itself: what holds, what can come back, what is let go."""

from dataclasses import dataclass, field
from itertools import count

import pytest

from kloplei.table.actions import UnknownEntry
from kloplei.table.journal_file import Entry
from kloplei.table.timeline import Timeline, evening_before, steps_of

NUMBERS = count(1)


@dataclass(frozen=True)
class Mark:
    name: str
    opens_evening: bool = False
    seq: int = field(default_factory=NUMBERS.__next__, compare=False)


def line_of(*names: str) -> Timeline[Mark]:
    line: Timeline[Mark] = Timeline()
    for name in names:
        line.add(Mark(name, opens_evening=name.isupper()))
    return line


def held(line: Timeline[Mark]) -> str:
    return " ".join(mark.name for mark in line.past)


def entry(seq: int, step: int, event: str, **facts: object) -> Entry:
    return Entry(seq, step, None, None, "table", event, facts)


def test_undo_moves_steps_away_and_redo_brings_them_back_in_order() -> None:
    line = line_of("a", "b", "c")

    undone = line.undo(2)
    after_undo = held(line)
    redone = line.redo(2)

    assert [mark.name for mark in undone] == ["c", "b"]
    assert [mark.name for mark in redone] == ["b", "c"]
    assert (after_undo, held(line)) == ("a", "a b c")


def test_a_new_step_closes_the_way_back() -> None:
    line = line_of("a", "b")
    line.undo(1)

    line.add(Mark("c"))

    assert (held(line), line.future) == ("a c", [])


@pytest.mark.parametrize("n", [0, -1, 3])
def test_nobody_moves_steps_that_are_not_there(n: int) -> None:
    line = line_of("a", "b")

    with pytest.raises(UnknownEntry):
        line.undo(n)
    assert held(line) == "a b"


def test_the_line_begins_with_the_evening_before() -> None:
    line = line_of("a", "ONE", "b", "c")

    assert line.add(Mark("TWO", opens_evening=True)) == Mark("ONE", opens_evening=True)
    assert held(line) == "b c TWO"


def test_a_first_evening_lets_nothing_go() -> None:
    line = line_of("a", "b")

    assert line.add(Mark("ONE", opens_evening=True)) is None
    assert held(line) == "a b ONE"


def test_an_evening_that_was_taken_back_does_not_count() -> None:
    line = line_of("a", "ONE")
    line.undo(1)

    line.add(Mark("b"))
    line.add(Mark("TWO", opens_evening=True))

    assert held(line) == "a b TWO"


def test_an_evening_that_wavered_is_no_place_to_begin_after() -> None:
    line = line_of("a", "ONE", "b", "TWO")
    line.undo(2)  # "b" as well, which lies before it
    line.redo(2)

    assert line.add(Mark("THREE", opens_evening=True)) is None
    assert held(line) == "b TWO THREE"
    assert line.add(Mark("FOUR", opens_evening=True)) == Mark("THREE", opens_evening=True)


def test_entries_written_together_are_one_step() -> None:
    entries = [entry(1, 1, "A"), entry(2, 2, "B"), entry(3, 2, "C")]

    assert list(steps_of(entries)) == [(entries[0],), (entries[1], entries[2])]


def test_an_empty_journal_has_no_evening_before() -> None:
    assert evening_before([]) == 1


def test_the_beginning_of_the_journal_is_where_to_replay_from() -> None:
    first = entry(1, 1, "EveningBegun")

    assert evening_before([first, entry(2, 2, "SatDown")]) == 1


def test_evenings_that_hold_are_counted_from_the_end() -> None:
    evenings = [entry(n, n, "EveningBegun") for n in (1, 2, 3, 4)]
    undone = entry(5, 5, "Undone", n=1)
    again = entry(6, 6, "EveningBegun")

    # 4 was taken back, so 6 follows on 3.
    assert evening_before([*evenings, undone, again]) == evenings[2].seq
