"""Any play of toepen by any house rules: what must hold whatever people do."""

from typing import get_args

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    invariant,
    precondition,
    rule,
)

from kloplei.games.card_game import Correct, Deal, Misdeal, Ready, Revoke
from kloplei.games.game import Action, Choose, Do, Event, Gesture, IllegalAction, Seat, Show
from kloplei.games.toepen import REASONS, Options, Phase, State, Toepen, actions
from kloplei.games.toepen.actions import EVENTS, HandEnded
from kloplei.games.toepen.state import lives_left
from tests.games.evenings import THOROUGH, AnyEvening
from tests.games.houses import any_house

SEATS = tuple(Seat(n) for n in range(8))
_NUMBERS = {
    "max_lives": st.sampled_from([10, 15, 7, 5, 2, 1]),
    "min_players": st.sampled_from([3, 2]),
    "armoede_stake": st.sampled_from([2, 3]),
    "armoede_leave_cost": st.sampled_from([1, 2]),
    "debt_chips": st.sampled_from([1, 5]),
    "max_stake": st.sampled_from([None, 3, 4, 6]),
    "exchange_limit": st.sampled_from([None, 1, 0]),
    "exchange_penalty": st.sampled_from([1, 2]),
    "whistle_penalty": st.sampled_from([0, 1]),
}
SEAT = st.sampled_from(SEATS)
NUMBER = st.integers(-1, 12)


ANY_ACTION: st.SearchStrategy[Action] = st.one_of(
    st.sampled_from([Deal(), Ready(), Misdeal()]),
    *(
        st.builds(kind, SEAT)
        for kind in (
            *(actions.Exchange, actions.Stay, actions.Fold, actions.Knock, actions.BlindKnock),
            *(actions.Jack, Revoke, actions.Four, actions.Drink),
        )
    ),
    st.builds(actions.Challenge, SEAT, SEAT, st.sampled_from([*get_args(actions.Found), "torn"])),
    st.builds(actions.Trick, SEAT, NUMBER),
    st.builds(actions.Whistle, SEAT, st.sampled_from(get_args(actions.ThreeAlike))),
    st.builds(actions.Stand, SEAT, st.sampled_from(["two_jacks", *get_args(actions.FourAlike)])),
    st.builds(actions.Sing, SEAT, st.sampled_from(get_args(actions.SingReason))),
    st.builds(Correct, NUMBER, SEAT),
    st.builds(actions.Chalk, SEAT, NUMBER),
    st.builds(actions.WonBefore, SEAT, NUMBER),
    st.builds(actions.Payout, st.sampled_from([0, 1]), SEAT | st.none()),
)
GESTURES = st.builds(Gesture, knocks=st.integers(1, 6)) | st.just(Gesture(hold=True))


_BY_HAND = (Correct, actions.Amend, actions.Chalk, actions.WonBefore)


class Evening(AnyEvening):
    """Any play of toepen."""

    any_action = ANY_ACTION
    reasons = REASONS
    kinds_of_event = EVENTS
    a_deal = Deal()

    game: Toepen
    state: State

    @initialize(
        options=any_house(Options, _NUMBERS),
        gap=st.booleans(),
        data=st.data(),
    )
    def sit_down(self, options: Options, gap: bool, data: st.DataObject) -> None:
        players = data.draw(st.integers(options.min_players, 8))
        self.game = Toepen(options)
        # With a gap the last player sits at the far end of the table.
        seats = (*SEATS[: players - 1], SEATS[7] if gap else SEATS[players - 1])
        lives = data.draw(
            st.dictionaries(st.sampled_from(seats), st.integers(0, options.max_lives - 1))
        )
        dealer = data.draw(st.sampled_from(seats))
        self.begin(self.game.start(seats, dealer, lives_lost=lives))

    @rule(data=st.data())
    def do_something_legal(self, data: st.DataObject) -> None:
        legal = sorted(self.legal, key=repr)
        # Corrections are many; let the game itself go on more often.
        moves = [a for a in legal if not isinstance(a, _BY_HAND)]
        self.do(data.draw(st.sampled_from(legal) | st.sampled_from(moves)))

    @rule(seat=SEAT, gesture=GESTURES)
    def knock_on_the_wood(self, seat: Seat, gesture: Gesture) -> None:
        match self.game.meaning(self.state, seat, gesture):
            case None:
                return
            case Do(action):
                asked = [action]
            case Choose(choices=choices):
                asked = [action for _, action in choices]
                assert set(asked) <= self.legal
            case Show():
                return
        for action in asked:
            if action in self.legal:
                self.do(action)
                return
            with pytest.raises(IllegalAction):
                self.game.decide(self.state, action)

    @precondition(lambda self: self.game.why_not_reseat(self.state) is None)
    @rule(data=st.data())
    def change_places(self, data: st.DataObject) -> None:
        least = self.game.min_seats
        chosen = data.draw(st.sets(SEAT, min_size=least))
        old = data.draw(st.permutations(self.state.seats))
        moved = dict(zip(old, sorted(chosen), strict=False))
        won = sorted(self.state.rubbers_won(seat) for seat in moved)
        seats, going_on = tuple(sorted(chosen)), not self.game.is_clean(self.state)
        if going_on and self.game.why_not_go_on(self.state, seats, moved, self.game):
            return
        lost = sorted(self.state.lives_lost[seat] for seat in moved)

        again = self.game.go_on if going_on else self.game.reseat
        self.begin(again(self.state, seats, moved))

        assert sorted(self.state.lives_lost[seat] for seat in moved.values()) == lost
        assert sorted(self.state.rubbers_won(seat) for seat in moved.values()) == won

    def look_at(self, before: State, action: Action, events: tuple[Event, ...]) -> None:
        self.one_winner_pays_nothing(before, events)
        if isinstance(action, actions.Knock):
            self.knocker_could_pay(before, action.seat)

    def one_winner_pays_nothing(self, before: State, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, HandEnded) and event.how == "trick":
                free = [seat for seat in event.stayed if event.paid[seat] <= 0]
                assert free == [event.winner]

    def knocker_could_pay(self, before: State, seat: Seat) -> None:
        options = self.game.options
        if options.knock_limit_basis == "hand" and seat not in before.hand.armoede:
            assert self.state.hand.stake <= lives_left(options, self.state, seat)

    @invariant()
    def nobody_leaves_the_slate(self) -> None:
        options = self.game.options
        lost = [self.state.lives_lost[seat] for seat in self.state.seats]
        assert min(lost) >= 0
        if options.overshoot == "cap":
            assert max(lost) <= options.max_lives

    @invariant()
    def there_is_always_a_way_on(self) -> None:
        going_on = [
            action
            for action in self.legal
            if not isinstance(
                action,
                actions.Chalk
                | actions.Amend
                | Correct
                | actions.Sing
                | actions.Whistle
                | actions.Stand,
            )
        ]
        assert going_on

    @invariant()
    def the_dealer_and_the_leader_are_there(self) -> None:
        assert self.state.dealer in self.state.seats
        if self.state.phase is Phase.BETWEEN_HANDS:
            assert self.state.dealer not in self.state.out
        if self.state.hand_running:
            assert self.state.leader in self.state.hand.in_hand

    def it_can_be_finished(self) -> None:
        """By nothing but dealing, staying in, taking last tricks and paying drinks."""
        played = len(self.state.rubbers)
        wanted = (actions.Drink, actions.Stay, actions.Trick, Deal)
        for _ in range(2000):
            settled = self.state.phase is Phase.BETWEEN_HANDS and not any(self.state.lives_lost)
            if settled and len(self.state.rubbers) > played:
                return
            legal = self.legal
            moves = [one for one in legal if isinstance(one, wanted)]
            self.do(max(moves, key=lambda one: getattr(one, "n", 0)))
        pytest.fail("this rubber never ends")


TestEvening = Evening.TestCase
TestEvening.settings = THOROUGH
