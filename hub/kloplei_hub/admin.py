"""``kloplei-hub admin`` and ``people``: boxes, people and the database, for who keeps the house.

As the owner of the database: the programs may do none of it.
"""

import argparse
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
from kloplei_hub.cli import add_task, counted
from kloplei_hub.database import Connection, migrate
from kloplei_hub.people import (
    add_person,
    forget_person,
    house_people,
    known_people,
    merge_people,
    part_person,
    rename_person,
    unheeded_names,
)
from kloplei_hub.seasons import add_season_task
from kloplei_hub.users import add_tasks as add_user_tasks

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers
    from kloplei_hub.settings import HubConfig

_BOX: Final = "its id, name or number"
_PERSON: Final = "an id, or the name"


def register(commands: "Subparsers") -> None:
    """Add ``admin`` and ``people``, and what they can do, to the command line."""
    parser = commands.add_parser(
        "admin",
        description="Say which boxes go with the house, and mend what needs it, as the owner of "
        "the database (docs/hub.md).",
    )
    tasks = parser.add_subparsers(title="tasks", required=True, metavar="TASK")
    add_task(tasks, "migrate", _migrate, "bring the database's tables up to date")
    _add_boxes(tasks)
    _add_twins(tasks)
    _add_people(tasks)
    _add_backups(tasks)
    add_user_tasks(add_task, tasks)
    add_season_task(add_task, tasks)
    add_task(tasks, "broker", _tell_broker, "write the broker's files anew, and let it read them")
    _register_people(commands)


def _register_people(commands: "Subparsers") -> None:
    parser = commands.add_parser(
        "people", description="The people of the house: who is known, who is new, who is who."
    )
    tasks = parser.add_subparsers(title="tasks", required=True, metavar="TASK")
    add_task(tasks, "list", _list_people, "list who is known in the house, and at how many boxes")
    added = add_task(tasks, "add", _add_newcomers, "let people be known who were at no table yet")
    added.add_argument("name", nargs="+", help="what they are called")
    _add_people(tasks)


def _add_boxes(tasks: Any) -> None:
    add_task(tasks, "boxes", _list_boxes, "list the boxes, and what is kept of each")
    pair = add_task(tasks, "pair", _pair, "show a code with which one box may come")
    pair.add_argument("--name", default="", help="what the house will call the box")
    pair.add_argument("--number", type=int, help="the table's number in the house")
    pair.add_argument("--for", dest="box", help=f"that is to come again: {_BOX}")
    named = add_task(tasks, "rename", _rename, "call a box otherwise")
    named.add_argument("box", help=_BOX)
    named.add_argument("name", help="what the house calls it")
    named.add_argument("--number", type=int, help="the table's number in the house")
    gone = "let a box go with the house no longer; its evenings stay"
    add_task(tasks, "retire", _retire, gone).add_argument("box", help=_BOX)


def _add_twins(tasks: Any) -> None:
    freed = add_task(tasks, "release", _release, "let a box go on that was set apart as a twin")
    freed.add_argument("box", help=_BOX)
    freed.add_argument(
        "--anew", action="store_true", help="let go of what is kept, and take it anew from the box"
    )


def _add_people(tasks: Any) -> None:
    named = add_task(tasks, "call", _call, "call somebody otherwise in the house")
    named.add_argument("person", help=_PERSON)
    named.add_argument("name", help="what they are called")
    merged = add_task(tasks, "merge", _merge, "let two people be one, in all evenings")
    merged.add_argument("person", help=_PERSON)
    merged.add_argument("into", help="who both are from now on")
    parted = add_task(tasks, "part", _part, "let somebody who was merged be by themselves again")
    parted.add_argument("person", type=int, help="an id; `kloplei-hub people list` shows it")
    gone = "let the house know no name of somebody any more"
    add_task(tasks, "forget", _forget, gone).add_argument("person", help=_PERSON)


def _add_backups(tasks: Any) -> None:
    kept = add_task(tasks, "backup", _back_up, "write the database to a file, while all goes on")
    kept.add_argument("file", type=Path, metavar="FILE", help="to write; it holds names")
    back = add_task(tasks, "restore", _put_back, "let the database hold what a backup does")
    back.add_argument("file", type=Path, metavar="FILE", help="that admin backup made")


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
    kept = counted(box.seq, "entry", "entries")
    return f"{number:>4}  {box.name or '-':20}  {box.box:16}  {state}, {kept}{apart}"


def _pair(connection: Connection, arguments: argparse.Namespace, config: "HubConfig") -> None:
    box = None if arguments.box is None else find_box(connection, arguments.box)
    code = new_code(connection, arguments.name, arguments.number, box)
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
    let_go = f" Let go of: {counted(gone, 'entry', 'entries')}." if gone else ""
    say(f"It goes on with whichever box tells the same as is kept.{let_go}")


def _list_people(
    connection: Connection, arguments: argparse.Namespace, config: "HubConfig"
) -> None:
    people = known_people(connection)
    for one in people:
        state = "forgotten" if one.forgotten else f"is {one.into}" if one.into else ""
        say(f"{one.person:>16}  {one.name or '-':20}  at {_boxes(one.boxes)}  {state}".rstrip())
    if not people:
        say("Nobody is known in the house yet. Let somebody be: kloplei-hub people add NAME")
    for other in unheeded_names(connection):
        say(
            f"The box {other.box} calls {other.name} {other.told}, and did not bring them. If that "
            f"is right: kloplei-hub people call {other.person} '{other.told}'"
        )


def _boxes(number: int) -> str:
    return counted(number, "box", "boxes")


def _add_newcomers(
    connection: Connection, arguments: argparse.Namespace, config: "HubConfig"
) -> None:
    for name in arguments.name:
        say(f"{add_person(connection, name):>16}  {' '.join(name.split())}")


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
        know = "knows" if boxes == 1 else "know"
        say(f"{_boxes(boxes)} still {know} them: they are forgotten there on the page of people.")


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
