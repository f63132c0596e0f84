"""Where one signs in, and out again."""

from typing import Final

from flask import Blueprint, Response, redirect, request, session
from flask.typing import ResponseReturnValue

from kloplei_hub.users import seal_of
from kloplei_hub.web.access import USER, local, role, sign_in
from kloplei_hub.web.context import house, page, say
from kloplei_panel.answers import Problem

bp = Blueprint("login", __name__)
_LONGEST: Final = 200


@bp.get("/login")
def show(message: str = "", status: int = 200) -> Response:
    """Show where one signs in, or who one is."""
    then = local(request.values.get("then", ""))
    me = session.get(USER) if role() != "guest" else None
    return page("house/login.html", status, then=then, message=message, me=me, role=role())


@bp.post("/login")
def enter() -> ResponseReturnValue:
    """Sign in with the name and password of the form, and go on to where one wanted.

    Raises:
        Problem: 429, too many tries.
    """
    wait_s = house().sign_ins.wait_s(request.remote_addr or "?")
    if wait_s:
        raise Problem(429, "too_many_asks", wait=wait_s)
    name = " ".join(request.form.get("name", "")[:_LONGEST].split())
    password = request.form.get("password", "")[:_LONGEST]
    known = house().ask("SELECT password, seal FROM users WHERE name = %s", (name,))
    seal = seal_of(known, password)
    if seal is None:
        return show(say("login.wrong"), 403)
    sign_in(name, seal)
    return redirect(local(request.form.get("then", "")), 303)


@bp.post("/logout")
def leave() -> ResponseReturnValue:
    """Be a guest again."""
    session.clear()
    return redirect("/", 303)
