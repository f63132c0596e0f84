"""The sockets that phones come to: every network the box is in, or one address alone."""

import errno
import logging
import socket
from collections.abc import Sequence

from kloplei.files import KlopleiError

_log = logging.getLogger(__name__)
_ALL_4, _ALL_6 = "0.0.0.0", "::"  # noqa: S104 - the phones of every network
_IP_FREEBIND = 15  # linux/in.h; Python does not name it
WEB = 80  # where phones ask whether there is an internet


class CannotListen(KlopleiError, OSError):
    """The address or the port cannot be had; the message says what to do."""


def listen_on(host: str, port: int, also: Sequence[str] = ()) -> list[socket.socket]:
    """Return bound sockets for *host* and *port*, the first one for IPv4 where both are meant.

    Args:
        host: ``::`` is every network by IPv4 and by IPv6, as far as the kernel has it.
        port: 0 takes a free one.
        also: Addresses to listen on at `WEB` besides, which may not be there yet; where that
            is not allowed, the panel does without.

    Raises:
        CannotListen: Port taken, not allowed, or no such address.
    """
    bound: list[socket.socket] = []
    try:
        if host == _ALL_6:
            bound.append(_bound(_ALL_4, port))
            port = bound[0].getsockname()[1]
            bound += _by_ipv6(port)
        else:
            bound.append(_bound(host, port))
    except OSError as error:
        for one in bound:
            one.close()
        raise CannotListen(_why_not(error, host, port)) from error
    if port != WEB:
        bound += filter(None, map(_bound_ahead, also))
    return bound


def _by_ipv6(port: int) -> list[socket.socket]:
    try:
        return [_bound(_ALL_6, port)]
    except OSError as error:
        if error.errno in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}:
            return []  # a kernel without it, or one in which it is switched off
        raise


def _bound(host: str, port: int) -> socket.socket:
    family, kind, proto, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind, proto)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            # A phone's IPv4 address stays one, and is counted as one.
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound


def _bound_ahead(address: str) -> socket.socket | None:
    """Return a socket on *address* before the box has it, as the hotspot comes and goes."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setsockopt(socket.IPPROTO_IP, _IP_FREEBIND, 1)
        bound.bind((address, WEB))
    except OSError as error:
        bound.close()
        _log.info("Phones on the hotspot are not led to the slate: port 80: %s", error.strerror)
        return None
    return bound


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        another = port + 1 if port < 65535 else 8080
        return (
            f"Port {port} on {host} is taken, perhaps by another Kloplei. "
            f"Stop that one, or choose another port: --port {another}"
        )
    if error.errno in {errno.EACCES, errno.EPERM}:
        return f"Port {port} needs root, as all below 1024 do. Choose a higher one: --port 8080"
    return f"Cannot listen on {host} port {port}: {error.strerror or error}. Check the address."
