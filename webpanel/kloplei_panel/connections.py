"""Who may keep a connection to the panel: not who asks nothing, nor who never ends a question.

waitress asks the wall clock, and takes each byte for a sign of life. A Pi's clock may jump by
years, and some hundred phones that ask byte by byte would leave no place for anybody else.
"""

from dataclasses import dataclass

from waitress.channel import HTTPChannel

LOOK_S = 0.25
"""Least time between two looks while there is room."""


class CountingChannel(HTTPChannel):  # type: ignore[misc]  # waitress publishes no types
    """A connection that knows how many of its requests were taken up."""

    served = 0

    def received(self, data: bytes) -> bool:
        """Take up *data*; hang up without a word on an address that waitress cannot take apart.

        Such as ``GET http://[``: it lets the error out, and would write it down each time.
        """
        try:
            return bool(super().received(data))
        except ValueError:
            self.handle_close()
            return False

    def service(self) -> None:
        """Answer what was asked."""
        self.served += 1
        super().service()

    @property
    def is_busy(self) -> bool:
        """Whether it waits for an answer, reads one, or follows the table."""
        return bool(self.requests or self.total_outbufs_len)


@dataclass(slots=True)
class _Known:
    served: int
    idle_since_s: float


class Connections:
    """Hangs up on connections that are idle for too long, and on the idlest when all are taken.

    Args:
        sockets: All that the server waits for; only `CountingChannel` are looked at.
        most: So many may be open; the idlest has to go before one more comes.
        idle_s: So long one may ask nothing, or be in the middle of asking.
    """

    def __init__(self, sockets: "dict[int, object]", most: int, idle_s: float) -> None:
        self._sockets = sockets
        self._most = most
        self._idle_s = idle_s
        self._known: dict[CountingChannel, _Known] = {}
        self._looked_s = float("-inf")

    def look(self, now_s: float) -> None:
        """Look who has to go at *now_s*, in monotonic seconds."""
        is_crowded = len(self._sockets) >= self._most
        if not is_crowded and now_s < self._looked_s + LOOK_S:
            return
        self._looked_s = now_s
        open_ones = [one for one in self._sockets.values() if isinstance(one, CountingChannel)]
        self._known = {one: self._since(one, now_s) for one in open_ones}
        idle = sorted(
            (one for one in open_ones if not one.is_busy),
            key=lambda one: self._known[one].idle_since_s,
        )
        too_many = max(0, len(self._sockets) - self._most + 1)
        for at, one in enumerate(idle):
            if at < too_many or now_s - self._known[one].idle_since_s >= self._idle_s:
                one.will_close = True

    def _since(self, channel: CountingChannel, now_s: float) -> _Known:
        known = self._known.get(channel)
        if known is None or channel.is_busy or known.served != channel.served:
            return _Known(channel.served, now_s)
        return known
