"""How a record of Tarok tells a hand: its entries, in the order of the ledger (§ 10)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kloplei.replay.checks import Players, player
from kloplei.replay.yaml_values import Value, check_keys
from kloplei.rules.cards import SUITS
from kloplei.rules.game import Seat
from kloplei.rules.tarok import entries
from kloplei.rules.tarok.entries import AnyEntry

HAND_KEYS = {
    *("declare", "fines", "in_play", "last_trick", "feats", "excuse_alone"),
    *("card_points", "wrong_discard", "void"),
}
_CARDS = ("pagat", "king", "other")

Found = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Named:
    """Who may be named in a hand: the *players*, and any *strangers* where that is refused."""

    players: Players
    strangers: bool = False

    def seat(self, value: Value, what: str) -> Seat:
        """Return the seat of whom *value* names; a stranger's is one where nobody sits."""
        if self.strangers and value.text(what) not in self.players:
            return Seat(len(self.players))
        return player(value, what, self.players)

    def by(self, found: Found, what: str) -> Seat:
        """Return whom an entry is *by*."""
        return self.seat(found["by"], f"by of {what}")

    def each(self, value: Value, what: str) -> Iterator[tuple[Seat, Value]]:
        """Yield seat and value of each name in the mapping *value*."""
        for name, one in value.mapping(what).items():
            if name not in self.players and not self.strangers:
                there = ", ".join(self.players)
                raise one.wrong(f"{what} names {name!r}, who does not play; there are {there}.")
            yield self.players.get(name, Seat(len(self.players))), one


def read_entries(found: Found, named: Named) -> tuple[AnyEntry, ...]:
    """Return all that a record tells of a hand.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    return tuple(_entries(found, named))


def _entries(found: Found, named: Named) -> Iterator[AnyEntry]:
    for one in _items(found, "declare"):
        yield _declared(one, named)
    if "wrong_discard" in found:
        seat = named.seat(found["wrong_discard"], "wrong_discard")
        yield entries.WrongDiscardFound(seat)
    for one in _items(found, "fines"):
        yield _fined(one, named)
    for one in _items(found, "in_play"):
        told = _keys(one, "an event in play", {"by", "what"})
        yield entries.FateTold(named.by(told, "in_play"), told["what"].text("what"))
    if "last_trick" in found:
        yield from _last_trick(found["last_trick"], named)
    for one in _items(found, "feats"):
        yield _feat(one, named)
    if "excuse_alone" in found:
        yield entries.FoolLeft(named.seat(found["excuse_alone"], "excuse_alone"))
    if "card_points" in found:
        for seat, one in named.each(found["card_points"], "card_points"):
            yield entries.PointsCounted(seat, _points(one))
    if "void" in found and found["void"].switch("void"):
        yield entries.HandVoided()


def _declared(value: Value, named: Named) -> AnyEntry:
    told = _keys(value, "a declaration", {"by", "what"}, {"count", "suit", "pagat", "fool"})
    suit = told["suit"].text("suit") if "suit" in told else None
    if suit is not None and suit not in SUITS:
        raise told["suit"].wrong(f"suit must be {' or '.join(SUITS)}, not {suit!r}.")
    return entries.Declared(
        named.by(told, "a declaration"),
        told["what"].text("what"),
        count=told["count"].whole("count") if "count" in told else None,
        suit=suit,
        pagat=told["pagat"].switch("pagat") if "pagat" in told else None,
        fool=told["fool"].switch("fool") if "fool" in told else None,
    )


def _fined(value: Value, named: Named) -> AnyEntry:
    told = _keys(value, "a fine", {"by"}, {"each", "king_pot", "pagat_pot"})
    paid = {key: told[key].whole(key) for key in ("each", "king_pot", "pagat_pot") if key in told}
    return entries.Fined(named.by(told, "a fine"), **paid)


def _last_trick(value: Value, named: Named) -> Iterator[AnyEntry]:
    told = _keys(value, "last_trick", set(), {"winner", "cards"})
    if "winner" in told:
        for one in _winners(told["winner"]):
            yield entries.LastTrickTold(named.seat(one, "winner"))
    if "cards" in told:
        for seat, one in named.each(told["cards"], "cards"):
            card = one.text("a card of the last trick")
            if card not in _CARDS:
                raise one.wrong(f"a card is {' or '.join(_CARDS)}, not {card!r:.40}.")
            yield entries.LastCardTold(seat, card)


def _winners(value: Value) -> list[Value]:
    """Return who is said to have won: nobody, one, or a list of them."""
    if value.is_list():
        return value.items("winner")
    return [] if value.is_nothing() else [value]


def _feat(value: Value, named: Named) -> AnyEntry:
    told = _keys(value, "a feat", {"by", "what"}, {"announced", "made"})
    silent = "announced" not in told or told["announced"].is_nothing()
    return entries.FeatTold(
        named.by(told, "a feat"),
        told["what"].text("what"),
        announced=None if silent else told["announced"].whole("announced"),
        made=told["made"].switch("made") if "made" in told else True,
    )


def _points(value: Value) -> int | None:
    """Return card points; half a point is for the rules to refuse."""
    number = value.plain("card points")
    if isinstance(number, float):
        return None
    return value.whole("card points")


def _items(found: Found, what: str) -> list[Value]:
    return found[what].items(what) if what in found else []


def _keys(value: Value, what: str, needed: set[str], allowed: set[str] | None = None) -> Found:
    told = value.mapping(what)
    check_keys(told, value, what, needed, allowed or set())
    return told
