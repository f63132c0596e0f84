"""A recording takes the whole road: file, pad, table, slate, and a word about it."""

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.demo.table import A_LOOK_S, Demo, demo_config
from kloplei.demo.wood import read_recording
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import IllegalAction, Seat
from tests.demo.test_recording import write

REAL = Path(__file__).parent.parent / "recordings/real"
PATIENCE_S = 60.0
ENGLISH = demo_config("en")


class Played:
    """A demo whose clock the test moves, and what it says of a recording at one of its seats."""

    def __init__(self, data: Path) -> None:
        self.clock = ManualSchedule()
        self.demo = Demo(data, ENGLISH, schedule=self.clock)
        self._said: queue.Queue[str] = queue.Queue()

    def play(self, seat: int, path: Path) -> list[str]:
        """Return what is said until the pattern of its knocks has ended."""
        recording = read_recording(path)
        self.demo.play(seat, recording, say=self._said.put)
        self.clock.advance(A_LOOK_S + recording.duration_s)
        self._let_it_see()
        self.clock.advance(1.0)
        self._let_it_see()
        return [self._said.get(timeout=PATIENCE_S) for _ in range(2)]

    def _let_it_see(self) -> None:
        # The table looks at its clock before it answers, and refuses a question so old.
        with pytest.raises(IllegalAction):
            self.demo.client.submit(None, "undo", seen=-1)


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    played = Played(tmp_path)
    with played.demo:
        yield played


@pytest.fixture
def wood(tmp_path: Path) -> Path:
    return write(tmp_path / "wood.wav", width=2, channels=1)


def test_two_blows_on_a_dealt_hand_are_told_and_ask_for_the_last_trick(
    played: Played, wood: Path
) -> None:
    lines = played.play(3, wood)
    board = played.demo.client.scoreboard()

    assert lines[0] == "wood.wav at seat 3 (Thomas): 2 knocks, at 0.20; 0.50 s."
    assert lines[1].startswith("2 knocks: ")
    assert board.grace is not None
    assert (board.grace.seat, board.grace.action) == (Seat(2), "trick")


def test_the_people_of_the_demo_play_the_game_that_is_asked_for(tmp_path: Path) -> None:
    """Toepen it was, and another game was five taps away."""
    config = demo_config("en", game="watten")
    with Demo(tmp_path, config, schedule=ManualSchedule()) as demo:
        first = demo.client.scoreboard()
        demo.choose_game("tarok")
        then = demo.client.scoreboard()
        demo.client.submit(None, "deal")
        with pytest.raises(IllegalAction):
            demo.choose_game("toepen")

    assert (first.game, first.phase, len(first.rows)) == ("watten", "between_deals", 4)
    assert (then.game, then.phase, len(then.rows)) == ("tarok", "between_hands", 4)


def test_cards_chips_and_dice_are_announced_as_no_knock(tmp_path: Path) -> None:
    names = [f"casino_{thing}.wav" for thing in ("cardPlace1", "chipLay3", "dieThrow1")]
    said: queue.Queue[str] = queue.Queue()

    with Demo(tmp_path, ENGLISH) as demo:
        for name in names:
            demo.play(3, read_recording(REAL / name), say=said.put)
        lines = [said.get(timeout=PATIENCE_S) for _ in names]

    assert lines == [f"{name} at seat 3 (Thomas): no knock in it." for name in names]


def test_at_a_place_where_nobody_sits_the_reason_is_told(played: Played, wood: Path) -> None:
    lines = played.play(6, wood)

    assert "seat 6 (free)" in lines[0]
    assert lines[1] == "2 knocks: nothing came of it."


def test_where_cards_are_slammed_the_demo_says_that_knocks_are_let_pass(
    played: Played, wood: Path
) -> None:
    demo = played.demo
    demo.client.submit(None, "options", facts={"game": "tarok"})
    demo.client.submit(Seat(3), "start")
    demo.client.submit(None, "deal")

    lines = played.play(3, wood)
    number = demo.strike("knuckle", demo.places[2])
    (landed,) = demo.heard()

    assert lines[0].startswith("wood.wav at seat 3")
    assert "lets every blow on its wood pass" in lines[1]
    assert (landed.number, landed.is_heeded) == (number, False)
