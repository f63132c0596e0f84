"""The 78 cards of Tarok, what beats what (§ 2), and what each is worth when counted (§ 6)."""

from kloplei.rules.cards import SUITS, Card

_COURTS = ("K", "Q", "C", "J")
_PIPS = ("10", "9", "8", "7", "6", "5", "4", "3", "2", "A")
_RED = ("H", "D")
_TAROKS = 21
_FACE = {"Q": 4, "C": 3, "J": 2}
_FIVE = 5

TAROK = "T"
"""The suit of the taroks, for who names one."""


class TarokCard(Card):
    """A card of Tarok, rank first as in ``CD``, the cavalier of diamonds; T1 to T21, and EX."""

    __slots__ = ()
    how = "write taroks as T1 to T21, the Fool as EX, all others rank first as in KS CD 10H"
    high_to_low = (*_COURTS, *_PIPS)

    def __str__(self) -> str:
        return self.rank + self.suit if self.suit in SUITS else self.suit + self.rank


FOOL = TarokCard("EX", "")
PAGAT = TarokCard(TAROK, "1")
PACK = (
    *(TarokCard(TAROK, str(number)) for number in range(_TAROKS, 0, -1)),
    FOOL,
    *(TarokCard(suit, rank) for suit in SUITS for rank in (*_COURTS, *_PIPS)),
)
_FIVES = {FOOL, PAGAT, TarokCard(TAROK, str(_TAROKS))}


def strength(card: Card, *, red_reversed: bool) -> int:
    """Return how good *card* is among those of its own suit; the Fool is below all."""
    if card.suit == TAROK:
        return int(card.rank)
    if card not in PACK or card.suit not in SUITS:
        return 0
    pips = _PIPS[::-1] if red_reversed and card.suit in _RED else _PIPS
    order = (*_COURTS, *pips)
    return len(order) - order.index(card.rank)


def face(card: Card) -> int:
    """Return what *card* is worth on its own: 5 the best, 1 the most of them."""
    if card in _FIVES or card.rank == "K":
        return _FIVE
    return _FACE.get(card.rank, 1)
