"""Evenings told bit by bit as they are played: the same as all at once, whatever happens there."""

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from kloplei.games.game import Action, IllegalAction, Seat
from kloplei.history.evenings import Folded
from kloplei.history.reading import JournalReading
from kloplei.history.steps import JournalChanged
from kloplei.table import actions
from kloplei.table.journal import Entry
from kloplei.table.schema import dump
from kloplei.table.seating import TableState
from kloplei.table.timeline import steps_of
from tests.history.journals import NAMES, Scribe

GAMES = ("toepen", "watten", "eenendertigen")


def anything(seed: int, steps: int) -> Scribe:
    """Evenings at which people come, go, and are called otherwise, and much is taken back."""
    scribe = Scribe(seed)
    scribe.begin(GAMES[seed % 3], 4)
    for _ in range(steps):
        happen(scribe)
    return scribe


def happen(scribe: Scribe) -> None:
    dice = scribe.dice
    seat, other, name = Seat(dice.randrange(4)), Seat(dice.randrange(4)), dice.choice(NAMES)
    game = dice.choice(GAMES)
    at_the_table: tuple[Action, ...] = (
        *(actions.StandUp(seat), actions.SitDown(seat, name), actions.Swap(seat, other)),
        *(actions.Rename(seat, name), actions.Wipe(), actions.Start()),
        *(actions.ChooseOptions(game), actions.NewEvening()),
    )
    with suppress(IllegalAction):
        match dice.randrange(100):
            case 0 | 1 | 2 if scribe.undoable:
                scribe.undo(dice.randint(1, min(scribe.undoable, 9)))
            case 3 | 4 | 5 if scribe.redoable:
                scribe.redo(dice.randint(1, scribe.redoable))
            case 6 | 7 | 8 | 9:
                scribe.do(dice.choice(at_the_table))
            case 10:
                scribe.now = (scribe.now or 0) + dice.choice((1.0, 9.0)) * 3600
            case _ if scribe.state.play is None:
                scribe.do(actions.Start())
            case _:
                scribe.step(slate=0.2)


class Read:
    """A journal that is read on, and what is told of it for good by then."""

    def __init__(self) -> None:
        self.reading = JournalReading(0, TableState("toepen"))
        self.settled: list[Folded] = []

    def take(self, step: tuple[Entry, ...]) -> None:
        self.settled += [one.folded for one in self.reading.take(step)]

    def told(self) -> list[str]:
        """Return all evenings, spelled to the last digit and in their order."""
        return [spelled(one) for one in (*self.settled, *self.reading.unsettled())]


def spelled(one: Folded) -> str:
    counts: list[Any] = [[*key, total.value, total.n] for key, total in one.counts.items()]
    return json.dumps([one.after, one.last, dump(one.evening), counts])


@pytest.mark.parametrize("seed", range(12))
def test_told_in_between_it_is_the_same_as_told_at_once(seed: int) -> None:
    steps = list(steps_of(anything(seed, 350).entries))
    dice, bit_by_bit = random.Random(seed), Read()
    cuts = dice.sample(range(len(steps)), 5)

    for at, step in enumerate(steps):
        bit_by_bit.take(step)
        told = bit_by_bit.told() if at in cuts or dice.random() < 0.5 else None
        if at in cuts:
            at_once = Read()
            for one in steps[: at + 1]:
                at_once.take(one)
            assert told == at_once.told()


def test_what_nobody_could_take_back_any_more_has_to_be_read_anew() -> None:
    scribe = Scribe(1)
    scribe.begin("toepen", 3)
    scribe.play(30)
    steps = list(steps_of(scribe.entries))
    later = JournalReading(steps[20][-1].seq, scribe.state)
    scribe.undo(20)

    with pytest.raises(JournalChanged):
        later.take(list(steps_of(scribe.entries))[-1])
