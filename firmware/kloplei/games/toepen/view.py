"""What people see of a toepen table, and what their hands mean there.

`scoreboard` is the neutral picture of `kloplei.games.scoreboard`; `meaning` says what a knock, a
few knocks or a hold ask for in each phase (§ 10).
"""

from collections.abc import Iterable
from typing import get_args

from kloplei.games.card_game import Deal
from kloplei.games.game import Action, Choose, Do, Gesture, Meaning, Seat, Show
from kloplei.games.scoreboard import KITTY, Line, Row, Scoreboard, by_seat, offers
from kloplei.games.toepen import actions
from kloplei.games.toepen.actions import LAST_TRICK
from kloplei.games.toepen.amend import hand_shown
from kloplei.games.toepen.honours import crowns
from kloplei.games.toepen.legality import Referee
from kloplei.games.toepen.options import Options
from kloplei.games.toepen.state import Phase, State, fold_price

_CHALLENGE = 5  # knocks


def scoreboard(options: Options, state: State, legal: Iterable[Action]) -> Scoreboard:
    """Return what everybody may see of *state*; *legal* actions become offers."""
    referee = Referee(options, state)
    asked = by_seat(legal, state.dealer, (Deal,))
    return Scoreboard(
        game="toepen",
        phase=str(state.phase),
        rows=tuple(_row(referee, seat, asked[seat]) for seat in state.seats),
        stake=state.hand.stake or None,
        dealer=state.dealer,
        leader=state.leader,
        to_answer=referee.to_answer,
        prompt=_prompt(referee),
        pots=_pots(options, state),
        offers=offers(asked[None]),
        hands=tuple(hand_shown(hand, state) for hand in state.hands),
    )


def meaning(options: Options, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    """Return what *gesture* at *seat* asks for, or None if it is only noise."""
    second = gesture.hold or gesture.knocks == 2
    if not state.hand_running or seat not in state.hand.in_hand:
        return _outside_a_hand(state, seat) if second else None
    if state.phase is Phase.EXCHANGE and (other := _exchanging(state, seat, gesture)):
        return other
    if to_answer := Referee(options, state).to_answer:
        return _answering(options, state, seat, gesture) if seat in to_answer else None
    if second:
        return Do(actions.Trick(seat, LAST_TRICK), grace=True)
    if gesture.knocks == 1:
        return Do(actions.Knock(seat))
    if gesture.knocks == 3 and state.phase is Phase.PLAY:
        return Show("hurry-up")
    return None


def _pots(options: Options, state: State) -> dict[str, int]:
    """Return what lies in the middle; where it is drinks again, what nobody has taken out yet."""
    if options.stake_in != "drink":
        return {options.stake_in: state.pot}
    return {KITTY: state.pot} if state.pot else {}


def _row(referee: Referee, seat: Seat, legal: list[Action]) -> Row:
    options, state = referee.options, referee.state
    counts = {"rubbers_won": state.rubbers_won(seat), "drinks": state.drinks[seat]}
    if options.tournament_points != "off":
        counts["points"] = state.points(seat)
    if won := crowns(options, state, state.rubbers, seat):
        counts["toepkoning"] = won
    return Row(
        seat=seat,
        tally=state.lives_lost[seat],
        limit=options.max_lives,
        flags=_flags(referee, seat),
        counts=counts,
        committed=state.hand.committed[seat] if seat in state.hand.dealt_in else None,
        offers=offers(legal),
    )


def _flags(referee: Referee, seat: Seat) -> tuple[str, ...]:
    state, hand = referee.state, referee.state.hand
    out = bool(state.out_since[seat])
    over = state.phase is Phase.RUBBER_OVER
    flags = {
        "in_hand": seat in hand.in_hand,
        "folded": seat in hand.dealt_in and seat not in hand.in_hand and not out,
        "out": out,
        "armoede": seat in hand.armoede or _will_be_poor(referee.options, state, seat),
        "owes_drink": seat in state.owes_drink,
        "rubber_winner": over and seat in state.rubber_winners,
        "toepkoning": seat in state.toepkoning,
        "lijntoeper": seat in state.lijntoeper,
        "last_knocker": seat == hand.last_knocker,
        "open_exchange": seat in hand.open_exchange,
        "must_answer": seat in referee.to_answer,
    }
    return tuple(flag for flag, holds in flags.items() if holds)


def _will_be_poor(options: Options, state: State, seat: Seat) -> bool:
    """Whether everybody can see before the deal that *seat* plays its last life."""
    return (
        options.armoede
        and state.phase is Phase.BETWEEN_HANDS
        and state.lives_lost[seat] == options.max_lives - 1
    )


def _prompt(referee: Referee) -> Line:
    state, to_answer = referee.state, referee.to_answer
    match state.phase:
        case Phase.BETWEEN_HANDS:
            return Line("prompt.deal", {"seat": state.dealer})
        case Phase.RUBBER_OVER:
            return _debts(referee.options, state)
        case Phase.ANSWERING:
            return _stay_or_fold(referee.options, state)
        case _ if to_answer and state.hand.armoede:
            # Shown while exchanging as well: it is what everybody has to make up their mind on.
            stake, poor = state.hand.stake, state.hand.armoede
            facts = {"seat": poor[0], "poor": poor, "seats": to_answer, "stake": stake}
            facts["fold"] = referee.options.armoede_leave_cost
            return Line("prompt.armoede", facts, tells="news.armoede")
        case Phase.EXCHANGE if _anybody_exchanges(referee):
            return Line("prompt.exchange-or-play", {"seat": state.leader})
        case _:
            return Line("prompt.play", {"seat": state.leader})


def _debts(options: Options, state: State) -> Line:
    owing = tuple(seat for seat in state.seats if seat in state.owes_drink)
    if options.stake_in == "drink":
        return Line("prompt.drinks", {"seats": owing})
    return Line("prompt.debts", {"seats": owing, "n": options.debt_chips})


def _anybody_exchanges(referee: Referee) -> bool:
    """Whether anybody may still exchange: houses that never do and empty stocks leave none."""
    seats = referee.state.hand.in_hand
    return any(referee.why_not(actions.Exchange(seat)) is None for seat in seats)


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
        tells="news.knocked",
    )


def _outside_a_hand(state: State, seat: Seat) -> Meaning | None:
    if seat in state.owes_drink:
        return Do(actions.Drink(seat))
    if state.phase is Phase.BETWEEN_HANDS and seat == state.dealer:
        return Do(Deal())
    return None


def _exchanging(state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    if gesture.knocks == 3:
        return Do(actions.Exchange(seat))
    others = tuple(one for one in state.hand.open_exchange if one != seat)
    if gesture.knocks != _CHALLENGE or not others:
        return None
    found: tuple[tuple[int, Action], ...] = tuple(
        (knocks, actions.Challenge(seat, others[-1], one))
        for knocks, one in enumerate(get_args(actions.Found), start=1)
    )
    return Choose("challenge", found)


def _answering(options: Options, state: State, seat: Seat, gesture: Gesture) -> Meaning | None:
    if gesture.hold or gesture.knocks == 2:
        return Do(actions.Fold(seat))
    if gesture.knocks == 1:
        return Do(actions.Stay(seat))
    if gesture.knocks == 3 and options.over_knock_while_pending and state.phase is Phase.ANSWERING:
        return Do(actions.Knock(seat))
    return None
