import sys
import types
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from gpiozero import PinUnknownPi
from gpiozero.pins.mock import MockPWMPin

from kloplei.devices.pins import PinsMissing, open_factory


def test_the_mock_factory_can_pulse() -> None:
    factory = open_factory("mock")

    assert factory.pin_class is MockPWMPin
    factory.close()


@pytest.mark.parametrize(
    ("name", "package"),
    [("lgpio", "python3-lgpio"), ("pigpio", "python3-pigpio"), ("rpigpio", "python3-rpi-lgpio")],
)
def test_a_missing_library_names_the_package_to_install(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"gpiozero.pins.{name}", raising=False)
    monkeypatch.setitem(sys.modules, {"rpigpio": "RPi"}.get(name, name), None)

    with pytest.raises(PinsMissing, match=f"the pin library {name} is missing.*{package}"):
        open_factory(name)


def library(monkeypatch: pytest.MonkeyPatch, name: str, class_name: str, error: Exception) -> None:
    """Put a pin library in place that fails with *error*."""

    def fail() -> None:
        raise error

    module = types.ModuleType(f"gpiozero.pins.{name}")
    setattr(module, class_name, fail)
    monkeypatch.setitem(sys.modules, f"gpiozero.pins.{name}", module)


@pytest.mark.parametrize(
    "error",
    [
        PinUnknownPi("unable to locate Pi revision"),
        RuntimeError("This module can only be run on a Raspberry Pi!"),
    ],
)
def test_a_machine_that_is_no_pi_is_sent_to_the_demo(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    library(monkeypatch, "lgpio", "LGPIOFactory", error)

    with pytest.raises(PinsMissing, match=r"not a Raspberry Pi.*kloplei demo"):
        open_factory("lgpio")


def test_a_header_that_may_not_be_opened_names_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    library(monkeypatch, "lgpio", "LGPIOFactory", Exception("can not open gpiochip"))

    with pytest.raises(PinsMissing, match=r"\(can not open gpiochip\).*group gpio"):
        open_factory("lgpio", header="/dev/none")


def test_a_header_that_is_looked_for_elsewhere_is_not_put_down_to_a_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gpiozero 2.0.1 opens gpiochip4 on a Pi 5, which is gpiochip0 since Linux 6.6.45."""
    library(monkeypatch, "lgpio", "LGPIOFactory", Exception("can not open gpiochip"))
    (tmp_path / "gpiochip0").touch()

    with pytest.raises(PinsMissing, match=r"gpiozero 2\.0\.1 looks for the header of a Pi 5"):
        open_factory("lgpio", lambda _: "2.0.1", header=str(tmp_path / "gpiochip0"))


def test_a_silent_pigpio_daemon_is_told_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    library(monkeypatch, "pigpio", "PiGPIOFactory", OSError("failed to connect"))

    with pytest.raises(PinsMissing, match="systemctl start pigpiod"):
        open_factory("pigpio")


@pytest.mark.parametrize(
    ("installed", "sentence"),
    [
        ({"gpiozero": "2.0.1.post1"}, "2.0.1.post1 does not know a Pi 5"),
        ({"gpiozero": "2.0.1.post2"}, "2.0.1.post2 does not know a Pi 5"),
        ({"gpiozero": "1.6.2"}, "1.6.2 is too old"),
        (
            {"gpiozero": "2.0.1", "RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"},
            "RPi.GPIO and rpi-lgpio are both installed",
        ),
    ],
)
def test_versions_that_do_not_work_are_refused(installed: dict[str, str], sentence: str) -> None:
    def version(package: str) -> str:
        if package not in installed:
            raise PackageNotFoundError(package)
        return installed[package]

    with pytest.raises(PinsMissing, match=sentence):
        open_factory("rpigpio", version=version)
