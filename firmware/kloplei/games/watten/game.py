"""Watten: a Schlag, a trump suit, three tricks, and raises that one holds or gives up.

Source: docs/rules/watten.md, cited as § here and below. Scores points, never sees a card.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import product, starmap
from typing import get_args

from kloplei.frozen import replace
from kloplei.games.card_game import (
    BadSeating,
    CardGame,
    Correct,
    Deal,
    Finished,
    Misdeal,
    NewGame,
    OnSlate,
    Ready,
    Revoke,
    check_seating,
    put,
)
from kloplei.games.game import Action, Seat, Slate
from kloplei.games.watten import actions, legality
from kloplei.games.watten.actions import ACTIONS, EVENTS
from kloplei.games.watten.decide import Decision
from kloplei.games.watten.legality import Referee
from kloplei.games.watten.options import PRESETS, Options
from kloplei.games.watten.state import PlayedDeal, PlayedGame, State, accounts, clean_points
from kloplei.games.watten.view import deal_shown, meaning, scoreboard

_NOBODY: Mapping[Seat, int] = {}
_OF_THE_TABLE = (actions.Show(), Misdeal())
_OF_A_SEAT = (
    actions.NameAloud,
    *(actions.Offer, actions.Agree, actions.Refuse, actions.Signal, actions.ShowHands),
    *(actions.Raise, actions.Accept, actions.GiveUp, actions.Trick, Revoke),
    *(actions.LookEarly, actions.Maschine, actions.Confirm),
)
_OF_ONE_GAME = ("variant", "target", "bohemian_start", "direction")
"""House rules that a game is begun with and ended by."""


class Watten(CardGame[Options, State]):
    """The rules of Watten as one house plays them; without options Tyrolean Watten."""

    name = "watten"
    actions = ACTIONS
    events = EVENTS
    presets = PRESETS
    house_rules = Options
    referee = Referee
    course = Decision
    picture = staticmethod(scoreboard)
    gestures = staticmethod(meaning)

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self.min_seats, self.max_seats = _seats_for(self.options)

    def start(
        self, seats: tuple[Seat, ...], dealer: Seat, *, points: Mapping[Seat, int] = _NOBODY
    ) -> State:
        """Return the state before the first deal; *seats* stand clockwise.

        Args:
            seats: Who plays, clockwise.
            dealer: Who deals first.
            points: What stands on the slate already; missing is what a new game begins with.

        Raises:
            BadSeating: Too few or too many seats, or *points* that end the game.
        """
        check_seating("This Watten", seats, dealer, self.min_seats, self.max_seats)
        order = seats if self.options.direction == "clockwise" else seats[::-1]
        state = State(seats=order, dealer=dealer, points=(0,) * (max(seats) + 1))
        held = clean_points(self.options, state)
        for seat, number in points.items():
            held = put(held, seat, number)
        state = replace(state, points=held)
        _check_points(self.options, state)
        return state

    def recover(self, seats: tuple[Seat, ...], dealer: Seat, slate: Slate) -> State:
        """Return the slate before the next deal; of a game that was over only honours stand."""
        try:
            state = self.start(seats, dealer, points=slate.tallies)
        except BadSeating:
            state = self.start(seats, dealer)
        won = ((seat, slate.counts.get((seat, "rubbers_won"), 0)) for seat in seats)
        return replace(state, games=tuple(PlayedGame((seat,), n) for seat, n in won if n))

    @property
    def falls(self) -> bool:
        """Whether points run down, as they do in Bohemian Watten."""
        return self.options.everyone_alone

    def on_slate(self, state: State) -> OnSlate:
        """Return whether a deal runs, the deals of this game, and the points."""
        return OnSlate(state.deal_running, state.deals, state.points)

    def finished(self, state: State, hand: PlayedDeal) -> Finished:
        """Return what is remembered of the deal *hand*."""
        shown = deal_shown(hand, state)
        return Finished(shown, hand.winners, hand.value or None, hand.dealer)

    def hears_wood(self, state: State) -> bool:
        """Return whether the house armed its pads: cards are slammed in Watten (§ 8)."""
        return self.options.pads == "armed"

    def why_not_reseat(self, state: State) -> str | None:
        """Return why nobody may come, go or swap now: only a clean slate lets them."""
        if state.deal_running:
            return "deal_in_progress"
        if state.winners:
            return "game_over"
        clean = state.points == clean_points(self.options, state)
        return None if clean else "slate_not_clean"

    def why_not_change(self, state: State) -> str | None:
        """Return why house rules may not change now: between two deals they may (§ 7)."""
        if state.deal_running:
            return "deal_in_progress"
        return "game_over" if state.winners else None

    def why_not_go_on(
        self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat], before: "Watten"
    ) -> str | None:
        """Return why the game cannot go on by these rules: what it is played for stays (§ 7)."""
        if any(seat != moved.get(seat) for seat in (*state.seats, *seats)):
            return "slate_not_clean"
        stays = all(
            getattr(self.options, name) == getattr(before.options, name) for name in _OF_ONE_GAME
        )
        return None if stays else "after_this_game"

    def go_on(self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> State:
        """Return *state* as it is: only rules change in the middle of a game."""
        return state

    def _with_honours(self, fresh: State, before: State, moved: Mapping[Seat, Seat]) -> State:
        games = tuple(
            PlayedGame(tuple(moved[seat] for seat in game.winners if seat in moved), game.games)
            for game in before.games
        )
        return replace(fresh, games=games)

    def _imaginable(self, state: State) -> Iterator[Collection[Action]]:
        if not state.deal_running:
            yield from self._imaginable_between(state)
            return
        yield from ([one] for one in _OF_THE_TABLE)
        for seat in state.seats:
            yield from _of_a_seat(seat)
        if self.options.everyone_alone:
            yield from self._imaginable_alone(state)
        if self.options.variant == "blind":
            yield from self._imaginable_blind(state)

    def _imaginable_between(self, state: State) -> Iterator[Collection[Action]]:
        yield from ([Deal()], [NewGame()])
        yield from ([Revoke(seat)] for seat in state.seats)
        for deal in state.deals:
            yield [Correct(deal.number, one) for one in state.seats if one not in deal.winners]
        written = {actions.Chalk(seat, state.points[seat]) for seat in state.seats}
        yield _chalkable(state.seats, legality.chalkable(self.options)) - written

    def _imaginable_blind(self, state: State) -> Iterator[Collection[Action]]:
        for seat in state.knowing:
            yield from _sealed_by(seat)
            yield from ([actions.TrickOf(seat, one)] for one in state.after(seat)[:-1])

    def _imaginable_alone(self, state: State) -> Iterator[Collection[Action]]:
        yield [Ready()]
        turned = product(get_args(actions.Suit), get_args(actions.Rank))
        yield from ([actions.TurnUp(suit, rank)] for suit, rank in turned)
        cards = product(state.seats, range(legality.MOST_EXCHANGED + 1))
        yield from ([actions.Exchange(seat, n)] for seat, n in cards)
        yield from ([actions.Result(tricks)] for tricks in legality.results(state))


@cache
def _of_a_seat(seat: Seat) -> Sequence[frozenset[Action]]:
    return [
        *(frozenset({kind(seat)}) for kind in _OF_A_SEAT),
        *(frozenset({actions.Schlag(seat, rank)}) for rank in get_args(actions.Rank)),
        frozenset(actions.Trump(seat, suit) for suit in get_args(actions.Suit)),
    ]


@cache
def _sealed_by(seat: Seat) -> Sequence[frozenset[Action]]:
    return [
        *(frozenset({actions.SealSchlag(seat, rank)}) for rank in get_args(actions.Rank)),
        frozenset(actions.SealTrump(seat, suit) for suit in get_args(actions.Suit)),
        *(frozenset({actions.LayCard(seat, card)}) for card in get_args(actions.CardName)),
    ]


@cache
def _chalkable(seats: tuple[Seat, ...], points: range) -> frozenset[Action]:
    return frozenset(starmap(actions.Chalk, product(seats, points)))


def _seats_for(options: Options) -> tuple[int, int]:
    """Return the least and the greatest number of players."""
    if options.everyone_alone:
        return 2, 6
    return (4, 4) if options.variant == "blind" else (2, 4)


def _check_points(options: Options, state: State) -> None:
    for account in accounts(options, state):
        if len({state.points[seat] for seat in account}) > 1:
            raise BadSeating("Partners have the same points.")
    held = [state.points[seat] for seat in state.seats]
    if options.everyone_alone:
        if min(held) <= 0:
            raise BadSeating("With these points the game is over.")
    elif not 0 <= min(held) <= max(held) < options.target:
        raise BadSeating(f"Points run from 0 to {options.target - 1} while a game goes on.")


GAME = Watten
