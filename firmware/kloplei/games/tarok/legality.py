"""Why an action at a table of Tarok may not be done, and all that may be (§ 9, § 10).

`Referee` is asked about everything; what cannot be in a hand it leaves to
`kloplei.games.tarok.consistency`, and unlike its colleagues it knows every reason and not only the
first. `imaginable` is what phones could be offered: the referee sifts it.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import product, starmap
from typing import Any, get_args

from kloplei.games import card_game
from kloplei.games.card_game import Deal, NewGame
from kloplei.games.game import Action, Facts, Seat
from kloplei.games.tarok import actions, consistency
from kloplei.games.tarok.apply import asked_about, quoted
from kloplei.games.tarok.consistency import ALL_POINTS, badly_announced, unclaimed, undeclared
from kloplei.games.tarok.holdings import contradiction
from kloplei.games.tarok.options import CHIP, Options, RuleSet
from kloplei.games.tarok.state import Hand, Phase, State, cards_settle

REASONS = (
    *consistency.CODES,
    *("no_deal", "deal_in_progress", "game_over", "game_not_over", "not_played_here"),
    *("dealer_plays", "too_late", "nothing_changed", "hand_void", "already_told", "no_entry"),
    *("points_not_settled", "slate_not_clean", "not_asked", "not_told", "no_such_hand"),
    *("not_all_seats", "sum_not_zero", "pot_below_zero", "too_much"),
)
"""Every code that this game refuses an action with."""
_IN_HAND = (actions.Book, actions.TakeBack, actions.Pass, actions.Result)
_MOST_CHIPS = 100
_EITHER = (False, True)
_NOTHING = (None,)


class Referee(card_game.Referee[Options, State]):
    """Judges what may be done at a table in this *state* by these *options*."""

    def __init__(self, options: Options, state: State) -> None:
        super().__init__(options, state)
        self.hand = state.hand
        self._cards_settle = cards_settle(options, self.hand)
        self._to_declare = state.to_declare

    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""
        return next(self._codes(action), None)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say: every reason, and whose it is."""
        codes, seat = self.codes(action), getattr(action, "seat", None)
        facts: dict[str, object] = {"codes": codes}
        if seat is not None:
            facts["seat"] = seat
        if codes[:1] == ("V-UNTOLD",):
            (feat, *_) = unclaimed(self.options, self.hand)
            facts["said"] = asked_about(feat).as_fact()
        elif codes[:1] == ("V-EXCUSE",):
            facts["points"] = actions.FOOL_LEFT if self.options.a_excuse_alone_cards else 0
        elif codes[:1] == ("V-HELD",):
            facts["said"] = quoted(contradiction(self.options, self.hand))
        return facts

    def codes(self, action: Action) -> tuple[str, ...]:
        """Return every reason *action* is refused for; none if it may be done."""
        return tuple(self._codes(action))

    def _codes(self, action: Action) -> Iterator[str]:
        """Yield the reasons one by one: who wants to know whether it may be done reads one."""
        if (entry := actions.entry_of(action)) is not None:
            yield from self._entry(entry)
        elif isinstance(action, _IN_HAND) and self.state.phase is not Phase.HAND:
            yield "no_deal"
        elif isinstance(action, actions.Book):
            yield from self._book()
        elif isinstance(action, actions.Result):
            yield from consistency.wrong_result(self.options, self.state, action)
        elif reason := self._why_not_by_name(action):
            yield reason

    def _why_not_deal(self) -> str | None:
        return self._between_hands()

    def _why_not_settle(self) -> str | None:
        return self._between_hands() or (None if self.state.opened else "nothing_changed")

    def _why_not_reopen(self, hand: int) -> str | None:
        known = 1 <= hand <= len(self.state.hands)
        return self._between_hands() or (None if known else "no_such_hand")

    def _why_not_new_game(self) -> str | None:
        return None if self.state.phase is Phase.SETTLED else "game_not_over"

    def _why_not_take_back(self, entry: int) -> str | None:
        return None if 1 <= entry <= len(self.state.entries) else "no_entry"

    def _between_hands(self) -> str | None:
        match self.state.phase:
            case Phase.HAND:
                return "deal_in_progress"
            case Phase.SETTLED:
                return "game_over"
        return None

    def _book(self) -> tuple[str, ...]:
        if not self.options.only_points:
            return consistency.rejects(self.options, self.hand)
        if self.hand.result is None and not self.hand.is_void:
            return ("not_told",)
        return consistency.pots_left(self.state, self.hand.result)

    def _why_not_pass(self, seat: Seat) -> str | None:
        state = self.state
        if self.options.only_points:
            return "not_played_here"
        if seat not in state.active:
            return "V-SEAT"
        return "not_asked" if self._to_declare is None or seat in state.passed else None

    def _why_not_sit_out(self, seat: Seat) -> str | None:
        state = self.state
        if reason := self._between_hands():
            return reason
        if self.options.sitter != "chosen" or state.sits_out is None:
            return "not_played_here"
        if state.paid:
            return "too_late"
        if seat == state.dealer:
            return "dealer_plays"
        return "nothing_changed" if seat == state.sits_out else None

    def _entry(self, entry: actions.AnyEntry) -> Iterator[str]:
        if self.state.phase is not Phase.HAND:
            yield "no_deal"
        elif self.options.only_points and not isinstance(entry, actions.HandVoided):
            yield "not_played_here"
        elif reason := self._out_of_place(entry):
            yield reason
        else:
            yield from consistency.wrong_with(self.options, self.hand, entry)

    def _out_of_place(self, entry: actions.AnyEntry) -> str | None:
        """Return why *entry* cannot be told now, whatever else was."""
        options, hand = self.options, self.hand
        if hand.is_void and not isinstance(entry, actions.Declared | actions.Fined):
            return "hand_void"
        match entry:
            case actions.Declared():
                return None if _says_enough(options, entry) else "V-DECL"
            case actions.Fined():
                return None if _payable(self.options, entry) else "V-FINE"
            case actions.PointsCounted() if not hand.winners:
                return "V-LAST"  # cards are counted when all are played
            case actions.PointsCounted() if not self._cards_settle:
                return "points_not_settled"
            case actions.FeatUnclaimed(seat):
                # It can only be let pass where it is asked for.
                asked = unclaimed(options, hand)
                return None if seat in [one.seat for one in asked] else "nothing_changed"
        return "already_told" if _told_before(hand, entry) else None


def imaginable(options: Options, state: State) -> Iterator[Collection[Action]]:
    """Yield every action that could be legal in this phase, those together that stand or fall so.

    Of what is counted only so many cards are left, of points so many.
    """
    if state.phase is not Phase.HAND:
        yield from ([Deal()], [actions.Settle()], [NewGame()])
        yield from ([actions.SitOut(seat)] for seat in state.seats)
        yield [actions.Reopen(number + 1) for number in range(len(state.hands))]
        return
    yield from ([actions.Book()], [actions.ThrowIn()])
    yield [actions.TakeBack(number + 1) for number in range(len(state.entries))]
    if options.only_points:
        # It stands for whatever it brought.
        yield [actions.Result((0,) * len(state.seats))]
        return
    hand = state.hand
    yield _fines(options, state.active)
    for seat in state.active:
        yield [actions.Pass(seat)]
        yield from _declarable(options, hand, seat)
        yield from _of_play(options.rule_set, seat)
        yield from _points(hand, seat)


def _sayings(rule_set: RuleSet, what: str) -> tuple[Sequence[Any], ...]:
    """Return what may be said of a declaration: count, suit, pagat and Fool; None is nothing."""
    of_taroks = what == "taroks"
    return (
        _counts(what) if what in actions.COUNTED else _NOTHING,
        get_args(actions.Suit) if what in actions.CAVALRIES else _NOTHING,
        _EITHER if of_taroks and rule_set != "a" else _NOTHING,
        _EITHER if of_taroks and rule_set == "b" else _NOTHING,
    )


def _says_enough(options: Options, one: actions.Declared) -> bool:
    """Whether *one* says what has to be said of such a declaration, and nothing else (§ 4)."""
    said = (one.count, one.suit, one.pagat, one.fool)
    sayings = _sayings(options.rule_set, one.what)
    return all((fact is None) is (may is _NOTHING) for fact, may in zip(said, sayings, strict=True))


def _payable(options: Options, fine: actions.Fined) -> bool:
    chips = fine.king_pot + fine.pagat_pot
    return chips in _pot_fine(options) if not fine.each else fine.each in _each_fine(options)


def _told_before(hand: Hand, entry: actions.AnyEntry) -> bool:
    """Whether *entry* is of a kind that is told once of each player, and was."""
    told = (hand.last_cards, hand.counted)
    return any(type(one) is type(entry) and one.seat == entry.seat for each in told for one in each)


@cache
def _fines(options: Options, seats: tuple[Seat, ...]) -> frozenset[Action]:
    into_pots = product(seats, get_args(actions.Pot), _pot_fine(options))
    return frozenset(
        (
            *starmap(actions.Fine, product(seats, _each_fine(options))),
            *starmap(actions.FineIntoPot, into_pots),
        )
    )


def _declarable(options: Options, hand: Hand, seat: Seat) -> Iterator[Sequence[Action]]:
    called = {one.suit for one in hand.declared if one.what in actions.CAVALRIES}
    for alike in _declarations(options.rule_set, seat):
        what = alike[0].what
        if what in actions.COUNTED:
            yield alike[: max(0, 1 + undeclared(hand, what) - actions.COUNTED[what][0])]
        elif what in actions.CAVALRIES:
            yield [one for one in alike if one.suit not in called]
        else:
            yield alike


@cache
def _declarations(rule_set: RuleSet, seat: Seat) -> Sequence[Sequence[actions.Declare]]:
    """Return all that *seat* could declare, together what differs in its count or suit alone."""
    found: list[Sequence[actions.Declare]] = []
    for what in actions.DECLARATIONS[rule_set]:
        counts, suits, pagat, fool = _sayings(rule_set, what)
        for held in product(pagat, fool):
            alike = product(counts, suits)
            found.append([actions.Declare(seat, what, *one, *held) for one in alike])
    return found


def _counts(what: str) -> range:
    """Return how many cards of *what* one hand can hold."""
    least, most = actions.COUNTED[what]
    return range(least, min(most, actions.MOST_IN_HAND) + 1)


@cache
def _of_play(rule_set: RuleSet, seat: Seat) -> Sequence[Sequence[Action]]:
    seldom: tuple[Action, ...] = (actions.LeaveUnclaimed(seat),)
    if rule_set == "a":
        seldom = (actions.FoolAlone(seat), actions.WrongDiscard(seat))
    return (
        [actions.LastTrick(seat)],
        *([actions.LastCard(seat, card)] for card in get_args(actions.LastCardKind)),
        *([actions.TellFate(seat, what)] for what in actions.FATES[rule_set]),
        *([one] for one in seldom),
        *(
            _feats(rule_set, seat, *told)
            for told in product(actions.FEATS[rule_set], _EITHER, _EITHER)
        ),
    )


def _feats(
    rule_set: RuleSet, seat: Seat, what: actions.FeatKind, made: bool, early: bool
) -> Sequence[Action]:
    """Return a feat with all numbers of tricks it may be announced by, or as one that was not."""
    return [
        actions.TellFeat(seat, what, announced, made)
        for announced in actions.ANNOUNCED.get(what, _NOTHING)
        if (announced is not None) is early
        and not badly_announced(rule_set, actions.FeatTold(seat, what, announced, made))
    ]


def _points(hand: Hand, seat: Seat) -> Iterator[Sequence[Action]]:
    """Yield what the pile of *seat* could count beside the others."""
    if not hand.winners or seat in hand.points:
        return
    left = ALL_POINTS - sum(points or 0 for points in hand.points.values())
    least = left if len(hand.points) == len(hand.active) - 1 else 0
    possible = [actions.Points(seat, number) for number in range(least, left + 1)]
    if hand.fool_left or hand.maker("vole") is not None:
        # Who took no trick can only have what was laid away.
        yield from ([one] for one in possible)
    else:
        yield possible


def _each_fine(options: Options) -> range:
    """Return what a fine to each opponent may be."""
    least = CHIP if options.rule_set == "c" else 1
    return range(least, _MOST_CHIPS + 1, least)


def _pot_fine(options: Options) -> range:
    """Return what a fine into a pot may be."""
    return range(CHIP, _MOST_CHIPS + 1, CHIP) if options.has_pots else range(0)
