"""Where the box keeps its things when nobody says otherwise."""

import os
from pathlib import Path

BOX_DATA = Path("/var/lib/kloplei")
BOX_SOCKETS = Path("/run/kloplei")
SOCKET_NAME = "table.sock"


def default_data_dir() -> Path:
    """Return `BOX_DATA` where it may be written (the box), else a folder of the user's own."""
    holder = BOX_DATA if BOX_DATA.is_dir() else BOX_DATA.parent
    if os.access(holder, os.W_OK):
        return BOX_DATA
    # A relative XDG_DATA_HOME is to be ignored, says the specification.
    told = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (told if told.is_absolute() else Path.home() / ".local/share") / "kloplei"


def default_socket_path() -> Path:
    """Return the socket that both units of the box find without being told."""
    if BOX_SOCKETS.is_dir():
        return BOX_SOCKETS / SOCKET_NAME
    told = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    return told / "kloplei.sock" if told.is_absolute() else default_data_dir() / SOCKET_NAME
