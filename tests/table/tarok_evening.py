"""Evenings of Tarok from written hands, played at a real table by buttons and phones."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from kloplei.games.catalogue import build_game
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.gestures import Timings
from tests.table.seated import Tabletop

WRITTEN = Path(__file__).parents[1] / "evenings/tarok.yaml"
PRESETS = {"a": "taroc 1754", "b": "grosstarock", "c": "dansk"}
CHIPS = {5, 10, 20, 100}
TIMINGS = Timings()


def written(rule_set: str) -> tuple[list[Mapping[str, Any]], Mapping[str, Any]]:
    """Return the hands of the evening of *rule_set*, and how it ends."""
    examples = yaml.safe_load(WRITTEN.read_text("utf-8"))["examples"]
    *hands, end = (one for one in examples if one["set"] == rule_set)
    return hands, end


class Evening:
    """Those who play *rule_set*, seated in the order of play of their records.

    Declarations go round by presses, last tricks are pressed as well; all else is told on the
    phone of who it is about.
    """

    def __init__(self, rule_set: str, players: list[str]) -> None:
        to_the_left = rule_set == "b"
        ways = range(1, len(players) + 1) if to_the_left else range(len(players), 0, -1)
        self.seats = dict(zip(players, ways, strict=True))
        self.tabletop = Tabletop(
            build=build_game, game="tarok", preset=PRESETS[rule_set], seats=len(players)
        )
        for name, seat in sorted(self.seats.items(), key=lambda one: one[1]):
            self.tabletop.ask(seat, "sit_down", facts={"name": name})
        self.press(self.seats[players[0]], 3)

    @property
    def board(self) -> Scoreboard:
        return self.tabletop.board

    @property
    def scores(self) -> dict[str, int]:
        return {row.name: row.tally for row in self.board.rows}

    def press(self, seat: int, times: int) -> None:
        for _ in range(times):
            self.tabletop.press(seat, 0.1)
        self.tabletop.wait(TIMINGS.gap_s)

    def tell(self, name: str | None, action: str, **facts: object) -> None:
        seat = None if name is None else self.seats[name]
        self.tabletop.ask(seat, action, seen=self.board.seq, facts=facts)

    def play(self, hand: Mapping[str, Any]) -> None:
        """Deal, tell and book *hand*, the ``in`` of a record."""
        self.deal_and_declare(hand)
        self.tell_play(hand)
        self.tell(None, "book")

    def deal_and_declare(self, hand: Mapping[str, Any]) -> None:
        self.press(self.seats[hand["dealer"]], 2)
        while (prompt := self.board.prompt) and prompt.key == "prompt.declare":
            asked = prompt.facts["seat"]
            assert isinstance(asked, Seat)
            self._declare(asked.shown, hand.get("declare", []))

    def tell_play(self, hand: Mapping[str, Any]) -> None:
        for fine in hand.get("fines", ()):
            self._fine(**fine)
        for fate in hand.get("in_play", ()):
            self.tell(fate["by"], "fate", what=fate["what"])
        last: Mapping[str, Any] = hand.get("last_trick", {})
        if last:
            self.take_last_trick(last["winner"])
        for name, card in last.get("cards", {}).items():
            self.tell(name, "last_card", card=card)
        for feat in hand.get("feats", ()):
            self.tell(feat["by"], "feat", **{"announced": None, "made": True, **_facts(feat)})
        for action in ("excuse_alone", "wrong_discard"):
            if action in hand:
                self.tell(hand[action], action)
        self._count(hand.get("card_points", {}))
        if hand.get("void"):
            self.tell(None, "throw_in")

    def take_last_trick(self, name: str) -> None:
        self.press(self.seats[name], 2)
        self.tabletop.wait(TIMINGS.grace_s)

    def _declare(self, seat: int, declared: list[Mapping[str, Any]]) -> None:
        """Let *seat* say with its button whether it declares, and do so on its phone."""
        own = [one for one in declared if self.seats[one["by"]] == seat]
        if own:
            self.tabletop.hold(seat)
            assert self.board.shown is not None
            assert self.board.shown.key == "show.declares"
        for one in own:
            nothing = dict.fromkeys(("count", "suit", "pagat", "fool"))
            self.tell(one["by"], "declare", **{**nothing, **_facts(one)})
        self.press(seat, 1)

    def _fine(self, by: str, each: int = 0, **pots: int) -> None:
        if each:
            self.tell(by, "fine", each=each)
        for pot, chips in pots.items():
            self.tell(by, "fine_pot", pot=pot.removesuffix("_pot"), chips=chips)

    def _count(self, points: Mapping[str, int]) -> None:
        for name, pile in list(points.items())[:2]:  # the third follows
            self.tell(name, "points", points=pile)


def _facts(told: Mapping[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in told.items() if word != "by"}


def owed(board: Scoreboard) -> dict[str, int]:
    """Return what everybody gets less what they pay, by the payments of *board*."""
    moved = dict.fromkeys(board.names.values(), 0)
    for payment in board.payments:
        moved[board.names[payment.payee]] += payment.amount
        moved[board.names[payment.payer]] -= payment.amount
    return moved


def chips(board: Scoreboard) -> set[int]:
    """Return which chips are handed over."""
    return set(chain.from_iterable(payment.chips for payment in board.payments))
