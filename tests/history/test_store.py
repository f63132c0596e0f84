"""The file of the evenings: thrown away and made anew, it says the same."""

import pkgutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kloplei.config.settings import HISTORY, JOURNAL
from kloplei.frozen import replace
from kloplei.games.card_game import Correct
from kloplei.games.game import Seat
from kloplei.history import _store as store
from kloplei.history._store import HistoryStore, evening_of, open_to_tell
from kloplei.table import actions
from kloplei.table.journal_file import INSERT, begin_era, connect, create
from tests.history.journals import Scribe
from tests.history.test_evenings import a_hand

CONTENT = ("evenings", "players", "honours", "counts")


class Box:
    """A folder with a journal that grows, and its history."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal, self.history = folder / JOURNAL, folder / HISTORY
        create(self.journal)
        with closing(connect(self.journal)) as connection:
            begin_era(connection)

    def grow(self, rows: Iterable[tuple[Any, ...]]) -> None:
        with closing(sqlite3.connect(self.journal)) as connection, connection:
            connection.executemany(INSERT, rows)

    def update(self, pause: Any = lambda: None) -> None:
        HistoryStore(self.journal, self.history, pause).update()

    def told(self, path: Path | None = None) -> list[list[tuple[Any, ...]]]:
        with closing(open_to_tell(path or self.history)) as connection:
            return [connection.execute(f"SELECT * FROM {one}").fetchall() for one in CONTENT]  # noqa: S608

    def anew(self) -> list[list[tuple[Any, ...]]]:
        """Return what a history says that has just been made of the journal."""
        fresh = self.folder / "fresh.sqlite3"
        store.throw_away(fresh)
        HistoryStore(self.journal, fresh).update()
        return self.told(fresh)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def years() -> Scribe:
    """Return some evenings, with much of them taken back, a clock that fails, and a night."""
    return deepcopy(_years())


@cache
def _years() -> Scribe:
    scribe = Scribe(seed=3)
    for number, game in enumerate(("toepen", "eenendertigen", "toepen", "watten", "toepen")):
        scribe.begin(game, 4)
        for _ in range(25):
            scribe.step(slate=0.3)
            if scribe.dice.random() < 0.15:
                scribe.undo(scribe.dice.randint(1, min(10, scribe.undoable)))
                if scribe.state.play is None or scribe.dice.random() < 0.5:
                    scribe.redo(scribe.redoable)
        scribe.now = None if number == 1 else 1_777_000_000.0 + number * 86_400
        if number == 3:
            scribe.hands(1)
    return scribe


@pytest.mark.parametrize("runs", [True, False])
def test_it_is_the_same_in_whatever_order_it_was_made(box: Box, runs: bool) -> None:
    """A box that was switched off at any moment tells what one does that ran all the time."""
    running = HistoryStore(box.journal, box.history)
    rows = list(years().rows())
    steps = sorted({row[1] for row in rows})
    cuts = [*steps[7::31], steps[-1]]
    at = 0
    for cut in cuts:
        box.grow(rows[at:cut])
        at = cut
        (running.update if runs else box.update)()

        assert box.told() == box.anew()
    assert len(box.told()[0]) > 2


def test_behind_a_part_that_cannot_be_read_nothing_is_made_up(box: Box) -> None:
    """A night lies in it, so that it is gone on from an evening that nobody knows."""
    scribe = Scribe()
    scribe.begin("eenendertigen", 3)
    scribe.hands(2)
    at = len(scribe.entries)
    scribe.hands(2)
    scribe.now = (scribe.now or 0) + 9 * 3600
    for _ in range(3):
        scribe.do(actions.Rename(Seat(0), f"Ann {len(scribe.entries)}"))
        scribe.hands(2)
        scribe.begin("eenendertigen", 3)
    scribe.hands(1)
    scribe.entries[at] = replace(scribe.entries[at], event="Juggled", facts={})
    rows = list(scribe.rows())
    steps = sorted({row[1] for row in rows if row[0] > at})
    for cut in (*steps[::4], steps[-1]):
        with closing(sqlite3.connect(box.journal)) as connection:
            ((last,),) = connection.execute("SELECT coalesce(max(seq), 0) FROM entries")
        box.grow(rows[last:cut])
        box.update()

        assert box.told() == box.anew()
    assert len(box.told()[0]) == 4


def test_what_an_undo_reached_back_for_is_told_anew(box: Box) -> None:
    scribe = Scribe()
    scribe.begin("eenendertigen", 3)
    scribe.hands(3)
    scribe.begin("eenendertigen", 4)
    scribe.hands(1)
    rows = list(scribe.rows())
    box.grow(rows)
    box.update()
    assert len(box.told()[0]) == 2

    scribe.undo(7)
    box.grow(list(scribe.rows())[len(rows) :])
    box.update()

    assert len(box.told()[0]) == 1
    assert box.told() == box.anew()


def test_a_hand_that_is_put_right_after_a_night_is_told_anew(box: Box) -> None:
    """And however much was played since, as long as it stands on the slate."""
    scribe = Scribe()
    scribe.begin("toepen", 3)
    a_hand(scribe)
    a_hand(scribe)
    scribe.now = (scribe.now or 0) + 9 * 3600
    told = 0
    for much in (0, 1, 900):
        for _ in range(much):
            scribe.do(actions.Rename(Seat(0), f"Ann {len(scribe.entries)}"))
        for seat in (Seat(1), Seat(2)):
            scribe.do(Correct(1, seat))
        box.grow(list(scribe.rows())[told:])
        told = len(scribe.entries)
        box.update()

        assert box.told() == box.anew()
        (line, *_) = (evening_of(told) for *_, told in box.told()[0])
        assert line.hands[0].winners == (3,)
        a_hand(scribe)


def test_what_is_settled_is_not_read_again(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.grow(years().rows())
    box.update()
    with closing(open_to_tell(box.history)) as connection:
        (settled,) = connection.execute("SELECT settled FROM read_upto").fetchone()
    put: list[int] = []
    monkeypatch.setattr(store, "_put", lambda connection, number, folded: put.append(number))

    scribe = years()
    before = len(scribe.entries)
    scribe.hands(1)
    box.grow(list(scribe.rows())[before:])
    box.update()

    assert settled > 0
    assert put[0] == settled + 1


def test_nothing_is_written_where_nothing_is_new(box: Box) -> None:
    box.grow(years().rows())
    box.update()
    held = box.history.stat().st_mtime_ns

    box.update()

    assert box.history.stat().st_mtime_ns == held


@pytest.mark.parametrize(
    ("stumbles", "over"),
    [
        ("kloplei.history._store.titles_of", "watten"),
        ("kloplei.history._store.honours_of", "watten"),
        ("kloplei.history.evenings.turning_hand", "watten"),
        ("kloplei.games.watten.statistics.notes", "Watten"),
        ("kloplei.games.watten.statistics.tense_sides", "State"),
        ("kloplei.games.watten.statistics._told_of", "_Deal"),
    ],
)
def test_an_evening_over_which_a_rule_stumbles_holds_up_no_other(
    box: Box, monkeypatch: pytest.MonkeyPatch, stumbles: str, over: str
) -> None:
    """Each of them is a mistake of ours, of which nobody knows yet."""
    real = pkgutil.resolve_name(stumbles)
    stumbled: list[object] = []

    def rule(*told: Any) -> Any:
        if over in repr(told):
            stumbled.append(told)
            raise AssertionError("a mistake of ours")
        return real(*told)

    box.grow(years().rows())
    monkeypatch.setattr(stumbles, rule)

    box.update()

    evenings = [evening_of(told) for *_, told in box.told()[0]]
    assert stumbled
    assert [one.broken for one in evenings].count(True) == 1
    assert len(evenings) >= 4
    monkeypatch.undo()
    assert len(evenings) == len(box.anew()[0])


def _new_era(box: Box) -> None:
    with closing(connect(box.journal)) as connection:
        begin_era(connection)


def _other_links(box: Box) -> None:
    with closing(sqlite3.connect(box.journal)) as connection, connection:
        connection.execute("UPDATE entries SET link = link + 1")


def _other_version(box: Box) -> None:
    with closing(sqlite3.connect(box.history)) as connection, connection:
        connection.execute("UPDATE read_upto SET version = '0.0.1', last = 0")
        connection.execute("DELETE FROM players")


def _other_shape(box: Box) -> None:
    with closing(sqlite3.connect(box.history)) as connection, connection:
        connection.execute("DROP TABLE honours")
        connection.execute("CREATE TABLE honours (evening)")
        connection.execute("PRAGMA user_version = 77")


def _other_state(box: Box) -> None:
    with closing(sqlite3.connect(box.history)) as connection, connection:
        connection.execute("UPDATE read_upto SET state = '{}', last = 0")


def _rubbish(box: Box) -> None:
    box.history.write_bytes(b"no database at all" * 100)


def _cut_short(box: Box) -> None:
    raw = box.history.read_bytes()
    box.history.write_bytes(raw[: len(raw) // 2])


@pytest.mark.parametrize(
    "spoil",
    [_new_era, _other_links, _other_version, _other_shape, _other_state, _rubbish, _cut_short],
)
def test_it_is_made_anew_where_it_cannot_go_on(box: Box, spoil: Any) -> None:
    scribe = years()
    rows = list(scribe.rows())
    box.grow(rows)
    box.update()
    spoil(box)
    scribe.hands(1)
    with closing(sqlite3.connect(box.journal)) as connection:
        (last,) = connection.execute("SELECT max(seq) FROM entries").fetchone()
    box.grow(list(scribe.rows())[last:])

    box.update()

    assert box.told() == box.anew()


def test_a_power_cut_at_any_step_costs_nothing(box: Box) -> None:
    class Cut(Exception):
        """The power fails."""

    box.grow(years().rows())
    for steps in (3, 40, 90, 140):
        left = iter(range(steps))

        def pause(left: Any = left) -> None:
            if next(left, None) is None:
                raise Cut

        with pytest.raises(Cut):
            box.update(pause)

    box.update()

    assert box.told() == box.anew()


def test_a_disk_that_takes_nothing_is_told(box: Box) -> None:
    box.grow(years().rows())

    with pytest.raises(sqlite3.Error):
        HistoryStore(box.journal, box.folder / "gone" / HISTORY).update()
    with pytest.raises(OSError):
        HistoryStore(box.folder / "gone" / JOURNAL, box.history).update()


def test_a_journal_that_undoes_more_than_there_is_is_read_all_the_same(box: Box) -> None:
    scribe = Scribe()
    scribe.begin("eenendertigen", 3)
    scribe.hands(2)
    rows = list(scribe.rows())
    box.grow(rows)
    box.update()
    last = len(rows)
    undone = (last + 1, last + 1, None, None, "phone", actions.Undone.__name__, '{"n": 999}', 5)
    box.grow([undone])
    box.update()

    assert box.told() == box.anew()
    assert box.told()[0] == []


@pytest.mark.parametrize("facts", ["{", "[]", "7"])
def test_an_entry_in_which_nothing_can_be_read_costs_its_evening_alone(
    box: Box, facts: str
) -> None:
    scribe = Scribe(seed=4)
    scribe.begin("toepen", 4)
    scribe.hands(9)
    middle = len(scribe.entries) // 2
    scribe.begin("eenendertigen", 4)
    scribe.hands(3)
    box.grow(scribe.rows())
    with closing(sqlite3.connect(box.journal)) as connection, connection:
        connection.execute("UPDATE entries SET facts = ? WHERE seq = ?", (facts, middle))

    box.update()

    assert [row[0] for row in box.told()[0]] == [1, 2]


def test_people_stand_in_it_by_their_ids_alone(box: Box) -> None:
    scribe = Scribe()
    people = ((Seat(1), 77),)
    players = tuple((Seat(n), name) for n, name in enumerate(("Ann", "Bo", "Cor")))
    scribe.write(actions.EveningBegun("eenendertigen", "nl", (), players, people))
    scribe.do(actions.Start())
    scribe.hands(1)
    box.grow(scribe.rows())

    box.update()

    _, players_told, *_ = box.told()
    assert [(key, name) for key, _, name in players_told] == [
        ("gann", "Ann"),
        ("gcor", "Cor"),
        ("p77", ""),
    ]
    assert b"Bo" not in box.history.read_bytes()
