"""Tarok: three games of one family, told hand by hand and booked line by line.

Source: docs/rules/tarok.md, cited as § here and below. Keeps the ledger, never sees a card.
"""

from collections.abc import Mapping

from kloplei.rules.game import Action, Event, Gesture, Meaning, Seat
from kloplei.rules.scoreboard import Line, Scoreboard
from kloplei.rules.tarok import seating
from kloplei.rules.tarok.actions import ACTIONS
from kloplei.rules.tarok.apply import apply
from kloplei.rules.tarok.board import scoreboard
from kloplei.rules.tarok.decide import decide
from kloplei.rules.tarok.events import EVENTS
from kloplei.rules.tarok.gestures import meaning
from kloplei.rules.tarok.news import news_of
from kloplei.rules.tarok.options import PRESETS, Options, preset_of
from kloplei.rules.tarok.possible import Possible
from kloplei.rules.tarok.state import State


class Tarok:
    """The rules of Tarok as one house plays them; fits `kloplei.rules.game.Game`.

    Args:
        options: The house rules; without them Danish Tarok of the rule document.
    """

    name = "tarok"
    min_seats = seating.MIN_SEATS
    max_seats = seating.MAX_SEATS
    actions: Mapping[str, type[Action]] = ACTIONS
    events: Mapping[str, type[Event]] = EVENTS

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.preset = preset_of(self.options)
        self._possible = Possible(self.options)

    def start(self, seats: tuple[Seat, ...], dealer: Seat) -> State:
        """Return the state before the first hand; *seats* stand clockwise.

        Raises:
            BadSeating: Too few or too many seats.
        """
        return seating.fresh_state(seating.in_order(self.options, seats), dealer)

    def legal_actions(self, state: State) -> frozenset[Action]:
        """Return every action that `decide` would accept now."""
        return self._possible.at(state)

    def decide(self, state: State, action: Action) -> tuple[Event, ...]:
        """Return what happens if *action* is done.

        Raises:
            IllegalAction: The rules refuse it; reasons are `REASONS`, all of them at once
                in its fact ``codes``.
        """
        return decide(self.options, state, action)

    def apply(self, state: State, event: Event) -> State:
        """Return the state after *event*; never refuses."""
        return apply(state, event)

    def meaning(self, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
        """Return what *gesture* at *seat* asks for, or None if it is noise."""
        return meaning(state, seat, gesture)

    def hears_wood(self, state: State) -> bool:
        """Return False: 25 tricks a hand fall on the wood."""
        return False

    def scoreboard(self, state: State) -> Scoreboard:
        """Return the neutral picture; the table fills in names and ``seq``."""
        return scoreboard(self.options, state, self.legal_actions(state))

    def news(self, event: Event) -> Line | None:
        """Return the sentence that tells *event*, or None if players need not hear of it."""
        return news_of(event)

    def why_not_reseat(self, state: State) -> str | None:
        """Return why players may not come, go or swap now, or None if they may."""
        return seating.why_not_reseat(state)

    def reseat(self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> State:
        """Return a clean slate for *seats*.

        Raises:
            BadSeating: Too few or too many seats.
        """
        return seating.reseat(self.options, state, seats, moved)


def build(preset: str, options: Mapping[str, object]) -> Tarok:
    """Return Tarok by the house rules *preset*, changed by *options*.

    Raises:
        BadOption: No such option, or a value that it cannot have.
    """
    return Tarok(Options.from_mapping(options, PRESETS[preset]))
