"""What a toepen record may expect, and the table in the record's own words."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kloplei.records.yaml_values import Value
from kloplei.rules.game import Seat
from kloplei.rules.toepen.state import State

Players = Mapping[str, Seat]


@dataclass(frozen=True, slots=True)
class Check:
    """*key* of the table must be *wanted*; the record says so in *line*."""

    key: str
    wanted: object
    line: int


def player(value: Value, what: str, players: Players) -> Seat:
    """Return the seat of the player named by *value*."""
    name = value.text(what)
    if name not in players:
        raise value.wrong(f"{what} is {name!r}, who does not play; there are {', '.join(players)}.")
    return players[name]


def counts(value: Value, what: str, players: Players) -> dict[Seat, int]:
    """Return the numbers by player in *value*; none may be less than 0."""
    found = {}
    for name, number in value.mapping(what).items():
        if name not in players:
            raise number.wrong(
                f"{what} names {name!r}, who does not play; there are {', '.join(players)}."
            )
        found[players[name]] = number.whole(f"{what} of {name}")
        if found[players[name]] < 0:
            raise number.wrong(f"{what} of {name} cannot be less than 0.")
    return found


def read_step_check(key: str, value: Value, players: Players) -> Check:
    """Return what a record expects of *key* after an event."""
    return Check(key, _STEP_READERS[key](value, key, players), value.line)


def read_final_check(key: str, value: Value, players: Players) -> Check:
    """Return what a record expects of *key* at the end."""
    return Check(key, (_FINAL_READERS | _STEP_READERS)[key](value, key, players), value.line)


def step_words(state: State, players: Players) -> dict[str, object]:
    """Return the table after an event, in the words of a record."""
    names = {seat: name for name, seat in players.items()}
    owing = state.hand.to_answer
    return {
        "lives": [state.lives_lost[seat] for seat in players.values()],
        "stake": state.hand.stake,
        "phase": str(state.phase),
        "leader": None if state.leader is None else names[state.leader],
        "next_to_answer": names[owing[0]] if owing else None,
        "armoede": [names[seat] for seat in state.hand.armoede],
    }


def final_words(state: State, players: Players) -> dict[str, object]:
    """Return the table at the end of a record, in the words of its ``expected``."""

    def those(seats: Iterable[Seat]) -> list[str]:
        chosen = set(seats)
        return [name for name, seat in players.items() if seat in chosen]

    def numbers(of: Callable[[Seat], int]) -> dict[str, int]:
        return {name: of(seat) for name, seat in players.items() if of(seat)}

    return {
        "state": str(state.phase),
        **step_words(state, players),
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
    numbers = [one.whole(f"a number in {what}") for one in value.items(what)]
    if len(numbers) != len(players):
        raise value.wrong(
            f"{what} has {len(numbers)} numbers, but there are {len(players)} players."
        )
    return numbers


def _whole(value: Value, what: str, _: Players) -> int:
    return value.whole(what)


def _text(value: Value, what: str, _: Players) -> str:
    return value.text(what)


def _name(value: Value, what: str, players: Players) -> str:
    player(value, what, players)
    return value.text(what)


def _name_or_nobody(value: Value, what: str, players: Players) -> str | None:
    return None if value.plain(what) is None else _name(value, what, players)


def _names(value: Value, what: str, players: Players) -> list[str]:
    return [_name(one, f"a player in {what}", players) for one in value.items(what)]


def _numbers(value: Value, what: str, players: Players) -> dict[str, int]:
    names = {seat: name for name, seat in players.items()}
    return {names[seat]: n for seat, n in counts(value, what, players).items() if n}


_Reader = Callable[[Value, str, Players], object]

_STEP_READERS: dict[str, _Reader] = {
    "lives": _lives,
    "stake": _whole,
    "phase": _text,
    "leader": _name_or_nobody,
    "next_to_answer": _name_or_nobody,
    "armoede": _names,
}
_FINAL_READERS: dict[str, _Reader] = {
    "state": _text,
    "dealer": _name,
    "owes_drink": _names,
    "eliminated": _names,
    "rubber_winners": _names,
    "rubbers_won": _numbers,
    "drinks": _numbers,
    "toepkoning": _names,
    "lijntoeper": _names,
    "points": _numbers,
}

STEP_CHECKS = frozenset(_STEP_READERS)
FINAL_CHECKS = STEP_CHECKS | frozenset(_FINAL_READERS)
