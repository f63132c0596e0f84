"""Access: which requests the panel takes at all, and what the phone behind one may ask for.

Each of `refuse_foreign_pages`, `redeem_ticket`, `follow_person`, `hold_back_strangers`,
`keep_out_players` and `note_asked` goes before every request, in this order; the pages and the API
ask `demand` and `demand_keeper` besides.

Without a lock everybody may do everything. With one a phone is a viewer until somebody at the
table knocks for it, or until it gives the PIN of the slate (docs/security.md). A phone that asks
to be let in keeps its ticket in the signed cookie, which no script can read: only the phone that
asked can take what was granted, with its first request after the knock.
"""

import ipaddress
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

from flask import Flask, Request, Response, g, request, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadData, URLSafeTimedSerializer

from kloplei.games.catalogue import GAMES
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.network.addresses import household
from kloplei.table.client import SWAP, WELCOME, Doer, DoorAnswer, DoorState, TableUnavailable
from kloplei_panel.answers import Problem
from kloplei_panel.context import CONNECTION, Panel, board_found, panel
from kloplei_panel.followers import Follower
from kloplei_panel.reader import phone_asking
from kloplei_panel.stage import Reaction

KEEPERS_PAGES = frozenset(
    {"ears", "ears_api", "tune", "doctor", "recordings", "recordings_api", "seatcards"}
)
"""Blueprints about the box itself: they teach it, show what is wrong with it, or print for it."""
# What four knocks at any seat ask for as well.
_PLAYERS = frozenset({"undo", "redo", "start"})
_KEEPERS = frozenset({"options", "wipe", "new_evening"})
FOLLOWING = "table.stream"
_TICKET, _REFUSED = "ticket", "refused"
# What says how a question at the door has ended; a phone that follows asks for much besides.
_TELLING = frozenset({"slate.page", "slate.fragment", "door_api.look"})
_ASKING = frozenset({"slate.ask", "door_api.ask", "settings.pair"})
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# Endings that nobody can buy. Of ".box", which anybody can, only the name of a usual router.
_HOME_ENDINGS = (
    ".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa", ".fritz.box"
)  # fmt: skip
_API = ("/api/", "/slate.png")
_LONGEST_NAME = 253
_POWERS = "camera=(), microphone=(), geolocation=(), payment=(), usb=()"
# The virtual table: hands knock there, not phones.
_WOOD = "/demo"


def refuse_foreign_pages() -> None:
    """Refuse a post that a page of another origin sends.

    A page elsewhere could even point its own name at the box (DNS rebinding); then the
    origin fits, but the name is none that a home network gives. Under such a name programs
    cannot read either; pages can, for that is how phones ask whether there is an internet.

    Raises:
        Problem: 403, the request comes from elsewhere.
    """
    reads = request.method in _READING
    if (not reads or request.path.startswith(_API)) and not _is_at_home(host_name()):
        raise Problem(403, "foreign_host")
    if reads:
        return
    origin = request.headers.get("Origin")
    if origin is not None and _host_of(origin) != request.host.lower():
        raise Problem(403, "foreign_origin")
    if request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
        raise Problem(403, "foreign_origin")


def redeem_ticket() -> None:
    """Give the phone of this request what was granted to it since the last one."""
    ticket = session.get(_TICKET)
    if not isinstance(ticket, str) or request.endpoint == "static":
        return
    try:
        answer = panel().table.door.look(ticket)
    except TableUnavailable:
        # It may well be back before the question is over.
        return
    was_refused = session.get(_REFUSED) is True
    if answer.state is DoorState.GRANTED:
        panel().pairing.let_in(answer.seat)
    if answer.state is DoorState.REFUSED:
        # A slate is drawn anew at any time: the sentence stays as long as the door knows of it.
        session[_REFUSED] = True
    elif answer.state is DoorState.GRANTED or was_refused or _is_heard(answer):
        _forget_question()
    if not (was_refused and answer.state is DoorState.GONE):
        g.door = answer


def follow_person() -> None:
    """Let the right of this phone stay with its person, who may have changed places."""
    if request.endpoint != "static":
        with suppress(TableUnavailable):
            panel().pairing.follow(lambda: board_found().names)


def note_asked() -> None:
    """Take note that the household of this phone reads the pages, and does not only follow."""
    if request.endpoint != FOLLOWING:
        panel().feed.note_asked(household(request.remote_addr or "?"))


def note_done(response: Response) -> Response:
    """Take note that this request may have changed something, which the next one has to see."""
    if request.method not in _READING:
        panel().feed.note_done()
    return response


def place_to_follow() -> Follower:
    """Return the place to follow from that this request asks for."""
    return Follower(
        household(request.remote_addr or "?"),
        panel().pairing.may_act,
        request.environ.get(CONNECTION),
    )


def harden(response: Response, *, images: str, framed_by: str = "'none'") -> Response:
    """Return *response* with what keeps other pages out of ours, and ours to what they need.

    Everything comes from the box itself: a pub's cellar has no internet.

    Args:
        response: To whatever was asked.
        images: Where pictures may come from, as a Content-Security-Policy has it.
        framed_by: Who may show our pages in frames, likewise; nobody may lay a page over them.
    """
    response.headers["Content-Security-Policy"] = (
        f"default-src 'self'; img-src {images}; base-uri 'none'; form-action 'self'; "
        f"object-src 'none'; frame-ancestors {framed_by}"
    )
    response.headers["X-Frame-Options"] = "DENY" if framed_by == "'none'" else "SAMEORIGIN"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Permissions-Policy"] = _POWERS
    return response


def hold_back_strangers() -> None:
    """Refuse a request to change something of a phone without a right that sends too many.

    Raises:
        Problem: 429, with the seconds to wait.
    """
    if request.method in _READING or request.path.startswith(_WOOD):
        return
    if panel().pairing.may_act or panel().pairing.has_seen_slate:
        return
    wait_s = panel().flood.wait_s(request.remote_addr or "?")
    if wait_s and not (request.endpoint in _ASKING and is_welcome()):
        raise Problem(429, "too_many_asks", wait=wait_s)


def is_welcome() -> bool:
    """Return whether people at the table have just said that who asks is to come in."""
    shown = board_found().shown
    return shown is not None and shown.key == WELCOME


def keep_out_players() -> None:
    """Let nobody but the keeper of the slate at the pages about the box.

    Raises:
        Problem: 403, this phone does not keep the slate.
    """
    if request.blueprint in KEEPERS_PAGES:
        demand_keeper()


def demand(seat: Seat | None, action: str, facts: Facts) -> None:
    """Refuse *action* for *seat*, or for the table (None), to a phone that may not ask for it.

    Nor may a player's phone move another player: only the keeper lets two swap (*facts*).

    Raises:
        Problem: 403, and the sentence says what is missing.
    """
    pairing = panel().pairing
    if pairing.may_keep:
        return
    if not pairing.may_act:
        raise Problem(403, "not_allowed")
    board = board_found()
    if _is_told_by_anybody(board, action) and any(map(pairing.may_act_for, board.names)):
        return
    if seat is None or not pairing.may_act_for(seat):
        raise Problem(403, "not_your_seat")
    moves_another = action == SWAP and facts.get("of") in {one.shown for one in board.names}
    if moves_another or action in _keepers_own(board, seat):
        raise Problem(403, "keepers_only")


def doer(said: Doer) -> Doer:
    """Return who asks in this request: as *said*, but a player's phone asks for its own seat."""
    own = panel().pairing.own_seat
    return said if own is None else own


def throw_reaction(reaction: Reaction, said: Doer) -> None:
    """Let *reaction* fly over large screens, thrown by who asks in this request, or as *said*.

    Raises:
        Problem: 403, this phone only looks on; 404, nobody may here; 429, too many of them.
    """
    if not panel().pairing.may_act:
        raise Problem(403, "not_allowed")
    reactions = panel().reactions
    if reactions is None:
        raise Problem(404, "reactions_off")
    by = doer(said)
    seat = by if isinstance(by, Seat) else None
    if wait_s := reactions.throw(reaction, seat, request.remote_addr or "?"):
        raise Problem(429, "too_many_reactions", wait=wait_s)


def demand_keeper() -> None:
    """Refuse a phone that does not keep the slate.

    Raises:
        Problem: 403.
    """
    if not panel().pairing.may_keep:
        raise Problem(403, "keepers_only" if panel().pairing.may_act else "not_allowed")


def has_question() -> bool:
    """Whether the phone of this request waits for an answer at the door, which it alone may get."""
    return isinstance(session.get(_TICKET), str)


def ask_at_door(seat: Seat | None) -> DoorAnswer:
    """Ask for *seat*, or to keep the slate; what this phone asked before is taken back.

    Raises:
        IllegalAction: Not now; its reason is one of the door's.
        TableUnavailable: The table does not answer.
    """
    door = panel().table.door
    answer = _standing()
    if answer is not None and answer.seat == seat:
        return answer  # a double tap
    withdraw_from_door()
    if panel().pairing.has_seen_slate:
        panel().pairing.let_in(seat)
        answer = DoorAnswer(DoorState.GRANTED, seat=seat)
        g.door = answer
        return answer
    answer = door.ask(seat, request.remote_addr or "", phone_asking())
    session[_TICKET] = answer.ticket
    session.permanent = True
    g.door = answer
    return answer


def withdraw_from_door() -> None:
    """Ask no longer."""
    ticket = session.get(_TICKET)
    _forget_question()
    if isinstance(ticket, str):
        panel().table.door.withdraw(ticket)
    g.pop("door", None)


def door_answer() -> DoorAnswer | None:
    """Return what this phone has to hear about its question; its ticket is told to nobody."""
    answer: DoorAnswer | None = g.get("door")
    return None if answer is None else replace(answer, ticket="")


def host_name() -> str:
    """Return the name that this request was sent to; empty where it is none."""
    try:
        parts = urlsplit(f"//{request.host}")
        parts.port  # noqa: B018 - raises where it is no number
        return (parts.hostname or "").rstrip(".")
    except ValueError:
        # such as "[::1": no name at all.
        return ""


class NewestKey(SecureCookieSessionInterface):
    """Signs and reads with what `PanelSettings.read_key` returns now."""

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return the signer of this moment; Flask asks before it reads and before it writes."""
        _take_newest_key(app)
        return super().get_signing_serializer(app)

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        """Return what the cookie of *request* says, whenever it was signed.

        Flask refuses one signed in the future: on a box without a battery for its clock that is
        yesterday's. Until when a right holds stands in the cookie (`Pairing`).
        """
        # What is given in this request is marked with it, before any cookie is signed.
        _take_newest_key(app)
        signed = request.cookies.get(self.get_cookie_name(app))
        signer = self.get_signing_serializer(app) if signed else None
        try:
            return self.session_class(signer.loads(signed) if signer and signed else None)
        except BadData:
            return self.session_class()


def _take_newest_key(app: Flask) -> None:
    panel: Panel = app.extensions["kloplei"]
    if panel.settings.read_key is not None:
        app.secret_key = panel.settings.read_key()


def _is_told_by_anybody(board: Scoreboard, action: str) -> bool:
    own = GAMES[board.game].actions.get(action) if board.game in GAMES else None
    return own is not None and own.by_anybody


def _keepers_own(board: Scoreboard, seat: Seat) -> frozenset[str]:
    """Return what only the keeper of the slate may ask for now, and not who sits at *seat*."""
    row = board.row(seat)
    asked_here = [one for one in board.offers if seat in one.choices.get("seat", ())]
    own = {offer.action for offer in (*(row.offers if row else ()), *asked_here)}
    of_table = {offer.action for offer in board.offers}
    return frozenset((of_table | _KEEPERS) - own - _PLAYERS)


def _standing() -> DoorAnswer | None:
    """Return the question of this phone as long as it stands."""
    answer = door_answer()
    if answer is None or answer.state not in (DoorState.ASKING, DoorState.QUEUED):
        return None
    return answer


def _is_heard(answer: DoorAnswer) -> bool:
    """Whether this request tells that nobody knocked: one that follows the table tells nothing."""
    return answer.state is DoorState.GONE and request.endpoint in _TELLING


def _forget_question() -> None:
    session.pop(_TICKET, None)
    session.pop(_REFUSED, None)


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        # such as "http://[": nobody's.
        return ""


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
