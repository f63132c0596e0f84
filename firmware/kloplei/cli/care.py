"""Care of the box: `kloplei backup`, `restore`, `journal`, and its own Wi-Fi, `kloplei hotspot`."""

import argparse
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.cli.terminal import add_config, load_config, say

if TYPE_CHECKING:
    from kloplei.backup import JournalReport
    from kloplei.config.settings import Config
    from kloplei.network.hotspot import HotspotStatus
    from kloplei.replay.commands import Subparsers


def register(commands: "Subparsers") -> None:
    """Add ``backup``, ``restore``, ``journal`` and ``hotspot`` to the command line."""
    backup = commands.add_parser(
        "backup",
        description="Keep the journal and the tuning in one file, while the table runs, and read "
        "it back (docs/care.md).",
    )
    backup.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="to write (kloplei-DATE.zip here)"
    )
    backup.set_defaults(run=make_backup)
    restore = commands.add_parser(
        "restore",
        description="Let the box remember what a backup holds. The table has to be stopped; what "
        "it remembered is kept beside (docs/care.md).",
    )
    restore.add_argument("file", type=Path, metavar="FILE", help="that kloplei backup made")
    restore.add_argument(
        "--check", action="store_true", help="only look whether it is sound; change nothing"
    )
    restore.set_defaults(run=put_back)
    for command in (backup, restore):
        add_config(command)
    _register_journal(commands)
    _register_hotspot(commands)


def _register_journal(commands: "Subparsers") -> None:
    journal = commands.add_parser(
        "journal",
        description="Look through all of the journal and say whether it is what was written; the "
        "table may go on. Two journals with the same link have the same steps (docs/care.md).",
    )
    journal.add_argument("--json", action="store_true", help="print JSON")
    journal.set_defaults(run=look_into_journal)
    add_config(journal)


def _register_hotspot(commands: "Subparsers") -> None:
    """Add ``hotspot`` to the command line."""
    hotspot = commands.add_parser(
        "hotspot",
        description="The box's own Wi-Fi, for where there is none (docs/wifi.md).",
    )
    asked = hotspot.add_subparsers(title="what to do", required=True, metavar="DO")
    on = asked.add_parser(
        "on",
        help="switch it on, for good: it survives the power cut",
        description="Switch the box's own Wi-Fi on, for good: it survives the power cut.",
    )
    on.set_defaults(run=switch_on)
    off = asked.add_parser(
        "off",
        help="switch it off, and go back to the Wi-Fi of the house",
        description="Switch the box's own Wi-Fi off, and go back to that of the house.",
    )
    off.set_defaults(run=switch_off)
    status = asked.add_parser(
        "status",
        help="what phones see of it",
        description="Say what phones see of the box's own Wi-Fi; its password is on the slate.",
    )
    status.set_defaults(run=show_status)
    fallback = asked.add_parser(
        "fallback",
        help="switch it on where no network comes ([hotspot] fallback_s); for the unit",
        description="Switch the box's own Wi-Fi on, for this evening, where no network comes "
        "within [hotspot] fallback_s; kloplei-hotspot.service calls it.",
    )
    fallback.set_defaults(run=fall_back)
    for command in (on, off, status, fallback):
        command.add_argument("--json", action="store_true", help="print JSON")
        add_config(command)


def make_backup(arguments: argparse.Namespace) -> int:
    """Write a backup, and look whether it can be read again."""
    from kloplei import backup
    from kloplei.systemd import ended_in_good_order

    now = datetime.now(UTC)
    file = arguments.file or Path(f"kloplei-{now:%Y-%m-%d}.zip")
    with ended_in_good_order():
        backup.make_backup(load_config(arguments.config).table.data, file, now)
    manifest = backup.read_backup(file)
    print(f"{file} holds {', '.join(manifest.files)}, and reads back well.")
    return 0


def put_back(arguments: argparse.Namespace) -> int:
    """Put a backup back, or only look at it."""
    from kloplei import backup

    if arguments.check:
        manifest = backup.read_backup(arguments.file)
        print(f"{arguments.file} is sound: Kloplei {manifest.kloplei}, {_when(manifest.made_at)}.")
        return 0
    data = load_config(arguments.config).table.data
    manifest = backup.restore(arguments.file, data)
    print(
        f"{data} remembers what it did at {_when(manifest.made_at)}. "
        f"What it held before lies in {data / backup.ASIDE}."
    )
    return 0


def _when(made_at: str) -> str:
    """Return the moment *made_at* as the clock on the wall said it."""
    try:
        return f"{datetime.fromisoformat(made_at).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return made_at


def look_into_journal(arguments: argparse.Namespace) -> int:
    """Say what the journal says of itself; 1 where it is not what was written."""
    import json
    from dataclasses import asdict

    from kloplei.backup import read_report

    data = load_config(arguments.config).table.data
    report = read_report(data)
    if arguments.json:
        print(json.dumps(asdict(report), indent=2))
    else:
        print(f"{data}: {report.entries} entries, {_how_whole(report)}.")
        print(f"  box   {report.box or '-'}")
        print(f"  era   {report.era or '-'}")
        if report.supersedes:
            print(f"        supersedes {report.supersedes}: somebody was forgotten, and links")
            print(f"        behind entry {report.untouched} are others than those of before.")
        print(f"  link  {report.link or '-'} (entry {report.linked})")
    return 0 if report.is_whole else 1


def _how_whole(report: "JournalReport") -> str:
    if report.sound < report.entries:
        return f"damaged after entry {report.sound}: restart the table, which saves what is sound"
    if report.broken is not None:
        return f"changed by somebody at entry {report.broken}: compare it with a backup"
    return "all as they were written"


def switch_on(arguments: argparse.Namespace) -> int:
    """Switch the hotspot on, and say what phones see."""
    from kloplei.network.hotspot import HotspotSwitch, insist_on_root

    insist_on_root("on")
    config = load_config(arguments.config)
    # Who is here through the Wi-Fi that is left must not stop it half-way by being gone.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    HotspotSwitch(config, say=_silent if arguments.json else say).on()
    return _tell(config, arguments)


def switch_off(arguments: argparse.Namespace) -> int:
    """Switch the hotspot off."""
    from kloplei.network.hotspot import HotspotSwitch, insist_on_root

    insist_on_root("off")
    config = load_config(arguments.config)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    HotspotSwitch(config).off()
    return _tell(config, arguments)


def show_status(arguments: argparse.Namespace) -> int:
    """Say what phones see of the hotspot."""
    return _tell(load_config(arguments.config), arguments)


def fall_back(arguments: argparse.Namespace) -> int:
    """Switch the hotspot on for this evening, if no network comes within the time of the settings.

    What it was asked for by hand (``on``) has been done by NetworkManager long before.
    """
    from kloplei.network.hotspot import HotspotSwitch, insist_on_root, no_network_comes

    insist_on_root("fallback")
    config = load_config(arguments.config)
    within_s = config.hotspot.fallback_s
    if not within_s or not no_network_comes(within_s):
        return 0
    HotspotSwitch(config, say=_silent if arguments.json else say).on(stays=False)
    return _tell(config, arguments)


def _tell(config: "Config", arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from kloplei.network.hotspot import hotspot_status

    status = hotspot_status(config)
    if arguments.json:
        import json

        print(json.dumps(asdict(status), indent=2))
    else:
        print(_sentences(status))
    return 0


def _sentences(status: "HotspotStatus") -> str:
    from kloplei.network.hotspot import PI_HOLDS

    if not status.is_on:
        if status.name is not None:
            return f"The hotspot {status.name} is set up, but not on. Try: sudo kloplei hotspot on"
        return "The hotspot is off. Switch it on with: sudo kloplei hotspot on"
    channel = "" if status.channel is None else f", channel {status.channel}"
    phones = "how many, cannot be told without iw" if status.phones is None else status.phones
    return (
        f"The hotspot is on, by {status.device}{channel}.\n"
        f"  Wi-Fi      {status.name}\n"
        "  password   on the slate\n"
        f"  page       {status.address}\n"
        f"  phones     {phones} (the radio of a Pi holds {PI_HOLDS[0]} to {PI_HOLDS[1]})\n"
        f"  power cut  {'it comes back' if status.stays else 'it is gone then'}"
    )


def _silent(_: str) -> None:
    pass
