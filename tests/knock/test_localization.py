"""Which seat knocked: what five knocks a seat teach, and what must not throw it."""

from dataclasses import replace

import pytest

from benchmarks.measured_table import Electronics, MeasuredTable
from kloplei.files import KlopleiError
from kloplei.games.game import Seat
from kloplei.knock.judgement import SURE
from kloplei.knock.localization import CannotTellSeats, Places, SeatFinder, tried
from kloplei.knock.signal import Window
from tests.knock.seated import knock, knocks, learned_from, table

SEED = 41  # of the table; none that anything was tuned on


@pytest.fixture(scope="module")
def two_discs() -> MeasuredTable:
    return table(SEED, 4, 2)


@pytest.fixture(scope="module")
def learned(two_discs: MeasuredTable) -> Places:
    return learned_from(knocks(two_discs, 5))


def without(window: Window, channel: int, samples: tuple[float, ...] | None = None) -> Window:
    """The same knock with a disc torn off."""
    dead = samples or (0.0,) * len(window.channels[channel])
    channels = tuple(dead if at == channel else one for at, one in enumerate(window.channels))
    return replace(window, channels=channels)


def test_five_knocks_a_seat_tell_four_seats_by_two_discs(
    two_discs: MeasuredTable, learned: Places
) -> None:
    finder = SeatFinder((), learned)
    for window, seat in knocks(two_discs, 3, first=50):
        assert finder.seat_of(window)[0] == seat


def test_what_was_learned_goes_before_whose_disc_it_is(two_discs: MeasuredTable) -> None:
    swapped = {Seat(0): Seat(3), Seat(3): Seat(0)}
    places = learned_from(
        [(window, swapped.get(seat, seat)) for window, seat in knocks(two_discs, 5)]
    )
    finder = SeatFinder((Seat(0), Seat(1)), places)

    assert finder.seat_of(knock(two_discs, 0, 50))[0] == Seat(3)


def test_the_first_knock_does_not_wait_for_what_can_be_worked_out_before(
    two_discs: MeasuredTable, learned: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder = SeatFinder((), learned)
    monkeypatch.setattr("kloplei.knock.localization.Discriminant", None)

    assert finder.seat_of(knock(two_discs, 1, 52))[0] == Seat(1)


def test_a_louder_knock_is_at_the_same_place(two_discs: MeasuredTable, learned: Places) -> None:
    usual = knock(two_discs, 1, 51)
    softer = replace(usual, channels=tuple(tuple(s / 4 for s in one) for one in usual.channels))

    assert SeatFinder((), learned).seat_of(softer)[0] == Seat(1)


def test_an_onset_found_a_little_late_is_at_the_same_place(
    two_discs: MeasuredTable, learned: Places
) -> None:
    usual = knock(two_discs, 2, 51)

    assert SeatFinder((), learned).seat_of(replace(usual, onset_s=0.001))[0] == Seat(2)


@pytest.mark.parametrize("rate_hz", [2000, 8000, 48_000])
def test_another_rate_than_the_one_it_was_learned_at_will_do(
    rate_hz: float, two_discs: MeasuredTable, learned: Places
) -> None:
    finder = SeatFinder((), learned)
    for seat in (0, 3):
        window = knock(two_discs, seat, 50, Electronics(rate_hz=rate_hz))

        assert finder.seat_of(window)[0] == seat


def test_hard_knocks_that_clip_are_still_told() -> None:
    four = table(SEED, 4, None)
    finder = SeatFinder((), learned_from(knocks(four, 4)))
    usual = knock(four, 1, 52)
    clipped = replace(
        usual,
        channels=tuple(tuple(max(-1.0, min(1.0, 6 * s)) for s in c) for c in usual.channels),
    )

    assert max(map(max, clipped.channels)) == 1.0
    assert finder.seat_of(clipped)[0] == Seat(1)


def test_with_a_disc_torn_off_the_others_tell() -> None:
    four = table(SEED, 4, 4)
    finder = SeatFinder((), learned_from(knocks(four, 5)))
    for seat in range(4):
        assert finder.seat_of(without(knock(four, seat, 50), 2))[0] == seat


def test_a_disc_that_only_hums_is_left_out() -> None:
    four = table(SEED, 4, 4)
    finder = SeatFinder((), learned_from(knocks(four, 5)))
    window = knock(four, 3, 50)
    hum = tuple(0.8 * (-1) ** (at // 40) for at in range(len(window.channels[0])))

    assert finder.seat_of(without(window, 0, hum))[0] == Seat(3)


def test_with_one_disc_left_nobody_can_say(two_discs: MeasuredTable, learned: Places) -> None:
    torn = without(knock(two_discs, 0, 50), 1)

    assert SeatFinder((), learned).seat_of(torn) == (None, 0.0)


def test_who_was_taught_does_not_guess_by_the_first_disc_where_it_cannot_say() -> None:
    four = table(SEED, 4, None)
    finder = SeatFinder(tuple(map(Seat, range(4))), learned_from(knocks(four, 3)))
    window = knock(four, 0, 50)
    for channel in (1, 2, 3):
        window = without(window, channel)

    assert finder.seat_of(window) == (None, 0.0)


def test_a_knock_between_two_seats_is_less_sure_than_one_at_a_seat() -> None:
    corners = table(SEED, 6, 4)
    finder = SeatFinder((), learned_from(knocks(corners, 5)))
    one, other = corners.seats[1:3]
    off_m = ((other.x - one.x) / 2, (other.y - one.y) / 2)
    between = MeasuredTable(corners.plate, [one.moved(*off_m)], corners.sensors, seed=SEED)

    at_seat = finder.seat_of(knock(corners, 1, 50))[1]
    assert min(finder.seat_of(knock(between, 0, seed))[1] for seed in range(4)) < at_seat
    assert at_seat > 0.95


def test_who_is_unsure_names_no_seat(two_discs: MeasuredTable, learned: Places) -> None:
    silence = without(without(knock(two_discs, 0, 50), 0), 1)
    seat, sure = SeatFinder((), learned).seat_of(silence)

    assert seat is None
    assert sure < SURE


def test_what_was_learned_with_two_discs_says_nothing_about_four(learned: Places) -> None:
    four = table(SEED, 4, None)
    finder = SeatFinder(tuple(map(Seat, range(4))), learned)

    assert finder.seat_of(knock(four, 3, 50))[0] == Seat(3)


def test_the_same_knocks_teach_the_same(two_discs: MeasuredTable, learned: Places) -> None:
    assert learned_from(knocks(two_discs, 5)) == learned


def test_one_seat_alone_teaches_nothing(two_discs: MeasuredTable) -> None:
    with pytest.raises(CannotTellSeats, match="takes two: knock at each seat"):
        learned_from(knocks(two_discs, 5)[:5])


def test_nothing_teaches_nothing() -> None:
    with pytest.raises(KlopleiError, match="0 seats"):
        learned_from([])


def test_a_seat_that_knocked_once_is_named(two_discs: MeasuredTable) -> None:
    with pytest.raises(ValueError, match="seat 4"):
        learned_from(knocks(two_discs, 5)[:16])


def test_one_disc_cannot_tell_seats(two_discs: MeasuredTable) -> None:
    with pytest.raises(CannotTellSeats, match="loose plug"):
        learned_from([(without(window, 1), seat) for window, seat in knocks(two_discs, 5)])


def test_one_knock_too_faint_for_a_disc_is_left_out(two_discs: MeasuredTable) -> None:
    examples = knocks(two_discs, 5)
    places = learned_from([(without(examples[0][0], 1), examples[0][1]), *examples[1:]])

    assert len(places.knocks) == len(examples) - 1


def test_faint_knocks_of_a_seat_that_has_no_others_are_learned_by_the_discs_that_felt_them() -> (
    None
):
    """A seat far from one disc, at a table with noise on its wires."""
    four = table(SEED, 4, 4)
    faint = [
        (without(window, 3) if seat == 0 else window, seat) for window, seat in knocks(four, 5)
    ]
    places = learned_from(faint)

    assert len(places.knocks) == len(faint)
    assert SeatFinder((), places).seat_of(knock(four, 0, 50))[0] == Seat(0)


def test_a_disc_that_felt_nothing_while_learning_is_never_asked() -> None:
    four = table(SEED, 4, 4)
    places = learned_from([(without(window, 3), seat) for window, seat in knocks(four, 5)])

    assert places.channels == (0, 1, 2)
    assert SeatFinder((), places).seat_of(knock(four, 2, 50))[0] == Seat(2)


def test_every_knock_is_told_by_the_others(learned: Places) -> None:
    for one, (seat, sure) in zip(learned.knocks, tried(learned), strict=True):
        assert seat == one.seat
        assert sure > SURE


def test_two_seats_that_sound_alike_are_not_told_by_the_others(two_discs: MeasuredTable) -> None:
    """Two people who knock at the same spot."""
    alike = [
        (window, Seat(3) if seat == 0 and at % 2 else seat)
        for at, (window, seat) in enumerate(knocks(two_discs, 8))
        if seat in (0, 1)
    ]
    places = learned_from(alike)
    told: dict[Seat, list[Seat | None]] = {seat: [] for seat in places.seats}
    for one, (seat, sure) in zip(places.knocks, tried(places), strict=True):
        told[one.seat].append(seat if sure >= SURE else None)

    assert told[Seat(1)] == [Seat(1)] * 8
    assert told[Seat(0)].count(Seat(0)) + told[Seat(3)].count(Seat(3)) < 4
    assert set(told[Seat(0)]) <= {Seat(0), Seat(3), None}
