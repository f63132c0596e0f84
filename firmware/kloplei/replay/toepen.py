"""Records of toepen: what they may expect, and the table in their own words.

The format is that of the worked examples in docs/rules/toepen.md (§ 12).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

from kloplei.games.game import Action, Event, Seat
from kloplei.games.toepen import PRESETS, Options, State, Toepen
from kloplei.games.toepen.actions import ACTIONS
from kloplei.replay.play import (
    At,
    Found,
    Players,
    RecordForm,
    Word,
    by_seat,
    listed,
    name,
    numbers,
    one_each,
    or_nothing,
    player,
    read_house,
    read_record,
)
from kloplei.replay.reader import Value
from kloplei.table.actions import ChooseOptions, SitDown, StandUp, Swap, house_rules
from kloplei.table.seating import Seating, TableSetup, TableState

_SEATING = Seating(TableSetup(language="en"))
_OF_THE_TABLE: dict[str, type[Action]] = {
    one.name: one for one in (SitDown, StandUp, Swap, ChooseOptions)
}
"""What people ask of the table rather than of the game, between two hands (§ 7)."""


class AtTable(At[Toepen, State]):
    """A table of toepen, at which people come and go and house rules change."""

    def does(self, action: Action) -> tuple["AtTable", tuple[Event, ...]]:
        """Return the table after *action*, and what happened.

        Raises:
            IllegalAction: The rules refuse it.
        """
        if action.name not in _OF_THE_TABLE:
            return super().does(action)  # type: ignore[return-value]  # `replace` keeps the class
        house = self.game.options.as_facts()
        if isinstance(action, ChooseOptions) and action.preset is None:
            action = replace(action, options={**house, **action.options})
        names = {seat: name for name, seat in self.players.items() if seat in self.state.seats}
        after = TableState("toepen", "seed", house_rules(house), names, self.state)
        events = _SEATING.decide(after, action)
        for event in events:
            after = _SEATING.apply(after, event)
        game = cast("Toepen", _SEATING.game(after))
        return AtTable(game, after.play, self.players), events

    @property
    def lives(self) -> list[int]:
        """Lives lost by each player of the record, 0 for who does not sit there now."""
        lost = self.of_each(self.state.lives_lost.__getitem__)
        return [lost.get(name, 0) for name in self.players]

    def of_each(self, of: Callable[[Seat], int]) -> dict[str, int]:
        """Return the number *of* each player who sits there, but for those who have 0."""
        return self.numbers(lambda seat: of(seat) if seat in self.state.seats else 0)


def _setup(found: Found, players: Players) -> AtTable:
    game = Toepen(read_house(found, PRESETS, Options()))
    dealer = player(found["dealer"], "dealer")
    start = partial(game.start, tuple(players.values()), dealer)
    found["players"].makes(start)
    lost, won = (
        by_seat(found[key], key) if key in found else {} for key in ("start", "rubbers_won")
    )
    at_fault = found.get("start", found["players"])
    return AtTable(game, at_fault.makes(start, lives_lost=lost, rubbers_won=won), players)


_names = listed("a player", name)
_STEP: dict[str, Word[Toepen, State]] = {
    "lives": Word(one_each, lambda at: cast("AtTable", at).lives),
    "stake": Word(Value.whole, lambda at: at.state.hand.stake),
    "phase": Word(Value.text, lambda at: str(at.state.phase)),
    "leader": Word(or_nothing(name), lambda at: at.name(at.state.leader)),
    "next_to_answer": Word(
        or_nothing(name), lambda at: at.name(next(iter(at.state.hand.to_answer), None))
    ),
    # Not in the order of the record: clockwise from the dealer's left.
    "armoede": Word(_names, lambda at: [at.name(seat) for seat in at.state.hand.armoede]),
}
_FORM = RecordForm(
    game="toepen",
    setup=_setup,
    keys=("rubbers_won",),
    actions={**ACTIONS, **_OF_THE_TABLE},
    # `lives` is what the record expects of all, so a line by hand is `{ev: chalk, p: A, n: 3}`.
    renamed={
        "chalk": {"lives": "n"},
        "amend": {"stake": "for"},
        "won_before": {"rubbers": "n"},
        "payout": {"chips": "n"},
    },
    words=_STEP,
    final={
        "state": _STEP["phase"],
        **_STEP,
        "dealer": Word(name, lambda at: at.name(at.state.dealer)),
        "owes_drink": Word(_names, lambda at: at.names(at.state.owes_drink)),
        "eliminated": Word(_names, lambda at: at.names(at.state.out)),
        "rubber_winners": Word(_names, lambda at: at.names(at.state.rubber_winners)),
        "rubbers_won": Word(numbers, lambda at: cast("AtTable", at).of_each(at.state.rubbers_won)),
        "drinks": Word(
            numbers, lambda at: cast("AtTable", at).of_each(at.state.drinks.__getitem__)
        ),
        "toepkoning": Word(_names, lambda at: at.names(at.state.toepkoning)),
        "lijntoeper": Word(_names, lambda at: at.names(at.state.lijntoeper)),
        "pot": Word(Value.whole, lambda at: at.state.pot),
        "points": Word(numbers, lambda at: cast("AtTable", at).of_each(at.state.points)),
    },
)
read = partial(read_record, form=_FORM)
"""Return the record of toepen written in a `Value`, or refuse it as `NotARecord`."""
