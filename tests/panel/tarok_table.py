"""A table of Tarok for the panel's tests: three players seated, and a hand that is running."""

from collections.abc import Iterator
from contextlib import contextmanager

from kloplei.games.game import Seat
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from tests.panel.conftest import NAMES
from tests.table.memory_journal import MemoryJournal


@contextmanager
def tarok_at(preset: str = "dansk", players: int = 3, **options: object) -> Iterator[Session]:
    """Open a table at which *players* begin Tarok by *preset*; the first of them deals."""
    with Session(
        MemoryJournal(), TableSetup(game="tarok", preset=preset, options=options)
    ) as session:
        for seat in range(players):
            session.submit(Seat(seat), "sit_down", facts={"name": NAMES[seat]})
        session.submit(Seat(0), "start")
        yield session
