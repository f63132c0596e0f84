"""Hands of Tarok that were really played: dealt, discarded, 25 tricks, and the piles counted.

Nobody plays well, but all follow suit; what is to be told of a hand is what came of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import cast

from kloplei.games.cards import SUITS, Card
from kloplei.games.game import Seat
from kloplei.games.tarok import actions, judge
from kloplei.games.tarok.actions import AnyEntry
from kloplei.games.tarok.cards import FOOL, PACK, PAGAT, TAROK, TarokCard, count, face
from kloplei.games.tarok.options import Options
from kloplei.games.tarok.state import Hand

_HAND = 25
_DISCARD = 3
_FORBIDDEN = 24
_COURTS = ("K", "Q", "C", "J")


@dataclass
class PlayedOut:
    """One hand of the three in *order*, the first lead first and the dealer last."""

    options: Options
    order: tuple[Seat, ...]
    luck: Random
    told: list[AnyEntry] = field(default_factory=list)
    piles: dict[Seat, list[Card]] = field(default_factory=dict)
    tricks: dict[Seat, int] = field(default_factory=dict)
    fool: tuple[Seat, Seat, str] | None = None
    """Who played the Fool, who won that trick, and whose the rules say it is."""

    def play(self) -> tuple[AnyEntry, ...]:
        """Play the hand and return what is to be told of it."""
        hands = self._deal()
        self._discard(hands[self.order[-1]])
        self.told += [one for seat in self.order for one in self._declared(seat, hands[seat])]
        leader = self.order[0]
        for number in range(1, _HAND + 1):
            leader = self._trick(number, leader, hands)
        self._give_back_the_fool()
        self._feats()
        self.told += [actions.PointsCounted(seat, count(self.piles[seat])) for seat in self.order]
        return tuple(self.told)

    def _deal(self) -> dict[Seat, list[Card]]:
        cards: list[Card] = self.luck.sample(PACK, len(PACK))
        self.piles = {seat: [] for seat in self.order}
        self.tricks = dict.fromkeys(self.order, 0)
        hands = {seat: cards[n * _HAND : (n + 1) * _HAND] for n, seat in enumerate(self.order)}
        hands[self.order[-1]] += cards[len(self.order) * _HAND :]
        return hands

    def _discard(self, hand: list[Card]) -> None:
        low = [card for card in hand if card.suit in SUITS and card.rank != "K"]
        laid = self.luck.sample(low, _DISCARD)
        for card in laid:
            hand.remove(card)
        self.piles[self.order[-1]] += laid

    def _declared(self, seat: Seat, hand: list[Card]) -> Iterator[AnyEntry]:
        """Declare all there is, where over-full goes before full and nothing half twice."""
        taroks = [card for card in hand if card.suit == TAROK or card == FOOL]
        if len(taroks) >= 10:
            yield actions.Declared(
                seat,
                "taroks",
                count=len(taroks),
                pagat=None if self.options.rule_set == "a" else PAGAT in hand,
                fool=FOOL in hand if self.options.rule_set == "b" else None,
            )
        if {FOOL, PAGAT, TarokCard(TAROK, "21")} <= set(hand):
            yield actions.Declared(seat, "matadors", count=3 + _run_down(hand))
        if self.options.rule_set == "b":
            yield from _declared_in_grosstarock(seat, hand)
        with_fool = FOOL in hand
        kings = [card for card in hand if card.rank == "K"]
        if self.options.rule_set != "b" and len(kings) + with_fool >= 4:
            yield actions.Declared(seat, self._kings(len(kings), with_fool))
        for suit in SUITS:
            courts = [card for card in hand if card.suit == suit and card.rank in _COURTS]
            if len(courts) + with_fool >= 4:
                over = with_fool and len(courts) == 4 and self.options.rule_set == "c"
                full = "over" if over else "full" if len(courts) == 4 else "half"
                yield actions.Declared(seat, f"cavalry_{full}", suit=suit)

    def _kings(self, kings: int, with_fool: bool) -> str:
        if self.options.rule_set == "a":
            return "kings_four" if kings == 4 else "kings_three"
        return "kings_half" if kings == 3 else "kings_over" if with_fool else "kings_full"

    def _trick(self, number: int, leader: Seat, hands: dict[Seat, list[Card]]) -> Seat:
        at = self.order.index(leader)
        order = self.order[at:] + self.order[:at]
        cards: list[Card] = []
        named = self.luck.choice([*SUITS, TAROK])
        for seat in order:
            card = self.luck.choice(self._playable(number, cards, hands[seat], named))
            hands[seat].remove(card)
            cards.append(card)
        said = {"set": self.options.rule_set, "trick": str(number), "named": named}
        taken = judge(cards, {**said, "options": {"pips": self.options.pips}})
        winner = order[taken.place]
        self.tricks[winner] += 1
        self._tell(taken.besides, order, winner)
        if FOOL in cards:
            self.fool = order[cards.index(FOOL)], winner, str(taken.besides["fool"])
        self.piles[winner] += cards
        return winner

    def _playable(self, number: int, lying: list[Card], hand: list[Card], named: str) -> list[Card]:
        """Return what of *hand* may be played: suit, else tarok; the Fool at almost any time."""
        forbidden = self.options.rule_set == "c" and number == _FORBIDDEN
        others = [card for card in hand if card != FOOL]
        fool = [FOOL] if FOOL in hand and not (forbidden and others) else []
        if not lying:
            return others + fool
        led = lying[0].suit if lying[0] != FOOL else (lying[1].suit if lying[1:] else named)
        follow = [card for card in others if card.suit == led]
        return (follow or [card for card in others if card.suit == TAROK] or others) + fool

    def _tell(self, besides: Mapping[str, object], order: tuple[Seat, ...], winner: Seat) -> None:
        """Tell what the judge offers the scorekeeper of this trick."""
        events = cast("Mapping[str, list[int]]", besides.get("events", {}))
        for event, places in events.items():
            self.told += [actions.FateTold(order[place - 1], event) for place in places]
        last = cast("Mapping[int, str]", besides.get("last", {}))
        if last:
            self.told.append(actions.LastTrickTold(winner))
        self.told += [
            actions.LastCardTold(order[place - 1], card)
            for place, card in last.items()
            if card != "other"
        ]

    def _give_back_the_fool(self) -> None:
        """Let the owner have the Fool for a low card, if it is his and he has one."""
        if self.fool is None or self.fool[2] != "owner":
            return
        owner, winner, _ = self.fool
        low = [card for card in self.piles[owner] if face(card) == 1]
        if self.tricks[owner] and low and owner != winner:
            self.piles[winner].remove(FOOL)
            self.piles[winner].append(low[0])
            self.piles[owner].remove(low[0])
            self.piles[owner].append(FOOL)
        elif not self.tricks[owner] and self.options.rule_set == "a":
            self.told.append(actions.FoolLeft(owner))

    def _feats(self) -> None:
        all_tricks = {"b": "vole", "c": "tout"}.get(self.options.rule_set)
        nobody_took_all = max(self.tricks.values()) < _HAND
        without = [seat for seat, taken in self.tricks.items() if not taken]
        for seat, taken in self.tricks.items():
            if taken == _HAND and all_tricks:
                self.told.append(actions.FeatTold(seat, all_tricks))
        if nobody_took_all and without and self.options.rule_set != "a":
            self.told.append(actions.FeatTold(without[0], "nolo"))


def _declared_in_grosstarock(seat: Seat, hand: list[Card]) -> Iterator[AnyEntry]:
    honours = [card for card in hand if face(card) == 5]
    if len(honours) >= 3:
        yield actions.Declared(seat, "honours", count=len(honours))
    for what, rank in (("queens", "Q"), ("cavaliers", "C"), ("jacks", "J")):
        if sum(card.rank == rank for card in hand) == len(SUITS):
            yield actions.Declared(seat, what)
    ladons = [card for card in hand if card.suit in SUITS and card.rank not in _COURTS]
    if len(ladons) >= 16:
        yield actions.Declared(seat, "ladons", count=len(ladons))


def _run_down(hand: list[Card]) -> int:
    """Return how many taroks from 20 down are in *hand* without a gap."""
    run = 0
    while TarokCard(TAROK, str(20 - run)) in hand and 20 - run > 1:
        run += 1
    return run


def also(hand: Hand, *told: AnyEntry) -> Hand:
    """Return *hand* with more *told* on top."""
    return replace(hand, entries=(*hand.entries, *told))


def played_out(options: Options, order: tuple[Seat, ...], seed: int) -> Hand:
    """Return the hand that was played by such luck as *seed*."""
    told = PlayedOut(options, order, Random(seed)).play()
    return Hand(order[-1], order, told)
