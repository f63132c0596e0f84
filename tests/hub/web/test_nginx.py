"""The real nginx before the real pages: thousands wait, one question goes through."""

import http.client
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from kloplei.uplink.wire import PairingRequest, encode
from kloplei_hub._box_api import BoxServer
from kloplei_hub._box_api import create_app as boxes_app
from kloplei_hub.database import Connection
from kloplei_hub.servers import free_port
from kloplei_hub.settings import DatabaseConfig, HubConfig, ListenConfig, WebConfig
from kloplei_hub.users import put_user
from kloplei_hub.web.live import Wall
from kloplei_hub.web.serving import HouseServer
from tests.hub.web.conftest import Tables, played
from tests.until import until

CONF = Path(__file__).parents[3] / "hub/nginx.conf"
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
MAIN = """
daemon off;
{user}
worker_processes 1;
pid {folder}/pid;
error_log stderr warn;
events {{ worker_connections 1000; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {house}
}}
"""


class Answer(NamedTuple):
    status: int
    body: bytes
    cache: str | None


def pairs(port: int, by: str) -> int:
    """Who is at the address *by* tries a code that is none."""
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(by, 0))
    # As somebody would who wants to be taken for another one each time.
    told = {"X-Forwarded-For": f"192.0.2.{time.monotonic_ns() % 250}"}
    asked.request("POST", "/v1/pair", encode(PairingRequest("b1", "BBBB-BBBB")), told)
    found = asked.getresponse()
    found.read()
    asked.close()
    return found.status


def get(port: int, address: str, language: str = "nl", cookie: str = "") -> Answer:
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    asked.request("GET", address, headers={"Accept-Language": language, "Cookie": cookie})
    found = asked.getresponse()
    told = Answer(found.status, found.read(), found.getheader("X-Cache"))
    asked.close()
    return told


@pytest.fixture
def server(config: HubConfig, tables: Tables) -> Iterator[HouseServer]:
    tables.add("b1", 7, "Stamtafel", played())
    with HouseServer(replace(config, web=WebConfig(port=free_port(), threads=4))) as running:
        yield running


@pytest.fixture
def boxes_server(config: HubConfig, dsn: str) -> Iterator[BoxServer]:
    """Where boxes are paired."""
    mine = DatabaseConfig(ingest=dsn.replace("user=kloplei_hub", "user=kloplei_ingest"))
    app = boxes_app(replace(config, database=mine), lambda _: False)
    with BoxServer(app, ListenConfig(port=0)) as running:
        yield running


@pytest.fixture
def nginx(server: HouseServer, boxes_server: BoxServer, tmp_path: Path) -> Iterator[int]:
    assert NGINX is not None, "There is no nginx. Run:  scripts/setup proxy"
    port = free_port()
    house = CONF.read_text()
    for was, now in (
        ("127.0.0.1:8090", f"127.0.0.1:{server.port}"),
        ("127.0.0.1:8091", f"127.0.0.1:{boxes_server.port}"),
        ("/var/cache/kloplei-hub", f"{tmp_path}/cache"),
        ("    listen 80;", f"    listen 127.0.0.1:{port};"),
        ("    listen [::]:80;\n", ""),
    ):
        assert was in house
        house = house.replace(was, now)
    user = "user root;" if os.geteuid() == 0 else ""
    conf = tmp_path / "nginx.conf"
    conf.write_text(MAIN.format(folder=tmp_path, user=user, house=house))
    running = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(conf)])
    until_s = time.monotonic() + 30
    while running.poll() is None and time.monotonic() < until_s:
        try:
            get(port, "/offline")
            break
        except OSError:
            time.sleep(0.02)
    yield port
    running.terminate()
    running.wait(30)


def version_of(page: bytes) -> str:
    return page.decode().split('data-version="')[1].split('"')[0]


def test_many_who_wait_are_one_question_for_the_pages(
    nginx: int, server: HouseServer, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    through = server.live.wall_after

    def count(version: str) -> Wall:
        asked.append(version)
        return through(version)

    monkeypatch.setattr(server.live, "wall_after", count)
    version = version_of(get(nginx, "/").body)
    viewers, began_s = 100, time.monotonic()
    with ThreadPoolExecutor(viewers) as pool:
        waiting = [
            pool.submit(get, nginx, f"/wall/after/{version}?lang=en&mine={viewer}")
            for viewer in range(viewers)
        ]
        while not asked:
            time.sleep(0.01)
        change = threading.Timer(0.5, tables.show, ("b1", played(near=True)))
        change.start()
        answers = [one.result() for one in waiting]

    assert {one.status for one in answers} == {200}
    assert len({one.body for one in answers}) == 1
    assert b"nearly at the end" in answers[0].body
    # Who asks once it has changed is answered out of the cache, which holds that for a second.
    assert len(asked) <= 2 + int(time.monotonic() - began_s)


def test_what_a_viewer_adds_is_no_other_question_and_all_else_goes_through(nginx: int) -> None:
    first = get(nginx, "/wall/after/1?lang=de")
    second = get(nginx, "/wall/after/1?lang=de&x=2", language="ja")
    third = get(nginx, "/wall/after/1?lang=da")

    assert (first.status, first.cache, second.cache) == (200, "MISS", "HIT")
    assert first.body == second.body != third.body
    assert get(nginx, "/tables/7").status == 200
    assert get(nginx, "/wall/after/x").status == 200
    page = get(nginx, "/").body.decode()
    look = page.split('rel="stylesheet" href="')[1].split('"')[0]
    assert get(nginx, look).status == 200


def test_who_tries_codes_through_it_uses_up_nobody_elses_tries(nginx: int) -> None:
    assert [pairs(nginx, "127.0.0.2") for _ in range(10)] == [403] * 10
    until(lambda: pairs(nginx, "127.0.0.2") == 429)
    assert pairs(nginx, "127.0.0.3") == 403


def test_a_festival_that_opens_the_wall_at_once_is_told_of_it_once(nginx: int) -> None:
    with ThreadPoolExecutor(40) as pool:
        viewers = [pool.submit(get, nginx, f"/?from={viewer}") for viewer in range(40)]
        answers = [one.result() for one in viewers]

    assert {(one.status, one.body) for one in answers} == {(200, answers[0].body)}
    assert sum(one.cache == "HIT" for one in answers) > 20
    # Each reads their own language, wherever that is told.
    pages = [
        get(nginx, "/").body,
        get(nginx, "/", language="de").body,
        get(nginx, "/?lang=da").body,
        get(nginx, "/", cookie="kloplei_lang=ja").body,
    ]
    found = [page.decode().split('<html lang="')[1][:2] for page in pages]
    assert found == ["nl", "de", "da", "ja"]
    assert b"lang=-" not in answers[0].body


def test_who_has_signed_in_is_never_answered_out_of_what_guests_share(
    nginx: int, server: HouseServer, house: Connection
) -> None:
    put_user(house, "Anna", "wachtwoord", "landlord")
    asked = http.client.HTTPConnection("127.0.0.1", nginx, timeout=60)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    asked.request("POST", "/login", "name=Anna&password=wachtwoord", form)
    cookie = (asked.getresponse().getheader("Set-Cookie") or "").split(";")[0]
    asked.close()
    assert get(nginx, "/").cache in {"MISS", "HIT", "EXPIRED"}

    answers = [get(nginx, "/", cookie=cookie) for _ in range(3)]

    assert [one.cache for one in answers] == ["BYPASS"] * 3
    page = server.app.test_client(use_cookies=False).get("/", headers={"Cookie": cookie})
    assert "public" not in page.headers["Cache-Control"]
