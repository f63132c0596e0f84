"""Any play of Watten by any house rules: what must hold whatever people do."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    invariant,
    precondition,
    rule,
)

from kloplei.games.card_game import Correct, Deal, Misdeal, NewGame, Ready, Revoke
from kloplei.games.game import Action, Choose, Do, Event, Gesture, IllegalAction, Seat
from kloplei.games.watten import REASONS, Options, Phase, State, Watten, actions
from kloplei.games.watten.actions import EVENTS, CardLaid, DealEnded, TrickTaken
from kloplei.games.watten.state import Seal, accounts, is_locked, side_of
from tests.games.evenings import EVENINGS, THOROUGH, AnyEvening
from tests.games.houses import any_house

SEATS = tuple(Seat(n) for n in range(8))
_NUMBERS = {
    "target": st.sampled_from([15, 18, 13, 11, 5]),
    "raise_lock": st.sampled_from(["target_minus_2", None, 3, 10]),
    "max_value": st.sampled_from([None, 3, 4, 15]),
    "bohemian_trick_points": st.sampled_from([1, 2]),
    "bohemian_none_penalty": st.sampled_from([5, 0, 10]),
    "bohemian_start": st.sampled_from([20, 3, 1]),
}
SEAT = st.sampled_from(SEATS)
NUMBER = st.integers(-1, 6)
RANK = st.sampled_from([*get_args(actions.Rank), "5"])
SUIT = st.sampled_from([*get_args(actions.Suit), "X"])
CARD = st.sampled_from([*get_args(actions.CardName), "H6"])


ANY_ACTION: st.SearchStrategy[Action] = st.one_of(
    st.sampled_from([Deal(), NewGame(), actions.Show(), Misdeal(), Ready()]),
    *(
        st.builds(kind, SEAT)
        for kind in (
            *(actions.Offer, actions.Agree, actions.Refuse, actions.Signal, actions.ShowHands),
            *(actions.Raise, actions.Accept, actions.GiveUp, actions.Trick, Revoke),
            *(actions.LookEarly, actions.Maschine, actions.Confirm, actions.NameAloud),
        )
    ),
    st.builds(actions.SealSchlag, SEAT, RANK),
    st.builds(actions.SealTrump, SEAT, SUIT),
    st.builds(actions.LayCard, SEAT, CARD),
    st.builds(actions.TrickOf, SEAT, SEAT),
    st.builds(actions.Schlag, SEAT, RANK),
    st.builds(actions.Trump, SEAT, SUIT),
    st.builds(actions.TurnUp, SUIT, RANK),
    st.builds(actions.Exchange, SEAT, NUMBER),
    st.builds(Correct, NUMBER, SEAT),
    st.builds(actions.Chalk, SEAT, st.integers(-25, 130)),
    st.builds(actions.Result, st.lists(NUMBER, max_size=6).map(tuple)),
)
PRESSES = st.integers(1, 3).map(lambda n: Gesture(n, presses=n))
SLAMS = st.integers(1, 6).map(Gesture)
GESTURES = PRESSES | SLAMS | st.just(Gesture(hold=True))
_ENDING = (Revoke, Misdeal, actions.GiveUp, actions.Maschine, actions.LookEarly)


class Evening(AnyEvening):
    """Any play of Watten."""

    any_action = ANY_ACTION
    reasons = REASONS
    kinds_of_event = EVENTS
    a_deal = Deal()

    game: Watten
    state: State

    @initialize(
        options=any_house(Options, _NUMBERS),
        gap=st.booleans(),
        data=st.data(),
    )
    def sit_down(self, options: Options, gap: bool, data: st.DataObject) -> None:
        self.game = Watten(options)
        players = data.draw(st.integers(self.game.min_seats, self.game.max_seats))
        # With a gap the last player sits at the far end of the table.
        seats = (*SEATS[: players - 1], SEATS[7] if gap else SEATS[players - 1])
        dealer = data.draw(st.sampled_from(seats))
        fresh = self.game.start(seats, dealer)
        points = {}
        for account in accounts(options, fresh):
            least, most = (1, 25) if options.everyone_alone else (0, options.target - 1)
            points.update(dict.fromkeys(account, data.draw(st.integers(least, most))))
        self.begin(self.game.start(seats, dealer, points=points))

    def is_askable(self, action: Action) -> bool:
        asked = (getattr(action, "seat", None), getattr(action, "winner", None))
        return {seat for seat in asked if seat is not None} <= set(self.state.seats)

    @rule(data=st.data())
    def do_something_legal(self, data: st.DataObject) -> None:
        legal = sorted(self.legal, key=repr)
        # So many cards may be named; let each word have its turn, and deals go on.
        word = data.draw(st.sampled_from(sorted({action.name for action in legal})))
        named = [action for action in legal if action.name == word]
        quiet = [action for action in legal if not isinstance(action, _ENDING)] or named
        self.do(data.draw(st.sampled_from(quiet) | st.sampled_from(named)))

    @rule(seat=SEAT, gesture=GESTURES)
    def press_or_slam(self, seat: Seat, gesture: Gesture) -> None:
        meaning = self.game.meaning(self.state, seat, gesture)
        by_hand = gesture.hold or gesture.presses
        assert by_hand or self.game.hears_wood(self.state) or meaning is None
        match meaning:
            case Do(action) if action in self.legal:
                self.do(action)
            case Do(action):
                with pytest.raises(IllegalAction):  # the slate says why
                    self.game.decide(self.state, action)
            case Choose(choices=choices):
                assert {action for _, action in choices} <= self.legal
                self.do(choices[0][1])

    @precondition(lambda self: self.game.why_not_reseat(self.state) is None)
    @rule(data=st.data())
    def change_places(self, data: st.DataObject) -> None:
        least, most = self.game.min_seats, self.game.max_seats
        chosen = sorted(data.draw(st.sets(SEAT, min_size=least, max_size=most)))
        old = data.draw(st.permutations(self.state.seats))
        moved = dict(zip(old, chosen, strict=False))
        won = sorted(self.state.games_won(seat) for seat in moved)

        self.begin(self.game.reseat(self.state, tuple(chosen), moved))

        assert sorted(self.state.games_won(seat) for seat in moved.values()) == won

    def look_at(self, before: State, action: Action, events: tuple[Event, ...]) -> None:
        self.only_one_side_scores(events)
        if isinstance(action, actions.Raise) and self.state.phase is Phase.ANSWERING:
            self.raiser_was_free_to(before, action.seat)

    def only_one_side_scores(self, events: tuple[Event, ...]) -> None:
        for event in events:
            if isinstance(event, DealEnded) and event.winners:
                assert event.seat is not None
                own = set(side_of(self.game.options, self.state, event.winners[0]))
                if len(self.state.seats) != 3:  # the dealer has moved on, and the sides with it
                    assert set(event.winners) == own
                assert event.scored >= 0

    def raiser_was_free_to(self, before: State, seat: Seat) -> None:
        options = self.game.options
        assert not is_locked(options, before, seat)
        own = side_of(options, before, seat)
        assert before.deal.raiser not in own
        if before.deal.raiser is None:
            assert before.deal.raised_last not in own
        assert self.state.deal.proposed == (before.deal.proposed or before.deal.value) + 1
        if options.max_value is not None:
            assert self.state.deal.proposed <= options.max_value

    @invariant()
    def partners_share_their_points(self) -> None:
        for account in accounts(self.game.options, self.state):
            assert len({self.state.points[seat] for seat in account}) == 1

    @invariant()
    def a_game_that_goes_on_is_not_over(self) -> None:
        held = [self.state.points[seat] for seat in self.state.seats]
        if self.state.phase is Phase.GAME_OVER:
            assert self.state.winners
        elif self.game.options.everyone_alone:
            assert min(held) > 0
        else:
            assert 0 <= min(held) <= max(held) < self.game.options.target

    @invariant()
    def there_is_always_a_way_on(self) -> None:
        idle = (actions.Signal, actions.ShowHands, Revoke)
        legal = self.legal
        assert [action for action in legal if not isinstance(action, idle)]

    @invariant()
    def the_board_never_tells_what_blind_players_must_not_know(self) -> None:
        if self.game.options.variant == "blind":
            assert self.state.deal.schlag is None
            assert self.state.deal.trump is None
            other = self.as_if_sealed_otherwise()
            assert self.game.scoreboard(self.state) == self.game.scoreboard(other)
            assert repr(self.state) == repr(other)

    @precondition(lambda self: self.game.options.variant == "blind")
    @rule(data=st.data())
    def what_is_refused_does_not_depend_on_what_is_sealed(self, data: st.DataObject) -> None:
        action = data.draw(ANY_ACTION)
        if not self.is_askable(action):
            return

        told = [
            self.told_of(state, action) for state in (self.state, self.as_if_sealed_otherwise())
        ]

        assert told[0] == told[1]

    def told_of(self, state: State, action: Action) -> object:
        """Return what anybody hears of *action*; who took a trick is all that a seal decides."""
        try:
            kinds = [type(event) for event in self.game.decide(state, action)]
        except IllegalAction as refusal:
            return refusal.reason, refusal.facts
        return [CardLaid, TrickTaken] if TrickTaken in kinds else kinds

    def as_if_sealed_otherwise(self) -> State:
        """Return the table with something else under the seal, if there is anything."""
        seal = self.state.deal.seal
        known = get_args(actions.Rank)
        ranks = dict(zip(known, (*known[1:], known[0]), strict=True))
        suits = dict(zip("HDSC", "DSCH", strict=True))
        other = Seal(ranks.get(seal.rank or ""), suits.get(seal.suit or ""))
        return replace(self.state, deal=replace(self.state.deal, seal=other))

    @invariant()
    def no_card_is_played_twice(self) -> None:
        deal = self.state.deal
        cards = [*deal.lying, *(card for trick in deal.laid for card in trick.cards)]
        assert len(cards) == len(set(cards))

    def it_can_be_finished(self) -> None:
        """By nothing but dealing, announcing, holding, and one player taking all tricks."""
        wanted = (
            *("deal", "refuse", "schlag", "trump", "show", "accept", "turnup", "ready"),
            *("trick", "new_game"),
        )
        for _ in range(2000):
            if self.state.phase is Phase.GAME_OVER:
                return
            legal = self.legal
            moves = [one for one in legal if one.name in wanted]
            self.do(min(moves, key=lambda one: (wanted.index(one.name), repr(one))))
        pytest.fail("this game never ends")


class BlindEvening(Evening):
    """Any play of Blind Watten, which chance alone would seldom take far."""

    @initialize(options=any_house(Options, {**_NUMBERS, "variant": st.just("blind")}))
    def sit_down(self, options: Options) -> None:
        self.game = Watten(options)
        self.begin(self.game.start(SEATS[:4], SEATS[3]))


TestBlindEvening = BlindEvening.TestCase
TestBlindEvening.settings = settings(THOROUGH, max_examples=EVENINGS // 2)
TestEvening = Evening.TestCase
TestEvening.settings = THOROUGH
