"""What is seen in a recording by loudness alone."""

from collections.abc import Sequence
from math import exp, pi, sin
from pathlib import Path
from random import Random

import pytest

from kloplei.knock.signal import Block
from kloplei.recordings.capture._labels import blows_in
from kloplei.recordings.capture.writer import Take

RATE_HZ = 4000.0


def recorded(
    tmp_path: Path,
    knocks: Sequence[tuple[float, float]],
    *,
    lasting_s: float = 4.0,
    hum: float = 0.0,
    rate_hz: float = RATE_HZ,
) -> Path:
    """Return a recording of two channels with *knocks*, each a time and a loudness, in noise."""
    luck = Random(3)
    count = round(lasting_s * rate_hz)
    first = [luck.gauss(0, 0.002) + hum * sin(2 * pi * 50 * at / rate_hz) for at in range(count)]
    second = [luck.gauss(0, 0.002) for _ in range(count)]
    for at_s, loud in knocks:
        for at in range(round(0.2 * rate_hz)):
            since_s = at / rate_hz
            place = round(at_s * rate_hz) + at
            if place < count:
                first[place] += loud * exp(-since_s / 0.02) * sin(2 * pi * 400 * since_s)
                second[place] += 0.3 * loud * exp(-since_s / 0.02) * sin(2 * pi * 300 * since_s)
    path = tmp_path / "a.wav"
    with Take(path, 2, rate_hz) as take:
        take.write(Block(0.0, rate_hz, (first, second)))
        take.finish()
    return path


def test_each_blow_is_found_where_it_begins(tmp_path: Path) -> None:
    found = blows_in(recorded(tmp_path, [(1.0, 0.5), (1.6, 0.05), (3.0, 0.9)]))

    assert [one.at_s for one in found] == pytest.approx([1.0, 1.6, 3.0], abs=0.002)


def test_how_loud_it_was_is_told(tmp_path: Path) -> None:
    found = blows_in(recorded(tmp_path, [(1.0, 0.5), (2.0, 0.1)]))

    assert [one.strength for one in found] == pytest.approx([0.48, 0.1], abs=0.03)


def test_silence_holds_nothing(tmp_path: Path) -> None:
    assert blows_in(recorded(tmp_path, [])) == ()


def test_three_knocks_of_one_hand_are_three_and_their_ringing_is_none(tmp_path: Path) -> None:
    found = blows_in(recorded(tmp_path, [(1.0, 0.8), (1.16, 0.6), (1.34, 0.7)]))

    assert [one.at_s for one in found] == pytest.approx([1.0, 1.16, 1.34], abs=0.002)


def test_a_soft_knock_is_seen_through_the_hum_of_the_mains(tmp_path: Path) -> None:
    found = blows_in(recorded(tmp_path, [(2.0, 0.08)], hum=0.05))

    assert [one.at_s for one in found] == pytest.approx([2.0], abs=0.003)


def test_a_blow_below_the_noise_is_not_seen(tmp_path: Path) -> None:
    assert blows_in(recorded(tmp_path, [(2.0, 0.002)])) == ()


@pytest.mark.parametrize("rate_hz", [2000.0, 7813.0])
def test_any_rate_will_do(tmp_path: Path, rate_hz: float) -> None:
    found = blows_in(recorded(tmp_path, [(1.0, 0.3), (2.5, 0.3)], rate_hz=rate_hz))

    assert [one.at_s for one in found] == pytest.approx([1.0, 2.5], abs=0.002)


def test_the_last_bit_of_a_very_silent_converter_is_no_blow(tmp_path: Path) -> None:
    still = [0.0] * 8000
    still[1000::1500] = [1 / 512] * len(still[1000::1500])
    path = tmp_path / "a.wav"
    with Take(path, 1, RATE_HZ) as take:
        take.write(Block(0.0, RATE_HZ, (still,)))
        take.finish()

    assert blows_in(path) == ()


def test_a_take_without_a_sample_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    with Take(path, 2, RATE_HZ) as take:
        take.finish()

    assert blows_in(path) == ()
