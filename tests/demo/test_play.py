"""A recording takes the whole road: file, pad, table, slate, and a word about it."""

import queue
from pathlib import Path

from kloplei.demo.table import Demo, demo_config
from kloplei.demo.wood import read_recording
from kloplei.games.game import Seat
from kloplei.table.gestures import Timings
from tests.demo.test_recording import write

REAL = Path(__file__).parent.parent / "recordings/real"
PATIENCE_S = 30.0
ENGLISH = demo_config("en")
# A busy machine may be late with the second blow, and with looking at what comes of it.
UNHURRIED = Timings(gap_s=2.0, grace_s=60.0)


def test_two_blows_on_a_dealt_hand_are_told_and_ask_for_the_last_trick(tmp_path: Path) -> None:
    recording = read_recording(write(tmp_path / "wood.wav", width=2, channels=1))
    said: queue.Queue[str] = queue.Queue()

    with Demo(tmp_path, ENGLISH, timings=UNHURRIED) as demo:
        demo.play(3, recording, say=said.put)
        lines = [said.get(timeout=PATIENCE_S) for _ in range(2)]
        board = demo.client.scoreboard()

    assert lines[0] == "wood.wav at seat 3 (Thomas): 2 knocks, at 0.20, 0.50 s."
    assert lines[1].startswith("2 knocks: ")
    assert board.grace is not None
    assert (board.grace.seat.shown, board.grace.action) == (3, "trick")


def test_cards_chips_and_dice_are_announced_as_no_knock(tmp_path: Path) -> None:
    names = [f"casino_{thing}.wav" for thing in ("cardPlace1", "chipLay3", "dieThrow1")]
    said: queue.Queue[str] = queue.Queue()

    with Demo(tmp_path, ENGLISH) as demo:
        for name in names:
            demo.play(3, read_recording(REAL / name), say=said.put)
        lines = [said.get(timeout=PATIENCE_S) for _ in names]

    assert lines == [f"{name} at seat 3 (Thomas): no knock in it." for name in names]


def test_at_a_place_where_nobody_sits_the_reason_is_told(tmp_path: Path) -> None:
    recording = read_recording(write(tmp_path / "wood.wav", width=2, channels=1))
    said: queue.Queue[str] = queue.Queue()

    with Demo(tmp_path, ENGLISH, timings=UNHURRIED) as demo:
        demo.play(6, recording, say=said.put)
        lines = [said.get(timeout=PATIENCE_S) for _ in range(2)]

    assert "seat 6 (free)" in lines[0]
    assert lines[1] == "2 knocks: nothing came of it."


def test_where_cards_are_slammed_the_demo_says_that_knocks_are_let_pass(tmp_path: Path) -> None:
    recording = read_recording(write(tmp_path / "wood.wav", width=2, channels=1))
    said: queue.Queue[str] = queue.Queue()

    with Demo(tmp_path, ENGLISH, timings=UNHURRIED) as demo:
        demo.client.submit(None, "options", facts={"game": "tarok"})
        demo.client.submit(Seat(3), "start")
        demo.client.submit(None, "deal")
        demo.play(3, recording, say=said.put)
        lines = [said.get(timeout=PATIENCE_S) for _ in range(2)]
        number = demo.strike("knuckle", demo.places[2])
        (landed,) = demo.heard()

    assert lines[0].startswith("wood.wav at seat 3")
    assert "lets every blow on its wood pass" in lines[1]
    assert (landed.number, landed.is_heeded) == (number, False)
