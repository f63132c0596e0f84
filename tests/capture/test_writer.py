"""A recording that is written as it comes."""

from pathlib import Path

import pytest

from kloplei.knock.signal import Block
from kloplei.recordings.capture.writer import UNFINISHED, Take, salvage, unfinished
from kloplei.recordings.wav import Unpacker, open_recording, read_head

RATE_HZ = 4000.0


def block(at_s: float, *channels: list[float], rate_hz: float = RATE_HZ) -> Block:
    return Block(at_s, rate_hz, channels or ([0.25] * 40, [-0.5] * 40))


def written(path: Path) -> tuple[list[float], ...]:
    """Return the samples in *path* as they lie there, without any bias taken off."""
    with path.open("rb") as file:
        layout = read_head(file)
        return tuple(map(list, Unpacker(layout).unpack(file.read())))


def test_every_code_of_the_converter_comes_back_as_it_was(tmp_path: Path) -> None:
    codes = [(code - 512) / 512 for code in range(1024)]
    path = tmp_path / "a.wav"

    with Take(path, 2, RATE_HZ) as take:
        take.write(block(1.0, codes, codes[::-1]))
        take.finish()

    assert written(path) == (codes, codes[::-1])


def test_what_is_beyond_full_scale_is_clipped_and_nothing_wraps_round(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"

    with Take(path, 1, RATE_HZ) as take:
        take.write(block(0.0, [1.0, -1.0, 1.5, -1.5]))
        take.finish()

    assert written(path)[0] == pytest.approx([1, -1, 1, -1], abs=1e-4)


def test_the_rate_in_the_file_is_the_one_that_was_measured(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"

    with Take(path, 2, 4000.0) as take:
        for at in range(100):
            take.write(block(at * 40 / 3917.4, rate_hz=3917.4))
        take.finish()

    with open_recording(str(path)) as recording:
        assert recording.rate_hz == 3917
        assert take.rate_hz == pytest.approx(3917.4)


def test_until_it_is_finished_it_has_another_name_and_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"

    with Take(path, 2, RATE_HZ) as take:
        take.write(block(0.0))
        take.sync()

        assert not path.exists()
        assert len(written(unfinished(path))[0]) == 40


def test_a_gap_leaves_no_sample_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"

    with Take(path, 2, RATE_HZ) as take:
        take.write(block(10.0))
        take.write(block(10.01))
        take.write(block(10.27))
        take.finish()

    (gap,) = take.gaps
    assert gap.at_s == pytest.approx(0.02)
    assert gap.missed_s == pytest.approx(0.25)
    assert len(written(path)[0]) == 120
    assert take.in_file_s(10.005) == pytest.approx(0.005)
    assert take.in_file_s(10.1) is None
    assert take.in_file_s(10.275) == pytest.approx(0.025)
    assert take.in_file_s(9.9) is None
    assert take.in_file_s(10.29) is None


def test_blocks_that_wander_by_a_sample_are_no_gap(tmp_path: Path) -> None:
    with Take(tmp_path / "a.wav", 2, RATE_HZ) as take:
        take.write(block(10.0))
        take.write(block(10.0103))
        take.write(block(10.0199))

    assert take.gaps == ()


@pytest.mark.parametrize("torn", [0, 1, 3])
def test_a_power_cut_leaves_all_whole_frames_that_reached_the_disk(
    tmp_path: Path, torn: int
) -> None:
    path = tmp_path / "a.wav"
    with Take(path, 2, RATE_HZ) as take:
        take.write(block(0.0))
        take.sync()
        raw = unfinished(path).read_bytes()
    unfinished(path).write_bytes(raw + b"\x7f" * torn)

    salvage(path, 2, RATE_HZ)

    assert [one.name for one in tmp_path.iterdir()] == ["a.wav"]
    assert [len(one) for one in written(path)] == [40, 40]


def test_a_link_that_somebody_planted_is_never_written_through(tmp_path: Path) -> None:
    """Root may record into the folder of somebody who would like another file written."""
    path, secret = tmp_path / "one.wav", tmp_path / "secret"
    secret.write_bytes(b"as it was")
    unfinished(path).symlink_to(secret)

    with pytest.raises(OSError, match="symbolic"):
        salvage(path, channels=1, rate_hz=RATE_HZ)
    with Take(path, 1, RATE_HZ) as take:
        take.write(block(0.0, [0.5]))
        take.finish()

    assert secret.read_bytes() == b"as it was"
    assert path.is_file()
    assert not path.is_symlink()


def test_what_is_dropped_leaves_nothing(tmp_path: Path) -> None:
    with Take(tmp_path / "a.wav", 2, RATE_HZ) as take:
        take.write(block(0.0))
        take.drop()

    assert list(tmp_path.iterdir()) == []


def test_nothing_of_a_long_recording_stays_in_memory(tmp_path: Path) -> None:
    import tracemalloc

    eight = block(0.0, *([0.1] * 64 for _ in range(8)))
    with Take(tmp_path / "a.wav", 8, RATE_HZ) as take:
        tracemalloc.start()
        for at in range(500):
            take.write(Block(at * 0.016, RATE_HZ, eight.channels))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert UNFINISHED in next(tmp_path.iterdir()).name
    assert most < 200_000  # bytes, of half a million that went by
