"""Why an action at a table of Tarok may not be done, and all that may be (§ 9, § 10).

`Referee` is asked about everything; what cannot be in a hand it leaves to
`kloplei.games.tarok.consistency`, and unlike its colleagues it knows every reason and not only the
first. `imaginable` and `fines` are what phones could be offered: the referee sifts them.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import get_args

from kloplei.games import card_game
from kloplei.games.card_game import Deal, NewGame
from kloplei.games.game import Action, Facts, Seat
from kloplei.games.tarok import actions, consistency
from kloplei.games.tarok.actions import (
    CAVALRIES,
    COUNTED,
    AnyEntry,
    Declared,
    Fined,
    HandVoided,
    PointsCounted,
    entry_of,
)
from kloplei.games.tarok.consistency import ALL_POINTS
from kloplei.games.tarok.options import CHIP, Options
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


class Referee(card_game.Referee[Options, State]):
    """Judges what may be done at a table in this *state* by these *options*."""

    def __init__(self, options: Options, state: State) -> None:
        super().__init__(options, state)
        self.hand = state.hand
        self._cards_settle = cards_settle(options, self.hand)

    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""
        return next(self._codes(action), None)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say: every reason, and whose it is."""
        seat = getattr(action, "seat", None)
        return {"codes": self.codes(action)} | ({} if seat is None else {"seat": seat})

    def codes(self, action: Action) -> tuple[str, ...]:
        """Return every reason *action* is refused for; none if it may be done."""
        return tuple(self._codes(action))

    def _codes(self, action: Action) -> Iterator[str]:
        """Yield the reasons one by one: who wants to know whether it may be done reads one."""
        match action:
            case actions.Book() if self.state.phase is Phase.HAND:
                yield from self._book()
            case actions.Result() if self.state.phase is Phase.HAND:
                yield from consistency.wrong_result(self.options, self.state, action)
            case _ if (entry := entry_of(action)) is not None:
                yield from self._entry(entry)
            case _:
                if reason := self._about_the_table(action):
                    yield reason

    def fines(self) -> range:
        """Return what a fine to each opponent may be."""
        least = CHIP if self.options.rule_set == "c" else 1
        return range(least, _MOST_CHIPS + 1, least)

    def chips(self) -> range:
        """Return what a fine into a pot may be."""
        return range(CHIP, _MOST_CHIPS + 1, CHIP) if self.options.has_pots else range(0)

    def _about_the_table(self, action: Action) -> str | None:
        state = self.state
        match action:
            case _ if isinstance(action, _IN_HAND) and state.phase is not Phase.HAND:
                return "no_deal"
            case actions.Pass(seat):
                return self._why_not_pass(seat)
            case actions.TakeBack(entry):
                return None if 1 <= entry <= len(state.entries) else "no_entry"
            case NewGame():
                return None if state.phase is Phase.SETTLED else "game_not_over"
            case actions.SitOut(seat):
                return self._between_hands() or self._why_not_sit_out(seat)
            case actions.Reopen(hand):
                known = 1 <= hand <= len(state.hands)
                return self._between_hands() or (None if known else "no_such_hand")
            case actions.Settle():
                return self._between_hands() or (None if state.opened else "nothing_changed")
            case Deal():
                return self._between_hands()
        raise TypeError(f"{action!r} is no action of Tarok")

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
        return "not_asked" if state.to_declare is None or seat in state.passed else None

    def _why_not_sit_out(self, seat: Seat) -> str | None:
        state = self.state
        if self.options.sitter != "chosen" or state.sits_out is None:
            return "not_played_here"
        if state.paid:
            return "too_late"
        if seat == state.dealer:
            return "dealer_plays"
        return "nothing_changed" if seat == state.sits_out else None

    def _entry(self, entry: AnyEntry) -> Iterator[str]:
        if self.state.phase is not Phase.HAND:
            yield "no_deal"
        elif self.options.only_points and not isinstance(entry, HandVoided):
            yield "not_played_here"
        elif reason := self._out_of_place(entry):
            yield reason
        else:
            yield from consistency.wrong_with(self.options, self.hand, entry)

    def _out_of_place(self, entry: AnyEntry) -> str | None:
        """Return why *entry* cannot be told now, whatever else was."""
        options, hand = self.options, self.hand
        if hand.is_void and not isinstance(entry, Declared | Fined):
            return "hand_void"
        match entry:
            case Declared():
                return None if _says_enough(options, entry) else "V-DECL"
            case Fined():
                return None if self._payable(entry) else "V-FINE"
            case PointsCounted() if not hand.winners:
                return "V-LAST"  # cards are counted when all are played
            case PointsCounted() if not self._cards_settle:
                return "points_not_settled"
        return "already_told" if _told_before(hand, entry) else None

    def _payable(self, fine: Fined) -> bool:
        chips = fine.king_pot + fine.pagat_pot
        return chips in self.chips() if not fine.each else fine.each in self.fines()


def imaginable(options: Options, state: State) -> Iterator[Action]:
    """Yield every action that could be legal in this phase, but for fines."""
    if state.phase is not Phase.HAND:
        yield from (Deal(), actions.Settle(), NewGame())
        yield from (actions.SitOut(seat) for seat in state.seats)
        yield from (actions.Reopen(number + 1) for number in range(len(state.hands)))
        return
    yield from (actions.Book(), actions.ThrowIn())
    yield from (actions.TakeBack(number + 1) for number in range(len(state.entries)))
    if options.only_points:
        yield actions.Result((0,) * len(state.seats))  # stands for whatever it brought
        return
    for seat in state.active:
        yield actions.Pass(seat)
        yield from _declarable(options, seat)
        yield from _of_play(options, seat)
        if state.hand.winners:
            yield from (actions.Points(seat, points) for points in range(ALL_POINTS + 1))


def fines(referee: Referee) -> Iterator[Sequence[Action]]:
    """Yield the fines of each player, those of one kind together."""
    pots: tuple[actions.Pot, ...] = ("king", "pagat")
    for seat in referee.state.active:
        yield [actions.Fine(seat, each) for each in referee.fines()]
        yield from (
            [actions.FineIntoPot(seat, pot, chips) for chips in referee.chips()] for pot in pots
        )


def _says_enough(options: Options, one: Declared) -> bool:
    """Whether *one* says what has to be said of such a declaration, and nothing else (§ 4)."""
    of_taroks = one.what == "taroks"
    return (
        (one.count is not None) == (one.what in COUNTED)
        and (one.suit is not None) == (one.what in CAVALRIES)
        and (one.pagat is not None) == (of_taroks and options.rule_set != "a")
        and (one.fool is not None) == (of_taroks and options.rule_set == "b")
    )


def _told_before(hand: Hand, entry: AnyEntry) -> bool:
    """Whether *entry* is of a kind that is told once of each player, and was."""
    told = (hand.last_cards, hand.counted)
    return any(type(one) is type(entry) and one.seat == entry.seat for each in told for one in each)


def _declarable(options: Options, seat: Seat) -> Iterator[Action]:
    for what in actions.DECLARATIONS[options.rule_set]:
        if what == "taroks":
            yield from _taroks(options, seat)
        elif what in actions.COUNTED:
            least, most = actions.COUNTED[what]
            most = min(most, actions.MOST_IN_HAND)
            yield from (actions.Declare(seat, what, count) for count in range(least, most + 1))
        elif what in actions.CAVALRIES:
            yield from (actions.Declare(seat, what, suit=suit) for suit in get_args(actions.Suit))
        else:
            yield actions.Declare(seat, what)


def _taroks(options: Options, seat: Seat) -> Iterator[Action]:
    """Yield taroks with all that has to be said of them in this game (§ 4)."""
    least, most = actions.COUNTED["taroks"]
    pagat = (None,) if options.rule_set == "a" else _EITHER
    fool = _EITHER if options.rule_set == "b" else (None,)
    for count, with_pagat, with_fool in product(range(least, most + 1), pagat, fool):
        yield actions.Declare(seat, "taroks", count, pagat=with_pagat, fool=with_fool)


def _of_play(options: Options, seat: Seat) -> Iterator[Action]:
    yield from (actions.LastTrick(seat), actions.LastCard(seat, "pagat"))
    yield actions.LastCard(seat, "king")
    yield from (actions.TellFate(seat, what) for what in actions.FATES[options.rule_set])
    if options.rule_set == "a":
        yield from (actions.FoolAlone(seat), actions.WrongDiscard(seat))
    for what in actions.FEATS[options.rule_set]:
        for announced, made in product(actions.ANNOUNCED.get(what, (None,)), _EITHER):
            yield actions.TellFeat(seat, what, announced, made)
