"""Records of toepen: what they may expect, and the table in their own words.

The format is that of the worked examples in docs/rules/toepen.md (§ 12).
"""

from collections.abc import Callable, Iterable

from kloplei.replay.play import (
    CourseRecord,
    Form,
    Found,
    Players,
    counts,
    name,
    name_or_nobody,
    names,
    names_of,
    numbers,
    player,
    read_course,
    read_house,
    text,
    whole,
)
from kloplei.replay.reader import Value
from kloplei.rules.card_game import BadSeating
from kloplei.rules.game import Seat
from kloplei.rules.toepen import PRESETS, Options, State, Toepen
from kloplei.rules.toepen.actions import ACTIONS


def read_toepen(value: Value) -> CourseRecord:
    """Return the record of toepen written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    return read_course(value, _FORM)


def _setup(found: Found, players: Players) -> tuple[Toepen, State]:
    game = Toepen(read_house(found, PRESETS, Options()))
    seats, dealer = tuple(players.values()), player(found["dealer"], "dealer", players)
    try:
        game.start(seats, dealer)
    except BadSeating as error:
        raise found["players"].wrong(str(error)) from None
    lost, won = (
        counts(found[key], key, players) if key in found else {} for key in ("start", "rubbers_won")
    )
    try:
        return game, game.start(seats, dealer, lives_lost=lost, rubbers_won=won)
    except BadSeating as error:
        raise found["start"].wrong(str(error)) from None


def _step_words(_: Toepen, state: State, players: Players) -> dict[str, object]:
    named = {seat: name for name, seat in players.items()}
    owing = state.hand.to_answer
    return {
        "lives": [state.lives_lost[seat] for seat in players.values()],
        "stake": state.hand.stake,
        "phase": str(state.phase),
        "leader": None if state.leader is None else named[state.leader],
        "next_to_answer": named[owing[0]] if owing else None,
        "armoede": [named[seat] for seat in state.hand.armoede],
    }


def _final_words(game: Toepen, state: State, players: Players) -> dict[str, object]:
    def those(seats: Iterable[Seat]) -> list[str]:
        return names_of(seats, players)

    def numbers(of: Callable[[Seat], int]) -> dict[str, int]:
        return {name: of(seat) for name, seat in players.items() if of(seat)}

    return {
        "state": str(state.phase),
        **_step_words(game, state, players),
        "dealer": those([state.dealer])[0],
        "owes_drink": those(state.owes_drink),
        "eliminated": those(state.out),
        "rubber_winners": those(state.rubber_winners),
        "rubbers_won": numbers(state.rubbers_won),
        "drinks": numbers(lambda seat: state.drinks[seat]),
        "toepkoning": those(state.toepkoning),
        "lijntoeper": those(state.lijntoeper),
        "points": numbers(state.points),
    }


def _lives(value: Value, what: str, players: Players) -> list[int]:
    lost = [one.whole(f"a number in {what}") for one in value.items(what)]
    if len(lost) != len(players):
        raise value.wrong(f"{what} has {len(lost)} numbers, but there are {len(players)} players.")
    return lost


_FORM = Form(
    setup=_setup,
    keys=frozenset({"rubbers_won"}),
    actions=ACTIONS,
    # `lives` is what the record expects of all, so a line by hand is `{ev: chalk, p: A, n: 3}`.
    renamed={"chalk": {"lives": "n"}},
    step_readers={
        "lives": _lives,
        "stake": whole,
        "phase": text,
        "leader": name_or_nobody,
        "next_to_answer": name_or_nobody,
        "armoede": names,
    },
    final_readers={
        "state": text,
        "dealer": name,
        "owes_drink": names,
        "eliminated": names,
        "rubber_winners": names,
        "rubbers_won": numbers,
        "drinks": numbers,
        "toepkoning": names,
        "lijntoeper": names,
        "points": numbers,
    },
    step_words=_step_words,
    final_words=_final_words,
)
