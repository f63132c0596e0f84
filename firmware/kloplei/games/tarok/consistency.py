"""What cannot be in a hand of Tarok, by the codes of the rules; all at once (§ 10).

A hand that is still told is *wrong* only in what no further entry can mend; what is *lacking*
is known once nothing more is to come.

What cannot have happened in one hand of Tarok: who, the last trick, pagat and kings (§ 10).

What cannot be declared together in one hand of Tarok (§ 4, § 10).

What cannot be true of who took every trick, or none, in one hand of Tarok (§ 6, § 10).

What card points cannot be in one hand of Tarok (§ 6, § 10).

What cannot be the result of a hand, where a house keeps nothing but results (§ 8).

The last trick, and who took every trick or none (§ 5, § 6): the fourth step of the ledger.

What came of a trick of Tarok in sentences, as people are told it (§ 2, § 5).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast, get_args

from kloplei.games.cards import Card
from kloplei.games.game import Event, Seat
from kloplei.games.scoreboard import Line
from kloplei.games.tarok import actions
from kloplei.games.tarok.actions import (
    ANNOUNCED,
    CAVALRIES,
    COUNTED,
    DECLARATIONS,
    FATES,
    FEATS,
    FOOL_LEFT,
    KINGS,
    MOST_IN_HAND,
    NEED_FOOL,
    AnyEntry,
    Declared,
    Entry,
    Fate,
    FeatTold,
    PointsCounted,
    Result,
    ResultTold,
)
from kloplei.games.tarok.apply import Course
from kloplei.games.tarok.cards import FOOL
from kloplei.games.tarok.options import CHIP, Options
from kloplei.games.tarok.state import Hand, Pots, State, bonuses_count, cards_settle

_KINGS = 4


def stranger(options: Options, hand: Hand) -> bool:
    """V-SEAT: somebody is named who does not play this hand, or the dealer sits it out."""
    active = hand.active
    if hand.dealer not in active or any(seat != hand.dealer for seat in hand.wrong_discard):
        return True
    named = [one for one in hand.entries if isinstance(one, Entry) and one.seat not in active]
    if cards_settle(options, hand):
        return bool(named)
    return any(not isinstance(one, PointsCounted) for one in named)


def last_trick(_: Options, hand: Hand) -> bool:
    """V-LAST: the last trick has more than one winner, or one who does not play."""
    if hand.is_void:
        return False
    return len(hand.winners) > 1 or not set(hand.winners) <= set(hand.active)


def no_last_trick(_: Options, hand: Hand) -> bool:
    """V-LAST: nobody has said yet who won the last trick."""
    return not hand.is_void and not hand.winners


def pagat_twice(_: Options, hand: Hand) -> bool:
    """V-PAGAT-ONCE: the pagat has more than one fate."""
    return len(hand.fates_of("pagat")) > 1


def no_fate(options: Options, hand: Hand) -> bool:
    """V-PAGAT-FATE: in Danish Tarok nobody may lay the pagat away, so something became of it."""
    return options.rule_set == "c" and not hand.is_void and not hand.fates_of("pagat")


def five_kings(_: Options, hand: Hand) -> bool:
    """V-KINGS: there are only four."""
    return len(hand.fates_of("king")) > _KINGS


def few_kings(options: Options, hand: Hand) -> bool:
    """Not all four kings of Grosstarock have a fate; the dealer may not lay one away."""
    return options.rule_set == "b" and not hand.is_void and len(hand.fates_of("king")) < _KINGS


def king_over_pagat(_: Options, hand: Hand) -> bool:
    """V-LAST-ORDER: a king won the last trick although the pagat lay there, a tarok."""
    if hand.is_void or not hand.cards_in_last("pagat"):
        return False
    return bool(set(hand.winners) & set(hand.cards_in_last("king")))


def event(options: Options, hand: Hand) -> bool:
    """V-EVENT: something that this game does not have."""
    return _strange_fate(options, hand) or _of_1754(options, hand) or _into_no_pot(options, hand)


def fine(options: Options, hand: Hand) -> bool:
    """V-FINE: a fine below nothing, or of chips that nobody has."""
    paid = [sum_ for one in hand.fines for sum_ in (one.each or 0, one.king_pot, one.pagat_pot)]
    in_chips = options.rule_set == "c"
    return any(sum_ < 0 or (in_chips and sum_ % CHIP) for sum_ in paid)


def _strange_fate(options: Options, hand: Hand) -> bool:
    if hand.is_void:
        return False
    strange = any(one.what not in FATES[options.rule_set] for one in hand.fates)
    return strange or (options.rule_set == "a" and bool(hand.cards_in_last("king")))


def _of_1754(options: Options, hand: Hand) -> bool:
    return options.rule_set != "a" and bool(hand.wrong_discard or hand.fool_left)


def _into_no_pot(options: Options, hand: Hand) -> bool:
    return not options.has_pots and any(one.king_pot or one.pagat_pot for one in hand.fines)


_NOT_OVER = ("kings_full", "cavalry_full")


def unknown(options: Options, hand: Hand) -> bool:
    """V-DECL: not declared in this game, or of so many cards."""
    known = DECLARATIONS[options.rule_set]
    return any(one.what not in known or not _countable(one) for one in hand.declared)


def too_many(_: Options, hand: Hand) -> bool:
    """V-DECL-SUM: more cards, or the same ones twice, than the pack has."""
    totals: Counter[str] = Counter()
    once: list[object] = []
    for one in hand.declared:
        if one.what in COUNTED and one.what != "matadors":
            totals[one.what] += one.count or 0
            once.append((one.what, one.seat))
        elif one.what in CAVALRIES:
            once.append(one.suit or object())  # nobody said which suit
        else:
            once.append("kings" if one.what in KINGS else one.what)
    return len(once) > len(set(once)) or any(
        number > COUNTED[what][1] for what, number in totals.items()
    )


def two_fools(_: Options, hand: Hand) -> bool:
    """V-EXCUSE-ONE: two players declared what needs the Fool."""
    return len(_fool_holders(hand)) > 1


def not_over_full(options: Options, hand: Hand) -> bool:
    """V-OVER: who holds the Fool called four courts full instead of over-full."""
    holders = _fool_holders(hand)
    return options.rule_set == "c" and any(
        one.what in _NOT_OVER and one.seat in holders for one in hand.declared
    )


def pagat_owner(_: Options, hand: Hand) -> bool:
    """V-PAGAT-OWNER: the pagat was declared by somebody else than had it, or denied as well."""
    matadors = {one.seat for one in hand.declared if one.what == "matadors"}
    owners = matadors | _said_of_pagat(hand, with_it=True)
    denied = _said_of_pagat(hand, with_it=False)
    others = set(hand.fates_of("pagat")) - owners
    return len(owners) > 1 or bool(matadors & denied) or bool(owners and others)


def denied_pagat(_: Options, hand: Hand) -> bool:
    """Somebody declared taroks without the pagat, and yet it was his."""
    return bool(_said_of_pagat(hand, with_it=False) & set(hand.fates_of("pagat")))


def _said_of_pagat(hand: Hand, *, with_it: bool) -> set[Seat]:
    """Return who declared taroks and said that the pagat is among them, or that it is not."""
    return {one.seat for one in hand.declared if one.what == "taroks" and one.pagat is with_it}


def _countable(one: Declared) -> bool:
    if one.what not in COUNTED:
        return True
    least, most = COUNTED[one.what]
    return one.count is not None and least <= one.count <= min(most, MOST_IN_HAND)


def _fool_holders(hand: Hand) -> set[Seat]:
    with_fool = (one for one in hand.declared if one.what in NEED_FOOL or one.fool is True)
    return {one.seat for one in with_fool}


_ALL = ("vole", "tout")


def nolo(_: Options, hand: Hand) -> bool:
    """V-NOLO: who took no trick took one after all."""
    if hand.is_void:
        return False
    return any(
        feat.seat in hand.winners or _brought_home(hand, {feat.seat})
        for feat in hand.made
        if feat.what == "nolo"
    )


def feat(options: Options, hand: Hand) -> bool:
    """V-FEAT: not known in this game, or not possible beside all the rest."""
    if hand.is_void:
        return False
    known = FEATS[options.rule_set]
    return (
        any(one.what not in known for one in hand.feats)
        or _twice(hand)
        or any(_not_all_tricks(hand, one.seat) for one in hand.made if one.what in _ALL)
    )


def announcement(options: Options, hand: Hand) -> bool:
    """V-ANN: announced when nobody may, or failed without having been announced."""
    if hand.is_void:
        return False
    announcers = Counter(one.seat for one in hand.feats if one.announced is not None)
    more_than_once = any(times > 1 for times in announcers.values())
    return more_than_once or any(_badly_announced(options, one) for one in hand.feats)


def _badly_announced(options: Options, one: FeatTold) -> bool:
    if options.rule_set == "c":
        return one.announced is not None or not one.made
    if one.what not in ANNOUNCED:
        return False  # nothing this game has, whenever it was announced
    if one.announced not in ANNOUNCED[one.what]:
        return True
    _, failed = ANNOUNCED[one.what][one.announced]
    return not one.made and failed is None


def _twice(hand: Hand) -> bool:
    """Whether two made what only one can, or one both, or somebody's feat is told twice."""
    kinds = Counter("all" if one.what in _ALL else one.what for one in hand.made)
    told = Counter((one.seat, one.what) for one in hand.feats)
    return (
        any(times > 1 for times in kinds.values())
        or (kinds["all"] > 0 and kinds["nolo"] > 0)
        or any(times > 1 for times in told.values())
    )


def _not_all_tricks(hand: Hand, seat: Seat) -> bool:
    """Whether *seat* cannot have taken every trick."""
    others = set(hand.active) - {seat}
    lost = any(one.seat == seat and one.what.endswith("_lost") for one in hand.fates)
    return lost or _brought_home(hand, others) or bool(set(hand.winners) - {seat})


def _brought_home(hand: Hand, seats: set[Seat]) -> bool:
    return any(one.seat in seats and one.what.endswith("_home") for one in hand.fates)


ALL_POINTS = 78
DISCARD = range(1, 11)
"""What the dealer's three cards laid away can count."""


def sum_of_points(options: Options, hand: Hand) -> bool:
    """V-78: card points settle, but cannot add up to 78 any more."""
    if not cards_settle(options, hand):
        return False
    points = [one.points for one in hand.counted]
    whole = [number for number in points if number is not None and number >= 0]
    if len(whole) < len(points) or len(hand.points) < len(points):
        return True
    total = sum(whole)
    complete = set(hand.points) == set(hand.active)
    return total > ALL_POINTS or (complete and total != ALL_POINTS)


def not_all_counted(options: Options, hand: Hand) -> bool:
    """V-78: card points settle, and not everybody's are known yet."""
    return cards_settle(options, hand) and bool(set(hand.active) - set(hand.points))


def beside_a_vole(options: Options, hand: Hand) -> bool:
    """V-ZERO: who took no trick beside a vole has more than what the dealer laid away."""
    maker = hand.maker("vole")
    if options.rule_set != "b" or maker is None or not cards_settle(options, hand):
        return False
    return any(_not_only_discard(hand, seat, 0) for seat in hand.opponents(maker))


def fool_left(options: Options, hand: Hand) -> bool:
    """V-EXCUSE: who was left with the Fool took a trick after all, or has points from one."""
    if options.rule_set != "a" or hand.is_void:
        return False
    kept = FOOL_LEFT if options.a_excuse_alone_cards else 0
    settle = cards_settle(options, hand)
    return len(hand.fool_left) > 1 or any(
        seat in hand.winners
        or any(one.seat == seat and one.what == "pagat_home" for one in hand.fates)
        or (settle and _not_only_discard(hand, seat, kept))
        for seat in hand.fool_left
    )


def _not_only_discard(hand: Hand, seat: Seat, kept: int) -> bool:
    """Whether *seat* counts otherwise than *kept*, and as dealer the three cards laid away."""
    points = hand.points.get(seat)
    if points is None:
        return False
    return points - kept not in DISCARD if seat == hand.dealer else points != kept


Judge = Callable[[Options, Hand], bool]

_JUDGES: Mapping[str, tuple[Judge | None, Judge | None]] = {
    "V-SEAT": (stranger, None),
    "V-LAST": (last_trick, no_last_trick),
    "V-78": (sum_of_points, not_all_counted),
    "V-ZERO": (beside_a_vole, None),
    "V-PAGAT-ONCE": (pagat_twice, None),
    "V-PAGAT-FATE": (None, no_fate),
    "V-PAGAT-OWNER": (pagat_owner, None),
    "V-KINGS": (five_kings, None),
    "V-LAST-ORDER": (king_over_pagat, None),
    "V-NOLO": (nolo, None),
    "V-FEAT": (feat, None),
    "V-ANN": (announcement, None),
    "V-DECL": (unknown, None),
    "V-DECL-SUM": (too_many, None),
    "V-EXCUSE-ONE": (two_fools, None),
    "V-OVER": (not_over_full, None),
    "V-EXCUSE": (fool_left, None),
    "V-EVENT": (event, None),
    "V-FINE": (fine, None),
}
"""Judges by code, in the order codes are reported: of what is wrong, and of what is lacking."""
CODES = tuple(_JUDGES)
WRONG: Mapping[str, Judge] = {code: wrong for code, (wrong, _) in _JUDGES.items() if wrong}
LACKING: Mapping[str, Judge] = {code: lack for code, (_, lack) in _JUDGES.items() if lack}

_DECLARED = ("V-SEAT", "V-PAGAT-OWNER", "V-DECL", "V-DECL-SUM", "V-EXCUSE-ONE", "V-OVER")
_PAGAT = ("V-PAGAT-ONCE", "V-PAGAT-OWNER")
_FEATS = ("V-NOLO", "V-FEAT", "V-ANN")
_BROUGHT_ABOUT: Mapping[type[Event], tuple[str, ...]] = {
    actions.Declared: _DECLARED,
    actions.Fined: ("V-SEAT", "V-EVENT", "V-FINE"),
    actions.FateTold: ("V-SEAT", *_PAGAT, "V-KINGS", "V-NOLO", "V-FEAT", "V-EXCUSE", "V-EVENT"),
    actions.LastTrickTold: ("V-SEAT", "V-LAST", "V-LAST-ORDER", "V-NOLO", "V-FEAT", "V-EXCUSE"),
    actions.LastCardTold: ("V-SEAT", *_PAGAT, "V-KINGS", "V-LAST-ORDER", "V-EVENT"),
    actions.FeatTold: ("V-SEAT", "V-ZERO", *_FEATS),
    actions.FoolLeft: ("V-SEAT", "V-EXCUSE", "V-EVENT"),
    actions.WrongDiscardFound: ("V-SEAT", "V-EVENT"),
    actions.PointsCounted: ("V-SEAT", "V-78", "V-ZERO", "V-EXCUSE"),
    actions.HandVoided: (),
}
"""Which codes each kind of entry can bring about."""


def wrong(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of all that no further entry can mend."""
    return _found(WRONG, options, hand)


def lacking(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of all that still has to be told before the hand can be booked."""
    return _found(LACKING, options, hand)


def rejects(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return every code for which *hand*, told in full, is refused; none if it can be booked."""
    found = {*wrong(options, hand), *lacking(options, hand)}
    return tuple(code for code in CODES if code in found)


def wrong_with(options: Options, hand: Hand, entry: AnyEntry) -> Iterator[str]:
    """Yield the codes of what would be wrong with *entry* on top of *hand*.

    Only what such an entry can bring about is judged: a table asks this of all that might be
    told next, whenever it draws a picture of itself.
    """
    after = hand.also(entry)
    return (code for code in _BROUGHT_ABOUT[type(entry)] if WRONG[code](options, after))


def warnings(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of what is odd in a *hand*, but may be: somebody should look again."""
    judges: Mapping[str, Judge] = {
        "V-PAGAT-OWNER": denied_pagat,
        "V-KINGS": few_kings,
    }
    return _found(judges, options, hand)


def _found(judges: Mapping[str, Judge], options: Options, hand: Hand) -> tuple[str, ...]:
    return tuple(code for code, finds in judges.items() if finds(options, hand))


MOST = 9999
"""More than this nobody wins or loses in one hand."""


def wrong_with_result(options: Options, state: State, result: Result) -> Iterator[str]:
    """Yield the reasons *result* cannot be written down, all of them."""
    into_pots = (result.king, result.pagat)
    told = ResultTold(result.amounts, *into_pots)
    if not options.only_points:
        yield "not_played_here"
        return
    if state.hand.is_void:
        yield "hand_void"
    if len(result.amounts) != len(state.seats):
        yield "not_all_seats"
    if options.must_balance and sum(result.amounts) + sum(into_pots):
        yield "sum_not_zero"
    if any(abs(number) > MOST for number in (*result.amounts, *into_pots)):
        yield "too_much"
    if any(into_pots) and not options.has_pots:
        yield "V-EVENT"
    yield from pots_left(state, told)


def pots_left(state: State, result: ResultTold | None) -> tuple[str, ...]:
    """Return why no pot could pay *result*, and those of the hands that wait after it."""
    king, pagat = state.pots.king, state.pots.pagat
    waiting = (Hand(hand.dealer, (), hand.entries).result for hand in state.waiting)
    for one in (result, *waiting):
        if one is not None:
            king, pagat = king + one.king, pagat + one.pagat
            if min(king, pagat) < 0:
                return ("pot_below_zero",)
    return ()


_SPECIAL = ("pagat", "king")


def book_last_trick(course: Course, hand: Hand) -> None:
    """Book the last trick of *hand* and its feats, as far as they are told."""
    if course.options.rule_set == "c":
        _book_danish(course, hand)
        return
    if bonuses_count(course.options, hand):
        _book_ultimo(course, hand)
    for seat in hand.fool_left:
        receives = course.options.a_excuse_alone == "receives"
        course.each("excuse_alone", seat, actions.FOOL_LEFT if receives else -actions.FOOL_LEFT)
    for feat in hand.feats:
        outcome = "made" if feat.made else "failed"
        course.each(f"{feat.what}_{outcome}", feat.seat, actions.feat_value(feat))


def _book_ultimo(course: Course, hand: Hand) -> None:
    """Book pagat and kings in the last trick, where there are no pots."""
    pays = actions.last_trick(course.options)
    for seat, card in _in_last(hand):
        value = pays.pagat if card == "pagat" else pays.king
        won = seat == hand.winner
        course.each(f"{card}_ultimo_{'won' if won else 'lost'}", seat, value if won else -value)


def _book_danish(course: Course, hand: Hand) -> None:
    """Book the winner before the losers, each at what lay in the pot before the trick."""
    options, found = course.options, course.state.pots
    pays = actions.last_trick(options)
    tout, nolo = hand.maker("tout"), hand.maker("nolo")
    if tout is not None:
        course.each("tout", tout, pays.tout, into=-found)
    elif nolo is None:
        _book_won(course, hand, found)
    _book_lost(course, hand, found)
    if nolo is not None:
        course.each("nolo", nolo, actions.DANISH_NOLO)
    elif tout is None and hand.winner is not None and _trick_pays(course, hand):
        course.each("last_trick", hand.winner, pays.trick)


def _book_won(course: Course, hand: Hand, found: Pots) -> None:
    pays = actions.last_trick(course.options)
    for seat, card in _in_last(hand):
        if seat == hand.winner:
            value = pays.pagat if card == "pagat" else pays.king
            course.each(f"{card}_ultimo_won", seat, value, into=Pots.only(card, -found.of(card)))


def _book_lost(course: Course, hand: Hand, found: Pots) -> None:
    options = course.options
    pays = actions.last_trick(options)
    for seat, card in _in_last(hand):
        if seat != hand.winner:
            value = pays.pagat if card == "pagat" else pays.king
            pots = found if options.c_failed_pot == "snapshot" else course.state.pots
            course.each(f"{card}_ultimo_lost", seat, -value, into=Pots.only(card, pots.of(card)))


def _trick_pays(course: Course, hand: Hand) -> bool:
    """Whether the last trick as such is paid beside what pagat and kings did in it."""
    special = _in_last(hand)
    if not special:
        return True
    if any(seat == hand.winner for seat, _ in special):
        return course.options.c_last_trick_with_ultimo
    return course.options.c_last_trick_on_failed_ultimo


def _in_last(hand: Hand) -> list[tuple[Seat, str]]:
    """Return who played the pagat or a king to the last trick, once its winner is known."""
    if hand.winner is None:
        return []
    return [(one.seat, one.card) for one in hand.last_cards if one.card in _SPECIAL]


LAST = ("pagat_won", "pagat_beaten", "king_won", "king_beaten", "plain")
FOOLS = ("owner", "winner", "illegal", "late")
SENTENCES = (
    *(f"trick.{event}" for event in get_args(Fate)),
    *(f"trick.last_{came}" for came in LAST),
    *(f"trick.fool_{came}" for came in FOOLS),
)
"""The key of each of them."""


def told(cards: Sequence[Card], best: int, besides: Mapping[str, object]) -> tuple[Line, ...]:
    """Return what came *besides* of the trick of *cards*, of which the one at *best* took it."""
    return (*_of_play(cards, besides), *_of_the_last(cards, best, besides), *_of_the_fool(besides))


def _of_play(cards: Sequence[Card], besides: Mapping[str, object]) -> Iterator[Line]:
    events = cast("Mapping[str, Sequence[int]]", besides.get("events", {}))
    for event, places in events.items():
        for place in places:
            yield Line(f"trick.{event}", {"card": str(cards[place - 1])})


def _of_the_last(cards: Sequence[Card], best: int, besides: Mapping[str, object]) -> Iterator[Line]:
    if "last" not in besides:
        return
    kinds = cast("Mapping[int, str]", besides["last"])
    counting = {place: kind for place, kind in kinds.items() if kind != "other"}
    for place, kind in counting.items():
        came = "won" if place == best + 1 else "beaten"
        yield Line(f"trick.last_{kind}_{came}", {"card": str(cards[place - 1])})
    if not counting and all(card.rank != "K" for card in cards):
        yield Line("trick.last_plain")


def _of_the_fool(besides: Mapping[str, object]) -> Iterator[Line]:
    if "fool_late" in cast("Sequence[str]", besides.get("warnings", ())):
        yield Line("trick.fool_late", {"card": str(FOOL)})
    if "fool" in besides:
        yield Line(f"trick.fool_{besides['fool']}", {"card": str(FOOL)})
