"""Evenings, from before they begin until years later: `kloplei evenings` and those around it.

`seatcards` prints what seats people, `guide` leads them through their next hand; `export`,
`evenings` and `people` tell what stays, and `import` takes in what stood on paper.
"""

import argparse
import re
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kloplei.cli.terminal import add_config, load_config
from kloplei.files import KlopleiError, reason_of
from kloplei.words.catalogue import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kloplei.config.settings import Config
    from kloplei.games.scoreboard import Scoreboard
    from kloplei.history.notebooks import Notebook
    from kloplei.replay.commands import Subparsers
    from kloplei.seatcards import SeatCards

_MOST_DIGITS = 10
_ADDRESS = re.compile(r"https?://[!-~]{1,200}")


class NoAddress(KlopleiError):
    """Nobody knows where phones find the panel, or what was said to be it is no address."""


class NotWritten(KlopleiError):
    """A file cannot be written; the sentence says why, and what to do."""


def register(commands: "Subparsers") -> None:
    """Add ``export``, ``evenings``, ``people``, ``import``, ``seatcards`` and ``guide``."""
    _register_history(commands)
    _register_import(commands)
    _register_seatcards(commands)
    _register_guide(commands)


def _register_seatcards(commands: "Subparsers") -> None:
    cards = commands.add_parser(
        "seatcards",
        description="Write a PDF to print: a card for each seat with the code that sits a phone "
        "down there, and a table tent with the rules of the house. It takes the house as it is "
        "played now, else as the settings have it (docs/evening.md).",
    )
    cards.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("kloplei-seatcards.pdf"),
        metavar="FILE",
        help="to write (kloplei-seatcards.pdf here)",
    )
    cards.add_argument(
        "--language",
        action="append",
        choices=tuple(LANGUAGES),
        dest="languages",
        help="of the cards; twice for two side by side (those of table, slate and phones)",
    )
    cards.add_argument(
        "--address", metavar="URL", help="where phones find the panel (as the slate says now)"
    )
    add_config(cards)
    cards.set_defaults(run=write_seatcards)


def _register_guide(commands: "Subparsers") -> None:
    guide = commands.add_parser(
        "guide",
        description="Let the table that runs lead those who sit at it through their next hand, "
        "on slate and large screen; whoever knocks on waits for nothing (docs/evening.md).",
    )
    add_config(guide)
    guide.set_defaults(run=begin_guide)


def _register_history(commands: "Subparsers") -> None:
    export = commands.add_parser(
        "export",
        description="Print the evening that runs, or the last one; with --evening one of before, "
        "or all. The table may go on (docs/care.md).",
    )
    export.add_argument(
        "--evening",
        metavar="N",
        help="an evening of the history by its number in kloplei evenings, or all of them",
    )
    export.add_argument(
        "--as",
        "--format",
        dest="form",
        choices=("text", "csv", "json"),
        default="text",
        help="in which form (text)",
    )
    export.set_defaults(run=print_evening)
    evenings = commands.add_parser(
        "evenings",
        description="List the evenings that were played, with the numbers by which --evening of "
        "kloplei export names them; the table may go on (docs/history.md).",
    )
    evenings.set_defaults(run=list_evenings)
    people = commands.add_parser(
        "people",
        description="List the people whom the box knows, who was here last first; guests are not "
        "among them (docs/history.md).",
    )
    people.set_defaults(run=list_people)
    for command in (evenings, people):
        command.add_argument("--json", action="store_true", help="print JSON")
    for command in (export, evenings, people):
        add_config(command)


def _register_import(commands: "Subparsers") -> None:
    parser = commands.add_parser(
        "import",
        description="Take in evenings from paper, as history alone: files of records as kloplei "
        "replay plays them, each with its day (date: 2019-03-08). They are checked first, and a "
        "file in which anything comes out otherwise is not taken (docs/history.md).",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="YAML or Markdown")
    parser.add_argument("--check", action="store_true", help="only look; take nothing")
    parser.add_argument("--list", action="store_true", help="say which notebooks were taken in")
    parser.add_argument("--remove", metavar="ID", help="take one away again, by its id in --list")
    add_config(parser)
    parser.set_defaults(run=take_in)


def write_seatcards(arguments: argparse.Namespace) -> int:
    """Write the seat cards and the tent of the house that is played now, or of the settings."""
    from kloplei.files import atomic_write
    from kloplei.network.hotspot import join_address
    from kloplei.seatcards import draw

    config = load_config(arguments.config)
    way = join_address(config)
    url = _checked_address(way.url if arguments.address is None else arguments.address)
    cards = _cards_for(config, url, way.wifi.name if way.wifi else "", arguments.languages)
    try:
        atomic_write(arguments.file, draw(cards))
    except OSError as error:
        raise NotWritten(
            f"{arguments.file} cannot be written ({reason_of(error)}). "
            "Name another: kloplei seatcards cards.pdf"
        ) from error
    print(f"{arguments.file} has {cards.seats} cards and a tent, for {url} .")
    if config.network.address is None and not (arguments.address or way.on_hotspot):
        print("Let the router give the box this address for good, or the cards grow old.")
    return 0


def _checked_address(url: str | None) -> str:
    """Return *url*, which phones are to open.

    Raises:
        NoAddress: It is none, or nobody knows any.
    """
    if url is None:
        raise NoAddress("No phone can reach this box now. Say where: --address http://10.75.76.1/")
    if not _ADDRESS.fullmatch(url):
        raise NoAddress(f"{url!r:.60} is no address of a page. Say one: http://10.75.76.1/")
    return url


def _cards_for(
    config: "Config", url: str, wifi: str, languages: "Sequence[str] | None"
) -> "SeatCards":
    """Return the cards of the house that is played now, or of the settings where no table runs."""
    from kloplei.seatcards import MOST_LANGUAGES, SeatCards

    spoken = languages or (config.table.language, config.slate_language, config.panel_language)
    now = _played_now(config)
    return SeatCards(
        url,
        now.seats if now else config.table.seats,
        tuple(dict.fromkeys(spoken))[:MOST_LANGUAGES],
        now.game if now else config.table.game,
        now.preset if now else config.table.preset,
        now.options if now else config.table.options,
        place=config.panel.place,
        wifi=wifi,
        locked=config.panel.locked,
    )


def _played_now(config: "Config") -> "Scoreboard | None":
    """Return what the table of this box plays; None where none runs."""
    from kloplei.table.client import TableUnavailable
    from kloplei.table.rpc_client import remote_table

    with closing(remote_table(config.socket.path)) as table, suppress(TableUnavailable):
        return table.scoreboard()
    return None


def begin_guide(arguments: argparse.Namespace) -> int:
    """Let the table lead those who sit at it through their next hand."""
    from kloplei.table.rpc_client import remote_table

    with closing(remote_table(load_config(arguments.config).socket.path)) as table:
        table.doctor.explain()
    print("The slate says what to do, from now until a hand has ended.")
    return 0


def print_evening(arguments: argparse.Namespace) -> int:
    """Print the evening as it stands, or evenings of before, in the language of the slate."""
    from kloplei.export import FORMATS, read_evening
    from kloplei.systemd import ended_in_good_order
    from kloplei.words import Words

    config = load_config(arguments.config)
    if arguments.evening is not None:
        return _print_history(config, arguments)
    with ended_in_good_order():
        evening = read_evening(config.table.data)
    print(FORMATS[arguments.form](evening, Words(config.slate_language)), end="")
    return 0


def _print_history(config: "Config", arguments: argparse.Namespace) -> int:
    from kloplei.export import HISTORY_FORMATS, evenings_in, read_history
    from kloplei.systemd import ended_in_good_order
    from kloplei.table.client import BadRequest
    from kloplei.words import Words

    asked: str = arguments.evening
    if asked != "all" and not (asked.isascii() and asked.isdigit() and len(asked) < _MOST_DIGITS):
        raise BadRequest(
            f"--evening wants a number of kloplei evenings, or all; not {asked!r:.40}."
        )
    with ended_in_good_order(), read_history(config.table.data) as history:
        there = [one.number for one in evenings_in(history)]
        if asked != "all" and int(asked) not in there:
            raise BadRequest(
                f"There is no evening {asked}; kloplei evenings lists those there are."
            )
        every = there if asked == "all" else [int(asked)]
        evenings = [history.evening(number) for number in every]
        print(HISTORY_FORMATS[arguments.form](evenings, Words(config.slate_language)), end="")
    return 0


def list_evenings(arguments: argparse.Namespace) -> int:
    """Print the evenings, oldest first, so that the newest stands above the prompt."""
    from kloplei.export import evenings_in, line_told, read_history
    from kloplei.systemd import ended_in_good_order
    from kloplei.words import Words

    config = load_config(arguments.config)
    with ended_in_good_order(), read_history(config.table.data) as history:
        found = evenings_in(history)
    if arguments.json:
        _print_json(found)
        return 0
    words = Words(config.slate_language)
    for one in found:
        print(line_told(one, words))
    return 0


def list_people(arguments: argparse.Namespace) -> int:
    """Print who is known, who was here last first."""
    from kloplei.export import read_history
    from kloplei.systemd import ended_in_good_order
    from kloplei.words import Words
    from kloplei.words.dates import short_day_of

    config = load_config(arguments.config)
    with ended_in_good_order(), read_history(config.table.data) as history:
        found = history.people()
    if arguments.json:
        _print_json(found)
        return 0
    words = Words(config.slate_language)
    for one in found:
        last = short_day_of(one.last, words) if one.evenings else ""
        print(f"{one.player.person:>6}  {one.player.name:<20} {one.evenings:>5}  {last}".rstrip())
    return 0


def _print_json(found: "Sequence[object]") -> None:
    import json

    from kloplei.table.schema import WORLD, dump

    print(json.dumps([dump(one, form=WORLD) for one in found], ensure_ascii=False, indent=2))


def take_in(arguments: argparse.Namespace) -> int:
    """Take notebooks in, list them, or take one away."""
    from kloplei.history.notebooks import NotANotebook, NotebookStore

    if not (arguments.files or arguments.list or arguments.remove):
        raise NotANotebook("Name the FILE to take in, or say --list.")
    store = NotebookStore(load_config(arguments.config).table.data)
    if arguments.remove and not store.remove(arguments.remove):
        known = "kloplei import --list names those there are"
        raise NotANotebook(f"There is no notebook {arguments.remove!r:.40}; {known}.")
    # All are read before any is taken: a mistake in the last one leaves nothing half done.
    read = [_read_in(path) for path in arguments.files]
    for notebook, told in read:
        is_new = arguments.check or store.put(notebook)
        print(f"{notebook.name}: {told}{'' if is_new else '; it was here already'}.")
    if arguments.list:
        for one in store.read():
            print(f"{one.id}  {one.name}")
    return 0


def _read_in(path: Path) -> "tuple[Notebook, str]":
    from kloplei.history.notebooks import Notebook, read_notebook
    from kloplei.replay.reader import text_of

    # A file may be called what no terminal should print, and no list of ours can keep.
    spelled = "".join(
        one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in path.name
    )
    notebook = Notebook(spelled, text_of(str(path)))
    found = read_notebook(notebook)
    hands = sum(one.evening.line.hands for one in found.evenings)
    told = f"{_counted(len(found.evenings), 'evening')}, {_counted(hands, 'hand')}"
    if found.left_out:
        told += f"; without an evening, and left out: {_counted(found.left_out, 'record')}"
    return notebook, told


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
