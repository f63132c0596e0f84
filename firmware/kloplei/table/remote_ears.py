"""The ears seen through the table's Unix socket: the same `EarsClient`, in another process."""

from kloplei.knock.verdict import Verdict
from kloplei.rules.game import Facts, Seat
from kloplei.table.ears import HeardEvent, Keeping, Loudness, Suggestion, TuneState
from kloplei.table.remote_part import RemotePart
from kloplei.table.wire import facts_to_socket, from_socket

_NO_FACTS: Facts = {}


class RemoteEars(RemotePart):
    """The ears of the table that `kloplei.table.remote.RemoteTable` reaches."""

    def heard_events(self, limit: int = 50) -> tuple[HeardEvent, ...]:
        """Return the last *limit* events that are kept, newest first."""
        with self._understood():
            events = self._ask("ears.heard", limit=limit)["events"]
            return tuple(from_socket(HeardEvent, one) for one in events)

    def mark(self, number: int, was: Verdict | None, seat: Seat | None = None) -> HeardEvent:
        """Say what event *number* was in truth; see `kloplei.table.ears.EarsClient.mark`."""
        shown = None if seat is None else seat.shown
        with self._understood():
            answer = self._ask("ears.mark", number=number, was=was, seat=shown)
            return from_socket(HeardEvent, answer["event"])

    def keeping(self) -> Keeping:
        """Return what is kept, and what was taken of late."""
        with self._understood():
            return from_socket(Keeping, self._ask("ears.keeping")["keeping"])

    def suggestion(self) -> Suggestion | None:
        """Return what the marks suggest, with its effect; None where they suggest nothing."""
        with self._understood():
            found = self._ask("ears.suggestion")["suggestion"]
            return None if found is None else from_socket(Suggestion, found)

    def take(self, suggestion: str) -> None:
        """Do what that suggestion says; see `kloplei.table.ears.EarsClient.take`."""
        self._ask("ears.take", suggestion=suggestion)

    def decline(self, suggestion: str) -> None:
        """Hear no more of that suggestion until the marks suggest another."""
        self._ask("ears.decline", suggestion=suggestion)

    def take_back(self) -> None:
        """Undo the `take` before: the calibration is again as it was."""
        self._ask("ears.take_back")

    def meter(self) -> tuple[Loudness, ...]:
        """Return the live meter: each part that measures how loud it is."""
        with self._understood():
            measured = self._ask("ears.meter")["meter"]
            return tuple(from_socket(Loudness, one) for one in measured)

    def tune(self, step: str, facts: Facts = _NO_FACTS) -> TuneState:
        """Do one step of a tuning; see `kloplei.table.ears.EarsClient.tune`."""
        with self._understood():
            answer = self._ask("ears.tune", step=step, facts=facts_to_socket(facts))
            return from_socket(TuneState, answer["state"])
