"""What sends pushes, beside the telling of evenings: sealed, signed, in time, and nowhere else.

A message is sealed for its browser alone (RFC 8291) and signed for its push service (RFC 8292),
each a few calls to `cryptography`. An endpoint is an address that a stranger gave us: nothing goes
anywhere but to the internet by https, to the very address that was looked at, and no redirect is
followed. Whoever is slow is let go of.
"""

import http.client
import json
import logging
import os
import random
import socket
import ssl
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from kloplei.frozen import dataclass
from kloplei.table.schema import load
from kloplei_hub.database import Connection, ListeningWorker, is_news
from kloplei_hub.people import HousePeople, house_people
from kloplei_hub.pushes import (
    PushNews,
    PushRefused,
    PushSubscription,
    decoded,
    encoded,
    is_public,
)

logger = logging.getLogger(__name__)
PATIENCE_S: Final = 10.0
"""So long a push service has for all of it."""
_AT_ONCE: Final = 8
_A_HANDFUL: Final = 64
_WAKES_S: Final = 1.0
FIRST_PAUSE_S: Final = 5.0
"""Until what was not taken is sent again; twice as long each time."""
_SIGNED_S: Final = 12 * 3600  # a push service takes a day at most
_RECORD: Final = 4096
_GONE: Final = (404, 410)
_MAY_PASS: Final = (408, 425, 429)  # beside 500 and above: the same may be taken later
_CLAIM: Final = """
UPDATE pushes SET tries = tries + 1, due = now() + make_interval(secs => %(pause)s * 2 ^ tries)
FROM push_subscriptions AS one
WHERE one.subscription = pushes.subscription AND (pushes.subscription, tag) IN (
    SELECT subscription, tag FROM pushes WHERE due <= now() AND until > now()
    ORDER BY due LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
RETURNING one.subscription, tag, told, until, extract(epoch FROM until - now())::float8,
    endpoint, p256dh, auth, language
"""


@dataclass(frozen=True, slots=True)
class _Due:
    """One push that is sent now; a newer one of its *tag* has another *until*."""

    subscription: str
    tag: str
    told: str
    until: datetime
    left_s: float
    to: PushSubscription
    language: str


@dataclass(frozen=True, slots=True)
class PushAnswer:
    """What a push service answered; *retry_s* is when it wants to be asked again, if it said so."""

    status: int
    retry_s: float | None = None

    @property
    def is_gone(self) -> bool:
        """Whether that browser takes no messages any more."""
        return self.status in _GONE

    @property
    def may_pass(self) -> bool:
        """Whether the same may be taken later."""
        return self.status >= 500 or self.status in _MAY_PASS


def _due(row: tuple[Any, ...]) -> _Due:
    subscription, tag, told, until, left_s, endpoint, p256dh, auth, language = row
    to = PushSubscription(endpoint, p256dh, auth)
    return _Due(subscription, tag, told, until, left_s, to, language)


class PushKey:
    """The key of the house, which signs what it pushes.

    Args:
        public: As browsers were told it, base64url.
        private: Its other half.
    """

    def __init__(self, public: str, private: str) -> None:
        self.public = public
        number = int.from_bytes(decoded(private), "big")
        self._key = ec.derive_private_key(number, ec.SECP256R1())

    def signed(self, endpoint: str, contact: str, now_s: float) -> str:
        """Return what shows the push service of *endpoint* that we are who subscribed there.

        Args:
            endpoint: Of the subscription; only its origin is signed for.
            contact: The house's own address, for who runs the service; may be empty.
            now_s: Seconds since 1970.
        """
        parts = urlsplit(endpoint)
        claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(now_s) + _SIGNED_S}
        claims |= {"sub": contact} if contact else {}
        told = ".".join(
            encoded(json.dumps(one, separators=(",", ":")).encode())
            for one in ({"typ": "JWT", "alg": "ES256"}, claims)
        )
        r, s = decode_dss_signature(self._key.sign(told.encode(), ec.ECDSA(SHA256())))
        signature = encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
        return f"vapid t={told}.{signature},k={self.public}"


def seal(
    plain: bytes,
    to: PushSubscription,
    key: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes = b"",
) -> bytes:
    """Return *plain* so that only the browser of *to* can read it, one ``aes128gcm`` record.

    Args:
        plain: At most some 3,900 bytes.
        to: Whose.
        key: Of this message alone; None makes one.
        salt: 16 bytes, of this message alone; empty makes some.
    """
    key, salt = key or ec.generate_private_key(ec.SECP256R1()), salt or os.urandom(16)
    mine = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    theirs = decoded(to.p256dh)
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs)
    shared = key.exchange(ec.ECDH(), point)
    ikm = _derived(shared, decoded(to.auth), b"WebPush: info\0" + theirs + mine, 32)
    secret = _derived(ikm, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(ikm, salt, b"Content-Encoding: nonce\0", 12)
    record = AESGCM(secret).encrypt(nonce, plain + b"\x02", None)
    return salt + _RECORD.to_bytes(4, "big") + bytes([len(mine)]) + mine + record


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


class PushSender:
    """Posts to push services, signed with *key*.

    Args:
        key: The house's.
        contact: As `PushKey.signed` has it.
        anywhere: Also where no push service is; for tests.
    """

    def __init__(self, key: PushKey, contact: str = "", *, anywhere: bool = False) -> None:
        self.key = key
        self._contact, self._anywhere = contact, anywhere
        # To read the authorities of a machine takes tens of milliseconds.
        self._trust = ssl.create_default_context()

    def send(self, to: PushSubscription, plain: bytes, left_s: float, topic: str) -> PushAnswer:
        """Post *plain* to the browser of *to*, who gets it within *left_s* or not at all.

        *topic* is what a newer message of the same takes the place of, while the phone is away.

        Raises:
            PushRefused: It does not lead to the internet.
            OSError: Nobody answers, or not in time.
            http.client.HTTPException: What answers speaks no HTTP.
        """
        parts = urlsplit(to.endpoint)
        headers = {
            "Authorization": self.key.signed(to.endpoint, self._contact, time.time()),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(max(0, int(left_s))),
            "Urgency": "high",
            "Topic": topic,
        }
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        ends_s = time.monotonic() + PATIENCE_S
        asked = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
        asked.sock = self._reached(host, port, ends_s)
        if parts.scheme == "https":
            asked.sock = self._trust.wrap_socket(
                asked.sock, server_hostname=host, do_handshake_on_connect=False
            )
        # Whoever sends a byte now and then would never be too late for the socket's own patience.
        too_late = threading.Timer(max(ends_s - time.monotonic(), 0), _cut, (asked.sock,))
        too_late.daemon = True
        too_late.start()
        try:
            if isinstance(asked.sock, ssl.SSLSocket):
                asked.sock.do_handshake()
            path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
            asked.request("POST", path, seal(plain, to), headers)
            answer = asked.getresponse()
            return PushAnswer(answer.status, _seconds(answer.getheader("Retry-After", "")))
        finally:
            too_late.cancel()
            asked.close()

    def _reached(self, host: str, port: int, ends_s: float) -> socket.socket:
        """Return a socket to the very address that was looked at: a name may change its mind.

        It may have a hundred of them that are silent: all together have until *ends_s*.
        """
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        if not self._anywhere and not all(is_public(ip_address(one[4][0])) for one in found):
            raise PushRefused(f"{host} is not on the internet")
        trouble: OSError = ConnectionError(f"{host} has no address")
        for family, kind, proto, _, where in found:
            left_s = ends_s - time.monotonic()
            if left_s <= 0:
                break
            reached = socket.socket(family, kind, proto)
            reached.settimeout(left_s)
            try:
                reached.connect(where)
            except OSError as error:
                reached.close()
                trouble = error
            else:
                return reached
        raise trouble


def _cut(line: socket.socket) -> None:
    try:
        line.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it has ended by itself


def _seconds(written: str) -> float | None:
    return float(written) if written.isdecimal() and len(written) < 6 else None


class PushWorker(ListeningWorker):
    """Sends what waits from a thread of its own, as it comes; a context.

    Several may run at once: each takes what no other has taken.

    Args:
        dsn: How it reaches the database, as the folding program's own user.
        contact: The house's address, for who runs a push service; may be empty.
        anywhere: As `PushSender` has it.
        first_pause_s: Until what was not taken is sent again; twice as long each time.
    """

    def __init__(
        self,
        dsn: str,
        contact: str = "",
        *,
        anywhere: bool = False,
        first_pause_s: float = FIRST_PAUSE_S,
    ) -> None:
        super().__init__(dsn, "pushes", "Nothing is pushed")
        self._contact = contact if contact.startswith("https://") else ""
        self._anywhere = anywhere
        self._first_pause_s = first_pause_s
        self._sender: PushSender | None = None

    def keep_up(self, connection: Connection, listening: Connection) -> None:
        """Send what is due, and look every second."""
        with ThreadPoolExecutor(_AT_ONCE, "push") as pool:
            while not self.is_closing():
                if not self._send_some(connection, pool):
                    is_news(listening, _WAKES_S)

    def _send_some(self, connection: Connection, pool: ThreadPoolExecutor) -> bool:
        """Send some of what is due; return whether there was any."""
        connection.execute("DELETE FROM pushes WHERE until <= now()")
        pause_s = self._first_pause_s * (1 + random.random())  # noqa: S311 - of no secret
        rows = connection.execute(_CLAIM, {"pause": pause_s, "most": _A_HANDFUL}).fetchall()
        key = connection.execute("SELECT public, private FROM push_keys").fetchone()
        if not rows or key is None:
            return False
        sender = self._sender_with(*key)
        people = house_people(connection)
        some = [_due(row) for row in rows]
        sent = pool.map(lambda one: self._send(sender, one, people), some)
        self._note(connection, zip(some, sent, strict=True))
        return True

    def _sender_with(self, public: str, private: str) -> PushSender:
        """Return who signs with that key of the house: the same one, as long as it is the key."""
        if self._sender is None or self._sender.key.public != public:
            key = PushKey(public, private)
            self._sender = PushSender(key, self._contact, anywhere=self._anywhere)
        return self._sender

    def _send(self, sender: PushSender, one: _Due, people: HousePeople) -> PushAnswer | None:
        """Send *one*; return what came of it, None where nobody answered."""
        # No log tells an endpoint: who knows it may push there.
        service = urlsplit(one.to.endpoint).hostname
        news = load(PushNews, json.loads(one.told))
        plain = json.dumps(news.worded(one.language, people), ensure_ascii=False).encode()
        try:
            taken = sender.send(one.to, plain, one.left_s, one.tag)
        except PushRefused as error:
            logger.warning("Nothing is pushed: %s", error)
            return PushAnswer(_GONE[0])
        except (OSError, http.client.HTTPException, ValueError) as error:
            logger.info("The push service %s does not answer: %s", service, error)
            return None
        if taken.status >= 300 and not taken.is_gone:
            logger.warning("The push service %s answers %s", service, taken.status)
        return taken

    def _note(self, connection: Connection, sent: Iterable[tuple[_Due, PushAnswer | None]]) -> None:
        """Let go of what is done, and of who takes nothing any more; all else stays due."""
        for one, taken in sent:
            facts: tuple[Any, ...] = (one.subscription, one.tag, one.until)
            if taken is not None and taken.is_gone:
                drop = "DELETE FROM push_subscriptions WHERE subscription = %s"
                connection.execute(drop, facts[:1])
            elif taken is not None and not taken.may_pass:
                # Unless a newer call has taken its place meanwhile.
                drop = "DELETE FROM pushes WHERE (subscription, tag, until) = (%s, %s, %s)"
                connection.execute(drop, facts)
            elif taken is not None and taken.retry_s is not None:
                wait = (
                    "UPDATE pushes SET due = greatest(due, now() + make_interval(secs => %s)) "
                    "WHERE (subscription, tag, until) = (%s, %s, %s)"
                )
                connection.execute(wait, (taken.retry_s, *facts))
