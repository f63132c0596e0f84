"""The table on which `kloplei tune --virtual` is tried."""

import pytest

from kloplei.demo.table import obliging_table


@pytest.mark.parametrize("seats", [None, 1, 3, 8, 99])
def test_it_opens_whatever_number_of_seats_is_asked_for(seats: int | None) -> None:
    with obliging_table(seats) as ears:
        assert ears.heard_events(1) == ()
