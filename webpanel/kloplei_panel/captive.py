"""What phones hear that ask, on the box's own hotspot, whether there is an internet.

There every name leads to the box. Apple, Windows, Firefox and Linux get the answer that keeps
them on without a word; Android gets a way to the slate, which it opens on this network even
while its mobile data stay the internet; any other name gets that way as well. Why: docs/wifi.md.

A redirect tells nothing of the table and does nothing to it; whoever bends a name to the box
gets no more than its address.
"""

import ipaddress
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from kloplei.network.addresses import HOTSPOT, NAMES_LEAD_TO, page_at
from kloplei_panel.access import host_name
from kloplei_panel.context import panel


class _Said(NamedTuple):
    """An answer that a maker's phones take for the internet."""

    body: str
    status: int = 200
    mimetype: str = "text/plain"


_APPLE = _Said(
    "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>", mimetype="text/html"
)
_NETWORKMANAGER = _Said("NetworkManager is online\n")
_FIREFOX_PAGE = (
    '<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>'
)
PROBES: Mapping[str, _Said] = {
    "/hotspot-detect.html": _APPLE,
    "/library/test/success.html": _APPLE,
    "/connecttest.txt": _Said("Microsoft Connect Test"),
    "/ncsi.txt": _Said("Microsoft NCSI"),
    "/canonical.html": _Said(_FIREFOX_PAGE, mimetype="text/html"),
    "/success.txt": _Said("success\n"),
    "/check_network_status.txt": _NETWORKMANAGER,
    "/nm": _NETWORKMANAGER,
    "/nm-check.txt": _NETWORKMANAGER,
    "/static/hotspot.txt": _Said("OK"),
}
"""By path: these are asked for under their makers' names only. Android's is not among them."""

_ROOTS: Mapping[str, _Said] = {
    "networkcheck.kde.org": _Said("OK\n"),
    "connectivity-check.ubuntu.com": _Said("", status=204),
}
"""By name, of who asks for the page at the root."""


def redirect_portal() -> AnyResponse | None:
    """Answer what was asked under a foreign name on the hotspot; None leaves it to the pages."""
    if request.method not in {"GET", "HEAD"} or not _is_on_hotspot():
        return None
    name = host_name()
    if _is_ours(name):
        return None
    said = PROBES.get(request.path) or (_ROOTS.get(name) if request.path == "/" else None)
    response = _to_the_slate() if said is None else _say(said)
    # Elsewhere the same name is somebody else.
    response.headers["Cache-Control"] = "no-store"
    return response


def _is_on_hotspot() -> bool:
    if panel().settings.join_address is None:
        # No box of ours: the demo.
        return False
    try:
        return ipaddress.ip_address(request.remote_addr or "") in HOTSPOT.network
    except ValueError:
        return False


def _is_ours(name: str) -> bool:
    settings = panel().settings
    if name in settings.hosts or (name and name == urlsplit(settings.join_url).hostname):
        return True
    try:
        return ipaddress.ip_address(name) != NAMES_LEAD_TO
    except ValueError:
        return False


def _to_the_slate() -> AnyResponse:
    # Where it was asked, it is answered.
    port = int(request.environ.get("SERVER_PORT", 80))
    return redirect(page_at(str(HOTSPOT.ip), port), code=302)


def _say(said: _Said) -> Response:
    response = Response(said.body, said.status, mimetype=said.mimetype)
    response.headers["X-NetworkManager-Status"] = "online"
    return response
