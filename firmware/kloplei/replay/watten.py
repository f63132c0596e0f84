"""Records of Watten: what they may expect, and the table in their own words.

The format is that of the worked examples in docs/rules/watten.md (§ 10). ``pts`` has one
number a team where four play, else one a player; a team's name is that of its players.
"""

from collections.abc import Iterable
from functools import partial

from kloplei.frozen import dataclass
from kloplei.games.game import Action, Seat
from kloplei.games.watten import PRESETS, VARIANTS, State, Watten
from kloplei.games.watten.actions import ACTIONS, Trick, TrickOf
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import TEAM_PLAYERS, accounts, sides, tricks_of
from kloplei.replay.play import (
    At,
    Found,
    Players,
    RecordForm,
    Word,
    listed,
    name,
    names_of,
    numbers,
    one_each,
    or_nothing,
    player,
    read_house,
    read_record,
)
from kloplei.replay.reader import Value

Account = tuple[Seat, ...]
Table = At[Watten, State]


@dataclass(frozen=True, slots=True)
class _TrickTold(Action):
    """*seat* took the next trick, as *by* said; None is whoever may say so."""

    seat: Seat
    by: Seat | None = None


def _meant(at: Table, action: Action) -> Action:
    if not isinstance(action, _TrickTold):
        return action
    took, by = action.seat, action.by
    if by is None:
        silent = at.game.options.only_knowing_tell and took not in at.state.knowing
        by = at.state.knowing[0] if silent else took
    return Trick(took) if by == took else TrickOf(by, took)


def _setup(found: Found, players: Players) -> Table:
    variant = found["variant"].text("variant") if "variant" in found else "tyrol"
    if variant not in VARIANTS:
        raise found["variant"].wrong(f"there is no variant {variant!r}: {', '.join(VARIANTS)}.")
    game = Watten(read_house(found, PRESETS, VARIANTS[variant]))
    if "variant" in found:
        _check_same_watten(found["variant"], VARIANTS[variant], game.options)
    dealer = player(found["dealer"], "dealer")
    start = partial(game.start, tuple(players.values()), dealer)
    state = found["players"].makes(start)
    if "start" in found:
        points = _start(found["start"], accounts(game.options, state))
        state = found["start"].makes(start, points=points)
    return At(game, state, players)


def _check_same_watten(value: Value, said: Options, played: Options) -> None:
    """Complain where a record says one variant here, and another by its preset or options."""
    if played.variant != said.variant or played.has_guate < said.has_guate:
        raise value.wrong(
            f"variant is {value.text('variant')!r}, but the preset or an option says otherwise."
        )


def _start(value: Value, known: Iterable[Account]) -> dict[Seat, int]:
    """Return the points that each seat begins with; *known* are those who score together."""
    named = {_called(account, value.players): account for account in known}
    found: dict[str, int] = {}
    for written, number in value.mapping("start").items():
        one = _as_called(written, value.players)
        if one not in named:
            there = ", ".join(named)
            raise number.wrong(f"start names {one!r}, who does not score; there are {there}.")
        if one in found:
            raise number.wrong(f"start names {one!r} twice.")
        found[one] = number.whole(f"start of {one}")
    return {seat: points for one, points in found.items() for seat in named[one]}


def _called(account: Account, players: Players) -> str:
    """Return the name of a side or team: AC, or Ann+Cor where names are longer."""
    names = names_of(account, players)
    return ("" if all(len(one) == 1 for one in names) else "+").join(names)


def _as_called(written: str, players: Players) -> str:
    """Return a side *written* in either way, A+C or AC, as this record's own words call it."""
    names = written.split("+")
    if written in players or not all(one in players for one in names):
        return written
    return _called(tuple(players[one] for one in names), players)


def _in_order(found: Iterable[Account], players: Players) -> list[tuple[str, Account]]:
    """Return sides by name, in the order of their first player in the record."""
    order = list(players.values())
    ordered = sorted(found, key=lambda side: min(order.index(seat) for seat in side))
    return [(_called(side, players), side) for side in ordered]


def _points(at: Table) -> dict[str, int]:
    named = _in_order(accounts(at.game.options, at.state), at.players)
    return {one: at.state.points[account[0]] for one, account in named}


def _tricks(at: Table) -> dict[str, int] | None:
    if not at.state.deal_running:
        return None
    playing = _in_order(sides(at.game.options, at.state), at.players)
    return {one: tricks_of(at.state, side) for one, side in playing}


def _winners(at: Table) -> list[str]:
    named = _in_order(accounts(at.game.options, at.state), at.players)
    return [one for one, account in named if account[0] in at.state.winners]


def _sealed(at: Table) -> list[str]:
    """Return that something is sealed: a record names what, its steps keep silent all the same."""
    seal = at.state.deal.seal
    held = {"Schlag": seal.rank, "trump": seal.suit}
    return [what for what, value in held.items() if value is not None]


def _opened(at: Table) -> dict[str, str]:
    """Return what the seal of the last deal was at last."""
    if at.state.deal_running or not at.state.deals:
        return {}
    seal = at.state.deals[-1].seal
    held = {"schlag": seal.rank, "trump": seal.suit}
    return {what: value for what, value in held.items() if value is not None}


def _is_blind(game: Watten) -> bool:
    return game.options.variant == "blind"


def _possible_names(players: Players) -> set[str]:
    """Return what sides and teams of *players* may be called."""
    seats = list(players.values())
    pairs: list[Account] = []
    if len(seats) == TEAM_PLAYERS:
        pairs = [(seats[0], seats[2]), (seats[1], seats[3])]
    elif len(seats) == TEAM_PLAYERS - 1:
        pairs = [(seats[0], seats[1]), (seats[0], seats[2]), (seats[1], seats[2])]
    return {_called(one, players) for one in [*((seat,) for seat in seats), *pairs]}


def _known(value: Value, what: str, written: str) -> str:
    """Return the side *written* as this record calls it, or complain about *value*."""
    one, known = _as_called(written, value.players), _possible_names(value.players)
    if one not in known:
        there = ", ".join(sorted(known))
        raise value.wrong(f"{what} {written!r:.40}, who does not play; there are {there}.")
    return one


def _read_side(value: Value, what: str) -> str:
    return _known(value, f"{what} is", value.text(what))


def _read_numbers(value: Value, what: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for written, number in value.mapping(what).items():
        one = _known(number, f"{what} names", written)
        if one in found:
            raise number.wrong(f"{what} names {one!r} twice.")
        found[one] = number.whole(f"{what} of {one}")
    return found


def _read_pts(value: Value, what: str) -> list[int]:
    return one_each(value, what, sides=2 if len(value.players) == TEAM_PLAYERS else None)


def _read_opened(value: Value, what: str) -> dict[str, str]:
    found = value.keyed(what, (), ("schlag", "trump"))
    return {one: written.label(f"{one} in {what}") for one, written in found.items()}


_words = listed("a word", Value.label)
_STEP: dict[str, Word[Watten, State]] = {
    "pts": Word(_read_pts, lambda at: list(_points(at).values())),
    "value": Word(Value.whole, lambda at: at.state.deal.value),
    "pending": Word(or_nothing(Value.whole), lambda at: at.state.deal.proposed),
    "tricks_now": Word(_read_numbers, _tricks),
    "phase": Word(Value.text, lambda at: str(at.state.phase)),
    "sealed": Word(_words, _sealed, when=_is_blind),
    "lying": Word(_words, lambda at: list(at.state.deal.lying), when=_is_blind),
    "opened": Word(_read_opened, _opened, when=_is_blind),
}
_CALLED = {"exchange": "swap"}
_FORM = RecordForm(
    game="watten",
    setup=_setup,
    keys=("variant",),
    actions={_CALLED.get(one, one): kind for one, kind in ACTIONS.items()} | {"trick": _TrickTold},
    meant=_meant,
    words=_STEP,
    final={
        "state": _STEP["phase"],
        **_STEP,
        "points": Word(_read_numbers, _points),
        "dealer": Word(name, lambda at: at.name(at.state.dealer)),
        "winner": Word(listed("a name", _read_side), _winners),
        "games_won": Word(numbers, lambda at: at.numbers(at.state.games_won)),
    },
)
read = partial(read_record, form=_FORM)
"""Return the record of Watten written in a `Value`, or refuse it as `NotARecord`."""
