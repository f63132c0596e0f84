"""A table of Tarok as tests sit at it: what is asked, what is refused, where it stands."""

import pytest

from kloplei.games.game import Action, Event, IllegalAction, Seat
from kloplei.games.tarok import Options, State, Tarok, actions

ANN, BOB, COR, DIRK = (Seat(n) for n in range(4))
THREE, FOUR = (ANN, BOB, COR), (ANN, BOB, COR, DIRK)


def table(rule_set: str = "c", seats: tuple[Seat, ...] = THREE, **others: object) -> "Table":
    """Return a table before its first hand, which the first of *seats* deals."""
    game = Tarok(Options.from_mapping({"rule_set": rule_set, **others}))
    return Table(game, game.start(seats, seats[0]))


class Table:
    """A game and where it stands."""

    def __init__(self, game: Tarok, state: State) -> None:
        self.game = game
        self.state = state

    def ask(self, *asked: Action) -> tuple[Event, ...]:
        """Do all that is *asked* and return what came of the last."""
        events: tuple[Event, ...] = ()
        for action in asked:
            events = self.game.decide(self.state, action)
            for event in events:
                self.state = self.game.apply(self.state, event)
        return events

    def refused(self, action: Action) -> str:
        """Return why *action* is refused; it is not offered either."""
        with pytest.raises(IllegalAction) as refusal:
            self.game.decide(self.state, action)
        assert action not in self.game.legal_actions(self.state)
        return refusal.value.reason

    def codes(self, action: Action) -> tuple[str, ...]:
        """Return every reason *action* is refused for."""
        with pytest.raises(IllegalAction) as refusal:
            self.game.decide(self.state, action)
        codes = refusal.value.facts["codes"]
        assert isinstance(codes, tuple)
        return codes

    @property
    def prompt(self) -> str:
        """What the table waits for."""
        line = self.game.scoreboard(self.state).prompt
        assert line is not None
        return line.key

    def plain_hand(self) -> None:
        """Let the first one in play take the last trick, and the pagat come home."""
        first, second, dealer = self.state.active
        self.ask(
            actions.TellFate(second, "pagat_home"),
            actions.LastTrick(first),
            actions.Points(first, 26),
            actions.Points(dealer, 26),
            actions.Book(),
        )
