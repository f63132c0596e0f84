"""Pins for the bench."""

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory


@pytest.fixture
def wired_pins(monkeypatch: pytest.MonkeyPatch) -> MockFactory:
    """Pins whose SPI works: the software bus of gpiozero asks for the default factory."""
    factory = MockFactory()
    monkeypatch.setattr(Device, "pin_factory", factory)
    return factory
