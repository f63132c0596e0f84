"""``kloplei-hub admin``: who keeps the house says which boxes go with it, and mends what needs it.

As the owner of the database: the programs may do none of it.
"""

import argparse
import platform
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kloplei.cli.terminal import say
from kloplei_hub._backup import back_up, put_back
from kloplei_hub.boxes import (
    KnownBox,
    find_box,
    known_boxes,
    new_code,
    release,
    rename,
    retire,
    tell_broker,
    where_to_pair,
)
from kloplei_hub.cli import add_config, config_of
from kloplei_hub.database import Connection, connect, migrate
from kloplei_hub.people import (
    forget_person,
    house_people,
    merge_people,
    part_person,
    rename_person,
)
from kloplei_hub.seasons import add_season_task
from kloplei_hub.users import add_tasks as add_user_tasks

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers
    from kloplei_hub.settings import HubConfig

_Run = Callable[[Connection, argparse.Namespace, "HubConfig"], None]


def register(commands: "Subparsers") -> None:
    """Add ``admin`` and what it can do to the command line."""
    parser = commands.add_parser(
        "admin",
        description="Say which boxes go with the house, and mend what needs it, as the owner of "
        "the database (docs/hub.md).",
    )
    tasks = parser.add_subparsers(title="tasks", required=True, metavar="TASK")
    _add(tasks, "migrate", _migrate, "bring the database's tables up to date")
    _add(tasks, "boxes", _list_boxes, "list the boxes, and what is kept of each")
    pair = _add(tasks, "pair", _pair, "show a code with which one box may come")
    pair.add_argument("--name", default="", help="what the house will call the box")
    pair.add_argument("--number", type=int, help="the table's number in the house")
    named = _add(tasks, "rename", _rename, "call a box otherwise")
    named.add_argument("box", help="its id, name or number")
    named.add_argument("name", help="what the house calls it")
    named.add_argument("--number", type=int, help="the table's number in the house")
    gone = _add(
        tasks, "retire", _retire, "let a box go with the house no longer; its evenings stay"
    )
    gone.add_argument("box", help="its id, name or number")
    freed = _add(tasks, "release", _release, "let a box go on that was set apart as a twin")
    freed.add_argument("box", help="its id, name or number")
    freed.add_argument(
        "--anew", action="store_true", help="let go of what is kept, and take it anew from the box"
    )
    _register_people(tasks)
    kept = _add(tasks, "backup", _back_up, "write the database to a file, while all goes on")
    kept.add_argument("file", type=Path, metavar="FILE", help="to write; it holds names")
    back = _add(tasks, "restore", _put_back, "let the database hold what a backup does")
    back.add_argument("file", type=Path, metavar="FILE", help="that admin backup made")
    add_user_tasks(_add, tasks)
    add_season_task(_add, tasks)
    _add(tasks, "broker", _tell_broker, "write the broker's files anew, and let it read them")


def _register_people(tasks: Any) -> None:
    named = _add(tasks, "call", _call, "call somebody otherwise in the house")
    named.add_argument("person", help="an id, or the name")
    named.add_argument("name", help="what they are called")
    merged = _add(tasks, "merge", _merge, "let two people be one, in all evenings")
    merged.add_argument("person", help="an id, or the name")
    merged.add_argument("into", help="who both are from now on")
    parted = _add(tasks, "part", _part, "let somebody who was merged be by themselves again")
    parted.add_argument("person", type=int, help="an id; `kloplei-hub people list` shows it")
    gone = _add(tasks, "forget", _forget, "let the house know no name of somebody any more")
    gone.add_argument("person", help="an id, or the name")


def _add(tasks: Any, name: str, run: _Run, told: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = tasks.add_parser(name, help=told, description=told)
    add_config(parser)
    parser.set_defaults(run=lambda arguments: _run_as_owner(run, arguments))
    return parser


def _run_as_owner(run: _Run, arguments: argparse.Namespace) -> int:
    config = config_of(arguments)
    with closing(connect(config.database.owner, autocommit=True)) as connection:
        run(connection, arguments, config)
    return 0


def _migrate(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    migrate(config.database.owner)
    say("The tables are up to date.")


def _list_boxes(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    boxes = known_boxes(connection)
    for one in boxes:
        say(_told(one))
    if not boxes:
        say("No box goes with the house yet. Let one come with: kloplei-hub admin pair")


def _told(box: KnownBox) -> str:
    state = "retired" if box.retired else "online" if box.online else "away"
    apart = f", set apart: {box.quarantined} (docs/hub.md)" if box.quarantined else ""
    number = "-" if box.number is None else str(box.number)
    return f"{number:>4}  {box.name or '-':20}  {box.box:16}  {state}, {box.seq} entries{apart}"


def _pair(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    code = new_code(connection, arguments.name, arguments.number)
    here = config.ingest.host
    known = here if here.startswith("127.") else f"{platform.node().removesuffix('.local')}.local"
    address = where_to_pair(config, f"http://{known}")
    say(f"{code}    for a quarter of an hour; type it on the box, with {address}")


def _rename(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    box = find_box(connection, arguments.box)
    was = next(one.number for one in known_boxes(connection) if one.box == box)
    number = was if arguments.number is None else arguments.number
    rename(connection, box, arguments.name, number)


def _retire(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    retire(connection, find_box(connection, arguments.box))
    tell_broker(connection, config.broker)


def _release(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    gone = release(connection, find_box(connection, arguments.box), anew=arguments.anew)
    let_go = f" {gone} entries were let go of." if gone else ""
    say(f"It goes on with whichever box tells the same as is kept.{let_go}")


def _call(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    rename_person(connection, house_people(connection).find(arguments.person), arguments.name)


def _merge(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    people = house_people(connection)
    merge_people(connection, people.find(arguments.person), people.find(arguments.into))


def _part(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    part_person(connection, arguments.person)


def _forget(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    boxes = forget_person(connection, house_people(connection).find(arguments.person))
    say("The house knows no name of them any more. Backups of before do.")
    if boxes:
        say(f"{boxes} boxes still know them: they are forgotten there on the page of people.")


def _back_up(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    back_up(config.database.owner, arguments.file)
    say(f"{arguments.file} holds the house. Put it back with: kloplei-hub admin restore")


def _put_back(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    put_back(config.database.owner, arguments.file)
    tell_broker(connection, config.broker)
    say("The house is as it was; boxes send what they have played since once ingest runs.")


def _tell_broker(
    connection: Connection, arguments: argparse.Namespace, config: "HubConfig"
) -> None:
    tell_broker(connection, config.broker)
    say("The broker knows all boxes of the house.")
