"""The uplink on Debian 12 and 13, booted: let be while it is off, and fenced in while it runs."""

from pathlib import Path

import pytest

from tests.box.machine import Machine, eventually
from tests.box.trees import RELEASES, booted_tree

UPLINK = "kloplei-uplink"


@pytest.mark.parametrize("release", RELEASES)
def test_it_does_nothing_until_it_is_switched_on_and_then_takes_a_house(
    release: str, package: Path, tmp_path: Path
) -> None:
    with Machine(booted_tree(release, package), tmp_path) as box:
        box.install(package)

        assert box.state(UPLINK, "UnitFileState") == "enabled"
        eventually(lambda: box.state(UPLINK, "ActiveState") == "inactive", 30)
        assert box.state(UPLINK, "Result") == "success"

        box.write(
            "/etc/kloplei/kloplei.toml", '[pins]\nfactory = "mock"\n[uplink]\nenabled = true\n'
        )
        box.run("systemctl", "restart", "kloplei-table", UPLINK)
        assert box.state(UPLINK, "ActiveState") == "active"
        assert "with no house" in box.run("kloplei", "uplink", "status")
        assert "cannot be reached" in box.says(
            "kloplei", "uplink", "pair", "http://127.0.0.1:1", "X"
        )

        pid = box.state(UPLINK, "MainPID")
        seen = f"/proc/{pid}/root/var/lib/kloplei"
        assert box.run("stat", "--format=%a", seen).strip() in ("0", "000")
        told = box.run("stat", "--format=%a %U", "/var/lib/kloplei-uplink").strip()
        assert told == "700 kloplei-uplink"
        assert box.state(UPLINK, "NRestarts") == "0"
