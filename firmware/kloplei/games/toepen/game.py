"""Toepen: a knock raises the stake; stay or fold; the fourth trick decides.

Source: docs/rules/toepen.md, cited as § here and below. Scores lives, never sees a card.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product, starmap
from typing import get_args

from kloplei.frozen import dataclass, replace
from kloplei.games.card_game import (
    BadSeating,
    CardGame,
    Correct,
    Deal,
    Finished,
    Misdeal,
    OnSlate,
    Ready,
    Revoke,
    check_seating,
    put,
)
from kloplei.games.game import Action, Seat, Slate
from kloplei.games.toepen import actions
from kloplei.games.toepen.actions import ACTIONS, EVENTS, LAST_TRICK
from kloplei.games.toepen.amend import MOST_STAKE, hand_shown
from kloplei.games.toepen.decide import Decision, is_over
from kloplei.games.toepen.honours import toepkoningen
from kloplei.games.toepen.legality import MOST_BEFORE, Referee
from kloplei.games.toepen.options import PRESETS, Options
from kloplei.games.toepen.state import Phase, PlayedHand, PlayedRubber, State, latecomer_lives
from kloplei.games.toepen.trick import MOST_SEATS
from kloplei.games.toepen.view import meaning, scoreboard

_NOBODY: Mapping[Seat, int] = {}
_SIMPLE = (
    *(actions.Exchange, actions.Stay, actions.Fold, actions.Knock, actions.BlindKnock),
    *(actions.Jack, Revoke, actions.Four),
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

    @property
    def falls(self) -> bool:
        """Return True: lives are lost."""
        return True

    def on_slate(self, state: State) -> OnSlate:
        """Return whether a hand runs, the hands of this rubber, and the lives lost."""
        return OnSlate(state.hand_running, state.hands, state.lives_lost)

    def finished(self, state: State, hand: PlayedHand) -> Finished:
        """Return what is remembered of *hand*."""
        folds, dealt_in = hand.folds, state.dealt_in(hand)
        return Finished(
            hand_shown(hand, state),
            () if hand.winner is None else (hand.winner,),
            hand.stake,
            hand.dealer,
            {seat: folds[seat] for seat in dealt_in if seat not in hand.stayed},
        )

    def hears_wood(self, state: State) -> bool:
        """Return True: knocking is what toepen is about."""
        return True

    def why_not_reseat(self, state: State) -> str | None:
        """Return why nobody may come, go or swap now: only between two hands may they (§ 7)."""
        if state.hand_running:
            return "hand_in_progress"
        return "settle_first" if state.phase is Phase.RUBBER_OVER else None

    def is_clean(self, state: State) -> bool:
        """Return whether nobody has lost a life of this rubber, be it one who has left."""
        lost = (*state.lives_lost, *dict(state.left).values())
        return state.phase is Phase.BETWEEN_HANDS and not any(lost)

    def why_not_go_on(
        self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat], before: "Toepen"
    ) -> str | None:
        """Return why the rubber cannot go on with *seats* by these rules (§ 7).

        Who owes a drink pays it before leaving, and no change may send anybody out, bring
        somebody back, or end the rubber.
        """
        if any(seat not in moved for seat in state.owes_drink):
            return "settle_first"
        after, _ = self._lives_go_on(state, seats, moved)
        most = self.options.max_lives
        wavers = any(
            (after.lives_lost[seat] >= most) != bool(after.out_since[seat]) for seat in seats
        )
        return "after_this_rubber" if wavers or is_over(self.options, after) else None

    def go_on(self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> State:
        """Return the rubber going on with *seats*; lives follow the person (§ 7)."""
        after, there = self._lives_go_on(state, seats, moved)
        gone = {seat: state.lives_lost[seat] for seat in state.seats if seat not in moved}
        return replace(
            after,
            hands=tuple(there.hand(hand) for hand in state.hands),
            owes_drink=there.people(state.owes_drink),
            drank=there.people(state.drank),
            answers=there.numbers(state.answers),
            folds=there.numbers(state.folds),
            was_poor=there.people(state.was_poor),
            left=tuple(sorted((dict(state.left) | gone).items())),
        )

    def _lives_go_on(
        self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]
    ) -> tuple[State, "_Moved"]:
        """Return the rubber going on without its log, and who has moved where.

        Every board asks this for each seat that might leave.
        """
        fresh = self.reseat(state, seats, moved)
        there = _Moved(fresh.zeros(), moved)
        came = [seat for seat in seats if seat not in moved.values()]
        lives = there.numbers(state.lives_lost)
        for seat in came:
            lives = put(lives, seat, latecomer_lives(self.options, state, seat))
        order = (state.dealer, *state.after(state.dealer))
        dealing = [moved[seat] for seat in state.not_out(order) if seat in moved]
        dealer = dealing[0] if dealing else fresh.dealer
        out = there.numbers(state.out_since)
        return replace(fresh, dealer=dealer, lives_lost=lives, out_since=out), there

    def _with_honours(self, fresh: State, before: State, moved: Mapping[Seat, Seat]) -> State:
        taken_along = _Moved(fresh.zeros(), moved).numbers

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

    def _imaginable(self, state: State) -> Iterator[Collection[Action]]:
        yield _payouts(state.seats)
        yield [actions.Drink(seat) for seat in state.owes_drink]
        if not state.hand_running:
            yield from self._imaginable_between(state)
            return
        hand = state.hand
        yield from ([Ready()], [Misdeal()])
        for seat in hand.in_hand:
            yield from _simple(seat)
        for seat in hand.in_hand | hand.lately_folded:
            yield from _tricks(seat, hand.tricks)
        yield _declarations(hand.dealt_in)
        pairs = [(seat, of) for seat in hand.in_hand for of in hand.open_exchange if seat != of]
        found = get_args(actions.Found)
        yield [actions.Challenge(*pair, one) for pair, one in product(pairs, found)]

    def _imaginable_between(self, state: State) -> Iterator[Collection[Action]]:
        yield [Deal()]
        for hand in state.hands:
            yield [Correct(hand.number, seat) for seat in hand.stayed if seat != hand.winner]
            yield from _amendments(state, hand)
        if state.hands:
            yield [Revoke(seat) for seat in state.hands[-1].stayed]
        yield _of_before(state.seats, state.won_before)
        written = {actions.Chalk(seat, state.lives_lost[seat]) for seat in state.seats}
        yield _chalkable(state.seats, self.options.max_lives) - written


@cache
def _simple(seat: Seat) -> Sequence[frozenset[Action]]:
    return [frozenset({kind(seat)}) for kind in _SIMPLE]


@cache
def _tricks(seat: Seat, taken: int) -> Sequence[frozenset[Action]]:
    """Return the tricks that are left: who has folded may have taken the last one alone."""
    left = (range(taken + 1, LAST_TRICK), [LAST_TRICK])
    return [frozenset(actions.Trick(seat, n) for n in alike) for alike in left]


@cache
def _declarations(seats: tuple[Seat, ...]) -> frozenset[Action]:
    whistles = starmap(actions.Whistle, product(seats, get_args(actions.ThreeAlike)))
    stands = starmap(actions.Stand, product(seats, get_args(actions.FourAlike)))
    songs = starmap(actions.Sing, product(seats, get_args(actions.SingReason)))
    return frozenset((*whistles, *stands, *songs))


@cache
def _payouts(seats: tuple[Seat, ...]) -> frozenset[Action]:
    return frozenset(actions.Payout(1, seat) for seat in (None, *seats))


@lru_cache(maxsize=64)
def _of_before(seats: tuple[Seat, ...], won: tuple[int, ...]) -> frozenset[Action]:
    told = product(seats, range(MOST_BEFORE + 1))
    return frozenset(actions.WonBefore(seat, many) for seat, many in told if many != won[seat])


@cache
def _chalkable(seats: tuple[Seat, ...], most: int) -> frozenset[Action]:
    return frozenset(starmap(actions.Chalk, product(seats, range(most + 1))))


@dataclass(frozen=True, slots=True)
class _Moved:
    """People who go on with new seats: *to* from the old ones; *zeros* is what nobody has."""

    zeros: tuple[int, ...]
    to: Mapping[Seat, Seat]

    def numbers(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """Return *values* by the new seats."""
        return _put_all(self.zeros, {seat: values[old] for old, seat in self.to.items()})

    def people(self, seats: Iterable[Seat]) -> frozenset[Seat]:
        """Return where those of *seats* sit now who stayed."""
        return frozenset(self.to[seat] for seat in seats if seat in self.to)

    def hand(self, hand: PlayedHand) -> PlayedHand:
        """Return *hand* by the new seats, without who left."""
        return replace(
            hand,
            winner=None if hand.winner is None else self.to.get(hand.winner),
            stayed=tuple(self.to[seat] for seat in hand.stayed if seat in self.to),
            paid=self.numbers(hand.paid),
            paid_at_end=self.numbers(hand.paid_at_end),
            folded=self.numbers(hand.folded) if hand.folded else (),
            dealt_in=tuple(self.to[seat] for seat in hand.dealt_in if seat in self.to),
            dealer=None if hand.dealer is None else self.to.get(hand.dealer),
        )


def _amendments(state: State, hand: PlayedHand) -> Iterable[Collection[Action]]:
    """Return one telling of *hand* for each who may have won it; any other stake would do.

    Together stand those that cost as much at the most: of them all may be told, or none.
    """
    dealt_in = state.dealt_in(hand)
    told = [hand.folds[s] if s in dealt_in and s not in hand.stayed else -1 for s in state.seats]
    stake = hand.stake - 1 if hand.stake >= MOST_STAKE else hand.stake + 1
    found: dict[int, list[Action]] = {}
    for at, winner in enumerate(state.seats):
        if winner in dealt_in:
            folded = (*told[:at], -1, *told[at + 1 :])
            one = actions.Amend(hand.number, winner, stake, folded)
            found.setdefault(max(folded), []).append(one)
    return found.values()


def _put_all(values: tuple[int, ...], by_seat: Mapping[Seat, int]) -> tuple[int, ...]:
    for seat, value in by_seat.items():
        values = put(values, seat, value)
    return values


GAME = Toepen
