"""By https where no broker can be reached: paired, let in, and the same answer after the commit."""

import base64
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from flask.testing import FlaskClient

from kloplei.uplink.wire import Have, Paired, PairingRequest, decode, encode
from kloplei_hub import _box_api, metrics
from kloplei_hub._box_api import BoxServer, create_app
from kloplei_hub.boxes import new_code, retire
from kloplei_hub.database import Connection
from kloplei_hub.ingest import Ingest
from kloplei_hub.metrics import Metrics
from kloplei_hub.servers import Broker, free_port
from kloplei_hub.settings import (
    BrokerConfig,
    DatabaseConfig,
    HouseConfig,
    HubConfig,
    ListenConfig,
    MetricsConfig,
)
from kloplei_panel.server import CannotListen
from tests.hub.journals import Journal
from tests.until import until

JOURNAL = Journal("e", (2, 1, 3))
HERE = ListenConfig(port=0)


@pytest.fixture
def config(dsn: str, broker: Broker) -> HubConfig:
    mine = DatabaseConfig(ingest=dsn.replace("user=kloplei_hub", "user=kloplei_ingest"))
    house = HouseConfig(name="De Kelk")
    return HubConfig(house, mine, BrokerConfig(port=broker.port, boxes_host="hub.lan"))


@pytest.fixture
def api(config: HubConfig) -> Iterator[FlaskClient]:
    with Ingest(config) as ingest:
        yield create_app(config, ingest.inflow.put).test_client()


def by(box: str, password: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(f'{box}:{password}'.encode()).decode()}"}


def test_a_box_is_paired_and_its_steps_are_kept(api: FlaskClient, house: Connection) -> None:
    asked = encode(PairingRequest("b1", new_code(house, "Raam", 3)))

    paired = decode(Paired, api.post("/v1/pair", data=asked).data)
    post: Any = lambda body, **more: api.post("/v1/boxes/b1/steps", data=body, **more)  # noqa: E731
    mine = {"headers": by("b1", paired.password)}

    assert paired == Paired("b1", paired.password, "De Kelk", "hub.lan", 8883)
    assert decode(Have, post(JOURNAL.body(0, 3), **mine).data) == Have("e", 3, JOURNAL.link(3))
    assert decode(Have, post(JOURNAL.body(), **mine).data) == Have("e", 6, JOURNAL.link(6))
    assert decode(Have, post(b"{", **mine).data).refused == "malformed"
    for odd in ({}, {"headers": by("b1", "guess")}, {"headers": by("b2", paired.password)}):
        assert post(JOURNAL.body(), **odd).status_code == 401
    say: Any = lambda leaf, **more: api.post(f"/v1/boxes/b1/{leaf}", data=b"{}", **more)  # noqa: E731
    assert {say(leaf, **mine).status_code for leaf in ("board", "people", "online")} == {204}
    assert {say(leaf).status_code for leaf in ("board", "people", "online")} == {401}
    assert say("have", **mine).status_code == 404
    assert api.get("/v1/boxes/b1/call").status_code == 401
    assert api.get("/v1/boxes/b1/call", **mine).status_code == 204
    house.execute("INSERT INTO calls (box, told, until) VALUES ('b1', '{}', now() + interval '1h')")
    assert api.get("/v1/boxes/b1/call", **mine).data == b"{}"
    too_large = post(b" " * 1_000_001, **mine)
    assert (too_large.status_code, too_large.get_json()["error"]) == (413, "too-large")
    retire(house, "b1")
    assert decode(Have, post(JOURNAL.body(6), **mine).data).refused == "unknown"


def test_a_code_that_does_not_hold_is_refused_and_nobody_tries_them_all(
    api: FlaskClient, house: Connection
) -> None:
    new_code(house)
    asked = encode(PairingRequest("b1", "BBBB-BBBB"))

    tries = [api.post("/v1/pair", data=asked) for _ in range(10)]

    assert [one.status_code for one in tries] == [403] * 10
    assert json.loads(tries[0].data)["error"] == "bad-code"
    until(lambda: api.post("/v1/pair", data=asked).status_code == 429)
    assert house.execute("SELECT count(*) FROM boxes").fetchall() == [(0,)]


def test_a_box_that_is_known_here_is_told_what_helps(api: FlaskClient, house: Connection) -> None:
    api.post("/v1/pair", data=encode(PairingRequest("b1", new_code(house))))
    code = new_code(house)

    refused = api.post("/v1/pair", data=encode(PairingRequest("b1", code)))
    told = refused.get_json()

    assert (refused.status_code, told["error"]) == (409, "known-box")
    assert "kloplei-hub admin pair --for b1" in told["message"]
    assert api.post("/v1/pair", data=encode(PairingRequest("b2", code))).status_code == 200


def test_a_malformed_pairing_is_told(api: FlaskClient) -> None:
    assert api.post("/v1/pair", data=b"[]").status_code == 400


def test_what_no_database_keeps_is_refused_or_left_out(api: FlaskClient, house: Connection) -> None:
    odd = encode(PairingRequest("b1", new_code(house), "1\0.2"))

    assert api.post("/v1/boxes/%00/steps", headers=by("\0", "x")).status_code == 401
    assert api.post("/v1/pair", data=odd).status_code == 200
    assert house.execute("SELECT version FROM boxes").fetchall() == [("1.2",)]


def test_without_its_database_nothing_is_said_to_be_kept(
    config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = f"host=127.0.0.1 port={free_port()} dbname=house user=nobody"
    away = replace(config, database=DatabaseConfig(ingest=nowhere))
    monkeypatch.setattr(_box_api, "PATIENCE_S", 0.01)
    api = create_app(away, lambda _: True).test_client()

    asked = api.post("/v1/boxes/b1/steps", data=b"{}", headers=by("b1", "x"))

    assert (asked.status_code, asked.get_json()["error"]) == (503, "unavailable")


def test_who_says_half_a_word_takes_nobodys_place(config: HubConfig) -> None:
    app = create_app(config, lambda _: True, Metrics())
    with ExitStack() as held, BoxServer(app, HERE) as server:
        at = ("127.0.0.1", server.port)
        for _ in range(120):
            held.enter_context(socket.create_connection(at)).sendall(b"POST /v1/pair HT")

        with urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=10) as asked:
            assert asked.status == 200


def test_it_listens_until_it_is_closed_and_says_where_it_cannot(config: HubConfig) -> None:
    app = create_app(config, lambda _: False)
    with BoxServer(app, HERE) as server:
        assert server.port
        with pytest.raises(CannotListen, match="name another"):
            BoxServer(app, ListenConfig(port=server.port))


def asked(server: BoxServer, path: str, body: bytes | None = None, **headers: str) -> int:
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urlopen(Request(f"http://127.0.0.1:{server.port}{path}", body, told)) as answer:
            return int(answer.status)
    except HTTPError as error:
        error.close()
        return error.code


@pytest.mark.parametrize(("proxy", "of_the_next"), [("127.0.0.1", 403), ("", 429), ("::1", 429)])
def test_behind_the_proxy_that_is_known_everybody_tries_codes_for_themselves(
    config: HubConfig, proxy: str, of_the_next: int
) -> None:
    """All houses' boxes shared ten tries behind nginx, whoever used them up."""
    body = encode(PairingRequest("b1", "BBBB-BBBB"))
    with BoxServer(create_app(config, lambda _: False), replace(HERE, proxy=proxy)) as server:
        # A slow machine gives a try back meanwhile.
        until(lambda: asked(server, "/v1/pair", body, X_Forwarded_For="192.0.2.1") == 429)

        assert asked(server, "/v1/pair", body, X_Forwarded_For="192.0.2.2") == of_the_next


def test_numbers_without_a_token_are_for_nobody_who_comes_through_a_proxy(
    config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "PATIENCE_S", 0.0)  # nobody counts tables here
    known = replace(config, metrics=MetricsConfig(token="t" * 16))
    for proxy in ("127.0.0.1", ""):
        listen = replace(HERE, proxy=proxy)
        with BoxServer(create_app(config, lambda _: False, Metrics()), listen) as server:
            assert asked(server, "/metrics") == 200
            assert asked(server, "/metrics", X_Forwarded_For="192.0.2.1") == 403
            assert asked(server, "/metrics", X_Forwarded_For="127.0.0.1") == 403
            assert asked(server, "/metrics", Forwarded="for=127.0.0.1") == 403
            assert asked(server, "/metrics", X_Real_IP="127.0.0.1") == 403
        with BoxServer(create_app(known, lambda _: False, Metrics()), listen) as server:
            by = f"Bearer {'t' * 16}"
            assert asked(server, "/metrics", X_Forwarded_For="192.0.2.1") == 403
            assert asked(server, "/metrics", X_Forwarded_For="192.0.2.1", Authorization=by) == 200
