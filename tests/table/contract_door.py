"""What every `TableClient` keeps of its door, in memory or over a socket."""

import pytest

from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import IllegalAction, Seat
from kloplei.knock import KnockHeard
from kloplei.table.client import (
    ASK_S,
    BadRequest,
    DoorAnswer,
    DoorState,
    TableClient,
    TableUnavailable,
)
from kloplei.table.pairing import SETTLE_S
from kloplei.table.session import Session
from tests.table.contract import TAME, THOMAS, TableClientContract, begin


class DoorContract(TableClientContract):
    """The part of the contract that `TableClient.door` keeps."""

    def test_a_knock_lets_in_the_phone_that_asks(
        self, client: TableClient, session: Session, clock: ManualSchedule
    ) -> None:
        seq = begin(client)
        asked, until_s = client.door.ask(None, "192.168.1.20"), clock.now_s() + ASK_S
        door = client.scoreboard().door
        clock.advance(SETTLE_S)
        for _ in range(3):
            session.put(KnockHeard(TAME, 0.5, clock.now_s()))
            assert client.door.look(asked.ticket).state == "asking"
            clock.advance(0.2)
        clock.advance(1.0)

        answer = client.door.look(asked.ticket)

        assert door is not None
        assert (asked.state, asked.word, asked.until_s) == ("asking", door.word, until_s)
        assert answer == DoorAnswer(DoorState.GRANTED, asked.ticket, asked.word)
        assert client.scoreboard().seq == seq

    def test_a_question_that_runs_out_is_no_news(
        self, client: TableClient, clock: ManualSchedule
    ) -> None:
        asked = client.door.ask(None, "192.168.1.20")
        before = client.scoreboard()

        clock.advance(1.5)

        assert client.door.look(asked.ticket) == asked
        assert client.scoreboard() == before

    def test_a_phone_asks_for_a_seat_and_takes_it_back(self, client: TableClient) -> None:
        before = client.scoreboard()
        asked = client.door.ask(THOMAS, "192.168.1.20")
        door = client.scoreboard().door

        client.door.withdraw(asked.ticket)

        assert (asked.seat, door and door.seat) == (THOMAS, THOMAS)
        assert client.door.look(asked.ticket).state == "gone"
        assert client.scoreboard() == before

    def test_the_door_says_no_with_its_reason(self, client: TableClient) -> None:
        asked = client.door.ask(None, "192.168.1.20")
        with pytest.raises(IllegalAction) as again:
            client.door.ask(None, "192.168.1.20")
        with pytest.raises(IllegalAction) as unknown:
            client.door.refuse(99)

        client.door.refuse(1)

        with pytest.raises(IllegalAction) as later:
            client.door.ask(None, "192.168.1.20")
        assert client.door.look(asked.ticket).state == "refused"
        reasons = [one.value.reason for one in (again, unknown, later)]
        assert reasons == ["door_asked", "door_gone", "door_wait"]
        assert later.value.facts["wait_s"]

    def test_the_door_tells_phones_of_one_address_apart(self, client: TableClient) -> None:
        told = [client.door.ask(None, "192.168.1.20", phone).state for phone in ("a", "b", "")]

        with pytest.raises(IllegalAction):
            client.door.ask(None, "192.168.1.20", "a")
        assert told == ["asking", "queued", "queued"]

    def test_nobody_is_let_in_at_a_seat_that_is_not(self, client: TableClient) -> None:
        for seat in (Seat(4), Seat(-1)):
            with pytest.raises(BadRequest):
                client.door.ask(seat, "192.168.1.20")

    def test_phones_are_forgotten_by_a_new_key(self, client: TableClient, session: Session) -> None:
        with pytest.raises(BadRequest):
            client.door.forget_phones()
        renewed: list[bool] = []
        session.door.fit_key(lambda: renewed.append(True))

        client.door.forget_phones()

        assert renewed == [True]

    def test_a_key_that_cannot_be_written_is_told(
        self, client: TableClient, session: Session
    ) -> None:
        def fail() -> None:
            raise OSError("The disk is full.")

        session.door.fit_key(fail)

        with pytest.raises(TableUnavailable, match="The disk is full"):
            client.door.forget_phones()
