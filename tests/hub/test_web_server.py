"""The server of pages and boxes, and how it ends."""

import threading
import time
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from flask import Flask
from waitress.server import TcpWSGIServer

from kloplei_hub.settings import ListenConfig
from kloplei_hub.web_server import WebServer

HERE = ListenConfig(port=0)


def test_an_answer_under_way_is_given_before_it_ends() -> None:
    app = Flask(__name__)
    asked, may_answer = threading.Event(), threading.Event()
    answers: list[bytes] = []

    @app.get("/")
    def slowly() -> str:
        asked.set()
        may_answer.wait(10)
        return "served"

    def ask() -> None:
        answers.append(urlopen(f"http://127.0.0.1:{port}/", timeout=20).read())

    with WebServer("served", app, HERE) as server:
        port = server.port
        phone = threading.Thread(target=ask)
        phone.start()
        assert asked.wait(10)
        threading.Timer(0.1, may_answer.set).start()
    phone.join(10)

    assert answers == [b"served"]
    with pytest.raises(URLError):
        urlopen(f"http://127.0.0.1:{port}/", timeout=5)


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
    with WebServer("served", Flask(__name__), HERE):
        assert looks.wait(10)

    assert [one for one in threading.enumerate() if one.name == "served"] == []
