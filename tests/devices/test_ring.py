"""The ring of WS2812: what its chips would take of what is sent, and what it shows when."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from kloplei.config.settings import LED_IDLE_MA, LED_MA, Config, PinsConfig, RingConfig, TableConfig
from kloplei.devices.box import Box
from kloplei.devices.pins import SpiMissing
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.signals import (
    AMBER,
    BLINK_S,
    DARK,
    GREEN,
    RED,
    RING_HZ,
    SCENES,
    Colour,
    Ring,
    SignalPlayer,
    encode,
    within_budget,
)
from kloplei.devices.virtual import VirtualRing
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.moments import Moment, MomentKind, names_of
from kloplei.games.scoreboard import Doubt, Heard, Line, Row, Scoreboard
from kloplei.table.messages import PartFailed
from tests.config.reading import FILE, parsed, refusal_of
from tests.devices.conftest import ListInbox

CONFIG = Config(
    table=TableConfig(seats=4),
    ring=RingConfig(enabled=True, leds=16, brightness=1, most_ma=4000),
    pins=PinsConfig(factory="mock"),
)
BOARD = Scoreboard(
    game="toepen", phase="play", seats=4, rows=tuple(Row(Seat(at), tally=0) for at in range(4))
)
OF_SEAT = {0: {14, 15, 0, 1, 2}, 1: {3, 4, 5}, 2: {6, 7, 8, 9, 10}, 3: {11, 12, 13}}
BLACK = (0, 0, 0)


@pytest.fixture
def wire() -> VirtualRing:
    return VirtualRing()


@pytest.fixture
def ring(wire: VirtualRing, schedule: ManualSchedule) -> Iterator[Ring]:
    ring = Ring(CONFIG, schedule, wire)
    yield ring
    wire.is_dead = False
    ring.close()


def bytes_of(colour: Colour) -> tuple[int, ...]:
    return tuple(round(255 * part) for part in colour)


def lit(wire: VirtualRing, colour: Colour | None = None) -> set[int]:
    """Return which LEDs burn, in that *colour* if one is asked for."""
    burning = enumerate(wire.colours)
    return {led for led, one in burning if (one == bytes_of(colour) if colour else one != BLACK)}


def moment(kind: MomentKind, *seats: int, name: str = "") -> Moment:
    return Moment(kind, name or str(kind), 1, "toepen", seats=tuple(map(Seat, seats)))


def test_what_is_sent_is_read_back_by_the_chips_as_it_was_meant(wire: VirtualRing) -> None:
    wire.max_speed_hz = RING_HZ
    wire.writebytes2(encode([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.2, 0.4, 0.6)]))

    assert wire.colours == ((255, 0, 0), (0, 255, 0), (0, 0, 255), (51, 102, 153))


def test_every_level_of_every_colour_arrives(wire: VirtualRing) -> None:
    wire.max_speed_hz = RING_HZ
    for value in range(256):
        wire.writebytes2(encode([(value / 255, 1 - value / 255, value / 255)]))

        assert wire.colours == ((value, 255 - value, value),)


@pytest.mark.parametrize("hertz", [RING_HZ // 2, RING_HZ * 2])
def test_at_another_clock_the_chips_understand_nothing(wire: VirtualRing, hertz: int) -> None:
    """A core that slows down takes SPI along: docs/config.md says what holds it."""
    wire.max_speed_hz = hertz

    with pytest.raises(ValueError, match="no WS2812B knows"):
        wire.writebytes2(encode([(1, 0, 0)]))


def test_each_byte_ends_low_so_that_a_rest_of_the_clock_makes_no_high_longer() -> None:
    assert all(byte & 1 == 0 for byte in encode([(0.3, 0.5, 0.7)]))


def test_a_frame_begins_and_ends_with_the_pause_that_newer_chips_ask_for() -> None:
    sent = encode([(1, 1, 1)])

    pause = 280e-6 * RING_HZ / 8
    assert not any(sent[: int(pause)])
    assert not any(sent[-int(pause) :])


def test_a_new_ring_is_dark_and_a_closed_one_too(
    wire: VirtualRing, schedule: ManualSchedule
) -> None:
    ring = Ring(CONFIG, schedule, wire)
    begun = wire.colours
    ring.light(RED)
    ring.close()

    assert begun == wire.colours == (BLACK,) * 16
    assert not wire.is_open


@pytest.mark.parametrize("seat", range(4))
def test_a_knock_lights_the_seat_that_knocked(
    ring: Ring, wire: VirtualRing, schedule: ManualSchedule, seat: int
) -> None:
    ring.show(BOARD, (moment(MomentKind.KNOCK, seat),))
    at_once = lit(wire)
    schedule.advance(1.0)

    assert at_once == OF_SEAT[seat]
    assert not lit(wire)


def test_a_toep_spreads_from_who_called_until_all_burns(
    ring: Ring, wire: VirtualRing, schedule: ManualSchedule
) -> None:
    ring.show(BOARD, (moment(MomentKind.CALL, 1, name="toep"),))
    seen = [lit(wire)]
    for _ in range(12):
        schedule.advance(0.05)
        seen.append(lit(wire))

    assert 4 in seen[0]
    assert all(before <= after for before, after in pairwise(seen))
    assert seen[-1] == set(range(16))


def test_who_must_answer_blinks_slowly_until_they_have(
    ring: Ring, wire: VirtualRing, schedule: ManualSchedule
) -> None:
    ring.show(replace(BOARD, to_answer=(Seat(0), Seat(2))), ())
    seen = []
    for _ in range(4):
        seen.append(lit(wire, AMBER))
        schedule.advance(BLINK_S)
    ring.show(BOARD, ())
    schedule.advance(3.0)

    assert seen == [OF_SEAT[0] | OF_SEAT[2], set()] * 2
    assert not lit(wire)


def test_a_doubt_without_a_seat_asks_everybody(ring: Ring, wire: VirtualRing) -> None:
    doubt = Doubt(None, knocks=1, sure=0, until_s=5.0, total_s=5.0, number=1)

    ring.show(replace(BOARD, doubt=doubt), ())

    assert lit(wire, AMBER) == set(range(16))


def test_armoede_glows_at_its_seat_and_a_fault_in_one_led(ring: Ring, wire: VirtualRing) -> None:
    poor = replace(BOARD.rows[1], flags=("armoede",))
    rows = (BOARD.rows[0], poor, *BOARD.rows[2:])

    ring.show(replace(BOARD, rows=rows, notices=(Line("notice.disk-full"),)), ())

    assert lit(wire) == OF_SEAT[1] | {0}


def test_who_won_stays_lit_while_the_comet_goes_round(
    ring: Ring, wire: VirtualRing, schedule: ManualSchedule
) -> None:
    ring.show(BOARD, (moment(MomentKind.FANFARE, 3),))
    seen: set[int] = set()
    for _ in range(40):
        assert OF_SEAT[3] <= lit(wire)
        seen |= lit(wire)
        schedule.advance(0.05)
    schedule.advance(2.0)

    assert seen == set(range(16))
    assert not lit(wire)


def test_a_knock_does_not_end_the_fanfare_and_a_crown_does(
    ring: Ring, wire: VirtualRing, schedule: ManualSchedule
) -> None:
    ring.show(BOARD, (moment(MomentKind.FANFARE, 3),))
    schedule.advance(0.3)
    ring.show(BOARD, (moment(MomentKind.KNOCK, 1),))
    during = lit(wire)
    ring.show(BOARD, (moment(MomentKind.CROWN, 2),))

    assert OF_SEAT[3] <= during
    assert OF_SEAT[2] <= lit(wire)


def test_the_winner_of_a_hand_is_shown(ring: Ring, wire: VirtualRing) -> None:
    ring.show(BOARD, (moment(MomentKind.HAND, 2),))

    assert lit(wire, GREEN) == OF_SEAT[2]


def test_every_scene_is_of_a_moment_that_some_game_has() -> None:
    assert set(SCENES) <= {str(name) for game in GAMES for name in names_of(game)}


def test_a_ring_at_full_white_takes_no_more_than_it_may() -> None:
    white: list[Colour] = [(1, 1, 1)] * 60

    shown = within_budget(white, 400)
    taken_ma = LED_IDLE_MA * 60 + LED_MA * sum(map(sum, shown))

    assert taken_ma == pytest.approx(400)
    assert within_budget([(1, 0, 0), DARK], 400) == ((1, 0, 0), DARK)


def test_colours_keep_their_tint_where_all_is_darker() -> None:
    red, green, blue = within_budget([AMBER] * 60, 200)[0]

    assert green / red == pytest.approx(AMBER[1] / AMBER[0])
    assert blue == 0


def test_a_ring_that_dies_is_named_once_and_the_rest_goes_on(
    ring: Ring, wire: VirtualRing, schedule: ManualSchedule, inbox: ListInbox
) -> None:
    player = SignalPlayer(None, None, inbox, ring=ring)
    player.show(replace(BOARD, to_answer=(Seat(0),)))

    wire.is_dead = True
    schedule.advance(3.0)
    player.show(replace(BOARD, heard=Heard(Seat(0), knocks=1)))

    told = [one for one in inbox.messages if isinstance(one, PartFailed)]
    assert [one.part for one in told] == ["ring"]


def test_a_ring_whose_bus_fails_ends_like_any_other(
    wire: VirtualRing, schedule: ManualSchedule
) -> None:
    """What it raised went past the whole box, and the table unit sent people to their disk."""
    ring = Ring(CONFIG, schedule, wire)
    wire.is_dead = True

    ring.close()

    assert not wire.is_open


def test_a_player_shows_on_the_ring_what_happens_between_two_boards(
    ring: Ring, wire: VirtualRing, inbox: ListInbox
) -> None:
    player = SignalPlayer(None, None, inbox, ring=ring)

    player.show(BOARD)
    quiet = lit(wire)
    player.show(replace(BOARD, heard=Heard(Seat(1), knocks=1)))

    assert not quiet
    assert lit(wire) == OF_SEAT[1]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file"), "is not there. Switch SPI on"),
        (PermissionError(13, "Permission denied"), "Add the user of this program"),
        (ImportError("no spidev"), "Install python3-spidev"),
    ],
)
def test_without_spi_it_says_what_to_switch_on(
    schedule: ManualSchedule, error: Exception, said: str
) -> None:
    class NoWire(VirtualRing):
        def open(self, bus: int, select: int) -> None:
            raise error

    with pytest.raises(SpiMissing, match=said):
        Ring(CONFIG, schedule, NoWire())


def test_a_box_shows_its_ring_to_who_builds_it(inbox: ListInbox, schedule: ManualSchedule) -> None:
    box = Box(CONFIG, inbox, schedule=schedule)

    told = list(box.rehearse())
    box.close()

    assert [one for one in told if one.startswith("ring")] == [
        "ring: red",
        "ring: green",
        "ring: blue",
        "ring: dark",
    ]


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("[adc]\nenabled = true", "the converter, [adc] enabled"),
        (
            '[table]\nseats = 5\n[slate]\ninterface = "spi"\nchip_select = 1',
            'the slate, [slate] interface = "spi"',
        ),
    ],
)
def test_whoever_else_wants_its_bus_is_refused(written: str, other: str) -> None:
    assert refusal_of(f"{written}\n[ring]\nenabled = true") == (
        f"{FILE}: [ring] enabled needs SPI bus 0 for itself, where {other}, is as well; leave one "
        "of them out, or take the lamp in place of the ring (docs/config.md)"
    )


def test_beside_an_i2c_slate_it_takes_the_pins_of_the_bus_from_the_seats() -> None:
    config = parsed("[ring]\nenabled = true\n[lamp]\nenabled = true")

    taken = {pin for _, pins in config.wired for pin in (pins.button, pins.pad)}
    assert not taken & {7, 8, 9, 10, 11}
    assert "both claim GPIO 10" in refusal_of("[ring]\nenabled = true\n[seat.1]\npad = 10")
