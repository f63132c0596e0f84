"""What the table's socket answers about its ears; `kloplei.table.port` tells how it is asked.

Each call is one of `kloplei.table.ears.EarsClient`::

    {"call": "ears.heard", "limit": 50}                            {"events": [...]}
    {"call": "ears.mark", "number": 7, "was": "noise", "seat": null}    {"event": {...}}
    {"call": "ears.keeping"}                                       {"keeping": {...}}
    {"call": "ears.suggestion"}                                    {"suggestion": {...}} or null
    {"call": "ears.take", "suggestion": "1f2e"}                    {}
    {"call": "ears.decline", "suggestion": "1f2e"}                 {}
    {"call": "ears.take_back"}                                     {}
    {"call": "ears.meter"}                                      {"meter": [...]}
    {"call": "ears.tune", "step": "look", "facts": {...}}          {"state": {...}}
"""

from kloplei.knock.verdict import Verdict
from kloplei.rules.game import Seat
from kloplei.table.client import Unreadable
from kloplei.table.ears import EarsClient
from kloplei.table.talk import Garbled, Json
from kloplei.table.wire import facts_from_socket, to_socket


def ask_ears(ears: EarsClient, request: Json) -> Json:
    """Return the answer of *ears* to *request*.

    Raises:
        Garbled: No such call, or other words with it than there should be.
    """
    match request:
        case {"call": "ears.heard", "limit": int(limit)} if limit is not True:
            return {"events": [to_socket(one) for one in ears.heard_events(limit)]}
        case {"call": "ears.mark"}:
            return _mark(ears, request)
        case {"call": "ears.keeping"}:
            return {"keeping": to_socket(ears.keeping())}
        case {"call": "ears.suggestion"}:
            found = ears.suggestion()
            return {"suggestion": None if found is None else to_socket(found)}
        case {"call": "ears.take", "suggestion": str(suggestion)}:
            ears.take(suggestion)
            return {}
        case {"call": "ears.decline", "suggestion": str(suggestion)}:
            ears.decline(suggestion)
            return {}
        case {"call": "ears.take_back"}:
            ears.take_back()
            return {}
        case {"call": "ears.meter"}:
            return {"meter": [to_socket(one) for one in ears.meter()]}
        case {"call": "ears.tune", "step": str(step), "facts": dict(facts)}:
            return {"state": to_socket(ears.tune(step, facts_from_socket(facts)))}
    raise Garbled("no such call")


def _mark(ears: EarsClient, request: Json) -> Json:
    match request:
        case {
            "number": int(number),
            "was": str() | None as was,
            "seat": int() | None as seat,
        }:
            where = None if seat is None else Seat(seat - 1)
            return {"event": to_socket(ears.mark(number, _verdict(was), where))}
    raise Garbled("a mark needs number, was and seat")


def _verdict(word: str | None) -> Verdict | None:
    try:
        return None if word is None else Verdict(word)
    except ValueError:
        raise Unreadable(f"Nothing was {word!r} in truth, only a knock or noise.") from None
