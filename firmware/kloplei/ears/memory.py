"""The ring in memory: the last blows, and beside them what was marked, both bounded."""

from collections.abc import Iterable
from dataclasses import replace

from kloplei.ears.kept import Kept
from kloplei.games.game import Seat
from kloplei.knock.judgement import Judgement, Verdict


class Memory:
    """Keeps the last *most* blows, and as many older ones that were marked: they teach most.

    Args:
        most: 0 keeps nothing at all.
        kept: What an earlier start of the box kept, oldest first.
    """

    def __init__(self, most: int, kept: Iterable[Kept] = ()) -> None:
        self.most = most
        self._blows = {one.number: one for one in kept}
        self._last = max(self._blows, default=0)
        self._drop()

    @property
    def blows(self) -> tuple[Kept, ...]:
        """All that is kept, oldest first."""
        return tuple(self._blows.values())

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of all that is kept."""
        return frozenset(self._blows)

    def add(self, judgement: Judgement, at: float | None) -> Kept:
        """Keep *judgement* under the next number, and return it so."""
        self._last += 1
        added = self._blows[self._last] = Kept(self._last, at, judgement)
        self._drop()
        return added

    def mark(self, number: int, was: Verdict | None, seat: Seat | None) -> Kept:
        """Note what blow *number* was in truth, and return it so.

        Raises:
            KeyError: It is not kept (any more).
        """
        marked = self._blows[number] = replace(self._blows[number], was=was, was_seat=seat)
        self._drop()  # an old one whose mark was taken back goes
        return marked

    def _drop(self) -> None:
        older = [*self._blows][: -self.most] if self.most else [*self._blows]
        marked = [number for number in older if self._blows[number].is_marked]
        for number in {*older} - {*marked[len(marked) - self.most :]}:
            del self._blows[number]
