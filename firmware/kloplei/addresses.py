"""Which address phones can reach the panel by: the number, since ``.local`` fails on Android."""

import socket

# From the range kept for documentation: a route is looked up, nothing is ever sent there.
_SOMEWHERE_ELSE = ("192.0.2.1", 9)
LOOPBACK = "127.0.0.1"
_EVERYWHERE = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


def own_address() -> str:
    """Return this machine's address in the network it is in, or the loopback without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_SOMEWHERE_ELSE)
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])


def join_url(host: str, port: int) -> str:
    """Return the address of the panel that listens on *host* and *port*, as a phone types it."""
    reachable = own_address() if host in _EVERYWHERE else host
    if ":" in reachable:
        reachable = f"[{reachable}]"
    return f"http://{reachable}/" if port == 80 else f"http://{reachable}:{port}/"
