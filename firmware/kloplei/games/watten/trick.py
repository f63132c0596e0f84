"""Who takes a trick of Watten: which card beats which once Schlag and trump are known (§ 3, § 4).

In come cards and what was said of them, out comes a `kloplei.games.trick.Taken`; nothing here
knows a table. The signs of partners (§ 6) stand here too: they tell of the same ranks.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import cast

from kloplei.frozen import dataclass
from kloplei.games.cards import LOW_TO_HIGH, PIQUET, RANKS, SUITS, Card, read_cards
from kloplei.games.trick import Ask, Bench, NoTrick, Rung, Taken
from kloplei.games.watten.options import PRESETS, VARIANTS, Options

WELI = Card("D", "6")
PACK = PIQUET | {WELI}
WELI_RANK = "6"
WHYS = ("supergute", "guate", "kritisch", "weli", "rechte", "linke", "trump", "led suit")
"""All that can make a card the best of a trick."""
Signs = tuple[tuple[str, str], ...]
"""Words for what is held, and for the sign of it, the greatest first."""
_LED = Rung("led suit")  # any of the other suits, whichever is led
_FINGERS: Signs = (
    ("trump-A", "right-thumb"),
    ("trump-K", "right-index"),
    ("trump-Q", "right-middle"),
    ("trump-J", "right-ring"),
    ("trump-low", "right-little"),
)
_TYROL: Signs = (
    ("rechte", "kiss"),
    ("linke", "wink"),
    ("two-linken", "eyes-closed"),
    ("three-linken", "eyes-closed-wink"),
    *_FINGERS,
    ("suit-C", "left-little"),
    ("suit-S", "left-ring"),
    ("suit-H", "left-middle"),
    ("suit-D", "left-index"),
    ("nothing", "ceiling"),
)
_KRITISCH: Signs = (
    ("martl", "kiss"),
    ("weli", "lips-right"),
    ("nell", "lips-left"),
    ("rechte", "wink-right"),
    ("linke", "wink-left"),
    *_FINGERS,
)
_MOST_CARDS = {"bohemian": 6}
_CARDS = 4
_NO_OPTIONS: Mapping[str, object] = {}


def bench(preset: str, written: Mapping[str, object]) -> Bench:
    """Return what a trick is judged by at a table with the house rules *preset* and *written*.

    Raises:
        BadOption: A house rule that Watten does not have.
    """
    options = Options.from_mapping(written, PRESETS[preset])
    said = {"variant": options.variant, "options": options.as_facts()}
    ranks = (WELI_RANK, *RANKS) if options.six_may_be_schlag else RANKS
    asks = {"schlag": Ask(ranks, "rank"), "trump": Ask(SUITS, "suit")}
    if _has_no_schlag(options):
        del asks["schlag"]
    return Bench(pack_of(options), _most_cards(options), said, asks)


def judge(cards: Sequence[Card], said: Mapping[str, object]) -> Taken:
    """Return who takes the trick of *cards*, in the order they were played.

    Args:
        cards: At most as many as there may be players.
        said: ``variant`` (Tyrol without), ``schlag`` and ``trump`` as announced, ``options``.

    Raises:
        NoTrick: These cards are no trick, or it was not said what they are judged by.
        BadOption: A house rule that Watten does not have.
    """
    options = _options(said)
    announced = _announced(options, said)
    most = _most_cards(options)
    if not 1 <= len(cards) <= most:
        raise NoTrick(
            f"A trick of this Watten has 1 to {most} cards, not {len(cards)}.",
            "trick_size",
            most=most,
        )
    if WELI in cards and not options.has_weli:
        raise NoTrick("The Weli is not in the pack of this house.", "unknown_card")
    return Ranking(options, announced).best(cards)


def ladder(said: Mapping[str, object]) -> tuple[Rung, ...]:
    """Return what beats what by all that was *said* (see `judge`), the best first.

    Raises:
        NoTrick: It was not said what cards are judged by.
        BadOption: A house rule that Watten does not have.
    """
    options = _options(said)
    return Ranking(options, _announced(options, said)).ladder(pack_of(options))


def signs_of(variant: str) -> Signs:
    """Return the signs of *variant*; Blind Watten has those of Tyrol, who plays alone none."""
    return {"bohemian": (), "kritisch": _KRITISCH}.get(variant, _TYROL)


def pack_of(options: Options) -> frozenset[Card]:
    """Return the cards this house plays with."""
    return PACK if options.has_weli else PACK - {WELI}


def kritische(options: Options) -> tuple[Card, ...]:
    """Return the Kritische of this house, the best first."""
    if not options.has_kritische:
        return ()
    if options.kritische_cards is not None:
        return read_cards(options.kritische_cards.split(), PACK)
    martl, acorn_seven = Card("H", "K"), Card(options.acorn_suit, "7")
    small_weli = Card("D", "7")
    match options.kritische:
        case "3":
            return martl, WELI, acorn_seven
        case "4":
            return martl, WELI, small_weli, acorn_seven
        case _:
            return martl, small_weli, acorn_seven


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
        elif self._options.weli == "second best" and not self._options.everyone_alone:
            self._special[WELI] = (85, "weli")
        elif self._options.weli_is_lowest:
            self._special[WELI] = (60, "weli")

    def _suit(self, card: Card) -> str:
        """Return the suit of *card*; the Weli of Blind Watten is of none but its own."""
        blind = self._options.variant == "blind"
        return "Weli" if card == WELI and blind and not self._weli_is_schlag else card.suit


def _above(rank: str) -> str:
    """Return the next higher rank; after the ace the row begins again."""
    return RANKS[(RANKS.index(rank) + 1) % len(RANKS)]


def _most_cards(options: Options) -> int:
    return _MOST_CARDS.get(options.variant, _CARDS)


def _has_no_schlag(options: Options) -> bool:
    return options.everyone_alone and options.bohemian_schlag == "no rank"


def _options(said: Mapping[str, object]) -> Options:
    variant = str(said.get("variant", "tyrol")).lower()
    if variant not in VARIANTS:
        raise NoTrick(f"Watten has no variant {variant!r:.40}; it has {', '.join(VARIANTS)}.")
    written = cast("Mapping[str, object]", said.get("options", _NO_OPTIONS))
    options = Options.from_mapping(written, VARIANTS[variant])
    if "variant" in said and options.variant != VARIANTS[variant].variant:
        raise NoTrick(f"The variant is {variant!r}, but an option makes it {options.variant!r}.")
    return options


def _announced(options: Options, said: Mapping[str, object]) -> Announced:
    trump = _one_of("trump", (*SUITS,), said)
    if _has_no_schlag(options):
        return Announced(None, trump)
    schlag = _one_of("schlag", (WELI_RANK, *RANKS), said)
    if schlag == WELI_RANK and not options.six_may_be_schlag:
        raise NoTrick("In this Watten the six cannot be the Schlag.", "weli_rank_forbidden")
    return Announced(schlag, trump)


def _one_of(what: str, known: tuple[str, ...], said: Mapping[str, object]) -> str:
    if what not in said:
        raise NoTrick(f"Say the {what} as well: {' '.join(known)}.", "not_announced")
    written = str(said[what]).strip().upper()
    if written not in known:
        raise NoTrick(
            f"The {what} cannot be {str(said[what])!r:.40}; it is one of {' '.join(known)}."
        )
    return written
