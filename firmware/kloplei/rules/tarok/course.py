"""The run of events that follows from one action at a table of Tarok, and how lines are paid."""

from collections.abc import Mapping

from kloplei.rules import card_game
from kloplei.rules.game import Seat
from kloplei.rules.tarok.apply import apply
from kloplei.rules.tarok.events import Booked
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.state import Pots, State

_NOTHING = Pots()


class Course(card_game.Course[Options, State]):
    """Events told so far, and the table they lead to."""

    apply = staticmethod(apply)

    def pay(
        self,
        line: str,
        amounts: Mapping[Seat, int],
        *,
        into: Pots = _NOTHING,
        seat: Seat | None = None,
        count: int | None = None,
    ) -> None:
        """Book *line*: *amounts* by seat, and what goes *into* the pots (less than 0: out)."""
        by_seat = tuple(amounts.get(Seat(n), 0) for n in range(len(self.state.scores)))
        self.tell(Booked(line, by_seat, into.king, into.pagat, seat, count))

    def each(
        self,
        line: str,
        seat: Seat,
        value: int,
        *,
        into: Pots = _NOTHING,
        count: int | None = None,
    ) -> None:
        """Let *seat* get *value* from each opponent, or pay it, and put so much *into* the pots."""
        opponents = [one for one in self.state.active if one != seat]
        own = value * len(opponents) - into.total
        amounts = {seat: own, **dict.fromkeys(opponents, -value)}
        self.pay(line, amounts, into=into, seat=seat, count=count)
