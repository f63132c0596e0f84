"""Clips: written as they are read, and made of what somebody says into a microphone."""

import contextlib
import math
import random
import tracemalloc
from array import array

import pytest

from kloplei.voice.clips import (
    LONGEST_TAKE_S,
    LOUDNESS,
    PEAK,
    RATE_HZ,
    BadTake,
    at_rate,
    clip_of,
    decoded,
    encoded,
)
from tests.voice.test_packs import tone

A_SECOND = RATE_HZ


def room(for_s: float, loud: float = 0.001, seed: int = 1) -> "array[int]":
    noise = random.Random(seed)
    return array("h", [round(noise.gauss(0, loud * 32768)) for _ in range(round(for_s * RATE_HZ))])


def mixed(*parts: "array[int]") -> "array[int]":
    """Return *parts* at once; shorter ones end earlier."""
    longest = max(map(len, parts))
    padded = [part + array("h", bytes(2 * (longest - len(part)))) for part in parts]
    return array("h", [max(-32768, min(32767, sum(at))) for at in zip(*padded, strict=True)])


def word(for_s: float = 0.5, loud: float = 0.2, hz: float = 180) -> "array[int]":
    """Return something that swells and fades as a syllable does."""
    samples = tone(hz, for_s, loud=loud)
    n = len(samples)
    return array("h", [int(one * math.sin(math.pi * at / n)) for at, one in enumerate(samples)])


def take(*said: "array[int]", before_s: float = 0.8, after_s: float = 0.8) -> "array[int]":
    silence = array("h", bytes(2 * round(before_s * RATE_HZ)))
    behind = array("h", bytes(2 * round(after_s * RATE_HZ)))
    whole = silence + sum(said, array("h")) + behind
    return mixed(whole, room(len(whole) / RATE_HZ))


def rms(samples: "array[int]") -> float:
    return math.sqrt(sum(one * one for one in samples) / len(samples)) / 32768


def test_what_is_written_is_read_again() -> None:
    said = word(1.0)

    read = decoded(encoded(said))

    assert len(read) == len(said)
    assert rms(read) == pytest.approx(rms(said), rel=0.1)
    assert len(encoded(said)) < 10_000


@pytest.mark.parametrize("raw", [b"", b"RIFF", b"OggS" + bytes(200), b"ID3 and no more"])
def test_what_is_no_sound_is_refused(raw: bytes) -> None:
    with pytest.raises(OSError, match="no clip"):
        decoded(raw)


def test_a_head_that_promises_hours_takes_no_memory() -> None:
    rate_hz, channels, frames = 655_350, 8, 1 << 30
    told = rate_hz << 44 | (channels - 1) << 41 | 15 << 36 | frames
    blocks = (4096).to_bytes(2) * 2 + bytes(6)
    head = b"fLaC\x80\x00\x00\x22" + blocks + told.to_bytes(8) + bytes(16)

    tracemalloc.start()
    try:
        with contextlib.suppress(OSError):
            assert len(decoded(head)) == 0
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < 1_000_000


def test_a_take_is_cut_to_what_is_said() -> None:
    clip = clip_of(take(word(0.5)))

    assert len(clip) / RATE_HZ == pytest.approx(0.5 + 0.06 + 0.12, abs=0.08)
    assert max(map(abs, clip[:20])) < 300
    assert max(map(abs, clip[-20:])) < 300


def test_a_pause_within_is_kept_and_clicks_about_it_are_not() -> None:
    pause = array("h", bytes(2 * round(0.4 * RATE_HZ)))
    click = tone(1500, 0.02, loud=0.3)

    clip = clip_of(take(click, pause, word(), pause, word(), pause, click))

    assert len(clip) / RATE_HZ == pytest.approx(1.4 + 0.18, abs=0.08)


@pytest.mark.parametrize("loud", [0.03, 0.1, 0.5])
def test_whoever_whispers_or_shouts_is_as_loud_as_all(loud: float) -> None:
    clip = clip_of(take(word(0.8, loud)))

    assert rms(clip) == pytest.approx(LOUDNESS, rel=0.25)
    assert max(map(abs, clip)) <= PEAK * 32767 + 1


def test_what_makes_no_clip_is_refused_by_what_is_wrong() -> None:
    shouted = array("h", [max(-32768, min(32767, 4 * one)) for one in word(0.5, 0.9)])
    knocked = take(mixed(word(0.8, 0.02), tone(90, 0.08, loud=0.9)))
    for said, why in (
        (room(2.0), "Nothing is to be heard"),
        (array("h"), "Nothing is to be heard"),
        (take(shouted), "Too loud"),
        (mixed(take(word(0.5, 0.05)), room(2.1, 0.03)), "more room than voice"),
        (knocked, "knock in it"),
        (take(*[word()] * 18), f"longer than {LONGEST_TAKE_S:.0f}"),
    ):
        with pytest.raises(BadTake, match=why):
            clip_of(said)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100, 48_000, 96_000])
def test_a_microphone_of_another_rate_says_the_same(rate_hz: int) -> None:
    there = at_rate(tone(300, 1.0, rate_hz), rate_hz)

    assert len(there) == pytest.approx(RATE_HZ, abs=4)
    assert rms(there) == pytest.approx(rms(tone(300, 1.0)), rel=0.02)
