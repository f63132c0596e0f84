"""What the games of an evening count, gathered as they are played and added up by player.

A game that stumbles costs its own numbers and nobody else's: `EveningSums` counts the others, and
says that it is not all.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from operator import is_
from typing import Any

from kloplei.frozen import dataclass
from kloplei.games.card_game import CardGame
from kloplei.games.catalogue import game_kind
from kloplei.games.game import Seat
from kloplei.games.statistics import Count, Counts, Notes, Played, Total

logger = logging.getLogger(__name__)
_LEFT_OUT = "What was counted of an evening of %s is left out."
SeatedAt = Callable[[int], Mapping[Seat, int]]
"""Says who sat where at an entry, by its number."""


class CountingStumbled(Exception):
    """A game cannot count what was gathered for it."""

    def __init__(self, counting: "GameCounting") -> None:
        super().__init__(counting.game)
        self.counting = counting


class GameCounting:
    """What one game counts of an evening, gathered as it is played."""

    def __init__(self, game: CardGame[Any, Any]) -> None:
        self.game = game.name
        self._taken = 0
        self._told: tuple[int, list[object], tuple[Count, ...]] = (-1, [], ())
        self._notes: Notes[Any] | None = None
        self.is_lost = False
        statistics = game_kind(game.name).statistics
        with self._stumbling():
            self._notes = None if statistics is None else statistics.notes(game)

    def take(self, played: Played) -> None:
        """Take the next event."""
        if self._notes is None or self.is_lost:
            return
        self._taken += 1
        with self._stumbling():
            self._notes.follow(played)

    @contextmanager
    def _stumbling(self) -> Iterator[None]:
        try:
            yield
        except Exception:
            # An odd evening of years ago is to cost its own numbers, and nobody else's.
            logger.exception(_LEFT_OUT, self.game)
            self.is_lost = True

    def pieces(self) -> list["_Piece"]:
        """Return what there is to count: each hand, and last the whole."""
        if self._notes is None:
            return []
        hands = [_Piece(self, one, self._notes.retold) for one in self._notes.finished()]
        return [*hands, _Piece(self, None, self._taken)]

    def counts(self, hand: object) -> tuple[Count, ...]:
        """Return what *hand* came to, or all of them together where it is None.

        Raises:
            CountingStumbled: The game cannot tell.
        """
        if self._notes is None:
            return ()
        try:
            if hand is None:
                return self._of_evening(self._notes)
            return tuple(self._notes.of_hand(hand))
        except Exception as error:
            logger.exception(_LEFT_OUT, self.game)
            raise CountingStumbled(self) from error

    def _of_evening(self, notes: Notes[Any]) -> tuple[Count, ...]:
        retold, by, counts = self._told
        goes_by = [*notes.finished(), *notes.between()]
        if retold != notes.retold or len(by) != len(goes_by) or not all(map(is_, by, goes_by)):
            counts = tuple(notes.of_evening())
            self._told = notes.retold, goes_by, counts
        return counts


@dataclass(frozen=True, slots=True)
class _Piece:
    """One *hand* that is to be counted, or None for all of them; *upto* tells it from before."""

    counting: GameCounting
    hand: object
    upto: int

    def is_same(self, other: "_Piece") -> bool:
        """Whether nothing new has to be counted of it. Hands may be told alike, and be others."""
        same = self.counting is other.counting and self.hand is other.hand
        return same and self.upto == other.upto

    def add_to(self, found: "_Found", seated_at: SeatedAt, to: Mapping[int, int]) -> None:
        """Add what it came to, by players as they are numbered *to* in the end."""
        game = self.counting.game
        for one in self.counting.counts(self.hand):
            then = seated_at(one.seq)
            who = to.get(then.get(one.seat, 0))
            other = None if one.against is None else to.get(then.get(one.against, 0))
            if who is not None:
                key = (who, game, one.what, one.detail, other)
                found.setdefault(key, Total()).add(one.value, one.n, one.value, one.value)


_Found = dict[tuple[int, str, str, str, int | None], Total]


class EveningSums:
    """What was counted of an evening, added up.

    What was added once is not counted again, and always comes in the same order: so a sum of
    seconds is the same to the last digit, however often it was told in between.
    """

    def __init__(self) -> None:
        self._found: _Found = {}
        self._added: list[_Piece] = []
        self._to: Mapping[int, int] = {}

    def of(
        self, parts: list[GameCounting], seated_at: SeatedAt, to: Mapping[int, int]
    ) -> tuple[Counts, bool]:
        """Return the sums of all *parts* that can be counted, and whether that is all of them.

        Args:
            parts: The games of the evening.
            seated_at: Who sat where, by the numbers of then.
            to: Their numbers in the end, by those.
        """
        left = [part for part in parts if not part.is_lost]
        try:
            return self._of(left, seated_at, to), len(left) == len(parts)
        except CountingStumbled as error:
            self._found, self._added = {}, []
            others = [part for part in left if part is not error.counting]
            return self.of(others, seated_at, to)[0], False

    def _of(self, parts: list[GameCounting], seated_at: SeatedAt, to: Mapping[int, int]) -> _Found:
        pieces = [piece for part in parts for piece in part.pieces()]
        whole = pieces[:-1]  # what comes of the last changes as long as it is played
        same = [one.is_same(was) for one, was in zip(whole, self._added, strict=False)]
        if to != self._to or same != [True] * len(self._added):
            self._found, self._added, self._to = {}, [], to
        for piece in whole[len(self._added) :]:
            piece.add_to(self._found, seated_at, to)
            self._added.append(piece)
        found = {
            key: Total(one.value, one.n, one.most, one.least) for key, one in self._found.items()
        }
        for piece in pieces[-1:]:
            piece.add_to(found, seated_at, to)
        return found
