"""How hard somebody knocked and how long the table had waited: written down, and nowhere shown."""

import pytest

from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import Answered
from kloplei.games.watten.actions import DealEnded
from kloplei.table.gestures import Timings
from kloplei.table.journal import Journal
from kloplei.table.timeline import steps_of
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop, told, without_how

TIMINGS = Timings()
UNKNOWN = (None, None)
HOW = ("strength", "waited_s")


def table_of(game: str, seats: int = 4, journal: Journal | None = None) -> Tabletop:
    return Tabletop(journal, build=build_game, game=game, seats=seats)


def warmed(table: Tabletop) -> Tabletop:
    """Let every pad feel eight knocks, of which nobody thinks anything, and deal."""
    table.ask(1, "deal")
    undone = table.board
    for n in range(8):
        for seat in (1, 2, 3):
            table.knock(seat, 5, strength=0.1 + n / 100)
    assert table.board.seq == undone.seq
    return table


def answers(table: Tabletop) -> list[tuple[object, ...]]:
    """Return of each answer in the journal its event and seat, and how it was given."""
    told = {"Knocked", "Stayed", "Folded", "Raised", "Held", "DealEnded"}
    found = (one for one in table.journal.entries() if one.event in told)
    return [(one.event, *(one.facts.get(how) for how in ("seat", *HOW))) for one in found]


def how(table: Tabletop) -> tuple[object, object]:
    """Return strength and waiting of the newest answer."""
    *_, strength, waited_s = answers(table)[-1]
    return strength, waited_s


def asked(table: Tabletop) -> Tabletop:
    """Let seat 2 knock, so that seats 3 and 1 are asked from now on."""
    table.knock(2)
    assert table.board.stake == 2
    return table


def toepen() -> Tabletop:
    return warmed(table_of("toepen").start(1, 2, 3))


def test_toepen_tells_how_each_knock_and_answer_was_given() -> None:
    table = toepen()
    table.wait(10.0)
    table.knock(2, strength=0.135)
    table.wait(4.25)
    table.knock(3, strength=0.9)
    table.wait(2.0)
    table.knock(1, 2, strength=0.01)

    (knocked, stayed, folded) = answers(table)
    assert knocked[:3] == ("Knocked", 1, 50)
    # A pattern ends some time after its first blow: nobody thinks so long.
    assert stayed == ("Stayed", 2, 100, 4.25)
    assert folded == ("Folded", 0, 0, pytest.approx(4.25 + 0.2 + TIMINGS.gap_s + 2.0))


def test_who_was_not_asked_has_not_answered() -> None:
    table = table_of("toepen").start(1, 2, 3)
    table.ask(None, "options", facts={"options": {"armoede": "off", "all_in": "auto_stay"}})
    table.ask(2, "chalk", facts={"lives": 9})
    table.ask(None, "deal")
    table.wait(1.0)
    table.ask(1, "knock")

    assert answers(table) == [("Knocked", 0, None, 1.0), ("Stayed", 1, None, None)]


def test_a_phone_answers_without_strength_when_it_asks() -> None:
    table = asked(toepen())

    table.wait(1.504)
    table.ask(3, "stay")

    assert how(table) == (None, 1.5)


def test_who_waits_in_doubt_has_done_its_thinking() -> None:
    table = asked(toepen())
    table.wait(2.0)
    table.knock(3, doubtful=True, strength=0.9)
    table.wait(3.0)
    table.ask(1, "accept_knock")

    assert how(table) == (None, 2.0)  # a blow in doubt is not ranked


def test_who_owns_to_a_knock_thought_until_it_was_struck() -> None:
    """On a sensor for the whole table, where the slate asks who it was."""
    table = asked(toepen())
    table.wait(2.0)
    table.knock(None)
    table.wait(3.0)
    table.ask(3, "it_was_me")

    assert answers(table)[-1] == ("Stayed", 2, None, 2.0)


def test_who_waits_for_objections_has_done_its_thinking() -> None:
    table = table_of("watten").start(1, 2, 3, 4)
    table.ask(None, "deal")
    table.ask(2, "announced")
    table.ask(1, "raise")
    table.wait(3.5)
    table.ask(2, "fold", waits=True)
    table.wait(TIMINGS.grace_s)

    assert answers(table)[-1] == ("DealEnded", 1, None, 3.5)


def test_nobody_is_quicker_than_the_question() -> None:
    table = toepen()
    table.knock(2, settle=False)
    table.knock(3, settle=False)  # sees the other one knock
    table.wait(1.0)

    assert [one[:2] for one in answers(table)] == [("Knocked", 1), ("Stayed", 2)]
    assert how(table)[1] == 0.0


def test_since_when_the_table_waits_is_not_known_after_a_restart() -> None:
    before = asked(toepen())
    table = table_of("toepen", journal=before.journal)
    table.wait(5.0)
    table.ask(3, "stay")
    table.ask(1, "stay")
    unknown = how(table)
    table.ask(1, "knock")
    table.wait(2.0)
    table.ask(2, "stay")

    assert (unknown, how(table)) == (UNKNOWN, (None, 2.0))


def test_watten_tells_raises_held_and_given_up() -> None:
    table = table_of("watten").start(1, 2, 3, 4)
    table.ask(None, "deal")
    table.ask(2, "announced")
    table.ask(1, "raise")
    table.wait(1.0)
    table.ask(2, "raise")
    table.wait(2.0)
    table.ask(1, "accept")
    table.wait(3.0)
    table.ask(1, "trick")
    table.ask(1, "raise")
    table.wait(4.0)
    table.ask(2, "fold")

    assert [(one[0], one[3]) for one in answers(table)] == [
        ("Raised", 0.0),
        ("Raised", 1.0),
        ("Held", 2.0),
        ("Raised", 0.0),
        ("DealEnded", 4.0),
    ]


def test_a_deal_that_nobody_gave_up_was_no_answer() -> None:
    points = {"winners": (), "scored": 0, "value": 2, "points": (), "dealer": 0}

    ends = {how: DealEnded(1, how, None, **points) for how in ("given-up", "tricks")}  # type: ignore[arg-type]

    assert [how for how, one in ends.items() if one.is_answer] == ["given-up"]


def test_eenendertigen_tells_how_its_knock_was_given() -> None:
    table = table_of("eenendertigen").start(4, 1, 2, 3)
    table.ask(4, "deal")
    table.wait(7.0)
    table.ask(2, "knock")

    assert answers(table) == [("Knocked", 1, None, 7.0)]


def test_what_was_told_of_an_answer_outlives_undo_and_redo() -> None:
    table = asked(toepen())
    table.wait(1.0)
    table.ask(3, "stay")
    before, given = told(table.board), answers(table)
    table.ask(None, "undo")
    table.ask(None, "redo")

    again = dict(told(table.board), seq=before["seq"], news=before["news"], offers=before["offers"])
    assert answers(table) == given
    assert again == before


def test_no_game_and_no_slate_knows_of_it() -> None:
    """An evening told with and without shows the same, line by line of its log."""
    table = asked(toepen())
    table.wait(1.0)
    table.knock(3, strength=0.9)
    table.knock(1, 2)
    bare = MemoryJournal()
    for first, *more in steps_of(table.journal.entries()):
        step = [(one.event, without_how(one.facts)) for one in (first, *more)]
        bare.append(step, seat=first.seat, via=first.via, at=first.at)

    again = table_of("toepen", journal=bare)

    assert told(again.board) == told(table.board)
    assert [one.line for one in again.table.log()] == [one.line for one in table.table.log()]


def test_which_events_tell_how_they_were_given() -> None:
    declared = {
        game: {
            name
            for name, kind in build_game(game, None, {}).events.items()
            if issubclass(kind, Answered)
        }
        for game in GAMES
    }

    assert declared == {
        "toepen": {"Knocked", "Stayed", "Folded"},
        "watten": {"Raised", "Held", "DealEnded"},
        "tarok": set(),
        "eenendertigen": {"Knocked"},
    }
