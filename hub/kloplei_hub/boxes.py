"""Which boxes go with the house, and how the broker knows them.

A keeper types a code that the house shows; with it a box gets a password of its own. What the
broker keeps of that (`hashed`) is what stands in the database, and `tell_broker` writes Mosquitto's
files of passwords and rights anew from there whenever something has changed.
"""

import base64
import hashlib
import hmac
import os
import re
import secrets
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psycopg

from kloplei.files import KlopleiError, atomic_write, reason_of
from kloplei.frozen import dataclass
from kloplei.uplink.home_assistant import BIRTH, MOMENT, SLATE
from kloplei.uplink.wire import (
    BOARD,
    CALL,
    HAVE,
    ONLINE,
    PEOPLE,
    STEPS,
    PairingRequest,
    letters_of,
    proof_key,
    proof_of,
    topic,
)
from kloplei_hub.database import Connection, locked
from kloplei_hub.settings import BrokerConfig, HubConfig

CODE_LASTS_S: Final = 15 * 60
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"  # no word comes of them, and none is like another
_CODE_LETTERS = 8
_ROUNDS = 101  # what mosquitto_passwd takes; the passwords are random, and nobody guesses them
_SALT_BYTES, _HASH_BYTES = 12, 64
_HASHED = re.compile(r"\$7\$(\d{1,7})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)")
_BOX = re.compile("[A-Za-z0-9_-]{1,64}")
_WRITES = (ONLINE, BOARD, STEPS, PEOPLE)
_AT_HOME = (SLATE, f"{MOMENT}/#")
_DEVICES = "homeassistant/device"
_RELOAD_S = 30
_LONGEST_VERSION = 60
_MOST_NUMBER = 1_000_000
LONGEST_NAME: Final = 40
"""Of a table, in letters."""


class NoSuchBox(KlopleiError, LookupError):
    """No box of that name goes with the house."""


class CodeRefused(KlopleiError, PermissionError):
    """The code does not, or no longer, hold."""


class BoxKnown(KlopleiError, PermissionError):
    """Such a box goes with the house, and whoever asks did not show that it is the same."""


class BrokerUntold(KlopleiError, OSError):
    """Mosquitto's files could not be written, or it not be told; the message says what to do."""


@dataclass(frozen=True, slots=True)
class KnownBox:
    """One box of the house, as its keepers see it; *quarantined* is why it is set apart."""

    box: str
    name: str
    number: int | None
    retired: bool
    online: bool
    version: str
    seq: int
    quarantined: str | None


def hashed(password: str, salt: bytes | None = None, rounds: int = _ROUNDS) -> str:
    """Return *password* as Mosquitto keeps it: PBKDF2 with SHA-512, and its salt."""
    salt = secrets.token_bytes(_SALT_BYTES) if salt is None else salt
    told = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, rounds, _HASH_BYTES)
    return f"$7${rounds}${base64.b64encode(salt).decode()}${base64.b64encode(told).decode()}"


def is_password(password: str, kept: str | None) -> bool:
    """Whether *password* is the one that is *kept*, as `hashed` makes it."""
    found = _HASHED.fullmatch(kept or "")
    if found is None:
        return False
    again = hashed(password, base64.b64decode(found[2]), int(found[1]))
    return hmac.compare_digest(again, found[0])


def is_box(written: str) -> bool:
    """Whether a box may be called so: it stands in topics, addresses and files."""
    return bool(_BOX.fullmatch(written))


def new_code(
    connection: Connection, name: str = "", number: int | None = None, box: str | None = None
) -> str:
    """Return a code with which one box may come within a quarter of an hour, as a keeper types it.

    One that was open for the same table holds no longer: no two boxes come to one.

    Args:
        connection: Of the owner, or of the web's user.
        name: What the house will call the box; empty for what it is called already.
        number: The table's number in the house.
        box: It is for that box alone, which need not show that it is the same; None: for any.

    Raises:
        NoSuchBox: There is no such *box*, or no table may be called so.
    """
    _demand_name(name, number)
    code = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LETTERS))
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('kloplei_hub.codes'))")
        drop = "DELETE FROM pairing_codes WHERE expires < now() OR number = %s OR box = %s"
        connection.execute(drop, (number, box))
        try:
            connection.execute(
                "INSERT INTO pairing_codes (code, name, number, box, expires) "
                "VALUES (%s, %s, %s, %s, now() + make_interval(secs => %s))",
                (_told(code), name, number, box, CODE_LASTS_S),
            )
        except psycopg.errors.ForeignKeyViolation as error:
            raise NoSuchBox(
                f"No box is called {box}; see them with: kloplei-hub admin boxes"
            ) from error
    return f"{code[: _CODE_LETTERS // 2]}-{code[_CODE_LETTERS // 2 :]}"


def where_to_pair(config: HubConfig, pages: str) -> str:
    """Return the address that is typed on a box, where the house's pages are found at *pages*.

    Over https another program stands before them, which lets boxes through; the pages take none.
    """
    known = urlsplit(config.house.address or pages)
    if known.scheme == "https":
        return known.geturl()
    host = known.hostname or ""
    return f"http://{f'[{host}]' if ':' in host else host}:{config.ingest.port}"


def pair(connection: Connection, request: PairingRequest, *taken: str) -> str:
    """Let a box go with the house that knows a code; return its new password.

    A box that goes with it already is let in where the code was made for it, or where it shows that
    it is the same: whoever else had its name would have its table, and it had no password any more.

    Args:
        connection: Of ingest's user, or of the owner.
        request: What the box says of itself.
        taken: What others than boxes are called at the broker; no box is called so.

    Raises:
        CodeRefused: The code does not hold, or is another box's, or no box is called so.
        BoxKnown: Such a box is here; the code still holds.
    """
    if not is_box(request.box) or request.box in taken:
        raise CodeRefused("No box is called so: letters, digits, - and _ are, at most 64.")
    password = secrets.token_urlsafe(24)
    # Else two that come by one name at once would both be new, and the later one have the table.
    with locked(connection, request.box):
        name, number = _take_code(connection, request)
        connection.execute(
            "INSERT INTO boxes (box, name, password, proof, version) VALUES (%s, %s, %s, %s, %s) "
            "ON CONFLICT (box) DO UPDATE SET password = excluded.password, retired = false, "
            "proof = excluded.proof, "
            "name = CASE WHEN excluded.name = '' THEN boxes.name ELSE excluded.name END",
            (
                request.box,
                name,
                hashed(password),
                proof_key(password),
                _line(request.version),
            ),
        )
        if number is not None:
            free = "UPDATE boxes SET number = NULL WHERE number = %s AND box <> %s"
            connection.execute(free, (number, request.box))
            put = "UPDATE boxes SET number = %s WHERE box = %s"
            connection.execute(put, (number, request.box))
    return password


def _take_code(connection: Connection, request: PairingRequest) -> tuple[str, int | None]:
    """Take the code that *request* has, and return which name and number go with it."""
    take = (
        "DELETE FROM pairing_codes WHERE code = %s AND expires >= now() RETURNING name, number, box"
    )
    found = connection.execute(take, (_told(request.code),)).fetchone()
    if found is None:
        raise CodeRefused("The house knows no such code (any more): ask it for a new one.")
    name, number, box = found
    if box is not None and box != request.box:
        raise CodeRefused("That code is for another table: ask the house for one for this table.")
    ask = "SELECT proof FROM boxes WHERE box = %s AND NOT retired FOR UPDATE"
    known = connection.execute(ask, (request.box,)).fetchone() if box is None else None
    if known is not None and not _is_proven(request, known[0]):
        raise BoxKnown(
            f"The house knows the box {request.box}, and this one did not show that it is the "
            "same. Make a code for that table, on the page behind the bar or with: "
            f"kloplei-hub admin pair --for {request.box}"
        )
    return name, number


def _is_proven(request: PairingRequest, key: bytes | None) -> bool:
    """Whether *request* comes from who has the password of which *key* was kept."""
    if key is None:
        return False
    wanted = proof_of(key, request.box, request.code)
    return hmac.compare_digest(wanted.encode(), request.proof.encode())


def known_boxes(connection: Connection) -> list[KnownBox]:
    """Return all boxes of the house, by number and name, with what is kept of each."""
    ask = (
        "SELECT box, name, number, retired, online, version, coalesce(seq, 0), quarantined "
        "FROM boxes LEFT JOIN LATERAL (SELECT seq, quarantined FROM eras "
        "WHERE eras.box = boxes.box AND superseded IS NULL ORDER BY ordinal DESC LIMIT 1) era "
        "ON true ORDER BY number NULLS LAST, name, box"
    )
    return [KnownBox(*row) for row in connection.execute(ask)]


def find_box(connection: Connection, named: str) -> str:
    """Return the box that *named* means: its id, the beginning of it, its name or its number.

    Raises:
        NoSuchBox: None is meant, or several.
    """
    boxes = known_boxes(connection)
    exact = [one.box for one in boxes if named in (one.box, one.name, str(one.number))]
    found = exact or [one.box for one in boxes if named and one.box.startswith(named)]
    if len(found) != 1:
        what = "No box" if not found else "More than one box"
        raise NoSuchBox(f"{what} goes by {named}; see them with: kloplei-hub admin boxes")
    return found[0]


def retire(connection: Connection, box: str) -> None:
    """Let *box* go with the house no longer; what it sent stays.

    The broker lets it in until it is told (`tell_broker`), which ingest does where it runs.
    """
    connection.execute("SELECT retire_box(%s)", (box,))


def rename(connection: Connection, box: str, name: str, number: int | None) -> None:
    """Call *box* so, at the table of that *number*.

    Raises:
        NoSuchBox: Another box has that number, or no table may be called so.
    """
    _demand_name(name, number)
    try:
        put = "UPDATE boxes SET name = %s, number = %s WHERE box = %s"
        connection.execute(put, (name, number, box))
    except psycopg.errors.UniqueViolation as error:
        raise NoSuchBox(f"Another box stands at table {number} already.") from error


def _demand_name(name: str, number: int | None) -> None:
    if len(name) > LONGEST_NAME:
        raise NoSuchBox(f"A table's name has {LONGEST_NAME} letters at most.")
    if number is not None and not 0 < number <= _MOST_NUMBER:
        raise NoSuchBox(f"A table's number is from 1 to {_MOST_NUMBER}.")


def release(connection: Connection, box: str, *, anew: bool = False) -> int:
    """Let *box* go on that was set apart as a twin; return how many entries were let go of.

    Whoever tells the same as is kept goes on; the other one is set apart again.

    Args:
        connection: Of the owner, or of the web's user.
        box: Of which two tell two histories.
        anew: Let go of what is kept of it, so that the box which is there tells all of it.
    """
    found = connection.execute("SELECT release_box(%s, %s)", (box, anew)).fetchone()
    return int(found[0]) if found is not None else 0


def is_broker_told(connection: Connection, broker: BrokerConfig) -> bool:
    """Whether Mosquitto's file of passwords, if the hub writes it, has just the boxes of the house.

    It has not where one was let go while no ingest ran.
    """
    if broker.passwords is None:
        return True
    try:
        lines = broker.passwords.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    ours = (broker.user, broker.home_user)
    told = {line for line in lines if line.partition(":")[0] not in ours}
    return told == {f"{box}:{kept}" for box, kept in _let_in(connection) if box not in ours}


def tell_broker(connection: Connection, broker: BrokerConfig) -> None:
    """Write Mosquitto's files anew, and let it read them; those that the settings name.

    Raises:
        BrokerUntold: They cannot be written, or it cannot be told.
    """
    with connection.transaction():
        # One at a time: else an older list could be the last that is written.
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('kloplei_hub.broker'))")
        known = dict(_let_in(connection))
        own = {broker.user: broker.password, broker.home_user: broker.home_password}
        ours = {name: hashed(secret) for name, secret in own.items() if secret is not None}
        lines = [f"{name}:{kept}" for name, kept in (known | ours).items()]
        _write(broker.passwords, lines)
        _write(broker.rights, list(_rights(broker, known)))
    _reload(broker)


def _let_in(connection: Connection) -> list[tuple[str, str]]:
    """Return the boxes that the broker lets in, with what it keeps of their passwords."""
    ask = "SELECT box, password FROM boxes WHERE password IS NOT NULL AND NOT retired ORDER BY box"
    return connection.execute(ask).fetchall()


def _rights(broker: BrokerConfig, boxes: dict[str, str]) -> Iterator[str]:
    """Yield the lines of Mosquitto's acl_file: each box has a branch of its own.

    A moment and a picture are for a Home Assistant alone; where none may listen, none is taken.
    """
    has_home = broker.home_password is not None
    yield "# Written by kloplei-hub; what is changed here is written over."
    yield f"user {broker.user}"
    for leaf in _WRITES:
        yield f"topic read {topic('+', leaf)}"
    for leaf in (HAVE, CALL):
        yield f"topic write {topic('+', leaf)}"
    if has_home:
        yield from _rights_at_home(broker.home_user, boxes)
    for leaf in (*_WRITES, *(_AT_HOME if has_home else ())):
        yield f"pattern write {topic('%u', leaf)}"
    for leaf in (HAVE, CALL):
        yield f"pattern read {topic('%u', leaf)}"


def _rights_at_home(home: str, boxes: dict[str, str]) -> Iterator[str]:
    """Yield what a Home Assistant may read of tables, and what they may tell it."""
    yield f"user {home}"
    for leaf in (ONLINE, BOARD, *_AT_HOME):
        yield f"topic read {topic('+', leaf)}"
    yield f"topic read {_DEVICES}/#"
    yield f"topic write {BIRTH}"
    for box in boxes:
        yield f"user {box}"
        yield f"topic write {_DEVICES}/kloplei_{box}/config"
    yield f"pattern read {BIRTH}"


def _write(path: Path | None, lines: list[str]) -> None:
    if path is None:
        return
    try:
        # Mosquitto reads them as its own user: who may, the folder's owner says.
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o640
        atomic_write(path, "\n".join([*lines, ""]).encode(), mode)
    except OSError as error:
        raise BrokerUntold(
            f"The broker's file {path} cannot be written ({reason_of(error)}): look who owns its "
            "folder, then: kloplei-hub admin broker"
        ) from error


def _reload(broker: BrokerConfig) -> None:
    try:
        if broker.pidfile is not None:
            os.kill(int(broker.pidfile.read_text()), signal.SIGHUP)
        if broker.reload is not None:
            words = shlex.split(broker.reload)
            subprocess.run(words, check=True, timeout=_RELOAD_S, capture_output=True)  # noqa: S603
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise BrokerUntold(
            f"The broker was not told of its new files ({error}): let it read them with "
            "systemctl reload mosquitto"
        ) from error


def _line(written: str) -> str:
    """Return what can be kept and read of *written*."""
    return "".join(one for one in written[:_LONGEST_VERSION] if one.isprintable())


def _told(code: str) -> bytes:
    """Return what is kept of a code, however somebody typed it."""
    return hashlib.sha256(letters_of(code).encode()).digest()
