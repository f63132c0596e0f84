"""Evenings made by hand, a line a hand: `Night` keeps the slate."""

from collections.abc import Mapping
from typing import Self

from kloplei.games.scoreboard import Line
from kloplei.table.history_client import (
    Evening,
    EveningLine,
    Knock,
    PlayedGame,
    PlayedHand,
    PlayedRubber,
    Player,
    Settlement,
)

NAMES = ("Thijs", "Tame", "Stan", "Merel", "Joost", "Anouk", "Pim", "Sanne", "Bas", "Noor")


class Night:
    """An evening of *names* that begins with *game*; players are numbered from 1."""

    def __init__(self, *names: str, game: str = "toepen", at: float | None = None) -> None:
        self.names = names or NAMES[:4]
        self.game, self.at = game, at
        self.hands: list[PlayedHand] = []
        self.rubbers: list[PlayedRubber] = []
        self.settled: list[Settlement] = []
        self._games = [PlayedGame(game, None, 1)]
        self._rounds = 0
        self.tallies: dict[int, int] = {}
        self.wipe()

    @property
    def everybody(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.names) + 1))

    def wipe(self, game: str | None = None) -> Self:
        """Begin with nothing, and *game* if it is another one."""
        self.tallies = dict.fromkeys(self.everybody, 0)
        if game and game != self.game:
            self.game = game
            self._games.append(PlayedGame(game, None, len(self.hands) + 1))
        return self

    def hand(
        self,
        *winners: int,
        how: str = "trick",
        paid: Mapping[int, int] | None = None,
        folded: Mapping[int, int] | None = None,
        knocks: tuple[int | tuple[int, float], ...] = (),
        dealer: int | None = None,
        told: tuple[Line, ...] = (),
        times: int = 1,
    ) -> Self:
        """Play a hand, or so many *times*: who did not win pays the stake, unless told what."""
        for _ in range(times):
            left = dict(folded or {})
            stake = 1 + len(knocks)
            losers = [one for one in self.everybody if one not in winners]
            amounts = dict.fromkeys(losers, stake) | left if paid is None else dict(paid)
            for player, amount in amounts.items():
                self.tallies[player] += amount
            self.hands.append(
                PlayedHand(
                    number=len(self.hands) + 1,
                    game=self.game,
                    rubber=len(self.rubbers) + 1,
                    winners=winners,
                    how=Line(f"how.{how}"),
                    paid=amounts,
                    tallies=dict(self.tallies),
                    stake=stake,
                    knocks=tuple(_knock(one, at) for at, one in enumerate(knocks, start=2)),
                    folded=left,
                    dealer=dealer,
                    told=told,
                )
            )
        return self

    def rubber(self, *winners: int) -> Self:
        """End the rubber, and wipe the slate."""
        losers = tuple(one for one in self.everybody if one not in winners)
        self.rubbers.append(
            PlayedRubber(
                len(self.rubbers) + 1, self.game, winners, losers, last_hand=len(self.hands)
            )
        )
        return self.wipe()

    def round(self, payer: int, *payees: int, amount: int = 1) -> Self:
        """Let *payer* treat *payees*, in so many rubbers."""
        for _ in range(amount):
            self._rounds += 1
            rubber = self._rounds
            self.settled += [Settlement(payer, one, 1, rubber=rubber) for one in payees]
        return self

    def evening(self, **more: object) -> Evening:
        players = tuple(Player(number, name) for number, name in enumerate(self.names, start=1))
        games = tuple(dict.fromkeys(one.game for one in self._games))
        line = EveningLine(7, self.at, self.at, games, players, len(self.hands), len(self.rubbers))
        return Evening(
            line,
            tuple(self._games),
            tuple(self.hands),
            tuple(self.rubbers),
            tuple(self.settled),
            **more,  # type: ignore[arg-type]
        )


def _knock(who: int | tuple[int, float], stake: int) -> Knock:
    player, strength = who if isinstance(who, tuple) else (who, None)
    return Knock(player, stake, strength)
