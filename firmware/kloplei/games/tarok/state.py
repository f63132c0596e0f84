"""One table of Tarok between two events: who won what, the pots, and the hand that is told.

A `Hand` is what was told so far of one hand, its entries by kind; `State` is the whole evening.
"""

from dataclasses import field
from enum import StrEnum
from typing import Any, Self, TypeVar

from kloplei.frozen import dataclass
from kloplei.games.card_game import GameState
from kloplei.games.game import Event, Seat
from kloplei.games.tarok import actions
from kloplei.games.tarok.options import Options

E = TypeVar("E", bound=Event)
_FOUR = 4


class Phase(StrEnum):
    """Where an evening of Tarok stands (§ 9)."""

    BETWEEN_HANDS = "between_hands"
    HAND = "hand"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Pots:
    """Chips in the two pots of Danish Tarok; elsewhere there are none."""

    king: int = 0
    pagat: int = 0

    @property
    def total(self) -> int:
        """What lies in both."""
        return self.king + self.pagat

    @classmethod
    def only(cls, card: str, chips: int) -> Self:
        """Return so many *chips* in the pot of the ``king`` or of the ``pagat``."""
        return cls(king=chips) if card == "king" else cls(pagat=chips)

    def __neg__(self) -> "Pots":
        return Pots(-self.king, -self.pagat)

    def of(self, card: str) -> int:
        """Return what lies in the pot of the ``king`` or of the ``pagat``."""
        return self.king if card == "king" else self.pagat


@dataclass(frozen=True, slots=True)
class Hand:
    """What was told of a hand that *dealer* dealt and those *active* play.

    *active* stand in the order of play, the first lead first.
    """

    dealer: Seat
    active: tuple[Seat, ...]
    entries: tuple[actions.AnyEntry, ...] = ()
    _groups: dict[type[Event], list[Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for entry in self.entries:
            self._groups.setdefault(type(entry), []).append(entry)

    @property
    def strangers(self) -> tuple[actions.Entry, ...]:
        """What was told of somebody who does not play it."""
        told = (one for one in self.entries if isinstance(one, actions.Entry))
        return tuple(one for one in told if one.seat not in self.active)

    @property
    def declared(self) -> tuple[actions.Declared, ...]:
        """What was declared, in the order told."""
        return self._of(actions.Declared)

    @property
    def fines(self) -> tuple[actions.Fined, ...]:
        """The fines, in the order told."""
        return self._of(actions.Fined)

    @property
    def fates(self) -> tuple[actions.FateTold, ...]:
        """What became of pagat and kings in tricks 1 to 24."""
        return self._of(actions.FateTold)

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who is said to have won the last trick; exactly one, if it is told rightly."""
        return tuple(one.seat for one in self._of(actions.LastTrickTold))

    @property
    def winner(self) -> Seat | None:
        """Who won the last trick."""
        return self.winners[0] if len(self.winners) == 1 else None

    @property
    def last_cards(self) -> tuple[actions.LastCardTold, ...]:
        """Cards of the last trick, in the order told; who is not named played another one."""
        return self._of(actions.LastCardTold)

    @property
    def feats(self) -> tuple[actions.FeatTold, ...]:
        """Voles, touts and nolos, made or failed."""
        return self._of(actions.FeatTold)

    @property
    def made(self) -> tuple[actions.FeatTold, ...]:
        """The feats that were made."""
        return tuple(feat for feat in self.feats if feat.made)

    @property
    def fool_left(self) -> tuple[Seat, ...]:
        """Who took no trick and was left with the Fool."""
        return tuple(one.seat for one in self._of(actions.FoolLeft))

    @property
    def wrong_discard(self) -> tuple[Seat, ...]:
        """Who had laid away a wrong number of cards."""
        return tuple(one.seat for one in self._of(actions.WrongDiscardFound))

    @property
    def counted(self) -> tuple[actions.PointsCounted, ...]:
        """Card points, in the order told."""
        return self._of(actions.PointsCounted)

    @property
    def unclaimed(self) -> tuple[Seat, ...]:
        """Whose feat the card points prove, and the table lets pass."""
        return tuple(one.seat for one in self._of(actions.FeatUnclaimed))

    @property
    def points(self) -> dict[Seat, int | None]:
        """Card points by seat."""
        return {one.seat: one.points for one in self.counted}

    @property
    def result(self) -> actions.ResultTold | None:
        """What it brought in all, where a house keeps nothing else; none of a void hand counts."""
        return None if self.is_void else next(iter(self._of(actions.ResultTold)), None)

    @property
    def play_told(self) -> bool:
        """Whether anything was told that comes after declarations and fines."""
        return not self._groups.keys() <= {actions.Declared, actions.Fined}

    @property
    def is_void(self) -> bool:
        """Whether only declarations and fines count."""
        return actions.HandVoided in self._groups or actions.WrongDiscardFound in self._groups

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
        return next((feat.seat for feat in self.feats if feat.made and feat.what == what), None)

    def opponents(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the other active players."""
        return tuple(one for one in self.active if one != seat)

    def _of(self, kind: type[E]) -> tuple[E, ...]:
        return tuple(self._groups.get(kind, ()))


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A finished hand of the evening: what was told of it, and each line that was booked."""

    number: int
    how: str
    dealer: Seat
    sitter: Seat | None
    entries: tuple[actions.AnyEntry, ...]
    lines: tuple[actions.Booked, ...]


@dataclass(frozen=True, slots=True)
class State(GameState):
    """One table of Tarok; *seats* stand in the order of play.

    The *dealer* deals the running hand or the next one, and *sitter* sits it out, if somebody
    was chosen to. *entries* and *lines* are those of the running hand. The evening is
    *opened* once the first antes are in; a next deal is *paid* for already where the hand
    before it was thrown in. *passed* are those who have no more to declare. While an older
    hand is told anew, those after it are *waiting* to be booked once more, and *next_sitter*
    is who was chosen for the hand to come.
    """

    scores: tuple[int, ...]
    pots: Pots = field(default_factory=Pots)
    phase: Phase = Phase.BETWEEN_HANDS
    sitter: Seat | None = None
    entries: tuple[actions.AnyEntry, ...] = ()
    lines: tuple[actions.Booked, ...] = ()
    passed: tuple[Seat, ...] = ()
    waiting: tuple[PlayedHand, ...] = ()
    next_sitter: Seat | None = None
    opened: bool = False
    paid: bool = False
    hands: tuple[PlayedHand, ...] = ()
    _hand: list[Hand] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def sits_out(self) -> Seat | None:
        """Who takes no part in this hand: one of four, opposite the dealer unless chosen."""
        if len(self.seats) < _FOUR:
            return None
        return self.after(self.dealer)[1] if self.sitter is None else self.sitter

    @property
    def active(self) -> tuple[Seat, ...]:
        """The three who play this hand, the first lead first and the dealer last."""
        return tuple(seat for seat in self.after(self.dealer) if seat != self.sits_out)

    @property
    def next_dealer(self) -> Seat:
        """Who deals after the dealer."""
        return self.after(self.dealer)[0]

    @property
    def hand(self) -> Hand:
        """The running hand, as far as it has been told; put together when first asked for."""
        if not self._hand:
            self._hand.append(Hand(self.dealer, self.active, self.entries))
        return self._hand[0]

    @property
    def to_declare(self) -> Seat | None:
        """Whose turn it is to declare or to pass: the dealer is first (§ 4)."""
        if self.phase is not Phase.HAND or self.hand.play_told:
            return None
        return next((one for one in (self.dealer, *self.active) if one not in self.passed), None)

    @property
    def number(self) -> int:
        """Number of the running hand, or of the next one."""
        return len(self.hands) + 1


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
