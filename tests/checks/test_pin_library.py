"""The combinations of pin libraries that are known to fail."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from kloplei.checks.packages import own_pip
from kloplei.checks.pin_library import check_pin_library
from kloplei.devices.factory import BAD_GPIOZERO
from tests.checks.machines import FIVE, ZERO, english, keys

SOUND = {"gpiozero": "2.0.1.post3", "lgpio": "0.2.2.0"}
RPI = {"gpiozero": "2.0.1.post3", "RPi.GPIO": "0.7.1"}


@pytest.mark.parametrize(
    ("factory", "model", "packages", "found"),
    [
        ("lgpio", ZERO, SOUND, ("good", "library.good")),
        ("lgpio", FIVE, SOUND, ("good", "library.good")),
        ("lgpio", ZERO, {"gpiozero": "2.0.1.post3"}, ("bad", "library.missing")),
        ("lgpio", ZERO, {**SOUND, "gpiozero": "1.6.2"}, ("bad", "library.too-old")),
        ("lgpio", FIVE, {**SOUND, "gpiozero": "2.0.1.post1"}, ("bad", "library.knows-no-five")),
        ("lgpio", FIVE, {**SOUND, "gpiozero": "2.0.1.post2"}, ("bad", "library.knows-no-five")),
        ("rpigpio", ZERO, RPI, ("good", "library.good")),
        ("rpigpio", FIVE, RPI, ("bad", "library.not-on-five")),
        ("rpigpio", FIVE, {**SOUND, "rpi-lgpio": "0.6"}, ("good", "library.good")),
        ("rpigpio", ZERO, {**RPI, "rpi-lgpio": "0.6"}, ("bad", "library.two")),
        ("pigpio", ZERO, {**SOUND, "pigpio": "1.78"}, ("good", "library.good")),
        ("pigpio", FIVE, {**SOUND, "pigpio": "1.78"}, ("bad", "library.not-on-five")),
        ("native", ZERO, SOUND, ("good", "library.good")),
        ("mock", ZERO, SOUND, ("poor", "library.mock")),
    ],
)
def test_a_combination_is_known(
    factory: str, model: str, packages: Mapping[str, str], found: tuple[str, str]
) -> None:
    findings = list(check_pin_library(factory, model, packages.get, (3, 11)))

    assert keys(findings) == [found]


def test_two_troubles_are_both_told() -> None:
    old = {"gpiozero": "1.6.2", "RPi.GPIO": "0.7.1"}

    findings = list(check_pin_library("rpigpio", FIVE, old.get, (3, 11)))

    assert [key for _, key in keys(findings)] == ["library.too-old", "library.not-on-five"]


def test_python_3_13_is_told_where_its_lgpio_comes_from() -> None:
    packages = {"gpiozero": "2.0.1.post3"}

    (new,) = check_pin_library("lgpio", ZERO, packages.get, (3, 13))
    (old,) = check_pin_library("lgpio", ZERO, packages.get, (3, 11), pip=lambda: None)

    assert "PyPI has none for Python 3.13: sudo apt install python3-lgpio" in english(new)
    assert english(old).endswith("Install it: sudo apt install python3-lgpio")


def test_the_factory_refuses_the_same_versions() -> None:
    for version in BAD_GPIOZERO:
        packages = {**SOUND, "gpiozero": version}
        (found,) = check_pin_library("lgpio", FIVE, packages.get, (3, 11))
        assert version in english(found)


def test_where_apt_does_not_reach_it_is_told_what_does() -> None:
    """Whoever did as told, in an environment of his own, heard the same again."""
    packages = {"gpiozero": "2.0.1.post3"}

    (lacks,) = check_pin_library("rpigpio", ZERO, packages.get, (3, 11), lambda: "/opt/k/bin/pip")

    assert "/opt/k/bin/pip install rpi-lgpio, or make it anew with --system-site" in english(lacks)
    assert english(lacks).endswith("and take python3-rpi-lgpio.")


@pytest.mark.parametrize(
    ("written", "pip"),
    [
        ("include-system-site-packages = false\n", True),
        ("include-system-site-packages = true\n", False),
        (None, False),
    ],
)
def test_apt_reaches_what_sees_the_systems_packages(
    tmp_path: Path, written: str | None, pip: bool
) -> None:
    if written is not None:
        (tmp_path / "pyvenv.cfg").write_text(f"home = /usr/bin\n{written}")

    assert own_pip(str(tmp_path), "/usr") == (f"{tmp_path}/bin/pip" if pip else None)
    assert own_pip("/usr", "/usr") is None
