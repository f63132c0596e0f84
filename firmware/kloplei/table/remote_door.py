"""The door seen through the table's Unix socket: the same `DoorClient`, in another process."""

from kloplei.rules.game import Seat
from kloplei.table.door import DoorAnswer
from kloplei.table.remote_part import RemotePart
from kloplei.table.wire import from_socket


class RemoteDoor(RemotePart):
    """The door of the table that `kloplei.table.remote.RemoteTable` reaches."""

    def ask(self, seat: Seat | None, asker: str) -> DoorAnswer:
        """Ask to be let in at *seat*; see `kloplei.table.door.DoorClient.ask`."""
        return self._answered("door.ask", seat=None if seat is None else seat.shown, asker=asker)

    def look(self, ticket: str) -> DoorAnswer:
        """Return how the question with *ticket* stands."""
        return self._answered("door.look", ticket=ticket)

    def withdraw(self, ticket: str) -> None:
        """Ask no longer."""
        self._ask("door.withdraw", ticket=ticket)

    def refuse(self, number: int) -> None:
        """Turn the phone away that asks under *number*."""
        self._ask("door.refuse", number=number)

    def forget_phones(self) -> None:
        """Let the table take a new key; see `kloplei.table.door.DoorClient.forget_phones`."""
        self._ask("door.forget_phones")

    def _answered(self, call: str, **words: object) -> DoorAnswer:
        with self._understood():
            return from_socket(DoorAnswer, self._ask(call, **words)["answer"])
