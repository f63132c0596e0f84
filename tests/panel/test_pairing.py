"""With a lock a phone only looks on until it has entered the PIN of the slate.

Who may only look sends a little, not a flood; who was let in is not slowed down by others.
"""

import re
import time
from collections.abc import Iterator
from html import unescape

import pytest
from flask import Flask
from flask import session as cookie

from kloplei.games.game import Seat
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session
from kloplei.words import LANGUAGES
from kloplei_panel import PanelSettings, create_app
from kloplei_panel.context import ASKS_EACH
from kloplei_panel.pairing import (
    FREE_TRIES,
    KNOCK_S,
    ONE_TRY_S,
    PAUSES_S,
    PIN_S,
    TRIES_ALL,
    WITHIN_S,
    Pairing,
    RateLimiter,
    TooManyTries,
)
from kloplei_panel.reader import own_words
from tests.panel.conftest import NAMES, PIN, DemoOfPins, Phone, build
from tests.panel.tarok_table import tarok_at
from tests.table.memory_journal import MemoryJournal
from tests.until import until


def pair(phone: Phone, pin: str) -> int:
    return phone.client.post("/settings/pair", data={"pin": pin}).status_code


def test_a_phone_that_is_not_paired_may_look_and_not_act(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    assert phone.get("/").status_code == 200
    assert phone.board["phase"] == "between_hands"
    for seat in (1, None):
        response = phone.ask(seat, "deal")
        assert (response.status_code, response.get_json()["error"]) == (403, "not_allowed")
    assert phone.client.post("/act", data={"action": "deal", "seat": "1"}).status_code == 403
    assert phone.board["phase"] == "between_hands"


def test_a_right_stays_where_it_is_while_somebody_there_is_called_as_before(
    locked_app: Flask,
) -> None:
    pairing: Pairing = locked_app.extensions["kloplei"].pairing
    with locked_app.test_request_context("/"):
        pairing.let_in(Seat(4))
        pairing.follow(lambda: {Seat(2): "Ann", Seat(4): "Jan"})
        pairing.follow(lambda: {Seat(2): "Jan", Seat(4): "Jan"})
        assert pairing.own_seat == Seat(4)
        pairing.follow(lambda: {Seat(2): "Jan", Seat(4): "Ann"})
        assert pairing.own_seat == Seat(2)


def test_the_pin_of_the_slate_pairs_a_phone(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    assert pair(phone, PIN) == 303

    phone.do(1, "deal")


def test_a_seat_asks_for_the_pin_before_it_shows_buttons(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    before = phone.get("/?seat=1").text
    pair(phone, PIN)
    after = phone.get("/?seat=1").text

    assert 'name="pin"' in before
    assert "data-act" not in before
    assert 'name="pin"' not in after
    assert "data-act" in after


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_and_door_tell_what_seven_knocks_do(locked_app: Flask, language: str) -> None:
    phone = Phone(locked_app.test_client(), language)
    sentence = own_words(language).say("door.seven")

    for path in ("/help", "/?seat=1"):
        assert sentence in unescape(phone.get(path).text)


def test_pairing_is_the_phones_own(locked_app: Flask) -> None:
    pair(Phone(locked_app.test_client()), PIN)

    assert Phone(locked_app.test_client()).ask(1, "deal").status_code == 403


CODE = "x" * 16


@pytest.fixture
def evening() -> list[str]:
    """PIN and code of an evening that the test lets change."""
    return [PIN, CODE]


@pytest.fixture
def tonight(table: Session, evening: list[str]) -> Flask:
    read = lambda: (evening[0], evening[1])  # noqa: E731
    settings = PanelSettings(locked=True, read_evening=read, read_seal=lambda: "1111")
    return build(table, settings)


def test_who_scanned_the_slate_comes_in_where_it_asks_without_a_knock(tonight: Flask) -> None:
    phone = Phone(tonight.test_client())
    assert phone.client.get(f"/IN/{CODE}").status_code == 303  # as the slate shows it
    assert phone.ask(2, "deal").status_code == 403  # it has not asked for a place yet

    phone.client.post("/door/ask", data={"seat": "2"})

    assert phone.get("/api/v1/door").get_json() == {"may": "act"}
    assert phone.ask(1, "deal").get_json()["error"] == "not_your_seat"
    # Only the keeper lets two swap: this phone is offered empty places, and told no more than that.
    assert "Two who sit already change places on the slate keeper" in phone.get("/?seat=2").text


def test_another_code_lets_nobody_in_and_says_where_the_right_one_is(tonight: Flask) -> None:
    phone = Phone(tonight.test_client())

    answer = phone.client.get("/in/yyyy?lang=en")
    phone.client.post("/door/ask", data={"seat": "2"})

    assert answer.status_code == 403
    assert "Scan the one on the slate." in answer.text
    assert phone.get("/api/v1/door").get_json()["may"] == "look"


def test_fifty_addresses_that_guess_do_not_hold_up_who_scans_the_slate(tonight: Flask) -> None:
    """They kept door and PIN shut all night."""
    for number in range(TRIES_ALL + 20):
        from_there = {"REMOTE_ADDR": f"10.0.{number // 250}.{number % 250 + 1}"}
        client = tonight.test_client()
        client.post("/settings/pair", data={"pin": "0000"}, environ_overrides=from_there)
        client.post("/door/ask", data={"seat": "1"}, environ_overrides=from_there)
    phone = Phone(tonight.test_client())
    assert pair(phone, PIN) == 429
    phone.client.get(f"/in/{CODE}")

    phone.client.post("/door/ask", data={"seat": ""})

    phone.do(1, "deal")


def test_a_new_evening_ends_pin_and_code_and_leaves_phones_in(
    tonight: Flask, evening: list[str]
) -> None:
    scanned, paired = Phone(tonight.test_client()), Phone(tonight.test_client())
    scanned.client.get(f"/in/{CODE}")
    pair(paired, PIN)

    evening[:] = ["9999" if PIN != "9999" else "8888", "z" * 16]
    scanned.client.post("/door/ask", data={"seat": "2"})

    paired.do(1, "deal")
    assert scanned.get("/api/v1/door").get_json()["may"] == "look"
    assert pair(Phone(tonight.test_client()), PIN) == 403
    assert pair(Phone(tonight.test_client()), evening[0]) == 303


def test_phones_of_before_stay_in_when_the_pin_begins_to_change(table: Session) -> None:
    """Their cookies carry a mark of the PIN in panel-keys.json, made at the first start."""
    old = build(table, PanelSettings(locked=True, pin="1111", secret_key="k" * 64))
    new = build(
        table,
        PanelSettings(
            locked=True,
            secret_key="k" * 64,
            read_seal=lambda: "1111",
            read_evening=lambda: (PIN, CODE),
        ),
    )
    phone = Phone(old.test_client())
    pair(phone, "1111")
    cookie = phone.client.get_cookie("kloplei")
    assert cookie is not None

    later = new.test_client()
    later.set_cookie("kloplei", cookie.value)

    Phone(later).do(1, "deal")


DAY_S = 24 * 3600.0


def test_a_clock_that_runs_back_a_day_shuts_nobody_out(
    locked_app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Pi without battery and network wakes up when it was last told the time."""
    phone = Phone(locked_app.test_client())
    given_s = time.time()
    pair(phone, PIN)

    monkeypatch.setattr(time, "time", lambda: given_s - DAY_S)

    assert phone.ask(1, "deal").status_code == 202


def test_the_cookie_is_signed_and_holds_no_pin(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())
    response = phone.client.post("/settings/pair", data={"pin": PIN})
    cookie = response.headers["Set-Cookie"]

    assert PIN not in cookie
    assert "SameSite=Lax" in cookie
    assert "HttpOnly" in cookie

    forged = Phone(locked_app.test_client())
    value = cookie.split(";")[0].removeprefix("kloplei=")
    forged.client.set_cookie("kloplei", "x" + value)
    assert forged.ask(1, "deal").status_code == 403


def test_after_a_wrong_pin_its_box_is_open_for_the_right_one(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    wrong = phone.client.post("/settings/pair?seat=1", data={"pin": "0000"}).text

    assert 'id="door-pin" open>' in wrong
    assert 'id="door-pin">' in phone.get("/settings?seat=1").text


def test_a_new_pin_ends_old_pairings(table: Session) -> None:
    key = "the same key"
    old = create_app(table, settings=PanelSettings(locked=True, pin="1111", secret_key=key))
    new = create_app(table, settings=PanelSettings(locked=True, pin="2222", secret_key=key))
    cookie = old.test_client().post("/settings/pair", data={"pin": "1111"}).headers["Set-Cookie"]
    value = cookie.split(";")[0].removeprefix("kloplei=")

    statuses = []
    for app in (old, new):
        # Werkzeug 2 and 3 differ in `set_cookie`.
        phone = Phone(app.test_client(use_cookies=False))
        phone.client.environ_base["HTTP_COOKIE"] = f"kloplei={value}"
        statuses.append(phone.ask(1, "rename", name="Matthijs").status_code)

    assert statuses == [202, 403]


def test_a_phone_may_go_back_to_looking_on(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())
    pair(phone, PIN)

    phone.client.post("/settings/unpair")

    assert phone.ask(1, "deal").status_code == 403


def test_a_wrong_pin_is_refused_and_often_wrong_has_to_wait(locked_app: Flask) -> None:
    phone = Phone(locked_app.test_client())

    assert [pair(phone, "0000") for _ in range(FREE_TRIES)] == [403] * FREE_TRIES
    assert pair(phone, PIN) == 429


def test_a_lock_without_a_pin_opens_for_nobody(table: Session) -> None:
    app = build(table, PanelSettings(locked=True, pin=None))

    assert pair(Phone(app.test_client()), "") == 403


class Bouncer(Pairing):
    """A lock whose clocks the test moves, in a request of some phone."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        super().__init__(PIN, locked=True, now=lambda: self.now_s, wall=lambda: self.now_s)

    def wrong(self, address: str) -> float:
        """Try a wrong PIN; return how long the next try has to wait."""
        assert not self.pair("9", address)
        return self.wait_s(address)

    def wait_s(self, address: str) -> float:
        try:
            self._hold_off(self._guesser(address))
        except TooManyTries as error:
            return error.wait_s
        return 0.0


@pytest.fixture
def bouncer(locked_app: Flask) -> Iterator[Bouncer]:
    with locked_app.test_request_context():
        yield Bouncer()


def test_the_pauses_grow_and_end(bouncer: Bouncer) -> None:
    waits = []
    for _ in range(FREE_TRIES + len(PAUSES_S)):
        waits.append(bouncer.wrong("10.0.0.1"))
        bouncer.now_s += waits[-1]

    assert waits == [0.0] * (FREE_TRIES - 1) + [*PAUSES_S, PAUSES_S[-1]]
    assert bouncer.pair(PIN, "10.0.0.1")


def test_a_right_given_in_the_future_ends_as_one_of_now(bouncer: Bouncer) -> None:
    bouncer.now_s = 2 * PIN_S
    bouncer.let_in(Seat(1))
    bouncer.now_s = 1000.0
    assert bouncer.may_act_for(Seat(1))

    bouncer.now_s += KNOCK_S + 1.0

    assert not bouncer.may_act


def test_the_wait_of_one_phone_is_nobody_elses(bouncer: Bouncer) -> None:
    for _ in range(FREE_TRIES):
        bouncer.wrong("10.0.0.1")

    assert bouncer.pair(PIN, "10.0.0.2")


def test_changing_addresses_does_not_help(bouncer: Bouncer) -> None:
    for number in range(TRIES_ALL):
        bouncer.wrong(f"10.0.1.{number}")

    with pytest.raises(TooManyTries) as caught:
        bouncer.pair("9", "10.0.2.1")
    assert caught.value.wait_s == WITHIN_S


def test_who_is_welcome_is_heard_once_whatever_others_guess(bouncer: Bouncer) -> None:
    for number in range(TRIES_ALL):
        bouncer.wrong(f"10.0.1.{number}")

    assert not bouncer.pair("9", "10.0.1.1", is_welcome=True)
    with pytest.raises(TooManyTries):
        bouncer.pair(PIN, "10.0.1.1", is_welcome=True)
    with pytest.raises(TooManyTries):
        bouncer.pair(PIN, "10.0.2.1")
    assert bouncer.pair(PIN, "10.0.2.1", is_welcome=True)
    bouncer.now_s += ONE_TRY_S
    assert bouncer.pair(PIN, "10.0.1.1", is_welcome=True)


def test_who_was_right_before_is_not_locked_out_by_who_guesses(bouncer: Bouncer) -> None:
    bouncer.pair(PIN, "10.0.0.1")
    for number in range(TRIES_ALL):
        bouncer.wrong(f"10.0.1.{number}")

    assert bouncer.pair(PIN, "10.0.0.1")


def test_all_addresses_of_one_house_are_one(bouncer: Bouncer) -> None:
    waits = [bouncer.wrong(f"2001:db8:1:2::{number}") for number in range(FREE_TRIES - 1)]
    assert not bouncer.pair("9", "2001:db8:1:2::ff")

    assert waits == [0.0] * (FREE_TRIES - 1)
    with pytest.raises(TooManyTries):
        bouncer.pair(PIN, "2001:db8:1:2::fe")


def test_a_night_of_guessing_finds_no_pin(bouncer: Bouncer) -> None:
    """A hundred addresses that never sleep, for eight hours, try fewer than half of all PINs."""
    tries = 0
    for _ in range(8 * 60):
        for number in range(100):
            if bouncer.wait_s(f"10.0.1.{number}") == 0.0:
                assert not bouncer.pair("9", f"10.0.1.{number}")
                tries += 1
        bouncer.now_s += 60.0

    assert tries < 5000


def test_a_right_ends_by_itself(bouncer: Bouncer) -> None:
    bouncer.pair(PIN, "10.0.0.1")
    by_pin = bouncer.may
    bouncer.now_s += PIN_S
    after = bouncer.may
    bouncer.let_in(Seat(2))
    by_knock = bouncer.may
    bouncer.now_s += KNOCK_S

    assert (by_pin, after, by_knock, bouncer.may) == ("keep", "look", "act", "look")


def test_a_seat_is_that_seat_and_no_other(bouncer: Bouncer) -> None:
    bouncer.let_in(Seat(2))

    assert [bouncer.may_act_for(Seat(seat)) for seat in range(4)] == [False, False, True, False]
    assert not bouncer.may_keep


def test_a_keeper_loses_nothing_by_a_knock_for_a_seat(bouncer: Bouncer) -> None:
    bouncer.let_in(None)

    bouncer.let_in(Seat(2))

    assert bouncer.may == "keep"


@pytest.mark.parametrize(
    ("name", "value"),
    [("may", None), ("may", 3.5), ("until", "9999999999"), ("mark", "x"), ("mark", None)],
)
def test_a_right_that_is_not_whole_is_none(bouncer: Bouncer, name: str, value: object) -> None:
    bouncer.let_in(None)

    cookie[name] = value

    assert bouncer.may == "look"


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
    assert [stranger.ask(1, "deal").status_code for _ in range(ASKS_EACH)] == [403] * ASKS_EACH
    until(lambda: stranger.ask(1, "deal").status_code == 429)
    refused = stranger.ask(1, "deal")

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


def test_whoever_sits_at_tarok_tells_the_hand_of_everybody() -> None:
    """The dealer's phone showed the whole sheet, and each tap was refused for another's seat."""
    with tarok_at() as table:
        app = build(table, PanelSettings(locked=True, read_evening=lambda: (PIN, CODE)))
        dealer, stranger = Phone(app.test_client()), Phone(app.test_client())
        dealer.client.get(f"/in/{CODE}")
        dealer.client.post("/door/ask", data={"seat": "1"})
        dealer.do(1, "deal")
        dealer.do(2, "fate", what="pagat_home")
        dealer.do(None, "take_back", entry=1)
        dealer.do(2, "fate", what="pagat_home")
        dealer.do(3, "last_trick")
        dealer.do(1, "points", points=26)
        dealer.do(2, "points", points=26)

        assert stranger.ask(3, "last_trick").get_json()["error"] == "not_allowed"
        assert dealer.ask(2, "pass").get_json()["error"] == "not_your_seat"
        dealer.do(None, "book")
        dealer.do(None, "settle")


def test_a_phone_at_a_seat_can_say_that_all_were_equal_or_the_deal_was_wrong() -> None:
    """Only the keeper could, and a table without one was stuck with the hand."""
    setup = TableSetup(game="eenendertigen", preset="nl")
    with Session(MemoryJournal(), setup) as table:
        for seat, name in enumerate(NAMES[:3]):
            table.submit(Seat(seat), "sit_down", facts={"name": name})
        table.submit(Seat(2), "start")
        app = build(table, PanelSettings(locked=True, read_evening=lambda: (PIN, CODE)))
        phone = Phone(app.test_client())
        phone.client.get(f"/in/{CODE}")
        phone.client.post("/door/ask", data={"seat": "1"})
        for word in ("misdeal", "equal"):
            table.submit(None, "deal")
            assert f'id="sheet-{word}-1"' in phone.get("/?seat=1").text
            phone.do(1, word)


def test_a_phone_at_a_seat_begins_as_three_knocks_there_do() -> None:
    """Who had sat down read that there was nothing to do, and only the keeper could begin."""
    with Session(MemoryJournal(), TableSetup()) as table:
        for seat, name in enumerate(NAMES[:3]):
            table.submit(Seat(seat), "sit_down", facts={"name": name})
        app = build(table, PanelSettings(locked=True, read_evening=lambda: (PIN, CODE)))
        phone = Phone(app.test_client())
        phone.client.get(f"/in/{CODE}")
        phone.client.post("/door/ask", data={"seat": "2"})
        assert re.search(r'id="do-start-2".*>Start, I deal<', phone.get("/?seat=2").text)
        assert 'id="do-start-4"' not in phone.get("/?seat=4").text
        phone.do(2, "start")

        assert table.scoreboard().dealer == Seat(1)
