"""The whole HTTP interface described: ``/api/v1/openapi.json``, OpenAPI 3.1.

One table of routes, and the shapes they take and answer. Those of the seam are made of their
dataclasses by `kloplei.table.schema`. It is loaded and put together at the first request and kept:
that takes some milliseconds, less than a file made at build would cost in rules to keep it fresh.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from kloplei import __version__
from kloplei.frozen import dataclass
from kloplei.games.game import Facts
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import HeardEvent, LearnedInPlay
from kloplei.table.history_client import Evening, PersonPage
from kloplei.table.schema import ASKED, MOST_WHOLE, Json, shapes
from kloplei.table.schema import describe as schema_of
from kloplei.words import LANGUAGES
from kloplei_panel.answers import Failure, Refusal
from kloplei_panel.api import demo, door, ears, history, recordings, table, voice

_JSON = "application/json"
_TEXT = schema_of(str)


@cache
def describe(*, with_demo: bool) -> Json:
    """Return the OpenAPI document."""
    paths: Json = {}
    for route in (*_ROUTES, *(_DEMO_ROUTES if with_demo else ())):
        paths.setdefault(route.path, {})[route.method] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kloplei",
            "version": __version__,
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": (
                "The table, as phones see it. Seats are counted from 1. Every error is "
                '`{"error": code, "message": sentence}`; the sentence is in the language of '
                f"`?lang=`, of the cookie, or of `Accept-Language` ({', '.join(LANGUAGES)}). "
                "Asked by a name that is not the box's own, every address answers 403."
            ),
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": _schemas()},
    }


@dataclass(frozen=True, slots=True)
class _Route:
    """One address and method: its name, what it is for, and what it answers when all is well.

    That is a dataclass, told with *status* and in the words of *said*; what *raw* says is no JSON.
    *errors* are the statuses of what goes wrong besides what goes wrong with all of its kind
    (`_problems`). What it *takes* stands in the body, what it *asks* in the address.
    """

    method: str
    path: str
    name: str
    summary: str
    answers: Any = None
    errors: tuple[int, ...] = (503,)
    takes: Any = None
    asks: Any = None
    parameters: tuple[Json, ...] = ()
    status: int = 200
    said: str = "As it stands"
    raw: Json | None = None
    description: str = ""


def _schemas() -> Json:
    routes = (*_ROUTES, *_DEMO_ROUTES)
    made = shapes(Failure, Refusal, *(one.answers for one in routes))
    # Only the world's form of a line leaves out the family, so its class cannot say so.
    made["Line"]["description"] = (
        "A sentence in no language yet: its key, without the family that its place names"
    )
    return {**made, **shapes(*(one.takes for one in routes), form=ASKED)}


def _operation(route: _Route) -> Json:
    operation: Json = {"operationId": route.name, "summary": route.summary}
    if route.description:
        operation["description"] = route.description
    if parameters := [*route.parameters, *_in_query(route.asks)]:
        operation["parameters"] = parameters
    if route.takes is not None:
        body = {"content": {_JSON: {"schema": schema_of(route.takes)}}}
        operation["requestBody"] = {"required": True, **body}
    good = route.raw or {str(route.status): _answer(route.said, schema_of(route.answers))}
    return {**operation, "responses": {**good, **_problems(route)}}


def _in_query(kind: Any) -> list[Json]:
    """Return what may stand in the address after its question mark."""
    found = shapes(kind, form=ASKED).values()
    told = [(name, schema) for one in found for name, schema in one["properties"].items()]
    return [{"name": name, "in": "query", "schema": schema} for name, schema in told]


def _problems(route: _Route) -> Json:
    statuses = set(route.errors)
    if route.takes or route.asks:
        statuses.add(400)
    if route.takes:
        statuses |= {413, 415}
    if route.path.startswith(_OF_PEOPLE):
        statuses.add(403)
    if route.method != "get" or route.path.startswith(_FOR_KEEPERS):
        statuses |= {403, 429}
    area = next((said for prefix, said in _SAID.items() if route.path.startswith(prefix)), {})
    said = {**_ALWAYS_SAID, **area}
    return {
        str(status): _answer(said[status], schema_of(Refusal if status == 409 else Failure))
        for status in sorted(statuses)
    }


_ALWAYS_SAID: Mapping[int, str] = {
    400: "Unreadable",
    403: "Not allowed: not paired, or posted by another site",
    404: "Not there",
    409: "Refused by the rules or too late",
    413: "Too large",
    415: "Not JSON",
    429: "Too much at once for a phone that may only look; Retry-After says how long to wait",
    503: "The table does not answer, or too much is under way",
}
_SAID: Mapping[str, Mapping[int, str]] = {
    "/api/v1/recordings": {
        400: "Unreadable, or a table without piezos on a converter",
        404: "There is no such file",
        409: "Not now: somebody plays or tunes, or there is no room",
        503: "The table does not answer, or its disk does not",
    },
    "/api/v1/ears": {
        409: "Forgotten, or something else is suggested by now",
        503: "The table does not answer, or cannot write it down",
    },
    "/api/v1/tune": {
        400: "Unreadable, or a table that cannot be tuned",
        404: "There is no such seat",
        409: "Not now",
        503: "The table does not answer, or cannot save it",
    },
    "/api/v1/evenings": {404: "There is no such evening", 503: "The history cannot be read now"},
    "/api/v1/people": {
        403: "Not allowed: this box shows people to phones that were let in",
        404: "There is no such person",
        503: "The history cannot be read now",
    },
    "/api/v1/statistics": {
        403: "Not allowed: this box shows people to phones that were let in",
        404: "There is no such person",
        503: "The history cannot be read now",
    },
    "/api/v1/reactions": {
        404: "This house has switched reactions off, or there is no such seat",
        429: "Too many at once; Retry-After says how long to wait",
    },
    "/api/v1/door": {
        404: "There is no such seat, or nobody has to ask here",
        409: "Not now: it asks already, asked in vain of late, or others wait",
        503: "The table does not answer",
    },
}
"""What a status means below an address, where that is something else than everywhere."""


def _answer(said: str, schema: Json, kind: str = _JSON) -> Json:
    return {"description": said, "content": {kind: {"schema": schema}}}


def _kept(path: str, name: str, summary: str, *parameters: Json) -> _Route:
    """Return a step of the review, which answers with what is kept by now."""
    return _Route("post", path, name, summary, ears.Kept, (400, 409, 503), parameters=parameters)


def _in_path(name: str, description: str, schema: Json) -> Json:
    told = {"name": name, "in": "path", "required": True}
    return {**told, "description": description, "schema": schema}


_LIVE = "An event `scoreboard` at once and at every change; its `id` is the scoreboard's `seq`. \
Comments keep the line alive."
_PAGE = {"200": _answer("A page", _TEXT, "text/html")}
_EVENTS = {"200": _answer("The data of each event is a Scoreboard", _TEXT, "text/event-stream")}
_UNCHANGED: Json = {"304": {"description": "Unchanged since If-None-Match"}}
_PNG = {"200": _answer("One pixel a pixel, or scale squared", {}, "image/png"), **_UNCHANGED}
_ZIP = {
    "200": _answer("The file: WAV recordings, labels.json and README.txt", {}, "application/zip")
}
_NUMBER = {**schema_of(int), "maximum": MOST_WHOLE}
_AT_SEAT = _in_path(
    "number", "Seat, counted from 1 clockwise from the slate", {**_NUMBER, "minimum": 1}
)
_OF_EVENT = _in_path("number", "Number of the event", {**_NUMBER, "minimum": 0})
_OF_LESSON = _in_path("number", "Number of the lesson", {**_NUMBER, "minimum": 0})
_OF_RECORDING = _in_path("name", "Name of the file", _TEXT)
_OF_SUGGESTION = _in_path("name", "Id of the suggestion", _TEXT)
_OF_EVENING = _in_path("number", "Number of the evening", {**_NUMBER, "minimum": 0})
_OF_PERSON = _in_path("person", "Id of the person", {**_NUMBER, "minimum": 0})
_OF_CALL = (
    _in_path("number", "Number of what happened", {**_NUMBER, "minimum": 0}),
    _in_path("which", "Of several calls that tell of it", {**_NUMBER, "minimum": 0}),
    _in_path("language", "A language of the box", {"type": "string", "enum": list(LANGUAGES)}),
)
_LAST_EVENT: Json = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "Sent by a reader that comes back; it gets all of it",
    "schema": _TEXT,
}
_DRAWN: Json = {
    "name": "page",
    "in": "query",
    "description": "The page that comes drawn as well, in events called page; `seat` and `lang` "
    "say for whom. What only a request of its own brings its reader does not come",
    "schema": {"type": "string", "enum": ["slate", "tv", "demo"]},
}
_PACKED: Json = {
    "name": "packed",
    "in": "query",
    "description": "no: a page comes plain although its reader takes gzip, where something on the "
    "way holds back what is packed",
    "schema": {"type": "string", "enum": ["no"]},
}
_DOOR = "/api/v1/door"
_EARS = "/api/v1/ears"
_RECORDINGS = "/api/v1/recordings"
_FOR_KEEPERS = (_EARS, "/api/v1/tune", _RECORDINGS)
_OF_PEOPLE = ("/api/v1/people", "/api/v1/statistics", "/people")
_SUGGESTIONS = f"{_EARS}/suggestions/{{name}}"

_ROUTES = (
    _Route("get", "/", "slatePage", "The slate for phones", errors=(), raw=_PAGE),
    _Route("get", "/tv", "tvPage", "The same, large, without controls", errors=(), raw=_PAGE),
    _Route("get", "/api/v1/scoreboard", "scoreboard", "The whole scoreboard", Scoreboard),
    _Route(
        *("get", "/api/v1/stream", "stream", "Every scoreboard, as server-sent events"),
        parameters=(_LAST_EVENT, _DRAWN, _PACKED),
        raw=_EVENTS,
        description=_LIVE,
    ),
    _Route(
        *("post", "/api/v1/seats/{number}/actions", "act", "Do something for a seat"),
        table.Granted,
        errors=(404, 409, 503),
        takes=table.AskedAction,
        parameters=(_AT_SEAT,),
        status=202,
        said="Done and written down",
    ),
    _Route(
        *("post", "/api/v1/actions", "actAsKeeper", "Do something as keeper of the slate"),
        table.Granted,
        errors=(409, 503),
        takes=table.AskedAction,
        status=202,
        said="Done and written down",
    ),
    _Route(
        *("get", "/api/v1/log", "log", "The last steps of the evening"),
        table.Log,
        asks=table.LogSize,
    ),
    _Route(
        *("get", "/api/v1/reactions", "reactions", "What flies over the large screen now"),
        table.ReactionsNow,
        errors=(404,),
        asks=table.ReactionsWanted,
    ),
    _Route(
        *("post", "/api/v1/reactions", "react", "Let something fly over the large screen"),
        table.ReactionThrown,
        errors=(404,),
        takes=table.AskedReaction,
        status=202,
        said="It flies",
    ),
    _Route(
        *("get", "/api/v1/calls", "calls", "What is called out now, in the reader's language"),
        voice.CallsNow,
        asks=voice.CallsWanted,
    ),
    _Route(
        *("get", "/api/v1/calls/{number}/{which}.{language}.wav", "callSound", "How a call sounds"),
        errors=(404, 503),
        parameters=_OF_CALL,
        raw={"200": _answer("One channel of 16 bits", {}, "audio/wav")},
    ),
    _Route(
        *("post", "/api/v1/hush", "hush", "Let the caller be quiet at once, or speak again"),
        voice.Hushed,
        errors=(400, 503),
        takes=voice.Hush,
        said="It is quiet, or speaks again",
    ),
    _Route("get", "/api/v1/health", "health", "Whether all is well", table.Health),
    _Route(
        *("get", "/api/v1/evenings", "evenings", "The evenings that were played, newest first"),
        history.Evenings,
        asks=history.EveningsWanted,
    ),
    _Route(
        *("get", "/api/v1/evenings/{number}", "evening", "All that is told of one evening"),
        Evening,
        errors=(404, 503),
        parameters=(_OF_EVENING,),
    ),
    _Route("get", "/api/v1/evenings/last", "lastEvening", "The newest one", Evening, (404, 503)),
    _Route("get", "/api/v1/people", "people", "The people that the box knows", history.People),
    _Route(
        *("get", "/api/v1/people/{person}", "person", "What is told of one person"),
        PersonPage,
        errors=(404, 503),
        parameters=(_OF_PERSON,),
    ),
    _Route(
        *("get", "/api/v1/statistics", "statistics", "The numbers of everybody, or of one"),
        history.Statistics,
        errors=(404, 503),
        asks=history.StatisticsWanted,
    ),
    _Route("get", "/evenings", "eveningsPage", "The evenings", errors=(503,), raw=_PAGE),
    _Route(
        *("get", "/evenings/{number}", "eveningPage", "One evening"),
        errors=(404, 503),
        parameters=(_OF_EVENING,),
        raw=_PAGE,
    ),
    _Route(
        *("get", "/evenings/{number}/recap.png", "recap", "The picture of an evening, to share"),
        errors=(404, 503),
        parameters=(_OF_EVENING,),
        raw={"200": _answer("1080 by 1350 pixels", {}, "image/png"), **_UNCHANGED},
    ),
    _Route(
        *("get", "/evenings/{number}/text", "eveningText", "An evening as one sends it to friends"),
        errors=(404, 503),
        parameters=(_OF_EVENING,),
        raw={"200": _answer("In the language of the reader", _TEXT, "text/plain")},
    ),
    _Route(
        *("get", "/people/{person}", "personPage", "One person"),
        errors=(404, 503),
        parameters=(_OF_PERSON,),
        raw=_PAGE,
    ),
    _Route("get", "/api/v1/openapi.json", "openapi", "This description", Facts, ()),
    _Route(
        *("get", "/slate.png", "slatePicture"),
        "What stands on the OLED now, but for PIN and password",
        errors=(404, 503),
        asks=table.PictureSize,
        raw=_PNG,
    ),
    _Route(
        *("get", f"{_EARS}/events", "earsEvents", "The last blows on the wood"),
        ears.HeardEvents,
        asks=ears.EventsWanted,
    ),
    _Route(
        *("post", f"{_EARS}/events/{{number}}/mark", "earsMark", "Say what a blow was in truth"),
        HeardEvent,
        errors=(404, 409, 503),
        takes=ears.Mark,
        parameters=(_OF_EVENT,),
    ),
    _Route(
        *("get", f"{_EARS}/suggestion", "earsSuggestion", "What the marks suggest"),
        ears.MaybeSuggestion,
    ),
    _kept(f"{_SUGGESTIONS}/take", "earsTake", "Do what it says", _OF_SUGGESTION),
    _kept(f"{_SUGGESTIONS}/decline", "earsDecline", "Hear no more of it", _OF_SUGGESTION),
    _kept(f"{_EARS}/take-back", "earsTakeBack", "Undo what was taken"),
    _Route(
        *("get", f"{_EARS}/lessons", "earsLessons", "What was learned while people played"),
        LearnedInPlay,
    ),
    _Route(
        *("post", f"{_EARS}/lessons/{{number}}/forget", "earsForget", "Take one lesson back"),
        LearnedInPlay,
        errors=(400, 409, 503),
        parameters=(_OF_LESSON,),
    ),
    _Route(
        *("post", f"{_EARS}/lessons/forget", "earsForgetAll", "Take all of them back"),
        LearnedInPlay,
        errors=(400, 503),
    ),
    _Route("get", f"{_EARS}/meter", "earsMeter", "How loud it is on each channel", ears.MeterRead),
    _Route(
        *("get", "/api/v1/tune", "tuneLook", "Where the tuning of the table stands"),
        ears.TuneState,
        errors=(400, 503),
    ),
    _Route(
        *("post", "/api/v1/tune", "tuneStep", "Do one step of it"),
        ears.TuneState,
        errors=(404, 409, 503),
        takes=ears.TuneStep,
    ),
    _Route(
        *("get", _RECORDINGS, "recordingsLook", "Where a recording stands, and which are kept"),
        recordings.RecordingState,
        errors=(400, 503),
    ),
    _Route(
        *("post", _RECORDINGS, "recordingsStep", "Do one step of a recording"),
        recordings.RecordingState,
        errors=(409, 503),
        takes=recordings.RecordingStep,
    ),
    _Route(
        *("get", f"{_RECORDINGS}/{{name}}", "recordingsRead", "One file, to keep or to send"),
        errors=(400, 404, 503),
        parameters=(_OF_RECORDING,),
        raw=_ZIP,
    ),
    _Route(
        *("delete", f"{_RECORDINGS}/{{name}}", "recordingsDelete", "Throw one file away"),
        recordings.RecordingState,
        errors=(400, 404, 503),
        parameters=(_OF_RECORDING,),
    ),
    _Route(
        *("get", _DOOR, "doorLook", "What this phone may do, and how its question stands"),
        door.Doorstep,
    ),
    _Route(
        *("post", _DOOR, "doorAsk", "Ask to be let in by a knock on the table"),
        door.Doorstep,
        errors=(404, 409, 503),
        takes=door.PlaceAsked,
        status=202,
        said="It asks",
    ),
    _Route("delete", _DOOR, "doorWithdraw", "Ask no longer", door.Doorstep),
    _Route(
        *("post", f"{_DOOR}/refuse", "doorRefuse"),
        "Turn away who asks, as the keeper of the slate",
        door.Doorstep,
        errors=(409, 503),
        takes=door.PhoneRefused,
    ),
)

_DEMO_ROUTES = (
    _Route("get", "/demo", "demoPage", "The virtual table", errors=(), raw=_PAGE),
    _Route(
        *("post", "/demo/seats/{number}/knock", "demoKnock", "Knock on a virtual pin"),
        demo.KnocksAsked,
        errors=(404,),
        takes=demo.KnocksAsked,
        parameters=(_AT_SEAT,),
        status=202,
        said="Done",
    ),
    _Route(
        *("post", "/demo/seats/{number}/hold", "demoHold", "Hold a virtual button down"),
        demo.Hold,
        errors=(404,),
        takes=demo.Hold,
        parameters=(_AT_SEAT,),
        status=202,
        said="Done",
    ),
    _Route(
        *("post", "/demo/strike", "demoStrike", "Let something land on the wood"),
        demo.StrikeBegun,
        errors=(404, 503),
        takes=demo.Strike,
        status=202,
        said="It is on its way",
    ),
    _Route(
        *("get", "/demo/heard", "demoHeard", "What the box made of what landed"),
        demo.LandingsHeard,
        errors=(),
        asks=demo.LandedAfter,
    ),
    _Route(
        *("post", "/demo/bots", "demoBots", "Let bots play"),
        demo.BotsState,
        errors=(404,),
        takes=demo.BotsAsked,
        status=202,
        said="Done",
    ),
    _Route("get", "/demo/box", "demoBox", "Lamp, buzzer and bots", demo.BoxState, ()),
)
