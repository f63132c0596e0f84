"""Why an action at a table of Tarok may not be done, and all that may be (§ 9, § 10).

`Referee` is asked about everything; what cannot be told next of a hand it leaves to
`kloplei.games.tarok.telling`, what cannot be in a whole one to `kloplei.games.tarok.consistency`,
and unlike its colleagues it knows every reason and not only the first. `imaginable` is what phones
could be offered: the referee sifts it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache

from kloplei.games import card_game
from kloplei.games.card_game import Deal, NewGame
from kloplei.games.game import Action, Facts, Seat, seat_of
from kloplei.games.tarok import actions, consistency
from kloplei.games.tarok.apply import asked_about, quoted
from kloplei.games.tarok.consistency import left_with_fool, unclaimed
from kloplei.games.tarok.holdings import contradiction
from kloplei.games.tarok.options import Options
from kloplei.games.tarok.state import Phase, State
from kloplei.games.tarok.telling import (
    THROWN_IN,
    Standing,
    Telling,
    is_payable,
    says_enough,
    tellings,
)

REASONS = (
    *consistency.CODES,
    *("no_deal", "deal_in_progress", "game_over", "game_not_over", "not_played_here"),
    *("dealer_plays", "too_late", "nothing_changed", "hand_void", "already_told", "no_entry"),
    *("points_not_settled", "slate_not_clean", "not_asked", "not_told", "no_such_hand"),
    *("not_all_seats", "sum_not_zero", "pot_below_zero", "too_much"),
)
"""Every code that this game refuses an action with."""
_IN_HAND = (actions.Book, actions.TakeBack, actions.Pass, actions.Result)


class Referee(card_game.Referee[Options, State]):
    """Judges what may be done at a table in this *state* by these *options*."""

    def __init__(self, options: Options, state: State) -> None:
        super().__init__(options, state)
        self.hand = state.hand

    @cached_property
    def _standing(self) -> Standing:
        return Standing(self.options, self.hand)

    @cached_property
    def _to_declare(self) -> Seat | None:
        return self.state.to_declare

    def sift(self, imaginable: Iterable[Collection[Action]]) -> Iterator[Collection[Action]]:
        """Yield what may be done; for actions that tell of the hand, their entry speaks."""
        others = []
        for alike in imaginable:
            if not isinstance(alike, Telling):
                others.append(alike)
            elif self._standing.takes(alike.entry):
                yield alike
        yield from super().sift(others)

    def why_not(self, action: Action) -> str | None:
        """Return the reason *action* is refused, or None if it may be done."""
        return next(self._codes(action), None)

    def facts(self, action: Action) -> Facts:
        """Return what the sentence of a refusal may want to say: every reason, and whose it is."""
        codes, seat = self.codes(action), seat_of(action)
        facts: dict[str, object] = {"codes": codes}
        if seat is not None:
            facts["seat"] = seat
        if codes[:1] == ("V-UNTOLD",):
            (feat, *_) = unclaimed(self.options, self.hand)
            facts["said"] = asked_about(feat).as_fact()
        elif codes[:1] == ("V-EXCUSE",):
            facts["points"] = left_with_fool(self.options)
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

    def _book(self) -> Iterator[str]:
        if not self.options.only_points:
            yield from consistency.rejected(self.options, self.hand)
        elif self.hand.result is None and not self.hand.is_void:
            yield "not_told"
        else:
            yield from consistency.pots_left(self.state, self.hand.result)

    def _why_not_pass(self, seat: Seat) -> str | None:
        if self.options.only_points:
            return "not_played_here"
        if seat not in self.hand.active:
            return "V-SEAT"
        passed = self._to_declare is None or seat in self.state.passed
        return "not_asked" if passed else None

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
        elif reason := self._badly_said(entry):
            yield reason
        else:
            yield from self._standing.why_not(entry)

    def _badly_said(self, entry: actions.AnyEntry) -> str | None:
        """Return why nobody can say *entry* so, whatever else was told."""
        match entry:
            case actions.Declared() if not says_enough(self.options, entry):
                return "V-DECL"
            case actions.Fined() if not is_payable(self.options, entry):
                return "V-FINE"
        return None


def imaginable(options: Options, state: State) -> Iterator[Collection[Action]]:
    """Yield what could be legal in this phase, those together of which all are or none."""
    if state.phase is not Phase.HAND:
        yield from ([Deal()], [actions.Settle()], [NewGame()])
        yield from ([actions.SitOut(seat)] for seat in state.seats)
        yield [actions.Reopen(number + 1) for number in range(len(state.hands))]
        return
    yield [actions.Book()]
    yield _take_backs(len(state.entries))
    if options.only_points:
        # It stands for whatever it brought.
        yield from (THROWN_IN, [actions.Result((0,) * len(state.seats))])
        return
    hand = state.hand
    yield from () if hand.play_told else _passes(hand.active)
    yield from tellings(options, hand)


@cache
def _passes(seats: tuple[Seat, ...]) -> Sequence[frozenset[Action]]:
    return [frozenset({actions.Pass(seat)}) for seat in seats]


@lru_cache(maxsize=64)
def _take_backs(entries: int) -> frozenset[Action]:
    return frozenset(actions.TakeBack(number + 1) for number in range(entries))
