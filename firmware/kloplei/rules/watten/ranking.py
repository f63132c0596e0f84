"""Which card beats which in Watten, once Schlag and trump suit are known (§ 3)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from kloplei.rules.cards import LOW_TO_HIGH, PIQUET, RANKS, SUITS, Card
from kloplei.rules.trick import Rung, Taken
from kloplei.rules.watten.options import Options

WELI = Card("D", "6")
PACK = PIQUET | {WELI}
WELI_RANK = "6"
WHYS = ("supergute", "guate", "kritisch", "weli", "rechte", "linke", "trump", "led suit")
"""All that can make a card the best of a trick."""
_LED = Rung("led suit")  # any of the other suits, whichever is led


@dataclass(frozen=True, slots=True)
class Announced:
    """What the deal is played by: the rank *schlag* (None: no such rank) and the *trump* suit."""

    schlag: str | None
    trump: str


class Ranking:
    """Tells how good each card is in a deal.

    Args:
        options: The house rules, and with them the variant.
        announced: Schlag and trump suit.
    """

    def __init__(self, options: Options, announced: Announced) -> None:
        self._options = options
        self._announced = announced
        schlag = announced.schlag
        # With the Weli's rank as Schlag there are no Linken, no Weli and no Guate (§ 3).
        self._weli_is_schlag = schlag == WELI_RANK
        self._special: dict[Card, tuple[int, str]] = {}
        if schlag is not None:
            self._special[Card(announced.trump, schlag)] = (90, "rechte")
            self._add_guate(schlag)
        self._add_weli()
        # What is a Kritisch is nothing else, so these overwrite.
        for number, card in enumerate(kritische(options)):
            self._special[card] = (120 - number, "kritisch")

    def worth(self, card: Card, place: int, led: Card) -> tuple[int, int, str | None]:
        """Return what makes *card* good in a trick that *led* began; the greater one beats.

        The last of the three is why it may win; None where it cannot.
        """
        if card in self._special:
            level, why = self._special[card]
            return level, 0, why
        if card.rank == self._announced.schlag and not self._weli_is_schlag:
            return 80, -place, "linke"  # the first one played wins
        height = LOW_TO_HIGH.index(card.rank)
        if self._suit(card) == self._announced.trump:
            trump_high = self._options.linke_vs_trump == "trump_high"
            return (82 if trump_high else 70), height, "trump"
        if self._suit(card) == self._suit(led):
            return 50, height, "led suit"
        return 0, 0, None

    def best(self, cards: Sequence[Card]) -> Taken:
        """Return which of *cards*, in the order they were played, takes the trick."""
        worth = [self.worth(card, place, cards[0]) for place, card in enumerate(cards)]
        place = max(range(len(cards)), key=lambda one: worth[one][:2])
        return Taken(place, worth[place][2])

    def ladder(self, pack: Collection[Card]) -> tuple[Rung, ...]:
        """Return the cards of *pack* by what they are in this deal, the best first."""
        by_suit = sorted(pack, key=lambda card: SUITS.index(card.suit))
        led = {card: self.worth(card, 0, card) for card in by_suit}
        best_first = sorted(by_suit, key=lambda card: led[card][:2], reverse=True)
        return tuple(
            _LED if why == _LED.why else Rung(str(why), tuple(cards), equal=why == "linke")
            for why, cards in groupby(best_first, key=lambda card: led[card][2])
        )

    def _add_guate(self, schlag: str) -> None:
        if not self._options.has_guate or self._weli_is_schlag:
            return
        trump = self._announced.trump
        best = _above(schlag)
        if self._options.seven_guate and schlag != RANKS[0]:
            best = RANKS[0]
        self._special[Card(trump, best)] = (92, "guate")
        if self._options.supergute:
            higher = _above(best)
            higher = _above(higher) if higher == schlag else higher
            self._special[Card(trump, higher)] = (94, "supergute")

    def _add_weli(self) -> None:
        if self._weli_is_schlag:
            if self._options.weli_as_schlag == "weli_top":
                self._special[WELI] = (110, "weli")
        elif self._options.variant in ("tyrol", "kritisch"):
            level = 85 if self._options.weli == "second best" else 60
            self._special[WELI] = (level, "weli")

    def _suit(self, card: Card) -> str:
        """Return the suit of *card*; the Weli of Blind Watten is of none but its own."""
        blind = self._options.variant == "blind"
        return "Weli" if card == WELI and blind and not self._weli_is_schlag else card.suit


def pack_of(options: Options) -> frozenset[Card]:
    """Return the cards this house plays with."""
    return PACK if options.has_weli else PACK - {WELI}


def kritische(options: Options) -> tuple[Card, ...]:
    """Return the Kritische of this house, the best first."""
    if options.variant != "kritisch" and not (
        options.everyone_alone and options.bohemian_kritische
    ):
        return ()
    martl, acorn_seven = Card("H", "K"), Card(options.acorn_suit, "7")
    small_weli = Card("D", "7")
    match options.kritische:
        case "3":
            return martl, WELI, acorn_seven
        case "4":
            return martl, WELI, small_weli, acorn_seven
        case _:
            return martl, small_weli, acorn_seven


def _above(rank: str) -> str:
    """Return the next higher rank; after the ace the row begins again."""
    return RANKS[(RANKS.index(rank) + 1) % len(RANKS)]
