"""Evenings out of what boxes sent: the same as at the table, once each, and the same made anew."""

import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kloplei.frozen import replace
from kloplei.games.game import Seat
from kloplei.history.reading import JournalReading
from kloplei.history.titles import titles_of
from kloplei.table import actions
from kloplei.table.history_client import Evening
from kloplei.table.journal import Entry
from kloplei.table.schema import load
from kloplei.table.seating import TableState
from kloplei.table.timeline import steps_of
from kloplei_hub import _telling
from kloplei_hub._telling import Folder
from kloplei_hub.cli import main
from kloplei_hub.database import Connection, connect
from kloplei_hub.folding import Folding, rebuild
from tests.history.journals import Scribe
from tests.history.test_reading import anything
from tests.hub.journals import link_of
from tests.until import PATIENCE_S, until

ALL = "SELECT box, era, after, last, at, told, counts FROM evenings ORDER BY box, era, after"


@cache
def written(seed: int = 3, evenings: int = 3) -> Scribe:
    """Evenings of several games, with what is taken back and put right."""
    scribe = Scribe(seed)
    for n in range(evenings):
        scribe.begin(("toepen", "watten")[n % 2], 4)
        scribe.play(60, slate=0.05)
        scribe.undo(min(scribe.undoable, 3))
        scribe.hands(2)
        scribe.now = (scribe.now or 0) + 20 * 3600
    return scribe


@pytest.fixture
def fold(dsn: str, house: Connection) -> Iterator[Connection]:
    """The database as the folding program sees it, of a house with two boxes."""
    house.execute("INSERT INTO boxes (box) VALUES ('a'), ('b')")
    with connect(dsn.replace("user=kloplei_hub", "user=kloplei_fold"), autocommit=True) as mine:
        yield mine


def send(
    house: Connection,
    scribe: Scribe,
    upto: int,
    *,
    box: str = "a",
    era: str = "e",
    story: str = "",
    parent: str | None = None,
    after: int = 0,
) -> None:
    """Let *box* have sent *scribe*'s entries up to one."""
    found = house.execute("SELECT seq FROM eras WHERE (box, era) = (%s, %s)", (box, era)).fetchone()
    sent = found[0] if found else after
    entries = [one for one in scribe.entries if sent < one.seq <= upto]
    links = {one.seq: link_of(one.seq, story) for one in entries if one.seq == one.step}
    rows = [
        (box, era, one.seq, one.step, one.at, one.via, one.event, *_last(one, links))
        for one in entries
    ]
    with house.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO entries (box, era, seq, month, step, at, via, event, facts, link) "
            "VALUES (%s, %s, %s, '2031-01-01', %s, %s, %s, %s, %s, %s)",
            rows,
        )
    link = rows[-1][-1] if rows else ""
    house.execute(
        "INSERT INTO eras (box, era, parent, after, seq, link) VALUES (%s, %s, %s, %s, %s, %s) "
        "ON CONFLICT (box, era) DO UPDATE SET (seq, link) = (excluded.seq, excluded.link)",
        (box, era, parent, after, max(upto, sent), link),
    )


def _last(entry: Entry, links: dict[int, str]) -> tuple[str, str | None]:
    return json.dumps(dict(entry.facts)), links.get(entry.seq)


def ends(scribe: Scribe) -> list[int]:
    return [one.seq for one in scribe.entries if one.seq == one.step]


def at_the_table(scribe: Scribe) -> list[Evening]:
    """What the box itself tells, but for names: those a seat lends."""
    reading, found = JournalReading(0, TableState("toepen")), []
    for step in steps_of(scribe.entries):
        found += [ended.folded for ended in reading.take(step)]
    found += reading.unsettled()
    told: list[Evening] = []
    for one in found:
        last = [[title.key for title in evening.titles] for evening in told[-4:]]
        earlier = tuple(dict.fromkeys(key for keys in reversed(last) for key in keys))
        told.append(replace(one.evening, titles=titles_of(one.evening, one.counts, earlier)))
    return told


def without_names(evening: Evening) -> Evening:
    players = tuple(replace(one, name="") for one in evening.line.players)
    return replace(evening, line=replace(evening.line, players=players))


def told(house: Connection) -> list[Evening]:
    found = house.execute("SELECT told FROM evenings ORDER BY box, after").fetchall()
    return [load(Evening, json.loads(one)) for (one,) in found]


def test_the_house_tells_the_evenings_as_the_table_does(
    house: Connection, fold: Connection
) -> None:
    scribe = written()
    send(house, scribe, len(scribe.entries))

    assert Folder(fold, "nl").fold("a")

    assert [*map(without_names, told(house))] == [*map(without_names, at_the_table(scribe))]
    names = {one.name for evening in told(house) for one in evening.line.players}
    assert names == {f"Plek {n}" for n in range(1, 5)}
    assert rebuild(fold, "nl") == []


@pytest.mark.parametrize("seed", range(3))
def test_sent_bit_by_bit_and_told_by_programs_that_end_it_is_the_same(
    house: Connection, fold: Connection, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe, dice = written(seed), random.Random(seed)
    monkeypatch.setattr(_telling, "_AT_ONCE", 100)
    folder = Folder(fold, "nl")
    for upto in [*sorted(dice.sample(ends(scribe), 8)), len(scribe.entries)]:
        send(house, scribe, upto)
        folder = Folder(fold, "nl") if dice.random() < 0.5 else folder
        while folder.behind():
            folder.fold("a")

    assert [*map(without_names, told(house))] == [*map(without_names, at_the_table(scribe))]
    assert rebuild(fold, "nl") == []


@pytest.mark.parametrize("seed", range(3))
def test_tables_that_take_turns_are_told_in_the_memory_there_is(
    house: Connection, fold: Connection, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """320 boxes of 1,500 entries each took the program 983 MB, however many 300 of them were."""
    monkeypatch.setattr(_telling, "MOST_HELD", 200)
    scribes = {"a": anything(seed, 150), "b": anything(seed + 10, 150)}
    folder = Folder(fold, "nl")
    for turn in range(1, 21):
        for box, scribe in scribes.items():
            send(house, scribe, ends(scribe)[turn * len(ends(scribe)) // 20 - 1], box=box)
            assert folder.fold(box)
            assert folder.held <= 200
        if turn % 5 == 0:
            with connect(fold.info.dsn, autocommit=True) as another:
                assert rebuild(another, "nl") == []


def test_where_nobody_plays_any_more_no_memory_is_taken(
    house: Connection, fold: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe, folder = written(), Folder(fold, "nl")
    long, short = len(scribe.entries), ends(scribe)[5]
    for box, upto in (("a", long), ("b", short)):
        send(house, scribe, upto, box=box)
        folder.fold(box)
    both = folder.held
    later_s = time.monotonic() + 2 * 3600
    monkeypatch.setattr(time, "monotonic", lambda: later_s)

    send(house, scribe, ends(scribe)[6], box="b")
    folder.fold("b")

    assert folder.held == ends(scribe)[6] < both


def test_an_era_that_goes_on_tells_what_both_know_and_the_other_keeps_its_own(
    house: Connection, fold: Connection
) -> None:
    """A card was put back from a backup: what was played since stays, and nothing counts twice."""
    scribe = written()
    first, second, third = at_the_table(scribe)
    starts = [one.seq for one in scribe.entries if one.event == "EveningBegun"]
    split = next(end for end in ends(scribe) if end > starts[1] + 40)
    send(house, scribe, len(scribe.entries))
    folder = Folder(fold, "nl")
    folder.fold("a")
    numbers: dict[int, int] = dict(house.execute("SELECT after, evening FROM evenings").fetchall())

    again = Scribe(9)
    for step in steps_of(scribe.entries[:split]):
        game = again.seating.game(again.state)
        kinds = {**game.events, **actions.TABLE_EVENTS}
        again.now = (step[0].at or 0) - 20
        again.write(*(actions.decode(one.event, one.facts, kinds) for one in step))
    again.hands(3)
    send(house, again, len(again.entries), era="f", story="other", parent="e", after=split)
    folder.fold("a")

    kept = house.execute("SELECT era, after, evening FROM evenings ORDER BY after").fetchall()
    assert [(era, after) for era, after, _ in kept] == [
        *(("f", 0), ("f", starts[1] - 1), ("e", starts[2] - 1))
    ]
    assert {after: number for _, after, number in kept} == numbers
    now = told(house)
    assert [*map(without_names, (now[0], now[2]))] == [*map(without_names, (first, third))]
    assert len(now[1].hands) != len(second.hands)
    assert rebuild(fold, "nl") == []


def test_an_era_that_goes_on_from_before_its_parent_did_is_told_by_what_it_has(
    house: Connection, fold: Connection
) -> None:
    """A card was put back from a backup, and then from an older one: ``f`` has nothing of it."""
    scribe, other = written(), written(5)
    starts = [one.seq - 1 for one in scribe.entries if one.event == "EveningBegun"]
    first, second = starts[1:3]
    send(house, scribe, len(scribe.entries))
    send(house, scribe, second + 20, era="f", story="f", parent="e", after=second)
    last = send_behind(house, other, first, era="g", parent="f")
    folder = Folder(fold, "nl")

    while not folder.fold("a"):
        pass

    tell = "SELECT after, last FROM evenings WHERE era = 'g' AND after >= %s ORDER BY after"
    now = house.execute(tell, (first,)).fetchall()
    assert (now[0][0], now[-1][1]) == (first, last)
    assert len(now) == 3


def send_behind(house: Connection, scribe: Scribe, after: int, *, era: str, parent: str) -> int:
    """Let box ``a`` have sent all of *scribe* behind entry *after* of *parent*; return the last."""
    moved = Scribe()
    moved.entries = [
        replace(one, seq=one.seq + after, step=one.step + after) for one in scribe.entries
    ]
    last = after + len(moved.entries)
    send(house, moved, last, era=era, story=era, parent=parent, after=after)
    return last


@pytest.mark.parametrize("story", ["", "of a journal from before it went with the house"])
def test_an_era_that_was_sent_anew_is_told_once(
    house: Connection, fold: Connection, story: str
) -> None:
    scribe = written()
    half, last = ends(scribe)[40], len(scribe.entries)
    send(house, scribe, last)
    folder = Folder(fold, "nl")
    folder.fold("a")
    before = [row[2:] for row in house.execute(ALL).fetchall()]
    for upto in (half, last):
        send(house, scribe, upto, era="f", story=story)
        folder.fold("a")

    assert [row[2:] for row in house.execute(ALL).fetchall()] == before
    assert house.execute("SELECT DISTINCT era FROM evenings").fetchall() == [("f",)]
    assert rebuild(fold, "nl") == []


def test_what_an_era_supersedes_is_told_no_more(house: Connection, fold: Connection) -> None:
    scribe = written()
    starts = [one.seq for one in scribe.entries if one.event == "EveningBegun"]
    send(house, scribe, len(scribe.entries))
    folder = Folder(fold, "nl")
    folder.fold("a")
    numbers = house.execute("SELECT evening FROM evenings ORDER BY after").fetchall()
    house.execute("UPDATE entries SET era = 'f' WHERE seq < %s", (starts[2],))
    house.execute("DELETE FROM entries WHERE era = 'e'")
    house.execute("UPDATE eras SET superseded = 'f', seq = 0, link = ''")
    house.execute(
        "INSERT INTO eras (box, era, seq, link) VALUES ('a', 'f', %s, %s)",
        (starts[2] - 1, link_of(starts[2] - 1, "")),
    )

    assert folder.behind() == ["a"]
    folder.fold("a")

    kept = house.execute("SELECT era, evening FROM evenings ORDER BY after").fetchall()
    assert kept == [("f", number) for (number,) in numbers[:2]]
    assert folder.behind() == []
    assert rebuild(fold, "nl") == []


def let_go(house: Connection, era: str) -> None:
    """Keep nothing of *era*, as a box that is let in again to tell all of it anew."""
    house.execute("DELETE FROM entries WHERE era = %s", (era,))
    house.execute(
        "UPDATE eras SET seq = 0, link = '', parent = NULL, after = 0 WHERE era = %s", (era,)
    )


@pytest.mark.parametrize("at_once", [100, 5000])
def test_what_an_era_told_until_it_was_let_go_the_older_one_tells_again(
    house: Connection, fold: Connection, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was taken for told, and stood nowhere: also where the newer one was not done yet."""
    scribe = written()
    send(house, scribe, len(scribe.entries))
    folder = Folder(fold, "nl")
    folder.fold("a")
    before = house.execute(ALL).fetchall()
    monkeypatch.setattr(_telling, "_AT_ONCE", at_once)
    send(house, scribe, len(scribe.entries), era="f", story="f")
    while ("f",) not in house.execute("SELECT era FROM evenings").fetchall():
        folder.fold("a")

    let_go(house, "f")
    while folder.behind():
        folder.fold("a")

    assert house.execute(ALL).fetchall() == before


def test_an_era_that_is_told_anew_takes_no_more_than_it_has_again(
    house: Connection, fold: Connection
) -> None:
    """How far it went with the older one was remembered from when it had more."""
    scribe, other = written(), written(5)
    first, second = [one.seq - 1 for one in scribe.entries if one.event == "EveningBegun"][1:]
    send(house, scribe, len(scribe.entries))
    send(house, scribe, second, era="p", story="p")
    send_behind(house, other, second, era="f", parent="p")
    folder = Folder(fold, "nl")
    folder.fold("a")
    let_go(house, "f")
    let_go(house, "p")
    send(house, scribe, first, era="f", story="f")

    folder.fold("a")

    kept = house.execute("SELECT era, after FROM evenings ORDER BY after").fetchall()
    assert kept == [("f", 0), ("e", first), ("e", second)]


def test_of_an_era_that_was_let_go_while_it_was_read_nothing_stays(
    house: Connection, fold: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was sent of it again was taken for read, and all that was read before for sent."""
    monkeypatch.setattr(_telling, "_AT_ONCE", 100)
    scribe = written()
    send(house, scribe, len(scribe.entries))
    folder = Folder(fold, "nl")
    folder.fold("a")
    let_go(house, "e")
    send(house, scribe, ends(scribe)[20])

    folder.fold("a")

    ((last,),) = house.execute("SELECT last FROM evenings").fetchall()
    assert last == ends(scribe)[20]
    assert rebuild(fold, "nl") == []


def test_who_agreed_stands_there_by_their_id(house: Connection, fold: Connection) -> None:
    scribe = Scribe(1)
    seated = ((Seat(0), ""), (Seat(1), ""), (Seat(2), ""))
    scribe.write(actions.EveningBegun("toepen", None, (), seated, ((Seat(1), 7777),)))
    scribe.do(actions.Start())
    scribe.hands(2)
    send(house, scribe, len(scribe.entries))

    Folder(fold, "de").fold("a")

    (evening,) = told(house)
    players = [(one.name, one.person) for one in evening.line.players]
    assert players == [("Platz 1", None), ("", 7777), ("Platz 3", None)]


def test_a_box_whose_evenings_cannot_be_told_stops_no_other(
    house: Connection, fold: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    scribe = written()
    for box in "ab":
        send(house, scribe, ends(scribe)[60], box=box)
    folder = Folder(fold, "nl")

    def stumble(*how: Any) -> Any:
        raise ZeroDivisionError("a rule of ours")

    monkeypatch.setattr(_telling, "titles_of", stumble)
    folder.fold("a")
    monkeypatch.setattr(_telling, "titles_of", titles_of)
    folder.fold("b")

    assert house.execute("SELECT box, trouble FROM folded ORDER BY box").fetchall() == [
        *(("a", "ZeroDivisionError: a rule of ours"), ("b", None))
    ]
    assert folder.behind() == []
    send(house, scribe, len(scribe.entries))
    folder.fold("a")
    assert rebuild(fold, "nl") == []


def test_what_comes_out_otherwise_is_told_and_replaced(
    house: Connection, fold: Connection, dsn: str, tmp_path: Any, capsys: Any
) -> None:
    scribe = written()
    send(house, scribe, len(scribe.entries))
    Folder(fold, "nl").fold("a")
    numbers = house.execute("SELECT evening FROM evenings ORDER BY after").fetchall()
    before = house.execute(ALL).fetchall()
    house.execute("UPDATE evenings SET told = '{}' WHERE after = 0")
    config = tmp_path / "hub.toml"
    mine = dsn.replace("user=kloplei_hub", "user=kloplei_fold")
    config.write_text(f'[database]\nfold = "{mine}"\n')
    commands = (["rebuild"], ["rebuild", "--replace"], ["rebuild"])

    codes = [main([*one, "--config", str(config)]) for one in commands]

    assert codes == [1, 0, 0]
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "otherwise: box a after 0"
    assert said[-1] == "All evenings come out the same, byte for byte."
    assert house.execute(ALL).fetchall() == before
    assert house.execute("SELECT evening FROM evenings ORDER BY after").fetchall() == numbers


def test_parts_of_a_house_are_told_by_programs_of_their_own(
    house: Connection, fold: Connection
) -> None:
    names = [f"box{n}" for n in range(20)]
    with house.cursor() as cursor:
        cursor.executemany("INSERT INTO boxes (box) VALUES (%s)", [(name,) for name in names])
        rows = [(name, "e", 1, "x") for name in names]
        cursor.executemany("INSERT INTO eras (box, era, seq, link) VALUES (%s, %s, %s, %s)", rows)

    parts = [Folder(fold, "nl", (part, 3)).behind() for part in (1, 2, 3)]

    assert sorted(box for part in parts for box in part) == sorted(names)
    assert all(parts)


def test_a_program_for_one_part_leaves_the_other_boxes_alone(
    house: Connection,
    fold: Connection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It told all of them, whatever part it was started for."""
    names = [f"box{n}" for n in range(6)]
    for name in names:
        house.execute("INSERT INTO boxes (box) VALUES (%s)", (name,))
        send(house, written(), ends(written())[40], box=name)
    parts = {part: Folder(fold, "nl", (part, 2)).behind() for part in (1, 2)}
    # Theirs would come before the last of ours.
    ((part, ours),) = [one for one in parts.items() if names[-1] in one[1]]

    def told_of() -> list[str]:
        return [box for (box,) in house.execute("SELECT DISTINCT box FROM evenings ORDER BY box")]

    @contextmanager
    def until_ours_are_told() -> Iterator[Callable[[], object]]:
        yield lambda: until(lambda: set(told_of()) >= {*ours})

    monkeypatch.setattr("kloplei.systemd.wait_for_signal", until_ours_are_told)
    config = tmp_path / "hub.toml"
    config.write_text(f'[database]\nfold = "{fold.info.dsn}"\n')

    main(["fold", "--part", f"{part}/2", "--config", str(config)])

    assert told_of() == ours != names


def test_it_is_woken_by_what_comes_and_wakes_who_shows_it(
    house: Connection, fold: Connection
) -> None:
    scribe = written()
    house.execute("LISTEN evenings")

    with Folding(fold.info.dsn, "nl"):
        send(house, scribe, len(scribe.entries))
        house.execute("SELECT pg_notify('steps', 'a')")
        (woken,) = house.notifies(timeout=PATIENCE_S, stop_after=1)

    assert woken.payload == "a"
    assert len(told(house)) == 3


def test_an_evening_for_which_there_is_no_room_is_told_in_the_end(
    house: Connection, fold: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What had been read of it was let go of each time, and read again, for ever."""
    monkeypatch.setattr(_telling, "_AT_ONCE", 50)
    monkeypatch.setattr(_telling, "MOST_HELD", 0)
    scribe = written()
    send(house, scribe, len(scribe.entries))
    folder = Folder(fold, "nl")

    turns = [folder.fold("a") for _ in range(len(scribe.entries) // 50 + 1)]

    assert turns[-1]
    assert (len(told(house)), folder.behind(), folder.held) == (3, [], 0)


def test_a_step_of_more_entries_than_are_read_at_once_is_read_whole(
    house: Connection, fold: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_telling, "_AT_ONCE", 1)
    scribe = written()
    upto = ends(scribe)[40]
    send(house, scribe, upto)
    folder = Folder(fold, "nl")

    turns = [folder.fold("a") for _ in range(41)]

    assert turns == [*[False] * 40, True]
    assert max(len(step) for step in steps_of(scribe.entries[:upto])) > 1


def trouble(house: Connection) -> str:
    ((said,),) = house.execute("SELECT trouble FROM folded").fetchall()
    return str(said)


def test_what_can_never_be_told_is_the_trouble_of_its_box(
    house: Connection, fold: Connection
) -> None:
    scribe = written()
    send(house, scribe, len(scribe.entries))
    folder = Folder(fold, "nl")
    house.execute("DELETE FROM entries WHERE seq > 20")

    assert [folder.fold("a") for _ in range(2)] == [False, True]
    assert trouble(house) == "LookupError: of era e nothing is kept behind entry 20"


def test_an_evening_that_never_ends_takes_no_more_memory(
    house: Connection, fold: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_telling, "_AT_ONCE", 10)
    monkeypatch.setattr(_telling, "_LONGEST", 20)
    scribe = written()
    send(house, scribe, len(scribe.entries))
    folder = Folder(fold, "nl")

    turns = [folder.fold("a") for _ in range(3)]

    assert turns[-1]
    assert (trouble(house), folder.held) == (
        *("ValueError: an evening behind entry 0 that never ends", 0),
    )
