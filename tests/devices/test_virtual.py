import errno
import threading
from collections.abc import Iterator

import pytest
from PIL import Image

from kloplei.config.settings import BuzzerConfig, Config, LampConfig, PinsConfig, SeatPins
from kloplei.devices.box import Box
from kloplei.devices.glass import SlateMissing
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.signals import Buzzer, Lamp
from kloplei.devices.virtual import NotFitted, VirtualBox
from kloplei.games.game import Seat
from kloplei.knock.edges import Edge
from kloplei.table.messages import ButtonPressed, ButtonReleased
from tests.devices.conftest import ListInbox

CONFIG = Config(lamp=LampConfig(enabled=True, brightness=1), buzzer=BuzzerConfig(enabled=True))


@pytest.fixture
def box(schedule: ManualSchedule) -> VirtualBox:
    return VirtualBox(CONFIG, schedule)


@pytest.fixture
def listening(box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule) -> Iterator[None]:
    inputs = Box(CONFIG, inbox, pin_factory=box.pin_factory, schedule=schedule)
    yield
    inputs.close()


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("seat", [Seat(0), Seat(4), Seat(7)])
def test_knocking_moves_the_pin_of_the_seat_and_is_heard_with_its_gaps(
    box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule, seat: Seat
) -> None:
    box.knock(seat, 3, gap_s=0.2)
    schedule.advance(1.0)

    assert [knock.seat for knock in inbox.knocks] == [seat] * 3
    assert [knock.at_s for knock in inbox.knocks] == pytest.approx([1000, 1000.2, 1000.4])


@pytest.mark.usefixtures("listening")
def test_two_people_who_knock_on_one_pad_at_once_lose_no_knock(
    box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    box.knock(Seat(1), 2)
    box.knock(Seat(1), 1)
    schedule.advance(2.0)

    assert len(inbox.knocks) == 3


@pytest.mark.usefixtures("listening")
def test_pressing_and_releasing_move_the_button(
    box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    box.press(Seat(2))
    schedule.advance(0.3)
    box.release(Seat(2))
    schedule.advance(0.1)

    assert inbox.messages == [ButtonPressed(Seat(2), 1000.0), ButtonReleased(Seat(2), 1000.3)]


@pytest.mark.usefixtures("listening")
def test_a_hold_lets_go_by_itself(
    box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    box.hold(Seat(2), for_s=3.5)
    schedule.advance(5.0)

    pressed, released = inbox.touches
    assert released.at_s - pressed.at_s == pytest.approx(3.5)


@pytest.mark.usefixtures("listening")
def test_a_recordings_edges_can_be_played_into_a_pad(
    box: VirtualBox, inbox: ListInbox, schedule: ManualSchedule
) -> None:
    edges = [Edge(0.1, True), Edge(0.103, False), Edge(0.4, True), Edge(0.402, False)]

    box.play(Seat(3), edges)
    schedule.advance(1.0)

    assert [knock.at_s for knock in inbox.knocks] == pytest.approx([1000.1, 1000.4])


def test_a_table_with_one_pad_is_knocked_on_there_whoever_knocks(
    inbox: ListInbox, schedule: ManualSchedule
) -> None:
    config = Config(seats=(SeatPins(),) * 8, pins=PinsConfig(shared_pad=17))
    box = VirtualBox(config, schedule)
    inputs = Box(config, inbox, pin_factory=box.pin_factory, schedule=schedule)

    box.knock(Seat(6))
    schedule.advance(1.0)

    assert [knock.seat for knock in inbox.knocks] == [None]
    inputs.close()


def test_what_is_not_fitted_cannot_be_touched(schedule: ManualSchedule) -> None:
    box = VirtualBox(Config(seats=(SeatPins(),) * 8), schedule)

    with pytest.raises(NotFitted, match="seat 3 has no pad"):
        box.knock(Seat(2))
    with pytest.raises(NotFitted, match="seat 9 has no button"):
        box.press(Seat(8))


def test_lamp_and_buzzer_can_be_seen_and_heard(box: VirtualBox, schedule: ManualSchedule) -> None:
    lamp = Lamp(CONFIG.lamp, schedule, box.pin_factory)
    buzzer = Buzzer(CONFIG.buzzer, schedule, box.pin_factory)
    assert (box.lamp_rgb, box.buzzer_hz) == ((0, 0, 0), None)

    lamp.glow((1, 0.5, 0))
    buzzer.play((("A5", 1.0),))
    schedule.advance(0.5)

    assert box.lamp_rgb == (255, 128, 0)
    assert box.buzzer_hz == pytest.approx(880)
    lamp.close()
    buzzer.close()
    assert (box.lamp_rgb, box.buzzer_hz) == ((0, 0, 0), None)


def test_a_lamp_wired_the_other_way_round_looks_the_same(schedule: ManualSchedule) -> None:
    config = Config(lamp=LampConfig(enabled=True, common="anode", brightness=1))
    box = VirtualBox(config, schedule)
    lamp = Lamp(config.lamp, schedule, box.pin_factory)

    lamp.glow((1, 0, 0.2))

    assert box.lamp_rgb == (255, 0, 51)
    lamp.close()


def test_the_pins_do_not_remember_a_whole_evening(
    box: VirtualBox, schedule: ManualSchedule
) -> None:
    for _ in range(50):
        box.knock(Seat(0))
        schedule.advance(0.5)

    assert len(box.pin_factory.pin(17).states) == 1


def test_on_the_real_clock_the_box_keeps_the_gaps_itself(inbox: ListInbox) -> None:
    box = VirtualBox(CONFIG)
    done = threading.Event()
    inputs = Box(CONFIG, inbox, pin_factory=box.pin_factory, schedule=box.schedule)

    box.knock(Seat(0), 2, gap_s=0.1)
    box.schedule.at(box.schedule.now_s() + 0.25, done.set)

    assert done.wait(60)
    first, second = inbox.knocks
    assert second.at_s - first.at_s == pytest.approx(0.1, abs=0.02)
    inputs.close()
    box.close()


class TestVirtualOled:
    def test_it_keeps_the_last_frame_as_bits(self, box: VirtualBox) -> None:
        image = Image.new("1", (128, 64))
        image.putpixel((0, 0), 1)
        image.putpixel((9, 1), 1)

        device = box.oled.open()
        device.display(image)

        frame = box.oled.frame
        assert frame is not None
        assert (frame.width, frame.height, len(frame.bits)) == (128, 64, 1024)
        assert (frame.bits[0], frame.bits[16 + 1]) == (0b1000_0000, 0b0100_0000)
        assert box.oled.first_frame.is_set()

    def test_before_the_first_picture_there_is_no_frame(self, box: VirtualBox) -> None:
        assert box.oled.frame is None
        assert not box.oled.first_frame.is_set()

    def test_unplugged_it_fails_as_a_real_one_does(self, box: VirtualBox) -> None:
        device = box.oled.open()
        device.display(Image.new("1", (128, 64)))
        box.oled.unplug()

        with pytest.raises(OSError, match="Remote I/O") as failed:
            device.display(Image.new("1", (128, 64)))

        assert failed.value.errno == errno.EREMOTEIO == 121
        with pytest.raises(SlateMissing):
            box.oled.open()

    def test_plugged_in_again_it_is_dark_until_something_is_shown(self, box: VirtualBox) -> None:
        box.oled.open().display(Image.new("1", (128, 64)))
        box.oled.unplug()
        box.oled.plug()
        dark = box.oled.frame

        box.oled.open().display(Image.new("1", (128, 64), 1))

        assert dark is None
        assert box.oled.frame is not None
        assert set(box.oled.frame.bits) == {0xFF}

    def test_asleep_it_is_dark_and_awake_it_shows_what_it_showed(self, box: VirtualBox) -> None:
        device = box.oled.open()
        device.display(Image.new("1", (128, 64), 1))

        device.hide()
        asleep = box.oled.frame
        device.show()

        assert asleep is None
        assert box.oled.frame is not None

    def test_it_dims(self, box: VirtualBox) -> None:
        box.oled.open().contrast(9)

        assert box.oled.contrast_level == 9
