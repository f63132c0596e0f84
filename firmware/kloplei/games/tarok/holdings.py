"""Whether 25 cards a player can hold what was told of a hand, and what of it cannot be (§ 10).

Declarations and what became of pagat and kings are *claims*: so many of these cards are in that
hand. They can all be true if the pack can be dealt out so; the three cards that the dealer laid
away are nobody's. Cards of which the same is claimed are all one, so a few handfuls are dealt.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from kloplei.frozen import dataclass
from kloplei.games.cards import SUITS
from kloplei.games.game import Seat
from kloplei.games.tarok import actions
from kloplei.games.tarok.cards import COURTS, FOOL, PACK, PAGAT, TAROK, TarokCard
from kloplei.games.tarok.options import Options, RuleSet
from kloplei.games.tarok.state import Hand

_ALL = len(PACK)
_LAID_AWAY = 3
_MOST_LAID_WRONGLY = actions.MOST_IN_HAND + _LAID_AWAY
_PATIENCE = 5_000  # deals tried; beyond it, somebody who may be right is not refused
_NAMES = {"queens": "Q", "cavaliers": "C", "jacks": "J"}


def _mask(cards: Iterable[TarokCard]) -> int:
    return sum(1 << PACK.index(card) for card in cards)


def _of_rank(rank: str) -> int:
    return _mask(TarokCard(suit, rank) for suit in SUITS)


_FOOL, _PAGAT = _mask([FOOL]), _mask([PAGAT])
_TAROKS = _mask(card for card in PACK if card.suit == TAROK) | _FOOL
_KINGS = _of_rank("K")
_COURTS = _mask(card for card in PACK if card.suit in SUITS and card.rank in COURTS)
_PIPS = (1 << _ALL) - 1 - _TAROKS - _COURTS
_TRULL = _FOOL | _PAGAT | _mask([TarokCard(TAROK, "21")])
_HONOURS = _TRULL | _KINGS
_KINDS = (_TAROKS, _PIPS, _COURTS)
_RUN = [_mask([TarokCard(TAROK, str(number))]) for number in range(20, 1, -1)]
"""What comes after the three first matadors."""
_SUBSETS = [
    kinds for some in range(1, len(_KINDS) + 1) for kinds in combinations(range(len(_KINDS)), some)
]


@dataclass(frozen=True, slots=True)
class Claim:
    """Of *cards*, a set of bits, *seat* holds *least* to *most*."""

    seat: Seat
    cards: int
    least: int
    most: int


def contradiction(options: Options, hand: Hand) -> tuple[actions.Entry, ...]:
    """Return what was told of *hand* and cannot be true together, nothing if all of it can be.

    It is two entries, if two of them contradict each other, and never more than has to be.
    """
    told = tuple(_about_cards(options.rule_set, hand))
    return _contradiction(options.rule_set, hand.active, told, hand.is_void)


def _about_cards(rule_set: RuleSet, hand: Hand) -> Iterator[actions.Entry]:
    """Yield what was told of cards in hands, as far as this game knows such a thing."""
    for one in hand.declared:
        known = one.what in actions.DECLARATIONS[rule_set] and is_countable(one)
        of_a_suit = one.what not in actions.CAVALRIES or one.suit in SUITS
        if one.seat in hand.active and known and of_a_suit:
            yield one
    if hand.is_void:
        return
    for fate in hand.fates:
        if fate.seat in hand.active and fate.what in actions.FATES[rule_set]:
            yield fate
    yield from (one for one in hand.last_cards if one.seat in hand.active)
    if rule_set == "a":
        yield from (actions.FoolLeft(seat) for seat in hand.fool_left if seat in hand.active)


def is_countable(one: actions.Declared) -> bool:
    """Whether *one* is said of as many cards as there may be, if it is of a number at all."""
    if one.what not in actions.COUNTED:
        return True
    least, most = actions.COUNTED[one.what]
    return one.count is not None and least <= one.count <= min(most, actions.MOST_IN_HAND)


@lru_cache(maxsize=64)
def _contradiction(
    rule_set: RuleSet, active: tuple[Seat, ...], told: tuple[actions.Entry, ...], is_void: bool
) -> tuple[actions.Entry, ...]:
    # A table draws itself several times between two events; so it is reckoned once for each.
    def can_be(some: Sequence[actions.Entry]) -> bool:
        return _Deal(active, tuple(_claims(rule_set, some)), is_void).is_possible()

    if can_be(told):
        return ()
    left = list(told)
    for one in told:  # the older one goes first: the last thing told is mostly the slip
        without = [other for other in left if other is not one]
        if not can_be(without):
            left = without
    pairs = combinations(told, 2) if len(left) > 2 else ()
    return next((pair for pair in pairs if not can_be(pair)), tuple(left))


def _claims(rule_set: RuleSet, told: Sequence[actions.Entry]) -> Iterator[Claim]:
    """Yield what *told* says of the cards in each hand; each king meets one fate only."""
    kings: Counter[Seat] = Counter()
    for one in told:
        match one:
            case actions.Declared():
                yield from _declared(rule_set, one)
            case actions.FateTold(seat=seat, what=what) if what.startswith("king"):
                kings[seat] += 1
            case actions.LastCardTold(seat=seat, card="king"):
                kings[seat] += 1
            case actions.FateTold(seat=seat) | actions.LastCardTold(seat=seat, card="pagat"):
                yield Claim(seat, _PAGAT, 1, 1)
            case actions.FoolLeft(seat=seat):
                yield Claim(seat, _FOOL, 1, 1)
    yield from (Claim(seat, _KINGS, number, _ALL) for seat, number in kings.items())


def _declared(rule_set: RuleSet, one: actions.Declared) -> Iterator[Claim]:
    """Yield what *one* says that its player holds, and no more of it than that (§ 4)."""
    count = one.count or 0
    if one.what == "taroks":
        yield _just(one, _TAROKS, count)
    elif one.what == "honours":
        yield _just(one, _HONOURS, count)
    elif one.what == "ladons":
        yield _just(one, _PIPS, count)
    elif one.what == "matadors":
        run = count - _TRULL.bit_count()
        yield _just(one, _TRULL | sum(_RUN[:run]), count)
        yield from (_just(one, card, 0) for card in _RUN[run : run + 1])
    elif one.what in _NAMES:
        yield _just(one, _of_rank(_NAMES[one.what]), len(SUITS))
    else:
        yield from _four(rule_set, one)
    for card, held in ((_PAGAT, one.pagat), (_FOOL, one.fool)):
        if held is not None:
            yield _just(one, card, int(held))


def _four(rule_set: RuleSet, one: actions.Declared) -> Iterator[Claim]:
    """Yield what four kings or four courts of a suit are, in full, half or over-full."""
    kind, _, how = one.what.partition("_")
    cards = _KINGS
    if kind == "cavalry":
        cards = _mask(TarokCard(str(one.suit), rank) for rank in COURTS)
    half = how in ("half", "three")
    yield _just(one, cards, len(SUITS) - half)
    if half or how == "over":
        yield _just(one, _FOOL, 1)
    elif rule_set == "c":
        yield _just(one, _FOOL, 0)  # over-full would go before it


def _just(one: actions.Declared, cards: int, number: int) -> Claim:
    return Claim(one.seat, cards, number, number)


class _Deal:
    """The pack, dealt out so that *claims* hold, if it can be.

    The three *active* players have the first three places, what is laid away the fourth. Cards of
    which the same is claimed are an atom, and dealt together; what nobody claims apart from its
    kind is dealt last, and needs no trying.
    """

    def __init__(self, active: tuple[Seat, ...], claims: Sequence[Claim], is_void: bool) -> None:
        of_seat = [[one for one in claims if one.seat == seat] for seat in active]
        self.claims: list[list[Claim]] = [*of_seat, []]
        size = _MOST_LAID_WRONGLY if is_void else actions.MOST_IN_HAND
        self.sizes = [*(size for _ in active), _ALL if is_void else _LAID_AWAY]
        self.atoms = _atoms({one.cards for one in claims})
        self.patience = _PATIENCE

    def is_possible(self) -> bool:
        """Whether the cards can be dealt so."""
        return self._deal([[] for _ in self.sizes])

    def _deal(self, dealt: list[list[int]]) -> bool:
        """Deal the atoms that *dealt*, how many of each by place, does not have yet."""
        self.patience -= 1
        if self.patience < 0:
            return True
        done = len(dealt[0])
        if not self._may_be(dealt, sum(self.atoms[:done])):
            return False
        return done == len(self.atoms) or any(
            self._deal([[*own, share] for own, share in zip(dealt, shares, strict=True)])
            for shares in _shares(self.atoms[done].bit_count(), len(self.sizes))
        )

    def _may_be(self, dealt: list[list[int]], gone: int) -> bool:
        """Whether claims may still hold with the cards that are *gone* in the hands *dealt*."""
        return all(
            claim.least - (claim.cards & ~gone).bit_count()
            <= self._of(own, claim.cards)
            <= claim.most
            for claims, own in zip(self.claims, dealt, strict=True)
            for claim in claims
        ) and self._fills_up(dealt, gone)

    def _fills_up(self, dealt: list[list[int]], gone: int) -> bool:
        """Whether the rest of each kind of card finds room in the hands.

        So many of it as are claimed lie there first. Then it does if all of any kinds together find
        room: with nothing but upper bounds, that is enough.
        """
        left = [(kind & ~gone).bit_count() for kind in _KINDS]
        rooms: list[tuple[int, list[int]]] = []
        for own, claims, size in zip(dealt, self.claims, self.sizes, strict=True):
            needs, more = [], []
            for at, kind in enumerate(_KINDS):
                held = self._of(own, kind)
                inside = [one.least for one in claims if not one.cards & ~kind]
                most = [one.most for one in claims if one.cards == kind]
                needs.append(max(0, max(inside, default=0) - held))
                more.append(min(most, default=_ALL) - held - needs[-1])
                left[at] -= needs[-1]
            rooms.append((size - sum(own) - sum(needs), more))
        if min(left) < 0 or any(room < 0 or min(more) < 0 for room, more in rooms):
            return False
        return all(
            sum(left[at] for at in kinds)
            <= sum(min(room, sum(more[at] for at in kinds)) for room, more in rooms)
            for kinds in _SUBSETS
        )

    def _of(self, own: list[int], cards: int) -> int:
        """Return how many of *cards*, whole atoms, are in a hand *own* as far as it is dealt."""
        return sum(n for atom, n in zip(self.atoms, own, strict=False) if atom & cards)


def _atoms(claimed: set[int]) -> list[int]:
    """Return the sets of cards of which the same is claimed, but what is claimed by kind alone."""
    apart = sorted(claimed - set(_KINDS))
    atoms: dict[tuple[int, ...], int] = {}
    for at in range(_ALL):
        card = 1 << at
        inside = tuple(cards for cards in (*apart, *_KINDS) if cards & card)
        if len(inside) > 1:
            atoms[inside] = atoms.get(inside, 0) | card
    return sorted(atoms.values(), key=lambda atom: (atom.bit_count(), atom))


def _shares(number: int, places: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to deal so many cards that are alike to so many *places*."""
    if places == 1:
        yield (number,)
        return
    for first in range(number, -1, -1):
        yield from ((first, *rest) for rest in _shares(number - first, places - 1))
