"""Whole hands, dealt and played card by card: the rules take them all, and keep every chip."""

from collections.abc import Mapping
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.card_game import Deal
from kloplei.games.game import Action, Event, Seat
from kloplei.games.tarok import Options, State, Tarok, actions
from kloplei.games.tarok.actions import Booked
from kloplei.games.tarok.booking import LINES
from kloplei.games.tarok.consistency import rejects
from kloplei.games.tarok.state import cards_settle
from tests.games.houses import any_house
from tests.games.tarok.invariants import check_line, check_table, seats
from tests.games.tarok.played import played_out

HOUSES = any_house(
    Options,
    {
        "only_points": st.just(False),
        "a_excuse_alone_cards": st.just(0),  # the Fool is counted with its trick
        "a_fine": st.sampled_from([5, 0, 7]),
        "c_ante": st.sampled_from([20, 40, 5]),
        "c_dealer_extra": st.sampled_from([5, 0, 10]),
        "c_tout": st.sampled_from([80, 85, 135]),
        "c_pagat_ultimo": st.sampled_from([45, 50, 0]),
        "c_king_ultimo": st.sampled_from([40, 30, 0]),
        "c_last_trick": st.sampled_from([20, 25, 0]),
        "c_nolo": st.sampled_from([25, 40, 0]),
        "c_lost": st.sampled_from([5, 10, 0]),
        "c_rounding": st.sampled_from([5, 1]),
    },
)


@given(options=HOUSES, players=st.sampled_from([3, 4]), seed=st.integers(0, 10**6))
def test_an_evening_of_hands_really_played_keeps_every_chip(
    options: Options, players: int, seed: int
) -> None:
    game = Tarok(options)
    state = game.resume(seats(players), Seat(0))

    for number in range(4):
        state = _played(game, state, seed + number)
    state = _after(game, state, actions.Settle())

    assert sum(state.scores) == 0
    assert state.pots.total == 0


def _played(game: Tarok, state: State, seed: int) -> State:
    options = game.options
    for event in game.decide(state, Deal()):
        if isinstance(event, Booked):
            check_line(options, state, event)
        state = game.apply(state, event)
    if options.has_pots:
        assert min(state.pots.king, state.pots.pagat) > 0  # I5: none is empty once cards are dealt
    hand = played_out(options, state.active, seed)
    assert rejects(options, hand) == ()
    for entry in hand.entries:
        state = game.apply(state, entry)
    steps = []
    for event in game.decide(state, actions.Book()):
        if isinstance(event, Booked):
            check_line(options, state, event)
            steps.append(LINES[event.line])
        state = game.apply(state, event)
        check_table(options, state)
    assert steps == sorted(steps)
    return state


ASKED: Mapping[type[Event], type[Action]] = {
    actions.Declared: actions.Declare,
    actions.FateTold: actions.TellFate,
    actions.LastTrickTold: actions.LastTrick,
    actions.LastCardTold: actions.LastCard,
    actions.FeatTold: actions.TellFeat,
    actions.FoolLeft: actions.FoolAlone,
    actions.PointsCounted: actions.Points,
}


@pytest.mark.parametrize("rule_set", ["a", "b", "c"])
def test_asked_for_entry_by_entry_a_hand_brings_the_same(rule_set: str) -> None:
    """What phones ask for one after the other pays what a record tells at once."""
    game = Tarok(Options.from_mapping({"rule_set": rule_set}))
    start = _after(game, game.resume(seats(3), Seat(0)), Deal())

    for seed in range(25):
        hand = played_out(game.options, start.active, seed)
        at_once = drafted = start
        for entry in hand.entries:
            at_once = game.apply(at_once, entry)
            if not _follows(game.options, drafted, entry):
                drafted = _after(game, drafted, _asked(entry))
        ledgers = [_after(game, state, actions.Book()) for state in (at_once, drafted)]
        assert ledgers[0].hands[0].lines == ledgers[1].hands[0].lines


def _follows(options: Options, state: State, entry: Event) -> bool:
    """Whether *entry* need not be asked for: the third player's points follow from the others."""
    if not isinstance(entry, actions.PointsCounted):
        return False
    return entry.seat in state.hand.points or not cards_settle(options, state.hand)


def _asked(entry: Event) -> Action:
    said = {one.name: getattr(entry, one.name) for one in fields(entry)}
    return ASKED[type(entry)](**said)


def _after(game: Tarok, state: State, action: Action) -> State:
    for event in game.decide(state, action):
        state = game.apply(state, event)
    return state
