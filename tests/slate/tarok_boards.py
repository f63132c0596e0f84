"""Tables of Tarok worth a picture; the game itself makes them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kloplei.games.card_game import Deal
from kloplei.games.game import Action, Seat
from kloplei.games.scoreboard import Grace, Heard, Line, Scoreboard
from kloplei.games.tarok import State, Tarok, actions
from kloplei.games.tarok.state import Pots
from tests.slate.scene import Scene

A, B, C, D = (Seat(n) for n in range(4))
_NAMES = ("Anna", "Bo", "Carl", "Ditte")
_LONG = ("Willemijn", "Maximilian", "Anna-Lena", "Bartholomäus")


def table(
    *wanted: Action,
    preset: str = "dansk",
    seats: int = 4,
    scores: Sequence[int] = (),
    pots: tuple[int, int] | None = None,
    names: Sequence[str] = _NAMES,
    **options: object,
) -> Scoreboard:
    """Return the board after all that is *wanted* was done; the first of *seats* deals.

    With *scores* or *pots*, of king and pagat, the evening has begun some time ago.
    """
    game = Tarok.of_house(preset, options)
    state: State = game.start(tuple(Seat(n) for n in range(seats)), A)
    if scores or pots:
        won = tuple(scores) or state.scores
        state = replace(state, opened=True, scores=won, pots=Pots(*(pots or (0, 0))))
    for action in wanted:
        for event in game.decide(state, action):
            state = game.apply(state, event)
    board = game.scoreboard(state)
    rows = tuple(replace(row, name=name) for row, name in zip(board.rows, names, strict=False))
    return replace(board, seq=41, seats=8, rows=rows)


def passes(*seats: Seat) -> tuple[Action, ...]:
    """Return that each of *seats* has nothing to declare."""
    return tuple(actions.Pass(seat) for seat in seats)


def hand(winner: Seat, points: Mapping[Seat, int], *told: Action) -> tuple[Action, ...]:
    """Return a hand from its deal to its booking: *told* of it, who took the last, the count."""
    counted = tuple(actions.Points(seat, many) for seat, many in points.items())
    return (Deal(), *told, actions.LastTrick(winner), *counted, actions.Book())


_PAGAT = actions.TellFate(B, "pagat_home")
_FIRST = hand(B, {A: 18, B: 33}, actions.Declare(B, "taroks", 10, pagat=True), _PAGAT)
_LATER = hand(B, {A: 30, B: 20}, _PAGAT)
_ALL_PASS = passes(D, C, A)  # of the second hand: it goes to the right, and Bo sits out
_EVENING: Mapping[str, object] = {"scores": (-120, 215, -285, 190), "pots": (85, 110)}
_RICH: Mapping[str, object] = {"scores": (-1285, 2340, -610, -1450), "pots": (1285, 640)}
_THREE: Mapping[str, object] = {"seats": 3, "scores": (-45, 130, -170), "pots": (85, 0)}
_NO_POTS: Mapping[str, object] = {
    "preset": "grosstarock",
    "seats": 3,
    "scores": (-31, 84, -53),
}


def evening(*wanted: Action, **more: object) -> Scoreboard:
    """Return a table at which some hands were played before what is *wanted*."""
    return table(*wanted, **{**_EVENING, **more})  # type: ignore[arg-type]


def settled(*scores: int, **more: object) -> Scoreboard:
    """Return an evening that ended with these *scores* and empty pots."""
    return table(actions.Settle(), seats=len(scores), scores=scores, **more)  # type: ignore[arg-type]


_DECLARING = evening(*_LATER, Deal())
_PLAYED = evening(*_LATER, Deal(), *_ALL_PASS)
_BOOKED = evening(*_LATER)
_THROWN_IN = evening(*_LATER, Deal(), actions.ThrowIn(), actions.Book())
_WON = settled(45, -20, -25)

SCENES: Mapping[str, Scene] = {
    "tarok-clean": Scene(table(), language="da"),
    "tarok-first-deal": Scene(table(Deal()), language="da"),
    "tarok-booked": Scene(_BOOKED, after_s=1.0, language="da"),
    "tarok-between-hands": Scene(_BOOKED, language="da"),
    "tarok-between-hands-dealer": Scene(_BOOKED, after_s=64.0, language="da"),
    "tarok-declaring": Scene(_DECLARING, language="da"),
    "tarok-declares": Scene(
        replace(_DECLARING, shown=Line("show.declares", {"seat": C})), language="da"
    ),
    "tarok-played": Scene(_PLAYED, language="da"),
    "tarok-german": Scene(_PLAYED, language="de"),
    "tarok-dutch": Scene(_PLAYED),
    "tarok-japanese": Scene(_DECLARING, language="ja"),
    "tarok-heard": Scene(replace(_PLAYED, heard=Heard(C, holding=True)), language="da"),
    "tarok-grace": Scene(
        replace(_PLAYED, grace=Grace(C, "last_trick", 3.0, 3.0)), after_s=0.9, language="da"
    ),
    "tarok-refused": Scene(
        replace(_PLAYED, refused=Line("reason.not_asked", {"seat": C})), language="da"
    ),
    "tarok-notice": Scene(
        replace(_PLAYED, notices=(Line("notice.open-input", {"part": "button 4", "message": "…"}),))
    ),
    "tarok-card-points": Scene(evening(Deal(), _PAGAT, actions.LastTrick(B)), language="de"),
    "tarok-to-book": Scene(
        evening(
            Deal(),
            _PAGAT,
            actions.LastTrick(B),
            actions.Points(A, 30),
            actions.Points(B, 20),
        ),
        language="de",
    ),
    "tarok-thrown-in": Scene(_THROWN_IN, after_s=1.0, language="de"),
    "tarok-rich": Scene(table(*_LATER, Deal(), **_RICH), language="da"),  # type: ignore[arg-type]
    "tarok-rich-long-names": Scene(
        table(*_LATER, Deal(), names=_LONG, **_RICH),  # type: ignore[arg-type]
        language="de",
    ),
    "tarok-long-names": Scene(evening(*_LATER, Deal(), names=_LONG), language="de"),
    "tarok-3": Scene(table(*hand(C, {A: 30, B: 20}, _PAGAT), Deal(), **_THREE)),  # type: ignore[arg-type]
    "tarok-3-first-deal": Scene(table(Deal(), seats=3)),
    "tarok-no-pots": Scene(
        table(*hand(C, {A: 30, B: 20}, _PAGAT), Deal(), **_NO_POTS),  # type: ignore[arg-type]
        language="de",
    ),
    "tarok-no-pots-between-hands": Scene(
        table(*hand(C, {A: 30, B: 20}, _PAGAT), **_NO_POTS),  # type: ignore[arg-type]
        language="de",
    ),
    "tarok-only-points": Scene(evening(Deal(), only_points=True)),
    "tarok-fanfare": Scene(_WON, after_s=0.4, language="da"),
    "tarok-settled": Scene(_WON, after_s=6.0, language="da"),
    "tarok-settled-slate": Scene(_WON, after_s=11.0, language="da"),
    "tarok-settled-one": Scene(settled(45, -45, 0), after_s=6.0),
    "tarok-settled-three": Scene(settled(-120, 215, -285, 190), after_s=6.0, language="de"),
    "tarok-settled-long-names": Scene(
        settled(-1285, 2340, -610, -445, names=_LONG), after_s=6.0, language="de"
    ),
    "tarok-settled-no-payments": Scene(
        settled(45, -20, -35, must_balance=False, only_points=True), after_s=6.0, language="en"
    ),
    "tarok-settled-two-winners": Scene(settled(45, 45, -90), after_s=6.0, language="en"),
}
