"""Posts come from our own pages, or from tools, but never from somebody else's page."""

import ipaddress
from urllib.parse import urlsplit

from flask import request

from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# Endings that nobody can buy. Of ".box", which anybody can, only the name of a usual router.
_HOME_ENDINGS = (
    ".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa", ".fritz.box"
)  # fmt: skip
_API = ("/api/", "/slate.png")
_LONGEST_NAME = 253


def refuse_strangers() -> None:
    """Refuse a post that a page of another origin sends.

    A page elsewhere could even point its own name at the box (DNS rebinding); then the
    origin fits, but the name is none that a home network gives. Under such a name programs
    cannot read either; pages can, for that is how phones ask whether there is an internet.

    Raises:
        Problem: 403, the request comes from elsewhere.
    """
    reads = request.method in _READING
    if (not reads or request.path.startswith(_API)) and not _is_at_home(_name(request.host)):
        raise Problem(403, "foreign_host")
    if reads:
        return
    origin = request.headers.get("Origin")
    if origin is not None and _host_of(origin) != request.host.lower():
        raise Problem(403, "foreign_origin")
    if request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
        raise Problem(403, "foreign_origin")


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""  # such as "http://[": nobody's


def _name(host: str) -> str:
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018 - raises where it is no number
        return (parts.hostname or "").rstrip(".")
    except ValueError:
        return ""  # such as "[::1": no name at all


def _is_at_home(name: str) -> bool:
    settings = panel().settings
    if not 0 < len(name) <= _LONGEST_NAME:
        return False
    if name in settings.hosts or name == urlsplit(settings.join_url).hostname:
        return True
    if "." not in name or name.endswith(_HOME_ENDINGS):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
