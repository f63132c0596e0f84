"""The table at which most of these tests play."""

import pytest

from tests.table.seated import Tabletop


@pytest.fixture
def tabletop() -> Tabletop:
    """Seats 1 to 3 play and the hand is dealt."""
    tabletop = Tabletop(seats=4).start(1, 2, 3)
    tabletop.ask(1, "deal")
    return tabletop
