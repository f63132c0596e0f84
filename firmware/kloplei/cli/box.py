"""What the units of the box call: `kloplei run`, `panel` and `keys`, and `halt` at power-off.

`run` owns pins, slate and journal; `panel` serves phones and asks `run` for all they show.
"""

import argparse
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kloplei.cli.terminal import add_config, load_config
from kloplei.files import KlopleiError

if TYPE_CHECKING:
    from kloplei.config.settings import Config, SlateConfig
    from kloplei.keys import PanelKeys
    from kloplei.replay.commands import Subparsers
    from kloplei.systemd import Notifier
    from kloplei_panel.context import PanelSettings

_KEPT = Path("/run/kloplei-halt/last-word")
# No page waits longer for a table that hangs.
_LOOK_S = 2.0
_GREETING_S = 3.0  # a glass that hangs holds up nothing for longer
_EVERYWHERE = ("::", "0.0.0.0")  # noqa: S104 - compared with, not listened on


def register(commands: "Subparsers") -> None:
    """Add ``run``, ``panel``, ``keys`` and ``halt`` to the command line."""
    run = commands.add_parser(
        "run",
        description="The table unit of the box, until it is stopped. It owns the pins, the slate "
        "and the journal, and needs no phones.",
    )
    run.set_defaults(run=run_table)
    panel = commands.add_parser(
        "panel",
        description="The panel unit of the box, until it is stopped. It serves the pages of the "
        "phones, and asks the table unit for all they show.",
    )
    panel.set_defaults(run=run_panel)
    keys = commands.add_parser(
        "keys",
        description="Make the PIN and the key that both units share, unless they are there "
        "already. It prints neither; the table does it by itself (docs/security.md).",
    )
    keys.set_defaults(run=make_keys)
    halt = commands.add_parser(
        "halt",
        description="The slate's last word at power-off. kloplei-halt.service prepares it, and the "
        "last step of the shutdown says it; nobody else need.",
    )
    halt.set_defaults(run=run_halt)
    add_config(halt)
    halt.add_argument(
        "--file",
        type=Path,
        metavar="FILE",
        default=_KEPT,
        help=f"where it is kept ({_KEPT})",
    )
    step = halt.add_mutually_exclusive_group(required=True)
    step.add_argument("--prepare", action="store_true", help="draw it and keep it")
    step.add_argument(
        "--say", action="store_true", help="say it, unless a disk may still be written to"
    )
    for command in (run, panel, keys):
        add_config(command)


def run_table(arguments: argparse.Namespace) -> int:
    """Run the table unit until SIGTERM or Ctrl-C."""
    config = load_config(arguments.config)
    greeting = Greeting(config)
    # Only now, for there is a lot of it: the people at the table see that the box wakes up.
    from kloplei.network.hotspot import join_address
    from kloplei.systemd import Notifier, wait_for_signal
    from kloplei.unit import TableUnit

    notifier = Notifier()
    keys = _shared_keys(config.table.data)
    with (
        wait_for_signal() as wait,
        TableUnit(
            config,
            config.table.data,
            join_address=partial(join_address, config),
            keys=keys if config.panel.locked else None,
            keys_replaced=keys is not None and bool(keys.replaced),
            greeted=greeting.take,
            on_loop=notifier.alive,
            beat_s=notifier.beat_s,
        ) as unit,
    ):
        from kloplei.table.rpc_server import RpcServer

        with RpcServer(unit.session, config.socket.path):
            notifier.ready()
            print("The table listens, with or without phones. Stop with Ctrl-C.", flush=True)
            wait()
            notifier.stopping()
    return 0


class Greeting:
    """Greets on the slate of *config* at once, and keeps the glass for whoever paints on it next.

    What of it fails or hangs is the painter's to tell: it opens the glass anew, or waits as long.
    """

    def __init__(self, config: "Config") -> None:
        self._config = config
        self._glass: Any = None
        self._thread = threading.Thread(target=self._greet, name="kloplei-greeting", daemon=True)
        if _can_greet(config.slate):
            self._thread.start()
            self._thread.join(_GREETING_S)

    def take(self) -> Any:
        """Return the glass with the greeting on it; None where there is none, and from then on."""
        if self._thread.ident is not None:
            self._thread.join()
        glass, self._glass = self._glass, None
        return glass

    def _greet(self) -> None:
        from kloplei.devices.oled import open_slate
        from kloplei.slate.greeting import greeting_in

        with suppress(KlopleiError, OSError):
            glass = open_slate(self._config.slate)
            glass.display(greeting_in(self._config.slate_language))
            glass.show()
            self._glass = glass


def _can_greet(slate: "SlateConfig") -> bool:
    """Return whether the greeting goes on *slate*, and would not wait for more than it shows."""
    from kloplei.config.settings import SMALL_GLASS

    # Pins cost more than the whole greeting, and larger glasses have faces of their own.
    is_on_pins = slate.interface != "i2c"
    return slate.driver != "none" and not is_on_pins and slate.glass == SMALL_GLASS


def _shared_keys(data: Path) -> "PanelKeys | None":
    """Return what the panel reads as well, made here; None where that fails: the table plays on."""
    from kloplei.keys import KeysUnreadable, panel_keys

    try:
        return panel_keys(data)
    except KeysUnreadable as error:
        print(f"kloplei: {error}. Phones may only look on.", file=sys.stderr, flush=True)
        return None


def run_panel(arguments: argparse.Namespace) -> int:
    """Run the panel unit until SIGTERM or Ctrl-C."""
    from kloplei.network.addresses import HOTSPOT, NAMES_LEAD_TO, page_at
    from kloplei.systemd import Notifier, wait_for_signal
    from kloplei.table.rpc_client import remote_table
    from kloplei_panel.app import create_app
    from kloplei_panel.server import Server

    config = load_config(arguments.config)
    here = "127.0.0.1" if config.panel.host in _EVERYWHERE else config.panel.host
    table = remote_table(config.socket.path, look_s=_LOOK_S)
    app = create_app(table, settings=_panel_settings(config))
    notifier = Notifier()
    with (
        wait_for_signal() as wait,
        Server(
            app,
            config.panel.host,
            config.panel.port,
            clients=config.panel.clients,
            also=(str(HOTSPOT.ip), str(NAMES_LEAD_TO)),
            on_loop=notifier.alive,
        ),
    ):
        _welcome(page_at(here, config.panel.port), notifier)
        wait()
    return 0


def _panel_settings(config: "Config") -> "PanelSettings":
    """Return what the panel wants to know of *config*, with the keys that the table has made."""
    from kloplei.config.settings import page_cache_dir
    from kloplei.keys import KeyFile, known_keys
    from kloplei.network.addresses import page_at
    from kloplei.network.hotspot import join_address
    from kloplei_panel.context import PanelSettings

    keys = known_keys(config.table.data)
    file = KeyFile(config.table.data, keys)
    told = config.network.address
    return PanelSettings(
        language=config.panel_language,
        locked=config.panel.locked,
        pin=config.panel.pin or None,
        read_seal=lambda: config.panel.pin or file.read().pin,
        secret_key=keys.secret_key,
        read_key=file.read_key,
        read_evening=file.read_evening,
        join_url="" if told is None else page_at(told, config.panel.port),
        join_address=partial(join_address, config),
        clients=config.panel.clients,
        data=config.table.data,
        recordings_to=config.panel.recordings_to,
        place=config.panel.place,
        people=config.panel.people,
        show=config.panel.show,
        caller=config.voice.calls,
        reactions=config.panel.reactions,
        cache=page_cache_dir(),
        hosts=(*config.panel.hosts, config.panel.host),
    )


def _welcome(page: str, notifier: "Notifier") -> None:
    notifier.ready()
    print(f"Phones may come; on this box it is {page} . Stop with Ctrl-C.", flush=True)


def make_keys(arguments: argparse.Namespace) -> int:
    """Make what both units share in secret, where nobody has yet; it is told to nobody."""
    from kloplei.files import as_owner_of
    from kloplei.keys import KEYS, panel_keys

    data = load_config(arguments.config).table.data
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = data / KEYS
    with as_owner_of(data):
        stood_there = file.exists()
        replaced = panel_keys(data).replaced
    if replaced:
        print(f"{file} held no keys: it is kept as {replaced}, and new ones stand in its place.")
    elif stood_there:
        print(f"The PIN and the key were there already, and stay: {file}.")
    else:
        print(f"Made the PIN and the key: {file}. The slate shows the PIN.")
    return 0


def run_halt(arguments: argparse.Namespace) -> int:
    """Prepare the last word, or say it."""
    from kloplei import power_off

    if arguments.prepare:
        power_off.prepare(load_config(arguments.config), arguments.file)
        return 0
    from kloplei.devices.glass import SlateMissing

    power_off.demand_rest(power_off.MOUNTS.read_text(encoding="utf-8"))
    try:
        power_off.say(arguments.file)
    except SlateMissing as gone:
        # Nobody can read it, and the power goes all the same: a failure would be a red line of
        # systemd's on the screen, which sends people looking for what is broken.
        print(gone)
    return 0
