"""Try the parts by hand, while no table runs: the lamp shows its colours, each input says its name.

What a maker wants to know before a game is played on it: which button is this, is the lamp's
red its red, and what does the box make of a blow here.
"""

import time
from collections.abc import Callable
from contextlib import closing

from kloplei.checks.stopped import demand_stopped
from kloplei.config import Config
from kloplei.ears.archive import Archive
from kloplei.knock.verdict import PIEZOS, Judgement, Struck, Verdict
from kloplei.table.inbox import ButtonPressed, ButtonReleased, Message, PartFailed, PartHealed

COLOUR_S = 1.5
_WORDS = {
    Verdict.KNOCK: "a knock",
    Verdict.DOUBTFUL: "perhaps a knock; at the table it would ask",
    Verdict.NOISE: "no knock",
}


class Hand:
    """Says of each thing that is touched what it is called; an inbox and a hearer in one.

    Args:
        say: Takes a line; called from any thread.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._down_s: dict[str, float] = {}

    def put(self, message: Message) -> None:
        """Say which button turned, or which part fails."""
        match message:
            case ButtonPressed(seat, at_s):
                self._down_s[f"button {seat.shown}"] = at_s
                self._say(f"button {seat.shown}: down")
            case ButtonReleased(seat, at_s):
                held_s = at_s - self._down_s.pop(f"button {seat.shown}", at_s)
                self._say(f"button {seat.shown}: up, after {held_s:.1f} s")
            case PartFailed(_, says):
                self._say(says)
            case PartHealed(part):
                self._say(f"{part}: works again")

    def struck(self, struck: Struck) -> None:
        """Wait for what it is found to be."""

    def judged(self, judgement: Judgement) -> None:
        """Say what a blow was, whose, and how loud."""
        whose = "nobody can say whose" if judgement.seat is None else f"seat {judgement.seat.shown}"
        loud = f", {judgement.strength:.0%} of full scale" if judgement.part == PIEZOS else ""
        self._say(f"{judgement.part}, {whose}: {_WORDS[judgement.verdict]}{loud}")

    def loudness(self, part: str, peaks: tuple[float, ...], at_s: float) -> None:
        """Leave it be: silence is not told."""


def try_parts(
    config: Config,
    say: Callable[[str], None],
    wait: Callable[[], object],
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Show lamp and buzzer of *config*, then *say* what is touched until *wait* returns.

    Raises:
        TableHasThem: A table runs.
    """
    demand_stopped(config.socket.path)
    from kloplei.devices.box import Box

    hand = Hand(say)
    calibration = Archive(config.table.data).load()
    with closing(Box(config, hand, hearer=hand, calibration=calibration)) as box:
        for shown in box.rehearse():
            say(shown)
            pause(COLOUR_S)
        say("Now press each button and knock at each seat; Ctrl-C ends it.")
        wait()
