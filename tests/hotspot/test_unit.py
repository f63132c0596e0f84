"""The unit that switches the hotspot on where no network comes."""

import shutil
import subprocess
from pathlib import Path

import pytest

UNIT = Path(__file__).parents[2] / "network" / "kloplei-hotspot.service"


def test_systemd_finds_nothing_to_complain_of(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.fail("No systemd-analyze. Install it: apt-get install systemd", pytrace=False)
    here = tmp_path / UNIT.name
    here.write_text(UNIT.read_text().replace("/usr/bin/kloplei ", "/bin/true "))

    found = subprocess.run(
        ["systemd-analyze", "verify", str(here)], capture_output=True, text=True, check=False
    )

    assert (found.stdout, found.stderr) == ("", "")


def test_it_asks_for_what_the_command_line_has() -> None:
    assert "/usr/bin/kloplei hotspot fallback --config /etc/kloplei/" in UNIT.read_text()
