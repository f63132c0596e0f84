"""What the demo page may ask of a virtual table: to be struck, held, and played by bots."""

from collections.abc import Sequence
from typing import Protocol

KINDS = (
    "knuckle", "soft", "glass", "card", "deal", "dice", "keys", "phone", "drum", "bump",
)  # fmt: skip
"""What may land on the virtual wood; the first one is what a hand does unless told otherwise."""

Spot = tuple[float, float]
"""A place on the wood: along its length from the left, across its width from the top, 0 to 1."""


class DemoLanding(Protocol):
    """Something that landed on the virtual wood, and what the box has made of it so far.

    Seats are 1-based.
    """

    @property
    def number(self) -> int:
        """Counts up, from 1."""

    @property
    def kind(self) -> str:
        """What landed, one of `KINDS`."""

    @property
    def spot(self) -> Spot:
        """Where."""

    @property
    def near(self) -> int | None:
        """Seat at whose place it landed, None between the places."""

    @property
    def is_over(self) -> bool:
        """Whether the box will say no more about it."""

    @property
    def verdict(self) -> str | None:
        """``knock``, ``doubtful`` or ``noise``; None while the box has felt nothing."""

    @property
    def likelihood(self) -> float:
        """How sure the box is that it was a knock, 0 to 1."""

    @property
    def seat(self) -> int | None:
        """Who struck, in the box's opinion; None where it cannot say."""

    @property
    def confidence(self) -> float:
        """How sure the box is of *seat*, 0 to 1."""

    @property
    def blows(self) -> int:
        """How many blows the box felt."""

    @property
    def decided_after_s(self) -> float | None:
        """How long after the blow it was judged."""

    @property
    def is_heeded(self) -> bool:
        """Whether the table listened to its wood when it landed."""

    @property
    def wave(self) -> Sequence[float]:
        """The channel that felt it most, from just before the blow, full scale -1 to 1."""


class DemoTable(Protocol):
    """A table on virtual pins and virtual wood; `kloplei.demo` builds one.

    Seats are 1-based here, as on the page. Every method may be called from any thread.
    """

    @property
    def seats(self) -> int:
        """How many places the virtual table has."""
        ...

    @property
    def size_m(self) -> tuple[float, float]:
        """How long and how wide the table top is."""
        ...

    @property
    def places(self) -> Sequence[Spot]:
        """Where the hand of each seat comes down, seat 1 first, clockwise from the slate."""
        ...

    @property
    def piezos(self) -> Sequence[Spot]:
        """Where the piezo of each seat is glued under the wood, seat 1 first."""
        ...

    @property
    def bots_speed(self) -> float | None:
        """How many times as fast as people the bots play, or None while they do not."""
        ...

    def strike(self, kind: str, spot: Spot) -> int | None:
        """Let *kind*, one of `KINDS`, land at *spot*, and return its number at once.

        None is returned when too much is under way already; then nothing lands.
        """
        ...

    def heard(self, after: int = 0) -> Sequence[DemoLanding]:
        """Return what landed after number *after*, oldest first; only the last ones are kept."""
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
