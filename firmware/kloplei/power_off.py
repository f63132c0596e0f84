"""The last word on the slate, prepared while all is well and sent when nothing else runs any more.

Only when the disk is written and at rest may the slate say that the plug may be pulled. By then
the table has long ended, so what goes to the glass is drawn and kept beforehand, wire by wire;
`kloplei-halt.service` does the one, `/usr/lib/systemd/system-shutdown/kloplei` the other.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kloplei.config.settings import Config, SlateConfig
from kloplei.files import KlopleiError, atomic_write, reason_of

if TYPE_CHECKING:
    from gpiozero import Factory

MOUNTS = Path("/proc/self/mounts")
_COMMAND, _DATA = "command", "data"
_VERSION = 1


class PowerOffError(KlopleiError, OSError):
    """Nothing is prepared, or it cannot be read."""


class DiskInUse(KlopleiError, OSError):
    """A disk may still be written to, so the plug had better stay in."""


class Pen:
    """Takes what luma would send over the wires, and sends nothing."""

    def __init__(self) -> None:
        self.strokes: list[tuple[str, list[int]]] = []

    def command(self, *command: int) -> None:
        """Take a command."""
        self.strokes.append((_COMMAND, list(command)))

    def data(self, data: Iterable[int]) -> None:
        """Take picture bytes."""
        self.strokes.append((_DATA, list(data)))

    def cleanup(self) -> None:
        """There is nothing to let go of."""


def prepare(config: Config, file: Path) -> bool:
    """Keep in *file* what makes the slate of *config* say that the plug may be pulled.

    Return whether there is a slate to say it on.
    """
    if config.slate.driver == "none":
        file.unlink(missing_ok=True)
        return False
    kept = {
        "version": _VERSION,
        "pins": config.pins.factory,
        "slate": asdict(config.slate),
        "strokes": _strokes(config, config.slate),
        "others": [
            {"slate": asdict(one), "strokes": _strokes(config, one)} for one in config.slates[1:]
        ],
    }
    atomic_write(file, json.dumps(kept).encode())
    return True


def say(
    file: Path, *, pin_factory: "Factory | None" = None, bus: Any = None, spi: Any = None
) -> None:
    """Send what is kept in *file* to the glass, where it stays.

    Args:
        file: That `prepare` wrote.
        pin_factory: The DC and reset pins of an SPI slate; None for those of the settings.
        bus: An open smbus in place of smbus2's (tests).
        spi: A spidev in place of the real one (tests).

    Raises:
        PowerOffError: *file* is missing, or holds something else.
        SlateMissing: The glass does not answer.
    """
    from luma.core.error import Error as LumaError

    from kloplei.devices.glass import SlateMissing, slate_missing
    from kloplei.devices.oled import open_wires

    pins, slates = _read(file)
    if slates[0][0].interface == "spi" and pin_factory is None:
        from kloplei.devices.pins import open_factory

        pin_factory = open_factory(pins)
    lost: list[SlateMissing] = []
    for slate, strokes in slates:
        try:
            wires = open_wires(slate, pin_factory, bus, spi)
            for kind, sent in strokes:
                if kind == _COMMAND:
                    wires.command(*sent)
                else:
                    wires.data(sent)
        except (LumaError, OSError) as error:
            lost.append(slate_missing(slate, error))
    if lost:
        raise lost[0]


def demand_rest(mounts: str) -> None:
    """Do nothing if no disk among *mounts*, as the kernel lists them, may be written to.

    Raises:
        DiskInUse: One may; the message names it.
    """
    for line in mounts.splitlines():
        device, where, _kind, options, *_ = line.split()
        # What lies in memory, or is only another view of a disk, ends with the current.
        if device.startswith("/dev/") and "rw" in options.split(","):
            raise DiskInUse(f"{where} may still be written to. Leave the plug in a moment longer")


def _strokes(config: Config, slate: SlateConfig) -> list[tuple[str, list[int]]]:
    from kloplei.devices.oled_drivers import DRIVERS
    from kloplei.slate.drawing import with_letters
    from kloplei.slate.picture import draw_goodbye
    from kloplei.words import Words

    words = with_letters(Words(config.slate_language))
    pen = Pen()
    device = DRIVERS[slate.driver](slate, pen)
    device.persist = True
    device.display(draw_goodbye(words, slate.glass).image)
    device.show()
    return pen.strokes


def _read(file: Path) -> tuple[str, list[tuple[SlateConfig, list[tuple[str, list[int]]]]]]:
    """Return the library of pins, and each slate with what it is sent."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["version"] != _VERSION:
            kept = {}  # another Kloplei's: an upgrade makes it anew
        slates = [_slate_in(one) for one in (kept, *kept.get("others", ()))]
        return str(kept["pins"]), slates
    except OSError as error:
        raise PowerOffError(
            f"{file} cannot be read ({reason_of(error)}). Make it: kloplei halt --prepare"
        ) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise PowerOffError(
            f"{file} holds no last word. Make it anew: kloplei halt --prepare"
        ) from error


def _slate_in(kept: Mapping[str, Any]) -> tuple[SlateConfig, list[tuple[str, list[int]]]]:
    strokes = [(str(kind), [int(one) for one in sent]) for kind, sent in kept["strokes"]]
    return SlateConfig(**kept["slate"]), strokes
