"""The seam to the door: a phone asks to be let in, and a knock on the table lets it.

`TableClient.door` is a `DoorClient`, in memory and over the Unix socket alike. The table owns
the door, for only it hears knocks; nothing of it is written down.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Protocol

from kloplei.games.game import Seat
from kloplei.table.client import ShortText

ASK_S = 30.0  # so long a question stands on the slate
TAKE_S = 60.0  # so long a phone that was let in may take to hear of it; Wi-Fi comes and goes

_Ticket = Annotated[str, ShortText(64)]
_Asker = Annotated[str, ShortText(64)]


class DoorState(StrEnum):
    """What has become of a phone's question."""

    QUEUED = "queued"  # another phone asks just now; its own word comes later
    ASKING = "asking"  # its word stands on the slate
    GRANTED = "granted"  # somebody at the table knocked for it
    REFUSED = "refused"  # the keeper of the slate said no
    GONE = "gone"  # nobody knocked in time, or there never was such a question


@dataclass(frozen=True, slots=True)
class DoorAnswer:
    """How the question with *ticket* stands.

    *ticket* is a secret of the phone that asked: whoever shows it is let in when it is granted.
    *word* stands on the slate too, and is empty until it does. *seat* is the one it asked for,
    None the keeper's place. *left_s* runs down while it is asked.
    """

    state: DoorState
    ticket: str = field(default="", repr=False)
    word: str = ""
    seat: Seat | None = None
    left_s: float = 0.0


class DoorClient(Protocol):
    """The door of the table as phones see it; safe from any thread."""

    def ask(self, seat: Seat | None, asker: _Asker) -> DoorAnswer:
        """Ask to be let in at *seat*, or as the keeper of the slate (None).

        Args:
            seat: The place.
            asker: Address of the phone; one address asks one question at a time.

        Raises:
            IllegalAction: ``door_asked``: this address asks already; ``door_wait``: it asked
                in vain of late, and the fact ``wait_s`` says for how long it has to wait;
                ``door_busy``: too many wait before it; ``door_tuning``: the table is being tuned.
            Unreadable: No such seat.
            TableSilent: The table does not answer.
        """
        ...

    def look(self, ticket: _Ticket) -> DoorAnswer:
        """Return how the question with *ticket* stands; granted ones for `TAKE_S` more."""
        ...

    def withdraw(self, ticket: _Ticket) -> None:
        """Ask no longer; a ticket that nobody knows does no harm."""
        ...

    def forget_phones(self) -> None:
        """Take a new key, so that no phone is let in any more that was before.

        Raises:
            Unreadable: This table keeps no key.
            TableSilent: The new one could not be written.
        """
        ...

    def refuse(self, number: int) -> None:
        """Turn the phone away that `Scoreboard.door` shows under *number*.

        Raises:
            IllegalAction: ``door_gone``: it asks no longer.
        """
        ...
