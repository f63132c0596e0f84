"""What boxes sent, told as evenings as they send, and made anew to see that it is the same.

The telling itself is `_telling`'s; here is the program that keeps it up, woken by the database, and
`rebuild`, which makes all of it beside what is kept and compares both, byte for byte. Beside it, on
a thread of its own, `TournamentWorker` lets tournaments go on by the evenings that are told.
"""

import argparse
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final

from kloplei.cli.terminal import say
from kloplei_hub._pushing import PushWorker
from kloplei_hub._telling import Folder
from kloplei_hub.cli import add_config, config_of
from kloplei_hub.database import Connection, ListeningWorker, connect, is_news
from kloplei_hub.referee import HouseReferee

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers

_REST_S: Final = 2.0  # a table that plays is told no more often
_SHARE = 20.0  # ... and for so many times as long as the last time took
_LOOK_S = 0.5
_MOST_PARTS = 64


def rebuild(connection: Connection, language: str, *, put: bool = False) -> list[str]:
    """Make all that is told of evenings anew, beside what is kept; return what is otherwise.

    Boxes of which something is not told yet are left out.

    Args:
        connection: In autocommit, as the folding program's own user or the owner.
        language: As `Folder` has it.
        put: Whether what is made anew takes the place of what is kept.
    """
    folder = Folder(connection, language)
    with connection.transaction():
        late = folder.behind()
        for table in ("evenings", "folded"):
            # Those are meant from here on, wherever the schema is not named.
            make = f"CREATE TEMP TABLE {table} (LIKE public.{table} INCLUDING ALL) ON COMMIT DROP"
            connection.execute(make)
        for box in folder.behind():
            while not folder.fold(box):
                pass
        found = connection.execute(_OTHERWISE, (late,)).fetchall()
        if put:
            connection.execute(_PUT_ANEW, {"late": late})
    return [f"{box} after {after}" for box, after in found]


_COLUMNS = "box, era, after, last, at, told, counts"
_OTHERWISE = f"""
SELECT DISTINCT box, after FROM (
    (SELECT {_COLUMNS} FROM evenings EXCEPT SELECT {_COLUMNS} FROM public.evenings)
    UNION ALL
    (SELECT {_COLUMNS} FROM public.evenings EXCEPT SELECT {_COLUMNS} FROM evenings)
) AS other WHERE box <> ALL(%s) ORDER BY box, after
"""  # noqa: S608 - ours
_PUT_ANEW = f"""
WITH gone AS (
    DELETE FROM public.evenings AS kept WHERE box <> ALL(%(late)s) AND NOT EXISTS (
        SELECT FROM evenings AS anew
        WHERE (anew.box, anew.era, anew.after) = (kept.box, kept.era, kept.after)
    )
)
INSERT INTO public.evenings ({_COLUMNS})
SELECT {_COLUMNS} FROM evenings WHERE box <> ALL(%(late)s)
ON CONFLICT (box, era, after) DO UPDATE SET (last, at, told, counts) =
    (excluded.last, excluded.at, excluded.told, excluded.counts)
"""  # noqa: S608 - ours


class Folding(ListeningWorker):
    """Keeps the evenings up from a thread of its own, as boxes send; a context.

    Args:
        dsn: How the folding program reaches the database.
        language: As `Folder` has it.
        part: As `Folder` has it; others take care of the other parts.
    """

    def __init__(self, dsn: str, language: str, part: tuple[int, int] = (1, 1)) -> None:
        super().__init__(dsn, "steps", "No evening is told")
        self._language, self._part = language, part

    def keep_up(self, connection: Connection, listening: Connection) -> None:
        """Tell what boxes have sent, each box no more often than it may be."""
        folder = Folder(connection, self._language, self._part)
        rests: dict[str, float] = {}
        while not self.is_closing():
            now_s = time.monotonic()
            behind = folder.behind()
            for box in [box for box in behind if rests.get(box, now_s) <= now_s]:
                if self.is_closing():
                    return
                began_s = time.monotonic()
                if folder.fold(box):
                    ended_s = time.monotonic()
                    rests[box] = ended_s + max(_REST_S, _SHARE * (ended_s - began_s))
            # Boxes that rest are looked at again soon, all others when somebody sends.
            is_news(listening, _LOOK_S if not behind else 0.0)
            if behind:
                self.pause(_LOOK_S)


# So long at most nobody looks after tournaments, whatever is told: calls are due by the clock.
_LOOK_AT_TOURNAMENTS_S: Final = 15.0
_GATHER_S: Final = 0.5
_WAKES_S: Final = 1.0


class TournamentWorker(ListeningWorker):
    """Lets tournaments go on from a thread of its own; a context.

    Whenever evenings are told anew the results in them are taken, rounds that are due are drawn,
    and who has not sat down is called again. Nothing is remembered here: two of these at once, or
    one that was killed at any moment, do no harm (`kloplei_hub.referee`).

    Args:
        dsn: How it reaches the database.
        look_s: So long at most nobody looks.
    """

    def __init__(self, dsn: str, *, look_s: float = _LOOK_AT_TOURNAMENTS_S) -> None:
        super().__init__(dsn, "evenings", "No tournament goes on")
        self._look_s = look_s

    def keep_up(self, connection: Connection, listening: Connection) -> None:
        """Let all of them go on whenever evenings are told."""
        referee = HouseReferee(connection)
        while not self.is_closing():
            referee.go_on()
            for _ in range(max(1, round(self._look_s / _WAKES_S))):
                if self.is_closing() or self._is_woken(listening):
                    break

    def _is_woken(self, listening: Connection) -> bool:
        """Wait a second for evenings that are told anew, and then for others that come at once."""
        if not is_news(listening, _WAKES_S):
            return False
        self.pause(_GATHER_S)
        list(listening.notifies(timeout=0))
        return True


def register(commands: "Subparsers") -> None:
    """Add ``fold`` and ``rebuild`` to the command line."""
    fold = commands.add_parser(
        "fold",
        description="Tell the evenings out of what boxes sent, as they send, until it is stopped.",
    )
    fold.add_argument(
        "--part",
        type=_part,
        metavar="N/OF",
        default=(1, 1),
        help="take care of one part of the boxes; others do of the others, each as 2/4",
    )
    fold.set_defaults(run=run_fold)
    anew = commands.add_parser(
        "rebuild",
        description="Make all that is told of evenings anew beside what is kept, and say whether "
        "it is the same, byte for byte. What boxes sent is only read.",
    )
    anew.add_argument(
        "--replace", action="store_true", help="let what is made anew take the place of the other"
    )
    anew.set_defaults(run=run_rebuild)
    for command in (fold, anew):
        add_config(command)


def _part(written: str) -> tuple[int, int]:
    part, _, of = written.partition("/")
    if not (part.isdecimal() and of.isdecimal() and 1 <= int(part) <= int(of) <= _MOST_PARTS):
        raise argparse.ArgumentTypeError(f"{written} is no part such as 2/4")
    return int(part), int(of)


def run_fold(arguments: argparse.Namespace) -> int:
    """Keep the evenings up until SIGTERM or Ctrl-C."""
    from kloplei.systemd import Notifier, wait_for_signal

    config = config_of(arguments)
    notifier = Notifier()
    dsn = config.database.fold
    with (
        wait_for_signal() as wait,
        Folding(dsn, config.house.language, arguments.part),
        TournamentWorker(dsn),
        PushWorker(dsn, config.house.address, anywhere=config.push.anywhere),
    ):
        notifier.ready()
        say("Evenings are told as boxes send. Stop with Ctrl-C.")
        wait()
        notifier.stopping()
    return 0


def run_rebuild(arguments: argparse.Namespace) -> int:
    """Say whether the evenings come out the same; 1 where they do not."""
    config = config_of(arguments)
    with closing(connect(config.database.fold, autocommit=True)) as connection:
        found = rebuild(connection, config.house.language, put=arguments.replace)
        for number, round_, table in HouseReferee(connection).otherwise():
            say(f"tournament {number}, round {round_}, table {table}: its rubber is told otherwise")
    for one in found:
        say(f"otherwise: box {one}")
    if not found:
        say("All evenings come out the same, byte for byte.")
        return 0
    say(f"{len(found)} evenings come out otherwise.{' They are replaced.' * arguments.replace}")
    return 0 if arguments.replace else 1
