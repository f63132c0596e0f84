"""Who may see and do what at the house: guest, player, referee, landlord.

A guest sees the wall, tables, evenings and seasons. Who has a name here signs in; the signed
cookie holds that name, and ends where the password changes. Posts of other pages are refused, and
who sends many waits, as on the box (`kloplei_panel.access`).
"""

from typing import Final
from urllib.parse import urlsplit

from flask import Response, current_app, g, request, session, url_for
from werkzeug.routing import RequestRedirect

from kloplei_hub.users import ROLES
from kloplei_hub.web.context import house, read_as
from kloplei_hub.web.refusals import Denial
from kloplei_panel.access import harden
from kloplei_panel.answers import Problem
from kloplei_panel.context import panel
from kloplei_panel.pairing import Pairing
from kloplei_panel.reader import language_asked

USER: Final = "user"
_SEAL: Final = "seal"
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_GUARDED: Final = {"history.begin_season": "landlord", "history.end_season": "landlord"}


class Rights(Pairing):
    """Says to the panel's pages what who reads may do: players read of people, landlords keep."""

    def __init__(self) -> None:
        super().__init__(None, locked=True)

    @property
    def may_keep(self) -> bool:
        """Whether who asks keeps the house."""
        return is_at_least("landlord")

    @property
    def may_act(self) -> bool:
        """Whether who asks has a name here."""
        return is_at_least("player")


def role() -> str:
    """Return the role of who asks."""
    if "role" not in g:
        g.role = _role()
    found: str = g.role
    return found


def has_signed_in() -> bool:
    """Whether who asks has ever signed in here, and not out again; it may hold no longer."""
    return current_app.config["SESSION_COOKIE_NAME"] in request.cookies


def is_at_least(wanted: str) -> bool:
    """Whether who asks may do what the role *wanted* may."""
    return ROLES.index(role()) >= ROLES.index(wanted)


def demand(wanted: str) -> None:
    """Refuse a request of who may do less than *wanted*; a guest who reads is asked to sign in.

    Raises:
        Denial: 403.
        RequestRedirect: To where one signs in.
    """
    if is_at_least(wanted):
        return
    is_page = request.method in _READING and not request.path.startswith("/api/")
    if role() == ROLES[0] and is_page:
        raise RequestRedirect(url_for("login.show", then=request.path))
    raise Denial(403, "not_yours")


def guard() -> None:
    """Ask of who reads or sends what the page asks of them, where the panel's own asks otherwise.

    Raises:
        Denial: 403.
    """
    wanted = _GUARDED.get(request.endpoint or "")
    if wanted is not None:
        demand(wanted)


def sign_in(name: str, seal: str) -> None:
    """Let who asks be *name* from now on, as long as the password that has that *seal* holds."""
    session.clear()
    session[USER], session[_SEAL] = name, seal
    session.permanent = True


def _role() -> str:
    name = session.get(USER)
    if not isinstance(name, str):
        return ROLES[0]
    rows = house().ask("SELECT role, seal FROM users WHERE name = %s", (name,))
    if not rows or rows[0][1] != session.get(_SEAL):
        return ROLES[0]
    return str(rows[0][0])


def local(address: str) -> str:
    """Return *address* if it is a page of ours, else that of the wall."""
    is_ours = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_ours and address.isprintable() else "/"


def read_plainly() -> None:
    """Let who asks be read as nobody in particular: no cookie enters what all may share."""
    read_as(language_asked())


def refuse_foreign_pages() -> None:
    """Refuse a post that a page of another origin sends.

    Raises:
        Denial: 403.
    """
    if request.method in _READING:
        return
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc.lower() != request.host.lower():
        raise Denial(403, "elsewhere")
    if request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
        raise Denial(403, "elsewhere")


def refuse_unwritable() -> None:
    """Refuse what holds a NUL: no database keeps one, and nobody types it.

    Raises:
        Problem: 400.
    """
    if any("\0" in one for one in (request.path, *request.values.values())):
        raise Problem(400, "unreadable")


def hold_back_floods() -> None:
    """Refuse a post of an address that sends too many; a referee may send what they like.

    Raises:
        Problem: 429, with the seconds to wait.
    """
    if request.method in _READING or is_at_least("referee"):
        return
    wait_s = panel().flood.wait_s(request.remote_addr or "?")
    if wait_s:
        raise Problem(429, "too_many_asks", wait=wait_s)


def protect(response: Response) -> Response:
    """Return *response* with what keeps other pages out of ours."""
    return harden(response, images="'self' data:")
