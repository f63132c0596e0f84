"""The evenings for who asks: lists, pages, people by their names of today, tables of honour."""

import os
import random
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import create_autospec

import pytest

from kloplei.backup import make_backup, restore
from kloplei.config.settings import HISTORY, JOURNAL, SEASONS
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.history._answers import Answers
from kloplei.history._store import HistoryStore, throw_away
from kloplei.history.service import HistoryService
from kloplei.table import actions
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.history_client import HistoryStand, Player, Season
from kloplei.table.people import Alias, KnownPerson, Register, write_register
from kloplei.table.seating import begun
from tests.history.journals import Scribe
from tests.history.test_store import Box
from tests.table.small_disk import SmallDisk, where_mounts_are_allowed

DAY_S = 86_400.0
BEGAN = 1_777_000_000.0
ANN, BO = 77, 78


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


@pytest.fixture
def service(box: Box) -> HistoryService:
    """Three evenings, a day each: guests twice, then two people with one of the guests."""
    scribe = Scribe()
    for names in (("Ann", "Bo", "Cor"), ("ann", "Dick", "Cor")):
        scribe.begin("eenendertigen", names)
        scribe.hands(14)
        scribe.now = (scribe.now or 0) + DAY_S
    players = tuple((Seat(n), name) for n, name in enumerate(("", "", "Cor")))
    people = ((Seat(0), ANN), (Seat(1), BO))
    scribe.write(actions.EveningBegun("eenendertigen", "nl", (), players, people))
    scribe.do(actions.Start())
    scribe.hands(14)
    box.grow(scribe.rows())
    know(box, KnownPerson(ANN, "Ann"), KnownPerson(BO, "Bo"))
    found = HistoryService(box.journal, wall=lambda: (scribe.now or 0) + 60)
    found.update()
    return found


def know(box: Box, *known: KnownPerson, aliases: tuple[Alias, ...] = ()) -> None:
    with closing(sqlite3.connect(box.journal)) as connection, connection:
        write_register(connection, Register(known, aliases))


def test_evenings_come_newest_first_and_go_on_behind_one(service: HistoryService) -> None:
    found = service.evenings()

    assert [one.number for one in found] == [3, 2, 1]
    assert [one.runs for one in found] == [True, False, False]
    assert [one.name for one in found[0].players] == ["Ann", "Bo", "Cor"]
    assert service.evenings(3, 1) == found[1:2]
    assert service.evenings(1, 50) == service.evenings(None, 0) == ()
    assert service.evening(-1).line == service.evening(3).line == found[0]
    assert (service.stand().evenings, service.stand().behind) == (3, 0)


@pytest.mark.parametrize("number", [0, 4, -2, 10**40, -(10**40), 1 << 63])
def test_an_evening_that_is_not_there_is_refused(service: HistoryService, number: int) -> None:
    with pytest.raises(BadRequest, match="no such evening"):
        service.evening(number)
    with pytest.raises(BadRequest, match="0 to 100"):
        service.evenings(None, 101)


def test_what_is_played_runs_until_the_night(box: Box, service: HistoryService) -> None:
    later = HistoryService(box.journal, wall=lambda: BEGAN + 9 * DAY_S)

    assert [one.runs for one in later.evenings()] == [False, False, False]


def test_an_evening_of_unknown_date_runs_while_hands_end(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A box without a network knows no night: what was played before it was started is over."""
    for pause in ("_FEWEST_S", "_SHARE", "_REST_S"):
        monkeypatch.setattr(f"kloplei.history.service.{pause}", 0.0)
    scribe = Scribe(now=None)
    scribe.begin("eenendertigen", 3)
    scribe.hands(2)
    box.grow(scribe.rows())
    service = HistoryService(box.journal)

    def boards() -> Iterator[Scoreboard]:
        yield Scoreboard("", "", seq=1)
        assert not service.evening(-1).line.runs
        yield Scoreboard("", "", seq=2)
        assert service.evening(-1).line.runs

    service.follow(boards())


def test_entries_that_are_not_told_yet_are_counted_once_a_hand_has_ended(
    box: Box, service: HistoryService
) -> None:
    with closing(sqlite3.connect(box.journal)) as connection:
        ((last,),) = connection.execute("SELECT max(seq) FROM entries")
    box.grow([(last + 1, last + 1, None, None, "phone", "Dealt", "{}", 0)])
    assert service.stand().behind == 0

    box.grow([(last + 2, last + 2, None, None, "phone", "HandEnded", "{}", 0)])

    assert service.stand().behind == 2


def test_people_are_called_what_they_are_called_today(box: Box, service: HistoryService) -> None:
    know(box, KnownPerson(ANN, "Anna"), KnownPerson(BO, "Bo", hidden=True))

    assert [one.name for one in service.evening(3).line.players] == ["Anna", "Bo", "Cor"]
    assert [(one.player.name, one.evenings) for one in service.people()] == [("Anna", 1)]
    page = service.person(ANN)
    assert (page.player.name, [one.number for one in page.evenings]) == ("Anna", [3])
    assert page.first == page.last == page.evenings[0].at
    assert service.person(BO).hidden


def test_a_page_of_a_person_has_the_newest_evenings_and_says_how_many_there_are(
    box: Box, service: HistoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kloplei.history._answers.MOST_EVENINGS", 2)
    know(box, KnownPerson(ANN, "Ann"), aliases=(Alias("Ann", ANN, 1 << 40),))

    page = service.person(ANN)

    assert [one.number for one in page.evenings] == [3, 2]
    assert page.in_all == 3
    assert page.first == service.evening(1).line.at


def test_a_guest_who_has_become_somebody_was_so_before(box: Box, service: HistoryService) -> None:
    with closing(sqlite3.connect(box.journal)) as connection:
        first = "SELECT seq FROM entries WHERE event = 'EveningBegun' ORDER BY seq LIMIT 1 OFFSET 1"
        (second,) = connection.execute(first).fetchone()
    know(box, KnownPerson(ANN, "Ann"), KnownPerson(BO, "Bo"), aliases=(Alias("Ann", ANN, second),))

    assert [one.number for one in service.person(ANN).evenings] == [3, 2, 1]
    know(
        box,
        KnownPerson(ANN, "Ann"),
        KnownPerson(BO, "Bo"),
        aliases=(Alias("Ann", ANN, second - 1),),
    )
    assert [one.number for one in service.person(ANN).evenings] == [3, 1]


def test_two_who_are_one_have_all_evenings_of_both(box: Box, service: HistoryService) -> None:
    know(box, KnownPerson(ANN, "Ann"), KnownPerson(BO, "", merged=ANN))

    assert [one.player.name for one in service.people()] == ["Ann"]
    assert service.person(BO) == service.person(ANN)
    assert [one.name for one in service.evening(3).line.players] == ["Ann", "Ann", "Cor"]


def test_who_was_forgotten_has_no_name_and_no_page(box: Box, service: HistoryService) -> None:
    know(box, KnownPerson(ANN, "", forgotten=True), KnownPerson(BO, "Bo"))

    line = service.evening(3).line
    assert [(one.name, one.person) for one in line.players] == [
        ("", None),
        ("Bo", BO),
        ("Cor", None),
    ]
    assert [one.player.person for one in service.people()] == [BO]
    for person in (ANN, 5):
        with pytest.raises(BadRequest, match="does not know"):
            service.person(person)


def test_a_table_of_honour_counts_what_was_won(service: HistoryService) -> None:
    table = service.table()

    evenings = [service.evening(n) for n in (1, 2, 3)]
    won = sum(len(one.winners) for evening in evenings for one in evening.rubbers)
    rounds = {(n, s.rubber, s.payer) for n, e in enumerate(evenings) for s in e.settled}
    honours = table.games["eenendertigen"]
    assert (table.season, table.evenings) == (None, 3)
    assert sum(one.rubbers for one in honours) == won > 0
    assert sum(one.bought for one in honours) == len(rounds) > 0
    drunk = [
        told.value
        for one in service.statistics("eenendertigen")
        for told in one.numbers
        if told.key == "drunk" and told.value is not None
    ]
    assert sorted(drunk) == sorted(one.drunk for one in honours if one.drunk)
    assert [one.score for one in honours] == sorted((one.score for one in honours), reverse=True)
    assert {one.player.name: one.evenings for one in honours}["Cor"] == 3
    assert [one.player.number for one in honours] != []
    assert len({one.player.number for one in honours}) == len(honours)


@pytest.fixture
def toepers(box: Box) -> HistoryService:
    """Three evenings of toepen: two people, a guest, and one who was only lent a name."""
    scribe = Scribe(seed=5)
    for _ in range(3):
        players = tuple((Seat(n), name) for n, name in enumerate(("", "", "Cor", "Plek 4")))
        people = ((Seat(0), ANN), (Seat(1), BO))
        scribe.write(actions.EveningBegun("toepen", "kroeg", (), players, people))
        scribe.do(actions.Start())
        scribe.hands(25)
        scribe.now = (scribe.now or 0) + DAY_S
    box.grow(scribe.rows())
    know(box, KnownPerson(ANN, "Ann"), KnownPerson(BO, "Bo"))
    found = HistoryService(box.journal, wall=lambda: scribe.now or 0)
    found.update()
    return found


def test_numbers_are_told_of_everybody_with_a_name(toepers: HistoryService) -> None:
    told = toepers.statistics()

    assert [(one.player.number, one.player.name) for one in told] == [
        (1, "Ann"),
        (2, "Bo"),
        (3, "Cor"),
    ]
    assert all(one.numbers for one in told)
    about = {number.against for one in told for number in one.numbers if number.against}
    assert about
    assert about <= {"Ann", "Bo", "Cor"}
    assert toepers.statistics("toepen") == told
    assert toepers.statistics("watten") == ()
    (ann,) = toepers.statistics(person=ANN)
    assert ann.numbers == told[0].numbers == toepers.person(ANN).numbers
    for asked in ({"game": "whist"}, {"person": 5}):
        with pytest.raises(BadRequest):
            toepers.statistics(**asked)


def test_numbers_of_all_time_are_those_since_ever(toepers: HistoryService) -> None:
    """Settled evenings are added up already, the others are not."""
    assert toepers.statistics() == toepers.statistics(since=0.0)
    assert toepers.statistics(since=BEGAN + DAY_S) != toepers.statistics()
    assert toepers.statistics(since=BEGAN + 90 * DAY_S) == ()


def test_a_guest_who_has_become_somebody_takes_the_numbers_along(
    box: Box, toepers: HistoryService
) -> None:
    cor = next(one for one in toepers.statistics() if one.player.name == "Cor")
    cora = KnownPerson(79, "Cora")
    known = (KnownPerson(ANN, "Ann"), KnownPerson(BO, "Bo"), cora)
    know(box, *known, aliases=(Alias("Cor", cora.id, 10_000),))

    (found,) = toepers.statistics(person=cora.id)

    assert found.player == Player(1, "Cora", cora.id)
    assert found.numbers == cor.numbers


@pytest.mark.parametrize("since", [None, BEGAN + DAY_S])
def test_numbers_of_one_are_what_they_are_among_those_of_all(
    box: Box, toepers: HistoryService, since: float | None
) -> None:
    """Bo and who Cor was until the second evening are one; Cor of the last one is a guest."""
    with closing(sqlite3.connect(box.journal)) as connection:
        ask = "SELECT seq FROM entries WHERE event = 'EveningBegun' ORDER BY seq"
        *_, (third,) = connection.execute(ask)
    bo, robin = KnownPerson(BO, "", merged=79), KnownPerson(79, "Robin")
    know(box, KnownPerson(ANN, "Ann"), bo, robin, aliases=(Alias("Cor", BO, third - 1),))

    told = {one.player.name: one.numbers for one in toepers.statistics("toepen", since)}

    assert set(told) == {"Ann", "Robin", "Cor"}
    for person, name in ((ANN, "Ann"), (BO, "Robin"), (79, "Robin")):
        (found,) = toepers.statistics("toepen", since, person)
        assert (found.player.name, found.numbers) == (name, told[name])
    assert toepers.statistics("watten", since, ANN) == ()


def test_nobody_is_their_own_nemesis(box: Box, toepers: HistoryService) -> None:
    """Two who sat at one table turn out to be one: a paper slate with a name too many."""
    before = {one.key: one.n for one in toepers.statistics("toepen", person=BO)[0].numbers}
    know(box, KnownPerson(ANN, "", merged=BO), KnownPerson(BO, "Bo"))

    (found,) = toepers.statistics("toepen", person=BO)

    assert found == toepers.statistics("toepen")[0]
    assert {one.against for one in found.numbers} == {"", "Cor"}
    assert next(one.n for one in found.numbers if one.key == "hands") == 2 * before["hands"]


def test_titles_are_given_and_counted(toepers: HistoryService) -> None:
    evenings = [toepers.evening(number) for number in (1, 2, 3)]
    given = [{one.key for one in evening.titles} for evening in evenings]

    assert any(given)
    assert all(before != after for before, after in pairwise(given))
    borne = [
        title.key
        for evening in evenings
        for title in evening.titles
        if ANN in [evening.line.players[n - 1].person for n in (title.player, *title.shared)]
    ]
    assert toepers.person(ANN).titles == Counter(borne)


def test_a_season_lasts_until_the_next_one(service: HistoryService) -> None:
    first = service.begin_season("  Winter  '26 ", BEGAN - 1)
    second = service.begin_season("Lente", BEGAN + 1.5 * DAY_S, "best", best=1)

    assert first == Season(1, "Winter '26", BEGAN - 1)
    assert service.seasons() == (second, first)
    assert (service.table(1).evenings, service.table(2).evenings) == (2, 1)
    assert service.table(2).season == second
    service.end_season(2)
    assert service.table(1).evenings == 3
    for ask in (service.table, service.end_season):
        with pytest.raises(BadRequest, match="no such season"):
            ask(2)


@pytest.mark.parametrize(
    "asked",
    [
        {"name": "  "},
        {"name": "x" * 41},
        {"name": "a\x00b"},
        {"name": "a", "rule": "luck"},
        {"name": "a", "points": 0},
        {"name": "a", "best": -1},
        {"name": "a", "since": float("nan")},
        {"name": "a", "since": 1e12},
    ],
)
def test_a_season_that_makes_none_is_refused(service: HistoryService, asked: Any) -> None:
    with pytest.raises(BadRequest):
        service.begin_season(**asked)
    assert service.seasons() == ()


def test_numbers_beyond_all_are_asked_for_in_vain(service: HistoryService) -> None:
    assert len(service.evenings(10**40)) == 3
    assert service.evenings(-(10**40)) == ()
    assert service.statistics(since=10**40) == ()
    assert service.statistics(since=float("-inf"))


def test_seasons_that_cannot_be_understood_are_kept_when_one_begins(
    box: Box, service: HistoryService
) -> None:
    """Of a later Kloplei, for one: what people have stays theirs."""
    written = '{"seasons": [{"id": 1, "name": "Zomer", "since": 5.0, "rule": "handicap"}]}'
    (box.folder / SEASONS).write_text(written)

    assert service.seasons() == ()
    service.begin_season("Winter")

    assert [one.name for one in service.seasons()] == ["Winter"]
    assert (box.folder / f"{SEASONS}.unreadable").read_text() == written


ASKED: dict[str, Callable[[HistoryService], object]] = {
    "people": lambda one: one.people(),
    "person": lambda one: one.person(ANN),
    "statistics": lambda one: one.statistics(),
    "table": lambda one: one.table().games,
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_has_not_changed_is_not_made_again_for_the_next_phone(
    box: Box, service: HistoryService, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, of = ASKED[asked], "won" if asked == "table" else asked
    made = create_autospec(getattr(Answers, of), side_effect=getattr(Answers, of))
    monkeypatch.setattr(Answers, of, made)
    first = ask(service)

    assert ask(service) == first
    assert made.call_count == 1
    know(box, KnownPerson(ANN, "Anna"), KnownPerson(BO, "Bo"))
    assert ask(service) != first
    with closing(sqlite3.connect(box.history)) as connection, connection:
        for table, evening in (("evenings", "number"), ("counts", "evening")):
            connection.execute(f"DELETE FROM {table} WHERE {evening} = 3")  # noqa: S608 - ours
    assert ask(service) == ask(HistoryService(box.journal, wall=service._wall))


def test_few_answers_are_kept(service: HistoryService) -> None:
    for since in range(100):
        service.statistics(since=BEGAN + since)

    assert len(service._kept._answers) < 20


def test_two_guests_of_one_name_are_two_people(box: Box, service: HistoryService) -> None:
    """Ann of the first evening is another one than Ann of the second, and somebody said so."""
    with closing(sqlite3.connect(box.journal)) as connection:
        ask = "SELECT seq FROM entries WHERE event = 'EveningBegun' ORDER BY seq"
        begun = [seq for (seq,) in connection.execute(ask)]
    first, second = Alias("Ann", BO, begun[1] - 1), Alias("Ann", ANN, begun[2] - 1)
    for aliases in ((first, second), (second, first)):
        know(box, KnownPerson(ANN, "Ann"), KnownPerson(BO, "Bo"), aliases=aliases)

        assert [one.number for one in service.person(BO).evenings] == [3, 1]
        assert [one.number for one in service.person(ANN).evenings] == [3, 2]


def test_a_season_without_evenings_has_an_empty_table(service: HistoryService) -> None:
    service.begin_season("Later", BEGAN + 900 * DAY_S)

    assert (service.table(1).games, service.table(1).evenings) == ({}, 0)


def test_seasons_that_cannot_be_written_are_told(box: Box, service: HistoryService) -> None:
    (box.folder / SEASONS).mkdir()

    with pytest.raises(TableUnavailable, match="seasons cannot"):
        service.begin_season("Winter")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _photos(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE photos (taken)")


def _photos_in_our_shape(path: Path) -> None:
    _photos(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")


@pytest.mark.parametrize("stands", [Path.mkdir, _pipe, _photos, _photos_in_our_shape])
def test_what_stands_in_place_of_the_history_is_told_and_left_alone(
    box: Box, service: HistoryService, stands: Any
) -> None:
    """Whoever reads waits for no pipe, and what is another program's stays so."""
    throw_away(box.history)
    stands(box.history)
    before = box.history.stat()

    with suppress(TableUnavailable):
        service.evenings()
    service.update()

    trouble = service.stand().trouble
    assert trouble is not None
    assert "Play goes on" in trouble
    assert "move it away" in trouble
    assert box.history.stat().st_mtime_ns == before.st_mtime_ns
    box.history.rename(box.folder / "elsewhere")
    service.update()
    assert (service.stand().trouble, service.stand().evenings) == (None, 3)


def test_whoever_reads_while_the_history_is_begun_finds_it_empty(
    box: Box, service: HistoryService
) -> None:
    throw_away(box.history)
    box.history.touch()

    assert service.evenings() == ()
    assert service.stand().behind > 0


SPOIL = {
    "picture": "UPDATE evenings SET told = x'00' WHERE number = 2",
    "line": "UPDATE evenings SET line = '{}' WHERE number = 2",
    "text": "UPDATE evenings SET line = CAST(x'7bff' AS TEXT) WHERE number = 2",
    "key": "UPDATE players SET key = 'px7' WHERE key = 'p77'",
}


@pytest.mark.parametrize("how", SPOIL)
def test_what_cannot_be_read_is_told_anew_as_soon_as_somebody_asked(
    box: Box, service: HistoryService, how: str
) -> None:
    with closing(sqlite3.connect(box.history)) as connection, connection:
        connection.execute(SPOIL[how])
    service.update()  # nothing is new in the journal

    with pytest.raises(TableUnavailable, match="cannot be read"):
        for ask in (service.evenings, service.people, lambda: service.evening(2)):
            ask()
    service.update()

    assert box.told() == box.anew()
    assert len(service.evenings()) == 3


def test_a_sign_of_life_is_enough_to_make_good_what_failed(
    box: Box, service: HistoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is free again, and nobody plays."""
    monkeypatch.setattr("kloplei.history.service._FEWEST_S", 0.0)
    monkeypatch.setattr("kloplei.history.service._SHARE", 0.0)
    throw_away(box.history)
    box.history.mkdir()

    def boards() -> Iterator[Scoreboard | None]:
        yield Scoreboard("eenendertigen", "between_hands", seq=1)
        assert service.stand().trouble is not None
        box.history.rmdir()
        yield None

    service.follow(boards())

    assert (service.stand().trouble, service.stand().evenings) == (None, 3)


@where_mounts_are_allowed
def test_a_full_disk_costs_what_is_new_alone(tmp_path: Path) -> None:
    """What was told can be read on, and how far behind it is."""
    disk = SmallDisk(tmp_path / "disk", size="800k")
    disk.mount()
    try:
        box, scribe = Box(disk.folder), Scribe()
        scribe.begin("eenendertigen", 4)
        scribe.hands(10)
        rows = list(scribe.rows())
        service = HistoryService(box.journal)
        with closing(sqlite3.connect(box.journal)) as table:  # it is open as long as one plays
            table.execute("SELECT * FROM entries").fetchall()
            box.grow(rows)
            service.update()
            scribe.begin("eenendertigen", 4)
            scribe.hands(10)
            box.grow(list(scribe.rows())[len(rows) :])
            disk.fill()

            service.update()

            trouble = service.stand().trouble
            assert trouble is not None
            assert f"The disk is full (df -h {disk.folder})" in trouble
            assert service.stand().behind > 0
            assert service.evening(1).line == service.evenings()[0]
            with pytest.raises(TableUnavailable, match="seasons cannot"):
                service.begin_season("Winter")
            disk.free()
            service.update()
            assert service.stand() == HistoryStand(2)
            assert box.told() == box.anew()
    finally:
        disk.unmount()


def test_no_byte_of_the_history_brings_whoever_reads_down(
    box: Box, service: HistoryService
) -> None:
    good = box.told()
    raw = box.history.read_bytes()
    dice = random.Random(7)
    for at in (*range(0, 100, 7), *(dice.randrange(len(raw)) for _ in range(40))):
        throw_away(box.history)
        box.history.write_bytes(raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :])
        reader = HistoryService(box.journal)
        asked: tuple[Callable[[], object], ...] = (
            *(reader.stand, reader.evenings, reader.people, reader.table, reader.statistics),
            *(partial(reader.evening, 2), partial(reader.person, ANN)),
        )
        doubted = False
        for ask in asked:
            try:
                ask()
            except BadRequest:
                pass  # a number is another one now
            except TableUnavailable:
                doubted = True
        reader.update()

        assert reader.stand().trouble is None
        assert box.told() == good or not doubted


def test_nobody_has_played_yet(tmp_path: Path) -> None:
    service = HistoryService(tmp_path / "kloplei.db")

    service.update()

    assert (service.stand().evenings, service.stand().trouble) == (0, None)
    assert (service.evenings(), service.people()) == ((), ())
    assert service.table().games == {}


def test_who_follows_reads_between_hands_and_ends_with_the_table(box: Box) -> None:
    scribe = Scribe()
    scribe.begin("eenendertigen", 3)
    scribe.hands(2)
    box.grow(scribe.rows())
    service = HistoryService(box.journal)
    told: list[int] = []

    def boards() -> Iterator[Scoreboard | None]:
        running = Scoreboard("eenendertigen", "play", seq=1, leader=Seat(0))
        rest = Scoreboard("eenendertigen", "between_hands", seq=2)
        for board in (running, None, rest, rest, None):
            yield board
            told.append(service.stand().evenings)

    follower = threading.Thread(target=service.follow, args=(boards(),))
    follower.start()
    follower.join(60)

    assert told == [0, 1, 1, 1, 1]  # a hand that was left open yesterday runs for as long
    service.close()
    service.follow(boards())  # which ends at once
    assert told == [0, 1, 1, 1, 1]


def test_who_has_read_for_an_hour_rests_no_longer_than_half_a_minute(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nothing is told of ten hours: not a hand, nor the evenings without who is forgotten."""
    rests, service = list[float](), HistoryService(box.journal)
    now_s = {"now": 0.0, "took": 0.0}

    def update() -> None:
        now_s["now"] += now_s["took"]

    clock = SimpleNamespace(monotonic=lambda: now_s["now"])
    stays_open = SimpleNamespace(is_set=lambda: False, wait=rests.append)
    monkeypatch.setattr("kloplei.history.service.time", clock)
    monkeypatch.setattr(service, "_closed", stays_open)
    monkeypatch.setattr(service, "update", update)
    for seq, now_s["took"] in enumerate((0.01, 1.0, 3600.0)):
        service.follow([Scoreboard("toepen", "between_hands", seq=seq)])

    assert rests == [0.5, pytest.approx(10.0), 30.0]


def test_a_slate_that_stands_still_has_its_evenings_read_once_somebody_is_forgotten(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new name on the slate is no step: all evenings were away until ten quiet seconds."""
    told, service = list[int](), HistoryService(box.journal)
    still = Scoreboard("toepen", "between_hands", seq=1)
    monkeypatch.setattr(service, "update", lambda: told.append(0))
    monkeypatch.setattr(service, "_tell_end_of", lambda ran: ran)
    monkeypatch.setattr(service, "_closed", SimpleNamespace(is_set=bool, wait=bool))

    monkeypatch.setattr(HistoryStore, "is_current", True)
    service.follow([still, still])
    assert len(told) == 1

    monkeypatch.setattr(HistoryStore, "is_current", False)
    service.follow([still, still, replace(still, stake=2)])
    assert len(told) == 3


def test_the_titles_of_an_evening_are_announced_when_somebody_ends_it(box: Box) -> None:
    scribe = Scribe(seed=2)
    scribe.begin("toepen", ("Ann", "Bo", "Cor"))
    scribe.hands(30)
    box.grow(scribe.rows())
    told: list[tuple[Line, ...]] = []
    service = HistoryService(box.journal, lambda: (scribe.now or 0) + 60, announce=told.append)
    seen: list[int] = []

    def boards() -> Iterator[Scoreboard]:
        yield Scoreboard("toepen", "between_hands", seq=1)
        seen.append(len(told))
        before = len(list(scribe.rows()))
        scribe.write(begun(scribe.state))
        box.grow(list(scribe.rows())[before:])
        yield Scoreboard("toepen", "seating", seq=2)
        seen.append(len(told))
        yield Scoreboard("toepen", "seating", seq=3)
        seen.append(len(told))

    service.follow(boards())

    titles = service.evening(-1).titles
    assert titles
    assert seen == [0, 1, 1]
    assert [line.facts["title"] for line in told[0]] == [
        Line(f"title.{one.key}").as_fact() for one in titles
    ]


def test_a_backup_takes_seasons_along_and_leaves_what_can_be_told_again(
    box: Box, service: HistoryService, tmp_path: Path
) -> None:
    season = service.begin_season("Winter", BEGAN)
    evenings = service.evenings()
    make_backup(box.folder, tmp_path / "box.zip", datetime.now(UTC))

    restore(tmp_path / "box.zip", tmp_path / "other")

    assert not (tmp_path / "other" / HISTORY).exists()
    other = HistoryService(tmp_path / "other" / JOURNAL, wall=lambda: BEGAN)
    other.update()
    assert other.seasons() == (season,)
    assert [one.hands for one in other.evenings()] == [one.hands for one in evenings]
