"""The neutral picture of a toepen table (`kloplei.rules.scoreboard`)."""

from collections.abc import Iterable

from kloplei.rules.game import Action, Seat
from kloplei.rules.scoreboard import Hand, Line, Row, Scoreboard, by_seat, offers
from kloplei.rules.toepen.actions import Deal
from kloplei.rules.toepen.lives import fold_price
from kloplei.rules.toepen.options import Options
from kloplei.rules.toepen.referee import Referee
from kloplei.rules.toepen.state import Phase, PlayedHand, State


def scoreboard(options: Options, state: State, legal: Iterable[Action]) -> Scoreboard:
    """Return what everybody may see of *state*; *legal* actions become offers."""
    to_answer = Referee(options, state).to_answer
    asked = by_seat(legal, state.dealer, (Deal,))
    return Scoreboard(
        game="toepen",
        phase=str(state.phase),
        rows=tuple(_row(options, state, s, to_answer, asked[s]) for s in state.seats),
        stake=state.hand.stake or None,
        dealer=state.dealer,
        leader=state.leader,
        to_answer=to_answer,
        prompt=_prompt(options, state, to_answer),
        pots={} if options.stake_in == "drink" else {options.stake_in: sum(state.drinks)},
        offers=offers(asked[None]),
        hands=tuple(_hand(hand, state.seats) for hand in state.hands),
    )


def _row(
    options: Options,
    state: State,
    seat: Seat,
    to_answer: tuple[Seat, ...],
    legal: list[Action],
) -> Row:
    counts = {"rubbers_won": state.rubbers_won(seat), "drinks": state.drinks[seat]}
    if options.tournament_points != "off":
        counts["points"] = state.points(seat)
    return Row(
        seat=seat,
        tally=state.lives_lost[seat],
        limit=options.max_lives,
        flags=_flags(options, state, seat, to_answer),
        counts=counts,
        committed=state.hand.committed[seat] if seat in state.hand.dealt_in else None,
        offers=offers(legal),
    )


def _flags(
    options: Options, state: State, seat: Seat, to_answer: tuple[Seat, ...]
) -> tuple[str, ...]:
    hand, out = state.hand, bool(state.out_since[seat])
    over = state.phase is Phase.RUBBER_OVER
    flags = {
        "in_hand": seat in hand.in_hand,
        "folded": seat in hand.dealt_in and seat not in hand.in_hand and not out,
        "out": out,
        "armoede": seat in hand.armoede or _will_be_poor(options, state, seat),
        "owes_drink": seat in state.owes_drink,
        "rubber_winner": over and seat in state.rubber_winners,
        "toepkoning": seat in state.toepkoning,
        "lijntoeper": seat in state.lijntoeper,
        "last_knocker": seat == hand.last_knocker,
        "open_exchange": seat in hand.open_exchange,
        "must_answer": seat in to_answer,
    }
    return tuple(flag for flag, holds in flags.items() if holds)


def _will_be_poor(options: Options, state: State, seat: Seat) -> bool:
    """Whether everybody can see before the deal that *seat* plays its last life."""
    return (
        options.armoede
        and state.phase is Phase.BETWEEN_HANDS
        and state.lives_lost[seat] == options.max_lives - 1
    )


def _prompt(options: Options, state: State, to_answer: tuple[Seat, ...]) -> Line:
    match state.phase:
        case Phase.BETWEEN_HANDS:
            return Line("prompt.deal", {"seat": state.dealer})
        case Phase.RUBBER_OVER:
            owing = tuple(seat for seat in state.seats if seat in state.owes_drink)
            return Line("prompt.drinks", {"seats": owing})
        case Phase.ANSWERING:
            return _stay_or_fold(options, state)
        case _ if to_answer and state.hand.armoede:
            # Shown while exchanging as well: it is what everybody has to make up their mind on.
            stake, poor = state.hand.stake, state.hand.armoede[0]
            return Line("prompt.armoede", {"seat": poor, "seats": to_answer, "stake": stake})
        case Phase.EXCHANGE:
            return Line("prompt.exchange-or-play", {"seat": state.leader})
        case _:
            return Line("prompt.play", {"seat": state.leader})


def _stay_or_fold(options: Options, state: State) -> Line:
    hand = state.hand
    prices = {fold_price(options, state, seat) for seat in hand.to_answer}
    return Line(
        "prompt.stay-or-fold",
        {
            "seat": hand.last_knocker,
            "seats": hand.to_answer,
            "stake": hand.stake,
            "fold": prices.pop() if len(prices) == 1 else None,
        },
    )


def _hand(hand: PlayedHand, seats: tuple[Seat, ...]) -> Hand:
    paid = {seat: hand.paid[seat] for seat in seats if hand.paid[seat]}
    return Hand(hand.number, hand.winner, f"how.{hand.how}", paid)
