"""Eenendertigen: swap, knock once, everybody has one more turn, and the lowest loses a life.

Source: docs/rules/eenendertigen.md, cited as § here and beside it. Scores lives, never sees a card.
`scoreboard` is what people see of it, the neutral picture of `kloplei.games.scoreboard`; `meaning`
says what a knock, a few knocks or a hold ask for (§ 6).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce

from kloplei.frozen import replace
from kloplei.games.card_game import (
    BadSeating,
    CardGame,
    Deal,
    Finished,
    Misdeal,
    OnSlate,
    check_seating,
    latecomer_lives,
    put,
)
from kloplei.games.eenendertigen import actions
from kloplei.games.eenendertigen.actions import ACTIONS, EVENTS
from kloplei.games.eenendertigen.decide import Decision
from kloplei.games.eenendertigen.legality import Referee
from kloplei.games.eenendertigen.options import PRESETS, Options
from kloplei.games.eenendertigen.state import BY_LOWEST, Phase, PlayedHand, State
from kloplei.games.game import Action, Choose, Do, Gesture, Meaning, Seat, Slate
from kloplei.games.scoreboard import Hand, Line, Offer, Row, Scoreboard, by_seat, offers

_NOBODY: Mapping[Seat, int] = {}
_HELD: Mapping[actions.Holds, Line] = {
    "thirty_one": Line("held.thirty-one"),
    "three_alike": Line("held.three-alike"),
    "three_aces": Line("held.three-aces"),
}
_HOLDS: tuple[actions.Holds, ...] = ("thirty_one", "three_alike", "three_aces")


def scoreboard(options: Options, state: State, legal: Iterable[Action]) -> Scoreboard:
    """Return what everybody may see of *state*; *legal* actions become offers."""
    asked = by_seat(legal, state.dealer, (Deal,))
    return Scoreboard(
        game="eenendertigen",
        phase=str(state.phase),
        rows=tuple(_row(options, state, seat, asked[seat]) for seat in state.seats),
        unpriced=True,
        dealer=state.dealer,
        leader=state.in_hand[0] if state.hand_running else None,
        prompt=_prompt(state),
        offers=offers(asked[None]),
        hands=tuple(_hand(hand, state.seats) for hand in state.hands),
    )


def meaning(options: Options, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    second = gesture.hold or gesture.knocks == 2
    if not state.hand_running:
        return _between_deals(state, seat, gesture, second=second)
    if seat not in state.in_hand:
        return None
    if second:
        return Do(actions.Lowest(seat), grace=True)
    match gesture.knocks:
        case 1 if state.phase is Phase.PLAY:
            return Do(actions.Knock(seat))
        case 3:
            return _laid_open(options, seat)
        case _:
            return None


class Eenendertigen(CardGame[Options, State]):
    """The rules of eenendertigen as one house plays them."""

    name = "eenendertigen"
    min_seats = 2
    max_seats = 8
    actions = ACTIONS
    events = EVENTS
    presets = PRESETS
    house_rules = Options
    referee = Referee
    course = Decision
    picture = staticmethod(scoreboard)
    gestures = staticmethod(meaning)

    def start(
        self, seats: tuple[Seat, ...], dealer: Seat, *, lives_lost: Mapping[Seat, int] = _NOBODY
    ) -> State:
        """Return the state before the first deal; *seats* stand clockwise.

        Args:
            seats: Who plays, clockwise.
            dealer: Who deals first.
            lives_lost: What stands on the slate already; missing is 0.

        Raises:
            BadSeating: Too few or too many seats, or *lives_lost* that nobody can have.
        """
        check_seating("Eenendertigen", seats, dealer, self.min_seats, self.max_seats)
        if not set(lives_lost) <= set(seats):
            raise BadSeating("Only who plays can have lost lives.")
        zeros = (0,) * (max(seats) + 1)
        lives = zeros
        for seat, lost in lives_lost.items():
            if not 0 <= lost < self.options.limit:
                raise BadSeating(f"Nobody can have lost {lost} of {self.options.limit} lives.")
            lives = put(lives, seat, lost)
        return State(seats, dealer, lives_lost=lives, out_since=zeros, drinks=zeros)

    def recover(self, seats: tuple[Seat, ...], dealer: Seat, slate: Slate) -> State:
        """Return the slate before the next deal; of a rubber that was over only honours stand."""
        most = self.options.limit
        lost = {seat: min(slate.tallies.get(seat, 0), most) for seat in seats}
        state = self.start(seats, dealer)
        if min(lost.values()) >= 0 and sum(lives < most for lives in lost.values()) > 1:
            lives, out = state.lives_lost, state.out_since
            for seat, one in lost.items():
                lives, out = put(lives, seat, one), put(out, seat, int(one == most))
            state = replace(state, lives_lost=lives, out_since=out)
        won = (seat for seat in seats for _ in range(slate.counts.get((seat, "rubbers_won"), 0)))
        drinks = state.drinks
        for seat in seats:
            drinks = put(drinks, seat, slate.counts.get((seat, "drinks"), 0))
        return replace(state, winners=tuple(won), drinks=drinks)

    def together(self, state: State, waiting: Action, asked: Action) -> tuple[Action, ...]:
        """Return what it comes to that two at once were lowest: both pay, or nobody does (§ 3)."""
        lowest = isinstance(waiting, actions.Lowest) and isinstance(asked, actions.Lowest)
        judge = Referee(self.options, state)
        if not lowest or waiting == asked or judge.why_not(waiting) or judge.why_not(asked):
            return ()
        after = reduce(self.apply, self.decide(state, waiting), state)
        if Referee(self.options, after).why_not(asked) is None:
            return (waiting, asked)
        return (actions.Equal(),) if state.hand_running else ()

    @property
    def falls(self) -> bool:
        """Return True: lives are lost."""
        return True

    def on_slate(self, state: State) -> OnSlate:
        """Return whether a deal runs, the deals of this rubber, and the lives lost."""
        return OnSlate(state.hand_running, state.hands, state.lives_lost)

    def finished(self, state: State, hand: PlayedHand) -> Finished:
        """Return what is remembered of *hand*; who laid open what beat all others has won it."""
        shown = _hand(hand, state.seats)
        return Finished(shown, () if shown.winner is None else (shown.winner,))

    def hears_wood(self, state: State) -> bool:
        """Return True: the knock on the wood is the knock of the game."""
        return True

    def why_not_reseat(self, state: State) -> str | None:
        """Return why nobody may come, go or swap now: only between two hands may they (§ 5)."""
        if state.hand_running:
            return "hand_in_progress"
        return "settle_first" if state.owes_drink else None

    def is_clean(self, state: State) -> bool:
        """Return whether nobody has lost a life of a rubber that goes on, nor who has left it."""
        if state.hand_running or state.owes_drink:
            return False
        lost = (*state.lives_lost, *dict(state.left).values())
        return state.phase is Phase.RUBBER_OVER or not any(lost)

    def why_not_go_on(
        self,
        state: State,
        seats: tuple[Seat, ...],
        moved: Mapping[Seat, Seat],
        before: "Eenendertigen",
    ) -> str | None:
        """Return why the rubber cannot go on with *seats* by these rules (§ 5).

        No change may send anybody out, bring somebody back, or end the rubber.
        """
        after = self.go_on(state, seats, moved)
        wavers = any(
            (after.lives_lost[seat] >= self.options.limit) != bool(after.out_since[seat])
            for seat in seats
        )
        return "after_this_rubber" if wavers or len(after.standing(after.out)) < 2 else None

    def go_on(self, state: State, seats: tuple[Seat, ...], moved: Mapping[Seat, Seat]) -> State:
        """Return the rubber going on with *seats*; lives follow the person (§ 5)."""
        fresh = self.reseat(state, seats, moved)

        def by_seat(values: Sequence[int]) -> tuple[int, ...]:
            there = fresh.zeros()
            for old, seat in moved.items():
                there = put(there, seat, values[old])
            return there

        lives, left = by_seat(state.lives_lost), dict(state.left)
        since, out = by_seat(state.out_since), dict(state.left_since)
        lost = [state.lives_lost[seat] for seat in state.standing(state.out)]
        for seat in {*seats} - {*moved.values()}:
            late = latecomer_lives(
                self.options.latecomer_lives, lost, left.get(seat, 0), self.options.limit
            )
            # Who was out stays out, and waits for a wiped slate there.
            lives = put(lives, seat, self.options.limit if seat in out else late)
            since = put(since, seat, out.get(seat, 0))
        gone = {seat: state.lives_lost[seat] for seat in state.seats if seat not in moved}
        out |= {seat: state.out_since[seat] for seat in gone if state.out_since[seat]}
        order = (state.dealer, *state.standing(state.out))
        dealing = [moved[seat] for seat in order if seat in moved and seat not in state.out]
        return replace(
            fresh,
            dealer=dealing[0] if dealing else fresh.dealer,
            lives_lost=lives,
            out_since=since,
            hands=tuple(_moved_on(hand, moved, by_seat) for hand in state.hands),
            drank=frozenset(moved[seat] for seat in state.drank if seat in moved),
            left=tuple(sorted((left | gone).items())),
            left_since=tuple(sorted(out.items())),
        )

    def _with_honours(self, fresh: State, before: State, moved: Mapping[Seat, Seat]) -> State:
        drinks = fresh.drinks
        for old, seat in moved.items():
            drinks = put(drinks, seat, before.drinks[old])
        winners = tuple(moved[seat] for seat in before.winners if seat in moved)
        return replace(fresh, winners=winners, drinks=drinks)

    def _imaginable(self, state: State) -> Iterator[Sequence[Action]]:
        yield from ([actions.Lowest(seat)] for seat in state.seats)
        if state.hand_running:
            yield from ([Misdeal()], [actions.Equal()])
            for seat in state.in_hand:
                yield [actions.Knock(seat)]
                yield from ([actions.Lay(seat, held)] for held in _HOLDS)
            return
        yield [Deal()]
        for seat in state.seats:
            yield [actions.Drink(seat)]
            yield from ([actions.Correct(hand.number, seat)] for hand in state.hands)
            yield from ([actions.Chalk(seat, n)] for n in range(self.options.limit + 1))


def _moved_on(
    hand: PlayedHand,
    moved: Mapping[Seat, Seat],
    by_seat: Callable[[Sequence[int]], tuple[int, ...]],
) -> PlayedHand:
    """Return *hand* by the new seats, without who left."""
    return replace(
        hand,
        dealt_in=tuple(moved[seat] for seat in hand.dealt_in if seat in moved),
        knocker=None if hand.knocker is None else moved.get(hand.knocker),
        seat=None if hand.seat is None else moved.get(hand.seat),
        paid=by_seat(hand.paid),
    )


def _between_deals(state: State, seat: Seat, gesture: Gesture, *, second: bool) -> Meaning | None:
    if second and seat in state.owes_drink:
        return Do(actions.Drink(seat))
    if second and seat == state.dealer and not state.owes_drink:
        return Do(Deal())
    tied = gesture.knocks == 3 and state.latest is not None
    return Do(actions.Lowest(seat), grace=True) if tied else None


def _laid_open(options: Options, seat: Seat) -> Choose:
    """Return what *seat* is asked that lays open: only what is played in this house (§ 4)."""
    held = {n: one for n, one in enumerate(_HOLDS, start=1) if options.shown(one) != "counts"}
    laid = ((n, actions.Lay(seat, one)) for n, one in held.items())
    # Four knocks are undo, also as an answer; five in the game itself open the door.
    choices = ((5, actions.Equal()), *laid)
    if len(held) == len(_HOLDS):
        return Choose("laid-open", choices)
    if not held:
        return Choose("all-equal", choices)
    told = (_HELD[one].as_fact() for one in held.values())
    return Choose("laid-open-some", choices, dict(zip(("held", "other"), told, strict=False)))


def _row(options: Options, state: State, seat: Seat, legal: list[Action]) -> Row:
    return Row(
        seat=seat,
        tally=state.lives_lost[seat],
        # Who swims has lost all there is: what comes then is no life.
        limit=None if options.swim and state.out_since[seat] else options.lives,
        flags=_flags(options, state, seat),
        counts={"rubbers_won": state.winners.count(seat), "drinks": state.drinks[seat]},
        offers=tuple(_with_whom(one, state) for one in offers(legal)),
    )


def _with_whom(offer: Offer, state: State) -> Offer:
    """Return *offer*; where a hand is over, being lowest means as low as who paid for it."""
    if offer.action != actions.Lowest.name or state.hand_running or state.latest is None:
        return offer
    paid = tuple(seat for seat in state.seats if state.latest.paid[seat])
    return replace(offer, about=Line("told.as-low", {"seats": paid}))


def _flags(options: Options, state: State, seat: Seat) -> tuple[str, ...]:
    over = state.phase is Phase.RUBBER_OVER
    flags = {
        "in_hand": seat in state.in_hand,
        "out": bool(state.out_since[seat]),
        "swims": options.swim and state.lives_lost[seat] == options.lives,
        "owes_drink": seat in state.owes_drink,
        "rubber_winner": over and seat == state.winners[-1],
        "last_knocker": seat == state.knocker,
    }
    return tuple(flag for flag, holds in flags.items() if holds)


def _prompt(state: State) -> Line:
    match state.phase:
        case Phase.BETWEEN_HANDS:
            return Line("prompt.deal", {"seat": state.dealer})
        case Phase.RUBBER_OVER if state.owes_drink:
            owing = tuple(seat for seat in state.seats if seat in state.owes_drink)
            return Line("prompt.drinks", {"seats": owing})
        case Phase.RUBBER_OVER:
            return Line("prompt.next-rubber", {"seat": state.dealer})
        case Phase.PLAY:
            return Line("prompt.swap-or-knock", {"seat": state.in_hand[0]})
        case Phase.LAST_TURN:
            return Line("prompt.last-turn", {"seat": state.knocker}, tells="news.last-turn")
        case Phase.LAID_OPEN:
            return Line("prompt.who-is-lowest", {"seat": state.laid_by})


def _hand(hand: PlayedHand, seats: tuple[Seat, ...]) -> Hand:
    paid = {seat: hand.paid[seat] for seat in seats if hand.paid[seat]}
    winner = None if hand.how in BY_LOWEST else hand.seat
    return Hand(hand.number, winner, f"how.{hand.how}", paid)


GAME = Eenendertigen
