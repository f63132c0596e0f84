"""A locked panel: a phone asks, somebody at the table knocks, and it may do what it asked for."""

from collections.abc import Iterator

import pytest
from flask import Flask

from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import Seat
from kloplei.knock import KnockHeard
from kloplei.table.client import ASK_S, TAKE_S
from kloplei.table.pairing import SETTLE_S, WELCOME_S
from kloplei.table.session import Session
from kloplei_panel import PanelSettings
from kloplei_panel.pairing import RateLimiter
from tests.panel.conftest import NAMES, PIN, Phone, build
from tests.table.memory_journal import MemoryJournal

DOOR = "/api/v1/door"


class House:
    """A locked panel over a table of Toepen whose clock the test moves."""

    def __init__(self, session: Session, clock: ManualSchedule, app: Flask) -> None:
        self.session = session
        self.clock = clock
        self.app = app
        self._phones = 0

    def phone(self) -> Phone:
        """Return a phone that has an address of its own."""
        self._phones += 1
        client = self.app.test_client()
        client.environ_base["REMOTE_ADDR"] = f"192.168.1.{self._phones}"
        return Phone(client)

    def keeper(self) -> Phone:
        phone = self.phone()
        assert phone.client.post("/settings/pair", data={"pin": PIN}).status_code == 303
        return phone

    def knock(self, seat: int, times: int = 1) -> None:
        self.wait(SETTLE_S)
        for _ in range(times):
            self.session.put(KnockHeard(Seat(seat - 1), 0.5, self.clock.now_s()))
            self.session.log()  # the table has heard it
            self.clock.advance(0.2)
        self.wait(1.0)

    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.session.log()


@pytest.fixture
def key() -> list[str]:
    return ["the first key"]


@pytest.fixture
def house(key: list[str]) -> Iterator[House]:
    clock = ManualSchedule()
    with Session(MemoryJournal(), clock=clock.now_s) as session:
        for seat, name in enumerate(NAMES):
            session.submit(Seat(seat), "sit_down", facts={"name": name})
        session.submit(Seat(0), "start")
        session.door.fit_key(lambda: key.__setitem__(0, "another key"))
        settings = PanelSettings(locked=True, pin=PIN, read_key=lambda: key[0])
        house = House(session, clock, build(session, settings))
        house.knock(1)  # so that the wood is known to tell seats
        yield house


def ask(phone: Phone, **asked: object) -> dict[str, object]:
    answer = phone.client.post(DOOR, json=asked, headers=phone.headers)
    assert answer.status_code == 202, answer.text
    return dict(answer.get_json())


def door(phone: Phone) -> dict[str, object]:
    return dict(phone.get(DOOR).get_json())


def test_a_knock_lets_in_the_phone_whose_word_stands_on_the_slate(house: House) -> None:
    phone = house.phone()
    asked = ask(phone)
    assert (asked["state"], asked["may"]) == ("asking", "look")
    assert phone.board["door"]["word"] == asked["word"]

    house.knock(2)

    assert door(phone) == {"may": "keep", "state": "granted", "word": asked["word"], "left_s": 0.0}
    assert door(phone) == {"may": "keep"}
    phone.do(None, "deal")


def test_seven_knocks_let_in_who_asks_though_strangers_flood_the_panel(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = house.phone()
    monkeypatch.setattr(RateLimiter, "wait_s", lambda *_: 9)
    assert phone.client.post(DOOR, json={}, headers=phone.headers).status_code == 429

    house.knock(2, 7)
    ask(phone)
    house.wait(WELCOME_S / 2)
    assert door(phone)["state"] == "queued"
    house.wait(WELCOME_S / 2)

    assert door(phone)["state"] == "granted"
    phone.do(None, "deal")


def test_seven_knocks_and_the_pin_let_in_whoever_else_asks_and_guesses(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose turn it was among many who asked was drawn by lot."""
    phone, strangers = house.phone(), [house.phone() for _ in range(60)]

    def gives(one: Phone, pin: str) -> int:
        return one.client.post("/settings/pair", data={"pin": pin}).status_code

    for stranger in strangers:
        gives(stranger, "9")
    monkeypatch.setattr(RateLimiter, "wait_s", lambda *_: 9)
    assert gives(phone, PIN) == 429
    monkeypatch.undo()
    assert gives(phone, PIN) == 429

    house.knock(2, 7)
    monkeypatch.setattr(RateLimiter, "wait_s", lambda *_: 9)
    for stranger in strangers:
        ask(stranger)
        assert gives(stranger, "8") == 403
        assert gives(stranger, PIN) == 429

    assert gives(phone, PIN) == 303
    phone.do(None, "deal")


def test_the_journal_tells_nothing_of_the_door(house: House) -> None:
    seq = house.session.scoreboard().seq

    ask(house.phone(), seat=2)
    house.knock(2)

    assert house.session.scoreboard().seq == seq


def test_who_is_let_in_at_a_seat_acts_for_that_seat_alone(house: House) -> None:
    phone = house.phone()
    ask(phone, seat=2)
    house.knock(2)
    house.keeper().do(1, "deal")

    phone.do(2, "knock")

    for seat, action in ((3, "stay"), (1, "fold"), (None, "undo"), (3, "rename")):
        answer = phone.ask(seat, action)
        assert (answer.status_code, answer.get_json()["error"]) == (403, "not_your_seat")
    assert phone.board["to_answer"] == [3, 4, 1]


def let_in(house: House, seat: int) -> Phone:
    phone = house.phone()
    ask(phone, seat=seat)
    house.knock(seat)
    assert door(phone)["state"] == "granted"
    return phone


def test_a_player_moves_nobody_but_goes_where_nobody_sits(house: House) -> None:
    phone = let_in(house, 2)
    before = phone.board["rows"]

    for seat in (1, 4):
        answer = phone.ask(2, "swap", of=seat)
        assert (answer.status_code, answer.get_json()["error"]) == (403, "keepers_only")
        form = {"seat": "2", "action": "swap", "fact.of": str(seat)}
        assert phone.client.post("/act", data=form).status_code == 403
    assert phone.board["rows"] == before

    phone.do(2, "swap", of=7)

    assert phone.ask(2, "rename", name="Me").get_json()["error"] == "not_your_seat"
    phone.do(7, "rename", name="Me")


def test_a_right_follows_the_person_it_was_given_for(house: House) -> None:
    tame, stan = let_in(house, 2), let_in(house, 4)
    tame.get("/?seat=2")
    house.keeper().do(2, "swap", of=4)

    for phone, old, new in ((tame, 2, 4), (stan, 4, 2)):
        assert phone.ask(old, "rename", name="Me").get_json()["error"] == "not_your_seat"
        # An address and a cookie of before lead to where the person sits now.
        assert f'value="seat={new}&amp;action=' in phone.get(f"/?seat={old}").text
    assert 'value="seat=4&amp;action=' in tame.get("/").text
    tame.do(4, "rename", name="Me")

    house.keeper().do(None, "undo")
    house.keeper().do(None, "undo")
    tame.do(2, "rename", name="Me again")
    assert 'value="seat=2&amp;action=' in tame.get("/?seat=2").text


def test_a_right_stays_at_its_seat_when_somebody_else_comes_to_sit_there(house: House) -> None:
    phone, keeper = let_in(house, 2), house.keeper()
    phone.get("/")
    keeper.do(2, "stand_up")
    phone.get("/")
    keeper.do(5, "sit_down", name="Tame")

    assert phone.ask(2, "sit_down", name="Me").status_code == 202


@pytest.mark.parametrize("action", ["options", "wipe", "new_evening", "deal", "start"])
def test_a_player_does_nothing_that_is_the_keepers(house: House, action: str) -> None:
    phone = house.phone()
    ask(phone, seat=2)
    house.knock(2)
    before = phone.board["seq"]

    for answer in (
        phone.ask(2, action),
        phone.client.post("/act", data={"seat": "2", "action": action}, headers=phone.headers),
    ):
        assert answer.status_code in (403, 409)
    assert phone.board["seq"] == before


def test_a_player_may_take_back_as_four_knocks_may(house: House) -> None:
    phone = house.phone()
    ask(phone, seat=2)
    house.knock(2)

    phone.do(2, "rename", name="Tamme")
    phone.do(2, "undo")

    assert phone.board["rows"][1]["name"] == "Tame"


def test_the_dealer_may_deal(house: House) -> None:
    phone = house.phone()
    ask(phone, seat=1)
    house.knock(1)
    assert phone.board["phase"] == "between_hands"

    phone.do(1, "deal")

    assert phone.board["phase"] == "exchange"


PAGES = ["/ears", "/ears/heard", "/tune", "/tune/now", "/record", "/record/now", "/doctor"]
ANSWERS = [
    "/api/v1/ears/events",
    "/api/v1/ears/suggestion",
    "/api/v1/ears/meter",
    "/api/v1/tune",
]
POSTS = [
    "/ears/mark",
    "/ears/take",
    "/ears/take-back",
    "/tune/step",
    "/record/step",
    "/record/delete",
    "/api/v1/ears/events/1/mark",
    "/api/v1/ears/take-back",
    "/api/v1/tune",
    "/settings/forget-all",
    "/door/refuse",
    "/api/v1/door/refuse",
]


@pytest.mark.parametrize("path", [*PAGES, *ANSWERS])
def test_pages_about_the_box_are_the_keepers(house: House, path: str) -> None:
    viewer, player, keeper = house.phone(), house.phone(), house.keeper()
    ask(player, seat=2)
    house.knock(2)

    statuses = [one.get(path).status_code for one in (viewer, player, keeper)]

    assert statuses[:2] == [403, 403]
    assert statuses[2] in (200, 400)  # a table without sensors has nothing to tune


@pytest.mark.parametrize("path", POSTS)
def test_what_changes_the_box_is_the_keepers(house: House, path: str) -> None:
    viewer, player = house.phone(), house.phone()
    ask(player, seat=2)
    house.knock(2)

    for phone in (viewer, player):
        assert phone.client.post(path, json={}, headers=phone.headers).status_code == 403


def test_a_page_that_is_refused_shows_the_way_in(house: House) -> None:
    page = house.phone().get("/ears", headers={"Accept": "text/html"})

    assert page.status_code == 403
    assert 'action="/door/ask"' in page.text
    assert 'name="pin"' in page.text


def test_the_second_phone_waits_without_a_word_and_is_not_let_in(house: House) -> None:
    first, second = house.phone(), house.phone()
    ask(first)
    assert ask(second) == {"may": "look", "state": "queued"}

    house.knock(2)

    assert door(first)["may"] == "keep"
    assert (door(second)["may"], door(second)["state"]) == ("look", "asking")


def test_two_phones_behind_one_address_wait_for_each_other(house: House) -> None:
    """A router that has one address for all it leads to: the second phone was sent away."""
    first, second, program = house.phone(), house.phone(), house.phone()
    for phone in (second, program):
        phone.client.environ_base["REMOTE_ADDR"] = "192.168.1.1"
    for phone in (first, second):
        phone.get("/?seat=2")
    asked = [ask(phone)["state"] for phone in (first, second, program)]
    stranger = Phone(program.client.application.test_client())
    stranger.client.environ_base["REMOTE_ADDR"] = "192.168.1.1"
    stranger.client.set_cookie("kloplei_phone", "x" * 33)

    answer = stranger.client.post(DOOR, json={})

    assert asked == ["asking", "queued", "queued"]
    assert (answer.status_code, answer.get_json()["error"]) == (409, "door_asked")
    house.knock(2)
    assert [door(phone)["may"] for phone in (first, second)] == ["keep", "look"]
    assert door(second)["state"] == "asking"


def test_a_phone_that_took_no_ticket_is_not_let_in(house: House) -> None:
    ask(house.phone())
    house.knock(2)

    assert door(house.phone()) == {"may": "look"}


def test_a_phone_that_lost_its_wifi_comes_in_later_but_not_next_day(house: House) -> None:
    soon = house.phone()
    ask(soon)
    house.knock(2)
    house.wait(TAKE_S / 2)
    late = house.phone()
    assert door(soon)["may"] == "keep"

    ask(late)
    house.knock(2)
    house.wait(TAKE_S)

    assert door(late) == {"may": "look", "state": "gone"}


def test_an_old_cookie_takes_no_grant_twice(house: House) -> None:
    phone = house.phone()
    answer = phone.client.post(DOOR, json={})
    ticket = answer.headers["Set-Cookie"].split(";")[0].removeprefix("kloplei=")
    house.knock(2)
    assert door(phone)["may"] == "keep"
    house.wait(TAKE_S)

    thief = house.phone()
    thief.client.set_cookie("kloplei", ticket)

    assert door(thief) == {"may": "look", "state": "gone"}


def test_no_script_and_no_answer_gets_the_ticket(house: House) -> None:
    phone = house.phone()
    answer = phone.client.post(DOOR, json={})

    assert set(answer.get_json()) == {"may", "state", "word", "left_s"}
    assert "HttpOnly" in answer.headers["Set-Cookie"]
    assert "SameSite=Lax" in answer.headers["Set-Cookie"]


def test_the_keeper_says_no(house: House) -> None:
    keeper, phone = house.keeper(), house.phone()
    ask(phone)
    number = keeper.board["door"]["number"]

    answer = keeper.client.post("/api/v1/door/refuse", json={"number": number})

    assert answer.status_code == 200
    assert door(phone)["state"] == "refused"
    assert "door" not in keeper.board


@pytest.mark.parametrize("says_no", [True, False])
def test_what_does_not_tell_it_takes_no_answer_away(house: House, says_no: bool) -> None:
    """A page follows the table while it is drawn: which of the two came first is chance."""
    keeper, phone = house.keeper(), house.phone()
    ask(phone)
    if says_no:
        number = keeper.board["door"]["number"]
        keeper.client.post("/api/v1/door/refuse", json={"number": number})
    else:
        house.wait(ASK_S)

    assert phone.board["game"] == "toepen"

    assert door(phone)["state"] == ("refused" if says_no else "gone")


def test_a_no_stands_there_as_long_as_the_door_knows_of_it_and_is_no_silence_then(
    house: House,
) -> None:
    keeper, phone = house.keeper(), house.phone()
    ask(phone)
    number = keeper.board["door"]["number"]
    keeper.client.post("/api/v1/door/refuse", json={"number": number})

    assert [door(phone).get("state") for _ in range(3)] == ["refused"] * 3
    house.wait(TAKE_S)
    assert [door(phone) for _ in range(2)] == [{"may": "look"}] * 2


def test_asking_twice_for_the_same_is_asking_once(house: House) -> None:
    phone = house.phone()

    assert ask(phone)["word"] == ask(phone)["word"]


def test_who_asks_for_something_else_has_to_wait(house: House) -> None:
    phone = house.phone()
    ask(phone)

    answer = phone.client.post(DOOR, json={"seat": 2}, headers=phone.headers)

    assert (answer.status_code, answer.get_json()["error"]) == (409, "door_wait")


def test_what_is_taken_back_is_gone(house: House) -> None:
    phone = house.phone()
    ask(phone)

    assert phone.client.delete(DOOR).get_json() == {"may": "look"}

    house.knock(2)
    assert door(phone) == {"may": "look"}
    assert "door" not in phone.board


def test_nobody_has_to_ask_where_all_is_open(phone: Phone) -> None:
    answer = phone.client.post(DOOR, json={})

    assert (answer.status_code, answer.get_json()["error"]) == (404, "door_open")
    assert phone.get(DOOR).get_json() == {"may": "keep"}


@pytest.mark.parametrize(
    ("asked", "status"),
    [({"seat": 9}, 404), ({"seat": 0}, 404), ({"seat": "2"}, 400), ({"seat": True}, 400)],
)
def test_a_seat_has_to_be_one(house: House, asked: dict[str, object], status: int) -> None:
    assert house.phone().client.post(DOOR, json=asked).status_code == status


def test_without_a_script_it_is_two_taps_and_a_knock(house: House) -> None:
    phone = house.phone()
    before = phone.get("/?seat=2").text
    asked = phone.client.post("/door/ask", data={"seat": "2"}, headers=phone.headers)
    waiting = phone.get(asked.headers["Location"]).text
    word = phone.board["door"]["word"]
    house.knock(2)
    after = phone.get(asked.headers["Location"]).text

    assert 'action="/door/ask?seat=2"' in before
    assert (asked.status_code, asked.headers["Location"]) == (303, "/?seat=2")
    assert word in waiting
    assert "knock 1x at seat 2" in waiting
    assert "data-act" not in waiting
    assert "data-act" in after
    assert 'action="/door/ask' not in after


def test_who_was_not_let_in_reads_why(house: House) -> None:
    keeper, phone = house.keeper(), house.phone()
    page = "/?seat=keeper"
    phone.client.post("/door/ask", data={"seat": ""})
    number = keeper.board["door"]["number"]
    refusal = keeper.client.post("/door/refuse", data={"number": str(number)})

    assert refusal.status_code == 303
    assert "The keeper said no." in phone.get(page).text
    other = house.phone()
    other.client.post("/door/ask", data={"seat": ""})
    house.wait(ASK_S)
    assert "Nobody knocked." in other.get(page).text
    assert "Nobody knocked." not in other.get(page).text


def test_only_the_keeper_sees_how_to_say_no(house: House) -> None:
    keeper, viewer = house.keeper(), house.phone()
    ask(house.phone())

    assert 'action="/door/refuse' in keeper.get("/?seat=keeper").text
    assert 'action="/door/refuse' not in viewer.get("/").text
    assert 'action="/door/refuse' not in keeper.get("/tv").text


def test_forgetting_all_phones_makes_viewers_of_them(house: House) -> None:
    keeper, other, player = house.keeper(), house.keeper(), house.phone()
    ask(player, seat=2)
    house.knock(2)
    assert [door(one)["may"] for one in (keeper, other, player)] == ["keep", "keep", "act"]

    assert keeper.client.post("/settings/forget-all").status_code == 303

    assert [door(one)["may"] for one in (keeper, other, player)] == ["look"] * 3
    assert door(house.keeper())["may"] == "keep"


def test_a_table_that_is_silent_lets_nobody_in_and_breaks_nothing(house: House) -> None:
    phone = house.phone()
    ask(phone)
    house.session.close()

    assert phone.get("/help").status_code == 200
    assert phone.client.post(DOOR, json={}).status_code == 503
