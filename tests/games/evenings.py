"""What must hold of every game, whatever people do: the part that all stateful tests share.

For longer, set KLOPLEI_EVENINGS: ``KLOPLEI_EVENINGS=2000 pytest tests/games/watten``.
"""

import os
from collections.abc import Mapping
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from kloplei.games.game import Action, Event, IllegalAction
from kloplei.games.scoreboard import Offer
from kloplei.table.actions import decode, encode
from tests.examples import examples

EVENINGS = int(os.environ.get("KLOPLEI_EVENINGS", examples(50)))
THOROUGH = settings(
    max_examples=EVENINGS,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


class AnyEvening(RuleBasedStateMachine):
    """People who ask for anything at all, and a box that must keep its head.

    A game's own machine sits people down by `begin`, plays by `do`, and says what else holds.
    """

    any_action: ClassVar[st.SearchStrategy[Action]]
    reasons: ClassVar[Any]
    kinds_of_event: ClassVar[Mapping[str, type[Event]]]
    a_deal: ClassVar[Action]

    game: Any
    state: Any

    def begin(self, state: Any) -> None:
        """Let *state* be the first one of which the journal is kept."""
        self.before = self.state = state
        self.events: list[Event] = []
        self.looked_at: Any = None

    @property
    def legal(self) -> frozenset[Action]:
        """What is legal now; looked up once a state, for a deal can fall in many ways."""
        if self.looked_at is not self.state:
            self.looked_at = self.state
            self.known: frozenset[Action] = self.game.legal_actions(self.state)
        return self.known

    def is_askable(self, action: Action) -> bool:
        """Whether *action* can reach the game at all."""
        return True

    def do(self, action: Action) -> None:
        """Do *action*, which is legal, and look at what came of it."""
        before = self.state
        events = self.game.decide(before, action)
        assert events
        for event in events:
            self.state = self.game.apply(self.state, event)
        self.events += events
        self.look_at(before, action, events)

    def look_at(self, before: Any, action: Action, events: tuple[Event, ...]) -> None:
        """Check what this game promises of one step."""

    @rule(data=st.data())
    def ask_for_anything(self, data: st.DataObject) -> None:
        action = data.draw(self.any_action)
        if not self.is_askable(action):
            return  # an `assume` would throw away the whole evening
        legal = self.legal
        try:
            self.game.decide(self.state, action)
        except IllegalAction as refusal:
            assert action not in legal
            assert refusal.reason in self.reasons
        else:
            assert action in legal

    @invariant()
    def the_board_offers_what_is_legal(self) -> None:
        board = self.game.scoreboard(self.state)
        of_the_table = {a.name for a in self.legal if getattr(a, "seat", None) is None}
        for row in board.rows:
            own = {a.name for a in self.legal if getattr(a, "seat", None) == row.seat}
            at_hand = _names(row.offers) - own  # what is the table's, and the dealer's to do
            assert own <= _names(row.offers)
            assert at_hand <= (of_the_table if row.seat == board.dealer else set())
            assert row.seat != board.dealer or at_hand >= {self.a_deal.name} & of_the_table
        assert _names(board.offers) == of_the_table

    def teardown(self) -> None:
        if hasattr(self, "before"):
            self.the_journal_leads_to_the_same_table()
            self.it_can_be_finished()

    def the_journal_leads_to_the_same_table(self) -> None:
        state = self.before
        for event in self.events:
            state = self.game.apply(state, decode(*encode(event), self.kinds_of_event))
        assert state == self.state

    def it_can_be_finished(self) -> None:
        """Play on by nothing but the plainest actions, until the game is over."""
        raise AssertionError("each game says how it can be finished")


def _names(offered: tuple[Offer, ...]) -> set[str]:
    return {offer.action for offer in offered}
