"""Recordings of the table, for programs: where one stands, each step of it, and the files."""

import logging
from collections.abc import Iterator
from dataclasses import field
from typing import Annotated

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import Facts, Seat
from kloplei.games.scoreboard import Seconds
from kloplei.table import recordings_client
from kloplei_panel.answers import Problem, fresh_json
from kloplei_panel.context import panel
from kloplei_panel.hearing import tell_asked
from kloplei_panel.reader import reader
from kloplei_panel.requests import problem, read_body

logger = logging.getLogger(__name__)
bp = Blueprint("recordings_api", __name__, url_prefix="/api/v1/recordings")


@dataclass(frozen=True, slots=True)
class RecordingStep:
    """A step of a recording; which make sense, the table itself judges."""

    step: Annotated[str, {"enum": list(recordings_client.RECORDING_STEPS)}] = field(
        metadata=problem("unreadable")
    )
    walk: Annotated[
        object, {"enum": ["short", "long"]}, "With begin: two minutes or ten; short if absent"
    ] = None
    seats: Annotated[
        object, {"type": "integer", "minimum": 1}, "With begin: so many are to knock"
    ] = None
    held_by: Annotated[
        object,
        {"enum": list(recordings_client.HELD_BY)},
        "With begin: what holds the discs to the wood",
    ] = None

    @property
    def facts(self) -> Facts:
        """What the table wants to know besides."""
        facts = {"walk": self.walk, "seats": self.seats, "held_by": self.held_by}
        return {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True, slots=True)
class RecordingState:
    """Where a recording stands, and which are kept; most is absent while nobody records."""

    state: Annotated[str, {"enum": ["idle", "recording", "packing"]}]
    commands: Annotated[tuple[str, ...], "The steps that make sense now"]
    files: Annotated[
        tuple[recordings_client.RecordedTable, ...], "Those that are kept, the newest first"
    ]
    most: Annotated[int, "So many are kept"]
    free: Annotated[int, "Bytes that are free where they are kept"]
    needs: Annotated[dict[str, int], "Bytes that each walk needs, by its name"]
    send_to: Annotated[str | None, "Where the distributor of the box asks for them"] = None
    walk: recordings_client.Walk | None = None
    text: Annotated[str | None, "What is to be done now"] = None
    said: Annotated[str | None, "What came of it, or what is wrong"] = None
    why_not: Annotated[str | None, "Why none may begin now"] = None
    left_over: Annotated[
        recordings_client.Walk | None, "One that was cut off; begin goes on with it"
    ] = None
    held: Annotated[bool | None, "It waits until somebody says go"] = None
    kind: Annotated[str | None, "silence, usual, glass and so on: hw/bench.md"] = None
    number: Annotated[int | None, "Which step it is"] = None
    of: int | None = None
    runs: Annotated[bool | None, "Else people read what comes, and go there"] = None
    is_now: Annotated[bool | None, "This is the moment to strike"] = None
    count: Annotated[int | None, "What the countdown says"] = None
    done: Annotated[int | None, "So many blows should have fallen"] = None
    beats: int | None = None
    seats: Annotated[tuple[Seat, ...] | None, "Who does it"] = None
    next_s: Annotated[Seconds | None, "How long until the next blow"] = None
    left_s: Annotated[Seconds | None, "How long the rest takes, at the least"] = None


@bp.get("")
def look() -> Response:
    """Answer with where it stands, and the files that are kept."""
    return _told(panel().table.recordings.look())


@bp.post("")
def step() -> Response:
    """Do one step: ``{"step": "begin", "walk": "short", "seats": 4}``, ``{"step": "stop"}``."""
    asked = read_body(RecordingStep)
    return _told(panel().table.recordings.step(asked.step, asked.facts))


@bp.get("/<name>")
def download(name: str) -> ResponseReturnValue:
    """Answer with the file *name*."""
    kept = kept_file(name)
    first = panel().table.recordings.read(name, 0)
    return Response(
        _rest(panel().table.recordings, name, first),
        mimetype="application/zip",
        headers={
            "Content-Length": str(kept.size),
            "Content-Disposition": f'attachment; filename="kloplei-{name}"',
            "Cache-Control": "no-store",
        },
    )


@bp.delete("/<name>")
def delete(name: str) -> Response:
    """Throw the file *name* away."""
    recordings = panel().table.recordings
    recordings.delete(kept_file(name).name)
    return _told(recordings.look())


def kept_file(name: str) -> recordings_client.RecordedTable:
    """Return the file that is kept under *name*.

    Raises:
        Problem: 404, there is none.
    """
    found = [one for one in panel().table.recordings.look().files if one.name == name]
    if not found:
        raise Problem(404, "no_recording", name=name)
    return found[0]


def _rest(
    recordings: recordings_client.RecordingsClient, name: str, first: bytes
) -> Iterator[bytes]:
    """Yield the file *name*, whose *first* part was read already."""
    part, read = first, 0
    try:
        while part:
            yield part
            read += len(part)
            part = recordings.read(name, read)
    except KlopleiError as error:  # deleted meanwhile: what has begun can only break off
        logger.warning("%s broke off on its way to a phone: %s", name, error)


def _told(stand: recordings_client.RecordingStand) -> Response:
    who = reader()
    asked = stand.asked
    more = {}
    if asked is not None:
        names = ("kind", "number", "of", "runs", "is_now", "count", "done", "beats", "seats")
        more = {name: getattr(asked, name) for name in (*names, "next_s", "left_s")}
        more |= {"held": stand.held, "text": tell_asked(asked, who)}
    return fresh_json(
        RecordingState(
            state=stand.state,
            commands=stand.commands,
            files=stand.files,
            most=stand.most,
            free=stand.free,
            needs=dict(stand.needs),
            send_to=panel().settings.recordings_to or None,
            walk=stand.walk,
            said=None if stand.said is None else who.quote(stand.said),
            why_not=who.tell(stand.why_not, panel().table.scoreboard()) or None,
            left_over=stand.left_over,
            **more,
        )
    )
