"""The demo's hooks move virtual pins and strike virtual wood, and are only there in the demo.

What the box made of what landed is told over HTTP and on the page.
"""

from typing import Any

import pytest

from kloplei.knock.judgement import Landing, Verdict
from kloplei_panel import PanelSettings
from kloplei_panel.context import KINDS
from tests.panel.conftest import DemoOfPins, Phone, build
from tests.panel.watten_table import watten_at

KNOCK, DOUBTFUL, NOISE = Verdict.KNOCK, Verdict.DOUBTFUL, Verdict.NOISE


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


def strike(phone: Phone, body: object) -> tuple[int, Any]:
    response = phone.client.post("/demo/strike", json=body, headers=phone.headers)
    return response.status_code, response.get_json()


def test_whatever_the_palette_holds_lands_where_it_is_told_to(
    demo_phone: Phone, demo: DemoOfPins
) -> None:
    answers = [strike(demo_phone, {"kind": kind, "x": 0.25, "y": 1}) for kind in KINDS]

    assert answers == [(202, {"number": number}) for number in range(1, len(KINDS) + 1)]
    assert demo.moved == [("strike", kind, 0.25, 1.0) for kind in KINDS]


def test_it_is_a_knuckle_unless_told_otherwise(demo_phone: Phone, demo: DemoOfPins) -> None:
    strike(demo_phone, {"x": 0, "y": 0.5})

    assert demo.moved == [("strike", "knuckle", 0.0, 0.5)]


@pytest.mark.parametrize("kind", ["axe", "", "KNUCKLE", None, 1, True, ["glass"], {"glass": 1}])
def test_what_is_not_in_the_palette_does_not_land(
    demo_phone: Phone, demo: DemoOfPins, kind: object
) -> None:
    status, answer = strike(demo_phone, {"kind": kind, "x": 0.5, "y": 0.5})

    assert (status, answer["error"]) == (400, "bad_kind")
    assert "glass" in answer["message"]
    assert demo.moved == []


@pytest.mark.parametrize("spot", [-0.001, 1.001, "0.5", None, True, [0.5], 10**9])
@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_spot_beside_the_table_is_refused(
    demo_phone: Phone, demo: DemoOfPins, axis: str, spot: object
) -> None:
    status, answer = strike(demo_phone, {"x": 0.5, "y": 0.5, axis: spot})

    assert (status, answer["error"]) == (400, "bad_spot")
    assert demo.moved == []


def test_half_a_spot_is_none(demo_phone: Phone) -> None:
    assert strike(demo_phone, {"x": 0.5})[1]["error"] == "bad_spot"


def test_a_body_that_is_no_json_object_is_refused(demo_phone: Phone) -> None:
    assert strike(demo_phone, [0.5, 0.5])[0] == 400
    assert demo_phone.client.post("/demo/strike", data="x=1").status_code == 415
    assert (
        demo_phone.client.post(
            "/demo/strike", data='{"x": NaN, "y": 0}', content_type="application/json"
        ).status_code
        == 400
    )


def test_wood_on_which_too_much_lands_says_so(demo_phone: Phone, demo: DemoOfPins) -> None:
    demo.is_busy = True

    status, answer = strike(demo_phone, {"x": 0.5, "y": 0.5})

    assert (status, answer["error"]) == (503, "wood_busy")


def test_what_the_box_heard_is_told_from_a_number_on(demo_phone: Phone, demo: DemoOfPins) -> None:
    glass = Landing(1, "glass", (0.2, 0.4), 3, True, NOISE, 0.0312, None, 0.0, 2, 0.048, (0.0, 0.5))
    knuckle = Landing(2, "knuckle", (0.2, 0.5), 3, True, KNOCK, 0.98, 3, 0.9, 1, 0.05)
    demo.landings = [glass, knuckle]

    every = demo_phone.get("/demo/heard").get_json()["heard"]
    newer = demo_phone.get("/demo/heard?after=1").get_json()["heard"]

    assert [one["number"] for one in every] == [1, 2]
    assert newer == every[1:]
    assert every[0] | {"text": ""} == {
        "number": 1, "kind": "glass", "x": 0.2, "y": 0.4, "near": 3, "over": True,
        "verdict": "noise", "likelihood": 0.031, "seat": None, "confidence": 0.0, "right": None,
        "blows": 2, "decided_after_s": 0.048, "wave": [0.0, 0.5], "heeded": True, "text": "",
    }  # fmt: skip
    assert every[0]["text"] == "glass: no knock, 97 % sure · 2 blows felt."
    assert newer[0]["right"] is True


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "", "9" * 40, "٣"])
def test_an_after_that_is_no_number_is_refused(demo_phone: Phone, after: str) -> None:
    response = demo_phone.get(f"/demo/heard?after={after}")

    assert (response.status_code, response.get_json()["error"]) == (400, "unreadable")


@pytest.mark.parametrize(
    ("landing", "said"),
    [
        (Landing(1, "card", (0, 0)), "listening…"),
        (Landing(1, "soft", (0, 0), is_over=True), "the box felt nothing"),
        (
            Landing(1, "glass", (0, 0), 3, True, NOISE, 0.001, 3, 0.9, 1),
            "no knock, 99 % sure",
        ),
        (Landing(1, "bump", (0, 0), 3, True, DOUBTFUL, 0.55, 3, 0.9, 1), "55 % a knock"),
        (
            Landing(1, "knuckle", (0, 0), 3, True, KNOCK, 0.9, 3, 0.9, 1),
            "Seat 3, Thomas: right",
        ),
        (Landing(1, "knuckle", (0, 0), 3, True, KNOCK, 0.9, 2, 0.9, 1), "seat 3 is nearer"),
        (
            Landing(1, "knuckle", (0, 0), 3, True, KNOCK, 0.9, None, 0, 1),
            "cannot say whose",
        ),
        (Landing(1, "knuckle", (0, 0), None, True, KNOCK, 0.9, 7, 1, 1), "seat 7, free"),
    ],
)
def test_the_page_tells_what_the_box_made_of_it(
    demo_phone: Phone, demo: DemoOfPins, landing: Landing, said: str
) -> None:
    demo.landings = [landing]

    page = demo_phone.get("/demo/ear").text

    assert said in page
    assert demo_phone.get("/demo").text.count(said) == 1


def test_where_cards_are_slammed_the_page_says_that_blows_are_let_pass(demo: DemoOfPins) -> None:
    """A sure knock of Thomas was shown there, and nothing came of it."""
    demo.landings = [Landing(1, "knuckle", (0, 0), 3, True, KNOCK, 0.9, 3, 0.9, 1, is_heeded=False)]
    with watten_at("tirol") as table:
        phone = Phone(build(table, PanelSettings(), demo).test_client())
        page, ear = phone.get("/demo").text, phone.get("/demo/ear").text
        heard = phone.get("/demo/heard").get_json()["heard"]

    assert page.count("every blow is let pass") == 1
    assert page.count('class="push"') == demo.seats
    assert "Click a name, or press 1 to 8" in page
    assert "let pass" in ear
    assert "data-seat" not in ear
    assert (heard[0]["heeded"], heard[0]["right"]) == (False, None)
    assert heard[0]["text"] == "knuckle: let pass: only buttons count here"


def test_where_blows_count_mats_are_no_buttons(demo_phone: Phone) -> None:
    page = demo_phone.get("/demo").text

    assert "let pass" not in page
    assert 'class="push"' not in page
    assert "Click the wood, or press 1 to 8" in page


def test_without_a_script_a_place_where_the_wood_is_deaf_is_a_button(demo: DemoOfPins) -> None:
    with watten_at("tirol") as table:
        phone = Phone(build(table, PanelSettings(), demo).test_client())
        response = phone.client.post("/demo/land", data={"kind": "glass", "seat": "3"})

    assert response.status_code == 303
    assert [(what, seat) for what, seat, *_ in demo.moved] == [("hold", 3)]


def test_only_the_last_landings_stand_on_the_page(demo_phone: Phone, demo: DemoOfPins) -> None:
    demo.landings = [Landing(number, "card", (0.5, 0.5)) for number in range(1, 9)]

    page = demo_phone.get("/demo/ear").text

    assert page.index("landing-8") < page.index("landing-7") < page.index("landing-6")
    assert "landing-5" not in page


def test_without_a_script_a_place_is_a_button_of_a_form(
    demo_phone: Phone, demo: DemoOfPins
) -> None:
    response = demo_phone.client.post("/demo/land", data={"kind": "glass", "seat": "3"})
    page = demo_phone.get(response.headers["Location"]).text

    assert response.status_code == 303
    assert demo.moved == [("strike", "glass", *demo.places[2])]
    assert 'value="glass" form="landing" checked' in page


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"seat": "3"}, 400),
        ({"kind": "axe", "seat": "3"}, 400),
        ({"kind": "glass"}, 400),
        ({"kind": "glass", "seat": "9"}, 404),
        ({"kind": "glass", "seat": "0"}, 404),
        ({"kind": "glass", "seat": "³"}, 400),
        ({"kind": "glass", "seat": "9" * 400}, 400),
    ],
)
def test_a_form_that_was_tampered_with_lands_nothing(
    demo_phone: Phone, demo: DemoOfPins, form: dict[str, str], status: int
) -> None:
    assert demo_phone.client.post("/demo/land", data=form).status_code == status
    assert demo.moved == []


def test_a_mat_begins_where_the_disc_before_its_place_ends(demo_phone: Phone) -> None:
    response = demo_phone.get("/demo/places.css")

    assert response.mimetype == "text/css"
    assert ".pad:nth-of-type(3) { left: 32.50%; top: 12%; translate: -50% 0; }" in response.text
    assert ".pad:nth-of-type(1) { left: 9.5%; top: 28.00%; translate: 0 -50%; }" in response.text
    assert "aspect-ratio: 1.2 / 0.95" in response.text


def test_points_that_fall_stand_on_a_mat_as_a_number(demo: DemoOfPins) -> None:
    """Twenty strokes of Bohemian Watten ran over the edge of every mat."""
    with watten_at("boehmisch", players=3) as table:
        mats = Phone(build(table, PanelSettings(), demo).test_client()).get("/demo").text

    assert mats.count('<span class="number">20</span>') == 3


def test_without_a_demo_there_is_no_wood(phone: Phone) -> None:
    assert strike(phone, {"x": 0.5, "y": 0.5})[0] == 404
    for path in ("/demo/heard", "/demo/ear", "/demo/places.css"):
        assert phone.get(path).status_code == 404
