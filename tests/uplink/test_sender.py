"""Whatever the way loses, doubles and mixes up: in the end the house has all, in order."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.table.client import TableUnavailable
from kloplei.uplink.sender import LONGEST_PAUSE_S, MOST_AHEAD, Sender
from kloplei.uplink.wire import Have, Steps
from tests.uplink.toy import ToyHouse, ToyJournal


class Way:
    """Between box and house; what is said on it gets there when somebody lets it."""

    def __init__(self, journal: ToyJournal, chance: Callable[[], float] = lambda: 0.5) -> None:
        self.journal, self.house = journal, ToyHouse()
        self.sender = Sender(journal.steps, chance)
        self.now_s = 0.0
        self.up: list[Steps] = []
        self.down: list[Have] = []

    def send(self) -> int:
        """Send what is due; return how many messages that were."""
        self.sender.stirred()
        told = list(self.sender.due(self.now_s))
        self.up.extend(told)
        return len(told)

    def deliver(self) -> None:
        """Let all that is under way arrive, in order."""
        up, self.up = self.up, []
        self.down.extend(map(self.house.take, up))
        down, self.down = self.down, []
        for have in down:
            self.sender.heard(have, self.now_s)

    def settle(self) -> None:
        """Let time pass on a way that works, until nobody has anything to say."""
        for _ in range(400):
            self.deliver()
            if self.send() or self.up:
                continue
            if self.sender.wakes_s is None:
                return
            self.now_s = max(self.now_s, self.sender.wakes_s)
        raise AssertionError("They never come to rest.")

    def is_whole(self) -> bool:
        return self.house.kept == self.journal.entries and self.house.era == self.journal.era


@pytest.fixture
def way() -> Way:
    journal = ToyJournal()
    for size in (1, 3, 2, 4, 1, 1, 5):
        journal.write(size)
    return Way(journal)


ANY = st.integers(0, 9)
HAPPENINGS = st.one_of(
    st.tuples(st.sampled_from(["write", "lose-up", "lose-down", "twice-up", "twice-down"]), ANY),
    st.tuples(st.sampled_from(["arrive-up", "arrive-up", "arrive-down", "arrive-down"]), ANY),
    st.tuples(st.sampled_from(["send", "wait", "forget", "cut", "era", "say-again"]), ANY),
)


def happen(way: Way, what: str, at: int) -> None:
    """Let one thing happen on the *way*; what there is none of does not."""
    lane: list[Any] = way.up if what.endswith("up") else way.down
    chosen = at % len(lane) if lane else 0
    match what.partition("-")[0]:
        case "write":
            way.journal.write(1 + at % 4)
        case "lose" if lane:
            lane.pop(chosen)
        case "twice" if lane:
            lane.append(lane[chosen])
        case "arrive" if lane and what.endswith("up"):
            way.down.append(way.house.take(way.up.pop(chosen)))
        case "arrive" if lane:
            way.sender.heard(way.down.pop(chosen), way.now_s)
        case "send":
            way.send()
        case "wait":
            way.now_s += at
        case "forget":
            way.house.forget(at * 3)
        case "cut":
            way.up.clear()
            way.down.clear()
            way.sender.connected(way.now_s)
            way.down.append(way.house.have())
        case "era":
            ends = way.journal.ends()
            way.journal.begin_era(f"{way.journal.era}'", ends[at % len(ends)])
        case "say":
            way.down.append(way.house.have())


@given(st.lists(HAPPENINGS, max_size=60), st.randoms(use_true_random=False))
def test_the_house_has_all_in_the_end_whatever_the_way_does(
    happenings: list[tuple[str, int]], luck: Any
) -> None:
    way = Way(ToyJournal(), luck.random)
    way.sender.connected(0.0)

    for what, at in happenings:
        happen(way, what, at)
        assert len(way.sender._flying) <= MOST_AHEAD
    # What was said long ago of an era that is over would be taken for a new one's: a broker does
    # not hold anything back for so long. What is under way of this one comes in whatever order.
    way.up = [one for one in way.up if one.era == way.journal.era]
    way.journal.write()
    way.settle()

    assert way.is_whole()
    assert way.sender.refused is None
    assert way.sender.behind == 0


def test_a_house_that_says_nothing_is_asked_what_it_has(way: Way) -> None:
    way.sender.connected(0.0)

    assert way.send() == 0  # a retained answer may be on its way
    way.now_s = 1.0
    way.send()

    assert [(one.after, one.entries) for one in way.up] == [(0, ())]
    way.settle()
    assert way.is_whole()


def test_a_house_that_says_what_it_has_is_not_asked(way: Way) -> None:
    way.sender.connected(0.0)

    way.sender.heard(Have("era-1", 4, way.journal.link_at(4)), 0.0)
    way.send()

    assert [one.after for one in way.up] == [4]


def test_more_goes_ahead_with_each_answer_and_one_message_after_a_loss(way: Way) -> None:
    for _ in range(200):
        way.journal.write(5)
    way.sender.connected(0.0)
    way.sender.heard(Have("era-1", 0, ""), 0.0)

    ahead = []
    for _ in range(5):
        way.send()
        ahead.append(len(way.up))
        way.deliver()
    way.send()
    way.up.clear()
    way.now_s += 3.0
    way.send()

    assert ahead == [1, 2, 4, 8, 8]
    assert len(way.up) == 1


def test_pauses_grow_to_a_minute_and_nothing_is_sent_within_them(way: Way) -> None:
    way.sender.connected(0.0)
    way.sender.heard(Have("era-1", 0, ""), 0.0)
    assert way.send()
    pauses = []
    for _ in range(9):
        due_s = way.sender.wakes_s
        assert due_s is not None
        pauses.append(due_s - way.now_s)
        way.now_s = due_s - 0.01
        assert not way.send()
        way.now_s = due_s
        assert way.send() == 1

    assert pauses[0] >= 1.0
    assert pauses == sorted(pauses)
    assert LONGEST_PAUSE_S / 2 <= pauses[-1] <= LONGEST_PAUSE_S


def test_a_house_that_was_restored_is_told_again_from_there_but_not_by_all_at_once(
    way: Way,
) -> None:
    way.sender.connected(0.0)
    way.settle()
    way.house.forget(6)

    way.sender.heard(way.house.have(), way.now_s)

    assert way.send() == 0
    assert way.sender.wakes_s == way.now_s + 1.0  # half of the spread, by this chance
    way.settle()
    assert way.is_whole()


def test_a_house_that_lost_everything_gets_everything_in_order(way: Way) -> None:
    way.sender.connected(0.0)
    way.settle()
    way.house = ToyHouse()
    way.sender.connected(way.now_s)

    way.settle()

    assert way.is_whole()


def test_a_box_that_was_restored_says_how_its_era_began(way: Way) -> None:
    way.sender.connected(0.0)
    way.settle()
    way.journal.begin_era("era-2", 6)
    way.journal.write(2)

    way.send()

    assert way.up[0].era == "era-2"
    assert way.up[0].begun is not None
    assert (way.up[0].begun.era, way.up[0].begun.after) == ("era-1", 6)
    way.settle()
    assert way.is_whole()


@pytest.mark.parametrize("further", [0, 1, 2, 40])
def test_two_boxes_from_one_card_are_told_on_both_sides(way: Way, further: int) -> None:
    way.sender.connected(0.0)
    way.settle()
    twin = Way(ToyJournal(salt="other"))
    twin.house = way.house
    for size in (1, 3, 2, 4, 1, 1, 5):  # the same lengths, or other ones
        twin.journal.write(size)
    for _ in range(further):
        twin.journal.write(3)

    twin.sender.connected(0.0)
    twin.sender.heard(way.house.have(), 0.0)

    assert twin.sender.refused == "twin"
    assert twin.sender.wakes_s is not None
    twin.now_s = twin.sender.wakes_s
    twin.send()
    twin.deliver()
    if further:  # else nothing shows yet which of the two it is
        assert twin.house.refused == "twin"
    assert twin.send() == 0  # at rest for long


def test_who_is_refused_asks_seldom_and_goes_on_when_it_is_taken_again(way: Way) -> None:
    way.sender.connected(0.0)
    way.settle()
    way.journal.write()
    for _ in range(7):
        way.sender.heard(Have("", 0, "", refused="unknown"), way.now_s)
        assert way.send() == 0
        assert way.sender.wakes_s is not None
        way.now_s = way.sender.wakes_s
        assert way.send() == 1
    told = way.sender.refused
    way.up.clear()

    way.sender.heard(way.house.have(), way.now_s)
    way.settle()

    assert (told, way.sender.refused) == ("unknown", None)
    assert way.is_whole()


def test_the_journal_is_asked_once_for_each_step(way: Way) -> None:
    """Each question costs the table a millisecond of a PC's processor, right after a knock."""
    way.sender.connected(0.0)
    way.settle()
    way.journal.write(2)
    asked = way.journal.asked

    way.send()
    for _ in range(3):
        assert list(way.sender.due(way.now_s)) == []
    way.deliver()
    assert list(way.sender.due(way.now_s)) == []

    assert way.journal.asked == asked + 1
    assert way.is_whole()


def test_what_is_sealed_is_waited_for(way: Way) -> None:
    way.journal.sealed_from = 11
    way.sender.connected(0.0)
    way.settle()
    asked = way.journal.asked

    assert way.house.kept == way.journal.entries[:10]
    assert way.sender.behind == 7
    assert way.sender.wakes_s is None  # until the table says that something happened
    way.journal.sealed_from = None
    way.settle()

    assert way.is_whole()
    assert way.journal.asked < asked + 10


def test_a_table_that_is_away_costs_nothing_but_time(way: Way) -> None:
    is_there = False

    def steps(after: int) -> Any:
        if not is_there:
            raise TableUnavailable("away")
        return way.journal.steps(after)

    way.sender = Sender(steps, lambda: 0.5)
    way.sender.connected(0.0)
    way.now_s = 1.0
    with pytest.raises(TableUnavailable):
        way.send()
    with pytest.raises(TableUnavailable):
        way.sender.heard(Have("era-1", 0, ""), way.now_s)
    is_there = True

    way.settle()

    assert way.is_whole()
