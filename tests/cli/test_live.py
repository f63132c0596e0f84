"""`kloplei listen --live`: a line a knock, out of ALSA, as it happens."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kloplei.knock.geometry import TableSize
from kloplei.simulation.table_top import TableTop
from tests.devices.sound_cards import alsa_card, everybody_knocks, played_in, recorded_knock

RATE_HZ = 48000


@contextmanager
def listening(folder: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """Give a process that listens; what it holds is let go of at the end."""
    command = [sys.executable, "-m", "kloplei", "listen", "--live", *options]
    environment = {**os.environ, "ALSA_CONFIG_PATH": str(folder / "asound.conf")}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_each_knock_is_said_when_it_comes(tmp_path: Path) -> None:
    with (
        alsa_card(tmp_path, lambda *_: None) as write,
        listening(tmp_path, "table", "--json") as it,
    ):
        assert it.stdout is not None
        played_in(write, RATE_HZ, recorded_knock(RATE_HZ))

        said = [json.loads(it.stdout.readline()) for _ in range(6)]
        it.send_signal(signal.SIGINT)
        write(bytes(9600))  # whoever ends it waits for no card
        it.wait(60)

    assert [one["verdict"] for one in said].count("knock") >= 5
    assert {one["seat"] for one in said} == {None}
    assert [one["at_s"] for one in said] == sorted(one["at_s"] for one in said)


@pytest.mark.parametrize(
    ("seats", "corners", "options"),
    [
        (4, None, ("--channels", "4")),
        (8, None, ("--channels", "8")),
        (4, 4, ("--channels", "4", "--discs", "corners", "--seats", "4", "--table-size")),
    ],
    ids=["a disc a seat", "eight of them", "in the corners"],
)
def test_of_several_discs_the_seat_is_said(
    tmp_path: Path, seats: int, corners: int | None, options: tuple[str, ...]
) -> None:
    top = TableTop.of_seed(7003, seats, corners)
    size = TableSize(top.plate.length_m, top.plate.width_m)
    also = (f"{size.length_m:.2f}x{size.width_m:.2f}",) if corners else ()
    channels, order = everybody_knocks(top, RATE_HZ)
    with (
        alsa_card(tmp_path, lambda *_: None) as write,
        listening(tmp_path, "table", "--json", *options, *also) as it,
    ):
        assert it.stdout is not None
        played_in(write, RATE_HZ, *channels)

        said = [json.loads(it.stdout.readline()) for _ in range(len(order) - 1)]

    named = [one["seat"] for one in said if one["seat"] is not None]
    assert named == [seat for seat in order if seat in named]
    assert len(named) >= len(order) - 2


def test_a_card_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    with alsa_card(tmp_path, lambda *_: None, "pubtable"), listening(tmp_path, "nosuch") as it:
        assert it.stderr is not None
        complaint = it.stderr.readline()

    assert "There is no sound card nosuch" in complaint
    assert "pubtable" in complaint
