"""What Prometheus reads of the hub: the numbers of a real run, and what the dashboard asks for."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kloplei_hub import metrics as metrics_module
from kloplei_hub._box_api import create_app
from kloplei_hub._keeping import Mail
from kloplei_hub.database import Connection
from kloplei_hub.ingest import Ingest
from kloplei_hub.metrics import Metrics
from kloplei_hub.servers import Broker
from kloplei_hub.settings import BrokerConfig, DatabaseConfig, HubConfig, MetricsConfig
from tests.hub.journals import Journal
from tests.until import until

DASHBOARD = Path("hub/grafana-dashboard.json")
TOKEN = "krijt op de lei van de kroeg"  # noqa: S105 - of nobody
JOURNAL = Journal("e", (2, 1, 3))


@pytest.fixture
def config(dsn: str, broker: Broker) -> HubConfig:
    mine = DatabaseConfig(ingest=dsn.replace("user=kloplei_hub", "user=kloplei_ingest"))
    return HubConfig(database=mine, broker=BrokerConfig(port=broker.port))


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def ingest(config: HubConfig, metrics: Metrics) -> Iterator[Ingest]:
    with Ingest(config, metrics) as running:
        metrics.watch(broker=lambda: running.is_connected, waiting=lambda: running.inflow.waiting)
        yield running


def numbers(metrics: Metrics) -> dict[str, float]:
    families = text_string_to_metric_families(metrics.text().decode())
    return {
        sample.name + "".join(f" {one}" for one in sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


def test_what_goes_through_is_counted(
    ingest: Ingest, metrics: Metrics, house: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics_module, "COUNT_S", 0.0)
    monkeypatch.setattr(metrics_module, "PATIENCE_S", 30.0)
    house.execute("INSERT INTO boxes (box) VALUES ('b1'), ('b2')")
    house.execute("INSERT INTO boxes (box, retired) VALUES ('b3', true)")
    for box, leaf, body in (
        ("b1", "online", b'{"online":true}'),
        ("b1", "steps", JOURNAL.body(0, 3)),
        ("b1", "steps", JOURNAL.body(0, 3)),
        ("b1", "steps", b"{"),
        ("b1", "board", b'{"seq":6}'),
        ("b2", "board", b'{"seq":"\\u0000"}'),
        ("b4", "steps", JOURNAL.body()),
        ("b1", "elsewhere", b"{}"),
    ):
        ingest.inflow.put(Mail(box, leaf, body))
    until(lambda: numbers(metrics)["kloplei_messages_total refused"] == 3)
    until(lambda: ingest.is_connected)

    found = numbers(metrics)

    told = {name: value for name, value in found.items() if name.startswith("kloplei_")}
    assert (found["kloplei_entries_total"], found["kloplei_lag_seconds_count"]) == (3, 1)
    assert 0 < found["kloplei_lag_seconds_sum"] < 60
    assert {
        name: value for name, value in told.items() if "tables" in name or "behind" in name
    } == {
        "kloplei_tables": 2,
        "kloplei_tables_online": 1,
        "kloplei_tables_quarantined": 0,
        "kloplei_tables_behind": 1,
        "kloplei_entries_behind": 3,
    }
    assert {name: value for name, value in told.items() if "messages_total" in name} == {
        "kloplei_messages_total kept": 1,
        "kloplei_messages_total known": 1,
        "kloplei_messages_total gap": 0,
        "kloplei_messages_total noted": 3,
        "kloplei_messages_total refused": 3,
    }
    assert {name: value for name, value in told.items() if "refused_total" in name} == {
        "kloplei_refused_total twin": 0,
        "kloplei_refused_total unknown": 1,
        "kloplei_refused_total malformed": 1,
        "kloplei_refused_total other": 1,
    }
    assert (found["kloplei_database_up"], found["kloplei_broker_up"]) == (1, 1)
    assert (found["kloplei_batch_messages_sum"], found["kloplei_waiting"]) == (8, 0)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody counts tables."""
    monkeypatch.setattr(metrics_module, "PATIENCE_S", 0.0)


@pytest.mark.usefixtures("hasty")
def test_without_its_database_the_rest_is_told(metrics: Metrics) -> None:
    metrics.database(answers=False)
    metrics.dropped(7)

    found = numbers(metrics)

    assert (found["kloplei_database_up"], found["kloplei_dropped_total"]) == (0, 7)
    assert "kloplei_tables" not in found


@pytest.mark.parametrize(
    ("token", "headers", "address", "status"),
    [
        (None, {}, "127.0.0.1", 200),
        (None, {}, "::1", 200),
        (None, {}, "192.0.2.7", 403),
        (None, {"Authorization": f"Bearer {TOKEN}"}, "192.0.2.7", 403),
        (TOKEN, {"Authorization": f"Bearer {TOKEN}"}, "192.0.2.7", 200),
        (TOKEN, {"Authorization": "Bearer guess"}, "127.0.0.1", 403),
        (TOKEN, {"Authorization": "Bearer gu\xe9ss"}, "127.0.0.1", 403),
        (TOKEN, {}, "127.0.0.1", 403),
    ],
)
@pytest.mark.usefixtures("hasty")
def test_numbers_are_for_this_machine_or_who_has_the_token(
    token: str | None, headers: dict[str, str], address: str, status: int
) -> None:
    config = replace(HubConfig(), metrics=MetricsConfig(token))
    client = create_app(config, lambda _: True, Metrics()).test_client()

    answer = client.get("/metrics", headers=headers, environ_base={"REMOTE_ADDR": address})

    assert answer.status_code == status
    assert ("kloplei_entries_total" in answer.text) is (status == 200)
    assert TOKEN not in repr(config)


def _texts(found: Any) -> Iterator[str]:
    """Yield every expression within the dashboard."""
    if isinstance(found, dict):
        yield from [one for key, one in found.items() if key in ("expr", "query")]
        for one in found.values():
            yield from _texts(one)
    elif isinstance(found, list):
        for one in found:
            yield from _texts(one)


@pytest.mark.usefixtures("hasty")
def test_the_dashboard_asks_for_all_that_there_is_and_nothing_else(metrics: Metrics) -> None:
    dashboard = json.loads(DASHBOARD.read_text())
    words = {word for text in _texts(dashboard) for word in re.findall(r"[a-z_]+", text)}
    metrics.watch(broker=lambda: True, waiting=lambda: 0)
    there = {name.split()[0] for name in numbers(metrics)} | {
        one.name for one in metrics.describe()
    }
    ours = {name for name in there if name.startswith("kloplei_") and not name.endswith("_created")}

    asked = {word for word in words if word.startswith(("kloplei_", "process_"))}
    assert asked <= there
    assert {_base(name) for name in ours} == {_base(name) for name in asked & ours}
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(set(ids)) == len(ids)


def _base(name: str) -> str:
    return re.sub("_(bucket|sum|count)$", "", name)
