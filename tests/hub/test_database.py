"""The house's schema: made in steps, twice without harm, with a month for whatever comes in."""

from datetime import date

import pytest

from kloplei_hub.database import Connection, HouseUnavailable, connect, make_partitions, migrate
from kloplei_hub.servers import free_port


def test_a_schema_that_is_there_is_left_as_it_is(dsn: str, house: Connection) -> None:
    house.execute("INSERT INTO boxes (box, name) VALUES ('b', 'Tafel 1')")

    migrate(dsn)

    assert house.execute("SELECT name FROM boxes").fetchall() == [("Tafel 1",)]


def test_an_entry_lies_with_its_month_and_one_of_no_known_month_is_kept(house: Connection) -> None:
    make_partitions(house, date(2031, 12, 31))
    add = (
        "INSERT INTO entries (box, era, seq, month, step, via, event, facts) "
        "VALUES ('b', 'e', %s, %s, 1, 'pad', 'Knocked', '{}')"
    )
    for seq, month in enumerate([date(2031, 12, 1), date(2032, 2, 1), date(1970, 1, 1)]):
        house.execute(add, (seq, month))

    lie = house.execute("SELECT tableoid::regclass::text FROM entries ORDER BY seq").fetchall()

    assert lie == [("entries_2031_12",), ("entries_2032_02",), ("entries_later",)]


def test_a_database_that_is_not_there_is_told_with_its_address() -> None:
    with pytest.raises(HouseUnavailable, match="does not answer"):
        connect(f"host=127.0.0.1 port={free_port()} dbname=house user=nobody")
