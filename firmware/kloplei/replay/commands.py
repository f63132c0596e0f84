"""The commands ``kloplei replay`` and ``kloplei judge``.

Exit codes: 0 all that was expected holds, 1 something differs, 2 it cannot be read.
"""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from kloplei.files import KlopleiError
from kloplei.games.cards import read_cards
from kloplei.games.catalogue import GAMES, game_kind
from kloplei.games.house_rules import BadOption

if TYPE_CHECKING:
    from kloplei.replay.reader import Outcome

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001

_JUDGED = tuple(name for name, kind in GAMES.items() if kind.has_tricks)
FINE, DIFFERS, UNREADABLE = 0, 1, 2
_WORDS = {
    "variant": ("VARIANT", "watten: tyrol, guate, kritisch, blind or bohemian"),
    "schlag": ("RANK", "watten: the trump rank named"),
    "trump": ("SUIT", "watten: the trump suit named"),
    "set": ("SET", "tarok: a, b or c, which game of the family (c)"),
    "trick": ("NUMBER", "tarok: which trick, 1 to 25"),
    "named": ("SUIT", "tarok: what the player named who led the Fool"),
}
"""What a judge may be told in a word, and how the command says so."""


def register(subparsers: "Subparsers") -> None:
    """Add the commands of this package; each sets ``run(args) -> exit code``."""
    add_replay(subparsers)
    add_judge(subparsers)


def add_replay(subparsers: "Subparsers") -> None:
    """Add ``kloplei replay``."""
    parser = subparsers.add_parser(
        "replay",
        description="Play written records through the rules and compare. Exit code: 0 all that "
        "the records expect holds, 1 something differs, 2 a file is not a record.",
    )
    parser.add_argument("records", nargs="+", metavar="RECORD", help="a YAML or Markdown file")
    parser.add_argument("--json", action="store_true", help="print every step as JSON")
    parser.set_defaults(run=replay)


def add_judge(subparsers: "Subparsers") -> None:
    """Add ``kloplei judge``."""
    parser = subparsers.add_parser(
        "judge",
        description="Say which card takes a trick. Cards stand in the order they were played: "
        "suit H D S C and rank 7 8 9 10 J Q K A, as in H10; in tarok KS, CD, T1 to T21 and EX.",
    )
    parser.add_argument(
        "--game", default="toepen", help=f"the game played: {', '.join(_JUDGED)} (toepen)"
    )
    parser.add_argument("cards", nargs="+", metavar="CARD")
    parser.add_argument(
        *("--folded", "-f"),
        type=int,
        action="append",
        default=[],
        metavar="PLACE",
        help="card number PLACE, from 1, belongs to somebody who has folded since; may be repeated",
    )
    for word, (metavar, told) in _WORDS.items():
        parser.add_argument(f"--{word}", metavar=metavar, help=told)
    parser.add_argument(
        *("--option", "-o"),
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a house rule the trick is judged by; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=judge)


def replay(args: argparse.Namespace) -> int:
    """Play the records in the files and return the exit code."""
    # Reading YAML is for this command alone; the way to the first slate stays short.
    from kloplei.replay.reader import read_records

    try:
        records = [record for path in args.records for record in read_records(path)]
    except KlopleiError as error:
        return _complain(error)
    outcomes = [record.play() for record in records]
    differing = [one.difference for one in outcomes if one.difference]
    if args.json:
        print("[" + ",\n ".join(json.dumps(one.report) for one in outcomes) + "]")
    if differing:
        # JSON readers find nothing but JSON on the standard output.
        print(differing[0], file=sys.stderr if args.json else sys.stdout)
    if not args.json:
        print(_summary(outcomes, len(differing)))
    return DIFFERS if differing else FINE


def judge(args: argparse.Namespace) -> int:
    """Print who takes the trick and return the exit code."""
    try:
        kind = game_kind(args.game)
        cards = read_cards(args.cards, kind.pack)
        taken = kind.judge(cards, _said(args))
    except KlopleiError as error:
        return _complain(error)
    if args.json:
        report = {
            "game": kind.name,
            "cards": [str(card) for card in cards],
            "winner": str(cards[taken.place]),
            "place": taken.place + 1,
            **({"why": taken.why} if taken.why else {}),
            **taken.besides,
        }
        print(json.dumps(report))
    else:
        why = f": {taken.why}" if taken.why else ""
        print(f"{cards[taken.place]} (card {taken.place + 1}){why}")
        for what, came in taken.besides.items():
            print(f"{what}: {came if isinstance(came, str) else json.dumps(came)}")
    return FINE


def _said(args: argparse.Namespace) -> dict[str, object]:
    """Return what the words of the command say besides the cards."""
    said: dict[str, object] = {
        "folded": {place - 1 for place in args.folded},
        **{word: getattr(args, word) for word in _WORDS},
        "options": dict(_option(written) for written in args.option),
    }
    # What is written but empty is a mistake, and not the same as left out.
    return {word: value for word, value in said.items() if value or value == ""}


def _option(written: str) -> tuple[str, str]:
    name, equals, value = written.partition("=")
    if not equals:
        raise BadOption(f"Write a house rule as NAME=VALUE, not {written!r:.40}.")
    return name.strip(), value.strip()


def _summary(outcomes: "list[Outcome]", differing: int) -> str:
    holding = len(outcomes) - differing
    records = "record" if len(outcomes) == 1 else "records"
    return f"{holding} of {len(outcomes)} {records} hold."


def _complain(error: KlopleiError) -> int:
    print(f"kloplei: {error}", file=sys.stderr)
    return UNREADABLE
