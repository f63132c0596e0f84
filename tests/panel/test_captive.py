"""On the hotspot phones stay and find the slate; elsewhere nothing of it is there."""

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from kloplei.network.addresses import JoinAddress, Wifi
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from tests.panel.conftest import Phone, build

ON_IT, IN_THE_HOUSE = "10.75.76.23", "192.168.178.23"
HOTSPOT = JoinAddress("http://10.75.76.1/", Wifi("Kloplei", "bamokido-4729"), on_hotspot=True)


@pytest.fixture
def box(table: Session) -> Flask:
    return build(table, PanelSettings(join_address=lambda: HOTSPOT, hosts=("lei.example",)))


def ask(
    app: Flask, url: str, whence: str = ON_IT, method: str = "GET", port: str = "80"
) -> TestResponse:
    name, _, path = url.removeprefix("http://").partition("/")
    return app.test_client().open(
        f"/{path}",
        method=method,
        headers={"Host": name},
        environ_overrides={"REMOTE_ADDR": whence, "SERVER_PORT": port},
    )


@pytest.mark.parametrize(
    ("url", "body"),
    [
        (
            "http://captive.apple.com/hotspot-detect.html",
            "<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>",
        ),
        ("http://www.msftconnecttest.com/connecttest.txt", "Microsoft Connect Test"),
        ("http://www.msftncsi.com/ncsi.txt", "Microsoft NCSI"),
        ("http://detectportal.firefox.com/success.txt?ipv4", "success\n"),
        ("http://nmcheck.gnome.org/check_network_status.txt", "NetworkManager is online\n"),
        ("http://network-test.debian.org/nm", "NetworkManager is online\n"),
        ("http://networkcheck.kde.org/", "OK\n"),
    ],
)
def test_these_stay_without_a_word(box: Flask, url: str, body: str) -> None:
    response = ask(box, url)

    assert (response.status_code, response.text) == (200, body)
    assert response.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in response.headers


def test_ubuntu_hears_nothing_and_stays(box: Flask) -> None:
    response = ask(box, "http://connectivity-check.ubuntu.com/")

    assert (response.status_code, response.headers["X-NetworkManager-Status"]) == (204, "online")


@pytest.mark.parametrize(
    "url",
    [
        "http://connectivitycheck.gstatic.com/generate_204",
        "http://www.google.com/gen_204",
        "http://connectivitycheck.platform.hicloud.com/generate_204",
        "http://www.msftconnecttest.com/redirect",
        "http://nu.nl/",
        "http://nu.nl/api/v1/scoreboard",
        "http://kloplei/",
        "http://kloplei.local/settings",
        "http://198.51.100.1/",
        "http://[half/",
    ],
)
def test_any_other_name_is_led_to_the_slate(box: Flask, url: str) -> None:
    response = ask(box, url)

    assert response.status_code == 302
    assert response.headers["Location"] == "http://10.75.76.1/"
    assert response.headers["Cache-Control"] == "no-store"
    assert "Thijs" not in response.text


def test_who_asks_at_another_port_is_led_there(box: Flask) -> None:
    response = ask(box, "http://nu.nl:8080/", port="8080")

    assert response.headers["Location"] == "http://10.75.76.1:8080/"


@pytest.mark.parametrize("host", ["10.75.76.1", "10.75.76.1:8080", "192.168.1.9", "lei.example"])
def test_by_its_own_address_the_slate_is_there(box: Flask, host: str) -> None:
    assert "Thijs" in ask(box, f"http://{host}/").text


@pytest.mark.parametrize("path", ["/hotspot-detect.html", "/generate_204", "/ncsi.txt"])
def test_by_its_own_address_the_box_knows_none_of_these(box: Flask, path: str) -> None:
    assert ask(box, f"http://10.75.76.1{path}").status_code == 404


def test_a_post_under_a_foreign_name_is_refused_as_everywhere(box: Flask) -> None:
    """Names may lead here, pages may not act: the redirect is all that a bent name gets."""
    response = ask(box, "http://evil.example/api/v1/actions", method="POST")

    assert response.status_code == 403


def test_in_the_house_no_foreign_name_is_led_anywhere(box: Flask) -> None:
    api = ask(box, "http://evil.example/api/v1/scoreboard", whence=IN_THE_HOUSE)
    probe = ask(box, "http://captive.apple.com/hotspot-detect.html", whence=IN_THE_HOUSE)

    assert (api.status_code, probe.status_code) == (403, 404)


def test_the_demo_is_no_hotspot(table: Session) -> None:
    app = build(table, PanelSettings())

    assert ask(app, "http://captive.apple.com/hotspot-detect.html").status_code == 404


class TestWayIn:
    """Pages tell the way as it is now."""

    def test_the_large_screen_follows_a_change(self, table: Session) -> None:
        now = [JoinAddress("http://192.168.1.9/")]
        phone = Phone(build(table, PanelSettings(join_address=lambda: now[0])).test_client())
        assert "192.168.1.9" in phone.get("/tv").text

        now[0] = HOTSPOT

        page = phone.get("/tv/slate").text
        assert "10.75.76.1" in page
        assert "First join the Wi-Fi Kloplei." in page

    @pytest.mark.parametrize("path", ["/", "/tv"])
    def test_a_page_that_loses_the_table_names_the_wifi_to_go_back_to(
        self, box: Flask, path: str
    ) -> None:
        page = Phone(box.test_client()).get(path).text

        assert "Is this phone on the Wi-Fi Kloplei?" in page

    @pytest.mark.parametrize("path", ["/", "/tv", "/settings", "/api/v1/scoreboard"])
    def test_no_page_tells_the_password(self, box: Flask, path: str) -> None:
        assert "bamokido" not in Phone(box.test_client()).get(path).text

    def test_a_name_that_is_code_stays_a_name(self, table: Session) -> None:
        way = JoinAddress("http://10.0.0.1/", Wifi('"><script>alert(1)</script>'))
        page = (
            Phone(build(table, PanelSettings(join_address=lambda: way)).test_client()).get("/").text
        )

        assert "<script>alert" not in page

    def test_without_a_network_it_is_the_address_the_reader_came_by(self, table: Session) -> None:
        phone = Phone(build(table, PanelSettings(join_address=JoinAddress)).test_client())

        assert "localhost" in phone.get("/tv").text
