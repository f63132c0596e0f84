"""Records of toepen: what they may expect, and the table in their own words.

The format is that of the worked examples in docs/rules/toepen.md (§ 12).
"""

from functools import partial
from typing import cast

from kloplei.games.toepen import PRESETS, Options, State, Toepen
from kloplei.games.toepen.actions import ACTIONS
from kloplei.replay.play import (
    OF_THE_TABLE,
    Found,
    PeopleComeAndGo,
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

AtTable = PeopleComeAndGo[Toepen, State]


def _setup(found: Found, players: Players) -> AtTable:
    game = Toepen(read_house(found, PRESETS, Options()))
    dealer = player(found["dealer"], "dealer")
    start = partial(game.start, tuple(players.values()), dealer)
    found["players"].makes(start)
    lost, won = (
        by_seat(found[key], key) if key in found else {} for key in ("start", "rubbers_won")
    )
    at_fault = found.get("start", found["players"])
    return PeopleComeAndGo(game, at_fault.makes(start, lives_lost=lost, rubbers_won=won), players)


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
    actions={**ACTIONS, **OF_THE_TABLE},
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
