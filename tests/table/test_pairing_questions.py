"""Who may ask at the door, how often, in which order, and under which word."""

from collections.abc import Sequence
from contextlib import suppress

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.network.addresses import household
from kloplei.table.client import ASK_S, TAKE_S, DoorState
from kloplei.table.pairing import (
    AWAY_S,
    FORGOTTEN_S,
    MOST_OF_ADDRESS,
    MOST_QUEUED,
    OF_ALL,
    PAUSES_S,
    REFUSED_S,
    WORDS,
    PairingQuestions,
)

PHONE = "192.168.1.20"


class Door:
    """The questions at a door, and the clock beside it."""

    def __init__(self) -> None:
        self.questions = PairingQuestions(self._first)
        self.now_s = 1000.0

    def ask(self, asker: str = PHONE, seat: int | None = None, phone: str = "") -> str:
        place = None if seat is None else Seat(seat - 1)
        return self.questions.ask(place, asker, self.now_s, phone).ticket

    def why_not(self, asker: str = PHONE, phone: str = "") -> tuple[str, object] | None:
        """Return why *asker* may not ask, and for how long; None if it may, and asks."""
        try:
            self.ask(asker, phone=phone)
        except IllegalAction as refusal:
            return refusal.reason, refusal.facts.get("wait_s")
        return None

    def state(self, ticket: str) -> DoorState:
        return self.questions.look(ticket, self.now_s).state

    def word(self, ticket: str) -> str:
        return self.questions.look(ticket, self.now_s).word

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.questions.pass_time(self.now_s)

    def in_vain(self, asker: str = PHONE) -> None:
        self.ask(asker)
        self.wait(ASK_S)

    @staticmethod
    def _first(words: Sequence[str]) -> str:
        return words[0]


@pytest.fixture
def door() -> Door:
    return Door()


def test_one_phone_asks_at_a_time_and_the_next_has_no_word_yet(door: Door) -> None:
    first, second = door.ask(), door.ask("192.168.1.21", seat=3)

    assert (door.state(first), door.state(second)) == ("asking", "queued")
    assert door.word(first)
    assert door.word(second) == ""


def test_the_next_one_asks_when_the_first_is_done(door: Door) -> None:
    first, second = door.ask(), door.ask("192.168.1.21")

    door.questions.grant(door.now_s)

    assert (door.state(first), door.state(second)) == ("granted", "asking")
    assert door.word(second) not in ("", door.word(first))
    assert door.questions.look(second, door.now_s).until_s == door.now_s + ASK_S


def test_no_two_phones_of_an_evening_get_the_same_word_soon(door: Door) -> None:
    words = []
    for number in range(len(WORDS) // 2):
        words.append(door.word(door.ask(f"10.0.0.{number}")))
        door.questions.grant(door.now_s)

    assert len(set(words)) == len(words)


def test_no_two_tickets_are_alike_or_easy_to_guess(door: Door) -> None:
    tickets = {door.ask(f"10.0.0.{number}") for number in range(MOST_QUEUED + 1)}

    assert len(tickets) == MOST_QUEUED + 1
    assert min(map(len, tickets)) >= 22


@pytest.mark.parametrize("wrong", ["", "x", "KROKET", "ünicode", "\ud800"])
def test_a_ticket_that_is_nobodys_is_gone(door: Door, wrong: str) -> None:
    ticket = door.ask()
    door.questions.grant(door.now_s)

    assert door.state(wrong) == "gone"
    assert door.state(ticket[:-1]) == "gone"


def test_the_queue_is_short(door: Door) -> None:
    for number in range(MOST_QUEUED + 1):
        door.ask(f"10.0.0.{number}")

    assert door.why_not("10.0.1.1") == ("door_busy", None)


def test_who_waits_and_has_left_is_not_waited_for(door: Door) -> None:
    first, left, third = door.ask(), door.ask("10.0.0.2"), door.ask("10.0.0.3")
    door.now_s += AWAY_S - 1
    door.state(third)
    door.now_s += 1

    door.questions.grant(door.now_s)

    assert [door.state(one) for one in (first, left, third)] == ["granted", "gone", "asking"]


def test_a_household_asks_one_question_at_a_time(door: Door) -> None:
    door.ask("2001:db8:1:2::1")

    assert door.why_not("2001:db8:1:2::2") == ("door_asked", None)
    assert door.why_not("2001:db8:1:3::1") is None


def test_an_address_asks_one_question_at_a_time(door: Door) -> None:
    door.ask()

    assert door.why_not() == ("door_asked", None)
    assert door.why_not("192.168.1.21") is None


def test_phones_behind_one_address_wait_for_each_other(door: Door) -> None:
    """The second was told that it asks already, though it was another phone."""
    first, second = door.ask(phone="a"), door.ask(phone="b")
    assert door.why_not(phone="b") == ("door_asked", None)
    assert [door.state(one) for one in (first, second)] == ["asking", "queued"]

    door.questions.grant(door.now_s)

    assert [door.state(one) for one in (first, second)] == ["granted", "asking"]


def test_a_phone_comes_no_sooner_for_what_another_of_its_address_asked_in_vain(door: Door) -> None:
    first, second = door.ask(phone="a"), door.ask(phone="b")
    door.wait(AWAY_S - 1)
    door.state(second)

    door.wait(ASK_S - AWAY_S + 1)
    between = door.state(second)
    assert door.questions.next_deadline == door.now_s + PAUSES_S[0]
    door.wait(PAUSES_S[0])

    assert [door.state(first), between, door.state(second)] == ["gone", "queued", "asking"]
    third = door.ask(phone="c")
    door.questions.refuse(2, door.now_s)
    assert (door.questions.open, door.state(third)) == (None, "gone")


def test_an_address_of_many_phones_takes_no_place_of_others(door: Door) -> None:
    for number in range(MOST_OF_ADDRESS):
        door.ask(phone=str(number))
    assert door.why_not(phone="one more") == ("door_asked", None)
    others = [door.ask(f"10.0.0.{number}") for number in range(MOST_QUEUED - 1)]
    assert door.why_not("10.0.1.1") == ("door_busy", None)

    door.wait(AWAY_S - 1)
    for ticket in others:
        door.state(ticket)
    door.wait(ASK_S - AWAY_S + 1)

    assert [door.state(one) for one in others] == ["asking", "queued"]


@pytest.mark.parametrize("knocked_for", [False, True])
def test_who_says_to_be_many_phones_asks_no_oftener_than_one(knocked_for: bool) -> None:
    asked = []
    for phones in (1, MOST_OF_ADDRESS + 2):
        door, tickets = Door(), dict[int, str]()
        for second in range(2 * 3600):
            if knocked_for and second == 1800 and door.questions.open:
                door.questions.grant(door.now_s)
            for phone in range(phones):
                if second % 5 == 0 and phone in tickets:
                    door.state(tickets[phone])
                if door.state(tickets.get(phone, "")) == "gone" and second % 5 == 1:
                    with suppress(IllegalAction):
                        tickets[phone] = door.ask(phone=str(phone))
            door.wait(1.0)
        asked.append(door.questions._number)

    assert asked[0] >= asked[1] > 0


def test_seven_knocks_take_an_address_for_one_phone(door: Door) -> None:
    door.questions.welcome(door.now_s)

    assert door.why_not(phone="a") is None
    assert door.why_not(phone="b") == ("door_asked", None)


@pytest.mark.parametrize("tries", range(len(PAUSES_S)))
def test_the_pause_grows_with_every_question_in_vain(door: Door, tries: int) -> None:
    for _ in range(tries):
        door.in_vain()
        door.wait(PAUSES_S[-1])

    door.in_vain()

    assert door.why_not() == ("door_wait", int(PAUSES_S[tries]))
    door.wait(PAUSES_S[tries])
    assert door.why_not() is None


def test_taking_a_question_back_is_asking_in_vain_as_well(door: Door) -> None:
    door.questions.withdraw(door.ask(), door.now_s)

    assert door.why_not() == ("door_wait", int(PAUSES_S[0]))


def test_who_waits_in_the_queue_may_leave_it_for_nothing(door: Door) -> None:
    door.ask()
    door.questions.withdraw(door.ask("192.168.1.21"), door.now_s)

    assert door.why_not("192.168.1.21") is None


def test_who_is_let_in_starts_afresh(door: Door) -> None:
    door.in_vain()
    door.wait(PAUSES_S[0])
    door.ask()
    door.questions.grant(door.now_s)

    assert door.why_not() is None


def test_a_no_keeps_the_phone_away_for_long(door: Door) -> None:
    ticket = door.ask()

    door.questions.refuse(1, door.now_s)

    assert door.state(ticket) == "refused"
    assert door.questions.open is None
    assert door.why_not() == ("door_wait", int(REFUSED_S))


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_no_to_another_question_is_no_answer(door: Door, number: int) -> None:
    ticket = door.ask()

    with pytest.raises(IllegalAction) as refused:
        door.questions.refuse(number, door.now_s)

    assert refused.value.reason == "door_gone"
    assert door.state(ticket) == "asking"


def test_a_no_that_comes_too_late_takes_nothing_back(door: Door) -> None:
    ticket = door.ask()
    door.questions.grant(door.now_s)

    with pytest.raises(IllegalAction):
        door.questions.refuse(1, door.now_s)

    assert door.state(ticket) == "granted"


def test_changing_the_address_all_night_does_not_keep_the_slate_busy(door: Door) -> None:
    """Somebody in the street has a thousand addresses and nothing else to do."""
    asked_s = 0.0
    for minute in range(8 * 60):
        if door.why_not(f"10.{minute // 250}.0.{minute % 250}") is None:
            asked_s += ASK_S
        door.wait(60.0)

    assert asked_s <= 8 * OF_ALL[1][0] * ASK_S
    assert asked_s / (8 * 3600) < 0.09


def test_one_phone_in_the_street_is_hardly_seen(door: Door) -> None:
    asked = 0
    for _ in range(8 * 60):
        asked += door.why_not() is None
        door.wait(60.0)

    assert asked <= 8 * 6


def test_after_a_quiet_hour_all_is_forgotten(door: Door) -> None:
    for _ in PAUSES_S:
        door.in_vain()
        door.wait(PAUSES_S[-1])
    door.wait(FORGOTTEN_S)

    door.in_vain()

    assert door.why_not() == ("door_wait", int(PAUSES_S[0]))


def test_a_grant_is_taken_by_who_asked_and_only_in_time(door: Door) -> None:
    first, second = door.ask(), door.ask("192.168.1.21")
    door.questions.grant(door.now_s)
    door.wait(1.0)

    assert (door.state(first), door.state(second)) == ("granted", "asking")
    door.wait(TAKE_S)
    assert door.state(first) == "gone"


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("192.168.1.20", "192.168.1.20"),
        ("::ffff:192.168.1.20", "192.168.1.20"),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"),
        ("fe80::1%wlan0", "fe80::2"),
        ("", ""),
        ("no address", "no address"),
    ],
)
def test_addresses_one_phone_can_have_are_one(address: str, same: str) -> None:
    assert household(address) == household(same)


def test_other_phones_are_others() -> None:
    assert household("192.168.1.20") != household("192.168.1.21")
    assert household("2001:db8:1:2::1") != household("2001:db8:1:3::1")


def test_words_are_short_plain_and_not_alike() -> None:
    assert len(set(WORDS)) == len(WORDS)
    assert len({word[:3] for word in WORDS}) == len(WORDS)
    for word in WORDS:
        assert word.isascii()
        assert word.isupper()
        assert 5 <= len(word) <= 9
