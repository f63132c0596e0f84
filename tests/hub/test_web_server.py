"""The server of pages and boxes, and how it ends."""

import threading
import time
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from flask import Flask
from waitress.server import TcpWSGIServer

from kloplei_hub import web_server
from kloplei_hub.settings import ListenConfig
from kloplei_hub.web_server import WebServer
from kloplei_panel.server import CannotListen
from tests.until import PATIENCE_S

HERE = ListenConfig(port=0)


def test_an_answer_under_way_is_given_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "_PATIENCE_S", PATIENCE_S)  # for a busy machine
    app = Flask(__name__)
    asked, may_answer = threading.Event(), threading.Event()
    answers: list[bytes] = []

    @app.get("/")
    def slowly() -> str:
        asked.set()
        may_answer.wait(PATIENCE_S)
        return "served"

    def ask() -> None:
        answers.append(urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S).read())

    with WebServer("served", app, HERE, "web") as server:
        port = server.port
        phone = threading.Thread(target=ask)
        phone.start()
        assert asked.wait(PATIENCE_S)
        threading.Timer(0.1, may_answer.set).start()
    phone.join(PATIENCE_S)

    assert answers == [b"served"]
    with pytest.raises(URLError):
        urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_S)


def test_it_ends_without_an_error_while_it_looks_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    # An error of its thread would come out as a warning, and warnings are errors.
    looks = threading.Event()
    readable = TcpWSGIServer.readable

    def look_slowly(self: TcpWSGIServer) -> bool:
        found = bool(readable(self))
        looks.set()
        time.sleep(0.1)
        return found

    monkeypatch.setattr(TcpWSGIServer, "readable", look_slowly)
    with WebServer("served", Flask(__name__), HERE, "web"):
        assert looks.wait(PATIENCE_S)

    assert [one for one in threading.enumerate() if one.name == "served"] == []


@pytest.mark.parametrize("host", ["127.0.0.1", "no address"])
def test_where_it_cannot_listen_it_says_which_setting_to_change(host: str) -> None:
    with (
        WebServer("served", Flask(__name__), HERE, "web") as server,
        pytest.raises(CannotListen, match=rf"{host}:{server.port} .* \[web\]"),
    ):
        WebServer("second", Flask(__name__), ListenConfig(host=host, port=server.port), "web")
