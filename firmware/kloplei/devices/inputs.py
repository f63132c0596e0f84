"""The pads and buttons of a box, tied to whoever hears; callbacks do nothing but pass on."""

from gpiozero import Factory

from kloplei.config import Config
from kloplei.devices.button_row import ButtonRow
from kloplei.devices.complaints import Complaints
from kloplei.devices.hearing import InboxHearer
from kloplei.devices.pad_row import PadRow
from kloplei.devices.schedule import Schedule
from kloplei.knock.verdict import Hearer
from kloplei.table.inbox import Inbox


class Inputs:
    """All pads and buttons of a box.

    A part that cannot be opened is reported by name as `PartFailed`; the others work.

    Args:
        config: Which pins, and how long is a moment.
        inbox: Where presses go, in monotonic seconds.
        pin_factory: The pins.
        schedule: The clock, and when to see whether a button or a blow has settled.
        hearer: Where blows go; None lets knocks into *inbox*.
        complaints: Where troubles go; None tells *inbox*.
    """

    def __init__(
        self,
        config: Config,
        inbox: Inbox,
        pin_factory: Factory,
        schedule: Schedule,
        *,
        hearer: Hearer | None = None,
        complaints: Complaints | None = None,
    ) -> None:
        complaints = complaints or Complaints(inbox)
        hearer = hearer or InboxHearer(inbox)
        self._pads = PadRow(config, hearer, pin_factory, schedule, complaints)
        self._buttons = ButtonRow(config, inbox, pin_factory, schedule, complaints)

    @property
    def held_down(self) -> tuple[str, ...]:
        """The names of pads and buttons that are down now."""
        return self._pads.held_down + self._buttons.held_down

    def close(self) -> None:
        """Let go of every pin; may be called twice."""
        self._pads.close()
        self._buttons.close()
