"""What boxes ask by https: to be paired, and to have steps kept where no broker can be reached.

Steps go into the same inflow as those from the broker, and their answer is the same, after the
commit. A proxy in front of it (docs/hub.md) has the certificate; who asks through it is told apart
by what it says (``[ingest] proxy``), and nobody else is believed.
"""

import hashlib
import hmac
import logging
import queue
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from ipaddress import ip_address
from typing import Final

from flask import Flask, Response, request
from psycopg import OperationalError

from kloplei.uplink.wire import (
    BOARD,
    BOX_PATH,
    CALL,
    MOST_BYTES,
    ONLINE,
    PAIR_PATH,
    PEOPLE,
    STEPS,
    BadMessage,
    Have,
    Paired,
    PairingRequest,
    decode,
    encode,
)
from kloplei_hub._keeping import Mail
from kloplei_hub.boxes import (
    BoxKnown,
    BrokerUntold,
    CodeRefused,
    is_box,
    is_password,
    pair,
    tell_broker,
)
from kloplei_hub.database import HouseUnavailable, connect
from kloplei_hub.metrics import CONTENT_TYPE, Metrics
from kloplei_hub.settings import HubConfig, ListenConfig, MetricsConfig
from kloplei_hub.web_server import WebServer
from kloplei_panel.pairing import RateLimiter

logger = logging.getLogger(__name__)
METRICS_PATH: Final = "/metrics"
PATIENCE_S: Final = 15.0
"""So long a post waits for its commit."""
_KNOWN_S = 30.0  # a password that held is not looked up again
_TRIES = 10  # codes an address may try at once; one more every two seconds
_THREADS = 16
_CONNECTIONS, _SILENT_S = 500, 20  # who says nothing takes nobody's place for long
_JSON = "application/json"
_BEHIND = (
    *("Forwarded", "Via", "X-Real-IP"),
    *(f"X-Forwarded-{one}" for one in ("For", "Host", "Proto", "Port", "By")),
)
"""What a proxy says of who asks, or of itself."""


class _Refused(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        self.status, self.code = status, code
        super().__init__(message)


def create_app(
    config: HubConfig, put: Callable[[Mail], bool], metrics: Metrics | None = None
) -> Flask:
    """Return what answers boxes; steps go to *put*, which says whether there was room.

    *metrics* are shown to whoever measures the house.
    """
    app = Flask("kloplei_hub.box_api", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    api = _BoxApi(config, put)
    app.post(PAIR_PATH)(api.pair)
    if metrics is not None:
        app.get(METRICS_PATH)(lambda: _measures(config.metrics, metrics))
    app.post(_of_box(STEPS))(api.steps)
    for leaf in (BOARD, PEOPLE, ONLINE):
        app.post(_of_box(leaf), endpoint=leaf)(partial(api.take, leaf=leaf))
    app.get(_of_box(CALL))(api.call)
    app.register_error_handler(_Refused, _tell)
    app.register_error_handler(OperationalError, _tell_unavailable)
    app.register_error_handler(HouseUnavailable, _tell_unavailable)
    app.register_error_handler(413, _tell_too_large)
    return app


def _measures(config: MetricsConfig, metrics: Metrics) -> Response:
    """Show what was counted to who has the token; without one, to this machine alone.

    A proxy on this machine asks for anybody: what came through one is nobody's who is here.
    """
    if config.token is not None:
        told = request.headers.get("Authorization", "")
        if not hmac.compare_digest(told.encode(), f"Bearer {config.token}".encode()):
            raise _Refused(403, "no-token", "Who measures sends the token of [metrics], as Bearer.")
    elif not _is_here(request.remote_addr or "") or any(one in request.headers for one in _BEHIND):
        raise _Refused(403, "elsewhere", "Others measure by a token: set one, [metrics] token.")
    return Response(metrics.text(), content_type=CONTENT_TYPE)


def _is_here(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def _of_box(leaf: str) -> str:
    return BOX_PATH.format(box="<box>", leaf=leaf)


def _tell(error: Exception) -> Response:
    status, code = (error.status, error.code) if isinstance(error, _Refused) else (500, "internal")
    answer = Response(status=status, mimetype=_JSON)
    answer.data = encode({"error": code, "message": str(error)})
    if status == 401:
        answer.headers["WWW-Authenticate"] = 'Basic realm="kloplei"'
    return answer


def _tell_unavailable(error: Exception) -> Response:
    logger.warning("A box waits: %s", error)
    return _tell(_Refused(503, "unavailable", "The house's database does not answer; try later."))


def _tell_too_large(_: Exception) -> Response:
    return _tell(_Refused(413, "too-large", f"At most {MOST_BYTES} bytes are taken at once."))


class _BoxApi:
    def __init__(self, config: HubConfig, put: Callable[[Mail], bool]) -> None:
        self._config = config
        self._put = put
        self._tries = RateLimiter(_TRIES)
        self._known: dict[tuple[str, bytes], float] = {}

    def pair(self) -> Response:
        """Let a box go with the house that knows a code."""
        wait_s = self._tries.wait_s(request.remote_addr or "")
        if wait_s:
            raise _Refused(429, "too-many-tries", f"Too many tries; wait {wait_s} seconds.")
        try:
            asked = decode(PairingRequest, request.get_data())
        except BadMessage as error:
            raise _Refused(400, "malformed", str(error)) from error
        with closing(connect(self._config.database.ingest, autocommit=True)) as connection:
            try:
                broker = self._config.broker
                password = pair(connection, asked, broker.user, broker.home_user)
            except CodeRefused as error:
                raise _Refused(403, "bad-code", str(error)) from error
            except BoxKnown as error:
                logger.warning("Nobody was paired: %s", error)
                raise _Refused(409, "known-box", str(error)) from error
            try:
                tell_broker(connection, self._config.broker)
            except BrokerUntold as error:
                logger.exception("A box was paired, and the broker does not know it.")
                raise _Refused(500, "broker-untold", str(error)) from error
        self._known = {}
        return Response(encode(self._paired(asked.box, password)), mimetype=_JSON)

    def steps(self, box: str) -> Response:
        """Keep steps of *box*, and answer what the house has once they are on the disk."""
        self._let_in(box)
        answers: queue.SimpleQueue[Have] = queue.SimpleQueue()
        if not self._put(Mail(box, STEPS, request.get_data(), answers.put)):
            raise _Refused(503, "busy", "The house has too much to do; try later.")
        try:
            return Response(encode(answers.get(timeout=PATIENCE_S)), mimetype=_JSON)
        except queue.Empty:
            raise _Refused(503, "unavailable", "Nothing could be kept; try later.") from None

    def take(self, box: str, leaf: str) -> Response:
        """Take what a box says beside its steps; it says so again, and no receipt is needed."""
        self._let_in(box)
        if not self._put(Mail(box, leaf, request.get_data())):
            raise _Refused(503, "busy", "The house has too much to do; try later.")
        return Response(status=204)

    def call(self, box: str) -> Response:
        """Answer who is called to the table of *box* now; nothing where nobody is."""
        self._let_in(box)
        with closing(connect(self._config.database.ingest, autocommit=True)) as connection:
            ask = "SELECT told FROM calls WHERE box = %s AND until > now()"
            (told,) = connection.execute(ask, (box,)).fetchone() or (None,)
        return Response(status=204) if told is None else Response(told, mimetype=_JSON)

    def _let_in(self, box: str) -> None:
        told = request.authorization
        password = told.password if told is not None and told.type == "basic" else None
        if told is None or password is None or told.username != box or not is_box(box):
            raise _Refused(401, "no-password", "A box posts by its own name and password.")
        key, now_s = (box, hashlib.sha256(password.encode()).digest()), time.monotonic()
        if self._known.get(key, 0.0) > now_s:
            return
        with closing(connect(self._config.database.ingest, autocommit=True)) as connection:
            ask = "SELECT password FROM boxes WHERE box = %s AND NOT retired"
            (kept,) = connection.execute(ask, (box,)).fetchone() or (None,)
        if not is_password(password, kept):
            raise _Refused(401, "no-password", "A box posts by its own name and password.")
        self._known[key] = now_s + _KNOWN_S

    def _paired(self, box: str, password: str) -> Paired:
        broker, house = self._config.broker, self._config.house
        authority = "" if broker.authority is None else broker.authority.read_text()
        return Paired(
            *(box, password, house.name, broker.boxes_host),
            broker.boxes_port,
            broker.boxes_tls,
            authority,
        )


class BoxServer(WebServer):
    """Serves *app* from a thread of its own; a context.

    Args:
        app: That answers.
        listen: Where, and which proxy is believed who asks.

    Raises:
        CannotListen: The port is taken, or there is no such address.
    """

    def __init__(self, app: Flask, listen: ListenConfig) -> None:
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        super().__init__(
            "box-server",
            app,
            listen,
            "ingest",
            threads=_THREADS,
            max_request_body_size=MOST_BYTES * 2,
            connection_limit=_CONNECTIONS,
            channel_timeout=_SILENT_S,
            cleanup_interval=_SILENT_S // 2,
            # Headers of whom we do not believe stay: /metrics sees by them that one came through a
            # proxy, and nothing else reads them.
            clear_untrusted_proxy_headers=False,
            log_socket_errors=False,
        )
