"""A bench to go through, and pins for it."""

from pathlib import Path

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from tests.capture.table import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "table")


@pytest.fixture
def wired_pins(monkeypatch: pytest.MonkeyPatch) -> MockFactory:
    """Pins whose SPI works: the software bus of gpiozero asks for the default factory."""
    factory = MockFactory()
    monkeypatch.setattr(Device, "pin_factory", factory)
    return factory
