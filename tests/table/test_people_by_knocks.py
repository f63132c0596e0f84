"""By knocks alone: who sat here last is asked for by the slate, and one knock takes the name."""

import pytest

from kloplei.games.scoreboard import Line
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import TIMINGS, Tabletop, doubt_of
from tests.table.test_people import sitting


@pytest.fixture
def again() -> Tabletop:
    """Jan sat at seat 1 last, Piet at 2, Gijs at 3, who was a guest; now nobody sits."""
    tabletop = Tabletop(MemoryJournal(), seats=5)
    for seat, name, remember in ((1, "Jan", True), (2, "Piet", True), (3, "Gijs", False)):
        tabletop.ask(seat, "sit_down", facts={"name": name, "remember": remember})
    for seat in (1, 2, 3):
        tabletop.ask(seat, "stand_up")
    return Tabletop(tabletop.journal, seats=5)


def asking(tabletop: Tabletop) -> str | None:
    asked: Line | None = tabletop.board.asking
    return None if asked is None else str(asked.facts["name"])


def names(tabletop: Tabletop) -> dict[int, str]:
    return {seat: name for seat, (name, _) in sitting(tabletop).items()}


def test_the_slate_asks_for_who_sat_there_last_and_one_knock_says_yes(again: Tabletop) -> None:
    again.knock(1)
    asked, guest = again.board.asking, sitting(again)[1]

    again.knock(1)

    assert asked is not None
    assert (asked.key, asked.facts["name"]) == ("ask.again", "Jan")
    assert guest == ("Plek 1", None)
    assert names(again) == {1: "Jan"}
    assert asking(again) is None


def test_without_an_answer_a_guest_stays_a_guest(again: Tabletop) -> None:
    again.knock(1)
    again.wait(TIMINGS.ask_s)
    again.knock(1)

    assert asking(again) is None
    assert sitting(again) == {1: ("Plek 1", None)}


def test_a_table_full_of_people_sits_down_at_once_and_each_is_asked(again: Tabletop) -> None:
    for seat in (1, 2, 3):
        again.knock(seat, settle=False)
    again.wait(TIMINGS.gap_s)
    assert asking(again) == "Jan / Piet"

    again.knock(2)
    assert asking(again) == "Jan"
    again.knock(3)  # a guest sat there last: nobody asked
    again.knock(1)

    assert names(again) == {1: "Jan", 2: "Piet", 3: "Plek 3"}


def test_the_whole_road_from_an_empty_table_to_the_first_hand_by_knocks_alone(
    again: Tabletop,
) -> None:
    again.knock(1)
    again.knock(1)
    again.knock(2)

    again.knock(2, 3)  # not an answer, and never swallowed by the question

    assert again.board.phase == "between_hands"
    assert names(again) == {1: "Jan", 2: "Plek 2"}
    assert asking(again) is None


def test_whoever_asked_for_the_start_is_not_taken_for_somebody(again: Tabletop) -> None:
    again.knock(1)
    again.knock(2)
    again.knock(1, 3)

    assert again.board.phase == "between_hands"
    again.knock(2)  # a knock of the game again
    assert names(again) == {1: "Plek 1", 2: "Plek 2"}


def test_four_knocks_take_back_that_one_sat_down(again: Tabletop) -> None:
    again.knock(1)
    again.knock(1, 4)
    again.wait(TIMINGS.grace_s)

    assert sitting(again) == {}
    assert asking(again) is None


def test_nobody_is_asked_for_who_sits_elsewhere_already(again: Tabletop) -> None:
    (jan,) = (one.id for one in again.journal.people.known if one.name == "Jan")
    again.knock(1)
    again.ask(2, "sit_down", facts={"person": jan})

    assert asking(again) is None
    again.knock(1)
    assert names(again) == {1: "Plek 1", 2: "Jan"}


def test_who_sits_down_by_phone_is_asked_nothing(again: Tabletop) -> None:
    again.ask(1, "sit_down", facts={"name": "Kees"})

    assert asking(again) is None


def test_a_doubtful_knock_takes_no_name_before_somebody_says_what_it_was(again: Tabletop) -> None:
    again.knock(1)
    again.knock(1, doubtful=True)
    before, doubt = sitting(again)[1], doubt_of(again)

    again.ask(None, "accept_knock", facts={"doubt": doubt.number})

    assert before == ("Plek 1", None)
    assert names(again) == {1: "Jan"}


def test_one_sensor_for_all_asks_whose_knock_it_was_first(again: Tabletop) -> None:
    again.knock(None)
    again.knock(None)  # seat 1
    assert asking(again) == "Jan"

    again.knock(None)
    again.knock(None)

    assert names(again) == {1: "Jan"}


def test_whoever_came_back_after_an_undo_is_asked_for_again(again: Tabletop) -> None:
    again.knock(1)
    again.knock(1)
    again.ask(None, "undo")
    again.ask(None, "undo")
    assert sitting(again) == {}

    again.knock(1)

    assert asking(again) == "Jan"


def test_a_table_without_people_is_asked_nothing() -> None:
    tabletop = Tabletop(seats=4)

    tabletop.knock(1)

    assert tabletop.board.asking is None


def test_a_name_without_letters_for_the_slate_is_asked_for_by_its_place() -> None:
    tabletop = Tabletop(MemoryJournal(), seats=4)
    for seat, name in ((1, "Ольга"), (2, "阿部 (Abe)")):
        tabletop.ask(seat, "sit_down", facts={"name": name, "remember": True})
        tabletop.ask(seat, "stand_up")

    tabletop.knock(1)
    first = tabletop.board.asking
    tabletop.knock(2)

    assert first == Line("ask.again", {"name": None})
    assert asking(tabletop) == "Abe"
    tabletop.knock(1)
    assert names(tabletop)[1] == "Ольга"
