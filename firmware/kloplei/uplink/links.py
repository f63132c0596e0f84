"""The line between one box and its house: by MQTT (`MqttLink`), or by https (`HttpsLink`).

Neither has a thread. Whoever has one opens it, watches its `socket`, lets it `read`, `write` and
`tick`, sends, and takes out what came; `trouble` says why it is down. A line is used once: what
was on its way when it broke is read from the journal again, so nothing is kept over.
"""

import base64
import hashlib
import http.client
import logging
import secrets
import socket
import ssl
import urllib.error
import urllib.request
from collections import deque
from functools import partial
from http import HTTPStatus
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from kloplei import __version__
from kloplei.frozen import dataclass
from kloplei.uplink.wire import (
    BOARD,
    BOARD_EXPIRES_S,
    BOX_PATH,
    CALL,
    HAVE,
    MOST_BYTES,
    ONLINE,
    STEPS,
    Online,
    Paired,
    encode,
    split_topic,
    topic,
)
from kloplei.words import Sentence, SentenceError

KEEPALIVE_S: Final = 30
PATIENCE_S: Final = 10.0
"""So long a house may take to open a line, or to answer a post."""
TICK_S: Final = 5.0
_MOST_HEARD = 20  # answers that nobody has taken out; the older are of no use any more
_TOO_LARGE = "Packet too large"
NOT_LET_IN = frozenset({"Not authorized", "Bad user name or password", "Banned"})
logger = logging.getLogger(__name__)


class HouseUnreached(SentenceError, ConnectionError):
    """The house cannot be reached now, or does not let us in."""


class HouseForbids(HouseUnreached):
    """It answers, and says no: another password or code would help."""


@dataclass(frozen=True, slots=True)
class KnownHouse:
    """The house that a box goes with: the *address* of its hub, and what pairing answered.

    *pin* is how the fingerprint of its certificate begins, where the address said so.
    """

    address: str
    paired: Paired
    pin: str = ""

    @property
    def broker(self) -> str:
        """Where the broker is: at the hub, unless pairing said otherwise."""
        return self.paired.host or urlsplit(self.address).hostname or ""


class Link(Protocol):
    """A line to a house."""

    trouble: Sentence | None
    """Why it is down; None while it is on its way up, or is up."""
    is_open: bool
    is_closed: bool
    certificate_ends: float | None

    @property
    def socket(self) -> Any:
        """What to watch; None where there is nothing."""
        ...

    @property
    def wants_to_write(self) -> bool:
        """Whether more can be written as soon as there is room."""
        ...

    def open(self, now_s: float) -> None:
        """Begin; that may take `PATIENCE_S`, and what comes of it is told by the rest."""
        ...

    def read(self) -> None:
        """Take in what came."""
        ...

    def write(self) -> None:
        """Send what waited for room."""
        ...

    def tick(self, now_s: float) -> None:
        """Look whether the other end lives; at least every `TICK_S`."""
        ...

    def send(self, leaf: str, body: bytes) -> None:
        """Send it; nothing happens where the line is down."""
        ...

    def waiting(self, leaf: str) -> int:
        """Return how many messages of that *leaf* nobody has taken yet."""
        ...

    def ask(self) -> None:
        """Ask what the house cannot say by itself on such a line."""
        ...

    def take(self) -> list[tuple[str, bytes]]:
        """Return what came, by leaf, in order; it is not told again."""
        ...

    def close(self) -> None:
        """End it in good order."""
        ...


class MqttLink:
    """One connection of *box* to its house's broker; see `Link`.

    Args:
        box: Its name, which it signs on by.
        house: Where, and by what password.
        trust: Who signed the certificate; made out of what pairing said where it is None.
    """

    def __init__(self, box: str, house: KnownHouse, trust: ssl.SSLContext | None = None) -> None:
        self._box, self._house = box, house
        self.trouble: Sentence | None = None
        self.is_open = self.is_closed = False
        self.certificate_ends: float | None = None
        self._heard: deque[tuple[str, bytes]] = deque(maxlen=_MOST_HEARD)
        self._untaken: dict[int, str] = {}
        self._until_s = float("inf")
        # Unique, for two boxes from one card would keep throwing each other out, and nobody knew.
        name = f"{box[:24]}-{secrets.token_hex(4)}"
        self._client = Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTv5)
        self._client.username_pw_set(box, house.paired.password)
        self._trust = trust
        self._client.will_set(topic(box, ONLINE), encode(Online(online=False)), 1, retain=True)
        self._client.on_connect = self._connected
        self._client.on_subscribe = self._subscribed
        self._client.on_disconnect = self._disconnected
        self._client.on_message = self._came
        self._client.on_publish = self._taken

    @property
    def socket(self) -> Any:
        """What to watch; None where there is nothing."""
        return None if self.is_closed else self._client.socket()

    @property
    def wants_to_write(self) -> bool:
        """Whether more can be written as soon as there is room."""
        return not self.is_closed and self._client.want_write()

    def open(self, now_s: float) -> None:
        """Begin; that may take `PATIENCE_S`."""
        self._until_s = now_s + PATIENCE_S
        paired = self._house.paired
        try:
            if paired.tls:
                self._client.tls_set_context(self._trust or trust_in(paired.authority))
            self._client.connect(
                self._house.broker,
                paired.port,
                keepalive=KEEPALIVE_S,
                clean_start=True,
                properties=_properties(PacketTypes.CONNECT, MaximumPacketSize=MOST_BYTES),
            )
            self.certificate_ends = _ready(self._client.socket())
        except HouseUnreached as error:
            self._end(error.sentence)
        except (OSError, ValueError) as error:
            self._end(why_unreached(self._house.broker, error))

    def read(self) -> None:
        """Take in what came."""
        self._mind(self._client.loop_read())
        # What TLS has unpacked already, no selector tells of.
        while isinstance(wire := self.socket, ssl.SSLSocket) and wire.pending():
            self._mind(self._client.loop_read())

    def write(self) -> None:
        """Send what waited for room."""
        self._mind(self._client.loop_write())

    def tick(self, now_s: float) -> None:
        """Look whether the other end lives."""
        self._mind(self._client.loop_misc())
        if not self.is_open and now_s >= self._until_s:
            self._end(_silent(self._house.broker))

    def send(self, leaf: str, body: bytes) -> None:
        """Send it; nothing happens where the line is down."""
        expires = {"MessageExpiryInterval": BOARD_EXPIRES_S} if leaf == BOARD else {}
        told = self._client.publish(
            topic(self._box, leaf),
            body,
            qos=1,
            retain=leaf != STEPS,
            properties=_properties(PacketTypes.PUBLISH, **expires),
        )
        if told.rc == MQTTErrorCode.MQTT_ERR_SUCCESS:
            self._untaken[told.mid] = leaf
        self._mind(told.rc)

    def waiting(self, leaf: str) -> int:
        """Return how many messages of that *leaf* the broker has not taken yet."""
        return sum(one == leaf for one in self._untaken.values())

    def ask(self) -> None:
        """Ask nothing: the broker brings all of it."""

    def take(self) -> list[tuple[str, bytes]]:
        """Return what came, by leaf, in order."""
        heard = list(self._heard)
        self._heard.clear()
        return heard

    def close(self) -> None:
        """End it in good order: the box is offline, and no will has to say so."""
        if self.is_open:
            self.send(ONLINE, encode(Online(online=False)))
            self._client.on_disconnect = None
            self._client.disconnect()
        self._end(None)

    def _connected(self, _c: Client, _u: Any, _f: Any, reason: ReasonCode, _p: Any) -> None:
        if reason.is_failure:
            self._end(_refused(self._house.broker, reason))
            return
        wanted = [(topic(self._box, leaf), 1) for leaf in (HAVE, CALL)]
        self._client.subscribe(wanted)

    def _subscribed(self, _c: Client, _u: Any, _m: int, reasons: Any, _p: Any) -> None:
        if bad := next((one for one in reasons if one.is_failure), None):
            self._end(_refused(self._house.broker, bad))
            return
        self.is_open = True
        self.send(ONLINE, encode(Online(online=True, version=__version__)))

    def _disconnected(self, _c: Client, _u: Any, _f: Any, reason: ReasonCode, _p: Any) -> None:
        self._end(_refused(self._house.broker, reason))

    def _came(self, _client: Client, _userdata: Any, message: MQTTMessage) -> None:
        found = split_topic(message.topic)
        if found is not None and 0 < len(message.payload) <= MOST_BYTES:
            self._heard.append((found[1], bytes(message.payload)))

    def _taken(self, _c: Client, _u: Any, number: int, reason: ReasonCode, _p: Any) -> None:
        leaf = self._untaken.pop(number, "")
        if reason.is_failure:
            logger.warning("The broker does not take %s of this box: %s", leaf, reason)
            self._end(_refused(self._house.broker, reason))

    def _mind(self, code: MQTTErrorCode) -> None:
        if code not in (MQTTErrorCode.MQTT_ERR_SUCCESS, MQTTErrorCode.MQTT_ERR_AGAIN):
            self._end(_silent(self._house.broker))

    def _end(self, why: Sentence | None) -> None:
        if self.is_closed:
            return
        self.is_open, self.is_closed, self.trouble = False, True, why
        self._untaken.clear()
        if (wire := self._client.socket()) is not None:
            wire.close()  # paho does so when it finds that nothing comes any more; perhaps never


class HttpsLink:
    """Posts to a *house* in place of a broker's line, where only https passes; see `Link`."""

    socket: Any = None
    wants_to_write = False

    def __init__(
        self, box: str, house: KnownHouse, opener: urllib.request.OpenerDirector | None = None
    ) -> None:
        self._box, self._house = box, house
        self._opener = opener
        self.trouble: Sentence | None = None
        self.is_open = self.is_closed = False
        self.certificate_ends: float | None = None
        self._heard: deque[tuple[str, bytes]] = deque(maxlen=_MOST_HEARD)

    def open(self, now_s: float) -> None:
        """Begin: there is nothing to wait for."""
        try:
            authority = self._house.paired.authority
            pin = "" if authority else self._house.pin  # which ends with the certificate
            self._opener = self._opener or opener_for(authority, pin)
        except HouseUnreached as error:
            self._end(error.sentence)
        else:
            self.is_open = True
            self.send(ONLINE, encode(Online(online=True, version=__version__)))

    def read(self) -> None:
        """Take in nothing."""

    def write(self) -> None:
        """Send nothing."""

    def tick(self, now_s: float) -> None:
        """Look at nothing: every post tells whether the other end lives."""

    def send(self, leaf: str, body: bytes) -> None:
        """Post it and take in the answer; that may take `PATIENCE_S`."""
        answer = self._answered(leaf, body)
        if answer and leaf == STEPS:
            self._heard.append((HAVE, answer))

    def ask(self) -> None:
        """Ask who is called to the table."""
        if answer := self._answered(CALL, None):
            self._heard.append((CALL, answer))

    def _answered(self, leaf: str, body: bytes | None) -> bytes:
        """Return what the house answers; nothing where the line is down, or goes down by that."""
        if not self.is_open or self._opener is None:
            return b""
        known = f"{self._box}:{self._house.paired.password}".encode()
        try:
            return fetch(
                self._house.address,
                BOX_PATH.format(box=self._box, leaf=leaf),
                body,
                self._opener,
                authorization=f"Basic {base64.b64encode(known).decode()}",
            )
        except HouseUnreached as error:
            self._end(error.sentence)
            return b""

    def waiting(self, leaf: str) -> int:
        """Return that none waits: each was answered when it was sent."""
        return 0

    def take(self) -> list[tuple[str, bytes]]:
        """Return what came, by leaf, in order."""
        heard = list(self._heard)
        self._heard.clear()
        return heard

    def close(self) -> None:
        """End it in good order."""
        self.send(ONLINE, encode(Online(online=False)))
        self._end(None)

    def _end(self, why: Sentence | None) -> None:
        if not self.is_closed:
            self.is_open, self.is_closed, self.trouble = False, True, why


def trust_in(authority: str) -> ssl.SSLContext:
    """Return whom to trust: who signs by that PEM, or all whom the system trusts.

    Raises:
        HouseUnreached: It is no PEM.
    """
    try:
        return ssl.create_default_context(cadata=authority or None)
    except (ssl.SSLError, ValueError) as error:
        raise HouseUnreached(Sentence("uplink-authority", error=str(error))) from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: a password is for the house alone."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _PinnedConnection(http.client.HTTPSConnection):
    """Says nothing to anybody but who has the certificate with that fingerprint."""

    def __init__(self, host: str, *, pin: str, **more: Any) -> None:
        self._pin = pin
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE  # the pin says more
        super().__init__(host, context=trust, **more)

    def connect(self) -> None:
        """Connect, and look who it is before anything is said."""
        super().connect()
        shown = hashlib.sha256(self.sock.getpeercert(binary_form=True) or b"").hexdigest()
        if not shown.startswith(self._pin):
            self.close()
            raise ssl.SSLError("the certificate has another fingerprint than the address says")


class _PinnedHandler(urllib.request.HTTPSHandler):
    def __init__(self, pin: str) -> None:
        super().__init__()
        self._pin = pin

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_PinnedConnection, pin=self._pin), req)


def opener_for(authority: str, pin: str = "") -> urllib.request.OpenerDirector:
    """Return what posts to a house whose certificate was signed by that PEM.

    With a *pin* it is the certificate whose SHA-256 begins so, whoever signed it.
    """
    if pin:
        return urllib.request.build_opener(_PinnedHandler(pin), _NoRedirect())
    https = urllib.request.HTTPSHandler(context=trust_in(authority))
    return urllib.request.build_opener(https, _NoRedirect())


def fetch(
    address: str,
    path: str,
    body: bytes | None,
    opener: urllib.request.OpenerDirector,
    *,
    authorization: str | None = None,
) -> bytes:
    """Return what *path* of the house at *address* answers; *body* is posted, None asks only.

    Raises:
        HouseUnreached: No answer, or none that says yes.
    """
    asked = _request(address + path, body, authorization)
    try:
        with opener.open(asked, timeout=PATIENCE_S) as answer:
            found: bytes = answer.read(MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        with error:
            raise _why_not(address, error) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise HouseUnreached(why_unreached(address, error)) from error
    if len(found) > MOST_BYTES:
        raise HouseUnreached(Sentence("uplink-no-house", address=address))
    return found


def _request(where: str, body: bytes | None, authorization: str | None) -> urllib.request.Request:
    headers = {"Content-Type": "application/json", "User-Agent": f"kloplei/{__version__}"}
    if authorization is not None:
        headers["Authorization"] = authorization
    # `address_of` lets http and https pass, and nothing else.
    return urllib.request.Request(where, body, headers)  # noqa: S310


def why_unreached(address: str, error: Exception) -> Sentence:
    """Return what is to be said of a house at *address* that *error* keeps us from."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, ssl.SSLError):
        return Sentence("uplink-certificate", address=address, error=cause_of(error))
    if isinstance(cause, TimeoutError):
        return _silent(address)
    return Sentence("uplink-unreached", address=address, error=cause_of(error))


def cause_of(error: BaseException) -> str:
    """Return in a few words what kept us from the other end."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    words = ("verify_message", "reason", "strerror")
    return next((told for word in words if (told := getattr(cause, word, None))), str(cause))


def _why_not(address: str, error: urllib.error.HTTPError) -> HouseUnreached:
    if error.code in (401, 403):
        return HouseForbids(Sentence("uplink-login", address=address))
    if error.code == HTTPStatus.CONFLICT:
        return HouseUnreached(Sentence("uplink-known-box", address=address))
    if error.code in (404, 405):
        return HouseUnreached(Sentence("uplink-no-house", address=address))
    told = f"{error.code} {error.reason}"
    return HouseUnreached(Sentence("uplink-unreached", address=address, error=told))


def _refused(address: str, reason: ReasonCode) -> Sentence:
    if reason.getName() == _TOO_LARGE:
        return Sentence("uplink-too-large", address=address)
    if reason.getName() in NOT_LET_IN:
        return Sentence("uplink-login", address=address)
    return Sentence("uplink-unreached", address=address, error=reason.getName())


def _silent(address: str) -> Sentence:
    return Sentence("uplink-silent", address=address)


def _properties(kind: int, **told: int) -> Properties:
    found = Properties(kind)  # type: ignore[no-untyped-call]
    for name, value in told.items():
        setattr(found, name, value)
    return found


def _ready(wire: object) -> float | None:
    """Let *wire* send small messages at once; return when the other end's certificate ends."""
    if isinstance(wire, socket.socket):
        # Else what is sent behind another message waits 40 ms for that one's receipt.
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not isinstance(wire, ssl.SSLSocket):
        return None
    told = (wire.getpeercert() or {}).get("notAfter")
    return ssl.cert_time_to_seconds(told) if isinstance(told, str) else None
