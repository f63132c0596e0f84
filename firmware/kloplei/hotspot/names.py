"""What names mean on the hotspot: a drop-in for the dnsmasq that NetworkManager runs there."""

from ipaddress import IPv4Address
from pathlib import Path

from kloplei.files import atomic_write
from kloplei.hotspot.nmcli import HotspotError
from kloplei.joining import HOTSPOT

DROP_IN = Path("/etc/NetworkManager/dnsmasq-shared.d/kloplei.conf")
_BOX_NAMES = ("kloplei", "slate", "lei")  # short, for who would rather type a name


def drop_in(every_name: IPv4Address) -> str:
    """Return the drop-in that lets every name lead to *every_name*, which is the box."""
    lines = [
        "# Made by: kloplei hotspot on. Removed by: kloplei hotspot off.",
        "# Every name is this box; what is asked besides an IPv4 address does not exist.",
        "no-resolv",
        "local=/#/",
        f"address=/#/{every_name}",
        *(f"address=/{name}/{HOTSPOT.ip}" for name in _BOX_NAMES),
        "# Windows takes a network for the internet by this answer.",
        "address=/dns.msftncsi.com/131.107.255.255",
        "# Not there, by their makers' wish: Firefox then asks us, and so does an iPhone.",
        "address=/use-application-dns.net/",
        "address=/mask.icloud.com/",
        "address=/mask-h2.icloud.com/",
    ]
    return "\n".join(lines) + "\n"


def install(every_name: IPv4Address, path: Path = DROP_IN) -> bool:
    """Write the drop-in, and return whether it differs from what stood there.

    Raises:
        HotspotError: It cannot be written.
    """
    wanted = drop_in(every_name).encode()
    try:
        if path.is_file() and path.read_bytes() == wanted:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, wanted)
    except OSError as error:
        raise HotspotError(
            f"{path} cannot be written ({error.strerror or error}). Look at the disk: df -h"
        ) from error
    return True


def remove(path: Path = DROP_IN) -> None:
    """Take the drop-in away; one that is not there is no mistake.

    Raises:
        HotspotError: It cannot be removed.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise HotspotError(
            f"{path} cannot be removed ({error.strerror or error}). Look at the disk: df -h"
        ) from error
