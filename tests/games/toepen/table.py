"""A toepen table for tests: seats are letters, actions are words ("challenge C of B dirty")."""

import string

from kloplei.games.game import Action, Event, IllegalAction, Seat
from kloplei.games.scoreboard import Row, Scoreboard
from kloplei.games.toepen import Options, State, Toepen, actions

STAY_ALL = ("stay B", "stay C")  # what a knock of A's asks for


def seat_of(letter: str) -> Seat:
    return Seat(string.ascii_uppercase.index(letter))


def action_of(words: str) -> Action:
    """Return the action that *words* ask for."""
    name, *rest = words.split()
    kind = actions.ACTIONS[name]
    match name, rest:
        case _, []:
            return kind()
        case "challenge", [seat, "of", other, found]:
            return kind(seat_of(seat), seat_of(other), found)  # type: ignore[call-arg]
        case "trick", [number, seat]:
            return kind(seat_of(seat), int(number))  # type: ignore[call-arg]
        case "correct", [number, seat]:
            return kind(int(number), seat_of(seat))  # type: ignore[call-arg]
        case "amend", [number, seat, stake, *folded]:
            prices = (-1 if one == "-" else int(one) for one in folded)
            return kind(int(number), seat_of(seat), int(stake), tuple(prices))  # type: ignore[call-arg]
        case "chalk", [seat, lives]:
            return kind(seat_of(seat), int(lives))  # type: ignore[call-arg]
        case _, [seat, *more]:
            return kind(seat_of(seat), *more)  # type: ignore[call-arg]
    raise AssertionError(words)


class Table:
    """A game under way.

    Args:
        players: One letter a seat, clockwise.
        dealer: Who deals first; without one the last seat, so that A leads.
        lives: Lives lost at the start, in the order of *players*.
        options: House rules as a record spells them.
    """

    def __init__(
        self,
        players: str = "ABC",
        dealer: str | None = None,
        lives: tuple[int, ...] = (),
        **options: object,
    ) -> None:
        self.game = Toepen(Options.from_mapping(options))
        self.players = players
        seats = tuple(seat_of(letter) for letter in players)
        self.state: State = self.game.start(
            seats,
            seat_of(dealer) if dealer else seats[-1],
            lives_lost=dict(zip(seats, lives, strict=False)),
        )
        self.told: list[Event] = []

    def do(self, *words: str) -> "Table":
        """Do every action in *words*, which must all be accepted."""
        for one in words:
            for event in self.game.decide(self.state, action_of(one)):
                self.state = self.game.apply(self.state, event)
                self.told.append(event)
        return self

    def refused(self, words: str) -> str | None:
        """Return why the action is refused, or None if it is accepted; nothing is done."""
        try:
            self.game.decide(self.state, action_of(words))
        except IllegalAction as refusal:
            return refusal.reason
        return None

    @property
    def lives(self) -> list[int]:
        return [self.state.lives_lost[seat_of(letter)] for letter in self.players]

    @property
    def phase(self) -> str:
        return str(self.state.phase)

    @property
    def leader(self) -> str | None:
        return None if self.state.leader is None else self.letters((self.state.leader,))

    @property
    def dealer(self) -> str:
        return self.letters((self.state.dealer,))

    @property
    def asked(self) -> str:
        return self.letters(self.state.hand.to_answer)

    def letters(self, seats: "tuple[Seat, ...] | frozenset[Seat]") -> str:
        return "".join(string.ascii_uppercase[seat] for seat in seats)

    @property
    def board(self) -> Scoreboard:
        return self.game.scoreboard(self.state)

    def row(self, letter: str) -> Row:
        found = self.board.row(seat_of(letter))
        assert found is not None
        return found
