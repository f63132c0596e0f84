"""The 78 cards of Tarok: what beats what (§ 2), and what a pile counts (§ 6).

A pile is counted from its cards, or from how many good ones it has.
"""

from collections.abc import Mapping, Sequence

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.cards import SUITS, Card

COURTS = ("K", "Q", "C", "J")
_PIPS = ("10", "9", "8", "7", "6", "5", "4", "3", "2", "A")
_RED = ("H", "D")
_TAROKS = 21
_COURT_FIGURES = dict(zip(COURTS, ("king", "queen", "knight", "jack"), strict=True))
_TAROK_FIGURES = {"EX": "fool", "T1": "pagat", "T21": "moon"}  # Vienna's name for the highest
_FACE = {"Q": 4, "C": 3, "J": 2}
_FIVE = 5

TAROK = "T"
"""The suit of the taroks, for who names one."""


class TarokCard(Card):
    """A card of Tarok, rank first as in ``CD``, the cavalier of diamonds; T1 to T21, and EX."""

    __slots__ = ()
    how = "write taroks as T1 to T21, the Fool as EX, all others rank first as in KS CD 10H"
    high_to_low = (*COURTS, *_PIPS)

    def __str__(self) -> str:
        return self.rank + self.suit if self.suit in SUITS else self.suit + self.rank

    @property
    def figure(self) -> str | None:
        """Who is drawn on it: a court, the fool, the pagat, the moon; on other taroks nobody."""
        if self.suit in SUITS:
            return _COURT_FIGURES.get(self.rank)
        return _TAROK_FIGURES.get(str(self))


FOOL = TarokCard("EX", "")
PAGAT = TarokCard(TAROK, "1")
PACK = (
    *(TarokCard(TAROK, str(number)) for number in range(_TAROKS, 0, -1)),
    FOOL,
    *(TarokCard(suit, rank) for suit in SUITS for rank in (*COURTS, *_PIPS)),
)
_FIVES = {FOOL, PAGAT, TarokCard(TAROK, str(_TAROKS))}


def strength(card: Card, *, red_reversed: bool) -> int:
    """Return how good *card* is among those of its own suit; the Fool is below all."""
    if card.suit == TAROK:
        return int(card.rank)
    if card not in PACK or card.suit not in SUITS:
        return 0
    pips = _PIPS[::-1] if red_reversed and card.suit in _RED else _PIPS
    order = (*COURTS, *pips)
    return len(order) - order.index(card.rank)


def face(card: Card) -> int:
    """Return what *card* is worth on its own: 5 the best, 1 the most of them."""
    if card in _FIVES or card.rank == "K":
        return _FIVE
    return _FACE.get(card.rank, 1)


_TOGETHER = 3  # cards are counted in threes
_OFF = 2  # points, for each three

MORE: Mapping[str, int] = {"fives": 4, "queens": 3, "cavaliers": 2, "jacks": 1}
"""What each good card of a pile counts beyond the one for every three cards."""
MOST: Mapping[str, int] = {"fives": 7, "queens": 4, "cavaliers": 4, "jacks": 4, "size": len(PACK)}
"""How many of them there are."""


class BadPile(KlopleiError, ValueError):
    """No pile of Tarok can be like this."""


@dataclass(frozen=True, slots=True)
class Pile:
    """What is quickly seen in a pile: its *size*, and how many cards of each worth.

    *fives* are pagat, 21, Fool and kings.

    Raises:
        BadPile: With a sentence that says what does not fit.
    """

    size: int
    fives: int = 0
    queens: int = 0
    cavaliers: int = 0
    jacks: int = 0

    def __post_init__(self) -> None:
        for what, number in MOST.items():
            if not 0 <= getattr(self, what) <= number:
                raise BadPile(f"A pile has 0 to {number} {what}, not {getattr(self, what)}.")
        if self.fives + self.queens + self.cavaliers + self.jacks > self.size:
            raise BadPile(f"A pile of {self.size} has not so many cards that count.")

    @property
    def points(self) -> int:
        """What the pile counts."""
        good = (self.fives, self.queens, self.cavaliers, self.jacks)
        more = (number * worth for number, worth in zip(good, MORE.values(), strict=True))
        return sum(more) + self.threes

    @property
    def threes(self) -> int:
        """One for every three cards; two that are left over count as three."""
        return (self.size + 1) // _TOGETHER

    @property
    def is_uneven(self) -> bool:
        """Whether a card is missing, or one for the Fool was forgotten; a lone Fool may stay."""
        return self.size % _TOGETHER != 0


def count(cards: Sequence[Card]) -> int:
    """Return what *cards* count in threes, two off for each; one off for what is left over."""
    threes, over = divmod(len(cards), _TOGETHER)
    return sum(map(face, cards)) - _OFF * threes - (1 if over else 0)
