"""Where all are at a table, as somebody says it, and who knocks by that alone."""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

from benchmarks.measured_table import Electronics, MeasuredTable
from kloplei.games.game import Seat
from kloplei.knock.arrival import location_features
from kloplei.knock.detector import Listener
from kloplei.knock.geometry import (
    PAD_M,
    NotAGeometry,
    Spot,
    TableGeometry,
    TableSize,
    ToldWood,
    read_size,
    read_spots,
    table_geometry,
)
from kloplei.knock.judgement import SURE, Judgement
from kloplei.knock.localization import (
    Compared,
    Known,
    KnownKnock,
    Places,
    SeatFinder,
    location_model,
    trust_terms,
)
from kloplei.knock.signal import Window
from kloplei.simulation.blows import Blow
from kloplei.simulation.table_top import KINDS
from tests.knock.seated import knock, knocks, learned_from, table

SEEDS = (7500, 7501, 7502)  # of tables that nothing was fitted to


def geometry(top: MeasuredTable) -> TableGeometry:
    return TableGeometry(top.seats, top.sensors)


def by_size(top: MeasuredTable) -> SeatFinder:
    return SeatFinder((), None, geometry(top))


def all_knocks(seats: int, corners: int | None) -> Iterator[tuple[SeatFinder, Window, Seat]]:
    for seed in SEEDS:
        top = table(seed, seats, corners)
        for window, seat in knocks(top, 2):
            yield by_size(top), window, seat


def test_four_corners_tell_four_seats_of_a_table_that_was_never_tuned() -> None:
    assert all(finder.seat_of(window)[0] == seat for finder, window, seat in all_knocks(4, 4))


@pytest.mark.parametrize("corners", [4, None])
def test_six_seats_are_told_or_left_open_and_hardly_ever_mistaken(corners: int | None) -> None:
    told = [finder.seat_of(window)[0] for finder, window, _ in all_knocks(6, corners)]
    meant = [seat for *_, seat in all_knocks(6, corners)]

    right = sum(said == seat for said, seat in zip(told, meant, strict=True))
    wrong = sum(said not in (None, seat) for said, seat in zip(told, meant, strict=True))
    assert (right >= 33, wrong <= 1) == (True, True), (right, wrong, len(meant))


def test_a_hand_halfway_between_two_seats_is_unsure() -> None:
    top = table(SEEDS[0], 6, 4)
    one, other = top.seats[0], top.seats[1]
    halfway = (other.x - one.x) / 2, -(other.y - one.y) / 2
    moved = MeasuredTable(top.plate, [one.moved(halfway[0], -halfway[1])], top.sensors, SEEDS[0])

    seat, sure = by_size(top).likeliest(knock(moved, 0, 5))

    assert seat in (Seat(0), Seat(1))
    assert sure < 0.95


def test_all_seats_share_in_a_blow_and_the_sum_of_it_is_one() -> None:
    top = table(SEEDS[0], 6, 4)
    places = learned_from(knocks(top, 3))
    for finder in (by_size(top), SeatFinder((), places), SeatFinder((), places, geometry(top))):
        for window, _ in knocks(top, 1, first=40):
            whose = finder.whose(window)

            assert sum(whose.values()) == pytest.approx(1.0)
            assert finder.likeliest(window) == next(iter(whose.items()))
            assert list(whose.values()) == sorted(whose.values(), reverse=True)


@pytest.mark.parametrize(
    "seem",
    [(0.41, 0.4, 0.19), (0.5, 0.5, 0.0), (0.34, 0.33, 0.33), (1.0, 0.0, 0.0), (0.9, 0.08, 0.02)],
)
def test_the_likeliest_seat_stays_it_however_little_that_is_to_be_trusted(
    seem: tuple[float, ...],
) -> None:
    nobody = ((-2.0, *[0.0] * 12),) * len(Known)  # the surer it seems, the less it is to be trusted
    model = replace(location_model(), trust=nobody)
    finder = SeatFinder((), None, geometry(table(SEEDS[0], 6, 4)), model)

    told = finder.trusted(Compared(dict(zip(map(Seat, range(3)), seem, strict=True)), Known.SIZE))

    assert sum(told.values()) == pytest.approx(1.0)
    assert next(iter(told)) == Seat(0)
    assert told[Seat(0)] == pytest.approx(max(told.values()))


def test_a_wood_that_has_no_say_takes_nothing_off_what_lessons_are_trusted() -> None:
    top = table(SEEDS[0], 4, 2)
    places = learned_from(knocks(top, 3))
    planks = TableGeometry(top.seats, top.sensors, 1.6)
    window = knock(top, 1, 40)

    told = SeatFinder((), places, planks).whose(window)

    assert told == SeatFinder((), places).whose(window)


@pytest.mark.parametrize("rival", [0.2, 0.6, 1.0])
@pytest.mark.parametrize("has_grain", [False, True])
@pytest.mark.parametrize("seats", [2, 4, 6, 8])
@pytest.mark.parametrize("lessons", [2.0, 5.0, 40.0])
def test_what_seems_surer_is_surer_and_nothing_is_quite_sure(
    seats: int, lessons: float, has_grain: bool, rival: float
) -> None:
    model = location_model()
    for known in Known:
        each = 0.0 if known is Known.SIZE else lessons
        by_size = has_grain and known in (Known.SIZE, Known.BOTH)

        said = [
            model.confidence(
                known, trust_terms(at / 200, seats, each, has_grain=by_size, rival=rival)
            )
            for at in range(40, 201)
        ]

        assert said == sorted(said)
        assert 0 < said[0] < said[-1] < 1


def test_what_seemed_surer_than_it_was_right_is_trusted_less() -> None:
    """As `make geometry` learns it, where that or `make train` has run."""
    pytest.importorskip("scipy")
    from scripts.train_geometry import Said, trusted

    def is_right(seems: float, turn: int) -> bool:
        odds = sqrt(seems / (1 - seems))
        return turn < round(100 * odds / (1 + odds))

    told = [
        Said(1, "5", known, trust_terms(seems, 5, 5.0), seems, is_right(seems, turn))
        for known in Known
        for seems in (0.6, 0.8, 0.9, 0.99)
        for turn in range(100)
    ]
    model = replace(location_model(), trust=trusted(told).tolist())

    for known in Known:
        for seems, right in ((0.6, 0.55), (0.8, 0.67), (0.9, 0.75), (0.99, 0.91)):
            sure = model.confidence(known, trust_terms(seems, 5, 5.0))
            assert sure == pytest.approx(right, abs=0.03)


def test_what_is_published_of_confidence_is_counted_and_stands_between_its_marks(
    tmp_path: Path,
) -> None:
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    from scripts.train_geometry import BEGIN, END, Said, publish

    def said(seats: str, known: Known, sure: float, right: int, of: int) -> list[Said]:
        return [Said(at % 3, seats, known, (), sure, at < right) for at in range(of)]

    told = [
        *said("6", Known.SIZE, 0.7, 300, 400),
        *said("4", Known.SIZE, 0.98, 2000, 2000),
        *said("6", Known.BOTH, 0.97, 970, 1000),
    ]
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")

    publish(told, page)

    made = page.read_text()
    assert made.startswith(f"before\n{BEGIN}\n| known of the table")
    assert made.endswith(f"{END}\nafter\n")
    assert "400: 70.0 / 75.0 ± 2.3" in made
    assert "3 tables." in made
    assert "off by up to 2.0" in made
    assert "2 of all are off by more than 3 points and twice what chance moves" in made
    assert (tmp_path / "pictures" / "seats-sure.svg").read_text().count("<svg") == 1


def test_knocks_reckoned_all_modes_at_once_are_those_that_the_box_plays() -> None:
    pytest.importorskip("scipy")
    from scripts.lessons_of_tables import KnuckleTable

    for at, kind in enumerate(KINDS.values()):
        rate_hz = (4000, 8000)[at % 2]
        top = MeasuredTable.of_seed(SEEDS[1] + at, 5, (4, None)[at % 2], kind=kind)
        lasting_s = 0.06
        spot = top.seats[2].moved(0.03, -0.02)

        quick = KnuckleTable(top, rate_hz, lasting_s).knock(spot, 7)

        slow = top.sampled(Blow.KNUCKLE, spot, rate_hz, seed=7)
        loudest = max(max(map(abs, channel)) for channel in slow)
        # What is played forgets a mode once it is below the least that a converter tells.
        for one, other in zip(quick, slow, strict=True):
            assert len(one) == round(lasting_s * rate_hz)
            assert one == pytest.approx(other[: len(one)], abs=0.02 * loudest)


def test_a_listener_that_cannot_place_a_knock_says_how_likely_each_seat_is() -> None:
    top = table(SEEDS[0], 6, 4)
    one, other = top.seats[2:4]
    unplaced = []
    for part in (0.4, 0.45, 0.5, 0.55, 0.6):
        listener = Listener(geometry=geometry(top), judge=lambda *_: 0.9)
        spot = one.moved(part * (other.x - one.x), part * (other.y - one.y))
        block = top.record(Blow.KNUCKLE, spot, seed=5, before_s=0.15)
        heard = [*listener.feed(block), *listener.flush()]
        (judged,) = [one for one in heard if isinstance(one, Judgement)]
        unplaced += [judged] if judged.seat is None else []
        assert (judged.seat is None) == bool(judged.likely)

    assert unplaced
    for judged in unplaced:
        assert {seat for seat, _ in judged.likely[:2]} == {Seat(2), Seat(3)}
        assert judged.confidence == judged.likely[0][1] < SURE


def test_a_geometry_of_other_discs_is_left_alone() -> None:
    top = table(SEEDS[0], 4, 4)
    fewer = TableGeometry(top.seats, top.sensors[:3])

    assert SeatFinder((), None, fewer).seat_of(knock(top, 0, 1)) == (None, 0.0)


def test_who_hears_nothing_leaves_it_to_whoever_felt_it_first() -> None:
    """Geometry has nothing to say of silence, and does not make up a seat."""
    silence = Window(0.0, -0.12, 4000.0, ((0.0,) * 680,) * 4, 0.0)

    assert by_size(table(SEEDS[0], 4, 4)).seat_of(silence) == (None, 0.0)


def test_a_disc_that_died_is_left_out() -> None:
    top = table(SEEDS[0], 4, 4)
    window = knock(top, 2, 1)
    silent = (0.0,) * len(window.channels[0])
    torn = Window(0.0, window.start_s, window.rate_hz, (silent, *window.channels[1:]))

    assert by_size(top).likeliest(torn)[0] == Seat(2)


def test_lessons_refine_what_the_size_says() -> None:
    """A table whose size somebody got wrong by a turn is set right by five knocks a seat."""
    top = table(SEEDS[1], 4, 4)
    turned = TableGeometry((*top.seats[1:], top.seats[0]), top.sensors)
    window = knock(top, 0, 30)

    assert SeatFinder((), None, turned).seat_of(window)[0] == Seat(3)
    places = learned_from(knocks(top, 5))
    assert SeatFinder((), places, turned).likeliest(window)[0] == Seat(0)


def test_a_seat_that_was_not_taught_is_told_by_its_place() -> None:
    top = table(SEEDS[2], 4, 4)
    taught = Places(
        tuple(
            KnownKnock(seat, location_features(window))
            for window, seat in knocks(top, 3)
            if seat in (Seat(0), Seat(1))
        )
    )
    window = knock(top, 2, 30)

    assert SeatFinder((), taught).seat_of(window)[0] in (None, Seat(0), Seat(1))
    assert SeatFinder((), taught, geometry(top)).seat_of(window)[0] == Seat(2)


def test_a_table_that_is_read_twice_as_fast_is_told_as_well() -> None:
    top, quick = table(SEEDS[0], 4, 4), Electronics(rate_hz=8000.0)

    for seat in range(4):
        said, sure = by_size(top).seat_of(knock(top, seat, 3, quick))
        assert (said, sure >= SURE) == (Seat(seat), True)


def test_sizes_are_read() -> None:
    assert read_size("1.4x0.8") == TableSize(1.4, 0.8)
    assert read_size("1.1") == TableSize(1.1, 1.1, is_round=True)


@pytest.mark.parametrize("text", ["", "1.4x", "1.4x0.8x2", "nan", "infx1", "-1x1", "0.1", "9x1"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(NotAGeometry, match="no size of a table"):
        read_size(text)


def test_spots_are_read_and_a_number_alone_is_none() -> None:
    assert read_spots("0.1x0.2, 1x0") == (Spot(0.1, 0.2), Spot(1.0, 0.0))
    with pytest.raises(NotAGeometry, match="names no spots"):
        read_spots("0.1x0.2,3")


def test_corners_go_clockwise_from_the_slate_and_two_lie_across() -> None:
    size = TableSize(1.4, 0.8)

    assert [(round(x, 2), round(y, 2)) for x, y in size.corners(4)] == [
        (0.07, 0.73),
        (0.07, 0.07),
        (1.33, 0.07),
        (1.33, 0.73),
    ]
    assert size.corners(2) == (size.corners(4)[0], size.corners(4)[2])
    with pytest.raises(NotAGeometry, match="4 corners, not 5"):
        size.corners(5)


def test_around_a_round_table_all_sit_as_far_from_the_middle_clockwise() -> None:
    size, middle = TableSize(1.2, 1.2, is_round=True), Spot(0.6, 0.6)

    seats = size.seats(4)

    assert {round(seat.distance_m(middle), 3) for seat in seats} == {0.47}
    assert [(seat.x < 0.6, seat.y > 0.6) for seat in seats] == [
        (True, True),
        (True, False),
        (False, False),
        (False, True),
    ]
    assert not size.holds(Spot(0.05, 0.05))


def test_what_lies_beside_the_table_is_refused() -> None:
    with pytest.raises(NotAGeometry, match=r"1\.5x0\.1 is beside the table"):
        table_geometry(TableSize(1.4, 0.8), TableSize(1.4, 0.8).seats(4), read_spots("1.5x0.1"))
    with pytest.raises(NotAGeometry, match="two discs or more"):
        table_geometry(TableSize(1.4, 0.8), TableSize(1.4, 0.8).seats(4), read_spots("1x0.1"))


def test_two_discs_are_never_sure_enough_to_name_a_seat() -> None:
    """On virtual tables four knocks in ten were another seat's, however sure that seemed."""
    told = [finder.likeliest(window) for finder, window, _ in all_knocks(4, 2)]

    assert max(sure for _, sure in told) < SURE


def test_planks_are_farther_across_the_grain_for_a_wave() -> None:
    told = ToldWood(TableSize(1.4, 0.8), planks=True, discs="corners")
    plate = ToldWood(TableSize(1.4, 0.8), discs="corners")

    geometry, same = (one.geometry(4, (None,) * 4) for one in (told, plate))

    assert geometry.distance_m(Spot(0, 0), Spot(0.5, 0)) == pytest.approx(0.5)
    assert geometry.distance_m(Spot(0, 0), Spot(0, 0.5)) == pytest.approx(0.8)
    assert same.distance_m(Spot(0, 0), Spot(0, 0.5)) == pytest.approx(0.5)


@pytest.mark.parametrize("kind", ["round", "planks", "cloth", "glass", "uneven"])
def test_four_corners_tell_four_seats_of_tables_of_other_kinds(kind: str) -> None:
    right = wrong = asked = 0
    for seed in SEEDS:
        top = MeasuredTable.of_seed(seed, 4, 4, kind=KINDS[kind])
        across = 1.6 if kind == "planks" else 1.0
        finder = SeatFinder((), None, TableGeometry(top.seats, top.sensors, across))
        for window, seat in knocks(top, 2):
            said, _ = finder.seat_of(window)
            right, wrong, asked = (
                right + (said == seat),
                wrong + (said not in (None, seat)),
                asked + 1,
            )

    assert (right >= 0.9 * asked, wrong <= 1) == (True, True), (right, wrong, asked)


def test_two_discs_and_a_size_leave_it_to_what_was_taught() -> None:
    """Of two discs a size alone tells too little to make anybody less sure, or surer."""
    top = table(SEEDS[0], 4, 2)
    places = learned_from(knocks(top, 5))
    window = knock(top, 1, 30)

    taught = SeatFinder((), places).likeliest(window)
    both = SeatFinder((), places, geometry(top)).likeliest(window)

    assert both[0] == taught[0] == Seat(1)
    assert both[1] == pytest.approx(taught[1])


@pytest.mark.parametrize(
    ("told", "seats", "discs"),
    [
        (ToldWood(TableSize(1.4, 0.8)), 4, 4),
        (ToldWood(TableSize(1.4, 0.8), seats=3, discs="corners"), 3, 4),
        (ToldWood(TableSize(1.1, 1.1, is_round=True), seats=4, discs="seats"), 4, 4),
    ],
)
def test_what_is_told_places_seats_and_discs(told: ToldWood, seats: int, discs: int) -> None:
    found = told.geometry(4, (None,) * 4)

    assert (len(found.seats), len(found.discs)) == (seats, discs)


def test_a_disc_stays_before_its_seat_however_few_sit_there() -> None:
    size = TableSize(1.4, 0.8)

    found = ToldWood(size, seats=2).geometry(4, (0, 1, 2, 3))

    assert found.discs == size.seats(4, PAD_M)
    assert found.seats == size.seats(2)


def test_a_disc_that_is_glued_worse_seems_no_farther_away() -> None:
    """Where delays were counted by the loudest disc's peak, a knock at one lost a fifth of it."""
    for finder, window, seat in all_knocks(6, 4):
        softer = tuple(0.3 * one for one in window.channels[1])
        uneven = replace(window, channels=(window.channels[0], softer, *window.channels[2:]))

        before, after = (finder.likelihoods(one)[seat] for one in (window, uneven))

        assert after == pytest.approx(before, abs=0.01)
