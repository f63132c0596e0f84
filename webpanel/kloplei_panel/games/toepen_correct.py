"""Correcting a hand of toepen: choose it, tell all of it anew, see the difference first (§ 9)."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from flask import Blueprint, Response, request

from kloplei.frozen import dataclass
from kloplei.games.catalogue import game_kind
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand, Row, Scoreboard
from kloplei_panel.answers import Problem, fresh_page
from kloplei_panel.context import panel
from kloplei_panel.reader import Reader, reader, whole

if TYPE_CHECKING:
    from kloplei.games.toepen.options import Options

bp = Blueprint("correct", __name__, url_prefix="/correct")
STAYED = "in"
_GAME = "toepen"
_DIGITS = 3
# So many stakes stand there to choose from; few hands go further.
_USUAL_STAKE = 6


@dataclass(frozen=True, slots=True)
class HandPlayer:
    """What is told of one player of the hand, and what that makes of the lives lost."""

    row: Row
    is_winner: bool
    folded: int | None
    lost: int

    @property
    def moved(self) -> int:
        """By how much the tally goes up."""
        return self.lost - self.row.tally


@dataclass(frozen=True, slots=True)
class HandTold:
    """The *hand* as it is told now: for each player who was dealt in, and the *stake*."""

    hand: Hand
    stake: int
    players: tuple[HandPlayer, ...]
    rows: tuple[Row, ...]

    @property
    def stakes(self) -> range:
        """What it may have been played for."""
        return range(1, max(_USUAL_STAKE, self.stake + 1, (self.hand.stake or 1) + 1) + 1)

    @property
    def prices(self) -> range:
        """What folding may have cost."""
        folded = (one.folded or 0 for one in self.players)
        return range(max(self.stake, *folded, *self.hand.folded.values()) + 1)

    @property
    def is_new(self) -> bool:
        """Whether anything is told otherwise than it stands there."""
        told = {one.row.seat: one.folded for one in self.players if one.folded is not None}
        winner = next((one.row.seat for one in self.players if one.is_winner), None)
        before = (self.hand.winner, self.hand.stake, dict(self.hand.folded))
        return (winner, self.stake, told) != before

    @property
    def facts(self) -> dict[str, str]:
        """What the form asks the table for, as JSON."""
        told = {one.row.seat: one.folded for one in self.players if one.folded is not None}
        winner = next(one.row.seat for one in self.players if one.is_winner)
        asked = {
            "hand": self.hand.number,
            "winner": winner.shown,
            "stake": self.stake,
            "folded": [told.get(row.seat, -1) for row in self.rows],
        }
        return {name: json.dumps(value) for name, value in asked.items()}


def is_of_use(board: Scoreboard) -> bool:
    """Return whether there is anything to correct at *board*."""
    return bool(_to_correct(board))


@bp.get("")
def page() -> Response:
    """Show the hands to choose from, or one as far as it is told; the address carries all of it."""
    board = panel().table.scoreboard()
    if board.game != _GAME:
        raise Problem(404, "not_found")
    who = reader().at(board)
    hands = _to_correct(board)
    return fresh_page(
        "games/toepen_correct.html",
        board=board,
        reader=who,
        hands=[(one, titled(one, board, who)) for one in hands],
        told=_told(board, hands),
        stayed=STAYED,
        place=request.args.get("seat", ""),
    )


def _to_correct(board: Scoreboard) -> list[Hand]:
    """Return the hands that may be told anew now, the latest first."""
    if not any(offer.action == "amend" for offer in board.offers):
        return []
    # Of who has left the table nothing can be told any more.
    return [one for one in reversed(board.hands) if one.stayed or one.folded]


def titled(hand: Hand, board: Scoreboard, who: Reader) -> str:
    """Return which *hand* it is, by what people remember of it."""
    if hand.winner is None:
        return who.say("correct.hand_nobody", number=hand.number, stake=hand.stake)
    name = who.name_at(hand.winner, board.names)
    return who.say("correct.hand", number=hand.number, name=name, stake=hand.stake)


def _told(board: Scoreboard, hands: list[Hand]) -> HandTold | None:
    """Return the hand of the address as it is told there, None where none is chosen."""
    from kloplei.games.toepen.amend import MOST_STAKE, Telling, lives_after

    number = _number("hand", None)
    hand = next((one for one in hands if one.number == number), None)
    if hand is None:
        return None
    dealt_in = {*hand.stayed, *hand.folded}
    rows = tuple(row for row in board.rows if row.seat in dealt_in)
    asked = _number("winner", hand.winner.shown if hand.winner is not None else None)
    winner = next((row.seat for row in rows if row.seat.shown == asked), rows[0].seat)
    stake = min(MOST_STAKE, max(1, _number("stake", hand.stake) or 1))
    folded = dict(_folded(hand, rows, winner))
    telling = Telling(winner, stake, frozenset(dealt_in - set(folded)), folded)
    house = cast("Options", game_kind(_GAME).house_rules(board.preset, board.options))
    lost = lives_after(house, {row.seat: row.tally for row in board.rows}, hand, telling)
    players = tuple(
        HandPlayer(row, row.seat == winner, folded.get(row.seat), lost[row.seat]) for row in rows
    )
    return HandTold(hand, stake, players, board.rows)


def _folded(hand: Hand, rows: tuple[Row, ...], winner: Seat) -> Iterator[tuple[Seat, int]]:
    """Yield who folded, and at what; who won was in to the end, whatever else was told."""
    for row in rows:
        field = f"p.{row.seat.shown}"
        before = hand.folded.get(row.seat)
        price = before if field not in request.args else _price(field)
        if price is not None and row.seat != winner:
            yield row.seat, price


def _price(field: str) -> int | None:
    return None if request.args[field] == STAYED else _number(field, None)


def _number(field: str, otherwise: int | None) -> int | None:
    if field not in request.args:
        return otherwise
    number = whole(request.args[field], _DIGITS)
    if number is None:
        raise Problem(400, "unreadable", detail=field)
    return number
