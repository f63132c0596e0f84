"""A box with a NetworkManager that is not there, and its settings."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kloplei.config.reader import parse_config
from kloplei.config.settings import Config
from kloplei.network.hotspot import HotspotSwitch
from tests.network import fake_nmcli

FREE = [["wlan0", "wifi", "disconnected", ""], ["lo", "loopback", "unmanaged", ""]]
IN_THE_HOUSE = [["wlan0", "wifi", "connected", "De: Klop"], ["eth0", "ethernet", "unavailable", ""]]


class Box:
    """What the fake NetworkManager knows, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self._state = folder / "nmcli.json"
        self.drop_in = folder / "dnsmasq-shared.d" / "kloplei.conf"
        self.data = folder / "data"
        self.data.mkdir()
        self.said: list[str] = []
        self.become(devices=FREE)

    def become(self, **changes: Any) -> None:
        known = self.state if self._state.exists() else {"asked": [], "profiles": {}}
        self._state.write_text(json.dumps({**known, **changes}))

    @property
    def state(self) -> Any:
        return json.loads(self._state.read_text())

    @property
    def profile(self) -> Any:
        return self.state["profiles"].get("kloplei")

    def config(self, hotspot: str = "", panel: str = "") -> Config:
        written = f'[table]\ndata = "{self.data}"\n[hotspot]\n{hotspot}\n[panel]\n{panel}\n'
        return parse_config(written, "kloplei.toml")

    def switch(self, hotspot: str = "") -> HotspotSwitch:
        return HotspotSwitch(self.config(hotspot), say=self.said.append, drop_in=self.drop_in)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Put programs on a PATH that has no others."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))

    def put(name: str, source: str) -> None:
        program = programs / name
        program.write_text(f"#!{sys.executable}\n{source}")
        program.chmod(0o755)

    return put


@pytest.fixture
def box(
    tmp_path: Path, install: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> Box:
    """A box with a free Wi-Fi device."""
    monkeypatch.setenv("FAKE_NMCLI", str(tmp_path / "nmcli.json"))
    install("nmcli", Path(fake_nmcli.__file__).read_text())
    return Box(tmp_path)
