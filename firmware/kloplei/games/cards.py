"""Playing cards by their short names, suit first, as in ``H10``; a game says which pack."""

from collections.abc import Collection, Iterable
from typing import ClassVar

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass

SUITS = ("H", "D", "S", "C")
FRENCH, GERMAN = "french", "german"
GERMAN_SUITS = ("heart", "bell", "leaf", "acorn")
"""What a German pack has for each of `SUITS`, in their order."""
RANKS = ("7", "8", "9", "10", "J", "Q", "K", "A")
LOW_TO_HIGH = ("2", "3", "4", "5", "6", *RANKS)
"""As most games rank them, with those that only some packs have."""


class BadCard(KlopleiError, ValueError):
    """A name that no card has, or a card that lies there twice."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card: *suit* is one of `SUITS`, *rank* one of `RANKS` or, in some packs, lower.

    A pack whose cards are written otherwise has a class of its own, which says *how* to write
    them, spells them by ``str`` and names its ranks from the *high_to_low*, as they are laid
    out for people.
    """

    how: ClassVar[str] = (
        f"write the suit ({' '.join(SUITS)}) and then the rank ({' '.join(RANKS)}), as in H10"
    )
    high_to_low: ClassVar[tuple[str, ...]] = LOW_TO_HIGH[::-1]

    suit: str
    rank: str

    def __str__(self) -> str:
        return self.suit + self.rank

    @property
    def figure(self) -> str | None:
        """Who is drawn on it in any pack; None where that is left to the pack, or nobody is."""
        return None


PIQUET = frozenset(Card(suit, rank) for suit in SUITS for rank in RANKS)
"""The 32 cards of toepen."""


def read_card(name: str, pack: Collection[Card] = PIQUET) -> Card:
    """Return the card of the *pack* called *name*, such as ``H10``; small letters will do.

    Raises:
        BadCard: With a sentence that says how cards are written.
    """
    written = name.strip().upper()
    for card in pack:
        if str(card) == written:
            return card
    how = next((one.how for one in pack), Card.how)
    added = sorted(str(one) for one in pack if one not in PIQUET) if how == Card.how else []
    besides = f"; there is also {', '.join(added)}" if added else ""
    raise BadCard(f"{name!r:.40} is not a card; {how}{besides}.")


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
