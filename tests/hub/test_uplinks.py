"""Real uplinks of real tables at a real house: whatever breaks, its rows equal the journals."""

import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kloplei.config.settings import JOURNAL
from kloplei.games.game import Seat
from kloplei.table.journal_file import begin_era, connect
from kloplei.table.uplink_client import HouseEntry
from kloplei.uplink.boxes import Boxes, BoxUplink
from kloplei.uplink.links import KnownHouse
from kloplei_hub.demo import DemoHouse
from kloplei_hub.virtual import BotTable

PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def house(open_folder: Path) -> Iterator[DemoHouse]:
    with DemoHouse(open_folder / "house", careful=False, programs=("ingest",)) as running:
        yield running


@pytest.fixture
def table(tmp_path: Path) -> Iterator[BotTable]:
    with BotTable(tmp_path / "box", "toepen", 1) as table:
        for _ in range(60):
            table.think()
        yield table


def told_by(table: BotTable) -> list[HouseEntry]:
    """Return all that this table tells a house."""
    found: list[HouseEntry] = []
    while entries := table.session.uplink.steps(found[-1].seq if found else 0).entries:
        found += entries
    return found


def rows(house: DemoHouse, table: BotTable) -> list[HouseEntry]:
    """Return what the house has of the era that this table is in, and of what that goes on from."""
    ask = (
        "SELECT seq, step, at, seat, via, event, facts, link FROM entries "
        "WHERE box = %s AND era = %s ORDER BY seq"
    )
    told = table.session.uplink.steps(0, 1)
    with house.owner() as owner:
        own = [HouseEntry(*row) for row in owner.execute(ask, (table.box, told.era)).fetchall()]
        if told.begun is None or not own or own[0].seq == 1:
            return own
        before = owner.execute(ask, (table.box, told.begun.era)).fetchall()
        return [HouseEntry(*row) for row in before if row[0] <= told.begun.after] + own


def is_whole(house: DemoHouse, table: BotTable) -> bool:
    told = told_by(table)
    return bool(told) and rows(house, table) == told


def seen_of(house: DemoHouse, table: BotTable) -> tuple[bool, bool]:
    """Return whether the house holds that table for online, and whether it has its board."""
    with house.owner() as owner:
        seen = "SELECT online, board IS NOT NULL FROM boxes LEFT JOIN boards USING (box) "
        ask = f"{seen} WHERE box = %s"
        online, has_board = owner.execute(ask, (table.box,)).fetchone()
    return online, has_board


@contextmanager
def on_the_line(*boxes: BoxUplink) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Give a function that keeps *boxes* going until something holds."""
    loop = Boxes()
    for box in boxes:
        loop.add(box)

    def until(holds: Callable[[], object]) -> None:
        ends_s = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < ends_s, [(box.state, box.trouble) for box in boxes]
            for box in boxes:
                box.stir()
                loop.wake(box)
            loop.run_once(0.02)

    try:
        yield until
    finally:
        loop.close()


def uplink(table: BotTable, known: KnownHouse) -> BoxUplink:
    return BoxUplink(table.box, known, table.session.uplink, chance=lambda: 0.0)


def test_what_was_played_is_in_the_house_whoever_is_killed_meanwhile(
    house: DemoHouse, table: BotTable
) -> None:
    box = uplink(table, house.pair(table, "1", 1))

    with on_the_line(box) as until:
        until(lambda: is_whole(house, table))
        house.stop("ingest", kill=True)
        house.broker.stop(signal.SIGKILL)
        for _ in range(20):
            table.think()
        house.broker.start()
        house.start("ingest")
        until(lambda: is_whole(house, table))
        house.database.stop(signal.SIGKILL)
        for _ in range(20):
            table.think()
        house.database.start()
        until(lambda: is_whole(house, table))

    assert box.trouble is None


def test_steps_may_be_posted_to_the_house_in_place_of_its_broker(
    house: DemoHouse, table: BotTable
) -> None:
    known = house.pair(table, "2", 2)
    box = uplink(
        table,
        KnownHouse(known.address, type(known.paired)(table.box, known.paired.password, port=0)),
    )

    box.show(table.session.scoreboard())

    with on_the_line(box) as until:
        until(lambda: is_whole(house, table))
        until(lambda: seen_of(house, table) == (True, True))
        assert box.state == "connected"


def test_a_box_that_was_restored_goes_on_in_an_era_of_its_own(
    house: DemoHouse, tmp_path: Path
) -> None:
    with BotTable(tmp_path / "box", "toepen", 1) as table:
        known = house.pair(table, "3", 3)
        for _ in range(30):
            table.think()
        with on_the_line(uplink(table, known)) as until:
            until(lambda: is_whole(house, table))
    shutil.copytree(tmp_path / "box", tmp_path / "backup")
    with BotTable(tmp_path / "box", "toepen", 1) as table:
        for _ in range(30):
            table.think()
        with on_the_line(uplink(table, known)) as until:
            until(lambda: is_whole(house, table))
    with connect(tmp_path / "backup" / JOURNAL) as connection:
        begin_era(connection)

    with BotTable(tmp_path / "backup", "toepen", 2) as restored:
        for _ in range(30):
            restored.think()
        box = uplink(restored, known)
        with on_the_line(box) as until:
            until(lambda: is_whole(house, restored))

        assert restored.session.uplink.steps(0, 1).begun is not None
        assert box.trouble is None


def test_somebody_forgotten_on_a_box_is_forgotten_in_the_house(
    house: DemoHouse, tmp_path: Path
) -> None:
    with BotTable(tmp_path / "box", "toepen", 1, players=()) as table:
        for at, name in enumerate(("Thijs", "Tame", "Thomas")):
            table.session.submit(Seat(at), "sit_down", facts={"name": name, "remember": True})
        known = house.pair(table, "4", 4)
        person = table.session.people.people()[0].id
        table.session.uplink.agree(person, True)
        box = uplink(table, known)
        with on_the_line(box) as until:
            until(lambda: is_whole(house, table))
            era = table.session.uplink.steps(0, 1).era
            for at in range(3):
                table.session.submit(Seat(at), "stand_up")
            table.session.people.forget(person)
            until(lambda: is_whole(house, table))

        assert table.session.uplink.steps(0, 1).era != era
        with house.owner() as owner:
            ask = "SELECT count(*) FROM entries WHERE box = %s AND era = %s"
            left = owner.execute(ask, (table.box, era)).fetchone()
        assert left == (0,)
        assert box.trouble is None


def test_two_boxes_from_one_card_are_told_and_neither_is_mixed_with_the_other(
    house: DemoHouse, tmp_path: Path
) -> None:
    with BotTable(tmp_path / "box", "toepen", 1) as table:
        known = house.pair(table, "5", 5)
        for _ in range(30):
            table.think()
    shutil.copytree(tmp_path / "box", tmp_path / "copy")
    with (
        BotTable(tmp_path / "box", "toepen", 2) as table,
        BotTable(tmp_path / "copy", "toepen", 3) as copied,
    ):
        for _ in range(40):
            table.think()
            copied.think()
        one, other = uplink(table, known), uplink(copied, known)
        with on_the_line(one) as until:
            until(lambda: is_whole(house, table))
            kept = rows(house, table)
        with on_the_line(one, other) as until:
            until(lambda: one.state == other.state == "refused")

        assert rows(house, table) == kept
        assert one.trouble is not None
        assert one.trouble.cause == "uplink-twin"


def test_a_house_that_was_put_back_is_told_again_what_it_lost(
    house: DemoHouse, table: BotTable
) -> None:
    box = uplink(table, house.pair(table, "6", 6))

    with on_the_line(box) as until:
        until(lambda: is_whole(house, table))
        house.stop("ingest")
        ends = [one.seq for one in told_by(table) if one.link]
        middle = ends[len(ends) // 2]
        link = next(one.link for one in told_by(table) if one.seq == middle)
        with house.owner() as owner:  # as an old dump has it
            owner.execute("DELETE FROM entries WHERE box = %s AND seq > %s", (table.box, middle))
            owner.execute(
                "UPDATE eras SET seq = %s, link = %s WHERE box = %s", (middle, link, table.box)
            )
        house.start("ingest")
        until(lambda: is_whole(house, table))

    assert box.trouble is None
