"""Records of eenendertigen: what they may expect, and the table in their own words.

The format is that of the worked examples in docs/rules/eenendertigen.md (§ 8).
"""

from functools import partial
from typing import cast

from kloplei.games.eenendertigen import PRESETS, Eenendertigen, Options, State
from kloplei.games.eenendertigen.actions import ACTIONS
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

AtTable = PeopleComeAndGo[Eenendertigen, State]


def _setup(found: Found, players: Players) -> AtTable:
    game = Eenendertigen(read_house(found, PRESETS, Options()))
    dealer = player(found["dealer"], "dealer")
    lost = by_seat(found["start"], "start") if "start" in found else {}
    at_fault = found.get("start", found["players"])
    start = partial(game.start, tuple(players.values()), dealer)
    found["players"].makes(start)
    return PeopleComeAndGo(game, at_fault.makes(start, lives_lost=lost), players)


_names = listed("a player", name)
_STEP: dict[str, Word[Eenendertigen, State]] = {
    "lives": Word(one_each, lambda at: cast("AtTable", at).lives),
    "phase": Word(Value.text, lambda at: str(at.state.phase)),
    "knocker": Word(or_nothing(name), lambda at: at.name(at.state.knocker)),
    "out": Word(_names, lambda at: at.names(at.state.out)),
}
_FORM = RecordForm(
    game="eenendertigen",
    setup=_setup,
    actions={**ACTIONS, **OF_THE_TABLE},
    # `lives` is what the record expects of all, so a line by hand is `{ev: chalk, p: A, n: 2}`.
    renamed={"chalk": {"lives": "n"}},
    words=_STEP,
    final={
        "state": _STEP["phase"],
        **_STEP,
        "dealer": Word(name, lambda at: at.name(at.state.dealer)),
        "owes_drink": Word(_names, lambda at: at.names(at.state.owes_drink)),
        "rubbers_won": Word(
            numbers, lambda at: cast("AtTable", at).of_each(at.state.winners.count)
        ),
        "drinks": Word(
            numbers, lambda at: cast("AtTable", at).of_each(at.state.drinks.__getitem__)
        ),
    },
)
read = partial(read_record, form=_FORM)
"""Return the record of eenendertigen written in a `Value`, or refuse it as `NotARecord`."""
