"""What opens pins of its own wants the table stopped first: two readers would each get half."""

import socket
from pathlib import Path

from kloplei.files import KlopleiError


class TableHasThem(KlopleiError):
    """A table runs and holds every pin, or nobody may know whether one does."""


def demand_stopped(path: Path) -> None:
    """Do nothing unless a table listens at the Unix socket *path*.

    Raises:
        TableHasThem: One does, or it may not be asked.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except PermissionError as error:
            raise TableHasThem(
                f"Whether a table runs may not be asked at {path}. Use sudo, as for kloplei tune"
            ) from error
        except OSError:
            return
    raise TableHasThem(
        "The table runs and holds the pins. Stop it first: sudo systemctl stop kloplei-table; "
        "and in the end start it again: sudo systemctl start kloplei-table"
    )
