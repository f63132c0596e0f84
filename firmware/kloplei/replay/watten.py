"""Records of Watten: what they may expect, and the table in their own words.

The format is that of the worked examples in docs/rules/watten.md (§ 10). ``pts`` has one
number a team where four play, else one a player; a team's name is that of its players.
"""

from kloplei.replay.play import (
    CourseRecord,
    Form,
    Found,
    Players,
    Readers,
    name,
    names_of,
    numbers,
    player,
    read_course,
    read_house,
    text,
    whole,
)
from kloplei.replay.reader import Value, check_keys
from kloplei.rules.card_game import BadSeating
from kloplei.rules.game import Seat
from kloplei.rules.watten import PRESETS, VARIANTS, State, Watten
from kloplei.rules.watten.actions import ACTIONS
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.sides import TEAM_PLAYERS, accounts, sides, tricks_of

Account = tuple[Seat, ...]


def read_watten(value: Value) -> CourseRecord:
    """Return the record of Watten written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    return read_course(value, _FORM)


def _setup(found: Found, players: Players) -> tuple[Watten, State]:
    variant = found["variant"].text("variant") if "variant" in found else "tyrol"
    if variant not in VARIANTS:
        raise found["variant"].wrong(f"there is no variant {variant!r}: {', '.join(VARIANTS)}.")
    game = Watten(read_house(found, PRESETS, VARIANTS[variant]))
    if "variant" in found:
        _check_same_watten(found["variant"], VARIANTS[variant], game.options)
    seats, dealer = tuple(players.values()), player(found["dealer"], "dealer", players)
    try:
        fresh = game.start(seats, dealer)
    except BadSeating as error:
        raise found["players"].wrong(str(error)) from None
    if "start" not in found:
        return game, fresh
    points = _start(found["start"], accounts(game.options, fresh), players)
    try:
        return game, game.start(seats, dealer, points=points)
    except BadSeating as error:
        raise found["start"].wrong(str(error)) from None


def _check_same_watten(value: Value, said: Options, played: Options) -> None:
    """Complain where a record says one variant here, and another by its preset or options."""
    if played.variant != said.variant or played.has_guate < said.has_guate:
        raise value.wrong(
            f"variant is {value.text('variant')!r}, but the preset or an option says otherwise."
        )


def _start(value: Value, known: tuple[Account, ...], players: Players) -> dict[Seat, int]:
    points = {}
    for account, number in _by_account(value, "start", known, players).items():
        points.update(dict.fromkeys(account, number))
    return points


def _by_account(
    value: Value, what: str, known: tuple[Account, ...], players: Players
) -> dict[Account, int]:
    named = {_called(account, players): account for account in known}
    found = {}
    for written, number in value.mapping(what).items():
        one = _as_called(written, players)
        if one not in named:
            there = ", ".join(named)
            raise number.wrong(f"{what} names {one!r}, who does not score; there are {there}.")
        if named[one] in found:
            raise number.wrong(f"{what} names {one!r} twice.")
        found[named[one]] = number.whole(f"{what} of {one}")
    return found


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


def _step_words(game: Watten, state: State, players: Players) -> dict[str, object]:
    named = accounts(game.options, state)
    return {
        "pts": [state.points[account[0]] for account in _in_order(named, players)],
        "value": state.deal.value,
        "pending": state.deal.proposed,
        "tricks_now": _tricks(game, state, players) if state.deal_running else None,
        "phase": str(state.phase),
        **(_seal_words(state) if game.options.variant == "blind" else {}),
    }


def _seal_words(state: State) -> dict[str, object]:
    """Return what is known of the seal of Blind Watten: that it is there, and at last what it was.

    A record is written afterwards and names what it seals; its steps keep silent all the same.
    """
    deal, last = state.deal, None if state.deal_running or not state.deals else state.deals[-1]
    held = {"Schlag": deal.seal.rank, "trump": deal.seal.suit}
    opened = {"schlag": last.seal.rank, "trump": last.seal.suit} if last else {}
    return {
        "sealed": [what for what, value in held.items() if value is not None],
        "lying": list(deal.lying),
        "opened": {what: value for what, value in opened.items() if value is not None},
    }


def _final_words(game: Watten, state: State, players: Players) -> dict[str, object]:
    named = _in_order(accounts(game.options, state), players)
    return {
        "state": str(state.phase),
        **_step_words(game, state, players),
        "points": {_called(one, players): state.points[one[0]] for one in named},
        "dealer": names_of([state.dealer], players)[0],
        "winner": [_called(one, players) for one in named if one[0] in state.winners],
        "games_won": {
            one: state.games_won(seat) for one, seat in players.items() if state.games_won(seat)
        },
    }


def _tricks(game: Watten, state: State, players: Players) -> dict[str, int]:
    playing = _in_order(sides(game.options, state), players)
    return {_called(side, players): tricks_of(state, side) for side in playing}


def _in_order(found: tuple[Account, ...], players: Players) -> list[Account]:
    """Return sides in the order of their first player in the record."""
    order = list(players.values())
    return sorted(found, key=lambda side: min(order.index(seat) for seat in side))


def _possible_names(players: Players) -> set[str]:
    """Return what sides and teams of *players* may be called."""
    seats = list(players.values())
    pairs: list[Account] = []
    if len(seats) == TEAM_PLAYERS:
        pairs = [(seats[0], seats[2]), (seats[1], seats[3])]
    elif len(seats) == TEAM_PLAYERS - 1:
        pairs = [(seats[0], seats[1]), (seats[0], seats[2]), (seats[1], seats[2])]
    return {_called(one, players) for one in [*((seat,) for seat in seats), *pairs]}


def _side(value: Value, what: str, players: Players) -> str:
    return _known(value, f"{what} is", value.text(what), players)


def _known(value: Value, what: str, written: str, players: Players) -> str:
    """Return the side *written* as this record calls it, or complain about *value*."""
    one, known = _as_called(written, players), _possible_names(players)
    if one not in known:
        there = ", ".join(sorted(known))
        raise value.wrong(f"{what} {written!r:.40}, who does not play; there are {there}.")
    return one


def _sides(value: Value, what: str, players: Players) -> list[str]:
    return [_side(one, f"a name in {what}", players) for one in value.items(what)]


def _numbers(value: Value, what: str, players: Players) -> dict[str, int]:
    found = {}
    for written, number in value.mapping(what).items():
        one = _known(number, f"{what} names", written, players)
        if one in found:
            raise number.wrong(f"{what} names {one!r} twice.")
        found[one] = number.whole(f"{what} of {one}")
    return found


def _pts(value: Value, what: str, players: Players) -> list[int]:
    points = [one.whole(f"a number in {what}") for one in value.items(what)]
    fitting = {len(players), 2} if len(players) == TEAM_PLAYERS else {len(players)}
    if len(points) not in fitting:
        raise value.wrong(
            f"{what} has {len(points)} numbers, but there are {len(players)} players."
        )
    return points


def _labels(value: Value, what: str, _: Players) -> list[str]:
    return [one.label(f"a word in {what}") for one in value.items(what)]


def _opened(value: Value, what: str, _: Players) -> dict[str, str]:
    found = value.mapping(what)
    check_keys(found, value, what, set(), {"schlag", "trump"})
    return {one: written.label(f"{one} in {what}") for one, written in found.items()}


def _whole_or_none(value: Value, what: str, _: Players) -> int | None:
    return None if value.plain(what) is None else value.whole(what)


_STEP_READERS: Readers = {
    "pts": _pts,
    "value": whole,
    "pending": _whole_or_none,
    "tricks_now": _numbers,
    "phase": text,
    "sealed": _labels,
    "lying": _labels,
    "opened": _opened,
}
_FORM = Form(
    setup=_setup,
    keys=frozenset({"variant"}),
    actions={"swap" if one == "exchange" else one: kind for one, kind in ACTIONS.items()},
    renamed={},
    step_readers=_STEP_READERS,
    final_readers={
        "state": text,
        "points": _numbers,
        "dealer": name,
        "winner": _sides,
        "games_won": numbers,
    },
    step_words=_step_words,
    final_words=_final_words,
)
