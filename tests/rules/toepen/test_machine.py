"""Any play of toepen by any house rules: what must hold whatever people do."""

from typing import get_args

import pytest
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from kloplei.rules.game import Action, Choose, Do, Event, Gesture, IllegalAction, Seat, Show
from kloplei.rules.scoreboard import Offer
from kloplei.rules.toepen import REASONS, Options, Phase, State, Toepen, actions
from kloplei.rules.toepen.events import EVENTS, HandEnded
from kloplei.rules.toepen.lives import lives_left
from kloplei.table.codec import decode, encode
from tests.rules.houses import any_house

SEATS = tuple(Seat(n) for n in range(8))
_NUMBERS = {
    "max_lives": st.sampled_from([10, 15, 7, 5, 2, 1]),
    "min_players": st.sampled_from([3, 2]),
    "armoede_stake": st.sampled_from([2, 3]),
    "armoede_leave_cost": st.sampled_from([1, 2]),
    "max_stake": st.sampled_from([None, 3, 4, 6]),
    "exchange_limit": st.sampled_from([None, 1, 0]),
    "exchange_penalty": st.sampled_from([1, 2]),
    "whistle_penalty": st.sampled_from([0, 1]),
}
SEAT = st.sampled_from(SEATS)
NUMBER = st.integers(-1, 12)


ANY_ACTION: st.SearchStrategy[Action] = st.one_of(
    st.sampled_from([actions.Deal(), actions.Ready(), actions.Misdeal()]),
    *(
        st.builds(kind, SEAT)
        for kind in (
            *(actions.Exchange, actions.Stay, actions.Fold, actions.Knock, actions.BlindKnock),
            *(actions.Jack, actions.Revoke, actions.Four, actions.Drink),
        )
    ),
    st.builds(actions.Challenge, SEAT, SEAT, st.sampled_from([*get_args(actions.Found), "torn"])),
    st.builds(actions.Trick, SEAT, NUMBER),
    st.builds(actions.Whistle, SEAT, st.sampled_from(get_args(actions.Whistled))),
    st.builds(actions.Stand, SEAT, st.sampled_from(["two_jacks", *get_args(actions.Stood)])),
    st.builds(actions.Sing, SEAT, st.sampled_from(get_args(actions.Sang))),
    st.builds(actions.Correct, NUMBER, SEAT),
    st.builds(actions.Chalk, SEAT, NUMBER),
)
GESTURES = st.builds(Gesture, knocks=st.integers(1, 6)) | st.just(Gesture(hold=True))


class Evening(RuleBasedStateMachine):
    """People who do anything at all, and a box that must keep its head."""

    @initialize(
        options=any_house(Options, _NUMBERS),
        players=st.integers(2, 8),
        gap=st.booleans(),
        data=st.data(),
    )
    def sit_down(self, options: Options, players: int, gap: bool, data: st.DataObject) -> None:
        assume(players >= options.min_players)
        self.game = Toepen(options)
        # With a gap the last player sits at the far end of the table.
        seats = (*SEATS[: players - 1], SEATS[7] if gap else SEATS[players - 1])
        lives = data.draw(
            st.dictionaries(st.sampled_from(seats), st.integers(0, options.max_lives - 1))
        )
        self.before = self.state = self.game.start(
            seats, data.draw(st.sampled_from(seats)), lives_lost=lives
        )
        self.events: list[Event] = []

    @rule(data=st.data())
    def do_something_legal(self, data: st.DataObject) -> None:
        legal = sorted(self.game.legal_actions(self.state), key=repr)
        # Corrections are many; let the game itself go on more often.
        moves = [a for a in legal if not isinstance(a, actions.Correct | actions.Chalk)]
        self.do(data.draw(st.sampled_from(legal) | st.sampled_from(moves)))

    @rule(action=ANY_ACTION)
    def ask_for_anything(self, action: Action) -> None:
        legal = self.game.legal_actions(self.state)
        try:
            self.game.decide(self.state, action)
        except IllegalAction as refusal:
            assert action not in legal
            assert refusal.reason in REASONS
        else:
            assert action in legal

    @rule(seat=SEAT, gesture=GESTURES)
    def knock_on_the_wood(self, seat: Seat, gesture: Gesture) -> None:
        match self.game.meaning(self.state, seat, gesture):
            case None:
                return
            case Do(action):
                asked = [action]
            case Choose(choices=choices):
                asked = [action for _, action in choices]
                assert set(asked) <= self.game.legal_actions(self.state)
            case Show():
                return
        for action in asked:
            if action in self.game.legal_actions(self.state):
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

        self.before = self.state = self.game.reseat(self.state, tuple(sorted(chosen)), moved)
        self.events = []

        assert sorted(self.state.rubbers_won(seat) for seat in moved.values()) == won

    def do(self, action: Action) -> None:
        before = self.state
        events = self.game.decide(before, action)
        assert events
        for event in events:
            self.state = self.game.apply(self.state, event)
        self.events += events
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
            for action in self.game.legal_actions(self.state)
            if not isinstance(
                action,
                actions.Chalk | actions.Correct | actions.Sing | actions.Whistle | actions.Stand,
            )
        ]
        assert going_on

    @invariant()
    def the_board_offers_what_is_legal(self) -> None:
        board = self.game.scoreboard(self.state)
        legal = self.game.legal_actions(self.state)
        for row in board.rows:
            own = {a.name for a in legal if getattr(a, "seat", None) == row.seat}
            deals = {"deal"} if actions.Deal() in legal and row.seat == board.dealer else set()
            assert names(row.offers) == own | deals
        assert names(board.offers) == {a.name for a in legal if not hasattr(a, "seat")}

    @invariant()
    def the_dealer_and_the_leader_are_there(self) -> None:
        assert self.state.dealer in self.state.seats
        if self.state.phase is Phase.BETWEEN_HANDS:
            assert self.state.dealer not in self.state.out
        if self.state.hand_running:
            assert self.state.leader in self.state.hand.in_hand

    def teardown(self) -> None:
        if hasattr(self, "before"):
            self.the_journal_leads_to_the_same_table()
            self.the_rubber_can_be_finished()

    def the_journal_leads_to_the_same_table(self) -> None:
        state = self.before
        for event in self.events:
            state = self.game.apply(state, decode(*encode(event), EVENTS))
        assert state == self.state

    def the_rubber_can_be_finished(self) -> None:
        """By nothing but dealing, staying in, taking last tricks and paying drinks."""
        played = len(self.state.rubbers)
        wanted = (actions.Drink, actions.Stay, actions.Trick, actions.Deal)
        for _ in range(2000):
            settled = self.state.phase is Phase.BETWEEN_HANDS and not any(self.state.lives_lost)
            if settled and len(self.state.rubbers) > played:
                return
            legal = self.game.legal_actions(self.state)
            moves = [one for one in legal if isinstance(one, wanted)]
            self.do(max(moves, key=lambda one: getattr(one, "n", 0)))
        pytest.fail("this rubber never ends")


def names(offered: tuple[Offer, ...]) -> set[str]:
    return {offer.action for offer in offered}


TestEvening = Evening.TestCase
TestEvening.settings = settings(
    max_examples=80,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
