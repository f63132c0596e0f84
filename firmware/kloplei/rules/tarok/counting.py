"""Card points of a pile: from its cards, or from how many good ones it has (§ 6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kloplei.files import KlopleiError
from kloplei.rules.cards import Card
from kloplei.rules.tarok.cards import PACK, face

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
