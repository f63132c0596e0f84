"""Tarok: three games of one family, told hand by hand and booked line by line.

Source: docs/rules/tarok.md, cited as § here and below. Keeps the ledger, never sees a card.
"""

from collections.abc import Collection, Iterator, Mapping

from kloplei.games.card_game import BadSeating, CardGame, Finished, OnSlate, check_seating
from kloplei.games.game import Action, Seat, Slate
from kloplei.games.scoreboard import Payment
from kloplei.games.tarok.actions import ACTIONS, EVENTS
from kloplei.games.tarok.decide import Decision
from kloplei.games.tarok.legality import Referee, imaginable
from kloplei.games.tarok.options import PRESETS, Options
from kloplei.games.tarok.state import Phase, PlayedHand, Pots, State
from kloplei.games.tarok.view import hand_shown, meaning, payments_of, scoreboard

_NOBODY: Mapping[Seat, int] = {}
_EMPTY = Pots()


class Tarok(CardGame[Options, State]):
    """The rules of Tarok as one house plays them; without options Danish Tarok."""

    name = "tarok"
    min_seats, max_seats = 3, 4
    actions = ACTIONS
    events = EVENTS
    presets = PRESETS
    house_rules = Options
    referee = Referee
    course = Decision
    picture = staticmethod(scoreboard)
    gestures = staticmethod(meaning)

    def start(self, seats: tuple[Seat, ...], dealer: Seat) -> State:
        """Return the state before the first hand; *seats* stand clockwise.

        Raises:
            BadSeating: Too few or too many seats.
        """
        return self.resume(seats if self.options.clockwise else seats[::-1], dealer)

    def resume(
        self,
        order: tuple[Seat, ...],
        dealer: Seat,
        *,
        scores: Mapping[Seat, int] = _NOBODY,
        pots: Pots = _EMPTY,
        opened: bool = False,
    ) -> State:
        """Return the table before a hand of an evening that may have begun elsewhere.

        Args:
            order: Who sits there, in the order of play.
            dealer: Who deals next.
            scores: What stands on the slate already.
            pots: What lies in them already.
            opened: Whether the first antes of the evening have been paid.

        Raises:
            BadSeating: With a sentence that says what does not fit.
        """
        check_seating("Tarok", order, dealer, self.min_seats, self.max_seats)
        if min(pots.king, pots.pagat) < 0:
            raise BadSeating("No pot holds less than nothing.")
        by_seat = tuple(scores.get(Seat(n), 0) for n in range(max(order) + 1))
        return State(order, dealer, by_seat, pots=pots, opened=opened)

    def recover(self, seats: tuple[Seat, ...], dealer: Seat, slate: Slate) -> State:
        """Return the table before the next hand, with all chips won and lost so far."""
        played = any(slate.tallies.values()) or any(slate.pots.values())
        order = seats if self.options.clockwise else seats[::-1]
        pots = Pots(**slate.pots)
        return self.resume(order, dealer, scores=slate.tallies, pots=pots, opened=played)

    def on_slate(self, state: State) -> OnSlate:
        """Return whether a hand runs, the hands of this evening, and the chips won and lost."""
        return OnSlate(state.phase is Phase.HAND, state.hands, state.scores)

    def finished(self, state: State, hand: PlayedHand) -> Finished:
        """Return what is remembered of *hand*, with each line that was booked."""
        return Finished(hand_shown(hand, state), dealer=hand.dealer)

    def payments(self, state: State) -> tuple[Payment, ...]:
        """Return who pays whom once the pots are shared out."""
        return payments_of(self.options, state)

    def hears_wood(self, state: State) -> bool:
        """Return False: 25 tricks a hand fall on the wood."""
        return False

    def why_not_reseat(self, state: State) -> str | None:
        """Return why nobody may come or go now: chips won or lost belong to who sits there."""
        match state.phase:
            case Phase.HAND:
                return "slate_not_clean"  # the end of this hand would not let them either
            case Phase.SETTLED:
                return "game_over"  # who pays whom stands there until all have looked
        untouched = not state.opened and not any(state.scores)
        return None if untouched else "slate_not_clean"

    def _imaginable(self, state: State) -> Iterator[Collection[Action]]:
        return imaginable(self.options, state)


GAME = Tarok
