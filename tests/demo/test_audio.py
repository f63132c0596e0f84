"""A demo that hears a real table: through ALSA, into the game."""

from pathlib import Path

import pytest

from kloplei.cli.main import main
from kloplei.demo.table import Demo, at_seats, demo_config, on_sound_card
from kloplei.knock.judgement import Verdict
from kloplei.simulation.table_top import TableTop
from kloplei.table.client import HeardEvent
from tests.devices.chips import eventually
from tests.devices.sound_cards import alsa_card, everybody_knocks, played_in, recorded_knock

RATE_HZ = 48000
KNOCKS = 8  # of the ten in the recording; how long a busy machine pauses is no matter


def knocks(demo: Demo) -> list[HeardEvent]:
    """Return what was judged a knock."""
    heard = demo.client.ears.heard_events()
    return [one for one in heard if one.verdict is Verdict.KNOCK]


def test_a_knuckle_on_the_card_is_heard_and_nobody_knows_whose_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = on_sound_card(demo_config("en"), "table", 1)
    with alsa_card(tmp_path, monkeypatch.setenv) as write, Demo(tmp_path, config) as demo:
        played_in(write, RATE_HZ, recorded_knock(RATE_HZ))

        assert eventually(lambda: len(knocks(demo)) >= KNOCKS)
        assert {one.seat for one in knocks(demo)} == {None}
        assert (demo.is_real, list(demo.piezos)) == (True, [])
        write(bytes(9600))  # whoever closes it waits for no card


def test_eight_discs_at_eight_seats_say_who_knocked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = at_seats(on_sound_card(demo_config("en"), "table", 8))
    channels, order = everybody_knocks(TableTop.of_seed(7003, 8), RATE_HZ)
    with alsa_card(tmp_path, monkeypatch.setenv) as write, Demo(tmp_path, config) as demo:
        played_in(write, RATE_HZ, *channels)

        assert eventually(lambda: len(knocks(demo)) >= len(order) - 1)
        seats = [one.seat for one in sorted(knocks(demo), key=lambda one: one.number)]
        write(bytes(100_000))  # whoever closes it waits for no card
    named = [seat for seat in seats if seat is not None]
    assert named == sorted(set(named))
    assert len(named) >= len(order) - 2


def test_what_knocks_on_a_drawn_table_does_not_go_with_a_real_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo", "--audio", "default", "--bots"]) == 2
    assert "--bots knocks on a drawn table" in capsys.readouterr().err
