"""The doctor seen through the table's Unix socket: the same `DoctorClient`, in another process."""

from kloplei.rules.game import Seat
from kloplei.table.doctor import Finding
from kloplei.table.remote_part import RemotePart
from kloplei.table.wire import from_socket


class RemoteDoctor(RemotePart):
    """The doctor of the table that `kloplei.table.remote.RemoteTable` reaches."""

    def examine(self) -> tuple[Finding, ...]:
        """Return how each part does that the table's process can see."""
        with self._understood():
            findings = self._ask("doctor.examine")["findings"]
            return tuple(from_socket(Finding, one) for one in findings)

    def knock(self, seat: Seat, times: int = 1) -> None:
        """Let the table hear knocks; see `kloplei.table.doctor.DoctorClient.knock`."""
        self._ask("doctor.knock", seat=seat.shown, times=times)

    def show_test_picture(self) -> None:
        """Show the picture on the slate that tells whether it fits its chip."""
        self._ask("doctor.show_test_picture")

    def judge_picture(self, seen: str) -> Finding:
        """Return what *seen* on the glass says of the slate."""
        with self._understood():
            return from_socket(Finding, self._ask("doctor.judge_picture", seen=seen)["finding"])
