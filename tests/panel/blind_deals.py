"""Deals of Blind Watten, the same for two seals, and what is heard while they are played."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from kloplei.games.cards import read_cards
from kloplei.games.watten import PACK, actions, judge
from tests.panel.eavesdropping import Ask, Eavesdropping, Leaf

RANKS, SUITS = get_args(actions.Rank), get_args(actions.Suit)
DEALER, NEIGHBOUR, BLIND = 4, 1, (2, 3)
NAMES = sorted(map(str, PACK))


@dataclass(frozen=True)
class Seal:
    """What the two who know have shown each other."""

    rank: str
    suit: str

    def takes(self, cards: list[str]) -> int:
        said = {"variant": "blind", "schlag": self.rank, "trump": self.suit}
        return judge(read_cards(cards, PACK), said).place


def two_seals(dice: random.Random) -> tuple[Seal, Seal]:
    first, second = dice.sample([Seal(rank, suit) for rank in RANKS for suit in SUITS], 2)
    # The six is the Schlag that changes most: what may be signalled, and which cards are any good.
    return (Seal("6", first.suit), second) if dice.random() < 0.3 else (first, second)


class Deal:
    """One deal as *dice* let it fall; it is the same for both seals but for what is sealed.

    Who takes a trick is told, so that only such tricks are played as both would give to one seat.
    """

    def __init__(self, seed: int, seals: tuple[Seal, Seal] | None = None) -> None:
        self._dice = random.Random(seed)
        self.seals = seals or two_seals(self._dice)
        self._shuffled = self._dice.sample(NAMES, len(NAMES))
        self._opening = list(self._opened())
        self._playing = list(self._played())

    def until_play(self, number: int) -> Iterator[Ask]:
        """Yield what is asked until the first raise, with seal *number* of the two."""
        chance = random.Random(number)  # what is entered by mistake is nobody's business either
        for ask in self._opening:
            yield _filled_in(ask, self.seals[number], chance)

    def until_the_end(self, number: int) -> Iterator[Ask]:
        """Yield all that is asked but for the last trick."""
        yield from self.until_play(number)
        yield from self._playing

    def _opened(self) -> Iterator[Ask]:
        dice = self._dice
        yield Ask(None, "deal")
        yield from self._refused()
        first, last = dice.sample([DEALER, NEIGHBOUR], 2)
        self.way = way = dice.choice(("own", "one for both", "face to face", "keeper"))
        if way == "face to face":
            yield from (Ask(first, "confirm"), Ask(last, "confirm"))
        elif way == "keeper":
            yield Ask(None, "show")
        yield from self._garbled(first)
        for _ in range(dice.randrange(3)):
            yield Ask(first, "seal_schlag", {"rank": "MISTAKE"}, dice.random() < 0.5)
        yield Ask(first, "seal_schlag", {"rank": "RANK"})
        yield from (Ask(None, "undo"), Ask(None, "redo"))
        enters = last if way == "own" else first
        yield Ask(enters, "seal_trump", {"suit": "SUIT"}, by_form=True)
        if way == "one for both":
            yield Ask(last, "confirm")
        yield Ask(last, "seal_schlag", {"rank": "RANK"})
        yield from self._refused()
        yield from (Ask(3, "signal"), Ask(2, "show_hands"))

    def _played(self) -> Iterator[Ask]:
        dice = self._dice
        leader, won, laid = NEIGHBOUR, [0, 0], 0
        yield from (Ask(2, "raise"), Ask(NEIGHBOUR, "accept"))
        while True:
            cards = self._trick(laid)
            taker = (leader - 1 + self.seals[0].takes(cards)) % 4 + 1
            won[taker % 2] += 1
            if max(won) == 3:
                self.last = _laid(cards, dice)
                return
            if dice.random() < 0.3:
                yield (
                    Ask(NEIGHBOUR, "trick_of", {"took": taker})
                    if taker != NEIGHBOUR
                    else Ask(NEIGHBOUR, "trick")
                )
            else:
                yield from _laid(cards, dice)
                yield Ask(NEIGHBOUR, "card", {"card": cards[0]})  # lies there already
                laid += 4
            yield from self._refused()
            leader = taker

    def _trick(self, laid: int) -> list[str]:
        """Return four cards that nobody has seen, which both seals give to the same seat."""
        left = self._shuffled[laid:]
        while True:
            cards = self._dice.sample(left, 4)
            if self.seals[0].takes(cards) == self.seals[1].takes(cards):
                rest = [card for card in left if card not in cards]
                self._shuffled[laid:] = [*cards, *rest]
                return cards

    def _refused(self) -> Iterator[Ask]:
        """Yield what somebody tries who would like to know."""
        dice, seat = self._dice, self._dice.choice(BLIND)
        yield dice.choice(
            (
                Ask(seat, "seal_schlag", {"rank": dice.choice(RANKS)}, dice.random() < 0.5),
                Ask(seat, "card", {"card": dice.choice(NAMES)}),
                Ask(seat, "schlag", {"rank": dice.choice(RANKS)}),
            )
        )

    def _garbled(self, seat: int) -> Iterator[Ask]:
        """Yield what a program of one of those who know may get wrong."""
        yield Ask(seat, "seal_schlag", {"rank": "small RANK"})
        yield Ask(seat, "seal_trump", {"suit": "RANK of SUIT"}, by_form=True)
        yield Ask(seat, "seal_schlag", {"suit": "SUIT"})
        yield Ask(seat, "seal_trump")


def _laid(cards: list[str], dice: random.Random) -> list[Ask]:
    return [Ask(dice.choice((DEALER, NEIGHBOUR)), "card", {"card": card}) for card in cards]


def _filled_in(ask: Ask, seal: Seal, chance: random.Random) -> Ask:
    words: dict[object, str] = {
        "RANK": seal.rank,
        "SUIT": seal.suit,
        "MISTAKE": chance.choice(RANKS),
        "small RANK": f"{seal.rank.lower()} ",
        "RANK of SUIT": f"{seal.rank} of {seal.suit}",
    }
    facts = {name: words.get(value, value) for name, value in ask.facts.items()}
    return Ask(ask.seat, ask.action, facts, ask.by_form)


def overheard(folder: Path, deal: Deal, number: int) -> tuple[list[Leaf], list[Leaf]]:
    """Play *deal* with one of its seals; return what was heard before its end, and with it."""
    folder.mkdir()
    with Eavesdropping(folder) as pub:
        for ask in deal.until_the_end(number):
            pub.ask(ask)
        for ask in deal.last[:-1]:
            assert pub.ask(ask) == 202
        pub.look_everywhere()
        before = list(pub.heard)
        assert pub.ask(deal.last[-1]) == 202
        assert pub.table.scoreboard().phase == "between_deals"
        return before, pub.heard[len(before) :]


def overheard_until_play(
    folder: Path, deal: Deal, number: int, as_long_as_like: list[Leaf] | None = None
) -> list[Leaf]:
    """Play *deal* with one of its seals, but no card of it; return what was heard.

    It ends where anybody hears something else than was heard *as_long_as_like*, if that is told.
    """
    folder.mkdir()
    with Eavesdropping(folder) as pub:
        for ask in deal.until_play(number):
            pub.ask(ask)
            if as_long_as_like and pub.heard != as_long_as_like[: len(pub.heard)]:
                break
        return pub.heard
