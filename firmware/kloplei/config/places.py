"""Where the box keeps its things when nobody says otherwise."""

import os
from pathlib import Path

BOX_DATA = Path("/var/lib/kloplei")
BOX_SOCKETS = Path("/run/kloplei")
SOCKET_NAME = "table.sock"
JOURNAL = "kloplei.db"
TUNING_IN_FORCE = "tuning.toml"
TUNING_BEFORE = "tuning-before.toml"


def default_data_dir() -> Path:
    """Return `BOX_DATA` for who may enter it or make it (the box), else a folder of one's own."""
    # The panel's unit reads the shared keys there, and may write nothing.
    is_the_boxs = BOX_DATA.is_dir() and os.access(BOX_DATA, os.R_OK | os.X_OK)
    if is_the_boxs or (not BOX_DATA.exists() and os.access(BOX_DATA.parent, os.W_OK)):
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
