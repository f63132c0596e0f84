"""`packaging/sound-card`: the table's unit is let at sound devices only where somebody says so."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]


def sound_card(order: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the script on the units in *folder*."""
    program = [str(HERE / "packaging/sound-card"), order, str(folder)]
    return subprocess.run(program, capture_output=True, text=True)


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The table's unit as it stands, but for a program that this machine has."""
    unit = (HERE / "systemd/kloplei-table.service").read_text()
    (tmp_path / "kloplei-table.service").write_text(unit.replace("/usr/bin/kloplei ", "/bin/true "))
    return tmp_path


def test_a_unit_as_it_comes_may_open_no_sound_device() -> None:
    assert "alsa" not in (HERE / "systemd/kloplei-table.service").read_text()


def test_on_lets_it_at_them_and_systemd_understands_it(units: Path) -> None:
    assert sound_card("on", units).returncode == 0

    added = (units / "kloplei-table.service.d/sound-card.conf").read_text()
    assert "DeviceAllow=char-alsa rw\nSupplementaryGroups=audio\n" in added
    assert shutil.which("systemd-analyze"), "Install it: apt-get install systemd"
    found = subprocess.run(
        ["systemd-analyze", "verify", "./kloplei-table.service"],
        cwd=units,
        capture_output=True,
        text=True,
    )
    assert found.stderr == found.stdout == ""


def test_off_takes_it_away_and_nothing_of_others(units: Path) -> None:
    folder = units / "kloplei-table.service.d"
    sound_card("on", units)
    (folder / "mine.conf").write_text("[Service]\nNice=-1\n")

    assert sound_card("off", units).returncode == 0

    assert [one.name for one in folder.iterdir()] == ["mine.conf"]
    assert sound_card("off", units).returncode == 0


def test_another_word_is_refused(units: Path) -> None:
    said = sound_card("maybe", units)

    assert said.returncode == 2
    assert "sound-card on" in said.stderr


def test_a_box_that_is_given_up_keeps_no_such_right() -> None:
    for script in ("scripts/install", "debian/kloplei.postrm"):
        assert "kloplei-table.service.d/sound-card.conf" in (HERE / script).read_text()
    assert "packaging/sound-card" in (HERE / "debian/rules").read_text()
