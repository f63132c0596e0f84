"""What a player who wants to get through a rubber would do next, read off the scoreboard."""

from dataclasses import dataclass

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard


@dataclass(frozen=True)
class Move:
    """An action for *seat* (1-based), as knocks and as a word."""

    seat: int
    knocks: int
    action: str


def next_move(board: Scoreboard, *, winner: int, toep_to: int) -> Move:
    """Return the move that brings the rubber nearer its end; seat *winner* takes every hand.

    Players toep until the stake is *toep_to*, and everybody stays in: lives are lost fast.
    """
    for seat in board.to_answer:
        return Move(seat.shown, 1, "stay")
    match board.phase:
        case "between_hands":
            assert board.dealer is not None
            return Move(board.dealer.shown, 2, "deal")
        case "rubber_over":
            return Move(_who(board, "drink").shown, 2, "drink")
        case _ if (board.stake or 0) < toep_to and (knockers := _all(board, "knock")):
            return Move(knockers[0].shown, 1, "knock")
        case _:
            return Move(winner, 2, "trick")


def is_wiped(board: Scoreboard) -> bool:
    """Return whether a rubber has been won and the slate is clean again."""
    won = any(row.counts.get("rubbers_won") for row in board.rows)
    return won and board.phase == "between_hands" and not any(row.tally for row in board.rows)


def _all(board: Scoreboard, action: str) -> list[Seat]:
    return [row.seat for row in board.rows if any(one.action == action for one in row.offers)]


def _who(board: Scoreboard, action: str) -> Seat:
    return _all(board, action)[0]
