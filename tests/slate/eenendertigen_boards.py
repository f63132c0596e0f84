"""Tables of eenendertigen worth a picture; the game itself makes them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kloplei.games.card_game import Deal
from kloplei.games.eenendertigen import Eenendertigen, actions
from kloplei.games.game import Action, Seat
from kloplei.games.scoreboard import Line, Scoreboard
from tests.slate.scene import NAMES, Scene

A, B, C, D = (Seat(n) for n in range(4))


def table(
    *wanted: Action, preset: str = "nl", lost: Sequence[int] = (), **options: str
) -> Scoreboard:
    """Return the board of four after all that is *wanted* was done; the last of them deals."""
    game = Eenendertigen.of_house(preset, options)
    seats = (A, B, C, D)
    state = game.start(seats, D, lives_lost=dict(zip(seats, lost, strict=False)))
    for action in wanted:
        for event in game.decide(state, action):
            state = game.apply(state, event)
    board = game.scoreboard(state)
    rows = tuple(replace(row, name=name) for row, name in zip(board.rows, NAMES, strict=False))
    return replace(board, seq=41, seats=8, rows=rows)


_PLAY = table(Deal(), lost=(1, 0, 2, 1))
_KNOCKED = table(Deal(), actions.Knock(B), lost=(1, 0, 2, 1))
_THIRTY_ONE = table(Deal(), actions.Lay(C, "thirty_one"), lost=(1, 0, 2, 1))
_SWIMMING = table(Deal(), actions.Lay(A, "thirty_one"), preset="de", lost=(1, 3, 2, 3))
_OVER = table(Deal(), actions.Lay(C, "three_aces"), lost=(2, 2, 2, 2))
_NOBODY_PAYS = table(Deal(), actions.Lay(C, "three_aces"), lost=(2, 2, 2, 2), payer="nobody")

SCENES: Mapping[str, Scene] = {
    "31-play": Scene(_PLAY, after_s=5.0),
    "31-knock": Scene(_KNOCKED, after_s=0.5),
    "31-last-turn": Scene(_KNOCKED, after_s=5.0),
    "31-shout": Scene(_THIRTY_ONE, after_s=0.5),
    "31-question": Scene(
        replace(_PLAY, asking=Line("ask.laid-open", {"seat": A})), after_s=0.5, language="nl"
    ),
    "31-swimming": Scene(_SWIMMING, after_s=5.0, language="de"),
    "31-over": Scene(_OVER, after_s=9.0),
    "31-result": Scene(_NOBODY_PAYS, after_s=9.0),
}
