"""A webhook that is signed, taken, refused, away, slow and deceived."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self, cast
from urllib.request import OpenerDirector

import pytest

from kloplei.config.reader import parse_config
from kloplei.config.schema import ConfigError
from kloplei.games.catalogue import build_game
from kloplei.games.moments import Moment, MomentKind
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableClient
from kloplei.table.uplink_client import OutsiderStatus
from kloplei.uplink import webhook as webhook_module
from kloplei.uplink.links import opener_for
from kloplei.uplink.webhook import GIVE_UP_S, MOST_WAITING, SIGNATURE, TIMESTAMP, Webhook, signature
from tests.table.seated import Tabletop
from tests.until import PATIENCE_S, until

SECRET = "sixteen letters or more"  # noqa: S105 - of nobody
TABLE = cast("TableClient", SimpleNamespace(uplink=SimpleNamespace(agreed=tuple)))
WEBHOOK_PAGE = Path("docs/home-automation.md")


class Receiver:
    """Notes what is posted, and answers what it is told to; a context manager."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.waits = threading.Event()
        self.waits.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, dict(self.headers), body))
                receiver.waits.wait(PATIENCE_S)
                self.send_response(receiver.statuses.pop(0) if receiver.statuses else 204)
                self.send_header("Location", f"{receiver.url}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.waits.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def webhook(url: str, *moments: str, clock: Callable[[], float] = time.monotonic) -> Webhook:
    wanted = moments or ("call", "knock")
    told: Any = (TABLE, url, SECRET, wanted, opener())
    return Webhook(*told, name="Raam", language="nl", chance=lambda: 0.0, clock=clock)


@cache  # of who signs certificates there are many
def opener() -> OpenerDirector:
    return opener_for("")


def boards() -> tuple[Scoreboard, Scoreboard]:
    """Before and after a toep."""
    table = Tabletop(build=build_game, game="toepen", seats=4).start(1, 2, 3)
    table.ask(3, "rename", facts={"name": "Tame"})
    table.ask(1, "deal")
    before = table.board
    table.ask(3, "knock")
    return before, table.board


MOMENT = Moment(MomentKind.CALL, "toep", 3, "toepen")
BOARD = Scoreboard("toepen", "play")


def test_a_toep_is_posted_once_with_a_signature_and_without_names(receiver: Receiver) -> None:
    before, after = boards()
    with webhook(receiver.url) as hook:
        for board in (None, before, after, after, None, before):
            hook.show(board)
        until(lambda: receiver.got)
    ((path, headers, body),) = receiver.got

    told = json.loads(body)
    assert path == "/hook"
    assert headers[SIGNATURE] == signature(SECRET, headers[TIMESTAMP], body)
    assert abs(int(headers[TIMESTAMP]) - time.time()) < 2 * PATIENCE_S
    assert told == {
        "table": "Raam",
        "moment": "toep",
        "kind": "call",
        "game": "toepen",
        "seats": [3],
        "stake": 2,
        "text": told["text"],
        "id": told["id"],
        "at": told["at"],
    }
    assert "3" in told["text"]
    assert b"Tame" not in body


def test_only_what_is_wanted_is_told_by_kind_or_name(receiver: Receiver) -> None:
    hook = webhook(receiver.url, "fanfare", "toep")
    for kind, name in (("call", "toep"), ("call", "call"), ("fanfare", "fanfare"), ("hand", "x")):
        hook.happened(Moment(MomentKind(kind), name, 3, "toepen"), BOARD)
    hook.come_round(time.monotonic())

    assert [json.loads(body)["moment"] for _, _, body in receiver.got] == ["toep", "fanfare"]


def test_who_is_away_is_tried_seldom_and_seldomer_and_then_no_more(receiver: Receiver) -> None:
    now_s = 1000.0
    hook = webhook(receiver.url, clock=lambda: now_s)
    hook.happened(MOMENT, BOARD)
    receiver.statuses = [503] * 100
    tried = []
    while hook._waiting:
        before = len(receiver.got)
        hook.come_round(now_s)
        if len(receiver.got) > before:
            tried.append(now_s - 1000)
        now_s = max(hook._due_s, now_s)

    assert tried[:4] == [0, 1, 3, 7]
    assert tried[-1] <= GIVE_UP_S
    assert len(tried) < 20
    assert len({body for _, _, body in receiver.got}) == 1
    hook.happened(MOMENT, BOARD)
    now_s += GIVE_UP_S + 1  # too late to be of any interest
    hook.come_round(now_s)
    assert len(receiver.got) == len(tried)


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 404, 410])
def test_who_refuses_or_sends_elsewhere_is_not_asked_again(
    receiver: Receiver, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    hook = webhook(receiver.url)
    hook.happened(MOMENT, BOARD)
    hook.happened(MOMENT, BOARD)
    receiver.statuses = [status]
    hook.come_round(time.monotonic())

    assert [path for path, _, _ in receiver.got] == ["/hook", "/hook"]
    assert not hook._waiting
    assert str(status) in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502])
def test_what_may_be_taken_later_is_sent_again(receiver: Receiver, status: int) -> None:
    hook = webhook(receiver.url)
    hook.happened(MOMENT, BOARD)
    receiver.statuses = [status]
    hook.come_round(time.monotonic())
    hook.come_round(time.monotonic() + 5)

    assert len(receiver.got) == 2
    assert not hook._waiting


def test_how_it_goes_is_known_and_no_secret_of_the_address_with_it(receiver: Receiver) -> None:
    hook = webhook(f"{receiver.url}/of-nobody-else")
    assert hook.status == OutsiderStatus("webhook")
    troubles = []
    for statuses in ([404], [503], []):
        hook.happened(MOMENT, BOARD)
        receiver.statuses = statuses
        hook.come_round(time.monotonic() + 5)
        troubles.append(hook.status.trouble)
    away = webhook("http://127.0.0.1:1/of-nobody-else")
    away.happened(MOMENT, BOARD)
    away.come_round(time.monotonic())

    first, second, last = troubles
    assert [(one.cause, one.facts["error"]) for one in (first, second) if one is not None] == [
        ("webhook-refused", "404 Not Found"),
        ("webhook-refused", "503 Service Unavailable"),
    ]
    assert last is None
    assert abs((hook.status.at or 0) - time.time()) < PATIENCE_S
    assert away.status.trouble is not None
    assert away.status.trouble.cause == "webhook-unreached"
    assert "of-nobody-else" not in f"{first} {second} {away.status.trouble}"


def test_one_that_hangs_holds_nobody_up_and_is_not_filled(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.waits.clear()
    with webhook(receiver.url) as hook:
        before, after = boards()
        hook.show(before)
        hook.show(after)
        until(lambda: receiver.got)
        for _ in range(3 * MOST_WAITING):
            hook.happened(MOMENT, BOARD)
        began_s = time.monotonic()
        hook.show(after)
        took_s = time.monotonic() - began_s
        hook._closing.set()
        receiver.waits.set()

        assert len(receiver.got) == 1
        assert len(hook._waiting) == MOST_WAITING
        assert took_s < webhook_module.PATIENCE_S


def test_nobody_there_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    hook = webhook("http://127.0.0.1:1/")
    hook.happened(MOMENT, BOARD)
    for later_s in (0, 10, 20):
        hook.come_round(time.monotonic() + later_s)

    assert caplog.text.count("takes nothing") == 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('url = "http://hub.example/x"', "https://"),
        ('url = "ftp://10.0.0.1/"', "https://"),
        ('url = "https://me:password@hub.example/"', "https://"),
        ('url = "https://hub.example/"', "set secret"),
        ('secret = "short"', "a secret not shown here"),
        ('moments = ["toeping"]', "docs/home-automation.md"),
        ("moments = []", "docs/home-automation.md"),
    ],
)
def test_a_webhook_that_cannot_be_is_told_at_the_start(line: str, why: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(why)):
        parse_config(f"[uplink]\nenabled = true\n[webhook]\n{line}\n", "kloplei.toml")


def test_outsiders_want_the_uplink() -> None:
    webhook = (
        f'[webhook]\nurl = "http://10.0.0.7/"\nsecret = "{SECRET}"\nmoments = ["toep", "hand"]'
    )
    for section in (webhook, HOME):
        with pytest.raises(ConfigError, match=r"\[uplink\] enabled = true"):
            parse_config(section, "kloplei.toml")
        read = parse_config(f"[uplink]\nenabled = true\n{section}", "kloplei.toml")
        assert SECRET not in repr(read)


HOME = "[home_assistant]\nenabled = true"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ('host = "broker.example"\npassword = "x"', "tls = true"),
        ('host = "10.0.0.7"\nauthority = "/etc/ssl/x.pem"', "tls = true"),
        ('picture = "some"', "agreed"),
    ],
)
def test_a_broker_that_cannot_be_is_told_at_the_start(more: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        parse_config(f"[uplink]\nenabled = true\n{HOME}\n{more}\n", "kloplei.toml")


@contextmanager
def example() -> Iterator[str]:
    """The receiver of the page, running."""
    (code,) = re.findall(r"```python\n(.*?)```", WEBHOOK_PAGE.read_text(), re.DOTALL)
    known: dict[str, Any] = {"__name__": "receiver"}
    exec(code.replace("the secret of kloplei.toml", SECRET), known)  # noqa: S102 - our own page
    server = ThreadingHTTPServer(("127.0.0.1", 0), known["Receiver"])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_receiver_of_the_page_takes_ours_and_nobody_elses(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with example() as url:
        for secret in (SECRET, "another of sixteen letters"):
            hook = webhook(url)
            hook._secret = secret
            hook.happened(MOMENT, BOARD)
            hook.come_round(time.monotonic())
            assert not hook._waiting

    assert capsys.readouterr().out.count("toep") == 1
    assert "401" in caplog.text
