"""Who is told on their phone when their table is called: a phone says so, asks, and takes it back.

A phone goes by what its endpoint comes to (`PushSubscription.id`), which it alone can reckon.
"""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, abort, jsonify, request

from kloplei_hub import pushes
from kloplei_hub.people import house_people
from kloplei_hub.referee import HouseReferee
from kloplei_hub.tournaments import NotNow
from kloplei_hub.web.context import house
from kloplei_panel.answers import Problem, fresh
from kloplei_panel.reader import reader

bp = Blueprint("push", __name__, url_prefix="/push")


@bp.get("/key")
def key() -> Response:
    """Answer with the house's key, which a browser subscribes with."""
    with house().connected() as connection:
        return fresh(jsonify(key=pushes.public_key(connection)))


@bp.get("/<subscription>")
def whose(subscription: str) -> Response:
    """Answer with who is told on this phone; 404 for nobody."""
    with house().connected() as connection:
        person = pushes.whose(connection, subscription)
        name = house_people(connection).name(person) if person is not None else ""
    return fresh(jsonify(name=name)) if name else abort(404)


@bp.post("")
def begin() -> Response:
    """Tell this phone when *person* is called, who takes part in *tournament*.

    Body: ``{"tournament": 1, "person": 71, "subscription": {...}}``, the last as a browser has it.

    Raises:
        Problem: 400, it is none of that, or leads where nothing is pushed; or 404, nobody of that
            name takes part.
    """
    told: Any = request.get_json(silent=True)
    asked: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    number, person = (_whole(asked.get(one)) for one in ("tournament", "person"))
    try:
        anywhere = house().config.push.anywhere
        subscription = pushes.subscription_of(asked.get("subscription"), anywhere=anywhere)
    except pushes.PushRefused:
        raise Problem(400, "unreadable") from None
    with house().connected() as connection:
        people = house_people(connection)
        try:
            takes_part = (
                person in HouseReferee(connection, house().tournaments).read(number).players
            )
        except NotNow:
            takes_part = False
        if not (takes_part and people.name(person)):
            raise Problem(404, "not_found")
        pushes.subscribe(connection, person, subscription, reader().language)
    return fresh(jsonify(name=people.name(person)))


@bp.post("/<subscription>/stop")
def stop(subscription: str) -> Response:
    """Tell this phone nothing any more."""
    with house().connected() as connection:
        pushes.unsubscribe(connection, subscription)
    return fresh(jsonify(name=""))


def _whole(told: object) -> int:
    """Return the number that was *told*, -1 for none that the database knows."""
    is_one = isinstance(told, int) and not isinstance(told, bool)
    return told if isinstance(told, int) and is_one and 0 <= told < 1 << 53 else -1
