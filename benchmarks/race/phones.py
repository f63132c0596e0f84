"""What a crowd of phones costs: how soon the last one hears, and what the panel holds for them.

`kloplei run` and `kloplei panel` as they are, with a journal on disk, beside servers that send the
same bytes and know nothing: an ASGI server, greenlets, and a loop over bare sockets. All are up at
once, and asked in turn over HTTP.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path

from benchmarks.race.crowd import Crowd, allow_files, post
from benchmarks.race.disk import running_table
from benchmarks.race.processes import (
    KLOPLEI,
    cpu_ms,
    folder,
    listens,
    memory_mb,
    page_at,
    patiently,
    started,
    threads,
    write_config,
)
from benchmarks.race.row import Measure, Missing, Row, Side
from kloplei.table.schema import WORLD
from kloplei_hub.servers import free_port
from kloplei_panel.api.table import as_event

_STARLETTE = """
import asyncio, pathlib, sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
EVENT, queues = pathlib.Path(sys.argv[2]).read_bytes(), set()
async def stream(request):
    queue = asyncio.Queue()
    queues.add(queue)
    async def events():
        yield b": here\\n\\n"
        while True:
            yield await queue.get()
    return StreamingResponse(events(), media_type="text/event-stream")
async def say(request):
    await request.body()
    for queue in queues:
        queue.put_nowait(EVENT)
    return Response(status_code=202)
routes = [Route("/", stream), Route("/say", say, methods=["POST"])]
uvicorn.run(Starlette(routes=routes), port=int(sys.argv[1]), log_level="error", backlog=4096)
"""
_GEVENT = """
import pathlib, sys
from gevent.pywsgi import WSGIServer
from gevent.queue import Queue
EVENT, queues = pathlib.Path(sys.argv[2]).read_bytes(), set()
def app(environ, start):
    if environ["REQUEST_METHOD"] == "POST":
        environ["wsgi.input"].read()
        for queue in queues:
            queue.put(EVENT)
        start("202 Accepted", [("Content-Length", "0")])
        return [b""]
    start("200 OK", [("Content-Type", "text/event-stream")])
    queue = Queue()
    queues.add(queue)
    return stream(queue)
def stream(queue):
    yield b": here\\n\\n"
    while True:
        yield queue.get()
WSGIServer(("127.0.0.1", int(sys.argv[1])), app, log=None, backlog=4096).serve_forever()
"""
BARE = """
import pathlib, selectors, socket, sys
EVENT = pathlib.Path(sys.argv[2]).read_bytes()
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=4096)
selector, followers = selectors.DefaultSelector(), []
selector.register(listener, selectors.EVENT_READ)
while True:
    for key, _ in selector.select():
        if key.fileobj is listener:
            came = listener.accept()[0]
            came.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(came, selectors.EVENT_READ)
            continue
        asked = key.fileobj.recv(65536)
        if not asked:
            selector.unregister(key.fileobj)
            key.fileobj.close()
        elif asked.startswith(b"POST"):
            for one in followers:
                one.send(EVENT)
            key.fileobj.send(b"HTTP/1.1 202 Accepted\\r\\nContent-Length: 0\\r\\n\\r\\n")
        else:
            followers.append(key.fileobj)
            key.fileobj.send(b"HTTP/1.1 200 OK\\r\\n\\r\\n: here\\n\\n")
"""
_TO_AND_FRO = [post("/api/v1/actions", {"action": one}) for one in ("undo", "redo")]
_MOST = 1000
_FULL = 40
_CHANGES = 10
_STREAM = "/api/v1/stream"
_NEWCOMER_S = 0.02
_BEFORE_ALL = (
    "of 4.3 ms to the last of 10 phones 1.3 pass until the table is asked (Flask 0.6), 1.4 until it"
    " has decided and written to disk, 0.9 until the other process has read it; the phones cost 0.6"
)
_SETTLED_S, _IDLE_S = 5.0, 20.0


@dataclass(frozen=True, slots=True)
class Box:
    """Both units of a table at which a toep waits for answers; a peer has but its *panel*."""

    port: int
    panel: int
    table: int = 0
    socket: Path = Path()


@contextmanager
def box(clients: int, *, is_asked: bool = True) -> Iterator[Box]:
    """Give a table with four players; *is_asked* is whether one has knocked, and others answer."""
    allow_files(clients)
    with folder() as here, ExitStack() as running:
        port = free_port()
        config = str(write_config(here, port, clients))
        table = running.enter_context(started((*KLOPLEI, "run", "--config", config)))
        patiently(lambda: "there" * (here / "table.sock").exists())
        panel = running.enter_context(started((*KLOPLEI, "panel", "--config", config)))
        patiently(lambda: page_at(port))
        prelude = _prelude() if is_asked else _prelude()[:-1]
        with Crowd(port, 0, "/", prelude) as keeper:
            for _ in prelude:
                keeper.ask()
        yield Box(port, panel, table, here / "table.sock")


def _prelude() -> list[bytes]:
    sit = [_at_seat(seat, "sit_down", name=f"Speler {seat}") for seat in range(1, 5)]
    begin = [_at_seat(1, "start"), _at_seat(1, "deal")]
    return [*sit, *begin, post("/api/v1/actions", {"action": "ready"}), _at_seat(2, "knock")]


def _at_seat(seat: int, action: str, **facts: object) -> bytes:
    return post(f"/api/v1/seats/{seat}/actions", {"action": action, **facts})


Running = tuple[Box, Crowd]
Opened = Callable[[], AbstractContextManager[Running]]


@contextmanager
def _ours(phones: int, *, with_pages: bool = False) -> Iterator[Running]:
    if phones > _MOST:
        raise Missing(f"no more than {_MOST} phones may follow")
    with (
        box(min(phones + 10, _MOST)) as found,
        Crowd(found.port, phones, _STREAM, _TO_AND_FRO, with_pages=with_pages) as crowd,
    ):
        yield found, crowd


@contextmanager
def peer(needs: str, script: str, phones: int) -> Iterator[Running]:
    """Give the server of *script* and so many phones at it; *needs* is what it imports."""
    if needs and find_spec(needs) is None:
        raise Missing(f"no module named {needs!r}; pip install '.[race]'")
    allow_files(phones)
    with folder() as here, ExitStack() as running:
        event = here / "event"
        event.write_bytes(as_event(running_table().scoreboard(), WORLD).encode())
        port = free_port()
        process = running.enter_context(started(("-c", script, str(port), str(event))))
        patiently(lambda: "yes" * listens(port))
        with Crowd(port, phones, "/", [post("/say", {})]) as crowd:
            yield Box(port, process), crowd


def _sides(phones: int, figure: Callable[[Box, Crowd], float]) -> tuple[Side, ...]:
    """Return ours and the peers with so many phones, measured by *figure*."""
    return (
        _side("Kloplei", partial(_ours, phones), figure),
        _side("starlette", partial(peer, "uvicorn", _STARLETTE, phones), figure),
        _side("gevent", partial(peer, "gevent", _GEVENT, phones), figure),
        _side("bare sockets", partial(peer, "", BARE, phones), figure),
    )


def _side(name: str, running: Opened, figure: Callable[[Box, Crowd], float]) -> Side:
    @contextmanager
    def opened() -> Iterator[Measure]:
        with running() as (found, crowd):
            yield lambda: figure(found, crowd)

    return Side(name, opened)


def _change(_box: Box, crowd: Crowd) -> float:
    return crowd.change()


def _answer(_box: Box, crowd: Crowd) -> float:
    return crowd.ask()


def _memory(found: Box, crowd: Crowd) -> float:
    crowd.change()
    return memory_mb(found.panel)


def _threads(found: Box, _crowd: Crowd) -> float:
    return threads(found.panel)


def _cpu(found: Box, crowd: Crowd) -> float:
    before_ms = cpu_ms(found.panel)
    for _ in range(_CHANGES):
        crowd.change()
    return (cpu_ms(found.panel) - before_ms) / _CHANGES


def _following(found: Box, _crowd: Crowd) -> float:
    with closing(HTTPConnection("127.0.0.1", found.port)) as asking:
        asking.request("GET", "/api/v1/health")
        return float(json.load(asking.getresponse())["streams"]["open"])


@contextmanager
def _idle(figure: Callable[[int], float]) -> Iterator[Measure]:
    """Measure by *figure* what both units take while a hand runs and no phone is there.

    Nobody is asked, for then the slate blinks.
    """
    with box(_FULL, is_asked=False) as found:
        time.sleep(_SETTLED_S)
        yield lambda: figure(found.table) + figure(found.panel)


def _cpu_of_a_minute(process: int) -> float:
    before_ms = cpu_ms(process)
    time.sleep(_IDLE_S)
    return (cpu_ms(process) - before_ms) * 60 / _IDLE_S


@contextmanager
def _places() -> Iterator[Measure]:
    """Measure how long after all phones have hung up a newcomer may follow."""
    with box(_FULL) as found:

        def measure() -> float:
            with Crowd(found.port, _FULL, _STREAM, _TO_AND_FRO) as crowd:
                crowd.hang_up()
                begun_s = time.perf_counter()
                while not page_at(found.port, _STREAM):
                    time.sleep(_NEWCOMER_S)
                return 1e3 * (time.perf_counter() - begun_s)

        yield measure


def _fan(phones: int, tries: int | None = None) -> Row:
    what = f"action to the last of {phones} phones (bytes of the event)"
    sides = _sides(phones, _change)
    return Row(f"fan-{phones}", what, "ms", sides, within=2.0, why=_BEFORE_ALL, tries=tries)


def _pages(
    name: str, what: str, phones: int, under: float, figure: Callable[[Box, Crowd], float] = _change
) -> Row:
    sides = (_side("Kloplei", partial(_ours, phones, with_pages=True), figure),)
    why = "a page is drawn in Python for each that reads otherwise, once however many they are"
    return Row(f"pages-{name}", what, "ms", sides, under=under, why=why, tries=5)


ROWS = (
    Row("post", "a POST over HTTP with pauses between", "ms", _sides(0, _answer)),
    _fan(10),
    _fan(50),
    _fan(100),
    _fan(500, tries=5),
    _fan(1000, tries=5),
    _pages("40", "action to the new page on the last of 40 phones", 40, 40.0),
    _pages("100", "the same for 100 phones", 100, 40.0),
    _pages("cpu", "processor of the panel for a change with 40 phones and pages", 40, 15.0, _cpu),
    Row(
        "follow-most",
        "phones that may follow, if so many are set",
        "phones",
        (_side("Kloplei", partial(_ours, _MOST), _following),),
        over=_MOST,
        tries=1,
    ),
    Row("memory-500", "memory of the panel with 500 phones", "MB", _sides(500, _memory), tries=1),
    Row(
        "memory-1000",
        "the same with 1,000 phones",
        "MB",
        _sides(1000, _memory),
        under=120.0,
        tries=1,
    ),
    Row(
        "threads",
        "threads of the panel with 1,000 phones",
        "threads",
        _sides(1000, _threads),
        under=30,
        tries=1,
    ),
    Row(
        "places",
        f"places of {_FULL} phones that hung up, until a newcomer may follow",
        "ms",
        (Side("Kloplei", _places),),
        under=1000.0,
        tries=3,
    ),
    Row(
        "idle-cpu",
        "idle, a hand running, no phones: processor of both units a minute",
        "ms",
        (Side("Kloplei", partial(_idle, _cpu_of_a_minute)),),
        under=70.0,
        tries=1,
    ),
    Row(
        "idle-memory",
        "the same: memory of both",
        "MB",
        (Side("Kloplei", partial(_idle, memory_mb)),),
        under=90.0,
        tries=1,
    ),
)
