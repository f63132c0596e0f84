"""A seat's button, and how a bouncing contact makes up its mind."""

from dataclasses import dataclass

from gpiozero import Button, Factory


class SeatButton(Button):
    """A push button that closes *pin* to ground.

    Wiring: one leg to *pin*, the other to any GND; the Pi pulls the pin up.
    Pins: docs/config.md, Pins. ::

        button = SeatButton(4)
        button.when_pressed = lambda: print("down")

    Edges come raw: put them through a `Contact`. Holds are timed by the table, so
    ``when_held`` never fires.

    Args:
        pin: BCM number, or any name gpiozero accepts.
        pin_factory: gpiozero's default if None.

    Raises:
        gpiozero.GPIOPinInUse: Another device holds *pin*; the message names it.
    """

    def __init__(self, pin: int | str, *, pin_factory: Factory | None = None) -> None:
        # No bounce_time: what it does depends on the pin library. RPi.GPIO goes deaf after
        # an edge and so may miss the release, which leaves a hand "holding" for ever.
        super().__init__(pin, pull_up=True, pin_factory=pin_factory)
        # gpiozero's thread for when_held wakes ten times a second a button, all evening: end
        # it, and wake it to hear so, for it would take a tenth of a second a button else.
        self._hold_thread.stopping.set()
        self._hold_thread.holding.set()
        self._hold_thread.stop()


@dataclass(frozen=True, slots=True)
class Turn:
    """The contact has *closed* for good, or opened, and did so *at_s*."""

    closed: bool
    at_s: float


class Contact:
    """Pure judgement of one contact: a new level counts once it has stood for *settle_s*.

    Neither a bounce nor a spike on a long wire is a press, and no release is ever lost.
    The moment reported is that of the first edge, not that of the judgement.
    """

    def __init__(self, settle_s: float) -> None:
        self.settle_s = settle_s
        self._told = False  # the level that was last reported
        self._level = False
        self._left_at_s: float | None = None  # first edge away from the reported level
        self._quiet_from_s = 0.0

    def edge(self, closed: bool, at_s: float, now_s: float) -> float:
        """Take in an edge that was *at_s* and is told *now_s*; return when to ask `turn`.

        A busy Pi tells a whole bounce late and edge by edge, so the quiet after it counts
        from the telling: what is still on its way may contradict.
        """
        self._level = closed
        self._quiet_from_s = now_s
        if self._left_at_s is None and closed != self._told:
            self._left_at_s = at_s
        return now_s + self.settle_s

    def turn(self, now_s: float) -> Turn | None:
        """Return how the contact has turned, or None if it has not, or not settled yet."""
        if self._left_at_s is None or now_s < self._quiet_from_s + self.settle_s:
            return None
        at_s, self._left_at_s = self._left_at_s, None
        if self._level == self._told:
            return None  # a spike: back where it was
        self._told = self._level
        return Turn(self._told, at_s)
