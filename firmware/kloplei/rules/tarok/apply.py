"""What each event of Tarok does to the state; never refuses and never judges (§ 9)."""

from dataclasses import replace
from functools import singledispatch

from kloplei.rules.game import Event
from kloplei.rules.tarok import events
from kloplei.rules.tarok.entries import Entry, HandVoided, ResultTold
from kloplei.rules.tarok.news import news_of
from kloplei.rules.tarok.state import Phase, PlayedHand, Pots, State


def apply(state: State, event: Event) -> State:
    """Return *state* after *event*, with the event as the latest news if it is worth telling."""
    return _change(event, state).telling(news_of(event))


@singledispatch
def _change(event: Event, state: State) -> State:
    raise TypeError(f"{event!r} is no event of Tarok")


@_change.register
def _sitter_chosen(event: events.SitterChosen, state: State) -> State:
    return replace(state, sitter=event.seat)


@_change.register
def _dealt(event: events.Dealt, state: State) -> State:
    return replace(
        state,
        phase=Phase.HAND,
        dealer=event.dealer,
        sitter=event.sitter,
        entries=(),
        lines=(),
        passed=(),
        waiting=state.waiting[1:],
        opened=True,
        paid=True,
    )


@_change.register
def _passed(event: events.Passed, state: State) -> State:
    return replace(state, passed=(*state.passed, event.seat))


@_change.register
def _told(event: Entry, state: State) -> State:
    return replace(state, entries=(*state.entries, event))


@_change.register
def _result_told(event: ResultTold, state: State) -> State:
    return replace(state, entries=(*state.entries, event))


@_change.register
def _voided(event: HandVoided, state: State) -> State:
    return replace(state, entries=(*state.entries, event))


@_change.register
def _taken_back(event: events.EntryTakenBack, state: State) -> State:
    at = event.number - 1
    return replace(state, entries=(*state.entries[:at], *state.entries[at + 1 :]))


@_change.register
def _booked(event: events.Booked, state: State) -> State:
    return replace(_moved(state, event), lines=(*state.lines, event))


def _moved(state: State, line: events.Booked, times: int = 1) -> State:
    scores = (a + times * b for a, b in zip(state.scores, line.amounts, strict=True))
    pots = Pots(state.pots.king + times * line.king, state.pots.pagat + times * line.pagat)
    return replace(state, scores=tuple(scores), pots=pots)


@_change.register
def _hand_ended(event: events.HandEnded, state: State) -> State:
    is_void = event.how == events.VOID
    next_sitter = None if state.waiting else state.next_sitter
    played = PlayedHand(
        number=event.number,
        how=event.how,
        dealer=state.dealer,
        sitter=state.sits_out,
        entries=state.entries,
        lines=state.lines,
    )
    return replace(
        state,
        phase=Phase.BETWEEN_HANDS,
        dealer=event.dealer,
        sitter=state.sitter if is_void else next_sitter,
        next_sitter=state.next_sitter if state.waiting else None,
        entries=(),
        lines=(),
        passed=(),
        paid=is_void,
        hands=(*state.hands, played),
    )


@_change.register
def _reopened(event: events.HandReopened, state: State) -> State:
    before, (hand, *after) = state.hands[: event.number - 1], state.hands[event.number - 1 :]
    paid = tuple(line for line in hand.lines if line.line in events.PAID_AT_THE_DEAL)
    played = [line for line in hand.lines if line not in paid]
    for line in (*played, *(line for one in after for line in one.lines)):
        state = _moved(state, line, times=-1)
    return replace(
        state,
        phase=Phase.HAND,
        dealer=hand.dealer,
        sitter=hand.sitter,
        entries=hand.entries,
        lines=paid,
        passed=(),
        waiting=tuple(after),
        next_sitter=None if state.paid else state.sitter,
        paid=True,
        hands=before,
    )


@_change.register
def _evening_settled(event: events.EveningSettled, state: State) -> State:
    return replace(state, phase=Phase.SETTLED)


@_change.register
def _slate_wiped(event: events.SlateWiped, state: State) -> State:
    return State(state.seats, state.dealer, (0,) * len(state.scores), news=state.news)
