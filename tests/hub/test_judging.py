"""What steps mean for what is kept: the longest beginning that a box has told, and nothing else."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.frozen import replace
from kloplei.table.uplink_client import EraBegun, HouseEntry
from kloplei.uplink.wire import BadMessage, Steps
from kloplei_hub._judging import MOST_ERAS, Era, Judged, checked, judge
from tests.hub.journals import Journal, link_of

SIZES = st.lists(st.integers(1, 3), min_size=1, max_size=8).map(tuple)


class Kept:
    """What a database would keep."""

    def __init__(self) -> None:
        self.eras: dict[str, Era] = {}
        self.entries: dict[str, list[HouseEntry]] = {}

    def take(self, steps: Steps) -> Judged:
        verdict = judge(checked(steps), self.eras, self.links)
        for over, upto in verdict.supersedes:
            before = self.entries.pop(over, [])
            mine = self.entries.setdefault(steps.era, [])
            mine += [one for one in before if one.seq <= upto]
            self.eras[over] = Era(over, superseded=steps.era)
        if verdict.era is not None:
            self.eras[steps.era] = verdict.era
        self.entries.setdefault(steps.era, []).extend(verdict.entries)
        return verdict

    def links(self, era: Era, first: int, last: int) -> Mapping[int, str]:
        return {
            one.seq: one.link for one in self.line(era.era) if one.link and first <= one.seq <= last
        }

    def line(self, name: str | None) -> list[HouseEntry]:
        """All entries of an era, its parents' included."""
        if name is None or name not in self.eras:
            return []
        era = self.eras[name]
        before = [one for one in self.line(era.parent) if one.seq <= era.after]
        return before + self.entries.get(name, [])


@given(st.data(), SIZES)
def test_whatever_comes_twice_late_or_never_a_beginning_of_the_journal_is_kept(
    data: st.DataObject, sizes: tuple[int, ...]
) -> None:
    journal, kept = Journal("e", sizes), Kept()
    ends = st.sampled_from(journal.ends)
    longest = 0
    for after, upto in data.draw(st.lists(st.tuples(ends, ends), max_size=12)):
        before = longest
        verdict = kept.take(journal.steps(after, upto))
        longest = max(before, upto) if after <= before else before

        assert kept.line("e") == list(journal.entries(0, longest))
        assert (verdict.have.seq, verdict.have.link) == (longest, journal.link(longest))
        assert verdict.have.refused is None
        assert (verdict.kind == "gap") is (after > before)

    kept.take(journal.steps(longest))

    assert kept.line("e") == list(journal.entries(0, journal.last))


@given(st.data(), SIZES)
def test_another_history_of_the_same_era_is_a_twin_and_nothing_of_it_is_kept(
    data: st.DataObject, sizes: tuple[int, ...]
) -> None:
    alike = data.draw(st.integers(0, len(sizes) - 1))
    one, other = (Journal("e", sizes, story, alike) for story in ("one", "other"))
    kept = Kept()
    kept.take(one.steps())
    after = data.draw(st.sampled_from(one.ends))

    verdict = kept.take(other.steps(after))

    is_seen = after != other.last or alike < len(sizes)
    assert verdict.have.refused == ("twin" if is_seen else None)
    assert kept.line("e") == list(one.entries(0, one.last))
    assert kept.take(replace(one, sizes=(*sizes, 1)).steps(one.last)).kind == "refused"


def test_a_twin_that_is_behind_is_found_by_what_it_asks() -> None:
    kept = Kept()
    kept.take(Journal("e", (1, 1, 1), "one", 1).steps())

    asked = Journal("e", (1, 1), "other", 1).steps(2)

    assert asked.entries == ()
    assert kept.take(asked).have.refused == "twin"


@given(st.data(), SIZES, st.booleans())
def test_a_new_era_goes_on_from_where_it_is_known_or_tells_all(
    data: st.DataObject, sizes: tuple[int, ...], supersedes: bool
) -> None:
    alike = data.draw(st.integers(0, len(sizes)))
    before = Journal("e", sizes, "one", alike)
    after = Journal("f", sizes, "other", alike)
    split = before.ends[alike]
    here = data.draw(st.sampled_from(before.ends))
    kept = Kept()
    kept.take(before.steps(0, here))
    begun = EraBegun("e", split, before.link(split), supersedes)

    asked = kept.take(after.steps(after.last, begun=begun))
    is_known = 0 < split <= here

    assert asked.have.seq == (after.last if is_known and split == after.last else is_known * split)
    kept.take(after.steps(asked.have.seq, begun=begun))
    assert kept.line("f") == list(after.entries(0, after.last))
    assert kept.line("e") == ([] if supersedes else list(before.entries(0, here)))
    refused = kept.take(before.steps()).have.refused
    assert refused == ("twin" if supersedes else None)


def test_an_era_that_superseded_what_never_came_keeps_that_out() -> None:
    kept = Kept()
    begun = EraBegun("e", 2, link_of(2, "one"), supersedes=True)

    kept.take(Journal("f", (1, 1)).steps(begun=begun))

    assert kept.take(Journal("e", (1, 1)).steps()).have.refused == "twin"
    assert kept.line("e") == []


def test_all_that_was_replaced_while_the_house_was_away_goes() -> None:
    kept = Kept()
    sizes = (1, 1, 1)
    kept.take(Journal("e", sizes, told_alike=1).steps())
    begun = EraBegun("f", 2, link_of(2, "f"), supersedes=True, replaced=("e", "f"))

    told = kept.take(Journal("g", sizes, "g", 1).steps(begun=begun))

    assert (told.have.seq, told.have.refused) == (3, None)
    assert [len(kept.line(era)) for era in "efg"] == [0, 0, 3]
    assert {era: one.superseded for era, one in kept.eras.items()} == {
        "e": "g",
        "f": "g",
        "g": None,
    }
    after = kept.take(Journal("h", sizes, "g", 3).steps(3, begun=EraBegun("g", 3, link_of(3, ""))))
    assert after.supersedes == ()


def test_a_line_goes_on_over_three_eras() -> None:
    kept = Kept()
    sizes = (1, 1, 1, 1)
    kept.take(Journal("e", sizes[:2], told_alike=2).steps())
    for name, before, split in (("f", "e", 2), ("g", "f", 3)):
        journal = Journal(name, sizes, "other", 4)
        begun = EraBegun(before, split, journal.link(split), supersedes=name == "g")
        kept.take(journal.steps(split, split + 1, begun=begun))

    assert [one.seq for one in kept.line("g")] == [1, 2, 3, 4]
    assert kept.eras["g"].parent == "e"
    assert kept.eras["g"].after == 2


def test_a_box_does_not_begin_eras_without_end() -> None:
    eras = {str(n): Era(str(n)) for n in range(MOST_ERAS)}

    verdict = judge(Journal("e", (1,)).steps(), eras, lambda *_: {})

    assert (verdict.have.refused, verdict.era, verdict.entries) == ("malformed", None, ())


def test_an_era_that_goes_on_names_no_others_without_end() -> None:
    eras = {str(n): Era(str(n)) for n in range(MOST_ERAS)}
    begun = EraBegun("1", 1, link_of(1, "x"), supersedes=True, replaced=("2", "never", "came"))

    verdict = judge(replace(Journal("0", (1,)).steps(), begun=begun), eras, lambda *_: {})

    assert verdict.supersedes == (("2", 0), ("1", 0))


def test_what_was_replaced_takes_nobodys_place() -> None:
    kept = Kept()
    for here, before in (("e", "d"), ("f", "e"), ("e", "f")):
        begun = EraBegun(before, 1, link_of(1, "x"), supersedes=True)
        kept.take(replace(Journal(here, (1, 1)).steps(), begun=begun))

    assert len(kept.line("f")) == 2
    assert kept.eras["f"].superseded is None


GOOD = Journal("e", (2, 1)).steps()


@pytest.mark.parametrize(
    "steps",
    [
        replace(GOOD, era=""),
        replace(GOOD, era="e\0"),
        replace(GOOD, era="\ud800"),
        replace(GOOD, era="e" * 65),
        replace(GOOD, after=-1),
        replace(GOOD, after=1),
        replace(GOOD, link="ab"),
        replace(GOOD, after=2**53),
        replace(GOOD, begun=EraBegun("e", 0, "")),
        replace(GOOD, begun=EraBegun("d", 3, "")),
        replace(GOOD, entries=GOOD.entries[:1]),
        replace(GOOD, entries=GOOD.entries[1:]),
        replace(GOOD, entries=GOOD.entries[::-1]),
        replace(GOOD, entries=(*GOOD.entries, GOOD.entries[-1])),
        *(
            replace(GOOD, entries=(*GOOD.entries[:2], replace(GOOD.entries[2], **odd)))
            for odd in (
                {"link": None},
                {"link": "G" * 64},
                {"seat": -1},
                {"seat": 40_000},
                {"at": float("nan")},
                {"at": float("inf")},
                {"via": ""},
                {"event": "a\0b"},
                {"event": "\ud800"},
                {"step": 4},
                {"seq": 4},
            )
        ),
    ],
)
def test_what_is_no_whole_step_behind_the_other_is_refused(steps: Steps) -> None:
    with pytest.raises(BadMessage):
        checked(steps)
