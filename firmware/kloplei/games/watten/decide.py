"""What happens when an action is done: the events that follow from it (§ 10)."""

from kloplei.games.game import Action
from kloplei.games.watten import actions, blind, endings, events
from kloplei.games.watten.apply import Course
from kloplei.games.watten.endings import value_if_held
from kloplei.games.watten.state import clean_points, is_locked, tense_sides

FIRST_VALUE = 2  # points
_FORCED_VALUE = 4
_FORCED_GAP = 4


def follow(course: Course, action: Action) -> None:
    """Tell *course* what comes of *action*, which is legal."""
    state = course.state
    match action:
        case actions.Deal():
            _deal(course)
        case actions.Correct(hand, winner):
            endings.correct(course, hand, winner)
        case actions.Chalk(seat, points):
            endings.chalk(course, seat, points)
        case actions.NewGame():
            course.tell(events.SlateWiped(clean_points(course.options, state)))
        case actions.Raise(seat) if is_locked(course.options, state, seat):
            endings.raise_locked(course, seat)
        case actions.Raise(seat):
            value = value_if_held(state)
            course.tell(events.Raised(seat, value + 1, value))
        case actions.Accept(seat):
            course.tell(events.Held(seat, value_if_held(state)))
        case actions.GiveUp(seat):
            endings.give_up(course, seat)
        case actions.Trick(seat):
            endings.close_exchange(course)
            course.tell(events.TrickTaken(seat, state.tricks_played + 1))
            endings.end_if_decided(course, seat)
        case actions.LayCard(card=card):
            taker = blind.lay(course, card)
            if taker is not None:
                endings.end_if_decided(course, taker)
        case actions.Result(tricks):
            endings.close_exchange(course)
            endings.count(course, tricks)
        case actions.Revoke(seat):
            endings.revoke(course, seat)
        case _:
            _follow_before_play(course, action)


def _follow_before_play(course: Course, action: Action) -> None:
    match action:
        case actions.Offer(seat):
            course.tell(events.NewCardsOffered(seat, course.state.dealer))
        case actions.Agree(seat):
            course.tell(events.NewCardsTaken(seat))
        case actions.Refuse(seat):
            course.tell(events.NewCardsRefused(seat))
        case actions.Schlag(seat, rank):
            course.tell(events.SchlagNamed(seat, rank))
        case actions.Trump(suit=suit) if course.options.everyone_alone:
            endings.turn_up(course, suit, None)
        case actions.Trump(seat, suit):
            begins = not course.state.deal.announced
            course.tell(events.TrumpNamed(seat, suit))
            if begins:
                _force_four(course)
        case actions.NameAloud(seat):
            course.tell(events.NamedAloud(seat))
            _force_four(course)
        case actions.Show():
            course.tell(events.CardsShown(course.state.knowing))
            _force_four(course)
        case actions.Confirm() | actions.SealSchlag() | actions.SealTrump():
            if blind.show(course, action):
                _force_four(course)
        case actions.Signal(seat):
            course.tell(events.Signalled(seat))
        case actions.ShowHands(seat):
            course.tell(events.HandsShown(seat))
        case actions.TurnUp(suit, rank):
            endings.turn_up(course, suit, rank)
        case actions.Exchange(seat, n):
            course.tell(events.CardsExchanged(seat, n))
        case actions.Ready():
            endings.close_exchange(course)
        case actions.Misdeal():
            endings.misdeal(course)
        case actions.LookEarly(seat):
            endings.penalize(course, "looked-early", seat, endings.PENALTY)
        case actions.Maschine(seat):
            endings.maschine(course, seat)


def _deal(course: Course) -> None:
    options, dealer = course.options, course.state.dealer
    if options.everyone_alone:
        course.tell(events.Dealt(dealer, value=0))
        return
    tense = tense_sides(options, course.state)
    if options.gestrichen_rule == "tense_auto_raise" and tense:
        # The deal counts as raised by who is tense; the others may still raise it.
        course.tell(events.Dealt(dealer, FIRST_VALUE + 1, tense[0][0]))
    else:
        course.tell(events.Dealt(dealer, FIRST_VALUE))


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
        course.tell(events.FourForced(others[0], _FORCED_VALUE))
