"""What cannot be in a hand of Tarok, by the codes of the rules, all at once (§ 10).

A hand comes in as it was told, codes go out. It is *wrong* in what no further entry can mend; what
is *lacking* is known once nothing more is to come. Below the questions stand the judges, a function
a code: who plays and the last trick, declarations (§ 4), feats and card points (§ 6).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import gcd

from kloplei.games.game import Seat
from kloplei.games.tarok import actions
from kloplei.games.tarok.holdings import contradiction, is_countable
from kloplei.games.tarok.options import CHIP, Options, RuleSet
from kloplei.games.tarok.state import Hand, State, cards_settle

ALL_POINTS = 78
DISCARD = range(1, 11)
"""What the dealer's three cards laid away can count."""
_MOST_OF_DISCARD = DISCARD[-1]
MOST = 9999
"""More than this nobody wins or loses in one hand."""
KINGS = 4
NOT_OVER = ("kings_full", "cavalry_full")
ALL_TRICKS = ("vole", "tout")
BY_ALL_TOGETHER = tuple(what for what in actions.COUNTED if what != "matadors")
"""Declarations of which several players may have some."""
Judge = Callable[[Options, Hand], bool]


def wrong(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of all that no further entry can mend."""
    return _found(WRONG, options, hand)


def lacking(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of all that still has to be told before the hand can be booked."""
    return _found(LACKING, options, hand)


def rejects(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return every code for which *hand*, told in full, is refused; none if it can be booked."""
    return tuple(rejected(options, hand))


def rejected(options: Options, hand: Hand) -> Iterator[str]:
    """Yield what `rejects` returns one by one: who wants to know whether there is any reads one."""
    for code, judges in _JUDGES.items():
        if any(finds and finds(options, hand) for finds in judges):
            yield code


def warnings(options: Options, hand: Hand) -> tuple[str, ...]:
    """Return the codes of what is odd in a *hand*, but may be: somebody should look again."""
    judges: Mapping[str, Judge] = {
        "V-KINGS": few_kings,
    }
    return _found(judges, options, hand)


def wrong_result(options: Options, state: State, result: actions.Result) -> Iterator[str]:
    """Yield the reasons *result* cannot be written down, all of them."""
    into_pots = (result.king, result.pagat)
    told = actions.ResultTold(result.amounts, *into_pots)
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


def pots_left(state: State, result: actions.ResultTold | None) -> tuple[str, ...]:
    """Return why no pot could pay *result*, and those of the hands that wait after it."""
    # Hands that were told after a reopened one are booked again on top of it: its new result may
    # leave less in a pot than they took from it.
    king, pagat = state.pots.king, state.pots.pagat
    waiting = (Hand(hand.dealer, (), hand.entries).result for hand in state.waiting)
    for one in (result, *waiting):
        if one is not None:
            king, pagat = king + one.king, pagat + one.pagat
            if min(king, pagat) < 0:
                return ("pot_below_zero",)
    return ()


def _found(judges: Mapping[str, Judge], options: Options, hand: Hand) -> tuple[str, ...]:
    return tuple(code for code, finds in judges.items() if finds(options, hand))


def _is_repeated(told: Sequence[object]) -> bool:
    """Whether anything was told twice."""
    return len(set(told)) < len(told)


def undeclared(hand: Hand) -> dict[str, int]:
    """Return how many cards nobody has declared yet, of each kind that is counted."""
    left = {what: most for what, (_, most) in actions.COUNTED.items()}
    for one in hand.declared:
        if one.what in left:
            left[one.what] -= one.count or 0
    return left


def stranger(options: Options, hand: Hand) -> bool:
    """V-SEAT: somebody is named who does not play this hand, or the dealer sits it out."""
    if hand.dealer not in hand.active or any(seat != hand.dealer for seat in hand.wrong_discard):
        return True
    strangers = hand.strangers
    if strangers and not cards_settle(options, hand):
        return any(not isinstance(one, actions.PointsCounted) for one in strangers)
    return bool(strangers)


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
    return len(hand.fates_of("king")) > KINGS


def few_kings(options: Options, hand: Hand) -> bool:
    """Not all four kings of Grosstarock have a fate; the dealer may not lay one away."""
    return options.rule_set == "b" and not hand.is_void and len(hand.fates_of("king")) < KINGS


def king_over_pagat(_: Options, hand: Hand) -> bool:
    """V-LAST-ORDER: a king won the last trick although the pagat lay there, a tarok."""
    if hand.is_void or not hand.cards_in_last("pagat"):
        return False
    return bool(set(hand.winners) & set(hand.cards_in_last("king")))


def event(options: Options, hand: Hand) -> bool:
    """V-EVENT: something that this game does not have."""
    into_no_pot = not options.has_pots and any(one.king_pot or one.pagat_pot for one in hand.fines)
    return into_no_pot or _strange_fate(options, hand) or _of_1754(options, hand)


def fine(options: Options, hand: Hand) -> bool:
    """V-FINE: a fine below nothing, or of chips that nobody has."""
    return any(badly_paid(options, one) for one in hand.fines)


def badly_paid(options: Options, one: actions.Fined) -> bool:
    """Whether nobody can pay *one*: in Danish Tarok there are chips of five at the least (§ 1)."""
    in_chips = options.rule_set == "c"
    paid = (one.each or 0, one.king_pot, one.pagat_pot)
    return min(paid) < 0 or (in_chips and gcd(*paid) % CHIP > 0)


def _strange_fate(options: Options, hand: Hand) -> bool:
    if hand.is_void:
        return False
    strange = any(one.what not in actions.FATES[options.rule_set] for one in hand.fates)
    return strange or (options.rule_set == "a" and bool(hand.cards_in_last("king")))


def _of_1754(options: Options, hand: Hand) -> bool:
    if options.rule_set == "a":
        return bool(hand.unclaimed)
    return bool(hand.wrong_discard or hand.fool_left)


def unknown(options: Options, hand: Hand) -> bool:
    """V-DECL: not declared in this game, or of so many cards."""
    known = actions.DECLARATIONS[options.rule_set]
    return any(one.what not in known or not is_countable(one) for one in hand.declared)


def too_many(_: Options, hand: Hand) -> bool:
    """V-DECL-SUM: more cards, or the same ones twice, than the pack has."""
    once = [named_once(one) for one in hand.declared]
    left = undeclared(hand)
    return _is_repeated(once) or any(left[what] < 0 for what in BY_ALL_TOGETHER)


def named_once(one: actions.Declared) -> object:
    """Return what is declared by *one* that nobody can declare again."""
    if one.what in BY_ALL_TOGETHER:
        return one.what, one.seat
    if one.what in actions.CAVALRIES:
        return one.suit or object()  # nobody said which suit
    return "kings" if one.what in actions.KINGS else one.what


def two_fools(_: Options, hand: Hand) -> bool:
    """V-EXCUSE-ONE: two players declared what needs the Fool."""
    return len(fool_holders(hand)) > 1


def not_over_full(options: Options, hand: Hand) -> bool:
    """V-OVER: who holds the Fool called four courts full instead of over-full."""
    holders = fool_holders(hand)
    return options.rule_set == "c" and any(
        one.what in NOT_OVER and one.seat in holders for one in hand.declared
    )


def pagat_owner(_: Options, hand: Hand) -> bool:
    """V-PAGAT-OWNER: the pagat was declared by somebody else than had it, or denied as well."""
    matadors = {one.seat for one in hand.declared if one.what == "matadors"}
    owners = matadors | said_of_pagat(hand, with_it=True)
    denied = said_of_pagat(hand, with_it=False)
    others = set(hand.fates_of("pagat")) - owners
    return len(owners) > 1 or bool(matadors & denied) or bool(owners and others)


def said_of_pagat(hand: Hand, *, with_it: bool) -> set[Seat]:
    """Return who declared taroks and said that the pagat is among them, or that it is not."""
    return {one.seat for one in hand.declared if one.what == "taroks" and one.pagat is with_it}


def fool_holders(hand: Hand) -> set[Seat]:
    """Return who declared what needs the Fool, or said that it is among the taroks."""
    return {one.seat for one in hand.declared if names_fool(one)}


def names_fool(one: actions.Declared) -> bool:
    """Whether only who holds the Fool can declare *one*."""
    return one.what in actions.NEED_FOOL or one.fool is True


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
    if hand.is_void or not hand.feats:
        return False
    known = actions.FEATS[options.rule_set]
    return (
        any(one.what not in known for one in hand.feats)
        or _twice(hand)
        or any(_not_all_tricks(hand, one.seat) for one in hand.made if one.what in ALL_TRICKS)
    )


def announcement(options: Options, hand: Hand) -> bool:
    """V-ANN: announced when nobody may, or failed without having been announced."""
    if hand.is_void or not hand.feats:
        return False
    announcers = [one.seat for one in hand.feats if one.announced is not None]
    return _is_repeated(announcers) or any(
        badly_announced(options.rule_set, one) for one in hand.feats
    )


def badly_announced(rule_set: RuleSet, one: actions.FeatTold) -> bool:
    """Whether nobody may announce, make or fail such a feat in this way."""
    if rule_set == "c":
        return one.announced is not None or not one.made
    if one.what not in actions.ANNOUNCED:
        return False  # nothing this game has, whenever it was announced
    if one.announced not in actions.ANNOUNCED[one.what]:
        return True
    _, failed = actions.ANNOUNCED[one.what][one.announced]
    return not one.made and failed is None


def _twice(hand: Hand) -> bool:
    """Whether two made what only one can, or one both, or somebody's feat is told twice."""
    made = ["all" if one.what in ALL_TRICKS else one.what for one in hand.made]
    told = [(one.seat, one.what) for one in hand.feats]
    return _is_repeated(made) or {"all", "nolo"} <= {*made} or _is_repeated(told)


def _not_all_tricks(hand: Hand, seat: Seat) -> bool:
    """Whether *seat* cannot have taken every trick."""
    others = set(hand.active) - {seat}
    lost = any(one.seat == seat and one.what.endswith("_lost") for one in hand.fates)
    return lost or _brought_home(hand, others) or bool(set(hand.winners) - {seat})


def _brought_home(hand: Hand, seats: set[Seat]) -> bool:
    return any(one.seat in seats and one.what.endswith("_home") for one in hand.fates)


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
    return any(
        not_only_discard(hand, seat, hand.points.get(seat), 0) for seat in hand.opponents(maker)
    )


def fool_left(options: Options, hand: Hand) -> bool:
    """V-EXCUSE: who was left with the Fool took a trick after all, or has points from one."""
    if options.rule_set != "a" or hand.is_void:
        return False
    kept = left_with_fool(options)
    settle = cards_settle(options, hand)
    return len(hand.fool_left) > 1 or any(
        seat in hand.winners
        or any(one.seat == seat and one.what == "pagat_home" for one in hand.fates)
        or (settle and not_only_discard(hand, seat, hand.points.get(seat), kept))
        for seat in hand.fool_left
    )


def unclaimed(options: Options, hand: Hand) -> tuple[actions.FeatTold, ...]:
    """Return the feats that card points prove and nobody told, one of which has to be.

    A trick counts one at least. Who dealt may have points of the cards laid away alone: then it
    is not sure whether one opponent took every trick or the other just none.
    """
    if options.rule_set == "a" or options.unclaimed_feats == "accept":
        return ()
    told = hand.maker("vole") is not None or hand.maker("tout") is not None
    if told or not hand.points or not cards_settle(options, hand):
        return ()
    without = [seat for seat in hand.opponents(hand.dealer) if hand.points.get(seat) == 0]
    taker = took_all(hand)
    if not without or {*without, taker} & set(hand.unclaimed) or failed(options, hand):
        return ()
    nolos = tuple(actions.FeatTold(seat, "nolo") for seat in without)
    if taker is None:
        return nolos
    all_tricks = actions.FeatTold(taker, "vole" if options.rule_set == "b" else "tout")
    may_have_some = taker != hand.dealer and hand.points[hand.dealer] != DISCARD[0]
    return (*nolos, all_tricks) if may_have_some else (all_tricks,)


def not_claimed(options: Options, hand: Hand) -> bool:
    """V-UNTOLD: the card points prove a feat that nobody told."""
    return bool(unclaimed(options, hand))


def took_all(hand: Hand) -> Seat | None:
    """Return who took every trick, as far as card points can tell, if anybody did."""
    takers = (
        seat
        for seat in hand.active
        if all(_took_none(hand, other) for other in hand.opponents(seat))
    )
    return next(takers, None)


def _took_none(hand: Hand, seat: Seat) -> bool:
    """Whether *seat* counts nothing, or as dealer no more than was laid away."""
    points = hand.points.get(seat)
    most = _MOST_OF_DISCARD if seat == hand.dealer else 0
    return points is not None and 0 <= points <= most


def failed(options: Options, hand: Hand) -> tuple[actions.Entry, ...]:
    """Return a feat that was told as failed, and the card points that prove it made."""
    if options.rule_set != "b" or not cards_settle(options, hand):
        return ()
    for one in hand.feats:
        nothing = one.seat != hand.dealer and hand.points.get(one.seat) == 0
        made = took_all(hand) == one.seat if one.what == "vole" else nothing
        if made and not one.made:
            return (one, *(told for told in hand.counted if told.seat == one.seat))
    return ()


def not_failed(options: Options, hand: Hand) -> bool:
    """V-FAILED: told as failed, but the card points prove that it was made."""
    return bool(failed(options, hand))


def odd_nothing(options: Options, hand: Hand) -> tuple[actions.Entry, ...]:
    """Return a trick that somebody took, and card points that leave no room for one.

    It is asked about, and refused nobody: no code of the rules forbids it.
    """
    if options.unclaimed_feats == "accept" or not cards_settle(options, hand):
        return ()
    nothing = {one.seat: one for one in hand.counted if one.points == 0}
    tricks: list[actions.Entry] = [actions.LastTrickTold(seat) for seat in hand.winners]
    tricks += (one for one in hand.fates if one.what.endswith("_home"))
    counted = nothing.keys() - set(hand.unclaimed)
    return next(((one, nothing[one.seat]) for one in tricks if one.seat in counted), ())


def not_held(options: Options, hand: Hand) -> bool:
    """V-HELD: no 25 cards a player could hold all that was declared, brought home and lost."""
    return bool(contradiction(options, hand))


def left_with_fool(options: Options) -> int:
    """Return what who is left with the Fool counts without a trick (1754); elsewhere nothing."""
    return actions.FOOL_LEFT if options.rule_set == "a" and options.a_excuse_alone_cards else 0


def not_only_discard(hand: Hand, seat: Seat, points: int | None, kept: int) -> bool:
    """Whether *points* of *seat* are not just *kept*, and as dealer the three cards laid away."""
    if points is None:
        return False
    return points - kept not in DISCARD if seat == hand.dealer else points != kept


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
    "V-UNTOLD": (None, not_claimed),
    "V-FAILED": (not_failed, None),
    "V-HELD": (not_held, None),
}
"""Judges by code, in the order codes are reported: of what is wrong, and of what is lacking."""
CODES = tuple(_JUDGES)
WRONG: Mapping[str, Judge] = {code: wrong for code, (wrong, _) in _JUDGES.items() if wrong}
LACKING: Mapping[str, Judge] = {code: lack for code, (_, lack) in _JUDGES.items() if lack}
