"""What boxes send, on the database's disk: one transaction for many messages of many boxes.

What each message means is judged by `_judging`; here it is looked up and stored. A box is locked by
its row for as long, so that two programs never judge it at once.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, date, datetime
from typing import Any, Final

from kloplei.frozen import dataclass, replace
from kloplei.table.people import MOST_PEOPLE
from kloplei.table.schema import MOST_WHOLE
from kloplei.table.uplink_client import HouseEntry
from kloplei.uplink.wire import (
    BOARD,
    MOST_BYTES,
    ONLINE,
    PEOPLE,
    STEPS,
    AgreedPeople,
    BadMessage,
    Have,
    Online,
    Steps,
    decode,
    parsed,
    spelled,
)
from kloplei_hub._judging import MALFORMED, UNKNOWN, Era, checked, judge
from kloplei_hub.database import Connection, make_partitions

# As one text: to spell a list for each column costs ten times as much as all the rest.
_ADD = """
INSERT INTO entries (box, era, seq, month, step, at, seat, via, event, facts, link)
SELECT box, era, seq, %s, step, at, seat, via, event, facts, link FROM json_to_recordset(%s::json)
AS sent (
    box TEXT, era TEXT, seq BIGINT, step BIGINT, at FLOAT8, seat SMALLINT, via TEXT, event TEXT,
    facts TEXT, link TEXT
)
ON CONFLICT DO NOTHING
"""
_COLUMNS = ("seq", "step", "at", "seat", "via", "event", "facts", "link")
_PUT_ERA = """
INSERT INTO eras (box, era, parent, after, seq, link, superseded, quarantined)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (box, era) DO UPDATE SET (parent, after, seq, link, superseded, quarantined) =
    (excluded.parent, excluded.after, excluded.seq, excluded.link, excluded.superseded,
     excluded.quarantined)
"""
_ERAS = (
    "SELECT box, era, parent, after, seq, link, superseded, quarantined FROM eras "
    "WHERE box = ANY(%s)"
)
_LINKS = (
    "SELECT seq, link FROM entries WHERE box = %s AND era = %s AND seq BETWEEN %s AND %s "
    "AND link IS NOT NULL"
)
_NEWEST = (
    "SELECT DISTINCT ON (box) box, era, parent, after, seq, link, superseded, quarantined "
    "FROM eras JOIN boxes USING (box) WHERE NOT retired AND superseded IS NULL "
    "ORDER BY box, ordinal DESC"
)
_NEW_PEOPLE = (
    "INSERT INTO people (person) SELECT unnest(%s::bigint[]) ORDER BY 1 ON CONFLICT DO NOTHING"
)
# Whoever brings somebody first; who is called by the referee is handed to a box (`referee`).
_CLAIM = """
INSERT INTO claims (box, person) SELECT %s, person FROM people
WHERE person = ANY(%s) AND name = '' AND NOT EXISTS (
    SELECT FROM claims WHERE claims.person = people.person
)
"""
_CLAIMED = "SELECT person FROM claims WHERE box = %s AND person = ANY(%s)"
_NAME_PEOPLE = """
UPDATE people SET name = CASE WHEN forgotten OR renamed THEN people.name ELSE told.name END,
    agreed = NOT forgotten, seen = now()
FROM unnest(%s::bigint[], %s::text[]) AS told (person, name) WHERE people.person = told.person
"""
_PUT_HERE = """
INSERT INTO box_people (box, person, unheeded)
SELECT %s, person, CASE WHEN name = '' AND unheeded <> '' THEN '' ELSE unheeded END
FROM unnest(%s::bigint[], %s::text[]) AS told (person, unheeded) JOIN people USING (person)
ON CONFLICT (box, person) DO UPDATE SET unheeded = excluded.unheeded
"""
_LET_GO = """
WITH unnamed AS (
    UPDATE box_people SET unheeded = '' WHERE person = ANY(%(left)s) AND unheeded IS NOT NULL
)
UPDATE people SET name = '', agreed = false, renamed = false
WHERE person = ANY(%(left)s) AND NOT EXISTS (
    SELECT FROM box_people WHERE person = people.person AND unheeded IS NULL
)
"""
LONGEST_NAME: Final = 60
_SEEN_S: Final = 30  # no row is written for every knock, only to say that a box is there


@dataclass(frozen=True, slots=True)
class Mail:
    """One message of *box*, as it came; *leaf* is the last word of its topic.

    *answer* is called with what the hub has, where somebody waits for just that. *came_s* is when
    it came, by the monotonic clock.
    """

    box: str
    leaf: str
    body: bytes
    answer: Callable[[Have], object] | None = None
    came_s: float = field(default_factory=time.monotonic, compare=False)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of one message, once its transaction is on the disk.

    *have* is for the box, None where its kind is not answered. *entries* were stored; *kind* is
    ``kept``, ``known``, ``gap``, ``refused`` (for the reason *why*) or ``noted``.
    """

    mail: Mail
    have: Have | None = None
    entries: int = 0
    kind: str = "noted"
    why: str = ""


class Keeper:
    """Stores what boxes send through *connection*, which nobody else uses; for one thread.

    Args:
        connection: In autocommit: each batch is a transaction.
        now: When entries come in, by the hub's clock.
    """

    def __init__(
        self, connection: Connection, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._connection = connection
        self._now = now
        self._month: date | None = None

    def keep(self, mails: Sequence[Mail]) -> list[Receipt]:
        """Store *mails*, in that order, and return what came of each once it is on the disk.

        Raises:
            psycopg.Error: Nothing of it is.
        """
        self._make_month()
        with self._connection.transaction():
            batch = _Batch(self._connection, self._month, {mail.box for mail in mails})
            kept = [batch.take(mail) for mail in mails]
            batch.write()
        return kept

    def newest(self) -> list[tuple[str, Have]]:
        """Return what the hub has of every box that goes with it."""
        found = self._connection.execute(_NEWEST).fetchall()
        return [(box, Era(*era).have) for box, *era in found]

    def _make_month(self) -> None:
        today = self._now().date()
        if today.replace(day=1) != self._month:
            with self._connection.transaction():
                make_partitions(self._connection, today)
            self._month = today.replace(day=1)


class _Batch:
    """Messages within one transaction."""

    def __init__(self, connection: Connection, month: date | None, boxes: Iterable[str]) -> None:
        self._execute = connection.execute
        self._connection = connection
        self._month = month
        names = sorted(boxes)
        lock = (
            "SELECT box, retired, seen < now() - make_interval(secs => %s) IS NOT FALSE "
            "FROM boxes WHERE box = ANY(%s) ORDER BY box FOR NO KEY UPDATE"
        )
        found = self._execute(lock, (_SEEN_S, names)).fetchall()
        self._unseen = [box for box, retired, is_unseen in found if is_unseen and not retired]
        self._eras: dict[str, dict[str, Era]] = {
            box: {} for box, retired, _ in found if not retired
        }
        for box, *era in self._execute(_ERAS, (list(self._eras),)):
            self._eras[box][era[0]] = Era(*era)
        self._changed: dict[tuple[str, str], Era] = {}
        self._entries: list[tuple[str, str, HouseEntry]] = []
        self._told: set[tuple[str, str]] = set()

    def take(self, mail: Mail) -> Receipt:
        """Judge one message; what is to be kept of it is stored by `write` at the latest."""
        eras = self._eras.get(mail.box)
        try:
            if mail.leaf == STEPS:
                return self._take_steps(mail, eras)
            if eras is None:
                return Receipt(mail, kind="refused", why=UNKNOWN)
            if mail.leaf in _NOTES:
                _NOTES[mail.leaf](self, mail)
                return Receipt(mail)
            return Receipt(mail, kind="refused", why="No box writes there.")
        except BadMessage as error:
            have = Have("", 0, "", UNKNOWN) if eras is None else self._malformed(eras)
            return Receipt(
                mail, have if mail.leaf == STEPS else None, kind="refused", why=str(error)
            )

    def write(self) -> None:
        """Store all that was taken, and wake those who read it."""
        self._flush()
        seen = "UPDATE boxes SET seen = now() WHERE box = ANY(%s)"
        if self._unseen:
            self._execute(seen, (self._unseen,))
        if self._told:
            channels, boxes = zip(*sorted(self._told), strict=True)
            wake = "SELECT pg_notify(c, b) FROM unnest(%s::text[], %s::text[]) AS told (c, b)"
            self._execute(wake, (list(channels), list(boxes)))

    def _take_steps(self, mail: Mail, eras: dict[str, Era] | None) -> Receipt:
        steps = checked(decode(Steps, mail.body))
        if eras is None:
            have = Have(steps.era, 0, "", UNKNOWN)
            return Receipt(mail, have, kind="refused", why=UNKNOWN)
        judged = judge(steps, eras, lambda era, a, b: self._links(mail.box, era, a, b))
        for over, inherits in judged.supersedes:
            self._supersede(mail.box, steps.era, over, inherits)
        if judged.era is not None:
            eras[steps.era] = self._changed[mail.box, steps.era] = judged.era
        if judged.entries:
            self._entries += [(mail.box, steps.era, one) for one in judged.entries]
            self._told.add(("steps", mail.box))
        n, why = len(judged.entries), judged.have.refused or ""
        return Receipt(mail, judged.have, n, judged.kind, why)

    def _malformed(self, eras: Mapping[str, Era]) -> Have:
        standing = [era.have for era in eras.values() if era.superseded is None]
        last = standing[-1] if standing else Have("", 0, "")
        return Have(last.era, last.seq, last.link, last.refused or MALFORMED)

    def _links(self, box: str, era: Era, first: int, last: int) -> dict[int, str]:
        """Return what is kept of the links of *era*, in its parents as well."""
        self._flush()
        found: dict[int, str] = {}
        while True:
            found |= dict(self._execute(_LINKS, (box, era.era, first, last)).fetchall())
            last = min(last, era.after)
            if era.parent is None or last < first:
                return found
            era = self._eras[box][era.parent]

    def _supersede(self, box: str, era: str, over: str, inherits: int) -> None:
        """Let *era* stand in the place of the era *over*, of which nothing else stays."""
        self._flush()
        eras = self._eras[box]
        mine = "UPDATE entries SET era = %s WHERE box = %s AND era = %s AND seq <= %s"
        self._execute(mine, (era, box, over, inherits))
        self._execute("DELETE FROM entries WHERE box = %s AND era = %s", (box, over))
        before = eras.get(over, Era(over))
        self._put(box, Era(over, superseded=era))
        self._go_on_behind(box, before, over, era, inherits)
        self._told.add(("steps", box))

    def _go_on_behind(self, box: str, before: Era, gone: str, era: str, inherits: int) -> None:
        """Let who went on from the era *gone* go on from what *era* inherits of *before*."""
        eras = self._eras[box]
        for one in [one for one in eras.values() if one.parent == gone and one.era != era]:
            if one.after <= max(inherits, before.after):
                follows = one.after > before.after
                self._put(box, replace(one, parent=era if follows else before.parent))
            else:  # what it went on from is gone: it is told anew, and whoever went on from it
                self._execute("DELETE FROM entries WHERE box = %s AND era = %s", (box, one.era))
                self._put(box, Era(one.era))
                self._go_on_behind(box, before, one.era, era, inherits)

    def _put(self, box: str, era: Era) -> None:
        self._eras[box][era.era] = self._changed[box, era.era] = era

    def _flush(self) -> None:
        """Store entries and eras, so that what is asked next knows them."""
        if self._entries:
            self._execute(_ADD, (self._month, spelled([_row(*one) for one in self._entries])))
            self._entries = []
        if self._changed:
            rows = [(box, *_fields(era)) for (box, _), era in self._changed.items()]
            with self._connection.cursor() as cursor:
                cursor.executemany(_PUT_ERA, rows)
            self._changed = {}

    def note_online(self, mail: Mail) -> None:
        """Note whether the box is there."""
        told = decode(Online, mail.body)
        put = "UPDATE boxes SET online = %s, version = %s, seen = now() WHERE box = %s"
        self._execute(put, (told.online, _line(told.version, LONGEST_NAME), mail.box))
        self._told.add(("boards", mail.box))

    def note_board(self, mail: Mail) -> None:
        """Note its scoreboard."""
        put = (
            "INSERT INTO boards (box, board, seq) VALUES (%s, %s, %s) ON CONFLICT (box) "
            "DO UPDATE SET (board, seq, at) = (excluded.board, excluded.seq, now())"
        )
        self._execute(put, (mail.box, *_board(mail.body)))
        self._told.add(("boards", mail.box))

    def note_people(self, mail: Mail) -> None:
        """Note who agreed to be known; who is missing, and known at no other box, has no name.

        What a box calls somebody whom another one brought, and who was never called to its table,
        names nobody: it stands there for the landlord. Nor does it matter that it misses them.
        """
        people = decode(AgreedPeople, mail.body).people
        if len(people) > MOST_PEOPLE:
            raise BadMessage(f"A box knows at most {MOST_PEOPLE} people.")
        if not all(0 < one.id <= MOST_WHOLE for one in people):
            raise BadMessage("A person's id is a whole number from 1 to 2**53 - 1.")
        names = {one.id: _line(one.name, LONGEST_NAME) for one in people}
        ids = sorted(names)
        self._execute(_NEW_PEOPLE, (ids,))
        self._execute(_CLAIM, (mail.box, ids))
        claimed = {person for (person,) in self._execute(_CLAIMED, (mail.box, ids))}
        heeded = sorted(claimed)
        self._execute(_NAME_PEOPLE, (heeded, [names[one] for one in heeded]))
        gone = (
            "DELETE FROM box_people WHERE box = %s AND NOT person = ANY(%s) "
            "RETURNING person, unheeded IS NULL"
        )
        # Whom it had no claim on loses no name by it: it could claim them thereafter.
        left = [person for person, heeded in self._execute(gone, (mail.box, ids)) if heeded]
        unheeded = [None if one in claimed else names[one] for one in ids]
        self._execute(_PUT_HERE, (mail.box, ids, unheeded))
        self._execute(_LET_GO, {"left": left})
        self._told.add(("evenings", mail.box))  # what they are called there is looked up


_NOTES: Mapping[str, Callable[[_Batch, Mail], None]] = {
    ONLINE: _Batch.note_online,
    BOARD: _Batch.note_board,
    PEOPLE: _Batch.note_people,
}


def _fields(era: Era) -> tuple[Any, ...]:
    where = (era.era, era.parent, era.after, era.seq, era.link)
    return (*where, era.superseded, era.quarantined)


def _row(box: str, era: str, one: HouseEntry) -> dict[str, Any]:
    return {"box": box, "era": era} | {name: getattr(one, name) for name in _COLUMNS}


def _line(written: str, longest: int) -> str:
    """Return *written*, which somebody will read.

    Raises:
        BadMessage: Nobody can.
    """
    if len(written) > longest or not (written.isprintable() or not written):
        raise BadMessage(f"A name or a version is one line of at most {longest} letters.")
    return written


def _board(body: bytes) -> tuple[str, int]:
    """Return a scoreboard as it is kept, and of which entry it tells.

    Raises:
        BadMessage: It is none.
    """
    if len(body) > MOST_BYTES:
        raise BadMessage(f"The scoreboard has {len(body)} bytes; at most {MOST_BYTES} are taken.")
    try:
        board = parsed(body)
        written = spelled(board)
    except (ValueError, RecursionError) as error:
        raise BadMessage("A scoreboard is JSON.") from error
    if not isinstance(board, dict):
        raise BadMessage("A scoreboard is an object.")
    seq = board.get("seq")
    return written, seq if isinstance(seq, int) and 0 <= seq <= MOST_WHOLE else 0
