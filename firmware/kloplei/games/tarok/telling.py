"""What may be told next of a hand: one more entry beside what was told before (§ 10).

`Standing` is what was told, as one more entry meets it: reckoned once, however many are asked
about. The judges below it look at that entry alone, a function a kind; of whole hands
`kloplei.games.tarok.consistency` says the same. `tellings` are all that phones could offer.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product, starmap
from typing import Any, get_args

from kloplei.games.game import Action, Event, Seat
from kloplei.games.tarok import actions, consistency
from kloplei.games.tarok.actions import AnyEntry, entry_of
from kloplei.games.tarok.consistency import ALL_POINTS, ALL_TRICKS
from kloplei.games.tarok.holdings import is_countable
from kloplei.games.tarok.options import CHIP, Options, RuleSet
from kloplei.games.tarok.state import Hand, cards_settle

_MOST_CHIPS = 100
_OF_PAGAT = ("taroks", "matadors")
_EITHER = (False, True)
_NOTHING = (None,)


class Telling(frozenset[Action]):
    """Actions that may all be told next or none, and the *entry* of one, which speaks for all."""

    entry: AnyEntry


class Standing:
    """What was told of a *hand*, as one more entry meets it.

    A table asks of some eighty entries whether they may be told next, whenever it draws itself.
    """

    def __init__(self, options: Options, hand: Hand) -> None:
        self.options, self.hand = options, hand
        self.rule_set, self.active = options.rule_set, hand.active
        self.is_void = hand.is_void
        self._declared(hand)
        # Of a hand that is void, nothing counts that was played.
        self._played(Hand(hand.dealer, hand.active) if hand.is_void else hand)

    def _declared(self, hand: Hand) -> None:
        """Look at what was declared (§ 4)."""
        declared = hand.declared
        self.once = {consistency.named_once(one) for one in declared}
        self.left = consistency.undeclared(hand)
        self.fool_holders = consistency.fool_holders(hand)
        self.called_full = {one.seat for one in declared if one.what in consistency.NOT_OVER}
        self.matadors = {one.seat for one in declared if one.what == "matadors"}
        self.pagat_owners = self.matadors | consistency.said_of_pagat(hand, with_it=True)
        self.without_pagat = consistency.said_of_pagat(hand, with_it=False)

    def _played(self, hand: Hand) -> None:
        """Look at what became of the cards, and who took tricks with them (§ 5, § 6)."""
        self.settles = cards_settle(self.options, hand)
        self.winners = set(hand.winners)
        self.points: Mapping[Seat, int | None] = hand.points
        self.counted = sum(points or 0 for points in hand.points.values())
        self.pagat_met, self.kings_met = set(hand.fates_of("pagat")), len(hand.fates_of("king"))
        self.last_cards = {one.seat for one in hand.last_cards}
        self.last_pagat = set(hand.cards_in_last("pagat"))
        self.last_kings = set(hand.cards_in_last("king"))
        fates, feats, made = hand.fates, hand.feats, hand.made
        self.home = {one.seat for one in fates if one.what.endswith("_home")}
        self.lost = {one.seat for one in fates if one.what.endswith("_lost")}
        self.pagat_home = {one.seat for one in fates if one.what == "pagat_home"}
        self.feats = {(one.seat, one.what) for one in feats}
        self.announcers = {one.seat for one in feats if one.announced is not None}
        self.took_none = {one.seat for one in made if one.what == "nolo"}
        self.took_all = {one.seat for one in made if one.what in ALL_TRICKS}
        self.unclaimed = consistency.unclaimed(self.options, hand)
        self.vole, self.fool_left = hand.maker("vole"), set(hand.fool_left)

    def takes(self, entry: AnyEntry) -> bool:
        """Whether *entry* may be told next."""
        return next(self.why_not(entry), None) is None

    def why_not(self, entry: AnyEntry) -> Iterator[str]:
        """Yield every reason why *entry* may not be told next.

        What is wrong without it already is no fault of its own.
        """
        if self.is_void and not isinstance(entry, actions.Declared | actions.Fined):
            return iter(("hand_void",))
        return _JUDGES[type(entry)](self, entry)

    def took_one(self, seat: Seat, points: int | None) -> bool:
        """Whether *points* of *seat* came from tricks, and not from what was laid away alone."""
        kept = consistency.left_with_fool(self.options)
        return consistency.not_only_discard(self.hand, seat, points, kept)


def _declared(told: Standing, one: actions.Declared) -> Iterator[str]:
    """Yield what is wrong with declaring *one* beside all else (§ 4)."""
    seat, what = one.seat, one.what
    if seat not in told.active:
        yield "V-SEAT"
    if what in _OF_PAGAT and (_is_of_another(told, one) or _denies_itself(told, one)):
        yield "V-PAGAT-OWNER"
    if what not in actions.DECLARATIONS[told.rule_set] or not is_countable(one):
        yield "V-DECL"
    more_than_left = what in consistency.BY_ALL_TOGETHER and (one.count or 0) > told.left[what]
    if more_than_left or consistency.named_once(one) in told.once:
        yield "V-DECL-SUM"
    with_fool = consistency.names_fool(one)
    if with_fool and told.fool_holders - {seat}:
        yield "V-EXCUSE-ONE"
    called_full = what in consistency.NOT_OVER or (with_fool and seat in told.called_full)
    if called_full and told.rule_set == "c" and (with_fool or seat in told.fool_holders):
        yield "V-OVER"


def _is_of_another(told: Standing, one: actions.Declared) -> bool:
    """Whether *one* claims the pagat that somebody else declared, or played."""
    has_pagat = one.what == "matadors" or bool(one.pagat)
    return has_pagat and bool(told.pagat_owners - {one.seat} or told.pagat_met - {one.seat})


def _denies_itself(told: Standing, one: actions.Declared) -> bool:
    """Whether its player declared matadors and said that the pagat is not among the taroks."""
    if one.what == "matadors":
        return one.seat in told.without_pagat
    return one.pagat is False and one.seat in told.matadors


def _fined(told: Standing, one: actions.Fined) -> Iterator[str]:
    """Yield what is wrong with such a fine (§ 7)."""
    if one.seat not in told.active:
        yield "V-SEAT"
    if not told.options.has_pots and (one.king_pot or one.pagat_pot):
        yield "V-EVENT"
    if consistency.badly_paid(told.options, one):
        yield "V-FINE"


def _fate_told(told: Standing, one: actions.FateTold) -> Iterator[str]:
    """Yield what is wrong with such a fate of pagat or king, in tricks 1 to 24 (§ 5)."""
    seat, what = one.seat, one.what
    if seat not in told.active:
        yield "V-SEAT"
    if what.startswith("pagat"):
        yield from _pagat_met(told, seat)
    elif what.startswith("king") and told.kings_met >= consistency.KINGS:
        yield "V-KINGS"
    if what.endswith("_home"):
        if seat in told.took_none:
            yield "V-NOLO"
        if told.took_all - {seat} and seat in told.active:
            yield "V-FEAT"
        if what == "pagat_home" and told.rule_set == "a" and seat in told.fool_left:
            yield "V-EXCUSE"
    elif what.endswith("_lost") and seat in told.took_all:
        yield "V-FEAT"
    if what not in actions.FATES[told.rule_set]:
        yield "V-EVENT"


def _pagat_met(told: Standing, seat: Seat) -> Iterator[str]:
    """Yield why the pagat of *seat* cannot have met its fate, or lain in the last trick."""
    if told.pagat_met:
        yield "V-PAGAT-ONCE"
    if told.pagat_owners and seat not in told.pagat_owners:
        yield "V-PAGAT-OWNER"


def _last_trick_told(told: Standing, one: actions.LastTrickTold) -> Iterator[str]:
    """Yield why such a player cannot have won the last trick (§ 6)."""
    seat = one.seat
    if seat not in told.active:
        yield "V-SEAT"
    if told.winners or seat not in told.active:
        yield "V-LAST"
    if told.last_pagat and seat in told.last_kings:
        yield "V-LAST-ORDER"
    if seat in told.took_none:
        yield "V-NOLO"
    if told.took_all - {seat}:
        yield "V-FEAT"
    if told.rule_set == "a" and seat in told.fool_left:
        yield "V-EXCUSE"


def _last_card_told(told: Standing, one: actions.LastCardTold) -> Iterator[str]:
    """Yield what is wrong with such a card in the last trick (§ 6)."""
    seat, is_pagat, is_king = one.seat, one.card == "pagat", one.card == "king"
    if seat in told.last_cards:
        yield "already_told"
        return
    if one.seat not in told.active:
        yield "V-SEAT"
    if is_pagat:
        yield from _pagat_met(told, seat)
    if is_king and told.kings_met >= consistency.KINGS:
        yield "V-KINGS"
    kings = told.last_kings | {seat} if is_king else told.last_kings
    if (is_pagat or (is_king and told.last_pagat)) and told.winners & kings:
        yield "V-LAST-ORDER"
    if is_king and told.rule_set == "a":
        yield "V-EVENT"


def _feat_told(told: Standing, one: actions.FeatTold) -> Iterator[str]:
    """Yield what is wrong with such a vole, tout or nolo (§ 6)."""
    seat, what = one.seat, one.what
    if seat not in told.active:
        yield "V-SEAT"
    if one.made and what == "vole" and _leaves_points(told, seat):
        yield "V-ZERO"
    if one.made and what == "nolo" and seat in told.winners | told.home:
        yield "V-NOLO"
    unknown = what not in actions.FEATS[told.rule_set]
    if unknown or (seat, what) in told.feats or (one.made and _excluded(told, one)):
        yield "V-FEAT"
    again = one.announced is not None and seat in told.announcers
    if again or consistency.badly_announced(told.rule_set, one):
        yield "V-ANN"


def _leaves_points(told: Standing, maker: Seat) -> bool:
    """Whether an opponent of who makes a vole has points from tricks, where they are paid."""
    options, hand = told.options, told.hand
    if told.rule_set != "b" or told.vole is not None:
        return False
    others = hand.opponents(maker) if options.cards and options.b_vole_with_cards else ()
    return any(told.took_one(seat, told.points.get(seat)) for seat in others)


def _excluded(told: Standing, one: actions.FeatTold) -> bool:
    """Whether nobody can have made *one* beside the feats and tricks that were told."""
    if one.what in ALL_TRICKS:
        others = {one.seat}
        took_one = (told.home | told.winners) - others
        return bool(told.took_all or told.took_none or took_one or one.seat in told.lost)
    return one.what == "nolo" and bool(told.took_none or told.took_all)


def _fool_left(told: Standing, one: actions.FoolLeft) -> Iterator[str]:
    """Yield why such a player cannot have been left with the Fool, without a trick (§ 6)."""
    seat = one.seat
    if seat not in told.active:
        yield "V-SEAT"
    if told.rule_set != "a":
        yield "V-EVENT"
        return
    in_play = seat in told.winners | told.pagat_home
    if told.fool_left or in_play or (told.settles and told.took_one(seat, told.points.get(seat))):
        yield "V-EXCUSE"


def _wrong_discard_found(told: Standing, one: actions.WrongDiscardFound) -> Iterator[str]:
    """Yield why such a player cannot have laid away wrongly: only who dealt lays away (§ 7)."""
    if one.seat != told.hand.dealer:
        yield "V-SEAT"
    if told.rule_set != "a":
        yield "V-EVENT"


def _points_counted(told: Standing, one: actions.PointsCounted) -> Iterator[str]:
    """Yield why a pile cannot count so many points, where they are paid (§ 6)."""
    seat, hand = one.seat, told.hand
    if reason := _not_counted_now(told, seat):
        yield reason
        return
    if one.seat not in told.active:
        yield "V-SEAT"
    if not _adds_up(told, one):
        yield "V-78"
    beside_a_vole = told.vole is not None and seat in hand.opponents(told.vole)
    if (beside_a_vole or seat in told.fool_left) and told.took_one(seat, one.points):
        yield "V-ZERO" if beside_a_vole else "V-EXCUSE"


def _not_counted_now(told: Standing, seat: Seat) -> str | None:
    """Return why no pile of *seat* is counted now: that is done once, when all are played."""
    if not told.winners:
        return "V-LAST"
    if not told.settles:
        return "points_not_settled"
    return "already_told" if seat in told.points else None


def _adds_up(told: Standing, one: actions.PointsCounted) -> bool:
    """Whether all three can still count 78 together, once with each."""
    if one.points is None or one.points < 0:
        return False
    total = one.points + told.counted
    complete = told.points.keys() | {one.seat} == set(told.hand.active)
    return total == ALL_POINTS if complete else total <= ALL_POINTS


def _feat_unclaimed(told: Standing, one: actions.FeatUnclaimed) -> Iterator[str]:
    """Yield why such a feat cannot be let pass: that it can only where it is asked for (§ 6)."""
    if one.seat not in {asked.seat for asked in told.unclaimed}:
        yield "nothing_changed"


def _hand_voided(_: Standing, __: actions.HandVoided) -> Iterator[str]:
    """Yield nothing: cards can be thrown in at any time."""
    yield from ()


Judge = Callable[[Standing, Any], Iterator[str]]
_JUDGES: Mapping[type[Event], Judge] = {
    actions.Declared: _declared,
    actions.Fined: _fined,
    actions.FateTold: _fate_told,
    actions.LastTrickTold: _last_trick_told,
    actions.LastCardTold: _last_card_told,
    actions.FeatTold: _feat_told,
    actions.FoolLeft: _fool_left,
    actions.WrongDiscardFound: _wrong_discard_found,
    actions.PointsCounted: _points_counted,
    actions.FeatUnclaimed: _feat_unclaimed,
    actions.HandVoided: _hand_voided,
}
"""The judge of each kind of entry; it yields its codes in the order of the rules.

What only the whole hand shows is not among them: whether card points belie a feat that failed, and
whether 25 cards can hold it all. That is reckoned once a position, and not for all that could be
told next: the table asks about it at once, and the hand is not booked before it is put right.
"""


def tellings(options: Options, hand: Hand) -> Sequence[Telling]:
    """Return all that could be told of *hand*, those together that stand or fall so.

    Of what is counted only so many cards are left, of points so many.
    """
    return [
        THROWN_IN,
        _fines(_each_fine(options), _pot_fine(options), hand.active),
        *_of_play(options.rule_set, hand.active),
        *_declarable(options.rule_set, hand),
        *_countable(hand),
    ]


def says_enough(options: Options, one: actions.Declared) -> bool:
    """Whether *one* says what has to be said of such a declaration, and nothing else (§ 4)."""
    said = (one.count, one.suit, one.pagat, one.fool)
    sayings = _sayings(options.rule_set, one.what)
    return all((fact is None) is (may is _NOTHING) for fact, may in zip(said, sayings, strict=True))


def is_payable(options: Options, fine: actions.Fined) -> bool:
    """Whether *fine* is one of those that are paid in chips, to each opponent or into a pot."""
    chips = fine.king_pot + fine.pagat_pot
    return chips in _pot_fine(options) if not fine.each else fine.each in _each_fine(options)


def _together(alike: Collection[Action]) -> Telling:
    told, speaks = Telling(alike), entry_of(next(iter(alike)))
    assert speaks is not None  # noqa: S101 - each of them tells something
    told.entry = speaks
    return told


THROWN_IN = _together([actions.ThrowIn()])


@cache
def _fines(each: range, pot: range, seats: tuple[Seat, ...]) -> Telling:
    into_pots = product(seats, get_args(actions.Pot), pot)
    to_each = starmap(actions.Fine, product(seats, each))
    return _together([*to_each, *starmap(actions.FineIntoPot, into_pots)])


def _declarable(rule_set: RuleSet, hand: Hand) -> Iterator[Telling]:
    """Yield what could be declared: no more cards than are left, no four or suit again (§ 4)."""
    called = frozenset(one.suit for one in hand.declared if one.what in actions.CAVALRIES)
    left, told = consistency.undeclared(hand), set(map(consistency.named_once, hand.declared))
    for what in actions.DECLARATIONS[rule_set]:
        if ("kings" if what in actions.KINGS else what) in told:
            continue
        if what in actions.COUNTED:
            yield from _counted(rule_set, hand.active, what, left[what])
        elif what in actions.CAVALRIES:
            yield from _of_suits(hand.active, what, called)
        else:
            yield from _alone(hand.active, what)


@lru_cache(maxsize=512)
def _counted(
    rule_set: RuleSet, seats: tuple[Seat, ...], what: actions.Declarable, left: int
) -> Sequence[Telling]:
    counts, _, pagat, fool = _sayings(rule_set, what)
    most = [count for count in counts if count <= left]
    return [
        _together([actions.Declare(seat, what, count, None, *held) for count in most])
        for seat, *held in product(seats, pagat, fool)
        if most
    ]


@lru_cache(maxsize=512)
def _of_suits(
    seats: tuple[Seat, ...], what: actions.Declarable, called: frozenset[str | None]
) -> Sequence[Telling]:
    suits = [suit for suit in get_args(actions.Suit) if suit not in called]
    each = seats if suits else ()
    return [_together([actions.Declare(seat, what, suit=one) for one in suits]) for seat in each]


@cache
def _alone(seats: tuple[Seat, ...], what: actions.Declarable) -> Sequence[Telling]:
    return [_together([actions.Declare(seat, what)]) for seat in seats]


def _sayings(rule_set: RuleSet, what: str) -> tuple[Sequence[Any], ...]:
    """Return what may be said of a declaration: count, suit, pagat and Fool; None is nothing."""
    of_taroks = what == "taroks"
    return (
        _counts(what) if what in actions.COUNTED else _NOTHING,
        get_args(actions.Suit) if what in actions.CAVALRIES else _NOTHING,
        _EITHER if of_taroks and rule_set != "a" else _NOTHING,
        _EITHER if of_taroks and rule_set == "b" else _NOTHING,
    )


def _counts(what: str) -> range:
    """Return how many cards of *what* one hand can hold."""
    least, most = actions.COUNTED[what]
    return range(least, min(most, actions.MOST_IN_HAND) + 1)


@cache
def _of_play(rule_set: RuleSet, seats: tuple[Seat, ...]) -> Sequence[Telling]:
    return [alike for seat in seats for alike in _played_by(rule_set, seat)]


def _played_by(rule_set: RuleSet, seat: Seat) -> Iterator[Telling]:
    yield _together([actions.LastTrick(seat)])
    yield from (_together([actions.LastCard(seat, c)]) for c in get_args(actions.LastCardKind))
    yield from (_together([actions.TellFate(seat, what)]) for what in actions.FATES[rule_set])
    if rule_set == "a":
        yield from (_together([actions.FoolAlone(seat)]), _together([actions.WrongDiscard(seat)]))
    else:
        yield _together([actions.LeaveUnclaimed(seat)])
    kinds = product(actions.FEATS[rule_set], _EITHER, _EITHER)
    yield from (_together(one) for kind in kinds if (one := _feats(rule_set, seat, *kind)))


def _feats(
    rule_set: RuleSet, seat: Seat, what: actions.FeatKind, made: bool, early: bool
) -> Sequence[Action]:
    """Return a feat with all numbers of tricks it may be announced by, or as one that was not."""
    return [
        actions.TellFeat(seat, what, announced, made)
        for announced in actions.ANNOUNCED.get(what, _NOTHING)
        if (announced is not None) is early
        and not consistency.badly_announced(rule_set, actions.FeatTold(seat, what, announced, made))
    ]


def _countable(hand: Hand) -> Iterator[Telling]:
    """Yield what each pile could count beside the others."""
    missing = [seat for seat in hand.active if seat not in hand.points] if hand.winners else ()
    left = ALL_POINTS - sum(points or 0 for points in hand.points.values())
    least = left if len(missing) == 1 else 0
    for seat in missing:
        if hand.fool_left or hand.maker("vole") is not None:
            # Who took no trick can only have what was laid away.
            yield from (_points(seat, number, number) for number in range(least, left + 1))
        elif least <= left:
            yield _points(seat, least, left)


@lru_cache(maxsize=512)
def _points(seat: Seat, least: int, most: int) -> Telling:
    return _together([actions.Points(seat, number) for number in range(least, most + 1)])


def _each_fine(options: Options) -> range:
    """Return what a fine to each opponent may be."""
    least = CHIP if options.rule_set == "c" else 1
    return range(least, _MOST_CHIPS + 1, least)


def _pot_fine(options: Options) -> range:
    """Return what a fine into a pot may be."""
    return range(CHIP, _MOST_CHIPS + 1, CHIP) if options.has_pots else range(0)
