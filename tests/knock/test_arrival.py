"""One disc a seat tells who knocked without any tuning."""

import pytest

from benchmarks.measured_table import Electronics
from kloplei.games.game import Seat
from kloplei.knock.localization import SeatFinder
from tests.knock.seated import knock, table

FOUR = tuple(map(Seat, range(4)))


@pytest.mark.parametrize("seed", range(51, 54))
def test_the_disc_that_felt_it_first_tells_the_seat(seed: int) -> None:
    at = table(seed, 4, None)
    finder = SeatFinder(FOUR)
    for seat in range(4):
        found, sure = finder.seat_of(knock(at, seat, seed))

        assert found == seat
        assert sure > 0.9


def test_channels_need_not_be_in_the_order_of_the_seats() -> None:
    at = table(51, 4, None)
    finder = SeatFinder((Seat(2), Seat(0), None, Seat(1)))

    assert finder.seat_of(knock(at, 0, 51))[0] == Seat(2)
    assert finder.seat_of(knock(at, 3, 51))[0] == Seat(1)


def test_noise_of_twelve_codes_changes_little() -> None:
    at = table(52, 4, None)
    noisy = Electronics(noise_codes=12)
    right = [
        SeatFinder(FOUR).seat_of(knock(at, seat, seed, noisy))[0] == seat
        for seat in range(4)
        for seed in range(4)
    ]

    assert sum(right) >= 15


def test_a_converter_that_reads_in_turn_is_allowed_for() -> None:
    """At 2 kHz the last of four discs is read 0.4 ms after the first."""
    at = table(53, 4, None)
    slow = Electronics(rate_hz=2000, noise_codes=0, hum_codes=0, jitter_s=0)
    for seat in range(4):
        assert SeatFinder(FOUR).seat_of(knock(at, seat, 60, slow))[0] == seat


def test_discs_that_feel_it_at_once_leave_it_unsure() -> None:
    window = knock(table(51, 4, None), 0, 51)
    twins = (window.channels[0], window.channels[0])
    same = type(window)(window.onset_s, window.start_s, window.rate_hz, twins)

    assert SeatFinder((Seat(0), Seat(1))).seat_of(same) == (None, 0.5)


def test_discs_that_are_nobodys_tell_nothing() -> None:
    window = knock(table(51, 4, None), 0, 51)

    assert SeatFinder().seat_of(window) == (None, 0.0)
    assert SeatFinder((None,) * 4).seat_of(window) == (None, 0.0)


def test_the_only_disc_there_is_has_felt_it_first() -> None:
    window = knock(table(51, 4, None), 0, 51)

    assert SeatFinder((None, Seat(3), None, None)).seat_of(window) == (Seat(3), 1.0)
