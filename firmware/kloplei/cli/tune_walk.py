"""The way through a tuning: what is shown comes from the ears, what is pressed goes to them."""

import contextlib
from typing import Protocol

from kloplei.files import KlopleiError
from kloplei.games.game import IllegalAction, Seat
from kloplei.table.client import TableSilent, Unreadable
from kloplei.table.ears import EarsClient, TuneState
from kloplei.table.tune import RESULT, TuneStand, read_stand
from kloplei.words import Words

LOOK_S = 0.12  # often enough for a meter
_KEYS = {"\n": "next", "\r": "next", "s": "skip", "r": "redo"}
_ENDS = frozenset({"q", "n"})


class CannotTune(KlopleiError):
    """This table cannot be tuned; the sentence says why, and what to do."""


class Screen(Protocol):
    """Where a tuning is shown, and where keys come from."""

    def show(self, stand: TuneStand, said: str = "") -> None:
        """Show where it stands; *said* is why the last key did nothing."""
        ...

    def key(self, within_s: float) -> str | None:
        """Return what was pressed within that time, "" when nobody can press any more."""
        ...

    def end(self, sentence: str) -> None:
        """Leave *sentence* as the last word."""
        ...


def walk(ears: EarsClient, screen: Screen, seats: int | None = None) -> bool:
    """Lead people through a tuning; return whether it was saved.

    Whatever ends it early leaves everything as it was.

    Raises:
        CannotTune: The table has no sensors that can be tuned.
        TableSilent: The table went away.
    """
    facts = {} if seats is None else {"seats": seats}
    try:
        stand = read_stand(ears.tune("begin", facts))
    except Unreadable as error:
        raise CannotTune(str(error)) from error
    try:
        saved = _led(ears, screen, stand)
    finally:
        # After it was saved there is nothing left to throw away.
        with contextlib.suppress(KlopleiError):
            ears.tune("quit")
    screen.end("Saved, and in force." if saved else "Nothing was saved; all is as it was.")
    return saved


def _led(ears: EarsClient, screen: Screen, stand: TuneStand) -> bool:
    said = ""
    while stand.is_under_way:
        screen.show(stand, said)
        pressed = screen.key(LOOK_S)
        if pressed in _ENDS or (pressed == "" and stand.step == RESULT):
            return False
        wanted = "look" if not pressed else _meaning(pressed, stand)
        if wanted != "look":
            said = ""
        try:
            stand = read_stand(_do(ears, wanted, pressed))
        except IllegalAction as refusal:
            said = Words("en").say(f"reason.{refusal.reason}", refusal.facts)
        except TableSilent as error:
            if wanted != "save":
                raise
            said = str(error)  # mend it and press again: nobody wants to knock anew
        else:
            if wanted == "save":
                return True
    return False


def _do(ears: EarsClient, step: str, pressed: str | None) -> TuneState:
    if step == "redo" and pressed is not None and pressed.isdigit():
        return ears.tune("redo", {"seat": Seat(int(pressed) - 1)})
    return ears.tune(step)


def _meaning(key: str, stand: TuneStand) -> str:
    """Return the step that *key* asks for, ``look`` where it asks for none."""
    if stand.step == RESULT:
        if key == "y" and "save" in stand.commands:
            return "save"
        return "redo" if key in "123456789" else "look"
    step = _KEYS.get(key, "look")
    return step if step in stand.commands else "look"
