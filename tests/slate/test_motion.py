from itertools import pairwise

import pytest

from kloplei.slate.drawing import FrameTime, Motion


def test_what_does_not_move_lasts_for_ever() -> None:
    assert Motion(FrameTime(now_s=5.0)).lasts_s is None


@pytest.mark.parametrize(
    ("at_s", "whose", "lasts_s"), [(0.0, 0, 3.0), (2.0, 0, 1.0), (3.5, 1, 1.5), (5.0, 0, 3.0)]
)
def test_faces_take_turns(at_s: float, whose: int, lasts_s: float) -> None:
    motion = Motion(FrameTime(now_s=at_s))

    assert motion.turn(3.0, 2.0) == whose
    assert motion.lasts_s == pytest.approx(lasts_s, abs=0.01)


def test_blinking_does_not_hurt() -> None:
    """Slower than twice a second, and more on than off."""
    changes = [Motion(FrameTime(now_s=n / 100)).blink() for n in range(600)]

    flashes = sum(now and not before for before, now in pairwise(changes))
    assert flashes / 6.0 < 2.0
    assert sum(changes) > len(changes) / 2


@pytest.mark.parametrize(
    ("at_s", "left"), [(0.0, 30), (0.05, 30), (1.5, 15), (2.95, 1), (3.0, 0), (9.0, 0)]
)
def test_a_bar_runs_down(at_s: float, left: int) -> None:
    motion = Motion(FrameTime(now_s=at_s))

    assert motion.left(3.0, 3.0, 30) == left


def test_a_bar_at_its_end_moves_no_more() -> None:
    motion = Motion(FrameTime(now_s=3.0))
    motion.left(3.0, 3.0, 30)

    assert motion.lasts_s is None


def test_a_play_runs_once() -> None:
    frames = [Motion(FrameTime(now_s=10.0 + n, news_s=10.0)).frame(1.0, 3) for n in range(5)]

    assert frames == [0, 1, 2, None, None]


def test_a_clock_that_steps_back_shows_the_beginning() -> None:
    motion = Motion(FrameTime(now_s=1.0, board_s=5.0, news_s=5.0))

    assert motion.frame(1.0, 3) == 0
    assert motion.turn(1.0, 1.0) == 0
