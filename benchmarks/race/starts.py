"""How long starts take: the first slate, the first page, and the commands that people type.

Each try is a process of its own, from its start to the light on the glass, the answer of the
page, or its end. Nothing is wired: the glass is `wires/smbus2`, the pins are a mock's.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from benchmarks.race.processes import (
    KLOPLEI,
    ROOT,
    environment,
    folder,
    page_at,
    patiently,
    started,
    write_config,
)
from benchmarks.race.row import Measure, Missing, Row, Side, given
from kloplei.games.game import Seat
from kloplei.table.rpc_server import RpcServer
from kloplei.table.session import Session
from kloplei_hub.servers import free_port
from tests.table.memory_journal import MemoryJournal

_PACKAGES = ("kloplei", "kloplei_panel")
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
        env=environment(),
        capture_output=True,
        check=False,
    )
    took_s = time.perf_counter() - begun_s
    if done.returncode not in fine:
        raise Missing(done.stderr.decode().strip().splitlines()[-1])
    return 1e3 * took_s


@contextmanager
def _first_light_of_run() -> Iterator[Measure]:
    with folder() as here:
        config = write_config(here, 1)
        yield lambda: _first_light(here, *KLOPLEI, "run", "--config", str(config))


@contextmanager
def _first_light_alone() -> Iterator[Measure]:
    with folder() as here:
        yield lambda: _first_light(here, "-c", _GLASS_ALONE)


def _first_light(here: Path, *arguments: str) -> float:
    begun_s = time.monotonic()
    at_s, *_ = _told_at_first_light(here, *arguments)
    return 1e3 * (float(at_s) - begun_s)


def _told_at_first_light(here: Path, *arguments: str) -> list[str]:
    """Return when there was light, and all modules that stood by then."""
    told = here / "light"
    told.unlink(missing_ok=True)
    with started(arguments, KLOPLEI_FIRST_LIGHT=str(told)):
        return patiently(lambda: _text_of(told)).splitlines()


def modules_before_the_slate() -> list[str]:
    """Return which of our modules the first slate waits for."""
    with folder() as here:
        config = write_config(here, 1)
        return _ours(_told_at_first_light(here, *KLOPLEI, "run", "--config", str(config)))


def modules_before_the_page() -> list[str]:
    """Return which of our modules the first page waits for."""
    with _table_for_a_panel() as (here, config, port):
        log = here / "imports"
        with log.open("wb") as told:
            command = ("-X", "importtime", *KLOPLEI, "panel", "--config", str(config))
            with started(command, said=told, XDG_CACHE_HOME=str(here)):
                patiently(lambda: page_at(port))
        return _ours(_imported(log.read_text()))


def modules_of(*command: str) -> list[str]:
    """Return which of our modules the *command* of Kloplei loads to its end."""
    return _ours(all_modules_of(*command))


def all_modules_of(*command: str) -> list[str]:
    """Return all modules that the *command* of Kloplei loads, whoever made them."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *KLOPLEI, *command],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return _imported(done.stderr)


def _imported(told: str) -> list[str]:
    lines = (line for line in told.splitlines() if line.startswith("import time:"))
    return [line.rpartition("|")[2].strip() for line in lines]


def _ours(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if name.partition(".")[0] in _PACKAGES})


def _text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@contextmanager
def _first_page_of_panel() -> Iterator[Measure]:
    with _table_for_a_panel() as (here, config, port):
        # Pages that are compiled are kept, by whatever kept them at the first try.
        command = (*KLOPLEI, "panel", "--config", str(config))
        yield lambda: _first_page(port, command, XDG_CACHE_HOME=str(here))


@contextmanager
def _table_for_a_panel() -> Iterator[tuple[Path, Path, int]]:
    """Give a folder, the settings and the port of a panel whose table runs in this process."""
    with folder() as here, Session(MemoryJournal()) as table:
        for seat in range(4):
            table.submit(Seat(seat), "sit_down", facts={"name": f"Speler {seat + 1}"})
        table.submit(Seat(0), "start")
        port = free_port()
        with RpcServer(table, here / "table.sock"):
            yield here, write_config(here, port), port


@contextmanager
def _first_page_alone() -> Iterator[Measure]:
    if find_spec("flask") is None or find_spec("waitress") is None:
        raise Missing("pip install '.[panel]'")
    port = free_port()
    yield lambda: _first_page(port, ("-c", _PAGE_ALONE, str(port)))


def _first_page(port: int, arguments: tuple[str, ...], **more: str) -> float:
    begun_s = time.perf_counter()
    with started(arguments, said=None, **more):
        patiently(lambda: page_at(port))
        return 1e3 * (time.perf_counter() - begun_s)


@contextmanager
def _replayed() -> Iterator[Measure]:
    with _one_example() as record:
        yield lambda: _run((*KLOPLEI, "replay", str(record)), (0,))


def modules_of_a_replay() -> list[str]:
    """Return which of our modules the replay of one example loads."""
    with _one_example() as record:
        return modules_of("replay", str(record))


@contextmanager
def _one_example() -> Iterator[Path]:
    with folder() as here:
        record = here / "record.yaml"
        record.write_text(_first_example(), encoding="utf-8")
        yield record


def _first_example() -> str:
    """Return the first of our examples of toepen as a file of its own."""
    import yaml

    examples = ROOT / "tests/games/examples/toepen.yaml"
    read = yaml.safe_load(examples.read_text(encoding="utf-8"))
    first = (read["examples"] if isinstance(read, Mapping) else read)[0]
    return yaml.safe_dump({"game": "toepen", "examples": [first]}, allow_unicode=True)


@contextmanager
def _examined() -> Iterator[Measure]:
    with folder() as here:
        config = write_config(here, free_port())
        # 1: it finds that no box is here, which is what it looks for.
        yield lambda: _run((*KLOPLEI, "doctor", "--config", str(config)), (0, 1))


def _count(name: str, what: str, modules: Callable[[], list[str]]) -> Row:
    ours = given("Kloplei", lambda: float(len(modules())))
    return Row(f"modules-{name}", f"modules of ours loaded {what}", "modules", (ours,), counts=True)


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
        (_command("Kloplei", *KLOPLEI, "--help"), _NOTHING),
        under=60.0,
        why="Python alone is a third of it; the rest is argparse and our own words",
    ),
    Row(
        "start-replay",
        "`replay` of one example",
        "ms",
        (Side("Kloplei", _replayed), _NOTHING),
        under=150.0,
        why="YAML, rules and words; set where Flask + waitress took 130 ms, by which it is met",
    ),
    _count("slate", "before the first slate", modules_before_the_slate),
    _count("page", "before the first page", modules_before_the_page),
    _count("help", "for `--help`", lambda: modules_of("--help")),
    _count("replay", "for the replay of one example", modules_of_a_replay),
)
