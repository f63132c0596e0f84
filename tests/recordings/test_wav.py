"""Reading recordings: every kind of WAV file there is, and the broken ones."""

import io
import math
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.recordings.wav import BLOCK_S, Recording, UnreadableRecording, open_recording
from tests.recordings.wavs import FLOAT, PCM, chunk, fmt, packed, riff, wav

RATE_HZ = 8000
ROOT = Path(__file__).parents[2]


def tone(seconds: float, loudness: float = 0.5, rate_hz: int = RATE_HZ) -> list[float]:
    return [
        loudness * math.sin(at / rate_hz * 400 * math.tau) for at in range(round(seconds * rate_hz))
    ]


def read(file: bytes) -> Recording:
    return Recording("knocks.wav", io.BytesIO(file))


def samples(recording: Recording) -> list[list[float]]:
    channels: list[list[float]] = [[] for _ in range(recording.channels)]
    for block in recording.blocks():
        for whole, part in zip(channels, block.channels, strict=True):
            whole.extend(part)
    return channels


def refused(file: bytes) -> str:
    with pytest.raises(UnreadableRecording) as refusal:
        list(read(file).blocks())
    return str(refusal.value)


@pytest.mark.parametrize("extensible", [False, True])
@pytest.mark.parametrize(
    ("kind", "bits"), [(PCM, 8), (PCM, 16), (PCM, 24), (PCM, 32), (FLOAT, 32), (FLOAT, 64)]
)
def test_every_kind_of_sample_is_read_alike(kind: int, bits: int, extensible: bool) -> None:
    left, right = tone(0.25), tone(0.25, loudness=0.1)

    told = samples(read(wav(left, right, bits=bits, kind=kind, extensible=extensible)))

    step = 2.0**-7 if bits == 8 else 2.0**-15
    assert told[0] == pytest.approx(left, abs=2 * step)
    assert told[1] == pytest.approx(right, abs=2 * step)


def test_blocks_follow_each_other_without_a_gap_and_start_at_zero() -> None:
    blocks = list(read(wav(tone(0.95))).blocks())

    assert blocks[0].start_s == 0
    ends_s = [block.end_s for block in blocks[:-1]]
    assert [block.start_s for block in blocks[1:]] == pytest.approx(ends_s, abs=1e-9)
    assert blocks[-1].end_s == pytest.approx(0.95)
    assert max(len(block.channels[0]) for block in blocks) == BLOCK_S * RATE_HZ


@pytest.mark.parametrize("channels", [1, 2, 3, 16])
def test_each_channel_comes_out_by_itself(channels: int) -> None:
    loudness = [0.05 * (at + 1) for at in range(channels)]

    told = samples(read(wav(*(tone(0.2, one) for one in loudness))))

    assert [max(one) for one in told] == pytest.approx(loudness, rel=0.01)


@pytest.mark.parametrize(
    "before",
    [
        [chunk(b"LIST", b"INFOISFT\x05\x00\x00\x00tape\x00\x00")],
        [chunk(b"JUNK", bytes(28)), chunk(b"bext", bytes(603))],
        [chunk(b"odd ", b"abc"), chunk(b"fact", bytes(4))],
        [chunk(b"LIST", bytes(200_000))],
    ],
)
def test_what_others_put_before_the_samples_is_stepped_over(before: list[bytes]) -> None:
    whole = tone(0.1)

    assert samples(read(wav(whole, before=before)))[0] == pytest.approx(whole, abs=1e-4)


def test_what_lies_behind_the_samples_is_not_listened_to() -> None:
    whole = riff(
        fmt(PCM, 1, RATE_HZ, 16),
        chunk(b"data", b"".join(packed(one, 16) for one in tone(0.1))),
        chunk(b"LIST", b"\x7f" * 64),
    )

    assert len(samples(read(whole))[0]) == 800


@pytest.mark.parametrize("claimed", [0, 0xFFFFFFFF])
def test_a_stream_of_unknown_length_is_read_to_its_end(claimed: int) -> None:
    recording = read(wav(tone(0.3), size=claimed))

    assert recording.duration_s is None
    assert len(samples(recording)[0]) == 2400
    assert list(recording.complaints()) == []


def test_a_recorder_that_promised_days_ahead_is_not_called_cut_off() -> None:
    recording = read(wav(tone(0.3), size=0x7FFFFFFF - 36))

    assert len(samples(recording)[0]) == 2400
    assert list(recording.complaints()) == []


def test_the_real_length_of_a_recording_beyond_4_gib_stands_in_a_chunk_of_its_own() -> None:
    frames = b"".join(packed(one, 16) for one in tone(0.1))
    sizes = chunk(b"ds64", struct.pack("<QQQI", 0, len(frames), 800, 0))
    whole = riff(
        sizes,
        fmt(PCM, 1, RATE_HZ, 16),
        chunk(b"data", frames, size=0xFFFFFFFF),
        chunk(b"LIST", b"\x7f" * 64),
        magic=b"RF64",
        size=0xFFFFFFFF,
    )

    recording = read(whole)

    assert recording.duration_s == 0.1
    assert len(samples(recording)[0]) == 800


def test_a_recording_that_is_cut_off_is_read_as_far_as_it_goes_and_says_so() -> None:
    recording = read(wav(tone(1.0))[: 44 + 2 * 4000 + 1])

    assert len(samples(recording)[0]) == 4000
    assert list(recording.complaints()) == ["is cut off: of 1.000 s only 0.500 s are there"]


def test_a_file_on_disk_tells_before_it_is_read_how_much_is_there(tmp_path: Path) -> None:
    path = tmp_path / "cut.wav"
    path.write_bytes(wav(tone(1.0))[: 44 + 2 * 4000])

    with open_recording(str(path)) as recording:
        assert recording.duration_s == 0.5


def test_a_bias_is_taken_out_from_the_first_block_on() -> None:
    biased = [0.25 + one for one in tone(1.0, loudness=0.01)]

    (told,) = samples(read(wav(biased)))

    assert max(map(abs, told)) < 0.02


def test_a_knock_in_the_first_block_is_no_bias() -> None:
    knock = [0.9 if 100 <= at < 140 else 0.0 for at in range(4000)]

    (told,) = samples(read(wav(knock)))

    assert max(told[:800]) == pytest.approx(0.9, abs=0.001)
    assert max(map(abs, told[200:])) < 0.01


@pytest.mark.parametrize("strange", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("at", [0, 7])
def test_a_float_that_is_no_number_is_silence_and_it_is_said(strange: float, at: int) -> None:
    sound = tone(0.01)
    sound[at] = strange
    recording = read(wav(sound, bits=32, kind=FLOAT))

    (told,) = samples(recording)

    sound[at] = 0.0
    assert told == pytest.approx(sound, abs=1e-6)
    assert list(recording.complaints()) == [
        "holds samples that are no numbers; they were taken for silence"
    ]


def test_floats_beyond_full_scale_are_clipped_and_it_is_said() -> None:
    recording = read(wav([0.0, 0.5, 0.0, 1.5, 0.0, -3.0, 0.0], bits=32, kind=FLOAT))

    assert samples(recording) == [[0.0, 0.5, 0.0, 1.0, 0.0, -1.0, 0.0]]
    assert list(recording.complaints()) == [
        "goes beyond full scale; what was louder has been clipped"
    ]


def test_floats_that_nobody_scaled_are_refused() -> None:
    assert refused(wav([0.0, 20_000.0], bits=32, kind=FLOAT)) == (
        "knocks.wav: has float samples up to 2e+04, but 1 is full scale; divide them"
    )


def test_fewer_bits_in_wide_places_keep_their_loudness() -> None:
    """24 bits shifted up into 4 bytes, as many sound cards deliver them."""
    frames = b"".join(b"\x00" + packed(one, 24) for one in tone(0.1))
    whole = riff(fmt(PCM, 1, RATE_HZ, 24, frame_bytes=4, extensible=True), chunk(b"data", frames))

    assert samples(read(whole))[0] == pytest.approx(tone(0.1), abs=1e-5)


@pytest.mark.parametrize("lie", [0, 1, 3, 65535])
def test_a_block_size_that_lies_is_not_believed(lie: int) -> None:
    frames = b"".join(packed(one, 16) for one in tone(0.1) for _ in range(2))
    whole = riff(fmt(PCM, 2, RATE_HZ, 16, frame_bytes=lie), chunk(b"data", frames))

    assert samples(read(whole))[1] == pytest.approx(tone(0.1), abs=1e-4)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (b"", "is empty; record it anew"),
        (b"RIFF", "is no WAV file; turn it into one: ffmpeg -i RECORDING NEW.wav"),
        (b"ID3\x04" + bytes(64), "is an MP3, not a WAV file; turn it into one"),
        (b"OggS" + bytes(64), "is an Ogg file, not a WAV file; turn it into one"),
        (b"\x00\x00\x00\x20ftypM4A " + bytes(64), "is an MP4 file, not a WAV file; turn it into"),
        (b"<!doctype html><p>404", "is no WAV file; turn it into one"),
        (riff(), "ends before its first sample; record it anew"),
        (riff(fmt(PCM, 1, RATE_HZ, 16)), "ends before its first sample; record it anew"),
        (riff(chunk(b"data", bytes(8))), "its samples come before it says what they are"),
        (riff(chunk(b"fmt ", bytes(4)), chunk(b"data", bytes(8))), "does not say how its samples"),
        (riff(fmt(7, 1, RATE_HZ, 8), chunk(b"data", bytes(8))), "is compressed (mu-law); save it"),
        (riff(fmt(99, 1, RATE_HZ, 8), chunk(b"data", bytes(8))), "is compressed (unknown, format"),
        (riff(fmt(PCM, 1, RATE_HZ, 64), chunk(b"data", bytes(8))), "has 64 bit samples; 8, 16, 24"),
        (
            riff(fmt(FLOAT, 1, RATE_HZ, 16), chunk(b"data", bytes(8))),
            "has 16 bit float samples; 32",
        ),
        (riff(fmt(PCM, 0, RATE_HZ, 16), chunk(b"data", bytes(8))), "claims 0 channels; Kloplei"),
        (riff(fmt(PCM, 65535, RATE_HZ, 16), chunk(b"data", bytes(8))), "claims 65535 channels"),
        (riff(fmt(PCM, 1, 0, 16), chunk(b"data", bytes(8))), "claims 0 samples a second; Kloplei"),
        (riff(fmt(PCM, 1, 4_000_000_000, 16), chunk(b"data", bytes(8))), "claims 4000000000 samp"),
        (wav([]), "holds no sound; record it anew"),
    ],
)
def test_what_cannot_be_listened_to_is_refused_in_one_sentence(file: bytes, why: str) -> None:
    said = refused(file)

    assert said.startswith(f"knocks.wav: {why}")
    assert "\n" not in said


def test_a_folder_and_a_file_that_is_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRecording, match="is a folder; name the recordings in it"):
        open_recording(str(tmp_path)).__enter__()
    with pytest.raises(UnreadableRecording, match=r"gone\.wav: cannot be read \(No such file"):
        open_recording(str(tmp_path / "gone.wav")).__enter__()


class Slow(io.RawIOBase):
    """A pipe: it cannot seek, and gives its bytes once."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._left = self._left or next(self._pieces, b"")
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        return count


def piped(pieces: Iterator[bytes]) -> Recording:
    return Recording("standard input", io.BufferedReader(Slow(pieces)))


def test_a_pipe_that_drips_is_read_like_a_file() -> None:
    whole = wav(tone(0.3), before=[chunk(b"odd ", b"abc")])

    told = samples(piped(whole[at : at + 7] for at in range(0, len(whole), 7)))

    assert told == samples(read(whole))


@pytest.mark.parametrize("rate_hz", [96_000, 176_400, 192_000])
def test_faster_recordings_are_thinned_without_moving_or_folding_anything(rate_hz: int) -> None:
    low = tone(0.1, rate_hz=rate_hz)
    # Above half the rate that is kept, this one would fold back as a loud low tone.
    high = [0.5 * math.sin(at / rate_hz * 46_000 * math.tau) for at in range(len(low))]

    recording = read(wav(low, high, rate_hz=rate_hz, bits=24))
    blocks = list(recording.blocks())
    told = [[one for block in blocks for one in block.channels[at]] for at in range(2)]

    by = round(rate_hz / blocks[0].rate_hz)
    inner = slice(100, -100)
    assert 44_000 <= blocks[0].rate_hz <= 48_000
    assert len(told[0]) == math.ceil(len(low) / by)
    assert told[0][inner] == pytest.approx(low[::by][inner], abs=0.005)
    assert max(map(abs, told[1][inner])) < 0.005


def peak_of(seconds: int) -> int:
    """Return how many bytes of Python a recording of so many *seconds* takes at most."""
    second = b"".join(packed(one, 16) for one in tone(1.0, rate_hz=2000))
    head = riff(fmt(PCM, 1, 2000, 16), chunk(b"data", b"", size=0xFFFFFFFF))
    tracemalloc.start()
    count = 0
    for block in piped(iter([head, *[second] * seconds])).blocks():
        count += len(block.channels[0])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2000 * seconds
    return peak


def test_a_long_recording_takes_no_more_memory_than_a_short_one() -> None:
    """Measured in a process of its own, for what other tests left running takes some as well."""
    script = "from tests.recordings.test_wav import peak_of; print(peak_of(10), peak_of(100))"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )

    short, long = map(int, ran.stdout.split())
    assert long < short + 100_000
