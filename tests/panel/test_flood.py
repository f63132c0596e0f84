"""Who may only look sends a little, not a flood; who was let in is not slowed down by others."""

from flask import Flask

from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from kloplei_panel.context import ASKS_EACH
from kloplei_panel.pairing import RateLimiter
from tests.panel.conftest import PIN, DemoOfPins, Phone, build

EACH = 5


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def drained(flood: RateLimiter, address: str) -> int:
    """Return how many requests of *address* are let through at once."""
    return next(sent for sent in range(1000) if flood.wait_s(address))


def test_so_many_at_once_and_then_one_at_a_time() -> None:
    clock = Clock()
    flood = RateLimiter(EACH, each_per_s=0.5, now=clock)

    at_once, wait_s = drained(flood, "10.0.0.1"), flood.wait_s("10.0.0.1")
    clock.now_s += wait_s

    assert (at_once, wait_s) == (EACH, 3)
    assert flood.wait_s("10.0.0.1") == 0
    assert flood.wait_s("10.0.0.1") > 0


def test_who_was_quiet_has_no_more_than_at_first() -> None:
    clock = Clock()
    flood = RateLimiter(EACH, now=clock)
    drained(flood, "10.0.0.1")

    clock.now_s += 3600.0

    assert drained(flood, "10.0.0.1") == EACH


def test_addresses_do_not_share_but_a_house_does() -> None:
    flood = RateLimiter(EACH, now=Clock())

    assert drained(flood, "10.0.0.1") == drained(flood, "10.0.0.2") == EACH
    assert drained(flood, "2001:db8:1:2::1") == EACH
    assert drained(flood, "2001:db8:1:2::2") == 0


def test_all_together_have_an_end_however_many_they_are() -> None:
    flood = RateLimiter(EACH, times_all=10, now=Clock())

    assert sum(drained(flood, f"10.0.{one // 200}.{one % 200}") for one in range(2000)) == 10 * EACH


def test_a_flood_of_strangers_slows_down_nobody_who_plays(
    locked_app: Flask, table: Session
) -> None:
    keeper, stranger = Phone(locked_app.test_client()), Phone(locked_app.test_client())
    keeper.client.post("/settings/pair", data={"pin": PIN})
    stranger.client.environ_base["REMOTE_ADDR"] = "192.168.1.66"
    statuses = [stranger.ask(1, "deal").status_code for _ in range(ASKS_EACH + 1)]
    refused = stranger.ask(1, "deal")

    assert statuses == [403] * ASKS_EACH + [429]
    assert refused.get_json()["error"] == "too_many_asks"
    assert 0 < int(refused.headers["Retry-After"]) < 5
    assert stranger.get("/").status_code == 200
    for number in range(2 * ASKS_EACH):
        keeper.do(1, "rename", name=f"Thijs {number}")


def test_hands_knock_on_the_virtual_wood_as_often_as_they_like(table: Session) -> None:
    settings = PanelSettings(locked=True, pin=PIN, asks_each=2)
    phone = Phone(build(table, settings, DemoOfPins()).test_client())

    statuses = {phone.client.post("/demo/seats/1/knock").status_code for _ in range(10)}

    assert statuses == {202}


def test_where_all_is_open_nothing_is_counted(table: Session) -> None:
    phone = Phone(build(table, PanelSettings(asks_each=1)).test_client())

    for number in range(5):
        phone.do(1, "rename", name=f"Thijs {number}")

    assert phone.board["rows"][0]["name"] == "Thijs 4"
