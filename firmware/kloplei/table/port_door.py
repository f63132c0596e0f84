"""What the table's socket answers at the door; `kloplei.table.port` tells how it is asked.

Each call is one of `kloplei.table.door.DoorClient`::

    {"call": "door.ask", "seat": 3, "asker": "192.168.1.20"}    {"answer": {...}}; seat may be null
    {"call": "door.look", "ticket": "..."}                      {"answer": {...}}
    {"call": "door.withdraw", "ticket": "..."}                  {}
    {"call": "door.refuse", "number": 7}                        {}
    {"call": "door.forget_phones"}                              {}
"""

from kloplei.rules.game import Seat
from kloplei.table.door import LONGEST_ASKER, LONGEST_TICKET, DoorClient
from kloplei.table.talk import Garbled, Json
from kloplei.table.wire import to_socket


def ask_door(door: DoorClient, request: Json) -> Json:
    """Return the answer of *door* to *request*.

    Raises:
        Garbled: No such call, or other words with it than there should be.
    """
    match request:
        case {"call": "door.ask", "seat": int() | None as seat, "asker": str(asker)} if (
            seat is not True and seat is not False and len(asker) <= LONGEST_ASKER
        ):
            answer = door.ask(None if seat is None else Seat(seat - 1), asker)
            return {"answer": to_socket(answer)}
        case {"call": "door.look", "ticket": str(ticket)} if len(ticket) <= LONGEST_TICKET:
            return {"answer": to_socket(door.look(ticket))}
        case {"call": "door.withdraw", "ticket": str(ticket)} if len(ticket) <= LONGEST_TICKET:
            door.withdraw(ticket)
            return {}
        case {"call": "door.refuse", "number": int(number)} if number is not True:
            door.refuse(number)
            return {}
        case {"call": "door.forget_phones"}:
            door.forget_phones()
            return {}
    raise Garbled("no such call")
