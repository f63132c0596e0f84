"""Each program may do what it needs in the database, and nothing else."""

import psycopg
import pytest

from kloplei_hub.database import Connection, connect

INGEST = {
    *("boxes", "pairing_codes", "eras", "entries"),
    *("boards", "people", "box_people", "claims", "calls"),
}


@pytest.mark.parametrize(
    ("program", "ask"),
    [
        ("ingest", "SELECT * FROM evenings"),
        ("ingest", "DELETE FROM boxes"),
        ("ingest", "DELETE FROM people"),
        ("ingest", "INSERT INTO pairing_codes (code, expires) VALUES ('', now())"),
        ("ingest", "CREATE TABLE mine (one INTEGER)"),
        ("fold", "INSERT INTO people (person) VALUES (1)"),
        ("fold", "DELETE FROM entries"),
        ("fold", "SELECT password FROM boxes"),
        ("fold", "SELECT make_month(current_date)"),
        ("web", "INSERT INTO entries SELECT * FROM entries"),
        ("web", "SELECT * FROM entries"),
        ("web", "UPDATE eras SET quarantined = NULL"),
        ("web", "SELECT password FROM boxes"),
        ("web", "SELECT code FROM pairing_codes"),
        ("web", "UPDATE boxes SET retired = true"),
        ("web", "DELETE FROM evenings"),
        ("fold", "SELECT retire_box('a')"),
        ("ingest", "SELECT release_box('a', true)"),
        ("web", "DELETE FROM _yoyo_migration"),
        ("web", "SELECT private FROM push_keys"),
        ("web", "UPDATE push_keys SET private = ''"),
        ("web", "SELECT endpoint FROM push_subscriptions"),
        ("web", "SELECT auth FROM push_subscriptions"),
        ("web", "UPDATE push_subscriptions SET endpoint = ''"),
        ("web", "DELETE FROM pushes"),
        ("fold", "INSERT INTO push_subscriptions SELECT * FROM push_subscriptions"),
        ("fold", "UPDATE push_subscriptions SET endpoint = ''"),
        ("fold", "DELETE FROM push_keys"),
        ("ingest", "SELECT person FROM push_subscriptions"),
        ("ingest", "INSERT INTO pushes SELECT * FROM pushes"),
    ],
)
def test_a_program_may_not(dsn: str, program: str, ask: str) -> None:
    with (
        connect(dsn.replace("user=kloplei_hub", f"user=kloplei_{program}")) as mine,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        mine.execute(ask)


def test_whoever_is_open_to_the_wire_sees_no_table_of_who_signs_on(house: Connection) -> None:
    """Tables that come later as well: sessions and roles are none of its business."""
    asked = (
        "SELECT DISTINCT table_name FROM information_schema.role_table_grants "
        "WHERE grantee IN ('kloplei_ingest', 'PUBLIC') AND table_schema = 'public'"
    )

    assert {name for (name,) in house.execute(asked)} <= INGEST
