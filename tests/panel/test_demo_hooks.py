"""The demo's hooks move virtual pins, and are only there in the demo."""

import pytest

from tests.panel.conftest import DemoOfPins, Phone


def post(phone: Phone, path: str, body: object) -> tuple[int, dict[str, object]]:
    response = phone.client.post(path, json=body)
    return response.status_code, response.get_json()


def test_a_knock_moves_the_virtual_pin(demo_phone: Phone, demo: DemoOfPins) -> None:
    status, _ = post(demo_phone, "/demo/seats/3/knock", {"times": 2})

    assert status == 202
    assert demo.moved == [("knock", 3, 2)]


def test_a_knock_is_one_knock_unless_told_otherwise(demo_phone: Phone, demo: DemoOfPins) -> None:
    post(demo_phone, "/demo/seats/1/knock", {})

    assert demo.moved == [("knock", 1, 1)]


def test_a_bare_post_is_one_plain_knock(demo_phone: Phone, demo: DemoOfPins) -> None:
    response = demo_phone.client.post("/demo/seats/1/knock")

    assert response.status_code == 202
    assert demo.moved == [("knock", 1, 1)]


@pytest.mark.parametrize("times", [0, 9, -1, True, "2", 2.0, 1.5, None, [1], {}])
def test_a_number_of_knocks_that_is_none_is_refused(
    demo_phone: Phone, demo: DemoOfPins, times: object
) -> None:
    status, answer = post(demo_phone, "/demo/seats/3/knock", {"times": times})

    assert (status, answer["error"]) == (400, "bad_times")
    assert demo.moved == []


@pytest.mark.parametrize("number", [0, 9, 10**20])
def test_a_pad_that_is_not_there_is_not_found(demo_phone: Phone, number: int) -> None:
    for hook in ("knock", "hold"):
        status, answer = post(demo_phone, f"/demo/seats/{number}/{hook}", {})

        assert (status, answer["error"]) == (404, "no_such_seat")


def test_a_hold_keeps_the_button_down(demo_phone: Phone, demo: DemoOfPins) -> None:
    status, _ = post(demo_phone, "/demo/seats/2/hold", {"for_s": 1.5})

    assert status == 202
    assert demo.moved == [("hold", 2, 1.5)]


@pytest.mark.parametrize("for_s", [-1, 11, "1", True, None])
def test_a_hold_of_no_length_is_refused(demo_phone: Phone, demo: DemoOfPins, for_s: object) -> None:
    status, answer = post(demo_phone, "/demo/seats/2/hold", {"for_s": for_s})

    assert (status, answer["error"]) == (400, "bad_hold")
    assert demo.moved == []


def test_the_box_shows_lamp_and_buzzer(demo_phone: Phone) -> None:
    answer = demo_phone.get("/demo/box").get_json()

    assert answer == {"lamp": "#102030", "buzzer_hz": None, "bots_speed": None}


def test_bots_play_at_a_speed_and_stop(demo_phone: Phone, demo: DemoOfPins) -> None:
    assert post(demo_phone, "/demo/bots", {"speed": 2}) == (202, {"bots_speed": 2.0})
    assert demo.bots_speed == 2.0

    assert post(demo_phone, "/demo/bots", {"on": False}) == (202, {"bots_speed": None})
    assert demo.bots_speed is None


@pytest.mark.parametrize("speed", [0, 100, -1, "fast", True, None])
def test_bots_are_not_driven_at_any_speed(
    demo_phone: Phone, demo: DemoOfPins, speed: object
) -> None:
    status, answer = post(demo_phone, "/demo/bots", {"speed": speed})

    assert (status, answer["error"]) == (400, "bad_speed")
    assert demo.bots_speed is None


def test_without_a_demo_none_of_it_is_there(phone: Phone) -> None:
    for path in ("/demo/seats/1/knock", "/demo/seats/1/hold", "/demo/bots"):
        assert post(phone, path, {})[0] == 404
    assert phone.get("/demo").status_code == 404
    assert "/demo" not in phone.get("/").text


def test_the_demo_leads_to_the_virtual_table(demo_phone: Phone) -> None:
    assert 'href="/demo"' in demo_phone.get("/").text
    assert demo_phone.get("/demo").text.count("data-pad=") == 8
