"""Counting help for Tarok: what is quickly seen of a pile, and what it counts at once (§ 6)."""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Offer, Scoreboard
from kloplei_panel.answers import Problem, fresh_page
from kloplei_panel.context import panel
from kloplei_panel.reader import reader, whole

if TYPE_CHECKING:
    from kloplei.games.tarok.cards import Pile

bp = Blueprint("count", __name__, url_prefix="/count")

STEPS = (-3, -1, 1, 3)
"""By how many cards the size is moved; cards are taken, and counted, in threes."""
_GAME = "tarok"
# Nearly every pile; the others are some steps away.
_USUAL = range(15, 40, 3)
# The third of the pack that is made of threes.
_FIRST = 27
_DIGITS = 2


@dataclass(frozen=True, slots=True)
class Counted:
    """A pile as it was told: how many *good* cards by their worth, and its *size*.

    *pile* is None where no pile can be like this.
    """

    good: Mapping[str, int]
    size: int
    pile: "Pile | None"

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes to pick from: the usual ones, and the one that it has."""
        return tuple(sorted({*_USUAL, self.size}))

    @property
    def worth(self) -> tuple[str, ...]:
        """What is added up, as one would say it aloud; empty where nothing can be."""
        if self.pile is None:
            return ()
        good = (f"{number} × {_cards().MORE[what]}" for what, number in self.good.items() if number)
        threes = str(self.pile.threes) if self.pile.is_uneven else f"{self.size} ÷ 3"
        return (*good, threes)


@bp.get("")
def page() -> Response:
    """Show a pile as far as it is told; the address carries all of it, the box keeps nothing."""
    board = reader().reads(panel().table.scoreboard())
    if board.game != _GAME:
        raise Problem(404, "not_found")
    counted = _told()
    return fresh_page(
        "games/tarok_count.html",
        reader=reader().at(board),
        board=board,
        counted=counted,
        most=_cards().MOST,
        more=_cards().MORE,
        steps=STEPS,
        takers=tuple(_takers(board, counted.pile)),
        place=request.args.get("seat", ""),
    )


def _cards() -> ModuleType:
    """Return the cards of Tarok, which a panel without it never loads."""
    from kloplei.games.tarok import cards

    return cards


def _told() -> Counted:
    cards = _cards()
    good = {what: _number(what, 0) for what in cards.MORE}
    size = _number("size", _FIRST) + _step()
    size = max(0, min(size, cards.MOST["size"]))
    try:
        return Counted(good, size, cards.Pile(size, **good))
    except cards.BadPile:
        return Counted(good, size, None)


def _number(what: str, otherwise: int) -> int:
    number = whole(request.args.get(what, str(otherwise)), _DIGITS)
    if number is None or number > _cards().MOST[what]:
        raise Problem(400, "unreadable", detail=what)
    return number


def _step() -> int:
    asked = request.args.get("step", "0")
    steps = {str(step): step for step in (0, *STEPS)}
    if asked not in steps:
        raise Problem(400, "unreadable", detail="step")
    return steps[asked]


def _takers(board: Scoreboard, pile: "Pile | None") -> Iterator[tuple[Seat, str]]:
    """Yield who may be told to count so much now, and by what name."""
    if pile is not None:
        for row in board.rows:
            if any(_takes(offer, pile.points) for offer in row.offers):
                yield row.seat, reader().name_at(row.seat, board.names)


def _takes(offer: Offer, points: int) -> bool:
    # Where not all values are listed, the table judges the number when it is told.
    return offer.action == "points" and points in offer.choices.get("points", (points,))
