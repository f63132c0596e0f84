"""The table of Tarok that a record begins with: who sits there, house rules, scores and pots."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kloplei.replay.checks import Players, player, read_players
from kloplei.replay.house import read_house
from kloplei.replay.yaml_values import Value
from kloplei.rules.game import Seat
from kloplei.rules.tarok import PRESETS, BadSeating, Options, State, Tarok
from kloplei.rules.tarok.seating import MIN_SEATS, fresh_state
from kloplei.rules.tarok.state import Pots

POTS = ("king", "pagat")
_RESERVED = ("line", *POTS)
_SITTER = "sitter"

Found = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Table:
    """A game of Tarok, its *state* before the first event, and who plays it."""

    game: Tarok
    state: State
    players: Players


def read_table(rule_set: str, found: Found, *, opened: bool) -> Table:
    """Return the table that a record says; *opened* is whether the first antes were paid before.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    players = read_players(found["players"])
    for name in _RESERVED:
        if name in players:
            raise found["players"].wrong(f"nobody can be called {name!r}; the ledger says it.")
    sitter = _sitter(found, players)
    if sitter is not None and len(players) <= MIN_SEATS:
        raise found["players"].wrong("nobody sits out where three play.")
    options = _house(rule_set, found, chosen=sitter is not None)
    order = tuple(players.values())
    dealer = player(found["dealer"], "dealer", players) if "dealer" in found else order[0]
    scores = chips(found["scores"], "scores", players) if "scores" in found else {}
    pots = read_pots(found["pots_before"], "pots_before") if "pots_before" in found else {}
    pots = pots if options.has_pots else {}
    try:
        state = fresh_state(order, dealer, scores=scores, pots=Pots(**pots), opened=opened)
    except BadSeating as error:
        raise found["players"].wrong(str(error)) from None
    return Table(Tarok(options), replace(state, sitter=sitter), players)


def chips(value: Value, what: str, players: Players) -> dict[Seat, int]:
    """Return the chips by player in *value*, more or less than none."""
    found = {}
    for name, one in value.mapping(what).items():
        if name not in players:
            there = ", ".join(players)
            raise one.wrong(f"{what} names {name!r}, who does not play; there are {there}.")
        found[players[name]] = one.whole(f"{what} of {name}")
    return found


def read_pots(value: Value, what: str) -> dict[str, int]:
    """Return what lies in each pot that *value* names."""
    found = {}
    for name, one in value.mapping(what).items():
        if name not in POTS:
            raise one.wrong(f"{what} names {name!r}; the pots are {' and '.join(POTS)}.")
        found[name] = one.whole(f"{what} of {name}")
        if found[name] < 0:
            raise one.wrong(f"{what} of {name} cannot be less than 0.")
    return found


def _house(rule_set: str, found: Found, *, chosen: bool) -> Options:
    written = found["options"].mapping("options") if "options" in found else {}
    if "rule_set" in written:
        raise written["rule_set"].wrong("which game it is says the key 'set'.")
    base = Options.from_mapping({"rule_set": rule_set})
    options = read_house(found, PRESETS, base, but=(_SITTER,) if chosen else ())
    if options.rule_set != rule_set:
        raise found["preset"].wrong(f"this preset is not of set {rule_set}.")
    return replace(options, sitter="chosen") if chosen else options


def _sitter(found: Found, players: Players) -> Seat | None:
    """Return who was chosen to sit out: a record may say so, or name somebody as the option."""
    if _SITTER in found:
        return player(found[_SITTER], _SITTER, players)
    written = found["options"].mapping("options") if "options" in found else {}
    if _SITTER not in written or written[_SITTER].plain(_SITTER) not in players:
        return None
    return player(written[_SITTER], _SITTER, players)
