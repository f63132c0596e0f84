"""One hand of Tarok as it has been told so far: who plays it, and its entries by kind."""

from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from kloplei.rules.game import Event, Seat
from kloplei.rules.tarok.entries import (
    AnyEntry,
    Declared,
    FateTold,
    FeatTold,
    Fined,
    FoolLeft,
    HandVoided,
    LastCardTold,
    LastTrickTold,
    PointsCounted,
    ResultTold,
    WrongDiscardFound,
)
from kloplei.rules.tarok.options import Options

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Hand:
    """What was told of a hand that *dealer* dealt and those *active* play.

    *active* stand in the order of play, the first lead first.
    """

    dealer: Seat
    active: tuple[Seat, ...]
    entries: tuple[AnyEntry, ...] = ()
    made: tuple[FeatTold, ...] = field(init=False, compare=False)
    """The feats that were made."""
    _by_kind: dict[type[Event], tuple[Any, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # A table asks of some hundred entries whether they could be told next.
        by_kind: dict[type[Event], tuple[Any, ...]] = {}
        for entry in self.entries:
            by_kind[type(entry)] = (*by_kind.get(type(entry), ()), entry)
        object.__setattr__(self, "_by_kind", by_kind)
        made = tuple(feat for feat in by_kind.get(FeatTold, ()) if feat.made)
        object.__setattr__(self, "made", made)

    def also(self, entry: AnyEntry) -> Self:
        """Return this hand with *entry* told on top."""
        return type(self)(self.dealer, self.active, (*self.entries, entry))

    @property
    def declared(self) -> tuple[Declared, ...]:
        """What was declared, in the order told."""
        return self._of(Declared)

    @property
    def fines(self) -> tuple[Fined, ...]:
        """The fines, in the order told."""
        return self._of(Fined)

    @property
    def fates(self) -> tuple[FateTold, ...]:
        """What became of pagat and kings in tricks 1 to 24."""
        return self._of(FateTold)

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who is said to have won the last trick; exactly one, if it is told rightly."""
        return tuple(one.seat for one in self._of(LastTrickTold))

    @property
    def winner(self) -> Seat | None:
        """Who won the last trick."""
        return self.winners[0] if len(self.winners) == 1 else None

    @property
    def last_cards(self) -> tuple[LastCardTold, ...]:
        """Cards of the last trick, in the order told; who is not named played another one."""
        return self._of(LastCardTold)

    @property
    def feats(self) -> tuple[FeatTold, ...]:
        """Voles, touts and nolos, made or failed."""
        return self._of(FeatTold)

    @property
    def fool_left(self) -> tuple[Seat, ...]:
        """Who took no trick and was left with the Fool."""
        return tuple(one.seat for one in self._of(FoolLeft))

    @property
    def wrong_discard(self) -> tuple[Seat, ...]:
        """Who had laid away a wrong number of cards."""
        return tuple(one.seat for one in self._of(WrongDiscardFound))

    @property
    def counted(self) -> tuple[PointsCounted, ...]:
        """Card points, in the order told."""
        return self._of(PointsCounted)

    @property
    def points(self) -> dict[Seat, int | None]:
        """Card points by seat."""
        return {one.seat: one.points for one in self.counted}

    @property
    def result(self) -> ResultTold | None:
        """What it brought in all, where a house keeps nothing else; none of a void hand counts."""
        return None if self.is_void else next(iter(self._of(ResultTold)), None)

    @property
    def play_told(self) -> bool:
        """Whether anything was told that comes after declarations and fines."""
        return any(not isinstance(one, Declared | Fined) for one in self.entries)

    @property
    def is_void(self) -> bool:
        """Whether only declarations and fines count."""
        return HandVoided in self._by_kind or WrongDiscardFound in self._by_kind

    def cards_in_last(self, card: str) -> tuple[Seat, ...]:
        """Return who played such a *card* to the last trick."""
        return tuple(one.seat for one in self.last_cards if one.card == card)

    def fates_of(self, card: str) -> tuple[Seat, ...]:
        """Return whose ``pagat`` or ``king`` met its fate, in any trick; nobody's if it is void."""
        if self.is_void:
            return ()
        told = tuple(one.seat for one in self.fates if one.what.startswith(card))
        return told + self.cards_in_last(card)

    def maker(self, what: str) -> Seat | None:
        """Return who made the feat *what*, if anybody did."""
        return next((feat.seat for feat in self.made if feat.what == what), None)

    def opponents(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the other active players."""
        return tuple(one for one in self.active if one != seat)

    def _of(self, kind: type[E]) -> tuple[E, ...]:
        return self._by_kind.get(kind, ())


def cards_settle(options: Options, hand: Hand) -> bool:
    """Whether card points are paid in this *hand* (§ 6)."""
    if hand.is_void or not options.cards:
        return False
    if hand.maker("vole") is not None and options.rule_set == "b":
        return options.b_vole_with_cards
    return hand.maker("nolo") is None and hand.maker("tout") is None


def bonuses_count(options: Options, hand: Hand) -> bool:
    """Whether pagat, kings and ultimo are paid: a nolo made may switch them off (§ 6)."""
    replaced = options.rule_set == "b" and options.b_nolo_replaces == "all"
    return not (replaced and hand.maker("nolo") is not None)
