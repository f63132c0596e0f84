"""Tables that stream actions and wait to be killed; run as a script by `test_killed`.

Asked for ``journal`` one only writes, for ``toepen`` or any other game it is played at, for
``telling`` a hand of Tarok is told there and never booked. It tells of each action once that is
acknowledged.
"""

import contextlib
import hashlib
import json
import random
from collections.abc import Collection
from pathlib import Path
from typing import Any

from kloplei.games.catalogue import GAMES, game_kind
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Offer, Scoreboard
from kloplei.table.journal import Journal
from kloplei.table.schema import WORLD, dump
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from tests.killed import fork_each, tell
from tests.table.memory_journal import MemoryJournal

SEATED = 4
UNDER_WAY = {"grace", "heard", "asking", "refused", "shown", "notices"}
SPOIL_THE_GAME = {"new_evening", "sit_down", "stand_up", "swap", "options"}
END_A_HAND = SPOIL_THE_GAME | {"book", "throw_in", "settle", "wipe", "undo", "redo"}
SELDOM = {"undo", "redo", "wipe", "rename", "misdeal", "revoke", "correct", "chalk"}
_SELDOM_AS = 0.1  # else nobody would ever get as far as half a trick


def stream_steps(path: Path, chance: random.Random) -> None:
    """Write steps of one to five events without end; tell the number of each."""
    with Journal(path) as journal:
        while True:
            of = chance.randint(1, 5)
            facts = [
                {"nth": nth, "of": of, "text": "x" * chance.randint(0, 90)} for nth in range(of)
            ]
            written = [("Happened", fact) for fact in facts]
            tell(journal.append(written, seat=chance.choice([None, 0, 3]), via="pad", at=None))


def stream_evening(game: str, path: Path, chance: random.Random) -> None:
    """Play anything legal of *game* without end; tell the slate after each action."""
    preset = chance.choice(game_kind(game).presets)
    with Session(Journal(path), TableSetup(game=game, preset=preset)) as session:
        while True:
            seat, action, facts = anything(session.scoreboard(), chance)
            # Each fact is legal, but not always all of them together.
            with contextlib.suppress(IllegalAction):
                session.submit(seat, action, facts=facts)
                tell(lasting(session.scoreboard()))


def stream_telling(path: Path, chance: random.Random) -> None:
    """Tell a hand of Tarok and take it back, never to its end; tell what it would pay."""
    with Session(Journal(path), TableSetup(game="tarok")) as session:
        while True:
            seat, action, facts = anything(session.scoreboard(), chance, never=END_A_HAND)
            with contextlib.suppress(IllegalAction):
                session.submit(seat, action, facts=facts)
                tell(drafted(session.scoreboard()))


def anything(
    board: Scoreboard, chance: random.Random, never: Collection[str] = SPOIL_THE_GAME
) -> tuple[Seat | None, str, dict[str, object]]:
    """Return something to do: sit down where nobody sits (undo may have seen to that), or play."""
    for seat in map(Seat, range(SEATED)):
        name = f"Player {seat.shown}"
        if board.row(seat) is None and name not in board.names.values():
            return seat, "sit_down", {"name": name}
    offered = playable(board, never)
    onward = [one for one in offered if one[1].action not in SELDOM]
    who, offer = chance.choice(onward if onward and chance.random() > _SELDOM_AS else offered)
    return who, offer.action, {need: chance.choice(offer.choices[need]) for need in offer.needs}


def playable(
    board: Scoreboard, never: Collection[str] = SPOIL_THE_GAME
) -> list[tuple[Seat | None, Offer]]:
    """Return who may do what now but for what is *never* done: that would end the evening."""
    offered: list[tuple[Seat | None, Offer]] = [(None, offer) for offer in board.offers]
    offered += [(row.seat, offer) for row in board.rows for offer in row.offers]
    return [
        (seat, offer)
        for seat, offer in offered
        if offer.action not in {"sit_down", *never} and set(offer.needs) <= offer.choices.keys()
    ]


def lasting(board: Scoreboard) -> dict[str, object]:
    """Return what of *board* must be there again after a kill; all of it goes into *slate*."""
    kept = {word: value for word, value in dump(board, form=WORLD).items() if word not in UNDER_WAY}
    slate = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
    return {"seq": board.seq, "phase": board.phase, "stake": board.stake, "slate": slate}


def drafted(board: Scoreboard) -> dict[str, Any]:
    """Return what of *board* was told of the running hand, and what it would pay."""
    return {"seq": board.seq, "draft": dump(board, form=WORLD).get("draft", [])}


def stream(what: str, path: Path, chance: random.Random) -> None:
    """Stream *what* was asked for."""
    if what == "journal":
        stream_steps(path, chance)
    if what == "telling":
        stream_telling(path, chance)
    stream_evening(what, path, chance)


if __name__ == "__main__":
    for _game in GAMES:
        Session(MemoryJournal(), TableSetup(game=_game))  # what it imports, it imports once
    fork_each(stream)
