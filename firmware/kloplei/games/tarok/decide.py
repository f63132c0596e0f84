"""What happens when an action is done at a table of Tarok: the events that follow (§ 9)."""

from kloplei.games.card_game import Deal, NewGame
from kloplei.games.game import Action, Seat
from kloplei.games.tarok import actions, consistency
from kloplei.games.tarok.actions import AnyEntry, PointsCounted, ResultTold, entry_of
from kloplei.games.tarok.apply import Course
from kloplei.games.tarok.booking import deal, share_out, write_down
from kloplei.games.tarok.consistency import ALL_POINTS
from kloplei.games.tarok.state import State


def follow(course: Course, action: Action) -> None:
    """Tell *course* what comes of *action*, which is legal."""
    match action:
        case actions.SitOut(seat):
            course.tell(actions.SitterChosen(seat))
        case Deal():
            _deal(course)
        case actions.Pass(seat):
            course.tell(actions.Passed(seat))
        case actions.TakeBack(number):
            _take_back(course, number)
        case actions.Result():
            _tell_result(course, action)
            write_down(course)
        case actions.Book():
            write_down(course)
        case actions.Reopen(number):
            course.tell(actions.HandReopened(number))
        case actions.Settle():
            share_out(course)
            course.tell(actions.EveningSettled(_winners(course.state)))
        case NewGame():
            course.tell(actions.SlateWiped())
        case _ if (entry := entry_of(action)) is not None:
            _tell(course, entry)
        case _:
            raise TypeError(f"{action!r} is no action of Tarok")


def _deal(course: Course) -> None:
    deal(course, course.state.dealer, course.state.sits_out)


def _winners(state: State) -> tuple[Seat, ...]:
    best = max(state.scores[seat] for seat in state.seats)
    return tuple(seat for seat in sorted(state.seats) if state.scores[seat] == best > 0)


def _take_back(course: Course, number: int) -> None:
    """Take back that entry; of card points that are known for all, those of all three."""
    entries = course.state.entries
    taken = [number]
    counted = [at for at, one in enumerate(entries, 1) if isinstance(one, PointsCounted)]
    if number in counted and len(counted) == len(course.state.active):
        taken = counted
    for one in reversed(taken):  # those above it move down
        course.tell(actions.EntryTakenBack(one))


def _tell_result(course: Course, result: actions.Result) -> None:
    state = course.state
    if state.hand.result is not None:
        course.tell(actions.EntryTakenBack(state.entries.index(state.hand.result) + 1))
    by_seat = dict(zip(sorted(state.seats), result.amounts, strict=True))
    amounts = tuple(by_seat.get(Seat(n), 0) for n in range(len(state.scores)))
    course.tell(ResultTold(amounts, result.king, result.pagat))


def _tell(course: Course, entry: AnyEntry) -> None:
    course.tell(entry)
    if isinstance(entry, PointsCounted):
        _count_the_rest(course)


def _count_the_rest(course: Course) -> None:
    """Tell the third player's card points as well: they are what the other two leave."""
    hand = course.state.hand
    missing = [seat for seat in hand.active if seat not in hand.points]
    left = ALL_POINTS - sum(points or 0 for points in hand.points.values())
    if len(missing) != 1 or left < 0:
        return
    rest = PointsCounted(missing[0], left)
    if not any(consistency.wrong_with(course.options, hand, rest)):
        course.tell(rest)
