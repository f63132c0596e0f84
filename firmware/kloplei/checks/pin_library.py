"""gpiozero and the library below it: which are in use, and the combinations known to fail."""

import sys
from collections.abc import Callable, Iterator

from kloplei.checks.board import is_pi_five
from kloplei.checks.findings import bad, good, poor
from kloplei.checks.packages import missing, own_pip
from kloplei.table.doctor import Finding

PART = "pin library"
BAD_GPIOZERO = ("2.0.1.post1", "2.0.1.post2")
"""They do not know a Pi 5 (gpiozero #1229)."""

_PACKAGES = {
    "lgpio": ("lgpio",),
    "rpigpio": ("rpi-lgpio", "RPi.GPIO"),
    "pigpio": ("pigpio",),
    "native": (),
    "mock": (),
}
"""By the name in ``[pins] factory``: the packages of which one has to be there."""

_NO_LGPIO_WHEEL = (3, 13)


def version_of(package: str) -> str | None:
    """Return which version of *package* is installed, None if none is."""
    from importlib import metadata  # here, for the first picture stands without it

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def check_pin_library(
    factory: str,
    model: str | None,
    version: Callable[[str], str | None] = version_of,
    python: tuple[int, int] = sys.version_info[:2],
    pip: Callable[[], str | None] = own_pip,
) -> Iterator[Finding]:
    """Yield whether ``[pins] factory`` can work on the board *model*, and why not.

    Args:
        factory: A name out of the settings.
        model: As the board says it; None is no board.
        version: Gives the version of an installed package.
        python: Of the interpreter that the table runs in.
        pip: Returns the pip of an environment that apt does not reach, None elsewhere.
    """
    if factory == "mock":
        yield poor(PART, "library.mock", "do.lgpio")
        return
    troubles = list(_troubles(factory, model, version, python, pip))
    yield from troubles
    if not troubles:
        below = next((one for one in _PACKAGES[factory] if version(one)), None)
        through = f"{below} {version(below)}" if below else factory
        yield good(PART, "library.good", gpiozero=version("gpiozero"), through=through)


def _troubles(
    factory: str,
    model: str | None,
    version: Callable[[str], str | None],
    python: tuple[int, int],
    pip: Callable[[], str | None],
) -> Iterator[Finding]:
    gpiozero = version("gpiozero") or "0"
    if gpiozero in BAD_GPIOZERO:
        yield bad(PART, "library.knows-no-five", "do.newer-gpiozero", version=gpiozero)
    elif int(gpiozero.partition(".")[0]) < 2:
        yield bad(PART, "library.too-old", "do.newer-gpiozero", version=gpiozero)
    packages = _PACKAGES[factory]
    there = [one for one in packages if version(one)]
    if packages and not there:
        package = f"python3-{packages[0]}"
        if factory == "lgpio" and python >= _NO_LGPIO_WHEEL:
            yield bad(PART, "library.missing", "do.system-lgpio", package=package)
        else:
            yield missing(PART, "library.missing", package, packages[0], pip())
    if len(there) > 1:
        yield bad(PART, "library.two", "do.remove-rpi-gpio")
    if is_pi_five(model) and (factory == "pigpio" or there == ["RPi.GPIO"]):
        yield bad(PART, "library.not-on-five", "do.lgpio", library=there[0] if there else factory)
