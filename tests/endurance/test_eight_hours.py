"""A short evening leaves nothing behind but its journal; a leak of the same length is found."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.endurance.eight_hours import Sample, complaints

REPOSITORY = Path(__file__).parents[2]
FLAT = Sample(0.0, 0, 0, 100_000, 60_000, 20, 30, 10_000, 200_000, 5_000)


def played(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Play a short evening in a process of its own: what other tests left is no part of it."""
    program = [sys.executable, "-m", "tests.endurance.eight_hours", "--hours", "0.35"]
    return subprocess.run(
        [*program, "--reach", "80", *arguments], capture_output=True, text=True, cwd=REPOSITORY
    )


def test_an_evening_leaves_nothing_behind_but_its_journal() -> None:
    """It takes its time: a third of an hour is played, on a clock passed in."""
    evening = played()

    assert evening.returncode == 0, evening.stdout + evening.stderr
    assert "flat: memory" in evening.stdout
    assert evening.stdout.count(" kB ") > 6  # samples


def test_a_table_that_let_go_of_nothing_would_be_found_out() -> None:
    """It takes its time: a leak shows against as much play as the test above."""
    evening = played("--leak")

    assert evening.returncode == 1, evening.stdout + evening.stderr
    assert "objects grew from" in evening.stdout


@pytest.mark.parametrize(
    ("grown", "said"),
    [
        (replace(FLAT, blocks=110_000), "objects grew"),
        (replace(FLAT, rss_kb=90_000), "memory grew"),
        (replace(FLAT, open_files=40), "open files grew"),
        (replace(FLAT, threads=60), "threads grew"),
        (replace(FLAT, wal_bytes=2_000_000), "log is not folded"),
        (replace(FLAT, other_bytes=50_000), "another file"),
    ],
)
def test_whatever_grows_is_named(grown: Sample, said: str) -> None:
    (found,) = complaints([FLAT, FLAT, FLAT, grown])

    assert said in found


def test_a_journal_that_grows_is_none_of_it() -> None:
    assert complaints([FLAT, FLAT, replace(FLAT, journal_bytes=9_000_000)]) == []


def test_an_evening_too_short_says_so() -> None:
    assert "too short" in complaints([FLAT])[0]
