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
        "kloplei.fritz.box",
        "kloplei.local.",
        "10.42.0.1",
        "192.168.1.20",
        "[2001:db8::1]",
        "[::ffff:192.168.1.20]:8080",
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


ABSURD = [
    "evil.example:8080",
    "evil.box",
    "kloplei.local.evil.example",
    "127.0.0.1.evil.example",
    "kloplei.local@evil.example",
    "evil.example#kloplei.local",
    "evil.example/kloplei.local",
    "evil.example?.local",
    "0x7f.0.0.1",
    "127.1",
    "1.2.3.4.5",
    "[",
    "[::1",
    "[::1]evil",
    "[evil]:80",
    "::1",
    ".",
    "..",
    ":80",
    "kloplei.local:80:81",
    "kloplei.local:http",
    "kloplei local.example",
    "%6bloplei.example",
    "kl\xf6plei.example",
    f"{'x' * 300}.local",
]


@pytest.mark.parametrize("host", [*ABSURD, "evil.example"])
def test_no_absurd_name_is_ours(phone: Phone, host: str) -> None:
    seq = phone.board["seq"]

    for origin in ({}, {"Origin": f"http://{host}"}):
        answer = phone.client.post(
            "/api/v1/seats/1/actions", json={"action": "deal"}, headers={"Host": host, **origin}
        )
        assert answer.status_code in (400, 403), answer.status
    assert phone.board["seq"] == seq


@pytest.mark.parametrize("path", ["/api/v1/scoreboard", "/api/v1/log", "/slate.png"])
@pytest.mark.parametrize("host", ["evil.example", "[::1", "127.0.0.1.evil.example"])
def test_a_page_that_bent_its_name_to_the_box_reads_nothing(
    phone: Phone, path: str, host: str
) -> None:
    assert phone.get(path, headers={"Host": host}).status_code in (400, 403)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("192.168.1.20", "http://192.168.1.20:8080"),
        ("192.168.1.20:8080", "http://192.168.1.20"),
        ("192.168.1.20", "http://10.42.0.1"),
        ("[::1]:8080", "http://[::1]"),
        ("[2001:db8::1]", "http://[2001:db8::2]"),
        ("kloplei.local", "http://kloplei.lan"),
        ("kloplei.local", "http://kloplei.local.evil.example"),
        ("kloplei.local", "http://kloplei.local@evil.example"),
    ],
)
def test_another_port_or_address_is_another_origin(phone: Phone, host: str, origin: str) -> None:
    answer = phone.client.post(
        "/api/v1/seats/1/actions",
        json={"action": "deal"},
        headers={"Host": host, "Origin": origin},
    )

    assert (answer.status_code, answer.get_json()["error"]) == (403, "foreign_origin")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_calls_foreign_is(phone: Phone, site: str) -> None:
    """A form of another page may come without an origin, but a browser says where it is from."""
    answer = phone.client.post(
        "/act", data={"seat": "1", "action": "deal"}, headers={"Sec-Fetch-Site": site}
    )

    assert answer.status_code == 403


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "POST"])
def test_every_method_that_changes_something_is_asked_where_it_is_from(
    phone: Phone, method: str
) -> None:
    answer = phone.client.open(
        "/api/v1/door", method=method, headers={"Origin": "http://evil.example"}
    )

    assert answer.status_code == 403


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
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert "camera=()" in response.headers["Permissions-Policy"]


def test_nobody_lays_a_page_over_ours(phone: Phone, demo_phone: Phone) -> None:
    box, demo = phone.get("/").headers, demo_phone.get("/").headers

    assert "frame-ancestors 'none'" in box["Content-Security-Policy"]
    assert box["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'self'" in demo["Content-Security-Policy"]  # it shows phones itself


@pytest.mark.parametrize("path", ["/nothing", "/static/nothing.js", "/static/wood.css"])
def test_errors_and_files_are_guarded_as_well(phone: Phone, path: str) -> None:
    with phone.get(path) as answer:
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
