"""One thing to try next on the virtual table, chosen from the scoreboard's phase."""

from dataclasses import dataclass

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei_panel.reader import Reader


@dataclass(frozen=True, slots=True)
class Hint:
    """A sentence, and the *seat* (as shown) whose pad it speaks of."""

    text: str
    seat: int | None


def hint(board: Scoreboard, reader: Reader) -> Hint:
    """Return what somebody who has never seen Kloplei should try now."""
    if board.doubt:
        return Hint(reader.say("hint.doubt"), None)
    if board.grace:
        return Hint(reader.say("hint.grace"), None)
    seat = _whose(board)
    name = board.names.get(seat, "") if seat is not None else ""
    for key in _keys(board):
        text = reader.say(key, name=name)
        if text != key:
            break
    return Hint(text, None if seat is None else seat.shown)


def _keys(board: Scoreboard) -> tuple[str, ...]:
    """Return the sentences to look for, the most fitting first."""
    waits_for = board.prompt.key.removeprefix("prompt.") if board.prompt else ""
    return f"hint.{waits_for}", f"hint.{board.phase}", "hint.other"


def _whose(board: Scoreboard) -> Seat | None:
    """Return the seat that the table waits for, or else the one whose knock says most."""
    if board.to_answer:
        return board.to_answer[0]
    if debtors := [row.seat for row in board.rows if "owes_drink" in row.flags]:
        return debtors[0]
    if not board.deal_runs:
        return board.dealer
    knockers = [row.seat for row in board.rows if any(o.action == "knock" for o in row.offers)]
    return knockers[0] if knockers else _prompted(board)


def _prompted(board: Scoreboard) -> Seat | None:
    """Return the first seat that the prompt speaks of."""
    facts = board.prompt.facts if board.prompt else {}
    named = (facts.get("seat"), *_seats(facts.get("seats")))
    return next((one for one in named if isinstance(one, Seat)), None)


def _seats(fact: object) -> tuple[object, ...]:
    return fact if isinstance(fact, tuple) else ()
