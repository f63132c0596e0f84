"""What follows from an action of Watten: the events of a deal, its end and the game's (§ 10).

`follow` is told only what `kloplei.games.watten.legality` lets pass. Below it stand the parts of
an evening in their order: the deal, the end of a deal and who scores (§ 7), the end of the game,
and what is put right between deals.
"""

from dataclasses import replace

from kloplei.games.card_game import Correct, Deal, Misdeal, NewGame, Ready, Revoke, put
from kloplei.games.game import Action, Seat
from kloplei.games.watten import actions, blind
from kloplei.games.watten.actions import DealEnded, DealTakenBack, GameReopened, GameWon
from kloplei.games.watten.apply import Course
from kloplei.games.watten.blind import open_seal
from kloplei.games.watten.legality import value_if_held
from kloplei.games.watten.options import Options
from kloplei.games.watten.state import (
    TRICKS_IN_DEAL,
    Phase,
    PlayedDeal,
    State,
    accounts,
    clean_points,
    decided_for,
    is_locked,
    opponents,
    side_of,
    tense_sides,
)

FIRST_VALUE = 2  # points
PENALTY = 2  # points
HOW_ENDED = (
    *("tricks", "given-up", "maschine", "illegal-raise", "revoke", "misdeal", "looked-early"),
    *("counted", "corrected"),
)
"""Every way a deal can end, as `DealEnded` says it."""
_FORCED_VALUE = 4
_FORCED_GAP = 4
_DOUBLE = 2  # games
_DOUBLING_SUIT = "H"


def follow(course: Course, action: Action) -> None:
    """Tell *course* what comes of *action*, which is legal."""
    state = course.state
    match action:
        case Deal():
            _deal(course)
        case Correct(hand, winner):
            _correct(course, hand, winner)
        case actions.Chalk(seat, points):
            _chalk(course, seat, points)
        case NewGame():
            course.tell(actions.SlateWiped(clean_points(course.options, state)))
        case actions.Raise(seat) if is_locked(course.options, state, seat):
            _raise_locked(course, seat)
        case actions.Raise(seat):
            value = value_if_held(state)
            course.tell(actions.Raised(seat, value + 1, value))
        case actions.Accept(seat):
            course.tell(actions.Held(seat, value_if_held(state)))
        case actions.GiveUp(seat):
            _give_up(course, seat)
        case actions.Trick(seat):
            _close_exchange(course)
            course.tell(actions.TrickTaken(seat, state.tricks_played + 1))
            _end_if_decided(course, seat)
        case actions.LayCard(card=card):
            taker = blind.lay(course, card)
            if taker is not None:
                _end_if_decided(course, taker)
        case actions.Result(tricks):
            _close_exchange(course)
            _count(course, tricks)
        case Revoke(seat):
            _revoke(course, seat)
        case _:
            _follow_before_play(course, action)


def _follow_before_play(course: Course, action: Action) -> None:
    match action:
        case actions.Offer(seat):
            course.tell(actions.NewCardsOffered(seat, course.state.dealer))
        case actions.Agree(seat):
            course.tell(actions.NewCardsTaken(seat))
        case actions.Refuse(seat):
            course.tell(actions.NewCardsRefused(seat))
        case actions.Schlag(seat, rank):
            course.tell(actions.SchlagNamed(seat, rank))
        case actions.Trump(suit=suit) if course.options.everyone_alone:
            _turn_up(course, suit, None)
        case actions.Trump(seat, suit):
            begins = not course.state.deal.announced
            course.tell(actions.TrumpNamed(seat, suit))
            if begins:
                _force_four(course)
        case actions.NameAloud(seat):
            course.tell(actions.NamedAloud(seat))
            _force_four(course)
        case actions.Show():
            course.tell(actions.CardsShown(course.state.knowing))
            _force_four(course)
        case actions.Confirm() | actions.SealSchlag() | actions.SealTrump():
            if blind.show(course, action):
                _force_four(course)
        case actions.Signal(seat):
            course.tell(actions.Signalled(seat))
        case actions.ShowHands(seat):
            course.tell(actions.HandsShown(seat))
        case actions.TurnUp(suit, rank):
            _turn_up(course, suit, rank)
        case actions.Exchange(seat, n):
            course.tell(actions.CardsExchanged(seat, n))
        case Ready():
            _close_exchange(course)
        case Misdeal():
            _misdeal(course)
        case actions.LookEarly(seat):
            _penalize(course, "looked-early", seat, PENALTY)
        case actions.Maschine(seat):
            _maschine(course, seat)


def _deal(course: Course) -> None:
    options, dealer = course.options, course.state.dealer
    if options.everyone_alone:
        course.tell(actions.Dealt(dealer, value=0))
        return
    tense = tense_sides(options, course.state)
    if options.gestrichen_rule == "tense_auto_raise" and tense:
        # The deal counts as raised by who is tense; the others may still raise it.
        course.tell(actions.Dealt(dealer, FIRST_VALUE + 1, tense[0][0]))
    else:
        course.tell(actions.Dealt(dealer, FIRST_VALUE))


def _force_four(course: Course) -> None:
    """Ask the one side that is tense and far ahead to hold four, where the house does (§ 9)."""
    options, state = course.options, course.state
    tense = tense_sides(options, state)
    # Without a lock nobody is gestrichen, and the one forced could go on raising.
    if options.gestrichen_rule != "forced_four" or options.lock is None or len(tense) != 1:
        return
    others = tuple(seat for seat in state.seats if seat not in tense[0])
    ahead = max(state.points[seat] for seat in tense[0])
    if ahead - max(state.points[seat] for seat in others) >= _FORCED_GAP:
        course.tell(actions.FourForced(others[0], _FORCED_VALUE))


def _turn_up(course: Course, suit: str, rank: str | None) -> None:
    """Let the turned card make trump; *rank* None is known to the players alone."""
    schlag = rank if course.options.bohemian_schlag == "from_turnup" else None
    course.tell(actions.TurnedUp(suit, rank, schlag))


def _close_exchange(course: Course) -> None:
    """End exchanging if it has not ended yet: who plays on exchanges no more."""
    if course.state.phase is Phase.EXCHANGE:
        course.tell(actions.ExchangeClosed())


def _end_if_decided(course: Course, seat: Seat) -> None:
    """End the deal if the trick that *seat* just took settles it."""
    options, state = course.options, course.state
    if options.everyone_alone:
        _count_if_over(course)
        return
    won = decided_for(options, state)
    if won and (options.stop_at_three or state.tricks_played == TRICKS_IN_DEAL):
        _end(course, "tricks", seat, won, state.deal.value)


def _count_if_over(course: Course) -> None:
    """Count the deal when all five tricks have been taken."""
    state = course.state
    if state.tricks_played == TRICKS_IN_DEAL:
        _count(course, tuple(state.deal.tricks[seat] for seat in sorted(state.seats)))


def _count(course: Course, tricks: tuple[int, ...]) -> None:
    """End the deal with so many *tricks* a player, in the order of the seats."""
    state, points = course.state, course.state.points
    for seat, n in zip(sorted(state.seats), tricks, strict=True):
        points = put(points, seat, points[seat] + _worth(course.options, state, n))
    number = len(state.deals) + 1
    course.tell(actions.DealEnded(number, "counted", None, (), 0, 0, points, state.neighbour))
    _finish_if_over(course)


def _worth(options: Options, state: State, tricks: int) -> int:
    double = 2 if state.deal.trump == _DOUBLING_SUIT else 1
    each, none = options.bohemian_trick_points, options.bohemian_none_penalty
    return double * (-each * tricks if tricks else none)


def _give_up(course: Course, seat: Seat) -> None:
    """End the deal: *seat* gave it up for what it was worth before an open raise."""
    others = opponents(course.options, course.state, seat)
    _end(course, "given-up", seat, others, course.state.deal.value)


def _maschine(course: Course, seat: Seat) -> None:
    """End the deal: *seat* held all the Kritische."""
    _end(course, "maschine", seat, side_of(course.options, course.state, seat), PENALTY)


def _raise_locked(course: Course, seat: Seat) -> None:
    """End the deal: *seat* raised although its side may not."""
    bid = value_if_held(course.state) + 1
    by_bid = course.options.illegal_raise == "opponents_score_bid"
    _penalize(course, "illegal-raise", seat, bid if by_bid else PENALTY)


def _misdeal(course: Course) -> None:
    """Drop the deal: it was dealt wrongly."""
    if course.options.everyone_alone or course.options.misdeal_penalty == "redeal":
        _void(course, "misdeal", course.state.dealer)
    else:
        _penalize(course, "misdeal", course.state.dealer, PENALTY)


def _revoke(course: Course, seat: Seat) -> None:
    """Settle that *seat* revoked in this deal or, if none is running, in the last one."""
    value = course.state.deal.value
    if not course.state.deal_running:
        last = course.state.deals[-1]
        value = last.value
        course.tell(DealTakenBack(seat, _before(course.options, last), last.dealer))
    remedy = course.options.revoke_remedy
    match "redeal" if course.options.everyone_alone else remedy:
        case "redeal":
            _void(course, "revoke", seat)
            _finish_if_over(course)
        case "opponents_2":
            _penalize(course, "revoke", seat, PENALTY, value)
        case "opponents_value":
            _penalize(course, "revoke", seat, value, value)
        case "lose_game":
            winners = opponents(course.options, course.state, seat)
            _end(course, "revoke", seat, winners, 0, value)
            if course.state.phase is not Phase.GAME_OVER:
                _win(course, winners)


def _penalize(course: Course, how: str, seat: Seat, points: int, value: int | None = None) -> None:
    """End the deal with *points* for those who play against *seat*."""
    winners = opponents(course.options, course.state, seat)
    _end(course, how, seat, winners, points, value)


def _void(course: Course, how: str, seat: Seat) -> None:
    open_seal(course)
    state = course.state
    number = len(state.deals) + 1
    course.tell(DealEnded(number, how, seat, (), 0, 0, state.points, state.dealer))


def _end(
    course: Course,
    how: str,
    seat: Seat,
    winners: tuple[Seat, ...],
    scored: int,
    value: int | None = None,
) -> None:
    open_seal(course)
    state, points = course.state, course.state.points
    for one in winners:
        points = put(points, one, points[one] + scored)
    course.tell(
        DealEnded(
            number=len(state.deals) + 1,
            how=how,
            seat=seat,
            winners=winners,
            scored=scored,
            value=state.deal.value if value is None else value,
            points=points,
            dealer=state.neighbour,
        )
    )
    _finish_if_over(course)


def _before(options: Options, deal: PlayedDeal) -> tuple[int, ...]:
    """Return what stood on the slate before *deal*; a correction may have left less than that."""
    if options.everyone_alone:
        return deal.before
    return tuple(max(0, points) for points in deal.before)


def _finish_if_over(course: Course) -> None:
    """End the game if the slate says that somebody has won it."""
    state, options = course.state, course.options
    held = [state.points[seat] for seat in state.seats]
    best = min(held) if options.everyone_alone else max(held)
    won = best <= 0 if options.everyone_alone else best >= options.target
    if won and state.phase is not Phase.GAME_OVER:
        _win(course, tuple(seat for seat in state.seats if state.points[seat] == best))


def _win(course: Course, winners: tuple[Seat, ...]) -> None:
    """End the game; it counts twice where the house says so and the losers have nothing."""
    state, options = course.state, course.options
    others = (state.points[seat] for seat in state.seats if seat not in winners)
    double = options.schneider and not options.everyone_alone and not any(others)
    course.tell(GameWon(winners, _DOUBLE if double else 1))


def _judge_again(course: Course) -> None:
    """Take the end of the game back if there was one, and look whether it is over.

    A game that was lost by a revoke stays lost: no points ended it.
    """
    if course.state.phase is Phase.GAME_OVER:
        if _was_lost_by_a_revoke(course):
            return
        course.tell(GameReopened())
    _finish_if_over(course)


def _was_lost_by_a_revoke(course: Course) -> bool:
    how = [deal.how for deal in course.state.deals[-1:]]
    return course.options.revoke_remedy == "lose_game" and how == ["revoke"]


def _correct(course: Course, number: int, seat: Seat) -> None:
    """Write down that the side of *seat* had won deal *number*: what it was worth moves over."""
    state = course.state
    deal = next(one for one in state.deals if one.number == number)
    # Three players: who plays with whom went by who dealt then.
    winners = side_of(course.options, replace(state, dealer=deal.dealer), seat)
    points = state.points
    for loser in deal.winners:
        # Later corrections may have left less than was written then.
        points = put(points, loser, max(0, points[loser] - deal.value))
    for winner in winners:
        points = put(points, winner, points[winner] + deal.value)
    course.tell(actions.Corrected(number, winners, points))
    _judge_again(course)


def _chalk(course: Course, seat: Seat, number: int) -> None:
    """Write down that *seat*, and whoever shares its account, has *number* points."""
    state, points = course.state, course.state.points
    account = next(one for one in accounts(course.options, state) if seat in one)
    for one in account:
        points = put(points, one, number)
    course.tell(actions.Chalked(account, number, points))
    _judge_again(course)
