"""A demo with four piezos in the corners: a seat without a tuning, tried at home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kloplei.cli.main import main
from kloplei.demo.table import Demo, demo_config, in_corners
from kloplei.devices.schedule import ManualSchedule

A_BLOW_S = 2.0


@pytest.fixture
def clock() -> ManualSchedule:
    return ManualSchedule()


@pytest.fixture
def demo(tmp_path: Path, clock: ManualSchedule) -> Iterator[Demo]:
    with Demo(tmp_path, in_corners(demo_config("en")), schedule=clock) as demo:
        yield demo


def seats_heard(demo: Demo, clock: ManualSchedule) -> list[int | None]:
    """Let every seat knock once; return who the box says it was."""
    heard: list[int | None] = []
    for place in demo.places:
        demo.strike("knuckle", place)
        clock.advance(A_BLOW_S)
        heard.append(demo.heard()[-1].seat)
    return heard


def test_nobody_is_named_until_somebody_says_how_large_the_table_is(
    demo: Demo, clock: ManualSchedule
) -> None:
    assert seats_heard(demo, clock) == [None] * 4

    length_m, width_m = demo.size_m
    demo.client.ears.tune("wood", {"size": f"{length_m}x{width_m}", "seats": 4, "discs": "corners"})

    assert seats_heard(demo, clock) == [1, 2, 3, 4]


def test_its_four_piezos_are_drawn_where_they_hang(demo: Demo) -> None:
    assert (demo.seats, len(demo.piezos), demo.has_own_piezos) == (4, 4, False)
    assert {(x < 0.5, y < 0.5) for x, y in demo.piezos} == {
        (left, far) for left in (True, False) for far in (True, False)
    }


def test_one_disc_is_at_no_seat_and_in_no_corner(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--audio", "default", "--discs", "corners"]) == 2
    assert "--channels 4" in capsys.readouterr().err


def test_channels_are_those_of_a_sound_card(capsys: pytest.CaptureFixture[str]) -> None:
    """They were passed over, and a drawn table came up."""
    assert main(["demo", "--channels", "4"]) == 2
    assert "add --audio DEVICE" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "two\nlines", "a" * 201, "\udcff"])
@pytest.mark.parametrize("command", [["demo", "--audio"], ["listen", "--live"]])
def test_what_no_device_can_be_called_is_refused_before_anything_opens(
    command: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Letters of no alphabet came to a converter that cannot be read, and its wires."""
    with pytest.raises(SystemExit):
        main([*command, name])

    said = capsys.readouterr().err
    assert "names no sound device; arecord -L lists them" in said
    assert said.isascii()
