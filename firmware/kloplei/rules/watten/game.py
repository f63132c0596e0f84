"""Watten: a Schlag, a trump suit, three tricks, and raises that one holds or gives up.

Source: docs/rules/watten.md, cited as § here and below. Scores points, never sees a card.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import get_args

from kloplei.rules.game import Action, Event, Gesture, Meaning, Seat
from kloplei.rules.scoreboard import Line, Scoreboard
from kloplei.rules.watten import actions, bohemian, corrections, seating
from kloplei.rules.watten.actions import ACTIONS
from kloplei.rules.watten.apply import apply
from kloplei.rules.watten.board import scoreboard
from kloplei.rules.watten.decide import decide
from kloplei.rules.watten.events import EVENTS
from kloplei.rules.watten.gestures import meaning
from kloplei.rules.watten.news import news_of
from kloplei.rules.watten.options import PRESETS, Options, preset_of
from kloplei.rules.watten.referee import Referee
from kloplei.rules.watten.state import State

_NOBODY: Mapping[Seat, int] = {}
_OF_THE_TABLE = (actions.Show(), actions.Misdeal())
_OF_A_SEAT = (
    actions.NameAloud,
    *(actions.Offer, actions.Agree, actions.Refuse, actions.Signal, actions.ShowHands),
    *(actions.Raise, actions.Accept, actions.GiveUp, actions.Trick, actions.Revoke),
    *(actions.LookEarly, actions.Maschine, actions.Confirm),
)


class Watten:
    """The rules of Watten as one house plays them; fits `kloplei.rules.game.Game`.

    Args:
        options: The house rules; without them Tyrolean Watten of the rule document.
    """

    name = "watten"
    actions: Mapping[str, type[Action]] = ACTIONS
    events: Mapping[str, type[Event]] = EVENTS

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()
        self.min_seats, self.max_seats = seating.seats_for(self.options)
        self.preset = preset_of(self.options)

    def start(
        self, seats: tuple[Seat, ...], dealer: Seat, *, points: Mapping[Seat, int] = _NOBODY
    ) -> State:
        """Return the state before the first deal; *seats* stand clockwise.

        Raises:
            BadSeating: Too few or too many seats, or *points* that end the game.
        """
        return seating.fresh_state(self.options, seats, dealer, points)

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
        """Return what *gesture* at *seat* asks for, or None if it is noise (§ 8)."""
        return meaning(self.options, state, seat, gesture)

    def hears_wood(self, state: State) -> bool:
        """Return whether the house armed its pads: cards are slammed in Watten (§ 8)."""
        return self.options.pads == "armed"

    def scoreboard(self, state: State) -> Scoreboard:
        """Return the neutral picture; the table fills in names and ``seq``."""
        return scoreboard(self.options, state, self.legal_actions(state))

    def news(self, event: Event) -> Line | None:
        """Return the sentence that tells *event*, or None if players need not hear of it."""
        return news_of(event)

    def why_not_reseat(self, state: State) -> str | None:
        """Return why players may not come, go or swap now, or None if they may."""
        return seating.why_not_reseat(self.options, state)

    def reseat(self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> State:
        """Return a clean slate for *seats*; games won follow the person.

        Raises:
            BadSeating: Too few or too many seats.
        """
        return seating.reseat(self.options, state, seats, moved)

    def _imaginable(self, state: State) -> Iterator[Action]:
        """Yield every action that could be legal with these cards on the table, or with none."""
        if not state.deal_running:
            yield from self._imaginable_between(state)
            return
        yield from _OF_THE_TABLE
        yield from (kind(seat) for kind, seat in product(_OF_A_SEAT, state.seats))
        ranks, suits = get_args(actions.Rank), get_args(actions.Suit)
        yield from (actions.Schlag(seat, rank) for seat, rank in product(state.seats, ranks))
        yield from (actions.Trump(seat, suit) for seat, suit in product(state.seats, suits))
        if self.options.everyone_alone:
            yield from self._imaginable_alone(state)
        if self.options.variant == "blind":
            yield from self._imaginable_blind(state)

    def _imaginable_between(self, state: State) -> Iterator[Action]:
        yield from (actions.Deal(), actions.NewGame())
        yield from (actions.Revoke(seat) for seat in state.seats)
        yield from (actions.Correct(d.number, s) for d, s in product(state.deals, state.seats))
        written = corrections.chalkable(self.options)
        yield from (actions.Chalk(seat, points) for seat, points in product(state.seats, written))

    def _imaginable_blind(self, state: State) -> Iterator[Action]:
        ranks, suits = get_args(actions.Rank), get_args(actions.Suit)
        cards = get_args(actions.CardName)
        yield from (actions.SealSchlag(seat, rank) for seat, rank in product(state.knowing, ranks))
        yield from (actions.SealTrump(seat, suit) for seat, suit in product(state.knowing, suits))
        yield from (actions.LayCard(seat, card) for seat, card in product(state.knowing, cards))

    def _imaginable_alone(self, state: State) -> Iterator[Action]:
        yield actions.Ready()
        ranks, suits = get_args(actions.Rank), get_args(actions.Suit)
        yield from (actions.TurnUp(suit, rank) for suit, rank in product(suits, ranks))
        cards = range(bohemian.MOST_EXCHANGED + 1)
        yield from (actions.Exchange(seat, n) for seat, n in product(state.seats, cards))
        yield from (actions.Result(tricks) for tricks in bohemian.results(state))


def build(preset: str, options: Mapping[str, object]) -> Watten:
    """Return Watten by the house rules *preset*, changed by *options*.

    Raises:
        BadOption: No such option, or a value that it cannot have.
    """
    return Watten(Options.from_mapping(options, PRESETS[preset]))
