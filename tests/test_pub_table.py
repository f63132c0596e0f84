"""What goes on at a pub table, from the pins to the slate and the phones, on a clock passed in."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from kloplei.config.settings import Config, PinsConfig, SeatPins
from kloplei.demo.table import Demo
from kloplei.devices.schedule import ManualSchedule
from kloplei.devices.virtual import VirtualBox
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.slate.drawing import FrameTime, Motion
from kloplei.slate.picture import DisplaySettings, Face, choose
from kloplei.table.client import TableClient
from kloplei.table.gestures import Timings
from kloplei.table.messages import PartFailed, Trouble
from kloplei.unit import TableUnit
from kloplei.voice.recorded import HushSwitch
from kloplei.words import Words
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel import PanelSettings, create_app
from tests.until import until

NAMES = ("Thijs", "Tame", "Thomas", "Stan")
PADS = Config()
ONE_FOR_ALL = Config(seats=(SeatPins(),) * 8, pins=PinsConfig(shared_pad=17))
A_STEP_S = 0.01


def wait(clock: ManualSchedule, table: TableClient, seconds: float) -> None:
    """Let time pass at *table* by *clock*, and let it do what falls due."""
    for _ in range(round(seconds / A_STEP_S)):
        clock.advance(A_STEP_S)
    # The table looks at its clock before it answers, and refuses a question so old.
    with pytest.raises(IllegalAction):
        table.submit(None, "undo", seen=-1)


class PubTable:
    """A whole table unit on virtual pins with its panel; a hand is dealt. Seats count from 1."""

    def __init__(self, config: Config, data: Path, opening: ExitStack) -> None:
        # Nobody here is new to it: what is shown is what was knocked.
        config = replace(config, table=replace(config.table, guide=False))
        self.clock = ManualSchedule()
        self.box = VirtualBox(config, self.clock)
        opening.callback(self.box.close)
        unit = TableUnit(
            config,
            data,
            timings=Timings(),
            open_slate=self.box.oled.open,
            pin_factory=self.box.pin_factory,
            schedule=self.clock,
        )
        self.session = opening.enter_context(unit).session
        self.config = config
        self._app = create_app(self.session, settings=PanelSettings())
        for seat, name in enumerate(NAMES):
            self.session.submit(Seat(seat), "sit_down", facts={"name": name})
        self.session.submit(Seat(0), "start")
        self.session.submit(Seat(0), "deal")

    @property
    def board(self) -> Scoreboard:
        return self.session.scoreboard()

    @property
    def stayed(self) -> list[int]:
        """Seats that have nothing left to answer."""
        return [row.seat.shown for row in self.board.rows if row.seat not in self.board.to_answer]

    def wait(self, seconds: float) -> None:
        wait(self.clock, self.session, seconds)

    def knock(self, seat: int, times: int = 1) -> None:
        """Move the pin that hears *seat*, and let nothing more come."""
        self.box.knock(Seat(seat - 1), times)
        self.wait(0.25 * times + 1.0)

    def hold_pad(self, seat: int, *, down: bool) -> None:
        """Hold the wire of a pad down, as a jammed or shorted one does."""
        pin = self.box.pin_factory.pin(self.config.pads[seat - 1].pin)
        pin.drive_low() if down else pin.drive_high()

    def page(self, place: int | str, language: str = "en") -> str:
        """Return what the phone at *place* shows."""
        client: FlaskClient = self._app.test_client()
        return unescape(client.get(f"/?seat={place}&lang={language}").text)

    def notices(self, language: str = "nl") -> list[str]:
        """Return what the slate says is wrong, when the notices have their turn."""
        return [Words(language).say(one.key, one.facts) for one in self.board.notices]


@pytest.fixture
def config() -> Config:
    return PADS


@pytest.fixture
def table(config: Config, tmp_path: Path) -> Iterator[PubTable]:
    with ExitStack() as opening:
        yield PubTable(config, tmp_path, opening)


one_for_all = pytest.mark.parametrize("config", [ONE_FOR_ALL], ids=["one-for-all"])


@pytest.mark.parametrize("apart_s", [0.022, 0.025, 0.029])
@pytest.mark.parametrize(("first", "second"), [(1, 4), (4, 1)])
def test_of_two_who_knock_at_once_the_first_counts_and_the_second_is_asked_about(
    table: PubTable, first: int, second: int, apart_s: float
) -> None:
    table.session.submit(Seat(2), "knock")

    table.box.knock(Seat(first - 1))
    table.clock.advance(apart_s)
    table.box.knock(Seat(second - 1))
    table.wait(1.0)

    assert table.stayed == sorted([3, first])
    assert table.board.doubt is not None
    assert table.board.doubt.seat == Seat(second - 1)
    assert choose(table.board, DisplaySettings(), Motion(FrameTime())) is Face.TABLE
    for place in (1, 2, 0, "keeper"):
        assert f"Did I hear {NAMES[second - 1]} right, “Stay”?" in table.page(place)


def test_the_second_counts_as_well_once_somebody_knocks(table: PubTable) -> None:
    table.session.submit(Seat(2), "knock")
    table.box.knock(Seat(0))
    table.clock.advance(0.025)
    table.box.knock(Seat(3))
    table.wait(1.0)

    table.knock(3)

    assert table.stayed == [1, 3, 4]
    assert table.board.doubt is None


def shows(table: PubTable, key: str) -> bool:
    return table.board.shown is not None and table.board.shown.key == key


def test_eight_knocks_hush_the_caller_and_eight_more_let_it_speak(
    table: PubTable, tmp_path: Path
) -> None:
    hushed, before = HushSwitch(tmp_path), table.board.seq

    for is_quiet, line in ((True, "show.hushed"), (False, "show.speaks")):
        table.knock(2, 8)
        until(partial(shows, table, line))
        assert hushed.is_quiet() is is_quiet
    assert table.board.seq == before


@pytest.mark.parametrize(("second", "apart_s"), [(2, 0.02), (4, 0.05)])
def test_piezos_hear_the_second_hand_as_well(second: int, apart_s: float) -> None:
    """Within a tenth of a second of a knock they heard nobody else at all."""
    clock = ManualSchedule()
    with Demo(timings=Timings(), schedule=clock) as demo:
        for seat, action in ((4, "deal"), (3, "knock")):
            demo.client.submit(Seat(seat - 1), action)
        demo.strike("knuckle", demo.places[0])
        clock.advance(apart_s)
        demo.strike("knuckle", demo.places[second - 1])
        wait(clock, demo.client, 1.2)
        board = demo.client.scoreboard()

    assert Seat(0) not in board.to_answer
    assert Seat(second - 1) in board.to_answer
    assert board.doubt is not None
    assert (board.doubt.seat, board.doubt.action) == (Seat(second - 1), "stay")


@one_for_all
def test_one_pad_for_all_asks_who_it_was_and_the_seats_number_answers(table: PubTable) -> None:
    table.knock(4)
    asked, pages = table.board, [table.page(place) for place in (1, 4, 7, 0)]

    table.knock(4, times=2)

    assert asked.stake == 1
    assert choose(asked, DisplaySettings(), Motion(FrameTime())) is Face.QUESTION
    assert all("who was it? Knock as often as your seat's number." in page for page in pages)
    assert ["It was me" in page for page in pages] == [True, True, False, False]
    assert table.board.stake == 2
    assert table.session.log(1)[0].seat == Seat(1)


@one_for_all
def test_one_pad_for_all_may_be_answered_from_a_phone(table: PubTable) -> None:
    table.knock(1)

    table.session.submit(Seat(2), "it_was_me")

    assert table.session.log(1)[0].seat == Seat(2)
    assert "It was me" not in table.page(4)


@one_for_all
def test_a_knock_that_nobody_owns_to_does_nothing(table: PubTable) -> None:
    before = table.board
    table.knock(1)

    table.wait(Timings().ask_s + A_STEP_S)

    assert table.board == before


def test_a_pad_that_is_held_down_is_named_everywhere_and_the_others_play_on(
    table: PubTable,
) -> None:
    table.hold_pad(2, down=True)
    table.wait(6.0)
    named, page = table.notices(), table.page(0)
    table.knock(3)

    assert named == ["Staat stil: het klopplaatje van plek 2. Kijk stekker en draad na."]
    assert "Stuck: the knock pad of seat 2. Check its plug and wire." in page
    assert table.board.stake == 2
    assert table.session.log(1)[0].seat == Seat(2)


def test_a_pad_that_lets_go_is_named_no_longer_and_is_heard_again(table: PubTable) -> None:
    table.hold_pad(2, down=True)
    table.wait(6.0)

    table.hold_pad(2, down=False)
    table.wait(3.0)
    table.knock(2)

    assert table.notices() == []
    assert table.session.log(1)[0].seat == Seat(1)


@pytest.mark.parametrize(
    "trouble", [Trouble.PART, Trouble.STORM, Trouble.STUCK, Trouble.HUM, Trouble.OPEN]
)
def test_a_sensor_that_is_no_good_is_named_in_every_language(
    table: PubTable, trouble: Trouble
) -> None:
    table.session.put(PartFailed("piezo 4", "Check its wire.", trouble))
    table.wait(0.0)

    for language in LANGUAGES:
        (said,) = table.notices(language)
        assert "4" in said
        assert "notice." not in said
        assert said in table.page(1, language)
