"""Toepen: a knock raises the stake; stay or fold; the fourth trick decides.

Source: docs/rules/toepen.md, cited as § here and below. Scores lives, never sees a card.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from kloplei.games.card_game import (
    BadSeating,
    CardGame,
    Correct,
    Deal,
    Misdeal,
    Ready,
    Revoke,
    check_seating,
    put,
)
from kloplei.games.game import Action, Seat, Slate
from kloplei.games.toepen import actions
from kloplei.games.toepen.actions import ACTIONS, EVENTS, LAST_TRICK
from kloplei.games.toepen.decide import Decision, is_over, toepkoningen
from kloplei.games.toepen.legality import MOST_BEFORE, Referee
from kloplei.games.toepen.options import PRESETS, Options
from kloplei.games.toepen.state import Phase, PlayedRubber, State
from kloplei.games.toepen.trick import MOST_SEATS
from kloplei.games.toepen.view import meaning, scoreboard

_NOBODY: Mapping[Seat, int] = {}
_SIMPLE = (
    *(actions.Exchange, actions.Stay, actions.Fold, actions.Knock, actions.BlindKnock),
    *(actions.Jack, Revoke, actions.Four, actions.Drink),
)


class Toepen(CardGame[Options, State]):
    """The rules of toepen as one house plays them."""

    name = "toepen"
    max_seats = MOST_SEATS
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
        self.min_seats = self.options.min_players

    def start(
        self,
        seats: tuple[Seat, ...],
        dealer: Seat,
        *,
        lives_lost: Mapping[Seat, int] = _NOBODY,
        rubbers_won: Mapping[Seat, int] = _NOBODY,
    ) -> State:
        """Return the state before the first deal; *seats* stand clockwise.

        Args:
            seats: Who plays, clockwise.
            dealer: Who deals first.
            lives_lost: What stands on the slate already; missing is 0.
            rubbers_won: Honours of the evening so far; missing is 0.

        Raises:
            BadSeating: Too few or too many seats, or *lives_lost* that end the rubber.
        """
        hint = "; two may play with the option min_players: 2" if len(seats) == 2 else ""
        check_seating("Toepen", seats, dealer, self.min_seats, self.max_seats, hint)
        if not {*lives_lost, *rubbers_won} <= set(seats):
            raise BadSeating("Only who plays can have lost lives or won rubbers.")
        zeros = (0,) * (max(seats) + 1)
        most = self.options.max_lives
        for lost in lives_lost.values():
            if not 0 <= lost <= most:
                raise BadSeating(f"Nobody can have lost {lost} of {most} lives.")
        out = {seat: int(lost == most) for seat, lost in lives_lost.items()}
        state = State(
            seats=seats,
            dealer=dealer,
            lives_lost=_put_all(zeros, lives_lost),
            out_since=_put_all(zeros, out),
            answers=zeros,
            folds=zeros,
            won_before=_put_all(zeros, rubbers_won),
            drinks=zeros,
        )
        if is_over(self.options, state) or state.out_since[dealer]:
            raise BadSeating("With these lives lost the rubber is over, or the dealer is out.")
        return replace(state, toepkoning=toepkoningen(self.options, state, ()))

    def recover(self, seats: tuple[Seat, ...], dealer: Seat, slate: Slate) -> State:
        """Return the slate before the next hand; of a rubber that was over only honours stand."""

        def counted(what: str) -> dict[Seat, int]:
            return {seat: slate.counts.get((seat, what), 0) for seat in seats}

        won, most = counted("rubbers_won"), self.options.max_lives
        lost = {seat: min(slate.tallies.get(seat, 0), most) for seat in seats}
        try:
            state = self.start(seats, dealer, lives_lost=lost, rubbers_won=won)
        except BadSeating:
            state = self.start(seats, dealer, rubbers_won=won)
        points = _put_all(state.zeros(), counted("points"))
        return replace(
            state,
            rubbers=(PlayedRubber((), points),) if any(points) else (),
            drinks=_put_all(state.zeros(), counted("drinks")),
            pot=sum(slate.pots.values()),
        )

    def hears_wood(self, state: State) -> bool:
        """Return True: knocking is what toepen is about."""
        return True

    def why_not_reseat(self, state: State) -> str | None:
        """Return why nobody may come, go or swap now: only a clean slate lets them (§ 7)."""
        if state.hand_running:
            return "hand_in_progress"
        if state.phase is Phase.RUBBER_OVER:
            return "settle_first"
        return "slate_not_clean" if any(state.lives_lost) else None

    def _with_honours(self, fresh: State, before: State, moved: Mapping[Seat, Seat]) -> State:
        def taken_along(values: tuple[int, ...]) -> tuple[int, ...]:
            return _put_all(fresh.zeros(), {seat: values[old] for old, seat in moved.items()})

        def moved_on(old_seats: Iterable[Seat]) -> tuple[Seat, ...]:
            found = {moved[seat] for seat in old_seats if seat in moved}
            return tuple(seat for seat in fresh.seats if seat in found)

        return replace(
            fresh,
            rubbers=tuple(
                PlayedRubber(moved_on(rubber.winners), taken_along(rubber.points))
                for rubber in before.rubbers
            ),
            won_before=taken_along(before.won_before),
            drinks=taken_along(before.drinks),
            pot=before.pot,
            toepkoning=moved_on(before.toepkoning),
            lijntoeper=moved_on(before.lijntoeper),
            lost_first=moved_on(before.lost_first),
        )

    def _imaginable(self, state: State) -> Iterator[Sequence[Action]]:
        yield [actions.Payout(1, seat) for seat in (None, *state.seats)]
        if not state.hand_running:
            yield [Deal()]
            for seat in state.seats:
                yield from ([actions.Drink(seat)], [Revoke(seat)])
                before = (n for n in range(MOST_BEFORE + 1) if n != state.won_before[seat])
                yield [actions.WonBefore(seat, won) for won in before]
                yield from ([Correct(hand.number, seat)] for hand in state.hands)
                lives = (
                    n for n in range(self.options.max_lives + 1) if n != state.lives_lost[seat]
                )
                yield [actions.Chalk(seat, lost) for lost in lives]
            return
        yield from ([Ready()], [Misdeal()])
        for seat in state.seats:
            yield from ([kind(seat)] for kind in _SIMPLE)
            yield from ([actions.Trick(seat, n)] for n in range(1, LAST_TRICK + 1))
            yield [actions.Whistle(seat, held) for held in get_args(actions.ThreeAlike)]
            yield [actions.Stand(seat, held) for held in get_args(actions.FourAlike)]
            yield [actions.Sing(seat, why) for why in get_args(actions.SingReason)]
            for of in state.hand.open_exchange:
                yield [actions.Challenge(seat, of, found) for found in get_args(actions.Found)]


def _put_all(values: tuple[int, ...], by_seat: Mapping[Seat, int]) -> tuple[int, ...]:
    for seat, value in by_seat.items():
        values = put(values, seat, value)
    return values
