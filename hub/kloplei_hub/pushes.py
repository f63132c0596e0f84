"""Whose phone is told when their table is called: the house's key, subscriptions, and what waits.

A browser subscribes with its push service, and gives the house an endpoint there and two keys that
only it can open what is sealed with (RFC 8030, 8291). Whoever calls a table writes down what is to
be pushed in the same breath, as ids without a name; `kloplei_hub._pushing` sends it, and what is
older than the call is told nobody.
"""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from datetime import datetime
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final, Literal
from urllib.parse import urlsplit

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.table.schema import dump
from kloplei.uplink.wire import spelled
from kloplei_hub.database import Connection
from kloplei_hub.people import HousePeople
from kloplei_hub.words import house_words

MOST_EACH: Final = 5
"""Of so many phones of one person the newest are told."""
_LONGEST: Final = 1000
_POINT_BYTES, _AUTH_BYTES = 65, 16
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_PUT: Final = """
INSERT INTO push_subscriptions (subscription, endpoint, p256dh, auth, person, language)
VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
"""
_TRIM: Final = """
DELETE FROM push_subscriptions WHERE person = %s AND subscription NOT IN (
    SELECT subscription FROM push_subscriptions WHERE person = %s ORDER BY made DESC LIMIT %s
)
"""
_WAIT: Final = """
INSERT INTO pushes (subscription, tag, told, until)
SELECT subscription, %s, %s, %s FROM push_subscriptions WHERE person = ANY(%s)
ON CONFLICT (subscription, tag) DO UPDATE
SET (told, until, due, tries) = (excluded.told, excluded.until, now(), 0)
"""


class PushRefused(KlopleiError, ValueError):
    """Nothing can be pushed there, or nothing should be; the message says why."""


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """Where the push service of a browser takes messages, and the keys that it opens them with.

    *p256dh* and *auth* are base64url, a point on P-256 (65 bytes) and 16 random bytes.
    """

    endpoint: str
    p256dh: str
    auth: str

    @property
    def id(self) -> str:
        """What it goes by in the house: who knows this may not push there."""
        return hashlib.sha256(self.endpoint.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class PushNews:
    """What is pushed, without a word of any language: of which tournament, and which people.

    *players* are called to *table* in *round*, or have won where the tournament is over.
    """

    kind: Literal["called", "final", "over"]
    tournament: int
    name: str
    players: tuple[int, ...]
    table: int = 0
    round: int = 0
    table_name: str = ""

    @property
    def tag(self) -> str:
        """What it takes the place of: whatever was pushed of the same tournament before."""
        return f"tournament-{self.tournament}"

    def worded(self, language: str, people: HousePeople) -> dict[str, str]:
        """Return what a service worker shows: title, body, tag, language, and where it leads."""
        words = house_words(language)
        somebody = words.say("tournament.somebody")
        who = words.say("comma").join(people.name(one) or somebody for one in self.players)
        place = self.table_name or words.say("table.number", {"number": self.table})
        facts = {"table": place, "who": who, "name": self.name, "round": self.round}
        return {
            "title": words.say(f"push.{self.kind}", facts),
            "body": words.say(f"push.{self.kind}_where", facts),
            "tag": self.tag,
            "lang": language,
            "to": f"/tournaments/{self.tournament}",
        }


def subscription_of(told: object, *, anywhere: bool = False) -> PushSubscription:
    """Return what a browser's ``subscription.toJSON()`` told, if something may be pushed there.

    Args:
        told: As it came over the wire.
        anywhere: Also where no push service is: not by https, in a network of the house's own.

    Raises:
        PushRefused: It is no subscription, or leads where the house pushes nothing.
    """
    keys = told.get("keys") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or not isinstance(keys, Mapping):
        raise PushRefused("A subscription has an endpoint and keys.")
    texts = told.get("endpoint"), keys.get("p256dh"), keys.get("auth")
    endpoint, p256dh, auth = (one if isinstance(one, str) else "" for one in texts)
    if not (len(endpoint) <= _LONGEST and endpoint.isascii() and endpoint.isprintable()):
        raise PushRefused("An endpoint is an address of at most 1000 letters.")
    _check_address(endpoint, anywhere=anywhere)
    point, secret = decoded(p256dh), decoded(auth)
    _check_point(point)
    if len(secret) != _AUTH_BYTES:
        raise PushRefused("What a subscription has for `auth` is 16 bytes.")
    # Not as it was written: letters that stand for nothing would be kept as well.
    return PushSubscription(endpoint, encoded(point), encoded(secret))


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether *address* is one of the internet's, and none that leads back into a network here."""
    if isinstance(address, IPv6Address):
        # What carries an IPv4 address within leads wherever that does.
        carries = address.ipv4_mapped or address.sixtofour or address.teredo
        if carries or address not in _GLOBAL_UNICAST:
            return False
    return address.is_global and not address.is_multicast


def public_key(connection: Connection) -> str:
    """Return the house's key as browsers are told it, base64url; made at the first need."""
    ask = "SELECT public FROM push_keys"
    row = connection.execute(ask).fetchone()
    if row is None:
        put = "INSERT INTO push_keys (public, private) VALUES (%s, %s) ON CONFLICT DO NOTHING"
        connection.execute(put, _new_key())
        row = connection.execute(ask).fetchone()
    return str(row[0]) if row else ""


def subscribe(
    connection: Connection, person: int, subscription: PushSubscription, language: str
) -> None:
    """Let *person* be told by that *subscription*, in *language*; their oldest phones make room."""
    one = subscription
    with connection.transaction():
        unsubscribe(connection, one.id)  # as somebody else before, or in another language
        connection.execute(_PUT, (one.id, one.endpoint, one.p256dh, one.auth, person, language))
        connection.execute(_TRIM, (person, person, MOST_EACH))


def unsubscribe(connection: Connection, subscription: str) -> None:
    """Let nothing be pushed to *subscription* any more, by what it goes by in the house."""
    connection.execute("DELETE FROM push_subscriptions WHERE subscription = %s", (subscription,))


def whose(connection: Connection, subscription: str) -> int | None:
    """Return who is told by *subscription*, None for nobody."""
    ask = "SELECT person FROM push_subscriptions WHERE subscription = %s"
    row = connection.execute(ask, (subscription,)).fetchone()
    return None if row is None else int(row[0])


def push(
    connection: Connection, news: PushNews, to: Iterable[int], people: HousePeople, until: datetime
) -> None:
    """Let *news* wait for all phones of the people *to*; after *until* it is told nobody."""
    wanted = set(to)
    ids = [one for one, (today, _) in people.of.items() if today in wanted]
    with connection.transaction():
        facts = (news.tag, spelled(dump(news)), until, ids)
        if connection.execute(_WAIT, facts).rowcount:
            connection.execute("SELECT pg_notify('pushes', '')")


def decoded(written: str) -> bytes:
    """Return what *written* is in base64url, with its padding or without; nothing if it is none."""
    try:
        return urlsafe_b64decode(written + "=" * (-len(written) % 4))
    except ValueError:
        return b""


def encoded(plain: bytes) -> str:
    """Return *plain* in base64url, without padding, as web push wants all of it."""
    return urlsafe_b64encode(plain).rstrip(b"=").decode("ascii")


def _check_address(endpoint: str, *, anywhere: bool) -> None:
    try:
        parts = urlsplit(endpoint)
        port = parts.port
    except ValueError:
        raise PushRefused("An endpoint is an address.") from None
    if not parts.hostname or parts.username is not None or parts.scheme not in ("http", "https"):
        raise PushRefused("An endpoint is an address of a push service.")
    if anywhere:
        return
    if parts.scheme != "https" or port not in (None, 443):
        raise PushRefused("A push service is reached by https.")
    try:
        address = ip_address(parts.hostname)
    except ValueError:
        return  # a name; where it leads to is looked at when something is sent
    if not is_public(address):
        raise PushRefused("A push service is on the internet.")


def _check_point(point: bytes) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec

    wrong = PushRefused("What a subscription has for `p256dh` is a point on P-256.")
    if len(point) != _POINT_BYTES:
        raise wrong
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError:
        raise wrong from None


def _new_key() -> tuple[str, str]:
    """Return a new key of the house, its public and its private half."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return encoded(point), encoded(key.private_numbers().private_value.to_bytes(32, "big"))
