"""Scoreboards with as much on them as there can be, and a table that shows what it is told to."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Doubt, Grace, Hand, Line, Payment, Row, Scoreboard
from kloplei.table.session import Session

NAMES = ("Wilhelmina", "Tame", "Thomas", "Stan", "Jan-Willem", "Maximilian", "Ko", "Annemarie")
LIVES = 10
STANDINGS = ("in_hand", "folded", "out")
TITLES = (
    *("armoede", "owes_drink", "rubber_winner", "toepkoning", "lijntoeper"),
    *("last_knocker", "open_exchange"),
)
ROLES = ("answer", "dealer", "leader")
"""What the board tells of a seat, and no flag of its row."""
OF_WATTEN = ("raised", "soloist", "gestrichen", "rubber_winner")
LONGER_THAN_ANY_MOMENT_S = 1e9


class PosedTable(Session):
    """A table that shows *posed* instead of what stands on it."""

    posed = Scoreboard("toepen", "seating")

    def scoreboard(self) -> Scoreboard:
        return self.posed


def toepen(
    rows: Sequence[frozenset[str]], lives: int = LIVES - 1, limit: int = LIVES
) -> Scoreboard:
    """Return a board of toepen: a player each with what is so about them, all with *lives* lost."""
    seats = _seats(len(rows))
    poured = tuple(seat for seat in seats if "owes_drink" in rows[seat])
    asked = tuple(seat for seat in seats if "answer" in rows[seat])
    return Scoreboard(
        game="toepen",
        phase="answering",
        rows=tuple(
            Row(seat, lives, limit, NAMES[seat], _in_order(rows[seat], (*STANDINGS, *TITLES)))
            for seat in seats
        ),
        seats=len(rows),
        stake=3,
        dealer=next((seat for seat in seats if "dealer" in rows[seat]), None),
        leader=next((seat for seat in seats if "leader" in rows[seat]), None),
        to_answer=asked,
        prompt=Line("prompt.drinks", {"seats": poured})
        if poured
        else Line("prompt.stay-or-fold", {"seat": Seat(0), "seats": asked, "stake": 3, "fold": 2}),
        news=Line("news.rubber-over", {"seats": seats[:1]}),
    )


def every_combination(players: int) -> Iterator[Scoreboard]:
    """Yield boards of *players* on which each combination at toepen stands once."""
    beside = (*TITLES, ROLES[0])
    chosen = [some for count in range(len(beside) + 1) for some in combinations(beside, count)]
    found = [frozenset((*some, STANDINGS[at % 3])) for at, some in enumerate(chosen)]
    found[::players] = [one.union(ROLES[1:]) for one in found[::players]]
    for begin in range(0, len(found), players):
        yield toepen((found[begin : begin + players] + found)[:players])


def at_once(players: int) -> Scoreboard:
    """Return a board on which all is so about everybody."""
    return toepen([frozenset((*STANDINGS[2:], *TITLES, *ROLES))] * players)


def treats(players: int) -> Scoreboard:
    """Return a board where the rubber is over, and a toepkoning who is lijntoeper treats."""
    most = frozenset(("out", "owes_drink", "toepkoning", "lijntoeper"))
    return toepen([most, frozenset(("in_hand", "rubber_winner")), *[most] * (players - 2)])


def eenendertigen(players: int) -> Scoreboard:
    """Return a board on which all swim, have knocked and owe a drink."""
    flags = ("in_hand", "out", "swims", "owes_drink", "rubber_winner", "last_knocker")
    return replace(
        toepen([frozenset()] * players),
        game="eenendertigen",
        phase="last_turn",
        rows=tuple(Row(seat, 3, 3, NAMES[seat], flags) for seat in _seats(players)),
        stake=None,
        prompt=Line("prompt.last-turn", {"seat": Seat(0)}),
    )


def evening(players: int) -> Scoreboard:
    """Return a board in the middle of an evening of toepen: honours, and hands behind it."""
    board = toepen([frozenset()] * players)
    counts = {"rubbers_won": 2, "drinks": 12, "toepkoning": 1, "points": 10}
    return replace(
        board,
        rows=tuple(replace(row, counts=counts) for row in board.rows),
        hands=tuple(
            Hand(1 + seat, seat, "folds", {row.seat: 10 for row in board.rows if row.seat != seat})
            for seat in _seats(players)
        ),
    )


def watten(players: int) -> Scoreboard:
    """Return a board of two sides with all that there is at Watten; of three, one is alone."""
    seats = _seats(players)
    sides = (seats[::2], seats[1::2])
    return Scoreboard(
        game="watten",
        phase="answering",
        rows=tuple(Row(seat, 13, 15, NAMES[seat], OF_WATTEN, tricks=2) for seat in seats),
        seats=players,
        stake=3,
        proposed=4,
        announced={"schlag": "A", "trump": "H"},
        dealer=seats[-1],
        leader=seats[0],
        to_answer=sides[0],
        sides=sides,
        accounts=sides,
        tricks_to_win=3,
        prompt=Line(
            "prompt.hold-or-give-up", {"seat": Seat(1), "seats": sides[0], "stake": 4, "fold": 3}
        ),
        news=Line("news.raised", {"seat": Seat(1), "stake": 4}),
    )


def tarok(players: int) -> Scoreboard:
    """Return a board of tarok at the end of an evening: pots, swings, and who pays whom."""
    seats = _seats(players)
    return Scoreboard(
        game="tarok",
        phase="settled",
        rows=tuple(
            Row(seat, -1280, None, NAMES[seat], ("sits_out", "rubber_winner"), swing=-340)
            for seat in seats
        ),
        seats=players,
        dealer=seats[0],
        leader=seats[0],
        prompt=Line("prompt.deal", {"seat": Seat(0)}),
        news=Line("news.rubber-over", {"seats": seats}),
        pots={"king": 640, "pagat": 1285},
        payments=tuple(
            Payment(seat, Seat(0), 1280, (100, 50, 50, 20, 20, 5, 5, 1)) for seat in seats[1:]
        ),
    )


def all_said(players: int) -> Scoreboard:
    """Return a board that has more to say than anybody could read."""
    board = at_once(players)
    return replace(
        board,
        told=(Line("news.rubber-over", {"seats": _seats(players)}),) * 2,
        doubt=Doubt(Seat(0), 2, 1, LONGER_THAN_ANY_MOMENT_S, 5.0, 1, "knock"),
        grace=Grace(Seat(1), "trick", LONGER_THAN_ANY_MOMENT_S, 3.0),
        refused=Line("news.exchanged", {"seat": Seat(0)}),
        notices=(Line("news.exchanged", {"seat": Seat(0)}),) * 2,
    )


def _seats(players: int) -> tuple[Seat, ...]:
    return tuple(Seat(number) for number in range(players))


def _in_order(flags: frozenset[str], order: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in order if one in flags)
