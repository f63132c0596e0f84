"""What the demo page may ask of a virtual table: to be knocked on, held, and played by bots."""

from typing import Protocol


class DemoTable(Protocol):
    """A table on virtual pins; `kloplei.demo` builds one.

    Seats are 1-based here, as on the page. Every method may be called from any thread.
    """

    @property
    def seats(self) -> int:
        """How many places the virtual table has."""
        ...

    @property
    def bots_speed(self) -> float | None:
        """How many times as fast as people the bots play, or None while they do not."""
        ...

    def knock(self, seat: int, times: int) -> None:
        """Move the virtual pin of *seat* as *times* blows on the wood would."""
        ...

    def hold(self, seat: int, for_s: float) -> None:
        """Hold the button of *seat* down for *for_s* seconds; returns at once."""
        ...

    def box(self) -> dict[str, object]:
        """Return ``lamp`` ("#rrggbb") and ``buzzer_hz`` (a number, or None when silent)."""
        ...

    def set_bots(self, speed: float | None) -> None:
        """Let bots play at *speed* times human pace, or stop them with None."""
        ...
