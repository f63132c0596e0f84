"""Every action that may be done now at a table of Tarok: what phones can offer (§ 9)."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import get_args

from kloplei.rules.game import Action, Seat
from kloplei.rules.tarok import actions, tariff
from kloplei.rules.tarok.options import Options
from kloplei.rules.tarok.referee import Referee
from kloplei.rules.tarok.state import Phase, State
from kloplei.rules.tarok.wrong_points import ALL_POINTS

_EITHER = (False, True)


def imaginable(options: Options, state: State) -> Iterator[Action]:
    """Yield every action that could be legal in this phase, but for fines."""
    if state.phase is not Phase.HAND:
        yield from (actions.Deal(), actions.Settle(), actions.NewGame())
        yield from (actions.SitOut(seat) for seat in state.seats)
        yield from (actions.Reopen(number + 1) for number in range(len(state.hands)))
        return
    yield from (actions.Book(), actions.ThrowIn())
    yield from (actions.TakeBack(number + 1) for number in range(len(state.entries)))
    if options.only_points:
        yield actions.Result((0,) * len(state.seats))  # stands for whatever it brought
        return
    for seat in state.active:
        yield actions.Pass(seat)
        yield from _declarable(options, seat)
        yield from _of_play(options, seat)
        if state.hand.winners:
            yield from (actions.Points(seat, points) for points in range(ALL_POINTS + 1))


def _declarable(options: Options, seat: Seat) -> Iterator[Action]:
    for what in tariff.DECLARATIONS[options.rule_set]:
        if what == "taroks":
            yield from _taroks(options, seat)
        elif what in tariff.COUNTED:
            least, most = tariff.COUNTED[what]
            most = min(most, tariff.MOST_IN_HAND)
            yield from (actions.Declare(seat, what, count) for count in range(least, most + 1))
        elif what in tariff.CAVALRIES:
            yield from (actions.Declare(seat, what, suit=suit) for suit in get_args(actions.Suit))
        else:
            yield actions.Declare(seat, what)


def _taroks(options: Options, seat: Seat) -> Iterator[Action]:
    """Yield taroks with all that has to be said of them in this game (§ 4)."""
    least, most = tariff.COUNTED["taroks"]
    pagat = (None,) if options.rule_set == "a" else _EITHER
    fool = _EITHER if options.rule_set == "b" else (None,)
    for count, with_pagat, with_fool in product(range(least, most + 1), pagat, fool):
        yield actions.Declare(seat, "taroks", count, pagat=with_pagat, fool=with_fool)


def fines(referee: Referee) -> Iterator[Sequence[Action]]:
    """Yield the fines of each player, those of one kind together."""
    pots: tuple[actions.Pot, ...] = ("king", "pagat")
    for seat in referee.state.active:
        yield [actions.Fine(seat, each) for each in referee.fines()]
        yield from (
            [actions.FineIntoPot(seat, pot, chips) for chips in referee.chips()] for pot in pots
        )


def _of_play(options: Options, seat: Seat) -> Iterator[Action]:
    yield from (actions.LastTrick(seat), actions.LastCard(seat, "pagat"))
    yield actions.LastCard(seat, "king")
    yield from (actions.TellFate(seat, what) for what in tariff.FATES[options.rule_set])
    if options.rule_set == "a":
        yield from (actions.FoolAlone(seat), actions.WrongDiscard(seat))
    for what in tariff.FEATS[options.rule_set]:
        for announced, made in product(tariff.ANNOUNCED.get(what, (None,)), _EITHER):
            yield actions.TellFeat(seat, what, announced, made)
