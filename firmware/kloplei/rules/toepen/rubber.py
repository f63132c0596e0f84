"""The end of a rubber: who is out, who has won it, titles, drinks, the wiped slate (§ 7)."""

from collections.abc import Collection

from kloplei.rules.card_game import put
from kloplei.rules.game import Seat
from kloplei.rules.toepen.apply import Course
from kloplei.rules.toepen.events import CameBack, RubberReopened, RubberWon, SlateWiped, WentOut
from kloplei.rules.toepen.options import Options
from kloplei.rules.toepen.state import Phase, PlayedRubber, State

TOURNAMENT_POINTS = (5, 3, 2, 1)
KING_AFTER = 3  # rubbers
_CAUTIOUS_ANSWERS = 3
_CAUTIOUS_FOLDS = 0.6


def send_out(course: Course, seats: Collection[Seat]) -> None:
    """Let those of *seats* go out who have lost their last life."""
    for seat in seats:
        state = course.state
        if state.lives_lost[seat] >= course.options.max_lives and not state.out_since[seat]:
            at_once = course.options.rubber_mode == "last_standing"
            course.tell(WentOut(seat, owes=at_once and seat not in state.drank))


def call_back(course: Course) -> None:
    """Let those come back who are out no longer, after a correction."""
    for seat in course.state.out:
        if course.state.lives_lost[seat] < course.options.max_lives:
            course.tell(CameBack(seat))


def is_over(options: Options, state: State) -> bool:
    """Whether the rubber ends here; asked between hands only."""
    if options.rubber_mode == "first_out_pays":
        return bool(state.out)
    return len(state.not_out(state.seats)) <= 1


def finish_if_over(course: Course) -> None:
    """End the rubber if it is over, and wipe the slate if nobody owes anything."""
    options, state = course.options, course.state
    if not is_over(options, state):
        return
    winners = _winners(options, state)
    rubbers = (*state.rubbers, PlayedRubber(winners, state.zeros()))
    kings = toepkoningen(options, state, rubbers)
    course.tell(
        RubberWon(
            winners=winners,
            owes=tuple(seat for seat in state.out if seat not in state.drank),
            toepkoning=kings,
            crowned=tuple(seat for seat in kings if seat not in state.toepkoning),
            lijntoeper=_lijntoeper(state),
            points=_points(options, state),
        )
    )
    wipe_if_settled(course)


def reopen_if_over(course: Course) -> None:
    """Take the end of the rubber back, so that a correction may look at it afresh."""
    options, state = course.options, course.state
    if state.phase is not Phase.RUBBER_OVER:
        return
    stay_due = state.owes_drink if options.rubber_mode == "last_standing" else frozenset()
    course.tell(
        RubberReopened(
            owes=tuple(seat for seat in state.seats if seat in stay_due),
            toepkoning=toepkoningen(options, state, state.rubbers[:-1]),
        )
    )


def wipe_if_settled(course: Course) -> None:
    """Wipe the slate when the rubber is over and the last debt is paid."""
    state = course.state
    if state.phase is Phase.RUBBER_OVER and not state.owes_drink:
        first = min((state.out_since[seat] for seat in state.out), default=0)
        course.tell(SlateWiped(tuple(s for s in state.out if state.out_since[s] == first)))


def toepkoningen(
    options: Options, state: State, rubbers: tuple[PlayedRubber, ...]
) -> tuple[Seat, ...]:
    """Return who bears the title after *rubbers* of this evening, in seat order."""
    if options.toepkoning == "rubber survivor":
        return rubbers[-1].winners if rubbers else ()
    if options.toepkoning == "3 in a row":
        return tuple(seat for seat in state.seats if _longest_run(rubbers, seat) >= KING_AFTER)
    return tuple(
        seat
        for seat in state.seats
        if state.won_before[seat] + sum(seat in one.winners for one in rubbers) >= KING_AFTER
    )


def _longest_run(rubbers: tuple[PlayedRubber, ...], seat: Seat) -> int:
    longest = run = 0
    for rubber in rubbers:
        run = run + 1 if seat in rubber.winners else 0
        longest = max(longest, run)
    return longest


def _winners(options: Options, state: State) -> tuple[Seat, ...]:
    if options.rubber_mode == "first_out_pays":
        fewest = min(state.lives_lost[seat] for seat in state.seats)
        return tuple(seat for seat in state.seats if state.lives_lost[seat] == fewest)
    standing = state.not_out(state.seats)
    if standing:
        return standing
    # All went out: the last to go share it.
    last = max(state.out_since[seat] for seat in state.seats)
    return tuple(seat for seat in state.seats if state.out_since[seat] == last)


def _lijntoeper(state: State) -> tuple[Seat, ...]:
    """Return who folded the largest share of its answers; a joke, and shared when equal."""
    shares = {
        seat: state.folds[seat] / state.answers[seat]
        for seat in state.seats
        if state.answers[seat] >= _CAUTIOUS_ANSWERS
    }
    highest = max(shares.values(), default=0.0)
    if highest < _CAUTIOUS_FOLDS:
        return ()
    return tuple(seat for seat, share in shares.items() if share == highest)


def _points(options: Options, state: State) -> tuple[int, ...]:
    """Return tournament points by seat: places by when one went out, else by lives lost."""
    points = state.zeros()
    if options.tournament_points == "off":
        return points
    for seat in state.seats:
        better = sum(
            _rank(options, state, one) < _rank(options, state, seat) for one in state.seats
        )
        if better < len(TOURNAMENT_POINTS):
            points = put(points, seat, TOURNAMENT_POINTS[better])
    return points


def _rank(options: Options, state: State, seat: Seat) -> int:
    if options.rubber_mode == "first_out_pays":
        return state.lives_lost[seat]
    return -state.out_since[seat] if state.out_since[seat] else -(state.hand_number + 1)
