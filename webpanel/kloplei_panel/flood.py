"""How much phones that may only look may ask for: enough for people, too little for a flood.

Each address, and all of them together, have so many requests at once, and then one more every
few seconds. Who was let in is not counted, so that a flood slows down nobody who plays.
"""

from flask import request

from kloplei_panel.panel import panel
from kloplei_panel.problems import Problem

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_WOOD = "/demo"  # the virtual table: hands knock there, not phones


def hold_back_strangers() -> None:
    """Refuse a request to change something of a phone without a right that sends too many.

    Raises:
        Problem: 429, with the seconds to wait.
    """
    if request.method in _READING or request.path.startswith(_WOOD) or panel().pairing.may_act:
        return
    wait_s = panel().flood.wait_s(request.remote_addr or "?")
    if wait_s:
        raise Problem(429, "too_many_asks", wait=wait_s)
