"""Any evening of Tarok by any house rules: what must hold whatever people ask for."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from kloplei.games.card_game import Deal, NewGame
from kloplei.games.game import Action, Do, Event, Gesture, IllegalAction, Seat
from kloplei.games.tarok import REASONS, Options, Phase, State, Tarok, actions
from kloplei.games.tarok.actions import EVENTS, Booked
from kloplei.games.tarok.consistency import rejects
from tests.games.evenings import THOROUGH, AnyEvening
from tests.games.houses import any_house
from tests.games.tarok.invariants import check_line, check_table, seats

SEAT = st.sampled_from(seats(5))
COUNT = st.none() | st.integers(2, 26)
ANNOUNCED = st.sampled_from([None, 1, 13, 20, 7])
EITHER = st.booleans()
PERHAPS = st.none() | EITHER
HOUSES = any_house(
    Options,
    {
        "a_excuse_alone_cards": st.sampled_from([0, 4]),
        "a_fine": st.sampled_from([5, 0, 7]),
        "c_ante": st.sampled_from([20, 40, 5]),
        "c_dealer_extra": st.sampled_from([5, 0, 10]),
        "c_tout": st.sampled_from([80, 85, 135]),
        "c_pagat_ultimo": st.sampled_from([45, 50, 0]),
        "c_king_ultimo": st.sampled_from([40, 30, 0]),
        "c_last_trick": st.sampled_from([20, 25, 0]),
        "c_nolo": st.sampled_from([25, 40, 0]),
        "c_lost": st.sampled_from([5, 10, 0]),
        "c_rounding": st.sampled_from([5, 1]),
        "only_points": st.sampled_from([False, False, False, True]),
    },
)
ANY_ACTION: st.SearchStrategy[Action] = st.one_of(
    st.sampled_from([kind() for kind in (Deal, actions.ThrowIn, actions.Book, actions.Settle)]),
    st.just(NewGame()),
    *(
        st.builds(kind, SEAT)
        for kind in (
            *(actions.SitOut, actions.Pass, actions.LastTrick),
            *(actions.FoolAlone, actions.WrongDiscard, actions.LeaveUnclaimed),
        )
    ),
    st.builds(
        actions.Declare,
        SEAT,
        st.sampled_from([*get_args(actions.Declarable), "trull"]),
        COUNT,
        st.sampled_from([None, "H", "D", "S", "C"]),
        PERHAPS,
        PERHAPS,
    ),
    st.builds(actions.Fine, SEAT, st.integers(-5, 105)),
    st.builds(actions.FineIntoPot, SEAT, st.sampled_from(["king", "pagat"]), st.integers(-5, 105)),
    st.builds(actions.TellFate, SEAT, st.sampled_from([*get_args(actions.Fate), "queen_lost"])),
    st.builds(actions.LastCard, SEAT, st.sampled_from(["pagat", "king"])),
    st.builds(
        actions.TellFeat, SEAT, st.sampled_from(get_args(actions.FeatKind)), ANNOUNCED, EITHER
    ),
    st.builds(actions.Points, SEAT, st.integers(-1, 80)),
    st.builds(actions.TakeBack, st.integers(-1, 6)),
    st.builds(actions.Reopen, st.integers(-1, 3)),
)
ENDING = ("throw_in", "wrong_discard", "settle", "fine", "fine_pot", "take_back", "reopen")
CHIPS = st.integers(-10, 10).map(lambda chips: 5 * chips)


class Evening(AnyEvening):
    """Any evening of Tarok."""

    any_action = ANY_ACTION
    reasons = REASONS
    kinds_of_event = EVENTS
    a_deal = Deal()

    game: Tarok
    state: State

    @initialize(options=HOUSES, players=st.sampled_from([3, 4]), data=st.data())
    def sit_down(self, options: Options, players: int, data: st.DataObject) -> None:
        self.game = Tarok(options)
        chosen = tuple(sorted(data.draw(st.permutations(seats(5)))[:players]))
        self.begin(self.game.start(chosen, data.draw(st.sampled_from(chosen))))

    def is_askable(self, action: Action) -> bool:
        return getattr(action, "seat", None) in (None, *self.state.seats)

    @rule(data=st.data())
    def do_something_legal(self, data: st.DataObject) -> None:
        legal = sorted(self.legal, key=repr)
        word = data.draw(st.sampled_from(sorted({action.name for action in legal})))
        named = [action for action in legal if action.name == word]
        quiet = [action for action in legal if action.name not in ENDING] or named
        self.do(data.draw(st.sampled_from(quiet) | st.sampled_from(named)))

    @precondition(lambda self: actions.Book() in self.legal)
    @rule()
    def write_it_down(self) -> None:
        self.do(actions.Book())

    @precondition(lambda self: self.state.phase is Phase.HAND)
    @rule(data=st.data(), king=CHIPS, pagat=CHIPS, over=st.sampled_from([0, 0, 0, 5]))
    def tell_nothing_but_the_result(
        self, data: st.DataObject, king: int, pagat: int, over: int
    ) -> None:
        options, before = self.game.options, self.state
        others = data.draw(st.lists(CHIPS, min_size=2, max_size=3))
        amounts = (over - sum(others) - king - pagat, *others)
        pots = [before.pots.king + king, before.pots.pagat + pagat]

        try:
            self.do(actions.Result(amounts, king, pagat))
        except IllegalAction as refusal:
            codes = refusal.facts["codes"]
        else:
            assert len(amounts) == len(before.seats)
            assert not (over and options.must_balance)
            assert self.state.scores != before.scores or not any(amounts)
            return

        in_pots = options.has_pots or not (king or pagat)
        fits = len(amounts) == len(before.seats) and not (over and options.must_balance)
        waits = before.waiting or before.hand.is_void
        if options.only_points and in_pots and min(pots) >= 0:
            assert waits or not fits, codes

    @precondition(lambda self: self.state.phase is Phase.BETWEEN_HANDS and self.state.hands)
    @rule(data=st.data())
    def tell_an_older_hand_as_it_was(self, data: st.DataObject) -> None:
        before = self.state
        number = data.draw(st.integers(1, len(before.hands)))

        self.do(actions.Reopen(number))
        assert self.state.hands == before.hands[: number - 1]
        self.do(actions.Book())

        # Who sits out the next hand has to be said again.
        assert self.state == replace(before, news=self.state.news, sitter=self.state.sitter)
        assert self.state.sitter in (None, before.sitter)

    @rule(data=st.data())
    def press_or_slam(self, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(self.state.seats))
        times = data.draw(st.integers(1, 3))
        presses = Gesture(times, presses=times)
        gesture = data.draw(st.sampled_from([presses, Gesture(times), Gesture(hold=True)]))
        meaning = self.game.meaning(self.state, seat, gesture)
        assert meaning is None or gesture.hold or gesture.presses
        match meaning:
            case Do(action) if action in self.legal:
                self.do(action)
            case Do(action):
                with pytest.raises(IllegalAction):  # the slate says why
                    self.game.decide(self.state, action)

    @precondition(lambda self: self.game.why_not_reseat(self.state) is None)
    @rule(data=st.data())
    def change_places(self, data: st.DataObject) -> None:
        chosen = tuple(sorted(data.draw(st.sets(SEAT, min_size=3, max_size=4))))
        moved = dict(zip(self.state.seats, data.draw(st.permutations(chosen)), strict=False))

        self.begin(self.game.reseat(self.state, chosen, moved))

        assert not any(self.state.scores)

    def look_at(self, before: State, action: Action, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, Booked) and not before.waiting:
                ends = isinstance(action, actions.Book | actions.Result)
                check_line(self.game.options, before if ends else self.state, event)
        filled = self.game.options.has_pots and not self.game.options.only_points
        if isinstance(action, Deal) and filled:
            assert min(self.state.pots.king, self.state.pots.pagat) > 0  # I5

    @invariant()
    def every_chip_is_somewhere(self) -> None:
        check_table(self.game.options, self.state)

    @invariant()
    def a_hand_can_be_booked_just_when_nothing_is_wrong_with_it(self) -> None:
        if self.state.phase is Phase.HAND and not self.game.options.only_points:
            refused = rejects(self.game.options, self.state.hand)
            assert (actions.Book() in self.legal) is not bool(refused)

    @invariant()
    def nothing_is_paid_before_it_is_booked(self) -> None:
        if self.state.phase is Phase.HAND:
            assert {line.line for line in self.state.lines} <= {"ante", "dealer_extra"}

    @invariant()
    def the_scores_are_what_the_ledger_says(self) -> None:
        if self.state.phase is Phase.SETTLED:
            return  # the pots were shared out after the last hand
        lines = [line for hand in self.state.hands for line in hand.lines] + [*self.state.lines]
        for seat in self.state.seats:
            assert self.state.scores[seat] == sum(line.amounts[seat] for line in lines)

    def it_can_be_finished(self) -> None:
        """By taking back what was told, telling a plain hand, and settling."""
        if self.state.phase is Phase.BETWEEN_HANDS:
            self.do(Deal())
        while self.state.phase is Phase.HAND and self.state.entries:
            self.do(actions.TakeBack(1))
        if self.state.phase is Phase.HAND:
            self.tell_a_plain_hand(*self.state.active)
        if self.state.hands and self.state.phase is Phase.BETWEEN_HANDS:
            self.do(actions.Reopen(1))
            self.do(actions.Book())
        if self.state.phase is Phase.BETWEEN_HANDS:
            self.do(actions.Settle())
        assert self.state.phase is Phase.SETTLED
        assert self.state.pots.total == 0
        self.do(NewGame())
        assert not any(self.state.scores)

    def tell_a_plain_hand(self, first: Seat, second: Seat, dealer: Seat) -> None:
        if self.game.options.only_points:
            self.do(actions.Result((0,) * len(self.state.seats)))
            return
        self.do(actions.TellFate(second, "pagat_home"))
        self.do(actions.LastTrick(first))
        if self.game.options.cards:
            self.do(actions.Points(first, 20))
            self.do(actions.Points(dealer, 31))
            assert self.state.hand.points[second] == 27
        self.do(actions.Book())


TestEvening = Evening.TestCase
TestEvening.settings = THOROUGH
