"""The page for owners says what the bench really asks for, and what really is in its files."""

import re
from pathlib import Path

import pytest
from PIL import Image

from hw import bench_slates
from kloplei.cli.record import SPARE_BYTES
from kloplei.config.settings import Config
from kloplei.demo.wood import virtual_config
from kloplei.games.game import Seat
from kloplei.recordings.capture._labels import (
    EARLY_S,
    LATE_S,
    SEEN,
    BlowEvent,
    TakenLabels,
    entry_of,
)
from kloplei.recordings.capture.protocol import (
    KINDS,
    OF_A_SEAT,
    ProtocolKind,
    ProtocolStep,
    setup_of,
    steps_for,
    walk_s,
)
from kloplei.recordings.capture.writer import Gap

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "hw/bench.md").read_text(encoding="utf-8")
FIELDS = PAGE.partition("And `labels.json`:")[2].partition("Seats are counted")[0]
NUMBERS = {"twice": 2}


def kind(name: str) -> ProtocolKind:
    return next(one for one in KINDS if one.name == name)


def asked(first: str) -> list[int]:
    """Return the numbers in the last column of the row of steps that begins with *first*."""
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| {first}"))
    often = row.split("|")[3]
    return [int(NUMBERS.get(one, one)) for one in re.findall(r"\d+|twice", often)]


def test_each_seat_knocks_as_often_as_the_page_says() -> None:
    single = [one.beats for one in OF_A_SEAT if one.blows == 1]

    assert asked("each seat | knock softly") == single
    assert {one.beats for one in OF_A_SEAT if one.blows > 1} == {*asked("each seat | tok")}


@pytest.mark.parametrize(
    ("row", "name"),
    [("quiet", "silence"), ("phone", "phone"), ("talk", "talk"), ("mains", "mains")],
)
def test_what_lasts_lasts_as_long_as_the_page_says(row: str, name: str) -> None:
    assert asked(row) == [kind(name).lasting_s]


def test_noises_come_as_often_as_the_page_says() -> None:
    assert asked("two seats") == [kind("together").beats]
    assert asked("coin") == [kind("coin").beats]
    assert {kind(one).beats for one in ("glass", "cards", "dice", "elbow")} == {*asked("glass")}


@pytest.mark.parametrize(("seats", "megabytes"), [(8, 60), (4, 35)])
def test_the_card_needs_no_more_room_than_the_page_says(seats: int, megabytes: int) -> None:
    recorded = walk_s(steps_for([Seat(at) for at in range(seats)])) * 4000 * 2 * seats

    assert megabytes * 0.8 < (recorded + SPARE_BYTES) / 1e6 <= megabytes
    assert f"{megabytes} " in PAGE.partition("## What to do")[0]


def test_every_field_of_the_labels_is_explained() -> None:
    step = ProtocolStep(kind("thrice"), (Seat(0),))
    taken = TakenLabels(
        step,
        "a.wav",
        6.0,
        4000.0,
        1,
        step.beats_s,
        gaps=(Gap(5.0, 0.1),),
        is_cut_short=True,
        complaints=("slow",),
    )
    first = step.beats_s[0]
    entry = entry_of(taken, [BlowEvent(first, 50, 0.3), BlowEvent(first + 0.3, 50, 0.3)])
    noise = entry_of(TakenLabels(ProtocolStep(kind("glass")), "b.wav", 6.0, 4000.0, 1, ()), ())
    setup = setup_of(virtual_config(Config(), 3), virtual=True)

    fields = {*setup, *entry, *noise, *entry["prompts"][0], *entry["gaps"][0], "answers", "knocks"}
    assert {one for one in fields if f"`{one}`" not in FIELDS} == set()


def test_how_a_blow_is_found_is_told_as_it_is_done() -> None:
    assert f"from {EARLY_S} seconds before the beat to {LATE_S} after it" in PAGE
    assert "four times what the silence" in PAGE
    assert SEEN == 4


def test_the_picture_is_what_the_slate_shows(tmp_path: Path) -> None:
    bench_slates.draw(tmp_path)

    drawn = Image.open(tmp_path / bench_slates.NAME)
    shown = Image.open(ROOT / "hw/pictures" / bench_slates.NAME)
    assert drawn.tobytes() == shown.tobytes(), "run make hw, and look at it"
