"""What every `TableClient` keeps, in memory or over a socket: one set of tests for all bodies.

A test module subclasses `TableClientContract`, names it ``Test...`` and says in `client_of`
how to reach a running session.
"""

import threading
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice

import pytest

from kloplei.devices.schedule import ManualSchedule
from kloplei.knock import KnockHeard
from kloplei.rules.game import IllegalAction, Seat
from kloplei.rules.scoreboard import Line, Scoreboard
from kloplei.table.client import Frame, NotKept, TableClient, TableSilent, Unreadable
from kloplei.table.doctor import Finding, State
from kloplei.table.door import ASK_S, DoorAnswer, DoorState
from kloplei.table.doorway import SETTLE_S
from kloplei.table.session import Session
from tests.table.seated import FullDisk
from tests.table.toy import build_toy

THIJS, TAME, THOMAS = Seat(0), Seat(1), Seat(2)
KEEPALIVE_S = 0.05


class TableClientContract:
    """Subclass it, say how to reach a session, and all of this holds."""

    @abstractmethod
    def client_of(self, session: Session) -> AbstractContextManager[TableClient]:
        """Return a client that reaches *session* the way that is to be proven."""

    @pytest.fixture
    def disk(self) -> FullDisk:
        return FullDisk()

    @pytest.fixture
    def clock(self) -> ManualSchedule:
        return ManualSchedule()

    @pytest.fixture
    def session(self, disk: FullDisk, clock: ManualSchedule) -> Iterator[Session]:
        with Session(
            disk,
            game="toy",
            preset=None,
            build=build_toy,
            seats=4,
            keepalive_s=KEEPALIVE_S,
            clock=clock.now_s,
        ) as session:
            yield session

    @pytest.fixture
    def client(self, session: Session) -> Iterator[TableClient]:
        with self.client_of(session) as client:
            yield client

    def test_what_was_accepted_is_seen_at_once(self, client: TableClient) -> None:
        seq = client.submit(THIJS, "sit_down", facts={"name": "Thijs"})

        board = client.scoreboard()
        assert board.seq == seq
        assert board.names == {THIJS: "Thijs"}

    def test_everybody_sees_the_same(self, client: TableClient, session: Session) -> None:
        begin(client)

        assert client.scoreboard() == session.scoreboard()

    def test_a_refusal_says_why_and_changes_nothing(self, client: TableClient) -> None:
        begin(client)
        client.submit(None, "deal")
        client.submit(TAME, "raise")
        before = client.scoreboard()

        with pytest.raises(IllegalAction) as refused:
            client.submit(TAME, "raise")

        assert refused.value.reason == "raised_last"
        assert refused.value.facts == {"stake": 2}
        assert client.scoreboard() == before

    def test_seats_in_a_refusal_are_seats(self, client: TableClient) -> None:
        client.submit(THIJS, "sit_down")

        with pytest.raises(IllegalAction) as refused:
            client.submit(THIJS, "sit_down")

        assert refused.value.facts == {"seat": THIJS}
        assert isinstance(refused.value.facts["seat"], Seat)

    def test_a_late_thumb_is_refused(self, client: TableClient) -> None:
        begin(client)
        seen = client.scoreboard().seq
        client.submit(None, "deal")

        with pytest.raises(IllegalAction) as refused:
            client.submit(None, "deal", seen=seen)

        assert refused.value.reason == "stale"

    def test_seats_may_be_given_as_seats_or_as_people_count(self, client: TableClient) -> None:
        begin(client)

        client.submit(THIJS, "swap", facts={"of": THOMAS})
        client.submit(THOMAS, "swap", facts={"of": 1})

        assert client.scoreboard().names == {THIJS: "Thijs", TAME: "Tame"}

    @pytest.mark.parametrize(
        ("seat", "action", "facts"),
        [
            (THIJS, "moonwalk", {}),
            (THIJS, "swap", {}),
            (THIJS, "swap", {"of": "Tame"}),
            (THIJS, "swap", {"of": 9}),
            (THIJS, "rename", {"name": 7}),
            (THIJS, "stand_up", {"slowly": True}),
            (None, "stand_up", {}),
            (Seat(7), "sit_down", {}),
        ],
    )
    def test_what_nobody_understands_is_unreadable(
        self, client: TableClient, seat: Seat | None, action: str, facts: dict[str, object]
    ) -> None:
        begin(client)
        before = client.scoreboard()

        with pytest.raises(Unreadable) as error:
            client.submit(seat, action, facts=facts)

        assert str(error.value).endswith(".")
        assert client.scoreboard() == before

    def test_what_cannot_be_written_is_not_done_and_is_told(
        self, client: TableClient, disk: FullDisk
    ) -> None:
        begin(client)
        before = client.scoreboard()
        disk.full = True

        with pytest.raises(NotKept, match="full"):
            client.submit(None, "deal")

        board = client.scoreboard()
        assert (board.seq, board.phase) == (before.seq, before.phase)
        assert [notice.key for notice in board.notices] == ["notice.journal"]

    def test_the_trouble_is_over_when_something_is_written_again(
        self, client: TableClient, disk: FullDisk
    ) -> None:
        begin(client)
        disk.full = True
        with pytest.raises(TableSilent):
            client.submit(None, "deal")
        disk.full = False

        client.submit(None, "deal")

        assert client.scoreboard().notices == ()
        assert client.scoreboard().phase == "play"

    def test_a_follower_gets_the_table_at_once(self, client: TableClient) -> None:
        begin(client)

        assert next(client.follow()) == client.scoreboard()

    def test_a_follower_gets_the_whole_table_whatever_it_has_seen(
        self, client: TableClient
    ) -> None:
        seq = begin(client)

        assert next(client.follow(after=seq)) == client.scoreboard()

    def test_a_follower_gets_every_change_it_waits_for(self, client: TableClient) -> None:
        boards = boards_of(client)
        seen = [next(boards).seq]

        for seat in (THIJS, TAME, THOMAS):
            client.submit(seat, "sit_down")
            seen.append(next(boards).seq)

        assert seen == [0, 2, 3, 4]

    def test_a_knock_is_seen_before_it_is_decided(
        self, client: TableClient, session: Session, clock: ManualSchedule
    ) -> None:
        boards = boards_of(client)
        next(boards)

        session.put(KnockHeard(TAME, strength=0.5, at_s=float("inf")))

        heard = next(boards)
        assert heard.heard is not None
        assert (heard.heard.seat, heard.heard.knocks, heard.names) == (TAME, 1, {})
        clock.advance(1.0)
        client.log()  # the table looks at its clock when it is asked something
        decided = next(board for board in boards if board.names)
        assert decided.names == {TAME: "Plek 2"}

    def test_a_slow_follower_gets_the_newest_only(self, client: TableClient) -> None:
        boards = boards_of(client)
        next(boards)
        begin(client)

        # However much of it is under way already, the newest comes soon and is the last.
        newest = client.scoreboard().seq
        few = [board.seq for board in islice(boards_until(boards, newest), 4)]

        assert few[-1] == newest

    def test_a_follower_who_never_reads_holds_nobody_up(self, client: TableClient) -> None:
        sleeper = client.follow()
        next(sleeper)

        for n in range(300):
            client.submit(THIJS, "stand_up" if n % 2 else "sit_down")

        assert client.scoreboard().names == {}

    def test_a_follower_without_news_gets_a_sign_of_life(self, client: TableClient) -> None:
        stream = client.follow()
        next(stream)

        assert next(stream) is None

    def test_followers_end_when_the_table_closes(
        self, client: TableClient, session: Session
    ) -> None:
        stream = client.follow()
        next(stream)
        reader = threading.Thread(target=lambda: list(stream), daemon=True)
        reader.start()

        session.close()

        reader.join(5)
        assert not reader.is_alive()

    def test_a_closed_table_is_silent(self, client: TableClient, session: Session) -> None:
        session.close()

        with pytest.raises(TableSilent):
            client.submit(THIJS, "sit_down")

    def test_the_log_tells_the_evening_newest_first(self, client: TableClient) -> None:
        seq = begin(client)
        client.submit(THIJS, "undo", seen=seq)

        undo, start, *_ = client.log()

        assert (undo.seat, undo.via, undo.line) == (THIJS, "phone", Line("news.undone", {"n": 1}))
        assert (start.seq, start.line.key, start.undone) == (seq, "news.started", True)
        assert start.undone_by == THIJS
        assert start.names == {THIJS: "Thijs", TAME: "Tame"}

    def test_the_log_is_as_long_as_asked(self, client: TableClient) -> None:
        begin(client)

        assert [len(client.log(limit)) for limit in (0, 1, 2, 50)] == [0, 1, 2, 3]

    def test_how_it_was_asked_is_kept(self, client: TableClient) -> None:
        client.submit(THIJS, "sit_down", via="table")

        assert client.log(1)[0].via == "table"

    def test_there_is_no_frame_without_a_slate(self, client: TableClient) -> None:
        assert client.frame() is None

    def test_the_frame_is_what_the_slate_showed_last(
        self, client: TableClient, session: Session
    ) -> None:
        session.show(Frame(16, 2, b"\x00\xff\x80\x01"))

        assert client.frame() == Frame(16, 2, b"\x00\xff\x80\x01")

    def test_a_table_without_a_doctor_finds_nothing_and_tries_nothing(
        self, client: TableClient
    ) -> None:
        assert client.doctor.examine() == ()
        with pytest.raises(Unreadable, match="No doctor"):
            client.doctor.knock(THIJS)
        with pytest.raises(Unreadable, match="No doctor"):
            client.doctor.show_test_picture()
        with pytest.raises(Unreadable, match="No doctor"):
            client.doctor.judge_picture("right")

    def test_what_the_doctor_found_arrives_as_it_was_said(
        self, client: TableClient, session: Session
    ) -> None:
        session.fit_doctor(HouseCall())

        assert client.doctor.examine() == HouseCall.FOUND
        assert client.doctor.judge_picture("left-2") == Finding(
            "slate", State.POOR, Line("slate.off", {"seen": "left-2"})
        )

    def test_the_doctor_knocks_and_shows_what_was_asked(
        self, client: TableClient, session: Session
    ) -> None:
        session.fit_doctor(house_call := HouseCall())

        client.doctor.knock(TAME, 3)
        client.doctor.knock(THIJS)
        client.doctor.show_test_picture()

        assert house_call.did == [(TAME, 3), (THIJS, 1), "picture"]

    def test_a_doctor_that_takes_its_time_holds_nobody_up(
        self, client: TableClient, session: Session
    ) -> None:
        session.fit_doctor(house_call := HouseCall())
        house_call.may_go_on.clear()
        examining = threading.Thread(target=client.doctor.examine)
        examining.start()
        assert house_call.began.wait(10)

        seq = client.submit(THIJS, "sit_down")

        assert client.scoreboard().seq == seq
        house_call.may_go_on.set()
        examining.join()

    def test_a_knock_lets_in_the_phone_that_asks(
        self, client: TableClient, session: Session, clock: ManualSchedule
    ) -> None:
        seq = begin(client)
        asked = client.door.ask(None, "192.168.1.20")
        door = client.scoreboard().door
        clock.advance(SETTLE_S)
        for _ in range(3):
            session.put(KnockHeard(TAME, 0.5, clock.now_s()))
            assert client.door.look(asked.ticket).state == "asking"
            clock.advance(0.2)
        clock.advance(1.0)

        answer = client.door.look(asked.ticket)

        assert door is not None
        assert (asked.state, asked.word, asked.left_s) == ("asking", door.word, ASK_S)
        assert answer == DoorAnswer(DoorState.GRANTED, asked.ticket, asked.word)
        assert client.scoreboard().seq == seq

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

    def test_nobody_is_let_in_at_a_seat_that_is_not(self, client: TableClient) -> None:
        for seat in (Seat(4), Seat(-1)):
            with pytest.raises(Unreadable):
                client.door.ask(seat, "192.168.1.20")

    def test_phones_are_forgotten_by_a_new_key(self, client: TableClient, session: Session) -> None:
        with pytest.raises(Unreadable):
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

        with pytest.raises(TableSilent, match="The disk is full"):
            client.door.forget_phones()

    def test_many_may_ask_at_once(self, client: TableClient) -> None:
        begin(client)
        client.submit(None, "deal")
        first = client.scoreboard().seq
        numbers: list[int] = []

        def press() -> None:
            for n in range(10):
                numbers.append(client.submit(THIJS, "rename", facts={"name": f"Thijs {n}"}))  # noqa: PERF401

        players = [threading.Thread(target=press) for _ in range(4)]
        for player in players:
            player.start()
        for player in players:
            player.join()

        assert sorted(numbers) == list(range(first + 1, first + 41))


class HouseCall:
    """A doctor that has an answer ready, and notes what it was asked to do."""

    FOUND = (
        Finding("pins", State.BAD, Line("pins.held", {"pin": 17}), Line("do.pins", {"pin": 17})),
        Finding("clock", State.GOOD, Line("clock.good")),
    )

    def __init__(self) -> None:
        self.did: list[object] = []
        self.began = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def examine(self) -> tuple[Finding, ...]:
        self.began.set()
        self.may_go_on.wait(10)
        return self.FOUND

    def knock(self, seat: Seat, times: int = 1) -> None:
        self.did.append((seat, times))

    def show_test_picture(self) -> None:
        self.did.append("picture")

    def judge_picture(self, seen: str) -> Finding:
        return Finding("slate", State.POOR, Line("slate.off", {"seen": seen}))


def begin(client: TableClient) -> int:
    """Seat Thijs and Tame and start; return the last number."""
    client.submit(THIJS, "sit_down", facts={"name": "Thijs"})
    client.submit(TAME, "sit_down", facts={"name": "Tame"})
    return client.submit(THIJS, "start")


def boards_of(client: TableClient) -> Iterator[Scoreboard]:
    """Follow without the signs of life."""
    return (board for board in client.follow() if board is not None)


def boards_until(boards: Iterator[Scoreboard], seq: int) -> Iterator[Scoreboard]:
    for board in boards:
        yield board
        if board.seq == seq:
            return
