"""Recordings that the demo plays into a pad."""

import math
import struct
import wave
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kloplei.demo.wood import MAX_S, read_recording
from kloplei.recordings.wav import UnreadableRecording

RATE_HZ = 8000
BLOWS_S = (0.2, 0.5)


def knocks() -> list[float]:
    """Two blows on wood in a second."""
    return [
        sum(
            0.8 * 10 ** (-(at / RATE_HZ - blow_s) / 0.03) * math.sin((at / RATE_HZ - blow_s) * 2500)
            for blow_s in BLOWS_S
            if at / RATE_HZ >= blow_s
        )
        for at in range(RATE_HZ)
    ]


def packed(sample: float, width: int) -> bytes:
    if width == 1:
        return struct.pack("B", round(sample * 127) + 128)
    scale = (1 << (8 * width - 1)) - 1
    return round(sample * scale).to_bytes(width, "little", signed=True)


def write(path: Path, width: int, channels: int) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(RATE_HZ)
        silent = packed(0.0, width) * (channels - 1)
        file.writeframes(b"".join(packed(sample, width) + silent for sample in knocks()))
    return path


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("channels", [1, 2])
def test_both_blows_are_heard_at_every_sample_width(
    tmp_path: Path, width: int, channels: int
) -> None:
    recording = read_recording(write(tmp_path / "knocks.wav", width, channels))

    starts_s = [edge.at_s for edge in recording.edges() if edge.active]

    assert recording.duration_s == 1.0
    assert starts_s[0] == pytest.approx(BLOWS_S[0], abs=0.002)
    assert any(at_s == pytest.approx(BLOWS_S[1], abs=0.002) for at_s in starts_s)


def test_silence_has_no_edges(tmp_path: Path) -> None:
    path = tmp_path / "silence.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(bytes(2 * RATE_HZ))

    assert read_recording(path).edges() == ()


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableRecording, match=r"gone\.wav: cannot be read \(No such file"):
        read_recording(tmp_path / "gone.wav")


def test_what_is_too_long_to_play_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "evening.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(2000)
        file.writeframes(bytes([128]) * round(2000 * (MAX_S + 60)))

    with pytest.raises(UnreadableRecording, match=r"evening\.wav: is longer than 10 minutes; cut"):
        read_recording(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 60), noise=st.binary(max_size=40))
def test_a_broken_file_is_refused_or_read_but_never_a_crash(
    tmp_path: Path, cut: int, noise: bytes
) -> None:
    whole = write(tmp_path / "whole.wav", 2, 1).read_bytes()
    broken = tmp_path / "broken.wav"
    broken.write_bytes(whole[:cut] + noise + whole[cut + len(noise) :])

    try:
        recording = read_recording(broken)
    except UnreadableRecording as refusal:
        assert "broken.wav" in str(refusal)
    else:
        assert all(-1.0 <= sample <= 1.0 for sample in recording.samples)
