"""Lines that are picked without those they are asked of."""

from collections.abc import Mapping

from benchmarks.lines import ALONE, LEVELS_DB, OURS, ByLevel, picked, picked_without, settings
from benchmarks.rigs import Heard
from benchmarks.scoring import Tally
from kloplei.knock.detector import CompanyLines

MILDER = "begins_a_row 0.15"


def heard(hits: Mapping[str, int], false: Mapping[str, int]) -> ByLevel:
    """Return how rigs are heard: *hits* of ten knocks at each level, *false* in ten minutes."""
    found = {one: Heard() for one in LEVELS_DB}
    for one in found.values():
        for rig, count in hits.items():
            noises = Tally(false=false.get(rig, 0), minutes=10.0)
            one.add(rig, Tally(hits=count, misses=10 - count), noises)
    return found


def test_every_setting_moves_lines_of_ours_and_is_asked_once() -> None:
    by_name = settings()

    assert by_name.pop(OURS) == CompanyLines()
    assert CompanyLines() not in by_name.values()
    assert len(set(by_name.values())) == len(by_name)


def test_a_rig_has_no_say_in_what_it_is_asked_by() -> None:
    # Elm alone is heard better by the milder line; oak and ash are heard worse.
    tables = {
        ALONE: heard({"elm": 2, "oak": 5, "ash": 5}, {}),
        OURS: heard({"elm": 3, "oak": 8, "ash": 8}, {}),
        MILDER: heard({"elm": 10, "oak": 7, "ash": 7}, {}),
    }

    assert picked(tables, unseen=()) == MILDER
    assert picked(tables, unseen=("elm",)) == OURS
    held = picked_without(tables, ["elm", "oak", "ash"], 1)

    assert held.picks == {OURS: 1, MILDER: 2}
    assert held.heard[0.0].knocks["elm"].hits == 3
    assert held.heard[0.0].knocks["oak"].hits == 7
    assert {one for by_level in held.heard.values() for one in by_level.knocks} == {
        "elm",
        "oak",
        "ash",
    }


def test_a_line_by_which_more_noises_pass_is_not_picked() -> None:
    tables = {
        ALONE: heard({"elm": 5, "oak": 5}, {"elm": 1, "oak": 1}),
        OURS: heard({"elm": 6, "oak": 6}, {"elm": 2, "oak": 2}),
        MILDER: heard({"elm": 9, "oak": 9}, {"elm": 2, "oak": 3}),
    }

    assert picked(tables, unseen=()) == OURS


def test_two_at_a_time_are_all_pairs() -> None:
    some = {"elm": 5, "oak": 5, "ash": 5, "fir": 5}
    tables = {ALONE: heard(some, {}), OURS: heard(some, {})}

    held = picked_without(tables, list(some), 2)

    assert sum(held.picks.values()) == 6
    assert held.heard[0.0].knocks["fir"].hits == 3 * 5
