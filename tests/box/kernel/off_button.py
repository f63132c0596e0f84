"""In the guest: the off button by the kernel's own driver, pressed short and long; as JSON.

Its argument is the folder with the modules, in the order to load.
"""

import json
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from kloplei.config.reader import parse_config

SIM = Path(os.environ.get("GPIO_SIM", "/run"))
SETTINGS_FILE = Path("/run/off.toml")
SETTINGS = '[slate]\ndriver = "none"\n[off]\nenabled = true\n'
SHORT_S, LONG_S = 0.5, 4.0
QUIET_S = 4.0  # longer than any press has to be
KEY, POWER = 1, 116
EVENT = struct.Struct("llHHi")  # struct input_event


def pull(pin: int, *, low: bool) -> None:
    """Pull the wire of *pin* as a button would."""
    (SIM / f"sim_gpio{pin}/pull").write_text("pull-down" if low else "pull-up")


def load(folder: Path, line: str) -> None:
    """Load the driver, and plug in what the *line* for config.txt says."""
    settings = line.split(",")[1:]
    for module in sorted(folder.glob("*.ko")):
        own = settings if "off_button" in module.name else []
        subprocess.run(["insmod", module, *own], check=True)


def keys_of(name: str) -> Path:
    """Return the input device that is called *name*; the emulated machine has keys of its own."""
    named = Path("/sys/class/input").glob("event*/device/name")
    (found,) = (one.parts[-3] for one in named if one.read_text().strip() == name)
    return Path("/dev/input", found)


def presses(keyboard: int, for_s: float) -> Iterator[tuple[float, int]]:
    """Yield when the power key went down (1) and up (0), as told within *for_s*."""
    ends_s = time.monotonic() + for_s
    while (left_s := ends_s - time.monotonic()) > 0:
        if select.select([keyboard], [], [], left_s)[0]:
            _, _, kind, code, value = EVENT.unpack(os.read(keyboard, EVENT.size))
            if (kind, code) == (KEY, POWER):
                yield time.monotonic(), value


def press(keyboard: int, pin: int, for_s: float) -> list[tuple[float, int]]:
    """Press for so long, and return what the key told, in seconds since the press."""
    from_s = time.monotonic()
    pull(pin, low=True)
    told = list(presses(keyboard, for_s))
    pull(pin, low=False)
    told += presses(keyboard, QUIET_S)
    return [(round(at_s - from_s, 2), value) for at_s, value in told]


def doctor() -> list[dict[str, str]]:
    """Return what `kloplei doctor` finds."""
    command = [sys.executable, "-m", "kloplei", "doctor", "--json", "--config", str(SETTINGS_FILE)]
    told = subprocess.run(command, capture_output=True, text=True)
    assert told.stdout, told.stderr
    return list(json.loads(told.stdout))


def main() -> None:
    """Ask the doctor without the driver and with it, press, and print all of it."""
    SETTINGS_FILE.write_text(SETTINGS)
    config = parse_config(SETTINGS, str(SETTINGS_FILE))
    assert config.off_pin is not None
    before = doctor()
    pull(config.off_pin, low=False)
    load(Path(sys.argv[1]), config.off.line(config.off_pin))
    keyboard = os.open(keys_of("gpio-keys"), os.O_RDONLY)
    short = press(keyboard, config.off_pin, SHORT_S)
    long = press(keyboard, config.off_pin, LONG_S)
    print(json.dumps({"before": before, "after": doctor(), "short": short, "long": long}))


if __name__ == "__main__":
    main()
