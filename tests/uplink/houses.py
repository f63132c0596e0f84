"""Houses that take in what boxes send, each as small as may be: by a broker, and by https."""

import base64
import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from paho.mqtt.client import Client, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion

from kloplei.table.client import TableClient
from kloplei.table.journal import Journal
from kloplei.table.outbox import Outbox
from kloplei.table.rpc_client import remote_table
from kloplei.table.rpc_server import RpcServer
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.table.uplink_client import HousePerson, StepsAfter, TableCall
from kloplei.uplink.boxes import Boxes
from kloplei.uplink.links import KnownHouse
from kloplei.uplink.wire import (
    Have,
    Paired,
    Steps,
    decode,
    encode,
    proof_key,
    proof_of,
    split_topic,
    topic,
)
from kloplei_hub.servers import Broker
from tests.until import PATIENCE_S
from tests.uplink.toy import ToyHouse, ToyJournal

PASSWORD = "krijt"  # noqa: S105 - of nobody


class ToyTable:
    """As much of a table as an uplink asks for."""

    def __init__(self, journal: ToyJournal) -> None:
        self.journal = journal
        self.people: tuple[HousePerson, ...] = ()
        self.calls: list[TableCall] = []

    def steps(self, after: int, most: int = 100) -> StepsAfter:
        return self.journal.steps(after, most)

    def agreed(self) -> tuple[HousePerson, ...]:
        return self.people

    def call(self, call: TableCall) -> None:
        self.calls.append(call)


class BrokerHouse:
    """Listens at a broker for all boxes, and answers; a context manager."""

    def __init__(self, port: int, **login: str) -> None:
        self.houses: dict[str, ToyHouse] = {}
        self.told: dict[str, bytes] = {}
        self.client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
        self.client.reconnect_delay_set(1, 1)
        if login:
            self.client.username_pw_set(**login)
        self.client.on_connect = lambda client, *_: client.subscribe("kloplei/v1/#", 1)
        self.client.on_message = self._came
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def of(self, box: str) -> ToyHouse:
        return self.houses.setdefault(box, ToyHouse())

    def say(self, box: str, have: Have | None = None) -> None:
        have = have or self.of(box).have()
        self.client.publish(topic(box, "have"), encode(have), qos=1, retain=True)

    def _came(self, _client: Client, _userdata: Any, message: MQTTMessage) -> None:
        box, leaf = split_topic(message.topic) or ("", "")
        self.told[f"{box}/{leaf}"] = bytes(message.payload)
        if leaf == "steps":
            self.say(box, self.of(box).take(decode(Steps, bytes(message.payload))))


class PostHouse:
    """Takes steps and pairs boxes by http; a context manager."""

    def __init__(
        self,
        code: str = "KRIJT-7",
        paired: Paired | None = None,
        certificate: Path | None = None,
    ) -> None:
        self.house = ToyHouse()
        self.status = 200
        self.told: dict[str, bytes] = {}
        self.knows_box = False
        self.call: TableCall | None = None
        house = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                status, answer = house.answer(self.path, body, self.headers["Authorization"])
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST  # noqa: N815 - http.server's name

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.code, self.paired = code, paired
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._scheme = "https" if certificate else "http"
        self.asked = 0
        if certificate is not None:
            trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            trust.load_cert_chain(certificate / "pem", certificate / "key")
            self._server.socket = trust.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def address(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, path: str, body: bytes, known: str | None) -> tuple[int, bytes]:
        self.asked += 1
        if self.status != 200:
            return self.status, b"{}"
        if path == "/v1/pair":
            asked = json.loads(body)
            if asked["code"] != self.code:
                return 403, b"{}"
            shown = proof_of(proof_key(PASSWORD), asked["box"], asked["code"])
            if self.knows_box and asked.get("proof") != shown:
                return 409, b"{}"
            self.knows_box = True
            paired = self.paired or Paired(asked["box"], PASSWORD, "De Kelk", port=0)
            return 200, encode(paired)
        if found := re.fullmatch("/v1/boxes/([^/]+)/([a-z]+)", path):
            box, leaf = found.groups()
            if known != f"Basic {base64.b64encode(f'{box}:{PASSWORD}'.encode()).decode()}":
                return 401, b"{}"
            if leaf == "steps":
                return 200, encode(self.house.take(decode(Steps, body)))
            if leaf == "call":
                return (200, encode(self.call)) if self.call else (204, b"")
            self.told[leaf] = body
            return 204, b""
        return 404, b"{}"


def house_at(broker: Broker, **more: Any) -> KnownHouse:
    paired = Paired("box", PASSWORD, "De Kelk", "127.0.0.1", broker.port, **{"tls": False, **more})
    return KnownHouse("https://hub.example", paired)


@contextmanager
def kept_going(*boxes: Any) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Give a function that keeps *boxes* going until something holds."""
    loop = Boxes()
    for box in boxes:
        loop.add(box)

    def until(holds: Callable[[], object]) -> None:
        ends_s = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < ends_s, "It never comes to that."
            for box in boxes:
                loop.wake(box)
            loop.run_once(0.05)

    try:
        yield until
    finally:
        loop.close()


@contextmanager
def table_in(folder: Path) -> Iterator[TableClient]:
    """A table with a journal, as another process sees it."""
    with (
        closing(Journal(folder / "kloplei.db")) as journal,
        Session(journal, TableSetup(seats=4), keepalive_s=0.05) as session,
    ):
        session.uplink.fit_outbox(Outbox(journal.path))
        with (
            RpcServer(session, folder / "table.sock"),
            closing(remote_table(folder / "table.sock")) as table,
        ):
            yield table
