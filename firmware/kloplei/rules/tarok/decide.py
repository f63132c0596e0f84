"""What happens when an action is done at a table of Tarok: the events that follow (§ 9)."""

from kloplei.rules.game import Action, Event, IllegalAction, Seat
from kloplei.rules.tarok import actions, events, told_wrong
from kloplei.rules.tarok.actions import entry_of
from kloplei.rules.tarok.booking import book
from kloplei.rules.tarok.course import Course
from kloplei.rules.tarok.entries import AnyEntry, PointsCounted
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.pots import pay_in, share_out
from kloplei.rules.tarok.referee import Referee
from kloplei.rules.tarok.state import State
from kloplei.rules.tarok.wrong_points import ALL_POINTS


def decide(options: Options, state: State, action: Action) -> tuple[Event, ...]:
    """Return what happens if *action* is done.

    Raises:
        IllegalAction: The rules refuse it; its fact ``codes`` holds every reason at once.
    """
    codes = Referee(options, state).codes(action)
    if codes:
        raise IllegalAction(codes[0], codes=codes, **_facts(action))
    course = Course(options, state)
    _follow(course, action)
    return course.events


def _facts(action: Action) -> dict[str, Seat]:
    seat = getattr(action, "seat", None)
    return {} if seat is None else {"seat": seat}


def _follow(course: Course, action: Action) -> None:
    match action:
        case actions.SitOut(seat):
            course.tell(events.SitterChosen(seat))
        case actions.Deal():
            _deal(course)
        case actions.TakeBack(number):
            course.tell(events.EntryTakenBack(number))
        case actions.Book():
            book(course)
        case actions.Settle():
            share_out(course)
            course.tell(events.EveningSettled())
        case actions.NewGame():
            course.tell(events.SlateWiped())
        case _:
            entry = entry_of(action)
            if entry is not None:
                _tell(course, entry)


def _deal(course: Course) -> None:
    state = course.state
    course.tell(events.Dealt(state.dealer, state.sits_out))
    if not state.paid:
        pay_in(course, first=not state.opened)


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
    if not told_wrong.wrong_with(course.options, hand, rest):
        course.tell(rest)
