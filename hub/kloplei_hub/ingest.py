"""From the wire onto the disk: `Ingest` takes what boxes send, keeps it, and says what is kept.

The network's thread puts messages into an inflow and does nothing else. One thread gathers them,
stores them in one transaction (`_keeping`), and only then tells each box what the hub *has*: that
is the receipt, and it comes after the commit. Where the database is away nothing is kept, and
nothing told; boxes send again. At each beginning all boxes are told what is here, so that a hub
that was put back from an old backup winds them back.
"""

import argparse
import logging
import os
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, Self
from uuid import uuid4

import paho.mqtt.client as mqtt
import psycopg
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from kloplei.uplink.wire import (
    BOARD,
    CALL,
    HAVE,
    ONLINE,
    PEOPLE,
    STEPS,
    Have,
    encode,
    split_topic,
    topic,
)
from kloplei_hub._keeping import Keeper, Mail, Receipt
from kloplei_hub.boxes import BrokerUntold, is_broker_told, tell_broker
from kloplei_hub.cli import add_config, config_of
from kloplei_hub.database import Connection, HouseUnavailable, connect
from kloplei_hub.metrics import Counters, Metrics
from kloplei_hub.settings import BrokerConfig, HubConfig

if TYPE_CHECKING:
    from kloplei.replay.commands import Subparsers

logger = logging.getLogger(__name__)
BATCH_S: Final = 0.02
MOST_AT_ONCE: Final = 500
"""Messages in one transaction, that came within `BATCH_S`; and `_MOST_BYTES` of them."""
_MOST_BYTES = 2_000_000
_MOST_WAITING = 20_000  # messages; a box keeps what is dropped, and sends it again
_MOST_WAITING_BYTES = 64_000_000
_PAUSES_S = (0.2, 0.5, 1.0, 2.0, 5.0)
_LOOK_S = 0.25
_END_S = 10.0
_REPEAT_S = 1.0  # a box that sends what does not follow on is answered no more often
_KEEPALIVE_S = 20
_CALLS_S = 1.0  # nobody walks to a table sooner
_BROKER_S, _BROKER_AGAIN_S = 1.0, 30.0
_CALLS = "SELECT box, told, extract(epoch FROM until - now())::int FROM calls WHERE until > now()"
_QOS = {STEPS: 1, ONLINE: 1, PEOPLE: 1, BOARD: 0}


class Inflow:
    """Messages on their way from the network's thread to that of the database.

    What does not fit is dropped, and counted by *drop*: the boxes still have it.
    """

    def __init__(self, drop: Callable[[int], object]) -> None:
        self._drop = drop
        self._mails: queue.SimpleQueue[Mail] = queue.SimpleQueue()
        self._bytes = 0
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many are on their way."""
        return self._mails.qsize()

    def put(self, mail: Mail) -> bool:
        """Put *mail* behind the others; return whether it was taken."""
        with self._lock:
            is_full = self._bytes + len(mail.body) > _MOST_WAITING_BYTES
            if is_full or self._mails.qsize() >= _MOST_WAITING:
                self._drop(1)
                return False
            self._bytes += len(mail.body)
        self._mails.put(mail)
        return True

    def gather(self, within_s: float = _LOOK_S) -> list[Mail]:
        """Return what comes in a short while; empty where nothing has come within that time."""
        mails: list[Mail] = []
        size, until_s = 0, time.monotonic() + within_s
        while len(mails) < MOST_AT_ONCE and size < _MOST_BYTES:
            try:
                mail = self._mails.get(timeout=max(until_s - time.monotonic(), 0))
            except queue.Empty:
                break
            if not mails:
                until_s = time.monotonic() + BATCH_S
            mails.append(mail)
            size += len(mail.body)
        with self._lock:
            self._bytes -= size
        return mails

    def empty(self) -> None:
        """Drop all of it."""
        while mails := self.gather(0):
            self._drop(len(mails))


class Ingest:
    """Takes what boxes send to the broker, and whatever is put into its *inflow*; a context.

    Args:
        config: Where broker and database are.
        counters: Told what goes through.
    """

    def __init__(self, config: HubConfig, counters: Counters | None = None) -> None:
        self._dsn = config.database.ingest
        self._counters = counters or Counters()
        self.inflow = Inflow(self._counters.dropped)
        self._closing = threading.Event()
        self._greet = threading.Event()
        self._repeated: dict[tuple[str, str], float] = {}
        self._called: dict[str, str] = {}
        self._calls_s = 0.0
        self._is_broker_due = False
        self._broker_s = 0.0
        self._client = _client(config.broker)
        self._client.on_connect = self._connected
        self._client.on_message = self._came
        self._broker = config.broker
        self._thread = threading.Thread(target=self._work, name="ingest", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._client.connect_async(self._broker.host, self._broker.port, _KEEPALIVE_S)
        self._client.loop_start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._client.disconnect()
        self._client.loop_stop()
        self._thread.join(_END_S)  # a database that stands still is not waited for

    @property
    def is_connected(self) -> bool:
        """Whether the broker takes and brings messages."""
        return bool(self._client.is_connected())

    def _connected(
        self, client: mqtt.Client, _: object, __: object, code: Any, ___: object
    ) -> None:
        if code.is_failure:
            logger.warning("The broker does not let the hub in: %s.", code)
            return
        if isinstance(wire := client.socket(), socket.socket):
            # Else an answer behind another one waits 40 ms for that one's receipt.
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.subscribe([(topic("+", leaf), qos) for leaf, qos in _QOS.items()])
        self._greet.set()

    def _came(self, _: mqtt.Client, __: object, message: mqtt.MQTTMessage) -> None:
        where = split_topic(message.topic)
        if where is not None and message.payload:
            self.inflow.put(Mail(*where, bytes(message.payload)))

    def _work(self) -> None:
        failed = 0
        while not self._closing.is_set():
            try:
                with closing(connect(self._dsn, autocommit=True)) as connection:
                    keeper = Keeper(connection)
                    self._listen(connection)
                    self._greet.set()
                    while not self._closing.is_set():
                        self._come_round(keeper)
                        self._call(connection)
                        self._keep_broker_told(connection)
                        self._counters.look(connection)
                        failed = 0
            except (HouseUnavailable, psycopg.OperationalError, psycopg.InterfaceError) as error:
                self._say_unavailable(failed, error)
                self._rest(failed)
                failed += 1
            except Exception:
                # A mistake of ours costs what was on its way, which boxes send again.
                logger.exception("Ingest stumbled, and goes on.")
                self._rest(failed)
                failed += 1

    def _rest(self, failed: int) -> None:
        self._closing.wait(_PAUSES_S[min(failed, len(_PAUSES_S) - 1)])
        self.inflow.empty()

    def _say_unavailable(self, failed: int, error: Exception) -> None:
        self._counters.database(answers=False)
        if not failed:
            logger.warning("Nothing is kept until the database answers; boxes wait: %s", error)

    def _come_round(self, keeper: Keeper) -> None:
        if self._greet.is_set():
            self._greet.clear()
            self._called = {}
            for box, have in keeper.newest():
                self._tell(box, have)
        self._counters.database(answers=True)
        if mails := self.inflow.gather():
            began_s = time.monotonic()
            kept = self._keep(keeper, mails)
            self._counters.kept(kept, time.monotonic() - began_s)
            for one in kept:
                self._answer(one)

    def _keep(self, keeper: Keeper, mails: list[Mail]) -> list[Receipt]:
        try:
            return keeper.keep(mails)
        except (psycopg.OperationalError, psycopg.InterfaceError):
            raise
        except Exception:
            # One of them is odd in a way that nobody has thought of: it costs the others nothing.
            logger.exception("Of %d messages one cannot be kept.", len(mails))
            return [kept for mail in mails for kept in self._keep_alone(keeper, mail)]

    def _keep_alone(self, keeper: Keeper, mail: Mail) -> list[Receipt]:
        try:
            return keeper.keep([mail])
        except (psycopg.OperationalError, psycopg.InterfaceError):
            raise
        except Exception as error:
            logger.exception("A message of %s to %s is left out.", mail.box, mail.leaf)
            return [Receipt(mail, kind="refused", why=type(error).__name__)]

    def _answer(self, kept: Receipt) -> None:
        is_refused = kept.kind == "refused"
        if kept.have is None and not is_refused:
            return
        is_news = kept.kind == "kept" or self._may_repeat(kept.mail.box, kept.mail.leaf)
        if is_refused and is_news:
            logger.warning("A message of box %s is refused: %s", kept.mail.box, kept.why)
        if kept.have is None:
            return
        if kept.mail.answer is not None:
            kept.mail.answer(kept.have)
        if is_news:
            self._tell(kept.mail.box, kept.have)

    def _may_repeat(self, box: str, leaf: str) -> bool:
        now_s, about = time.monotonic(), (box, leaf)
        if now_s - self._repeated.get(about, float("-inf")) < _REPEAT_S:
            return False
        if len(self._repeated) > _MOST_WAITING:
            self._repeated.clear()
        self._repeated[about] = now_s
        return True

    def _call(self, connection: Connection) -> None:
        """Tell boxes who is called to their tables, each call once and after each reconnection."""
        now_s = time.monotonic()
        if now_s - self._calls_s < _CALLS_S or not self._client.is_connected():
            return
        self._calls_s = now_s
        calls = {box: (told, left_s) for box, told, left_s in connection.execute(_CALLS)}
        for box, (told, left_s) in calls.items():
            if self._called.get(box) != told:
                expires = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
                expires.MessageExpiryInterval = max(left_s, 1)
                self._client.publish(topic(box, CALL), told, 1, retain=True, properties=expires)
        self._called = {box: told for box, (told, _) in calls.items()}

    def _listen(self, connection: Connection) -> None:
        """Hear when a box is let go elsewhere, and look whether one was before."""
        connection.execute("LISTEN broker")
        self._is_broker_due |= not is_broker_told(connection, self._broker)

    def _keep_broker_told(self, connection: Connection) -> None:
        """Let the broker let nobody in who was let go on the page, which may not tell it."""
        now_s = time.monotonic()
        if now_s < self._broker_s:
            return
        self._broker_s = now_s + _BROKER_S
        self._is_broker_due |= any(list(connection.notifies(timeout=0)))
        if not self._is_broker_due:
            return
        try:
            tell_broker(connection, self._broker)
            self._is_broker_due = False
        except BrokerUntold as error:
            logger.warning("%s It is tried again.", error)
            self._broker_s = now_s + _BROKER_AGAIN_S

    def _tell(self, box: str, have: Have) -> None:
        if self._client.is_connected():  # else all are told once it is
            self._client.publish(topic(box, HAVE), encode(have), qos=1, retain=True)


def _client(broker: BrokerConfig) -> mqtt.Client:
    """Return a client for *broker* that tries again by itself, and leaves nothing behind."""
    name = f"kloplei-hub-{os.getpid()}-{uuid4().hex[:8]}"
    client = mqtt.Client(CallbackAPIVersion.VERSION2, name, protocol=mqtt.MQTTv5)
    client.reconnect_delay_set(1, 5)
    client.max_inflight_messages_set(1000)
    if broker.password is not None:
        client.username_pw_set(broker.user, broker.password)
    if broker.tls:
        authority = None if broker.authority is None else str(broker.authority)
        client.tls_set_context(ssl.create_default_context(cafile=authority))
    return client


def register(commands: "Subparsers") -> None:
    """Add ``ingest`` to the command line."""
    parser = commands.add_parser(
        "ingest",
        description="Take what boxes send, keep it in the database, and say what is kept, until "
        "it is stopped. Boxes send again what was not kept.",
    )
    add_config(parser)
    parser.set_defaults(run=run_ingest)


def run_ingest(arguments: argparse.Namespace) -> int:
    """Take what boxes send until SIGTERM or Ctrl-C."""
    from kloplei.systemd import Notifier, wait_for_signal
    from kloplei_hub._box_api import BoxServer, create_app

    config = config_of(arguments)
    notifier = Notifier()
    metrics = Metrics()
    ingest = Ingest(config, metrics)
    inflow = ingest.inflow
    metrics.watch(broker=lambda: ingest.is_connected, waiting=lambda: inflow.waiting)
    app = create_app(config, inflow.put, metrics)
    server = BoxServer(app, config.ingest)
    with wait_for_signal() as wait, ingest, server:
        notifier.ready()
        print(
            f"Boxes are heard at {config.broker.host}:{config.broker.port}, and at port "
            f"{server.port}. Stop with Ctrl-C.",
            flush=True,
        )
        wait()
        notifier.stopping()
    return 0
