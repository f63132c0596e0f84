"""What a record of any game may expect, and how its players, names and numbers are read."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kloplei.replay.yaml_values import Value
from kloplei.rules.game import Seat

Players = Mapping[str, Seat]
Reader = Callable[[Value, str, Players], object]
"""Reads what is expected; its arguments are the value, its name, and who plays."""
Readers = Mapping[str, Reader]


@dataclass(frozen=True, slots=True)
class Check:
    """*key* of the table must be *wanted*; the record says so in *line*."""

    key: str
    wanted: object
    line: int


def read_checks(
    found: Mapping[str, Value], readers: Readers, players: Players
) -> tuple[Check, ...]:
    """Return what a record expects of those keys in *found* that *readers* know."""
    return tuple(
        Check(key, readers[key](value, key, players), value.line)
        for key, value in found.items()
        if key in readers
    )


def read_players(value: Value) -> Players:
    """Return the seats of the players named in *value*, clockwise."""
    players: dict[str, Seat] = {}
    for one in value.items("players"):
        name = one.text("a player")
        if name in players:
            raise one.wrong(f"two players are called {name!r}.")
        players[name] = Seat(len(players))
    if not players:
        raise value.wrong("players names nobody; write who plays, clockwise.")
    return players


def player(value: Value, what: str, players: Players) -> Seat:
    """Return the seat of the player named by *value*."""
    name = value.text(what)
    if name not in players:
        raise value.wrong(
            f"{what} is {name!r:.40}, who does not play; there are {', '.join(players)}."
        )
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


def names_of(seats: Iterable[Seat], players: Players) -> list[str]:
    """Return the players in *seats*, in the order of the record."""
    chosen = set(seats)
    return [name for name, seat in players.items() if seat in chosen]


def whole(value: Value, what: str, _: Players) -> int:
    """Read a whole number."""
    return value.whole(what)


def text(value: Value, what: str, _: Players) -> str:
    """Read a text."""
    return value.text(what)


def name(value: Value, what: str, players: Players) -> str:
    """Read the name of a player."""
    player(value, what, players)
    return value.text(what)


def name_or_nobody(value: Value, what: str, players: Players) -> str | None:
    """Read the name of a player, or null for nobody."""
    return None if value.plain(what) is None else name(value, what, players)


def names(value: Value, what: str, players: Players) -> list[str]:
    """Read a list of names of players."""
    return [name(one, f"a player in {what}", players) for one in value.items(what)]


def numbers(value: Value, what: str, players: Players) -> dict[str, int]:
    """Read numbers by name; who has 0 may be left out."""
    named = {seat: one for one, seat in players.items()}
    return {named[seat]: n for seat, n in counts(value, what, players).items() if n}
