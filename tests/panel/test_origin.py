"""Posts of other people's pages do not reach the table."""

import pytest

from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from tests.panel.conftest import Phone, build


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:9999", "http://[", ""]
)
def test_a_post_of_another_origin_is_refused(phone: Phone, origin: str) -> None:
    response = phone.client.post(
        "/api/v1/seats/1/actions", json={"action": "deal"}, headers={"Origin": origin}
    )

    assert response.status_code == 403
    assert response.get_json()["error"] == "foreign_origin"
    assert phone.board["phase"] == "between_hands"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.1:8080",
        "192.168.1.20:8080",
        "[::1]:8080",
        "kloplei",
        "kloplei.local",
        "KLOPLEI.local:8080",
        "box.home.arpa",
    ],
)
def test_our_own_page_may_post_by_every_name_of_home(phone: Phone, host: str) -> None:
    response = phone.client.post(
        "/api/v1/seats/1/actions",
        json={"action": "deal"},
        headers={"Host": host, "Origin": f"http://{host}"},
    )

    assert response.status_code == 202


def test_a_name_that_was_bent_to_the_box_is_refused(phone: Phone) -> None:
    response = phone.client.post(
        "/api/v1/seats/1/actions",
        json={"action": "deal"},
        headers={"Host": "evil.example", "Origin": "http://evil.example"},
    )

    assert response.status_code == 403
    assert response.get_json()["error"] == "foreign_host"


@pytest.mark.parametrize(
    "settings",
    [
        PanelSettings(hosts=("lei.example",)),
        PanelSettings(join_url="http://lei.example:8080/"),
    ],
)
def test_names_of_the_settings_are_at_home_too(table: Session, settings: PanelSettings) -> None:
    phone = Phone(build(table, settings).test_client())

    response = phone.client.post(
        "/api/v1/seats/1/actions", json={"action": "deal"}, headers={"Host": "lei.example"}
    )

    assert response.status_code == 202


def test_tools_without_an_origin_may_post(phone: Phone) -> None:
    assert phone.ask(1, "deal").status_code == 202


def test_everybody_may_read(phone: Phone) -> None:
    response = phone.get("/api/v1/scoreboard", headers={"Origin": "http://evil.example"})

    assert response.status_code == 200
    assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize("path", ["/", "/tv", "/help", "/settings", "/api/v1/scoreboard"])
def test_pages_run_no_script_or_style_but_our_own(phone: Phone, path: str) -> None:
    response = phone.get(path)

    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
