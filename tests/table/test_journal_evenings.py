"""Evenings that the version before wrote: opened, taken back and corrected, they say the same.

Each journal in ``journals/evenings`` has its evening beside it as JSON: the whole scoreboard and
log as that version showed them when it had opened the journal, and again once it had done what
stands under ``do``. Some have the bookmark, a side file from which that version began to read.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kloplei.games.game import Seat
from kloplei.table.journal import Journal
from kloplei.table.schema import WORLD, dump
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session

EVENINGS = Path(__file__).parent / "journals" / "evenings"
ALL_OF_IT = 10_000
PATIENCE_S = 60.0
NEWEST = 12
"""Entries of the log that are kept of an evening after something was done."""

each_evening = pytest.mark.parametrize("name", sorted(one.stem for one in EVENINGS.glob("*.json")))


@pytest.fixture
def path(tmp_path: Path, name: str) -> Path:
    """Return a copy of the journal *name*, with its bookmark if it has one."""
    for one in EVENINGS.glob(f"{name}.db*"):
        shutil.copy(one, tmp_path / one.name)
    return tmp_path / f"{name}.db"


def written(name: str) -> dict[str, Any]:
    """Return what the version before showed of the evening *name*."""
    told: dict[str, Any] = json.loads((EVENINGS / f"{name}.json").read_text(encoding="utf-8"))
    return told


def shown(session: Session, limit: int) -> dict[str, object]:
    """Return all that anybody sees of *session*, as JSON has it."""
    log = [dump(entry, form=WORLD) for entry in session.log(limit)]
    told: dict[str, object] = json.loads(
        json.dumps({"board": dump(session.scoreboard(), form=WORLD), "log": log})
    )
    return told


_NOTED = {"exchange-closed", "signalled"}
_BETWEEN_HANDS = {
    "amend",
    "options",
    "payout",
    "revoke",
    "sit_down",
    "stand_up",
    "swap",
    "won_before",
}


def as_told_before(entry: dict[str, Any]) -> None:
    """Tell *entry* of the log as it was told once, where it says more today.

    Tarok names the suit of a cavalry, the entry that was taken back, a wrong discard, and which
    hand was put right or opened early; who moved is known by the place of before as well.
    """
    entry.pop("about", None)  # whom, where another one did it
    if entry["line"]["key"] in {"booked-anew", "reopened-early"}:
        entry["line"] = entry["before"].pop()
    if entry["line"]["key"] == "swapped":
        del entry["names"]
    for line in (entry["line"], *entry.get("before", ())):
        if line["key"].startswith("cavalry_"):
            line["facts"].pop("suit", None)
        if line["key"] == "entry-taken-back":
            line["facts"] = {}
        if line["key"] == "wrong-discard":
            line["key"] = "fine"
        if line["facts"].pop("announced", None) and line["key"] == "nolo_made":
            line["key"] = "nolo"


def but_for_later_rules(told: dict[str, Any]) -> dict[str, Any]:
    """Return *told* without what rules have said since: presets, `held` hands, what is offered.

    A hand that is told anew is asked for what 25 cards can hold (docs/rules/tarok.md, § 8). Between
    two hands of toepen people come and go, and a revoke is found (docs/rules/toepen.md, § 7, § 9);
    what has to wait says why (`later`), an undo what it takes back, and a hand what it was worth.
    """
    board = told["board"]
    board.pop("later", None)
    board.pop("suits", None)  # of the pack on the table
    board["pots"].pop("kitty", None)  # what lies there until it is taken out (`payout`)
    if board.get("prompt"):
        board["prompt"].pop("tells", None)
    for entry in (*told["log"], *board.get("draft", ())):
        as_told_before(entry)
    for hand in board.get("hands", ()):
        for worth in ("stake", "stayed", "folded"):
            hand.pop(worth, None)
        for booked in hand.get("ledger", ()):
            booked["line"]["facts"].pop("announced", None)  # before which trick
    for step in (one for one in board["actions"] if one["action"] in {"undo", "redo"}):
        step.pop("about", None)
    for line in (*(entry["line"] for entry in told["log"]), board["news"] or {"key": None}):
        if line["key"] in {"undone", "undone-steps", "redone", "redone-steps"}:
            line.update(key=line["key"].removesuffix("-steps"), facts={})
        if line["key"] == "armoede":
            line["facts"].pop("seat", None)  # who dealt
    for entry in told["log"]:
        entry["before"] = [one for one in entry["before"] if one["key"] != "exchange-closed"]
    between = _BETWEEN_HANDS if board["game"] == "toepen" else {"options"}
    if board["preset"] == "blind":  # only who knows tells of a trick (docs/rules/watten.md, § 11)
        between |= {"trick", "trick_of"}
        board.pop("prompt")
    for asker in (board, *board["rows"]):
        there = between | {"shorten"}  # what the slate has no letters for
        asker["actions"] = [one for one in asker["actions"] if one["action"] not in there]
    if board.get("prompt") and board["prompt"]["key"] in {"book", "held"}:
        del board["prompt"]
        for asker in (board, *board["rows"]):
            asker["actions"] = [one for one in asker["actions"] if one["action"] != "book"]
    for action in board["actions"]:
        presets = action.get("choices", {}).get("preset", [])
        presets[:] = [one for one in presets if one != "dansk ordret"]
    return told


def without_notes(told: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return *told* without what it said of signs and the end of an exchange, which *now* notes.

    Before, what had been told last stood there once more.
    """
    noted = {one["seq"] for one in now["log"] if one["line"]["key"] in _NOTED}
    for entry in told["log"]:
        entry["line"] = None if entry["seq"] in noted else entry["line"]
    return told


@each_evening
def test_an_evening_stands_as_the_version_before_left_it(path: Path, name: str) -> None:
    with Journal(path) as journal, Session(journal, reply_s=PATIENCE_S) as session:
        assert (journal.salvaged, journal.trouble) == (None, None)
        now, then = shown(session, ALL_OF_IT), written(name)["opened"]
        now, then = but_for_later_rules(now), but_for_later_rules(then)
        then = without_notes(then, now)
        assert without_notes(now, now) == then


@each_evening
@pytest.mark.parametrize("after", ["undone", "undone_redone", "corrected"])
def test_an_evening_of_the_version_before_goes_on(path: Path, name: str, after: str) -> None:
    expected = written(name)[after]
    with (
        Journal(path) as journal,
        Session(journal, TableSetup(wall=lambda: 1.9e9), reply_s=PATIENCE_S) as session,
    ):
        for seat, action, facts in expected.pop("do"):
            asker = None if seat is None else Seat(seat - 1)
            session.submit(asker, action, facts=facts)
        now = shown(session, NEWEST)

    now, expected = but_for_later_rules(now), but_for_later_rules(expected)
    expected = without_notes(expected, now)
    assert without_notes(now, now) == expected
    if after != "corrected":
        return  # to open it once more takes long
    with Journal(path) as journal, Session(journal, reply_s=PATIENCE_S) as session:
        again = but_for_later_rules(shown(session, NEWEST))
        assert without_notes(again, again) == expected
