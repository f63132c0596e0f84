"""The demo with all that is seen and heard of an evening at once."""

import threading
from pathlib import Path

import pytest

from kloplei.demo.table import Demo, demo_config, for_show, on_glass
from kloplei.devices import audio
from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import Seat
from kloplei.slate.faces import FACE_SETS
from tests.until import until


@pytest.mark.parametrize(("card", "speaks"), [("type null", True), ("type hw card 97", False)])
def test_the_show_has_a_wide_slate_a_guide_and_a_caller_where_there_is_a_sound_card(
    card: str, speaks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = tmp_path / "asound.conf"
    conf.write_text(f"pcm.!default {{ {card} }}\n")
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(conf))
    audio.alsa_library().snd_config_update_free_global()

    config = for_show(demo_config())
    with Demo(tmp_path, config, schedule=ManualSchedule()) as demo:
        demo.client.submit(Seat(0), "deal")
        notices, frame = demo.client.scoreboard().notices, demo.virtual.oled.frame

    assert config.voice.enabled is speaks
    assert notices == ()
    assert frame is not None
    assert (frame.width, frame.height) == (256, 64)


def test_when_it_has_closed_nobody_reads_or_writes_its_evening_any_more(tmp_path: Path) -> None:
    with Demo(tmp_path, demo_config(locked=True)) as demo:
        demo.client.submit(Seat(0), "deal")
        during = {thread.name for thread in threading.enumerate()}
    afterwards = {thread.name for thread in threading.enumerate()}

    who_write = {"kloplei-history", "kloplei-evenings"}
    assert who_write <= during
    assert not who_write & afterwards


@pytest.mark.parametrize("size", [str(glass) for glass in FACE_SETS])
def test_its_slate_is_of_any_size_that_is_sold(size: str) -> None:
    with Demo(config=on_glass(demo_config(), size)) as demo:
        until(lambda: demo.virtual.oled.frame is not None)
        frame = demo.virtual.oled.frame

    assert frame is not None
    assert f"{frame.width}x{frame.height}" == size
