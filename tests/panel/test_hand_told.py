"""After the hand each phone says what it brought its own player, and why: by the worked records."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.replay.play import CourseRecord, RecordExample
from kloplei.replay.reader import read_records
from kloplei.replay.tarok import TarokRecord
from kloplei.words.catalogue import LANGUAGES
from kloplei_panel.pages.presenters import hand_told
from kloplei_panel.reader import Reader
from tests.panel.conftest import Phone

EXAMPLES = Path(__file__).parents[1] / "games" / "examples"
FILES = {
    "toepen": (EXAMPLES / "toepen.yaml", EXAMPLES / "house_rules.yaml"),
    "watten": (EXAMPLES / "watten.yaml", EXAMPLES / "watten_house_rules.yaml"),
    "tarok": (EXAMPLES / "tarok.yaml", EXAMPLES / "tarok_house_rules.yaml"),
    "eenendertigen": (Path(__file__).parents[2] / "docs" / "rules" / "eenendertigen.md",),
}


def boards(record: Any) -> Iterator[Scoreboard]:
    """Yield the slate of *record* at its start and after each of its steps."""
    if isinstance(record, CourseRecord):
        at = record.start
        yield at.game.scoreboard(at.state)
        for step in record.steps:
            with suppress(IllegalAction):
                at, _ = at.does(record.form.meant(at, step.action))
            yield at.game.scoreboard(at.state)
    elif isinstance(record, TarokRecord) and (course := record.course()):
        at = course.start
        yield at.game.scoreboard(at.state)
        for events in course.steps:
            at = at.after(events)
            yield at.game.scoreboard(at.state)


@cache
def hands(game: str) -> tuple[tuple[str, Scoreboard, dict[Seat, int]], ...]:
    """Return a name, the slate after each hand of the worked records of *game*, and what it moved.

    That is by how much the tally of each seat went up since the slate before its cards were dealt.
    """
    return tuple(_hands(game))


def _hands(game: str) -> Iterator[tuple[str, Scoreboard, dict[Seat, int]]]:
    for path in FILES[game]:
        for record in read_records(str(path)):
            if not isinstance(record, RecordExample):
                continue
            before: dict[Seat, int] = {}
            played = 0
            for board in boards(record):
                tallies = {row.seat: row.tally for row in board.rows}
                if len(board.hands) == played + 1 and not board.deal_runs:
                    moved = {seat: tally - before.get(seat, 0) for seat, tally in tallies.items()}
                    yield f"{record.id} hand {played + 1}", named(board), moved
                if not board.deal_runs:
                    before, played = tallies, len(board.hands)


def named(board: Scoreboard) -> Scoreboard:
    return replace(board, rows=tuple(replace(row, name=chr(65 + row.seat)) for row in board.rows))


def told(board: Scoreboard, seat: Seat, language: str = "en") -> str:
    return hand_told(board, seat, Reader(language, seat.shown, may_act=True).at(board))


def amount(sentence: str) -> int:
    """Return how many lives or points *sentence* says that its reader won or lost."""
    said = [int(one) for one in re.findall(r"(?:lose|pay|get|take|And) (\d+)", sentence)]
    return sum(said)


@pytest.mark.parametrize("game", FILES)
def test_what_is_told_is_what_the_slate_did(game: str) -> None:
    differing, many = [], 0
    for name, board, moved in hands(game):
        for row in board.rows:
            many += 1
            said = told(board, row.seat)
            if amount(said) != abs(moved[row.seat]):
                differing.append((name, row.seat, said, moved[row.seat]))

    assert many > 20
    assert differing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_tells_each_of_them(language: str) -> None:
    for game in FILES:
        for name, board, _ in hands(game):
            for row in board.rows:
                said = told(board, row.seat, language)
                assert not re.search(r"why\.|how\.|\{|None", said), (game, name, said)
                assert not said or said.endswith((".", "。")), (game, name, said)


def why(phone: Phone, seat: int) -> list[str]:
    return re.findall(r'class="hand-told" role="status">([^<]*)', phone.get(f"/?seat={seat}").text)


def test_a_phone_tells_its_own_player_why(phone: Phone) -> None:
    """toepen.md § 4: to fold costs what one was in for; the last trick makes the others pay."""
    phone.do(1, "deal")
    phone.do(1, "knock")
    phone.do(2, "stay")
    phone.do(3, "fold")
    phone.do(4, "stay")
    while_it_runs = [why(phone, seat) for seat in (1, 2, 3)]
    phone.do(1, "trick", n=4)

    assert while_it_runs == [[], [], []]
    assert why(phone, 1) == ["The last trick was yours: it costs you nothing."]
    assert why(phone, 2) == ["You lose 2: you stayed in, and Thijs took the last trick."]
    assert why(phone, 3) == ["You lose 1: you folded."]
    phone.do(1, "deal")
    assert why(phone, 2) == []


def test_a_hand_that_is_corrected_is_told_anew(phone: Phone) -> None:
    phone.do(1, "deal")
    phone.do(1, "trick", n=4)
    phone.do(None, "correct", hand=1, winner=2)

    assert why(phone, 1) == ["You lose 1: you stayed in, and Tame won the hand."]
    assert why(phone, 2) == ["The hand was yours: it costs you nothing."]
