"""What goes over the wire between a box and its house: topics and shapes, for both ends.

By MQTT 5 below ``kloplei/v1/<box>/``, or the same bodies by https where only that passes
(``POST /v1/boxes/<box>/<leaf>``; steps are answered by `Have`, and ``GET`` brings a call):

========  ====================  ======================================================
online    retained, last will   `Online`: whether the box is there
board     retained, 12 hours    the scoreboard, names of the agreed only; see `encode`
steps     QoS 1                 `Steps`: what was played, after an entry that the house has
people    retained              `AgreedPeople`: who agreed to be known
have      retained, hub only    `Have`: up to where all is on the house's disk
call      10 minutes, hub only  `TableCall`: who is to come to this table
========  ====================  ======================================================

Before all of it a box is paired by https: ``POST /v1/pair`` with `PairingRequest`, answered by
`Paired`. An error there is ``{"error": code, "message": sentence}``, 403 for a code that does not,
or no longer, hold, 409 for a box that the house knows and that could not show it is the same. A box
posts by its name and password (HTTP Basic).

A broker's PUBACK says "in my memory". Only `Have` is a receipt, and it comes after the commit.
"""

import hashlib
import hmac
import json
import re
from dataclasses import field
from typing import Annotated, Any, Final, TypeVar

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import SPARSE
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.schema import SOCKET, WORLD, Form, Misfit, dump, load
from kloplei.table.uplink_client import EraBegun, HouseEntry, HousePerson

T = TypeVar("T")
_HALF_LETTER = re.compile(r"\\u[dD][89a-fA-F]")
spelled = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
ROOT: Final = "kloplei/v1"
ONLINE, BOARD, STEPS, PEOPLE = "online", "board", "steps", "people"
"""What a box publishes."""
HAVE, CALL = "have", "call"
"""What only the hub publishes."""
BOARD_EXPIRES_S: Final = 12 * 3600
CALL_EXPIRES_S: Final = 600
PAIR_PATH: Final = "/v1/pair"
BOX_PATH: Final = "/v1/boxes/{box}/{leaf}"
MOST_BYTES: Final = 1_000_000
"""Of one message; a step of a hundred entries is some 20 kB."""


class BadMessage(KlopleiError, ValueError):
    """What came over the wire is not what it should be; the message says what."""


@dataclass(frozen=True, slots=True)
class Online:
    """Whether the box is there, and which Kloplei it runs; the last will says that it is not."""

    online: bool
    version: str = ""


@dataclass(frozen=True, slots=True)
class Steps:
    """Whole steps of *era* that follow on entry *after*, whose step has that *link*.

    An empty one asks what the house has.
    """

    era: str
    after: int
    link: Annotated[str, "SHA-256, hexadecimal; empty before the first entry"]
    entries: tuple[HouseEntry, ...] = ()
    begun: EraBegun | None = None


@dataclass(frozen=True, slots=True)
class Have:
    """All of *era* up to entry *seq* is on the house's disk; its step has that *link*.

    *refused* is why nothing more is taken: ``twin`` where another box tells another history of the
    same era, ``unknown`` where the box was never paired or is retired, ``malformed``.
    """

    era: str
    seq: int
    link: str
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class AgreedPeople:
    """Everybody at the box who agreed to be known in the house; who is missing no longer does."""

    people: tuple[HousePerson, ...]


@dataclass(frozen=True, slots=True)
class PairingRequest:
    """A box asks to go with the house: its keeper typed the *code* that the hub showed.

    One that goes with that house already shows by *proof* (`proof_of`) that it is the same.
    """

    box: str
    code: str
    version: str = ""
    proof: str = field(default="", metadata=SPARSE)


@dataclass(frozen=True, slots=True)
class Paired:
    """The *box* goes with the *house* now; it signs on at the broker by its own name.

    *host* is empty where the broker listens at the hub's own address, and *port* 0 where there is
    none for boxes: then steps are posted. *authority* is the PEM of who signed the broker's
    certificate, empty for those whom the system trusts.
    """

    box: str
    password: str
    house: str = ""
    host: str = ""
    port: int = 8883
    tls: bool = True
    authority: str = ""


def letters_of(code: str) -> str:
    """Return what counts of a pairing *code*, however somebody typed it."""
    return "".join(one for one in code.upper() if one.isalnum() and one.isascii())


def proof_key(password: str) -> bytes:
    """Return what a hub keeps of a box's *password* to know it by: nobody signs on with it."""
    return hashlib.sha256(b"kloplei pairs again: " + password.encode()).digest()


def proof_of(key: bytes, box: str, code: str) -> str:
    """Return what shows that *box* has the password of that `proof_key`.

    It is good for that *code* alone: who overhears it where plain http is spoken has no password,
    and the next code is another one.
    """
    return hmac.digest(key, f"{box} {letters_of(code)}".encode(), "sha256").hex()


def topic(box: str, leaf: str) -> str:
    """Return the topic *leaf* of *box*; ``+`` for all boxes."""
    return f"{ROOT}/{box}/{leaf}"


def split_topic(name: str) -> tuple[str, str] | None:
    """Return box and leaf of a topic, None where it is none of ours."""
    head, _, rest = name.partition(f"{ROOT}/")
    box, _, leaf = rest.partition("/")
    return (box, leaf) if not head and box and leaf else None


def encode(message: object) -> bytes:
    """Return *message* as it goes over the wire; facts of entries stand there as objects.

    A scoreboard is told so that the house can say all of it in any language: sentences by their
    whole keys, seats among their facts marked.
    """
    plain = dump(message, form=_form_of(type(message)))
    if isinstance(message, Steps):
        for entry in plain.get("entries", ()):
            entry["facts"] = json.loads(entry["facts"])
    return spelled(plain).encode()


def decode(kind: type[T], body: bytes) -> T:
    """Return the message of that *kind*.

    Raises:
        BadMessage: It is none; the message says what would have done.
    """
    if len(body) > MOST_BYTES:
        raise BadMessage(f"The message has {len(body)} bytes; at most {MOST_BYTES} are taken.")
    try:
        plain = parsed(body)
        if kind is Steps:
            plain = _with_text(plain)
        return load(kind, plain, _form_of(kind))
    except (Misfit, ValueError, RecursionError) as error:
        raise BadMessage(f"This is no {kind.__name__}: {error}.") from error


def parsed(body: bytes) -> Any:
    """Return the JSON that *body* is.

    Raises:
        ValueError: It is none, or has letters that cannot be written.
        RecursionError: It is too deep.
    """
    text = body.decode()
    plain = json.loads(text)
    if _HALF_LETTER.search(text):
        json.dumps(plain, ensure_ascii=False).encode()  # of a pair, each half is spelled so
    return plain


def _form_of(kind: type) -> Form:
    return SOCKET if kind is Scoreboard else WORLD


def _with_text(plain: Any) -> Any:
    """Return a `Steps` whose entries have their facts as the text that is kept."""
    match plain:
        case {"entries": [*entries]} if all(isinstance(one, dict) for one in entries):
            told = [
                {**one, "facts": spelled(one["facts"])}
                if isinstance(one.get("facts"), dict)
                else {**one, "facts": None}
                for one in entries
            ]
            return {**plain, "entries": told}
    return plain
