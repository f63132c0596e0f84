"""`kloplei uplink`: the third unit of the box, and by hand what the keeper does on a phone.

The unit carries what is played to a house; ``pair``, ``leave`` and ``status`` ask the table, which
tells the unit.
"""

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kloplei.cli.terminal import add_config, load_config, say
from kloplei.files import KlopleiError, UnreadableFile, read_limited

if TYPE_CHECKING:
    from kloplei.config.settings import Config
    from kloplei.replay.commands import Subparsers
    from kloplei.table.rpc_client import RemoteTable
    from kloplei.table.uplink_client import OutsiderStatus, UplinkClient, UplinkStatus
    from kloplei.uplink.outsiders import Outsider
    from kloplei.uplink.service import UplinkService

PATIENCE_S: Final = 40.0
"""So long a house may take to answer, with a unit that looks every other second."""
_LOOK_S = 0.2
_LARGEST_AUTHORITY = 100_000
_STATES = {
    "off": "This box goes with no house.",
    "pairing": "Asking {hub} to take this box in.",
    "connecting": "On the way to {hub}.",
    "connected": "With {hub}.",
    "refused": "{hub} takes nothing from this box.",
}
_TAKEN_IN = "Paired with {hub}. Whether it sends says: kloplei uplink status"
_OUTSIDERS = {"home_assistant": "Home Assistant", "webhook": "The webhook"}


class UplinkFailed(KlopleiError):
    """What was asked of the uplink did not come about; the message says why."""


def register(commands: "Subparsers") -> None:
    """Add ``uplink`` to the command line."""
    uplink = commands.add_parser(
        "uplink",
        description="The uplink unit of the box, until it is stopped: it carries what was played "
        "to the hub of a house. It does nothing unless [uplink] enabled is true.",
    )
    add_config(uplink)
    uplink.set_defaults(run=run_uplink)
    asked = uplink.add_subparsers(title="or ask a box that runs", metavar="DO")
    status = asked.add_parser(
        "status",
        help="how it stands with the house; 1 where something is wrong",
        description="Say how it stands with the house, as the unit told the table.",
    )
    status.add_argument("--json", action="store_true", help="print JSON")
    status.set_defaults(run=say_status)
    pair = asked.add_parser(
        "pair",
        help="go with the house of that hub",
        description="Go with a house: its hub shows an address and a code.",
    )
    pair.add_argument("address", metavar="ADDRESS", help="of the hub, such as https://hub.example")
    pair.add_argument("code", metavar="CODE", help="as the hub shows it")
    pair.set_defaults(run=pair_box)
    leave = asked.add_parser(
        "leave",
        help="go with no house any more",
        description="Go with no house any more. What it has of this box it keeps.",
    )
    leave.set_defaults(run=leave_house)
    for command in (status, pair, leave):
        add_config(command, said_before=True)


def run_uplink(arguments: argparse.Namespace) -> int:
    """Run the uplink unit until SIGTERM or Ctrl-C; return at once where it is switched off."""
    from kloplei.systemd import Notifier, wait_for_signal

    config = load_config(arguments.config)
    notifier = Notifier()
    if not config.uplink.enabled:
        notifier.ready()
        _say_farewell(config)
        say("The uplink is switched off: [uplink] enabled = true lets this box go with a house.")
        return 0
    service = _service()
    if not config.home_assistant.enabled:
        _say_farewell(config)
    with wait_for_signal() as wait, _table(config) as table, ExitStack() as running:
        outsiders = tuple(map(running.enter_context, _outsiders(config, table)))
        running.enter_context(
            service(
                table,
                config.uplink.data,
                authority=_pem(config.uplink.authority, "[uplink] authority"),
                on_loop=notifier.alive,
                beat_s=notifier.beat_s,
                outsiders=outsiders,
            )
        )
        notifier.ready()
        say("What is played goes to the house, once there is one. Stop with Ctrl-C.")
        wait()
        notifier.stopping()
    return 0


def say_status(arguments: argparse.Namespace) -> int:
    """Say how it stands; return 1 where something is wrong."""
    from kloplei.table.schema import WORLD, dump

    with _table(load_config(arguments.config)) as table:
        status = table.uplink.status()
        last = table.scoreboard().seq
    if arguments.json:
        print(json.dumps({**dump(status, form=WORLD), "last": last}, indent=2))
    else:
        print("\n".join(_told(status, last)))
    is_untold = any(one.trouble is not None for one in status.outsiders)
    return 1 if status.trouble is not None or status.state == "refused" or is_untold else 0


def pair_box(arguments: argparse.Namespace) -> int:
    """Go with the house of a hub, and say what came of it."""
    return _ask(arguments, arguments.address, arguments.code)


def leave_house(arguments: argparse.Namespace) -> int:
    """Go with no house any more."""
    return _ask(arguments, "", "")


def _ask(arguments: argparse.Namespace, address: str, code: str) -> int:
    """Let the table know what is wanted, wait until the unit has taken it up, and say the end."""
    from kloplei.table.uplink_client import UplinkStatus

    with _table(load_config(arguments.config)) as table:
        before = table.uplink.status()
        table.uplink.report(UplinkStatus("pairing", address))
        table.uplink.pair(address, code)
        ends_s = time.monotonic() + PATIENCE_S
        while (status := _outcome(table.uplink, is_leave=not address)) is None:
            if time.monotonic() >= ends_s:
                table.uplink.report(before)
                raise UplinkFailed(
                    "No uplink takes it up. Set [uplink] enabled = true, then: "
                    "sudo systemctl restart kloplei-uplink"
                )
            time.sleep(_LOOK_S)
    if status.trouble is not None:
        raise UplinkFailed(str(status.trouble))
    # It has its password; whether the broker is asked already is a matter of moments.
    is_taken_in = status.state in ("connecting", "connected")
    say((_TAKEN_IN if is_taken_in else _STATES[status.state]).format(hub=status.hub))
    return 0


def _outcome(uplink: "UplinkClient", *, is_leave: bool) -> "UplinkStatus | None":
    """Return what came of what was asked; None as long as nothing has."""
    # In this order: a unit that has not taken it up yet may just say again how it stood before.
    is_taken_up = uplink.wish() is None
    status = uplink.status()
    # To leave is tried again and again where the disk is in the way.
    is_stuck = is_leave and status.trouble is not None
    return status if status.state != "pairing" and (is_taken_up or is_stuck) else None


def _told(status: "UplinkStatus", last: int) -> Iterator[str]:
    yield _STATES[status.state].format(hub=status.hub or "The house")
    if status.has or status.state == "connected":
        behind = max(last - status.has, 0)
        yield f"The house has all up to entry {status.has}; {behind} are still to come."
    if status.certificate_ends is not None:
        ends = time.strftime("%Y-%m-%d", time.gmtime(status.certificate_ends))
        yield f"Its certificate ends on {ends}."
    if status.trouble is not None:
        yield str(status.trouble)
    for outsider in status.outsiders:
        yield from _told_of(outsider)


def _told_of(outsider: "OutsiderStatus") -> Iterator[str]:
    name = _OUTSIDERS[outsider.kind]
    if outsider.trouble is not None:
        yield str(outsider.trouble)
    if outsider.at is None:
        yield f"{name} was not told anything yet."
    else:
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(outsider.at))
        yield f"{name} was reached last on {at}."


@contextmanager
def _table(config: "Config") -> "Iterator[RemoteTable]":
    from kloplei.table.rpc_client import remote_table

    with closing(remote_table(config.socket.path)) as table:
        yield table


def _outsiders(config: "Config", table: "RemoteTable") -> "Iterator[Outsider]":
    """Yield who else is told what happens, as the settings say."""
    if config.home_assistant.enabled:
        yield _home_agent(config, table)
    webhook = config.webhook
    if webhook.url and webhook.secret:
        from kloplei.uplink.links import opener_for
        from kloplei.uplink.webhook import Webhook

        opener = opener_for(_pem(webhook.authority, "[webhook] authority"))
        name, language = config.home_assistant.name, config.panel_language
        told = (webhook.url, webhook.secret, webhook.moments, opener)
        yield Webhook(table, *told, name=name, language=language)


def _home_agent(config: "Config", table: "RemoteTable") -> "Outsider":
    from kloplei import __version__
    from kloplei.network.addresses import look_at_network, url_now
    from kloplei.uplink.home_agent import HomeAgent, HomeBroker, broker_of
    from kloplei.uplink.home_assistant import Device
    from kloplei.uplink.service import HOUSE_FILE, kept_house

    home, data = config.home_assistant, config.uplink.data
    own: HomeBroker | None = None
    if home.host is not None:
        authority = _pem(home.authority, "[home_assistant] authority")
        login = (home.user, home.password, home.tls, authority)
        own = HomeBroker(home.host, home.port, *login)
    panel = config.panel

    def url() -> str:
        at = config.network.address or panel.host
        try:
            return url_now(at, panel.port, look_at_network()) or ""
        except (OSError, ValueError):
            return ""  # it is told without a link

    device = Device("", home.name, __version__, picture=home.picture != "none")
    return HomeAgent(
        table,
        data,
        lambda: own or broker_of(kept_house(data / HOUSE_FILE)),
        device,
        config.panel_language,
        url=url,
        picture=home.picture,
    )


def _say_farewell(config: "Config") -> None:
    """Let a Home Assistant forget the table that knew it until it was switched off."""
    from kloplei.config.settings import HOME_FILE

    if not (config.uplink.data / HOME_FILE).exists():
        return
    from kloplei.uplink.home_agent import say_farewell

    if not say_farewell(config.uplink.data):
        say("Home Assistant's broker does not answer: the table is taken out there another time.")


def _service() -> "type[UplinkService]":
    try:
        from kloplei.uplink.service import UplinkService
    except ImportError as error:
        raise UplinkFailed(
            f"The uplink needs paho-mqtt 2 ({error}). Install it: pip install 'kloplei[uplink]'"
        ) from error
    return UplinkService


def _pem(file: Path | None, setting: str) -> str:
    """Return the PEM in *file*, which that *setting* names; empty for none."""
    if file is None:
        return ""
    try:
        return read_limited(file, _LARGEST_AUTHORITY, "for a certificate").decode("ascii")
    except UnreadableFile as error:
        raise UnreadableFile(f"{file} {error}: {setting}") from error
    except UnicodeDecodeError as error:
        told = f"is no PEM; {setting} wants the certificate of who signed the other end's"
        raise UnreadableFile(f"{file} {told}") from error
