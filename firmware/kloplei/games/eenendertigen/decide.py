"""What follows from an action of eenendertigen, and what each event does to the state (§ 8).

`Decision` is told only what `legality` lets pass; an event has happened, so old journals replay
through its ``_when_`` under the rules of today.
"""

from collections.abc import Collection, Mapping
from typing import ClassVar

from kloplei.frozen import replace
from kloplei.games import card_game
from kloplei.games.card_game import Telling, add, put, shown, told
from kloplei.games.eenendertigen import actions
from kloplei.games.eenendertigen.options import Options
from kloplei.games.eenendertigen.state import Phase, PlayedHand, State
from kloplei.games.game import Event, Seat
from kloplei.games.scoreboard import Line, Tone

_LAID: Mapping[str, Telling] = {
    "thirty_one": told("laid-thirty-one", "seat", tone=Tone.SHOUT),
    "three_alike": told("laid-three-alike", "seat", tone=Tone.SHOUT),
    "three_aces": told("laid-three-aces", "seat", tone=Tone.SHOUT),
}


def _laid_for(event: actions.HandEnded) -> Line | None:
    """Tell who laid open, and whom that cost a life."""
    laid = _LAID[event.how](event)
    paid = tuple(Seat(number) for number, lives in enumerate(event.paid) if lives)
    return laid and replace(laid, facts={**laid.facts, "others": paid})


_ENDS: Mapping[str, Telling] = {
    **dict.fromkeys(_LAID, _laid_for),
    "lowest": told("lowest", "seat"),
    "equal": told("all-equal"),
    "misdeal": told("misdealt"),
}


class Decision(card_game.Course[Options, State]):
    """What comes of one action that is legal, told event by event."""

    sentences: ClassVar[Mapping[type[Event], Telling]] = {
        actions.Dealt: shown("dealt", seat="dealer"),
        actions.Knocked: told("last-turn", "seat", tone=Tone.SHOUT),
        actions.LaidOpen: lambda event: _LAID[event.holds](event),
        actions.HandEnded: lambda event: _ENDS[event.how](event),
        actions.Tied: told("tied", "seat"),
        actions.RubberWon: lambda event: Line(
            "news.rubber-over", {"seats": (event.winner,)}, Tone.FANFARE
        ),
        actions.Drank: told("drank", "seat"),
        actions.SlateWiped: told("slate-wiped"),
        actions.Corrected: told("lowest-corrected", "hand", seat="of"),
        actions.Chalked: told("chalked", "seat", "n"),
    }
    grants: ClassVar[Mapping[str, type[Event]]] = {"knock": actions.Knocked}

    def _do_deal(self) -> None:
        if self.state.phase is Phase.RUBBER_OVER:
            self.tell(actions.SlateWiped())
        state = self.state
        self.tell(actions.Dealt(state.dealer, state.standing(state.out)))

    def _do_lay(self, seat: Seat, holds: str) -> None:
        if self.options.shown(holds) == "ends_deal":
            self.tell(actions.LaidOpen(seat, holds))
        else:
            others = {one: 1 for one in self.state.in_hand if one != seat}
            self._end(holds, others, seat)

    def _do_lowest(self, seat: Seat) -> None:
        if self.state.hand_running:
            self._end("lowest", {seat: self.options.price(seat, self.state.knocker)}, seat)
            return
        hand = self.state.hands[-1]
        price = self.options.price(seat, hand.knocker)
        paid, lives, out = self._charged({seat: price}, self.state.lives_lost)
        dealer = self._dealer(self.state.dealer, out)
        self.tell(actions.Tied(hand.number, seat, paid[seat], lives, out, dealer))
        self._finish_if_over()

    def _do_equal(self) -> None:
        self._end("equal", {}, None)

    def _do_misdeal(self) -> None:
        self._end("misdeal", {}, None)

    def _end(self, how: str, prices: Mapping[Seat, int], seat: Seat | None) -> None:
        state = self.state
        paid, lives, out = self._charged(prices, state.lives_lost)
        next_one = state.dealer if how == "misdeal" else state.after(state.dealer)[0]
        dealer = self._dealer(next_one, out)
        self.tell(actions.HandEnded(state.hand_number, how, seat, paid, lives, out, dealer))
        self._finish_if_over()

    def _charged(
        self, prices: Mapping[Seat, int], lives: tuple[int, ...]
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Seat, ...]]:
        """Return what each pays of *prices*, and then has lost, and who is out by it."""
        paid = self.state.zeros()
        for seat, price in prices.items():
            paid = put(paid, seat, min(price, self.options.limit - lives[seat]))
            lives = add(lives, seat, paid[seat])
        return paid, lives, self._out(lives)

    def _out(self, lives: tuple[int, ...]) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.state.seats if lives[seat] >= self.options.limit)

    def _dealer(self, first: Seat, out: Collection[Seat]) -> Seat:
        """Return who deals next: *first*, or the next who is there; a new rubber brings all."""
        there = [seat for seat in (first, *self.state.after(first)[:-1]) if seat not in out]
        return there[0] if len(there) > 1 else first

    def _finish_if_over(self) -> None:
        standing = self.state.standing(self.state.out)
        if len(standing) == 1:
            owes = tuple(one for one in self._payers() if one not in self.state.drank)
            self.tell(actions.RubberWon(standing[0], owes))

    def _payers(self) -> tuple[Seat, ...]:
        """Return who pays a round for this rubber (§ 5)."""
        out, since = self.state.out, self.state.out_since
        if not out or self.options.payer == "nobody":
            return ()
        first, last = min(since[seat] for seat in out), max(since[seat] for seat in out)
        when = {"first_out": (first,), "last_out": (last,)}.get(self.options.payer)
        return tuple(seat for seat in out if when is None or since[seat] in when)

    def _do_drink(self, seat: Seat) -> None:
        self.tell(actions.Drank(seat))
        if not self.state.owes_drink:
            self.tell(actions.SlateWiped())

    def _do_correct(self, number: int, of: Seat) -> None:
        """Give back what deal *number* cost, and let *of* alone have been lowest in it."""
        self._reopen_if_over()
        hand = next(one for one in self.state.hands if one.number == number)
        lives = tuple(
            max(0, lost - paid) for lost, paid in zip(self.state.lives_lost, hand.paid, strict=True)
        )
        paid, lives, out = self._charged({of: self.options.price(of, hand.knocker)}, lives)
        dealer = self._dealer(self.state.dealer, out)
        self.tell(actions.Corrected(number, of, paid, lives, out, dealer))
        self._finish_if_over()

    def _do_chalk(self, seat: Seat, lost: int) -> None:
        self._reopen_if_over()
        lives = put(self.state.lives_lost, seat, lost)
        out = self._out(lives)
        dealer = self._dealer(self.state.dealer, out)
        self.tell(actions.Chalked(seat, lost, lives, out, dealer))
        self._finish_if_over()

    def _reopen_if_over(self) -> None:
        if self.state.phase is Phase.RUBBER_OVER:
            self.tell(actions.RubberReopened())

    def _when_dealt(self, event: actions.Dealt, state: State) -> State:
        return replace(state, phase=Phase.PLAY, dealer=event.dealer, in_hand=event.in_hand)

    def _when_knocked(self, event: actions.Knocked, state: State) -> State:
        return replace(state, phase=Phase.LAST_TURN, knocker=event.seat)

    def _when_laid_open(self, event: actions.LaidOpen, state: State) -> State:
        return replace(state, phase=Phase.LAID_OPEN, laid_by=event.seat)

    def _when_hand_ended(self, event: actions.HandEnded, state: State) -> State:
        played = PlayedHand(
            event.number, event.how, state.in_hand, state.knocker, event.seat, event.paid
        )
        state = replace(
            state,
            phase=Phase.BETWEEN_HANDS,
            in_hand=(),
            knocker=None,
            laid_by=None,
            hands=(*state.hands, played),
        )
        return _written(state, event)

    def _when_tied(self, event: actions.Tied, state: State) -> State:
        *before, last = state.hands
        last = replace(last, paid=put(last.paid, event.seat, event.n))
        return _written(replace(state, hands=(*before, last)), event)

    def _when_corrected(self, event: actions.Corrected, state: State) -> State:
        hands = tuple(
            replace(hand, how="corrected", seat=event.of, paid=event.paid)
            if hand.number == event.hand
            else hand
            for hand in state.hands
        )
        return _written(replace(state, hands=hands), event)

    def _when_chalked(self, event: actions.Chalked, state: State) -> State:
        return _written(state, event)

    def _when_rubber_won(self, event: actions.RubberWon, state: State) -> State:
        return replace(
            state,
            phase=Phase.RUBBER_OVER,
            owes_drink=frozenset(event.owes),
            winners=(*state.winners, event.winner),
        )

    def _when_rubber_reopened(self, event: actions.RubberReopened, state: State) -> State:
        return replace(
            state,
            phase=Phase.BETWEEN_HANDS,
            owes_drink=frozenset(),
            winners=state.winners[:-1],
        )

    def _when_drank(self, event: actions.Drank, state: State) -> State:
        return replace(
            state,
            owes_drink=state.owes_drink - {event.seat},
            drank=state.drank | {event.seat},
            drinks=add(state.drinks, event.seat, 1),
        )

    def _when_slate_wiped(self, event: actions.SlateWiped, state: State) -> State:
        zeros = state.zeros()
        return replace(
            state,
            phase=Phase.BETWEEN_HANDS,
            lives_lost=zeros,
            out_since=zeros,
            hands=(),
            drank=frozenset(),
            left=(),
            left_since=(),
        )


_Written = actions.HandEnded | actions.Tied | actions.Corrected | actions.Chalked


def _written(state: State, event: _Written) -> State:
    """Return *state* with the lives that *event* leaves, and who is out since when."""
    since = state.zeros()
    for seat in event.out:
        since = put(since, seat, state.out_since[seat] or max(1, len(state.hands)))
    return replace(state, lives_lost=event.lives, out_since=since, dealer=event.dealer)
