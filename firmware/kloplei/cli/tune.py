"""`kloplei tune`: teach the box its table from the terminal, step by step, live."""

import argparse
import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kloplei.cli.options import WrongOption, add_config, seat_count

if TYPE_CHECKING:
    from kloplei.config import Config
    from kloplei.replay.commands import Subparsers
    from kloplei.table.ears import EarsClient, TuneState


def register(commands: "Subparsers") -> None:
    """Add ``tune`` to the command line."""
    tune = commands.add_parser(
        "tune",
        help="teach the box its table: be quiet, a glass, a phone, five knocks a seat",
        description="Teach the box its table. Nothing is saved until you say so.",
    )
    tune.set_defaults(run=run_tune, log_level="ERROR")
    add_config(tune)
    tune.add_argument("--seats", type=seat_count, metavar="N", help="only seats 1 to N knock")
    tune.add_argument(
        "--virtual",
        action="store_true",
        help="try it on a table that is not there, with people who do as they are told",
    )
    instead = tune.add_mutually_exclusive_group()
    instead.add_argument("--show", action="store_true", help="say what is in force, and stop")
    instead.add_argument("--back", action="store_true", help="go back to the tuning before")
    tune.add_argument("--json", action="store_true", help="with --show or --back: print JSON")


def run_tune(arguments: argparse.Namespace) -> int:
    """Tune the table, show what is in force, or go back; return 1 if nothing was saved."""
    from kloplei.cli.tune_screen import open_screen
    from kloplei.cli.tune_walk import walk

    if arguments.json and not (arguments.show or arguments.back):
        raise WrongOption("--json goes with --show or --back; people are guided without it")
    with _ears(arguments) as ears:
        if arguments.show or arguments.back:
            return _tell(ears, "back" if arguments.back else "look", as_json=arguments.json)
        with open_screen() as screen:
            return int(not walk(ears, screen, arguments.seats))


@contextlib.contextmanager
def _ears(arguments: argparse.Namespace) -> "Iterator[EarsClient]":
    """Give the ears of the table that runs, else those of a box opened for this."""
    if arguments.virtual:
        from kloplei.demo.table import obliging_table

        with obliging_table(arguments.seats) as ears:
            yield ears
        return
    from kloplei.config import load_config

    config = load_config(arguments.config)
    with contextlib.ExitStack() as opened:
        ears = _of_running(config, opened) or _of_own(config, opened)
        yield ears


def _of_running(config: "Config", opened: contextlib.ExitStack) -> "EarsClient | None":
    from kloplei.table.client import TableSilent
    from kloplei.table.rpc_client import remote_table

    table = remote_table(config.socket.path)
    opened.callback(table.close)
    try:
        table.scoreboard()
    except TableSilent as silence:
        # Only where none runs may its pins be taken.
        if isinstance(silence.__cause__, FileNotFoundError | ConnectionRefusedError):
            return None
        raise
    return table.ears


def _of_own(config: "Config", opened: contextlib.ExitStack) -> "EarsClient":
    from kloplei.unit import TableUnit

    unit = opened.enter_context(TableUnit(config, config.table.data))
    return unit.session.ears


def _tell(ears: "EarsClient", step: str, *, as_json: bool) -> int:
    """Do *step*, which guides nobody, and print what is in force after it."""
    import json

    from kloplei.table.schema import WORLD, dump
    from kloplei.table.tune import read_stand

    stand = read_stand(_done(ears, step))
    taught = dump(stand.in_force, form=WORLD)
    if as_json:
        print(json.dumps({"step": stand.step, "in_force": taught}, indent=2))
    else:
        print("\n".join(_in_force(taught, may_go_back="back" in stand.commands)))
    return 0


def _done(ears: "EarsClient", step: str) -> "TuneState":
    from kloplei.cli.tune_walk import CannotTune
    from kloplei.games.game import IllegalAction
    from kloplei.table.client import Unreadable
    from kloplei.words import Words

    try:
        return ears.tune(step)
    except IllegalAction as refusal:
        raise CannotTune(Words("en").say(f"reason.{refusal.reason}", refusal.facts)) from refusal
    except Unreadable as error:
        raise CannotTune(str(error)) from error


def _in_force(taught: Mapping[str, Any], *, may_go_back: bool) -> Iterator[str]:
    """Yield in lines for people what the table was *taught*."""
    if not taught["tuned"]:
        yield "Nobody has tuned this table; the box listens as it came. Tune it: kloplei tune"
        return
    yield f"In force: the table is heard with {taught['gain_db']:+.1f} dB."
    if taught["floor"]:
        floors = ", ".join(f"{100 * one:.1f} %" for one in taught["floor"])
        yield f"  silence, by sensor: {floors} of full scale"
    if taught["wary"]:
        yield "  it was taught what glasses and phones sound like here"
    if taught["seats"]:
        yield f"  seats told by their knocks: {', '.join(map(str, taught['seats']))}"
    if may_go_back:
        yield "  the tuning before it is kept: kloplei tune --back"
