"""What is recorded of a deal may be told in any order, but only of the deal that was looked at."""

from collections.abc import Iterator

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from tests.table.memory_journal import MemoryJournal

ANN, BOB, COR = (Seat(n) for n in range(3))


@pytest.fixture
def table() -> Iterator[Session]:
    with Session(MemoryJournal(), TableSetup(game="tarok")) as table:
        for seat, name in ((ANN, "Ann"), (BOB, "Bob"), (COR, "Cor")):
            table.submit(seat, "sit_down", facts={"name": name})
        table.submit(ANN, "start")
        table.submit(None, "deal")
        yield table


def test_what_the_table_asks_meanwhile_makes_no_tap_late(table: Session) -> None:
    seen = table.scoreboard().seq
    table.submit(BOB, "fate", seen=seen, facts={"what": "pagat_home"})
    asked = table.scoreboard().prompt
    assert asked is not None and asked.key == "prompt.last-trick"

    table.submit(COR, "fate", seen=seen, facts={"what": "king_lost"})
    table.submit(COR, "last_trick", seen=seen)

    assert len([one for one in table.scoreboard().draft if one.entry]) == 3


def test_what_was_seen_of_one_deal_is_not_told_of_the_next(table: Session) -> None:
    seen = table.scoreboard().seq
    table.submit(None, "throw_in")
    table.submit(None, "book")
    table.submit(None, "deal")

    with pytest.raises(IllegalAction, match="stale"):
        table.submit(COR, "last_trick", seen=seen)


def test_entries_are_struck_out_by_who_sees_their_numbers(table: Session) -> None:
    for seat, what in ((BOB, "pagat_home"), (COR, "king_lost")):
        table.submit(seat, "fate", facts={"what": what})
    seen = table.scoreboard().seq
    table.submit(None, "take_back", seen=seen, facts={"entry": 1})

    with pytest.raises(IllegalAction, match="stale"):
        table.submit(None, "take_back", seen=seen, facts={"entry": 1})
