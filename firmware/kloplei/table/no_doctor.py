"""A table that no doctor looks after: nothing was found, and nothing can be tried."""

from typing import NoReturn

from kloplei.rules.game import Seat
from kloplei.table.client import Unreadable
from kloplei.table.doctor import Finding


class NoDoctor:
    """What a table without a box around it answers."""

    def examine(self) -> tuple[Finding, ...]:
        """Return nothing."""
        return ()

    def knock(self, seat: Seat, times: int = 1) -> None:
        """Refuse."""
        del seat, times
        _refuse()

    def show_test_picture(self) -> None:
        """Refuse."""
        _refuse()

    def judge_picture(self, seen: str) -> Finding:
        """Refuse."""
        del seen
        _refuse()


def _refuse() -> NoReturn:
    raise Unreadable("No doctor looks after this table. Start it with: kloplei run")
