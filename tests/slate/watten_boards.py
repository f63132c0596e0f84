"""Tables of Watten worth a picture; the game itself makes them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kloplei.games.card_game import Deal
from kloplei.games.game import Action, Seat
from kloplei.games.scoreboard import Doubt, Grace, Heard, Line, Scoreboard
from kloplei.games.watten import Watten, actions
from tests.slate.scene import NAMES, Scene

A, B, C, D, E = (Seat(n) for n in range(5))
_ANNOUNCED = (actions.Schlag(A, "9"), actions.Trump(D, "H"))
_LONG = ("Willemijn", "Maximilian", "Anna-Lena", "Bartholomäus")


def table(
    *wanted: Action,
    preset: str = "tirol",
    points: Sequence[int] = (),
    names: Sequence[str] = NAMES,
    at: Sequence[int] = (0, 1, 2, 3),
    **options: object,
) -> Scoreboard:
    """Return the board after all that is *wanted* was done; the last of those *at* it deals."""
    game = Watten.of_house(preset, options)
    seats = tuple(Seat(n) for n in at)
    state = game.start(seats, seats[-1], points=dict(zip(seats, points, strict=False)))
    for action in wanted:
        for event in game.decide(state, action):
            state = game.apply(state, event)
    board = game.scoreboard(state)
    rows = tuple(replace(row, name=name) for row, name in zip(board.rows, names, strict=False))
    return replace(board, seq=41, seats=8, rows=rows, suits=game.options.german_suits)


def dealt(*wanted: Action, **more: object) -> Scoreboard:
    """Return a deal of four in which hearts and the nine were announced, after *wanted*."""
    return table(Deal(), *_ANNOUNCED, *wanted, **more)  # type: ignore[arg-type]


def bohemian(*wanted: Action, points: Sequence[int], **more: object) -> Scoreboard:
    return table(
        *wanted,
        preset="boehmisch",
        points=points,
        at=range(len(points)),
        **more,  # type: ignore[arg-type]
    )


def ladder(top: int) -> list[Action]:
    """Return the raises that make a deal worth *top*, each of them held at once by a raise."""
    raises = [actions.Raise((A, B)[step % 2]) for step in range(top - 2)]
    return [*raises, actions.Accept((A, B)[(top - 2) % 2])]


_THREE = (Deal(), actions.Schlag(A, "K"), actions.Trump(A, "S"))
_TWO = (Deal(), actions.Schlag(A, "10"), actions.Trump(B, "C"))
_PLAY = dealt(actions.Trick(A), actions.Trick(B), points=(4, 6, 4, 6))
_RAISED = dealt(actions.Trick(A), actions.Raise(B), points=(4, 6, 4, 6))
_SWEEP = tuple(actions.Trick(A) for _ in range(3))
_SEALED = (actions.SealSchlag(A, "10"), actions.SealTrump(D, "C"))
_TURNED = (Deal(), actions.TurnUp("H", "9"))
_FIVE = (12, 20, 3, 31, 8)

SCENES: Mapping[str, Scene] = {
    "watten-french": Scene(replace(_PLAY, suits=()), language="de"),
    "watten-clean": Scene(table(), language="de"),
    "watten-schlag": Scene(table(Deal(), points=(4, 6, 4, 6)), language="de"),
    "watten-trump": Scene(table(Deal(), _ANNOUNCED[0]), language="de"),
    "watten-new-cards": Scene(table(Deal(), actions.Offer(A)), after_s=0.1, language="de"),
    "watten-play": Scene(_PLAY, language="de"),
    "watten-shout": Scene(_RAISED, after_s=0.5, language="de"),
    "watten-raised": Scene(_RAISED, after_s=2.0, language="de"),
    "watten-raised-off": Scene(_RAISED, after_s=2.2, language="de"),
    "watten-raised-again": Scene(
        dealt(actions.Raise(A), actions.Raise(B), points=(4, 6, 4, 6)), after_s=2.0, language="de"
    ),
    "watten-gestrichen": Scene(dealt(actions.Trick(B), points=(4, 13, 4, 13)), language="de"),
    "watten-highest": Scene(
        dealt(*ladder(15), points=(17, 16, 17, 16), target=18, raise_lock="none")
    ),
    "watten-highest-raised": Scene(
        dealt(*ladder(14), actions.Raise(A), points=(9, 10, 9, 10), target=11, raise_lock="none"),
        after_s=2.0,
    ),
    "watten-long-names": Scene(
        dealt(actions.Trick(A), names=_LONG, points=(10, 12, 10, 12)), language="de"
    ),
    "watten-short-names": Scene(
        dealt(actions.Trick(A), names=("Bo", "Jo", "Al", "Ed")), language="de"
    ),
    "watten-of-eight-seats": Scene(
        table(Deal(), at=(0, 2, 5, 7), names=("Thijs", "Tame", "Thomas", "Stan")),
        language="de",
    ),
    "watten-heard": Scene(replace(_PLAY, heard=Heard(B, 2))),
    "watten-refused": Scene(
        replace(_PLAY, refused=Line("reason.same_side_raised_last", {"seat": A})), language="de"
    ),
    "watten-grace": Scene(
        replace(_PLAY, grace=Grace(C, "trick", 3.0, 3.0)), after_s=0.9, language="de"
    ),
    "watten-doubt": Scene(
        replace(_PLAY, doubt=Doubt(B, 1, 0, until_s=5.0, total_s=5.0, number=1, action="trick")),
        after_s=1.0,
        language="de",
    ),
    "watten-notice": Scene(
        replace(_PLAY, notices=(Line("notice.open-input", {"part": "piezo 4", "message": "…"}),))
    ),
    "watten-3": Scene(
        table(*_THREE, actions.Trick(B), at=(0, 1, 2), points=(4, 9, 7)), language="de"
    ),
    "watten-3-gestrichen": Scene(
        table(*_THREE, actions.Trick(A), at=(0, 1, 2), points=(11, 13, 7)), language="de"
    ),
    "watten-3-between-deals": Scene(table(at=(0, 1, 2), points=(4, 13, 7)), language="de"),
    "watten-2": Scene(table(*_TWO, actions.Trick(A), at=(0, 1), points=(14, 7)), language="de"),
    "watten-2-raised": Scene(
        table(*_TWO, actions.Raise(B), at=(0, 1), points=(14, 7)), after_s=2.0, language="de"
    ),
    "watten-blind": Scene(
        table(Deal(), actions.Show(), actions.Trick(A), preset="blind"), language="de"
    ),
    "watten-blind-sealed": Scene(
        table(Deal(), *_SEALED, actions.Trick(A), preset="blind"), language="de"
    ),
    "watten-blind-opened": Scene(
        table(Deal(), *_SEALED, *_SWEEP, preset="blind"), after_s=5.0, language="de"
    ),
    "watten-deal-won": Scene(
        dealt(actions.Raise(A), actions.GiveUp(B), points=(4, 6, 4, 6)), after_s=1.0, language="de"
    ),
    "watten-fanfare": Scene(dealt(*_SWEEP, points=(13, 6, 13, 6)), after_s=0.4, language="de"),
    "watten-over": Scene(dealt(*_SWEEP, points=(13, 6, 13, 6)), after_s=6.0, language="de"),
    "watten-over-english": Scene(
        dealt(*_SWEEP, points=(13, 6, 13, 6), names=_LONG), after_s=6.0, language="en"
    ),
    "watten-over-slate": Scene(dealt(*_SWEEP, points=(13, 6, 13, 6)), after_s=11.0, language="de"),
    "watten-bohemian-clean": Scene(bohemian(points=(20,) * 4), language="de"),
    "watten-bohemian-turn-up": Scene(bohemian(Deal(), points=_FIVE), language="de"),
    "watten-bohemian-exchange": Scene(
        bohemian(*_TURNED, actions.Exchange(A, 2), points=_FIVE), language="de"
    ),
    "watten-bohemian-5": Scene(
        bohemian(
            *(*_TURNED, actions.Trick(B), actions.Trick(B), actions.Trick(B), actions.Trick(A)),
            points=_FIVE,
        ),
        language="de",
    ),
    "watten-bohemian-6": Scene(
        bohemian(
            *(Deal(), actions.TurnUp("C", "A"), actions.Trick(B), actions.Trick(E)),
            points=(12, 20, 3, 131, 8, 17),
        ),
        language="de",
    ),
    "watten-bohemian-over": Scene(
        bohemian(*_TURNED, actions.Result((2, 1, 2)), points=(4, 1, 3)), after_s=6.0, language="de"
    ),
    "watten-bohemian-over-6": Scene(
        bohemian(*_TURNED, actions.Result((5, 0, 0, 0, 0, 0)), points=(4, 20, 33, 31, 12, 17)),
        after_s=6.0,
        language="de",
    ),
    "watten-bohemian-over-slate": Scene(
        bohemian(*_TURNED, actions.Result((2, 1, 2)), points=(4, 1, 3)), after_s=11.0, language="de"
    ),
}
