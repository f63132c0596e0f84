"""Any play of eenendertigen by any house rules: what must hold whatever people do."""

from typing import get_args

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from kloplei.games.card_game import Deal, Misdeal
from kloplei.games.eenendertigen import REASONS, Eenendertigen, Options, Phase, State, actions
from kloplei.games.eenendertigen.actions import EVENTS, HandEnded
from kloplei.games.game import Action, Choose, Do, Event, Gesture, IllegalAction, Seat
from tests.games.evenings import EVENINGS, THOROUGH, AnyEvening
from tests.games.houses import any_house

SEATS = tuple(Seat(n) for n in range(8))
SEAT = st.sampled_from(SEATS)
NUMBER = st.integers(-1, 6)
HOUSES = any_house(
    Options, {"lives": st.sampled_from([3, 1, 2, 5]), "knocker_pays": st.sampled_from([1, 2])}
)
GESTURES = st.builds(Gesture, knocks=st.integers(1, 6)) | st.just(Gesture(hold=True))


class Evening(AnyEvening):
    """Any play of eenendertigen."""

    any_action = st.one_of(
        st.sampled_from([Deal(), Misdeal(), actions.Equal()]),
        *(st.builds(kind, SEAT) for kind in (actions.Knock, actions.Lowest, actions.Drink)),
        st.builds(actions.Lay, SEAT, st.sampled_from([*get_args(actions.Holds), "two_aces"])),
        st.builds(actions.Correct, NUMBER, SEAT),
        st.builds(actions.Chalk, SEAT, NUMBER),
    )
    reasons = REASONS
    kinds_of_event = EVENTS
    a_deal = Deal()

    game: Eenendertigen
    state: State

    @initialize(options=HOUSES, data=st.data())
    def sit_down(self, options: Options, data: st.DataObject) -> None:
        self.game = Eenendertigen(options)
        seats = tuple(sorted(data.draw(st.sets(SEAT, min_size=2))))
        lost = st.integers(0, options.limit - 1)
        lives = data.draw(st.dictionaries(st.sampled_from(seats), lost))
        self.begin(self.game.start(seats, data.draw(st.sampled_from(seats)), lives_lost=lives))

    @rule(data=st.data())
    def do_something_legal(self, data: st.DataObject) -> None:
        legal = sorted(self.legal, key=repr)
        moves = [a for a in legal if not isinstance(a, actions.Correct | actions.Chalk)]
        self.do(data.draw(st.sampled_from(legal) | st.sampled_from(moves)))

    @rule(seat=SEAT, gesture=GESTURES)
    def knock_on_the_wood(self, seat: Seat, gesture: Gesture) -> None:
        match self.game.meaning(self.state, seat, gesture):
            case Do(action):
                asked = [action]
            case Choose(choices=choices):
                asked = [action for _, action in choices]
            case _:
                return
        for action in asked:
            if action in self.legal:
                self.do(action)
                return
            with pytest.raises(IllegalAction):
                self.game.decide(self.state, action)

    @rule(first=SEAT, second=SEAT)
    def two_say_that_they_were_lowest(self, first: Seat, second: Seat) -> None:
        waiting, asked = actions.Lowest(first), actions.Lowest(second)
        before, meant = self.state.lives_lost, self.game.together(self.state, waiting, asked)
        for action in meant:
            assert action in self.legal
            self.do(action)
        if meant == (actions.Equal(),):
            assert self.state.lives_lost == before
        elif meant:
            assert self.state.hands[-1].losers
            assert {first, second} <= {*self.state.hands[-1].losers}

    @precondition(lambda self: self.game.why_not_reseat(self.state) is None)
    @rule(data=st.data())
    def change_places(self, data: st.DataObject) -> None:
        chosen = data.draw(st.sets(SEAT, min_size=2))
        old = data.draw(st.permutations(self.state.seats))
        moved = dict(zip(old, sorted(chosen), strict=False))
        won = sorted(self.state.winners.count(seat) for seat in moved)
        seats, going_on = tuple(sorted(chosen)), not self.game.is_clean(self.state)
        if going_on and self.game.why_not_go_on(self.state, seats, moved, self.game):
            return
        lost = sorted(self.state.lives_lost[seat] for seat in moved) if going_on else []

        again = self.game.go_on if going_on else self.game.reseat
        self.begin(again(self.state, seats, moved))

        kept = sorted(self.state.lives_lost[seat] for seat in moved.values())
        assert kept == lost or not going_on
        gone = dict(self.state.left_since)
        assert {*self.state.seats} & {*gone} - {*moved.values()} <= {*self.state.out}
        assert sorted(self.state.winners.count(seat) for seat in moved.values()) == won

    def look_at(self, before: State, _: Action, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, HandEnded) and event.how in get_args(actions.Holds):
                paid = {seat for seat in before.in_hand if event.paid[seat]}
                assert paid == {*before.in_hand} - {event.seat}

    @invariant()
    def lives_and_who_is_out_agree(self) -> None:
        options, state = self.game.options, self.state
        assert all(0 <= state.lives_lost[seat] <= options.limit for seat in state.seats)
        assert state.out == tuple(s for s in state.seats if state.lives_lost[s] == options.limit)
        assert (len(state.standing(state.out)) == 1) is (state.phase is Phase.RUBBER_OVER)

    @invariant()
    def the_dealer_is_there(self) -> None:
        assert self.state.dealer in self.state.seats
        if self.state.phase is not Phase.RUBBER_OVER:
            assert self.state.dealer not in self.state.out

    @invariant()
    def there_is_always_a_way_on(self) -> None:
        assert any(not isinstance(a, actions.Chalk | actions.Correct) for a in self.legal)

    def it_can_be_finished(self) -> None:
        """By nothing but dealing, being lowest and paying drinks."""
        won = len(self.state.winners)
        wanted = (actions.Drink, actions.Lowest, Deal)
        for _ in range(500):
            if len(self.state.winners) > won and not any(self.state.lives_lost):
                return
            moves = [one for one in self.legal if isinstance(one, wanted)]
            self.do(max(moves, key=lambda one: (isinstance(one, Deal), repr(one))))
        pytest.fail("this rubber never ends")


TestEvening = Evening.TestCase
TestEvening.settings = settings(THOROUGH, max_examples=max(1, EVENINGS // 2))
