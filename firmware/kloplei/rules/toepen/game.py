"""Toepen: a knock raises the stake; stay or fold; the fourth trick decides.

Source: docs/rules/toepen.md, cited as § here and below. Scores lives, never sees a card.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import get_args

from kloplei.rules.game import Action, Event, Gesture, Meaning, Seat
from kloplei.rules.scoreboard import Line, Scoreboard
from kloplei.rules.toepen import actions, seating
from kloplei.rules.toepen.actions import ACTIONS, LAST_TRICK
from kloplei.rules.toepen.apply import apply
from kloplei.rules.toepen.board import scoreboard
from kloplei.rules.toepen.decide import decide
from kloplei.rules.toepen.events import EVENTS
from kloplei.rules.toepen.gestures import meaning
from kloplei.rules.toepen.news import news_of
from kloplei.rules.toepen.options import PRESETS, Options, preset_of
from kloplei.rules.toepen.referee import Referee
from kloplei.rules.toepen.state import State

_NOBODY: Mapping[Seat, int] = {}
_SIMPLE = (
    *(actions.Exchange, actions.Stay, actions.Fold, actions.Knock, actions.BlindKnock),
    *(actions.Jack, actions.Revoke, actions.Four, actions.Drink),
)


class Toepen:
    """The rules of toepen as one house plays them; fits `kloplei.rules.game.Game`.

    Args:
        options: The house rules; without them those of the rule document.
    """

    name = "toepen"
    max_seats = seating.MOST_SEATS
    actions: Mapping[str, type[Action]] = ACTIONS
    events: Mapping[str, type[Event]] = EVENTS

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.min_seats = self.options.min_players
        self.preset = preset_of(self.options)

    def start(
        self,
        seats: tuple[Seat, ...],
        dealer: Seat,
        *,
        lives_lost: Mapping[Seat, int] = _NOBODY,
        rubbers_won: Mapping[Seat, int] = _NOBODY,
    ) -> State:
        """Return the state before the first deal; *seats* stand clockwise.

        Raises:
            BadSeating: Too few or too many seats, or *lives_lost* that end the rubber.
        """
        return seating.fresh_state(self.options, seats, dealer, lives_lost, rubbers_won)

    def legal_actions(self, state: State) -> frozenset[Action]:
        """Return every action that `decide` would accept now."""
        referee = Referee(self.options, state)
        asked = self._imaginable(state)
        return frozenset(action for action in asked if referee.why_not(action) is None)

    def decide(self, state: State, action: Action) -> tuple[Event, ...]:
        """Return what happens if *action* is done.

        Raises:
            IllegalAction: The rules refuse it; reasons are `REASONS`.
        """
        return decide(self.options, state, action)

    def apply(self, state: State, event: Event) -> State:
        """Return the state after *event*; never refuses."""
        return apply(state, event)

    def meaning(self, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
        """Return what *gesture* at *seat* asks for, or None if it is noise (§ 10)."""
        return meaning(self.options, state, seat, gesture)

    def hears_wood(self, state: State) -> bool:
        """Return True: knocking is what toepen is about."""
        return True

    def scoreboard(self, state: State) -> Scoreboard:
        """Return the neutral picture; the table fills in names and ``seq``."""
        return scoreboard(self.options, state, self.legal_actions(state))

    def news(self, event: Event) -> Line | None:
        """Return the sentence that tells *event*, or None if players need not hear of it."""
        return news_of(event)

    def why_not_reseat(self, state: State) -> str | None:
        """Return why players may not come, go or swap now, or None if they may (§ 7)."""
        return seating.why_not_reseat(state)

    def reseat(self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> State:
        """Return a clean slate for *seats*; honours of the evening follow the person.

        Raises:
            BadSeating: Too few or too many seats.
        """
        return seating.reseat(self.options, state, seats, moved)

    def _imaginable(self, state: State) -> Iterator[Action]:
        """Yield every action that could be legal in this phase or another."""
        seats = state.seats
        if not state.hand_running:
            yield actions.Deal()
            yield from (actions.Drink(seat) for seat in seats)
            yield from (actions.Correct(h.number, s) for h, s in product(state.hands, seats))
            lives = range(self.options.max_lives + 1)
            yield from (actions.Chalk(seat, lost) for seat, lost in product(seats, lives))
            return
        yield actions.Ready()
        yield actions.Misdeal()
        yield from (kind(seat) for kind, seat in product(_SIMPLE, seats))
        yield from (actions.Trick(s, n) for s, n in product(seats, range(1, LAST_TRICK + 1)))
        yield from (actions.Whistle(s, w) for s, w in product(seats, get_args(actions.Whistled)))
        yield from (actions.Stand(s, w) for s, w in product(seats, get_args(actions.Stood)))
        yield from (actions.Sing(s, why) for s, why in product(seats, get_args(actions.Sang)))
        yield from (
            actions.Challenge(seat, of, found)
            for seat, of in product(seats, state.hand.open_exchange)
            for found in get_args(actions.Found)
        )


def build(preset: str, options: Mapping[str, object]) -> Toepen:
    """Return toepen by the house rules *preset*, changed by *options*.

    Raises:
        BadOption: No such option, or a value that it cannot have.
    """
    return Toepen(Options.from_mapping(options, PRESETS[preset]))
