"""Playing cards of the 32-card pack by their short names: suit first, as in ``H10``."""

from collections.abc import Iterable
from dataclasses import dataclass

from kloplei.errors import KlopleiError

SUITS = ("H", "D", "S", "C")
RANKS = ("7", "8", "9", "10", "J", "Q", "K", "A")


class BadCard(KlopleiError, ValueError):
    """A name that no card has, or a card that lies there twice."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card: *suit* is one of `SUITS`, *rank* one of `RANKS`."""

    suit: str
    rank: str

    def __str__(self) -> str:
        return self.suit + self.rank


def read_card(name: str) -> Card:
    """Return the card called *name*, such as ``H10``; small letters will do.

    Raises:
        BadCard: With a sentence that says how cards are written.
    """
    written = name.strip().upper()
    suit, rank = written[:1], written[1:]
    if suit not in SUITS or rank not in RANKS:
        raise BadCard(
            f"{name!r:.40} is not a card; write the suit ({' '.join(SUITS)}) and then the rank "
            f"({' '.join(RANKS)}), as in H10."
        )
    return Card(suit, rank)


def read_cards(names: Iterable[str]) -> tuple[Card, ...]:
    """Return the cards called *names*, all different.

    Raises:
        BadCard: No such card, or one that lies there twice.
    """
    cards: list[Card] = []
    for name in names:
        card = read_card(name)
        if card in cards:
            raise BadCard(f"{card} lies there twice; there is only one in the pack.")
        cards.append(card)
    return tuple(cards)
