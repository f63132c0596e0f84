"""How long starts take: the first slate, the first page, and the commands that people type.

Each try is a process of its own, from its start to the light on the glass, the answer of the
page, or its end. Nothing is wired: the glass is `wires/smbus2`, the pins are a mock's.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from benchmarks.race.row import Measure, Missing, Row, Side
from kloplei.games.game import Seat
from kloplei.table.rpc_server import RpcServer
from kloplei.table.session import Session
from tests.table.memory_journal import MemoryJournal

ROOT = Path(__file__).parents[2]
PATIENCE_S = 30.0
_KLOPLEI = ("-m", "kloplei")
_GLASS_ALONE = """
from luma.core.interface.serial import i2c
from luma.oled.device import ssd1306
from PIL import Image, ImageDraw
device = ssd1306(i2c(port=1, address=0x3C))
sheet = Image.new("1", device.size)
ImageDraw.Draw(sheet).text((0, 0), "kloplei", fill=1)
device.display(sheet)
"""
_PAGE_ALONE = """
import sys
from flask import Flask, render_template_string
from waitress import serve
app = Flask(__name__)
PAGE = "<ul>{% for n in range(100) %}<li>{{ n }}</li>{% endfor %}</ul>"
app.add_url_rule("/", view_func=lambda: render_template_string(PAGE))
serve(app, host="127.0.0.1", port=int(sys.argv[1]), _quiet=True)
"""


def _command(name: str, *arguments: str, fine: tuple[int, ...] = (0,)) -> Side:
    """Return the side that runs Python with *arguments* to its end."""

    @contextmanager
    def opened() -> Iterator[Measure]:
        yield lambda: _run(arguments, fine)

    return Side(name, opened)


def _run(arguments: tuple[str, ...], fine: tuple[int, ...]) -> float:
    begun_s = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=_environment(),
        capture_output=True,
        check=False,
    )
    took_s = time.perf_counter() - begun_s
    if done.returncode not in fine:
        raise Missing(done.stderr.decode().strip().splitlines()[-1])
    return 1e3 * took_s


@contextmanager
def _first_light_of_run() -> Iterator[Measure]:
    with _folder() as folder:
        config = _write_config(folder, panel_port=1)
        yield lambda: _first_light(folder, *_KLOPLEI, "run", "--config", str(config))


@contextmanager
def _first_light_alone() -> Iterator[Measure]:
    with _folder() as folder:
        yield lambda: _first_light(folder, "-c", _GLASS_ALONE)


def _first_light(folder: Path, *arguments: str) -> float:
    told = folder / "light"
    told.unlink(missing_ok=True)
    begun_s = time.monotonic()
    with _started(arguments, KLOPLEI_FIRST_LIGHT=str(told)):
        return 1e3 * (float(_patiently(lambda: _text_of(told))) - begun_s)


@contextmanager
def _first_page_of_panel() -> Iterator[Measure]:
    with _folder() as folder, Session(MemoryJournal()) as table:
        for seat in range(4):
            table.submit(Seat(seat), "sit_down", facts={"name": f"Speler {seat + 1}"})
        table.submit(Seat(0), "start")
        port = _free_port()
        config = _write_config(folder, panel_port=port)
        with RpcServer(table, folder / "table.sock"):
            command = (*_KLOPLEI, "panel", "--config", str(config))
            yield lambda: _first_page(port, command)


@contextmanager
def _first_page_alone() -> Iterator[Measure]:
    if find_spec("flask") is None or find_spec("waitress") is None:
        raise Missing("pip install '.[panel]'")
    port = _free_port()
    yield lambda: _first_page(port, ("-c", _PAGE_ALONE, str(port)))


def _first_page(port: int, arguments: tuple[str, ...]) -> float:
    begun_s = time.perf_counter()
    with _started(arguments):
        _patiently(lambda: _page_at(port))
        return 1e3 * (time.perf_counter() - begun_s)


def _page_at(port: int) -> str:
    with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)) as asking:
        asking.settimeout(PATIENCE_S)
        asking.sendall(b"GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        return asking.recv(1 << 16).decode(errors="replace").partition(" 200 ")[2]
    return ""


@contextmanager
def _replayed() -> Iterator[Measure]:
    with _folder() as folder:
        record = folder / "record.yaml"
        record.write_text(_first_example(), encoding="utf-8")
        yield lambda: _run((*_KLOPLEI, "replay", str(record)), (0,))


def _first_example() -> str:
    """Return the first of our examples of toepen as a file of its own."""
    import yaml

    examples = ROOT / "tests/games/examples/toepen.yaml"
    read = yaml.safe_load(examples.read_text(encoding="utf-8"))
    first = (read["examples"] if isinstance(read, Mapping) else read)[0]
    return yaml.safe_dump({"game": "toepen", "examples": [first]}, allow_unicode=True)


@contextmanager
def _examined() -> Iterator[Measure]:
    with _folder() as folder:
        config = _write_config(folder, panel_port=_free_port())
        # 1: it finds that no box is here, which is what it looks for.
        yield lambda: _run((*_KLOPLEI, "doctor", "--config", str(config)), (0, 1))


def _write_config(folder: Path, panel_port: int) -> Path:
    config = folder / "kloplei.toml"
    config.write_text(
        f'[table]\nseats = 4\ndata = "{folder / "data"}"\n'
        f'[socket]\npath = "{folder / "table.sock"}"\n'
        f'[panel]\nhost = "127.0.0.1"\nport = {panel_port}\nlocked = false\n'
        '[pins]\nfactory = "mock"\n',
        encoding="utf-8",
    )
    return config


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kloplei-race-") as folder:
        (Path(folder) / "data").mkdir()
        yield Path(folder)


def _environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT / "benchmarks/race/wires"), **more}


@contextmanager
def _started(arguments: tuple[str, ...], **environment: str) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=_environment(**environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _patiently(look: Callable[[], str]) -> str:
    """Return what *look* finds as soon as it finds something."""
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        if found := look():
            return found
        time.sleep(0.001)
    raise Missing(f"nothing came within {PATIENCE_S:g} seconds")


def _text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as asked:
        return int(asked.getsockname()[1])


_NOTHING = _command("Python alone", "-c", "pass")
ROWS = (
    Row(
        "start-slate",
        "`run` to the first slate",
        "ms",
        (Side("Kloplei", _first_light_of_run), Side("PIL + luma alone", _first_light_alone)),
        within=2.0,
    ),
    Row(
        "start-page",
        "`panel` to the first page",
        "ms",
        (Side("Kloplei", _first_page_of_panel), Side("Flask + waitress alone", _first_page_alone)),
        within=1.8,
    ),
    Row("start-doctor", "`doctor`", "ms", (Side("Kloplei", _examined), _NOTHING), under=1500.0),
    Row(
        "start-help",
        "`--help`",
        "ms",
        (_command("Kloplei", *_KLOPLEI, "--help"), _NOTHING),
        under=60.0,
    ),
    Row(
        "start-replay",
        "`replay` of one example",
        "ms",
        (Side("Kloplei", _replayed), _NOTHING),
        under=150.0,
    ),
)
