"""The door of a table that runs in this process: asked from any thread, answered by the table's."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from kloplei.games.game import Seat
from kloplei.table.client import TableSilent, Unreadable
from kloplei.table.core import Table
from kloplei.table.door import DoorAnswer
from kloplei.table.doorway import Doorway

T = TypeVar("T")


class DoorKeeper:
    """A `kloplei.table.door.DoorClient` over *table*.

    Args:
        table: Owns the door.
        ask: Lets the table's thread do something, and returns what came of it.
        clock: The table's own.
    """

    def __init__(
        self,
        table: Table,
        ask: Callable[[Callable[[], Any]], Any],
        clock: Callable[[], float],
    ) -> None:
        self._table = table
        self._ask = ask
        self._clock = clock
        self._renew: Callable[[], None] | None = None

    def ask(self, seat: Seat | None, asker: str) -> DoorAnswer:
        """Ask to be let in at *seat*; see `kloplei.table.door.DoorClient.ask`."""
        return self._do(lambda door, now_s: door.ask(seat, asker, now_s))

    def look(self, ticket: str) -> DoorAnswer:
        """Return how the question with *ticket* stands."""
        return self._do(lambda door, now_s: door.questions.look(ticket, now_s))

    def withdraw(self, ticket: str) -> None:
        """Ask no longer."""
        self._do(lambda door, now_s: door.questions.withdraw(ticket, now_s))

    def refuse(self, number: int) -> None:
        """Turn the phone away that asks under *number*."""
        self._do(lambda door, now_s: door.questions.refuse(number, now_s))

    def fit_key(self, renew: Callable[[], None]) -> None:
        """Let *renew* make the new key when all phones are to be forgotten."""
        self._renew = renew

    def forget_phones(self) -> None:
        """Take a new key; see `kloplei.table.door.DoorClient.forget_phones`."""
        if self._renew is None:
            raise Unreadable("This table keeps no key that it could change.")
        try:
            self._renew()  # on the asker's thread: a slow disk holds up no knock
        except OSError as error:
            raise TableSilent(f"No new key could be written. {error}") from error

    def _do(self, at_the_door: Callable[[Doorway, float], T]) -> T:
        def in_its_turn() -> T:
            now_s = self._clock()
            self._table.tick(now_s)
            return at_the_door(self._table.door, now_s)

        return cast("T", self._ask(in_its_turn))
