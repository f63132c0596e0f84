"""`kloplei demo`: table and panel in one process on virtual pads and a virtual OLED."""

import argparse
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.cli.terminal import (
    MOST_CHANNELS,
    WrongOption,
    add_coupling,
    padded,
    say,
    sound_device,
)
from kloplei.files import reason_of
from kloplei.games.catalogue import GAMES
from kloplei.words import LANGUAGES, Words

if TYPE_CHECKING:
    from kloplei.config.settings import Config
    from kloplei.demo.table import Demo
    from kloplei.replay.commands import Subparsers
    from kloplei_panel.server import Server

_HOST = "127.0.0.1"
_PORT = 8080
_LANGUAGE = "nl"
_PEOPLES_PACE = 1.0
_PAGES = {"show": "demo/show", "virtual-table": "demo", "slate": "", "large-screen": "tv"}


def register(commands: "Subparsers") -> None:
    """Add ``demo`` to the command line."""
    demo = commands.add_parser(
        "demo",
        description="Table and panel in one process, on virtual pads and a virtual OLED.",
    )
    demo.set_defaults(run=run_demo)
    demo.add_argument("--port", type=_port, default=_PORT, help=f"of the web pages ({_PORT})")
    demo.add_argument("--host", default=_HOST, help=f"address to listen on ({_HOST})")
    demo.add_argument(
        "--data", type=Path, metavar="DIR", help="keep the evening in DIR (else it is forgotten)"
    )
    demo.add_argument(
        "--game",
        choices=tuple(GAMES),
        help="what is played first, by its usual house rules (toepen)",
    )
    demo.add_argument(
        "--bots",
        type=_pace,
        nargs="?",
        const=1.0,
        metavar="SPEED",
        help="let bots play, at so many times the pace of people",
    )
    demo.add_argument(
        "--show",
        action="store_true",
        help="a whole evening to look at: bots play, and one page has large screen, two phones "
        "and slate; it is opened where there is a desktop",
    )
    demo.add_argument(
        "--play",
        type=Path,
        metavar="RECORDING.wav",
        help="play real knocks into the wood, and say here what the table makes of them",
    )
    demo.add_argument("--seat", type=int, default=1, metavar="N", help="at whose place (1)")
    demo.add_argument(
        "--into",
        choices=("piezo", "pad"),
        default="piezo",
        help="what feels them: a piezo, whose samples are judged, or a pad, which has only edges",
    )
    demo.add_argument(
        "--language",
        choices=LANGUAGES,
        help="of the slate and of pages (the browser's where we speak it)",
    )
    demo.add_argument(
        "--slate",
        choices=("128x64", "128x32", "256x64"),
        metavar="SIZE",
        help="pixels of the slate: 128x64, 128x32, or 256x64 in greys (128x64)",
    )
    demo.add_argument(
        "--locked", action="store_true", help="phones need a knock or the PIN, as on the box"
    )
    demo.add_argument(
        "--audio",
        type=sound_device,
        metavar="DEVICE",
        help="listen to a real table: a contact microphone on this device of ALSA, such as default",
    )
    demo.add_argument(
        "--channels",
        type=int,
        choices=range(1, MOST_CHANNELS + 1),
        metavar="N",
        help="with --audio: so many discs hang on it (1)",
    )
    demo.add_argument(
        "--discs",
        choices=("seats", "corners"),
        help="where piezos are: one at each seat, or in the corners, of a drawn table of four "
        "seats, which say who knocked once its size is told (seats; with --audio corners)",
    )
    add_coupling(demo, "")


def run_demo(arguments: argparse.Namespace) -> int:
    """Run the demo until SIGTERM or Ctrl-C."""
    from kloplei.demo.table import Demo
    from kloplei.demo.wood import read_recording
    from kloplei.network.addresses import join_url
    from kloplei.systemd import wait_for_signal

    if arguments.show:
        arguments.bots = arguments.bots or _PEOPLES_PACE
    config = _config_of(arguments)
    if not 1 <= arguments.seat <= config.table.seats:
        raise WrongOption(f"--seat {arguments.seat}: the table has seats 1 to {config.table.seats}")
    if arguments.data is not None:
        _demand_folder(arguments.data)
    recording = read_recording(arguments.play) if arguments.play else None
    url = join_url(arguments.host, arguments.port)
    words = Words(arguments.language or _LANGUAGE)
    polyglot = arguments.language is None
    with (
        wait_for_signal() as wait,
        Demo(
            arguments.data, config, url=url, polyglot=polyglot, couplings=arguments.coupling
        ) as demo,
    ):
        _demand_game(demo, arguments)
        with _panel(demo, url, arguments) as server:
            pin = demo.read_evening()[0] if arguments.locked else None
            say(_welcome(words, arguments.host, server.port, pin, with_show=arguments.show))
            if arguments.show:
                _open_page(f"http://{arguments.host}:{server.port}/{_PAGES['show']}")
            if arguments.bots is not None:
                demo.set_bots(arguments.bots)
            if recording is not None:
                play = demo.play_into_pad if arguments.into == "pad" else demo.play
                play(arguments.seat, recording, say=say)
            wait()
        say(words.say("demo.farewell"))
    return 0


def _config_of(arguments: argparse.Namespace) -> "Config":
    """Return the settings of the table that is asked for."""
    from kloplei.demo.table import (
        at_seats,
        demo_config,
        for_show,
        in_corners,
        on_glass,
        on_sound_card,
    )

    language = arguments.language or _LANGUAGE
    config = demo_config(language, locked=arguments.locked, game=arguments.game)
    if arguments.show:
        config = for_show(config)
    if arguments.slate:
        config = on_glass(config, arguments.slate)
    if arguments.audio is not None:
        _demand_nothing_played(arguments)
        config = on_sound_card(config, arguments.audio, arguments.channels or 1)
        return at_seats(config) if arguments.discs == "seats" else config
    if arguments.channels is not None:
        raise WrongOption("--channels counts the discs on a sound card; add --audio DEVICE")
    return in_corners(config) if arguments.discs == "corners" else config


def _demand_nothing_played(arguments: argparse.Namespace) -> None:
    """Refuse what knocks on wood that is not there, beside a table that is."""
    for option in ("play", "bots", "coupling"):
        if getattr(arguments, option):
            raise WrongOption(f"--{option} knocks on a drawn table, --audio hears a real one")
    if arguments.discs and (arguments.channels or 1) == 1:
        raise WrongOption("--discs says where several discs are; add --channels 4 or so")


def _demand_folder(data: Path) -> None:
    """Refuse what cannot keep an evening, by the name that it was given."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise WrongOption(
            f"--data {data} is no folder to write to ({reason_of(error)}); name another"
        ) from error


def _demand_game(demo: "Demo", arguments: argparse.Namespace) -> None:
    """Refuse a game beside an evening that was kept, which goes on with its own."""
    played = demo.client.scoreboard().game
    if arguments.game not in (None, played):
        raise WrongOption(
            f"--game {arguments.game}: the evening in {arguments.data} plays {played}. "
            f"Leave --game out and choose on the page, or keep another evening with --data"
        )


def _panel(demo: "Demo", url: str, arguments: argparse.Namespace) -> "Server":
    # Flask comes in only now: the first slate stands already.
    from kloplei_panel.app import create_app
    from kloplei_panel.context import PanelSettings
    from kloplei_panel.server import Server

    settings = PanelSettings(
        language=arguments.language or _LANGUAGE,
        locked=arguments.locked,
        read_seal=lambda: demo.keys.pin,
        secret_key=demo.keys.secret_key,
        read_key=demo.read_key,
        read_evening=demo.read_evening,
        join_url=url,
        reactions=True,
        caller=demo.config.voice.calls,
        clock=demo.virtual.schedule.now_s,
    )
    return Server(
        create_app(demo.client, settings=settings, demo=demo), arguments.host, arguments.port
    )


def _welcome(
    words: Words, host: str, port: int, pin: str | None, *, with_show: bool = False
) -> str:
    pages = {name: path for name, path in _PAGES.items() if with_show or name != "show"}
    labels = padded([words.say(f"demo.{page}") for page in pages])
    links = [f"http://{host}:{port}/{path}" for path in pages.values()]
    told = [f"{label}  {link}" for label, link in zip(labels, links, strict=True)]
    told += [words.say("demo.locked", {"pin": pin})] if pin else []
    return "\n".join(
        [words.say("demo.welcome"), *(f"  {one}" for one in told), words.say("demo.stop")]
    )


def _open_page(url: str) -> None:
    """Open *url* where somebody sits at a desktop; its address has been printed for all others."""
    # Without one Python would take a browser of text, which takes the terminal.
    if sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        import webbrowser

        webbrowser.open(url)


def _pace(text: str) -> float:
    """Return how many times as fast as people bots are to play."""
    from kloplei.demo.bots import FASTEST, SLOWEST

    try:
        pace = float(text)
    except ValueError:
        pace = math.nan
    if not SLOWEST <= pace <= FASTEST:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no pace from {SLOWEST:g} to {FASTEST:g}; "
            "people have 1, and 2 is twice that"
        )
    return pace


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65535):
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)
