"""Playing cards by their short names, suit first, as in ``H10``; a game says which pack."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from kloplei.errors import KlopleiError

SUITS = ("H", "D", "S", "C")
RANKS = ("7", "8", "9", "10", "J", "Q", "K", "A")


class BadCard(KlopleiError, ValueError):
    """A name that no card has, or a card that lies there twice."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card: *suit* is one of `SUITS`, *rank* one of `RANKS` or, in some packs, lower."""

    suit: str
    rank: str

    def __str__(self) -> str:
        return self.suit + self.rank


PIQUET = frozenset(Card(suit, rank) for suit in SUITS for rank in RANKS)
"""The 32 cards of toepen."""


def read_card(name: str, pack: Collection[Card] = PIQUET) -> Card:
    """Return the card of the *pack* called *name*, such as ``H10``; small letters will do.

    Raises:
        BadCard: With a sentence that says how cards are written.
    """
    written = name.strip().upper()
    card = Card(written[:1], written[1:])
    if card not in pack:
        besides = ", ".join(sorted(str(one) for one in pack if one not in PIQUET))
        raise BadCard(
            f"{name!r:.40} is not a card; write the suit ({' '.join(SUITS)}) and then the rank "
            f"({' '.join(RANKS)}), as in H10{besides and f'; there is also {besides}'}."
        )
    return card


def read_cards(names: Iterable[str], pack: Collection[Card] = PIQUET) -> tuple[Card, ...]:
    """Return the cards of the *pack* called *names*, all different.

    Raises:
        BadCard: No such card, or one that lies there twice.
    """
    cards: list[Card] = []
    for name in names:
        card = read_card(name, pack)
        if card in cards:
            raise BadCard(f"{card} lies there twice; there is only one in the pack.")
        cards.append(card)
    return tuple(cards)
