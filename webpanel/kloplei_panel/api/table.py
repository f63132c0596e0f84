"""The table for programs: scoreboard, log, health, live stream, actions, and the slate's picture.

The stream sends the whole scoreboard as a server-sent event, at once and at every change.
"""

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields
from typing import Annotated, ClassVar, Literal

from flask import Blueprint, Response, current_app, request
from flask.typing import ResponseReturnValue

from kloplei.diagnostics.findings import doctor_words, tell
from kloplei.diagnostics.system import room_on_disk
from kloplei.frozen import dataclass
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Scoreboard, Within
from kloplei.table.client import Frame, LogEntry
from kloplei.table.doctor_client import FindingState
from kloplei.table.schema import Form, dump
from kloplei_panel import access, fragments
from kloplei_panel.answers import Problem, as_json, fresh_json, takes_packed
from kloplei_panel.broadcast import LiveStream
from kloplei_panel.context import Feed, panel
from kloplei_panel.followers import Follower
from kloplei_panel.fragments import Reading, is_everybodys, reading, reading_later
from kloplei_panel.house_rules import as_rules_spell
from kloplei_panel.pages import slate, tv
from kloplei_panel.reader import Reader, reader
from kloplei_panel.requests import known_seat, problem, read_address, read_body, seat_numbered
from kloplei_panel.stage import Reaction

bp = Blueprint("table", __name__)
_API = "/api/v1"
MOST_LOG = 500
MOST_SCALE = 16


@dataclass(frozen=True, slots=True)
class AskedAction:
    """An action out of the scoreboard, and the facts that it needs."""

    described_as: ClassVar[str] = "Ask"
    action: Annotated[str, Within(1), {"examples": ["knock", "stay", "undo", "accept_knock"]}] = (
        field(metadata=problem("no_action"))
    )
    seen: Annotated[
        int | None, Within(0), "The seq the asker was looking at; late answers are refused"
    ] = None
    waits: Annotated[
        bool, "Others may call it off for some seconds first, as what hands ask for at the table"
    ] = False
    by: Annotated[
        Seat | Literal["keeper"] | None,
        "Who asks, for the log, where that is another than the seat asked for; only a phone that"
        " may keep the slate may say another than the seat it was let in at",
    ] = None
    facts: Facts = field(default_factory=dict, metadata={"rest": True})


@dataclass(frozen=True, slots=True)
class AskedReaction:
    """What is to fly over the large screen."""

    reaction: Reaction
    by: Annotated[Seat | None, "Who throws it; a phone let in at a seat throws its own"] = None


@dataclass(frozen=True, slots=True)
class ReactionThrown:
    """It flies, over as many screens as there are."""

    status: Literal["flies"] = "flies"


@dataclass(frozen=True, slots=True)
class Flying:
    """A reaction that was thrown a moment ago."""

    number: int
    reaction: Reaction
    seat: Annotated[Seat | None, "Who threw it; absent where nobody said"] = None


@dataclass(frozen=True, slots=True)
class ReactionsNow:
    """What flies over the large screen."""

    last: Annotated[int, "The number of the newest one, whether it still flies or not"]
    reactions: Annotated[tuple[Flying, ...], "Oldest first"]


@dataclass(frozen=True, slots=True)
class ReactionsWanted:
    """Which reactions are wanted."""

    after: Annotated[int, Within(0), "The last number that was read"] = 0


@dataclass(frozen=True, slots=True)
class Granted:
    """An action is done and written down, or waits."""

    seq: Annotated[int, "Its number in the journal; while it waits, that of the newest entry"]


@dataclass(frozen=True, slots=True)
class LogSize:
    """How much of the log is wanted."""

    limit: Annotated[int, Within(1, MOST_LOG)] = field(
        default=50, metadata=problem("bad_limit", most=MOST_LOG)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldLogEntry(LogEntry):
    """One step of the evening, in the reader's words as well."""

    text: str


@dataclass(frozen=True, slots=True)
class Log:
    """The last steps of the evening, newest first."""

    entries: tuple[ToldLogEntry, ...]


@dataclass(frozen=True, slots=True)
class Streams:
    """How many phones follow, and how many may."""

    open: int
    most: int


@dataclass(frozen=True, slots=True)
class Health:
    """The table speaks; what of the box does not work."""

    seq: int
    streams: Streams
    notices: Annotated[tuple[str, ...], "What does not work, a disk that is full too"]
    status: Literal["ok"] = "ok"


@dataclass(frozen=True, slots=True)
class PictureSize:
    """How large the slate's picture is wanted."""

    scale: Annotated[int, Within(1, MOST_SCALE)] = field(
        default=1, metadata=problem("bad_scale", most=MOST_SCALE)
    )


@bp.get(f"{_API}/scoreboard")
def scoreboard() -> Response:
    """Answer with the whole scoreboard."""
    return fresh_json(panel().table.scoreboard())


@bp.get(f"{_API}/log")
def log() -> Response:
    """Answer with the last steps of the evening, newest first; ``?limit=`` asks for more."""
    found = panel().table.log(read_address(LogSize, digits=4).limit)
    who = reader().at(panel().table.scoreboard())
    return fresh_json(Log(tuple(_with_text(one, who) for one in found)))


@bp.get(f"{_API}/health")
def health() -> Response:
    """Answer whether the table speaks and what of the box does not work."""
    board = panel().table.scoreboard()
    feed = panel().feed
    who = reader()
    notices = (*(who.tell(one, board) for one in board.notices), *_trouble_with_disk())
    return fresh_json(Health(board.seq, Streams(feed.watching, feed.most), notices))


@bp.get(f"{_API}/stream")
def stream() -> Response:
    """Follow the table.

    A phone that comes back sends ``Last-Event-ID``. Whatever it has seen it gets the whole
    state at once: nothing is ever sent as a difference, so nothing has to be caught up with.
    ``?page=slate``, with the place and language of the page, lets it come drawn as well.
    """
    feed = panel().feed
    # A silent table is a 503 now, not an empty stream.
    board = feed.begin()
    page = request.args.get("page", "")
    place = access.place_to_follow()
    place.wants_log = page == "slate" and reader().is_keeper
    if place.wants_log:
        feed.keep_log(board)
    if request.method == "HEAD":
        response = Response(mimetype="text/event-stream")
    elif feed.take_place(place):
        response = _following(feed, place, board, page)
    else:
        raise Problem(503, "too_many_streams", most=feed.most)
    response.headers["Cache-Control"] = "no-store"
    # A proxy must not wait for more.
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _following(feed: Feed, place: Follower, board: Scoreboard, page: str) -> Response:
    drawn = _drawn_pages()
    is_page = page in drawn
    # How small it gets would tell of what only this phone may read.
    is_plain = request.args.get("packed") == "no" or not is_everybodys()
    is_packed = is_page and takes_packed() and not is_plain
    form, app = panel().form, current_app.app_context().app

    def tell(board: Scoreboard, reads: Reading | None) -> str:
        told: str = feed.told(board, form, as_event)
        return told if reads is None else fragments.as_event(app, reads, board, drawn[page]) + told

    reads = _reads(feed, place, board, page) if is_page else None
    stream = LiveStream(feed, place, board, tell, reads, is_packed=is_packed)
    # As it is: our server takes it out of the answer.
    response = Response(stream, mimetype="text/event-stream", direct_passthrough=True)
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    return response


def _drawn_pages() -> Mapping[str, Callable[[Scoreboard], str]]:
    """Return what draws each page that may come with the stream."""
    pages = {"slate": slate.draw, "tv": tv.draw, "overlay": tv.draw_overlay}
    if panel().demo is not None:
        from kloplei_panel.pages import demo

        pages["demo"] = demo.draw
    return pages


def _reads(
    feed: Feed, place: Follower, board: Scoreboard, page: str
) -> Callable[[Scoreboard], Reading | None]:
    """Return what tells how the phone of this request reads *page* at each board.

    None is told of a board of which it has to ask for its page itself: what only a request of its
    own can bring, what too many want, and the keeper's page while its log is not at hand.
    """
    own = None if is_everybodys() else reading_later(request.environ, page)
    found = None if access.has_question() else reading(board, page)
    same = found if found is not None and feed.draws_for(place, found) else None

    def reads(board: Scoreboard) -> Reading | None:
        if place.wants_log and feed.log_at(board.seq) is None:
            return None
        return same

    def reads_by_then(board: Scoreboard) -> Reading | None:
        found = own(board) if own is not None and reads(board) is not None else None
        return found if found is not None and feed.draws_for(place, found) else None

    return reads if own is None else reads_by_then


def as_event(board: Scoreboard, form: Form) -> str:
    """Return *board* as one server-sent event; its id is the journal number."""
    text = json.dumps(dump(board, form=form), ensure_ascii=False, separators=(",", ":"))
    return f"event: scoreboard\nid: {board.seq}\ndata: {text}\n\n"


@bp.post(f"{_API}/seats/<int:number>/actions")
def act(number: int) -> ResponseReturnValue:
    """Ask the table to do one action for seat *number*.

    Body: ``{"action": "knock", "seen": 41}`` and the facts the action needs; *seen* is the
    number the phone was showing, so a late thumb cannot answer a question already closed.
    202 with the new number, or 409 with one sentence fit to read out.
    """
    return _ask_for(seat_numbered(number))


@bp.post(f"{_API}/actions")
def act_as_keeper() -> ResponseReturnValue:
    """Ask for one action of the table itself, such as undo; the body is the same."""
    return _ask_for(None)


@bp.get(f"{_API}/reactions")
def reactions() -> Response:
    """Answer with what flies over the large screen now; ``?after=`` leaves out what was read."""
    found = panel().reactions
    if found is None:
        raise Problem(404, "reactions_off")
    after = read_address(ReactionsWanted, digits=15).after
    last, flying = found.last, found.since(after)
    told = tuple(Flying(one.number, one.reaction, one.seat) for one in flying)
    return fresh_json(ReactionsNow(max((last, *(one.number for one in flying))), told))


@bp.post(f"{_API}/reactions")
def react() -> ResponseReturnValue:
    """Let ``{"reaction": "cheers", "by": 3}`` fly over large screens; no journal hears of it."""
    if not panel().pairing.may_act:
        # Before anything of it is read.
        raise Problem(403, "not_allowed")
    ask = read_body(AskedReaction)
    access.throw_reaction(ask.reaction, known_seat(ask.by))
    return as_json(ReactionThrown()), 202


@bp.get("/slate.png")
def slate_png() -> Response:
    """Answer with the picture; ``?scale=4`` draws each pixel as a square of 4."""
    scale = read_address(PictureSize, digits=2).scale
    frame = panel().table.frame()
    if frame is None:
        raise Problem(404, "no_slate")
    response = Response(mimetype="image/png")
    response.headers["Cache-Control"] = "no-cache"
    # The picture is asked for several times a second and mostly has not changed.
    response.set_etag(hashlib.blake2b(frame.bits, digest_size=12, salt=bytes([scale])).hexdigest())
    response.make_conditional(request)
    if response.status_code == 200:
        response.set_data(to_png(frame, scale))
    return response


def to_png(frame: Frame, scale: int = 1) -> bytes:
    """Return *frame* as a PNG of as many bits a pixel, magnified *scale* times without blur."""
    # Some megabytes that a panel without onlookers never loads.
    from PIL import Image

    size = (frame.width, frame.height)
    picture = Image.frombytes("1" if frame.depth == 1 else "L", size, frame.bits)
    large = picture.resize((frame.width * scale, frame.height * scale), Image.Resampling.NEAREST)
    png = io.BytesIO()
    large.save(png, "PNG")
    return png.getvalue()


def _trouble_with_disk() -> Iterator[str]:
    """Yield what is wrong with the disk of the journal, and what to do."""
    folder = panel().settings.data
    if folder is not None:
        found = room_on_disk(folder)
        if found is not None and found.state is FindingState.BAD:
            yield " ".join(tell(found, doctor_words(reader().language)))


def _with_text(entry: LogEntry, who: Reader) -> ToldLogEntry:
    told = {one.name: getattr(entry, one.name) for one in fields(entry)}
    return ToldLogEntry(**told, text=who.recall(entry))


def _ask_for(seat: Seat | None) -> ResponseReturnValue:
    if not panel().pairing.may_act:
        # Before anything of it is read.
        raise Problem(403, "not_allowed")
    ask = read_body(AskedAction)
    access.demand(seat, ask.action, ask.facts)
    facts = as_rules_spell(ask.facts)
    seq = panel().table.submit(
        seat,
        ask.action,
        seen=ask.seen,
        facts=facts,
        waits=ask.waits,
        by=access.doer(ask.by),
    )
    return as_json(Granted(seq)), 202
