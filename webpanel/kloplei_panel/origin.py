"""Posts come from our own pages, or from tools, but never from somebody else's page."""

import ipaddress
from urllib.parse import urlsplit

from flask import request

from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_HOME_ENDINGS = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa", ".box")


def refuse_strangers() -> None:
    """Refuse a post that a page of another origin sends.

    A page elsewhere could even point its own name at the box (DNS rebinding); then the
    origin fits, but the name is none that a home network gives.

    Raises:
        Problem: 403, the post comes from elsewhere.
    """
    if request.method in _READING:
        return
    origin = request.headers.get("Origin")
    if origin is not None and _host_of(origin) != request.host.lower():
        raise Problem(403, "foreign_origin")
    if not _is_at_home(_name(request.host)):
        raise Problem(403, "foreign_host")


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""  # such as "http://[": nobody's


def _name(host: str) -> str:
    return (urlsplit(f"//{host}").hostname or "").rstrip(".")


def _is_at_home(name: str) -> bool:
    settings = panel().settings
    if name in settings.hosts or name == urlsplit(settings.join_url).hostname:
        return True
    if "." not in name or name.endswith(_HOME_ENDINGS):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
