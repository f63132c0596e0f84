"""What every `TableClient` keeps, in memory or over a socket: one set of tests for all bodies.

A test module subclasses `DoctorContract` and `DoorContract`, which add their own parts to this
one, names it ``Test...`` and says in `client_of` how to reach a running session.
"""

import threading
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice

import pytest

from kloplei.devices.schedule import ManualSchedule
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.knock import KnockHeard
from kloplei.table.client import (
    KEEPER,
    BadRequest,
    Frame,
    JournalWriteError,
    TableClient,
    TableUnavailable,
)
from kloplei.table.session import Session
from tests.table.seated import FullDisk
from tests.table.toy import toy_setup

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
            disk, toy_setup(seats=4), keepalive_s=KEEPALIVE_S, clock=clock.now_s
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

        with pytest.raises(BadRequest) as error:
            client.submit(seat, action, facts=facts)

        assert str(error.value).endswith(".")
        assert client.scoreboard() == before

    def test_the_log_knows_who_told_it_of_whom(self, client: TableClient) -> None:
        begin(client)
        for by in (KEEPER, TAME, None):
            client.submit(THIJS, "rename", facts={"name": f"Thijs {by}"}, by=by)
        client.submit(None, "undo", by=TAME)

        told = [(one.seat, one.about) for one in client.log(4)[::-1]]
        assert told == [(None, THIJS), (TAME, THIJS), (THIJS, None), (TAME, None)]
        with pytest.raises(BadRequest):
            client.submit(None, "undo", by=Seat(9))

    def test_what_cannot_be_written_is_not_done_and_is_told(
        self, client: TableClient, disk: FullDisk
    ) -> None:
        begin(client)
        before = client.scoreboard()
        disk.full = True

        with pytest.raises(JournalWriteError, match="full"):
            client.submit(None, "deal")

        board = client.scoreboard()
        assert (board.seq, board.phase) == (before.seq, before.phase)
        assert [notice.key for notice in board.notices] == ["notice.journal"]

    def test_the_trouble_is_over_when_something_is_written_again(
        self, client: TableClient, disk: FullDisk
    ) -> None:
        begin(client)
        disk.full = True
        with pytest.raises(TableUnavailable):
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

        reader.join(60)
        assert not reader.is_alive()

    def test_a_closed_table_is_silent(self, client: TableClient, session: Session) -> None:
        session.close()

        with pytest.raises(TableUnavailable):
            client.submit(THIJS, "sit_down")

    def test_the_log_tells_the_evening_newest_first(self, client: TableClient) -> None:
        seq = begin(client)
        client.submit(THIJS, "undo", seen=seq)

        undo, start, *_ = client.log()

        told = Line("step.told", {"of": THIJS, "step": start.line.as_fact()})
        facts = {"seat": THIJS, "step": told.as_fact()}
        assert (undo.seat, undo.via, undo.line) == (THIJS, "phone", Line("news.undone", facts))
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
