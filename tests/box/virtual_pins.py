"""`kloplei run` on virtual pins that others can move; runs inside a box under test.

It is the installed program with ``[pins] factory = "mock"`` and nothing else changed; lines such
as ``17 0.004`` in the pipe `PIPE` pull pin 17 low for so long.
"""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

PIPE = Path("/run/kloplei/pins")


def move(pins: object, line: str) -> None:
    """Pull one of *pins* low for a moment, as *line* says."""
    number, held_s = line.split()
    pin = pins.pin(f"GPIO{number}")  # type: ignore[attr-defined]
    pin.drive_low()
    time.sleep(float(held_s))
    pin.drive_high()


def listen(pins: object) -> None:
    """Move *pins* as the pipe says, for ever."""
    while True:
        with PIPE.open() as told:
            for line in told:
                move(pins, line)


def main() -> int:
    sys.path.insert(0, os.environ.get("KLOPLEI_CODE", "/usr/share/kloplei"))
    from kloplei.cli import main as kloplei
    from kloplei.devices import virtual

    class ListeningPins(virtual.VirtualPins):
        def __init__(self, *parts: Any) -> None:
            super().__init__(*parts)
            threading.Thread(target=listen, args=(self,), daemon=True).start()

    virtual.VirtualPins = ListeningPins  # type: ignore[assignment,misc]
    if not PIPE.exists():
        os.mkfifo(PIPE, 0o660)
    return kloplei(["run", "--config", "/etc/kloplei/kloplei.toml"])


if __name__ == "__main__":
    sys.exit(main())
