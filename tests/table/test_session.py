"""The thread around the table: it never dies, never spins and keeps nobody waiting."""

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from typing import Any

import pytest

from kloplei.devices.schedule import ManualSchedule
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.knock import KnockHeard
from kloplei.table.client import TableClient, TableUnavailable
from kloplei.table.core import Table
from kloplei.table.gestures import Timings
from kloplei.table.messages import NoKnock, PartFailed, PartHealed
from kloplei.table.schema import WORLD, dump
from kloplei.table.seating import TableSetup
from kloplei.table.session import BoardFeed, MessageQueue, Session
from kloplei.words import Sentence
from tests.table.contract import begin, boards_of
from tests.table.contract_doctor import DoctorContract
from tests.table.contract_door import DoorContract
from tests.table.contract_history import HistoryContract
from tests.table.contract_uplink import UplinkContract
from tests.table.contract_voice import VoiceContract
from tests.table.memory_journal import MemoryJournal
from tests.table.toy import toy_setup

THIJS, TAME = Seat(0), Seat(1)


class TestSession(DoctorContract, DoorContract, HistoryContract, UplinkContract, VoiceContract):
    """The body in memory."""

    def client_of(self, session: Session) -> AbstractContextManager[TableClient]:
        return nullcontext(session)


def toy_session(setup: TableSetup | None = None, **settings: Any) -> Session:
    return Session(MemoryJournal(), setup or toy_setup(), **settings)


@pytest.fixture
def session() -> Iterator[Session]:
    with toy_session() as session:
        yield session


def first(session: Session, wanted: str) -> Scoreboard:
    """Return the next scoreboard on which *wanted* stands."""
    return next(board for board in boards_of(session) if getattr(board, wanted))


def test_the_table_can_be_seen_before_it_runs() -> None:
    assert toy_session(toy_setup(seats=5)).scoreboard().seats == 5


def test_a_table_that_does_not_run_yet_is_silent() -> None:
    with pytest.raises(TableUnavailable):
        toy_session().submit(THIJS, "sit_down")


def test_knocks_from_before_the_start_are_not_lost() -> None:
    session = toy_session()
    session.put(KnockHeard(THIJS, 0.5, at_s=0.0))

    with session:
        assert first(session, "rows").names == {THIJS: "Plek 1"}


def test_toepen_is_on_the_table_by_default() -> None:
    with Session(MemoryJournal()) as session:
        board = session.scoreboard()

    assert (board.game, board.preset, board.phase) == ("toepen", "kroeg", "seating")
    (offer,) = (offer for offer in board.offers if offer.action == "options")
    assert "kroeg" in offer.choices["preset"]
    assert offer.choices["game"] == tuple(GAMES)


def test_another_game_begins_with_its_own_house_rules() -> None:
    with Session(MemoryJournal()) as session:
        session.submit(None, "options", facts={"game": "watten"})
        board = session.scoreboard()

    assert (board.game, board.preset, board.phase) == ("watten", "tirol", "seating")
    (offer,) = (offer for offer in board.offers if offer.action == "options")
    assert "suedtirol" in offer.choices["preset"]


def test_time_passes_without_anybody_asking(session: Session) -> None:
    session.put(KnockHeard(THIJS, 0.5, at_s=0.0))

    assert first(session, "rows").names == {THIJS: "Plek 1"}


def test_who_hears_that_it_is_done_can_see_it(session: Session, eager_threads: None) -> None:
    """Also when threads take turns at the worst moments."""
    for n in range(300):
        seq = session.submit(THIJS, "stand_up" if n % 2 else "sit_down")

        assert session.scoreboard().seq == seq


@pytest.fixture
def eager_threads() -> Iterator[None]:
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual_s)


def test_who_asks_is_answered_before_those_who_draw_are_woken(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Painter and lamp took the processor first, and the thumb waited for them."""
    answered, order = threading.Event(), []
    call_onlookers = BoardFeed.call_onlookers

    def note(feed: BoardFeed, *, is_answered: bool) -> None:
        order.append(answered.wait(10) and is_answered)
        call_onlookers(feed, is_answered=is_answered)

    monkeypatch.setattr(BoardFeed, "call_onlookers", note)
    seq = session.submit(THIJS, "sit_down")
    seen = session.scoreboard().seq
    answered.set()
    session.log()

    assert (seen, order) == (seq, [True])


def test_who_draws_is_woken_after_those_who_tell_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawing that had begun held up the answer by as long as it took."""
    board = Scoreboard("toepen", "play")
    feed, order, have_told = BoardFeed(board), [], threading.Event()

    def follow(who: str, *, gives_way: bool) -> None:
        for _ in feed.follow(60, gives_way=gives_way):
            order.append(who)
            if order[2:] == ["phones"]:
                have_told.set()

    def until_all_wait(heard: int) -> None:
        while len(order) < heard or list(feed._waiting.values()) != [1, 1]:
            threading.Event().wait(0.001)

    asked = {"slate": True, "phones": False}
    threads = [
        threading.Thread(target=follow, args=(who,), kwargs={"gives_way": gives_way})
        for who, gives_way in asked.items()
    ]
    for thread in threads:
        thread.start()
    until_all_wait(2)
    monkeypatch.setattr("time.sleep", lambda _: order.append(f"told: {have_told.wait(10)}"))
    feed.put_up(replace(board, seq=1))
    feed.call_out()
    feed.call_onlookers(is_answered=False)
    until_all_wait(5)
    feed.close()
    for thread in threads:
        thread.join()

    assert order[2:] == ["phones", "told: True", "slate"]


def test_the_board_is_put_together_once_for_all_that_came_of_one_thing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Scoreboard] = []
    scoreboard = Table.scoreboard

    def note(table: Table) -> Scoreboard:
        drawn.append(scoreboard(table))
        return drawn[-1]

    monkeypatch.setattr(Table, "scoreboard", note)
    session.submit(THIJS, "sit_down")
    session.log()

    assert len(drawn) == 2


def test_an_idle_table_does_not_come_round() -> None:
    """No polling: a box that idles must not warm the pub."""
    rounds, came_round = [], threading.Event()

    def on_loop() -> None:
        rounds.append(1)
        came_round.set()

    with toy_session(on_loop=on_loop) as session:
        session.put(PartFailed("slate", "Gone."))
        assert came_round.wait(60)

        assert not threading.Event().wait(0.2)
        assert len(rounds) == 1


def test_a_knock_that_comes_in_while_the_table_wakes_belongs_to_its_pattern(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a slow machine two knocks were one: the second came before the look at the clock."""
    clock, gap_s, take = ManualSchedule(), Timings().gap_s, MessageQueue.take
    late, woke = [KnockHeard(THIJS, 0.5, clock.now_s() + gap_s / 2)], threading.Event()

    def wake_late(queue: MessageQueue, patience_s: float | None) -> object:
        if not patience_s or not late:
            return take(queue, patience_s)
        clock.advance(2 * gap_s)
        queue.put(late.pop())
        woke.set()
        return None

    with toy_session(clock=clock.now_s) as session:
        session.put(KnockHeard(THIJS, 0.5, clock.now_s()))
        monkeypatch.setattr(MessageQueue, "take", wake_late)
        session.put(PartHealed("slate"))
        woke.wait()
        session.log()
        while session.scoreboard().heard:
            session.log()

        assert session.scoreboard().names == {}


def test_a_bar_that_runs_down_is_no_news_by_itself() -> None:
    """Who shows it counts down; while it stands, every blow on the wood would be told."""
    clock = ManualSchedule()
    with toy_session(clock=clock.now_s, keepalive_s=0.05) as session:
        begin(session)
        session.submit(None, "deal")
        session.put(KnockHeard(TAME, 0.5, clock.now_s(), doubtful=True))
        session.log()
        clock.advance(1.0)
        session.log()
        boards = session.follow()
        standing = first(session, "doubt")
        while next(boards) != standing:
            pass

        clock.advance(1.0)
        session.put(NoKnock(clock.now_s()))
        session.log()

        assert next(boards) is None
        assert session.scoreboard() == standing


def test_who_looks_later_sees_what_is_left_by_then() -> None:
    """A phone that was opened late showed a bar that began anew."""
    clock = ManualSchedule()
    with toy_session(clock=clock.now_s) as session:
        begin(session)
        session.submit(None, "deal")
        session.put(KnockHeard(TAME, 0.5, clock.now_s(), doubtful=True))
        session.log()
        clock.advance(1.0)
        session.log()
        standing = first(session, "doubt").doubt

        world = replace(WORLD, clock=clock.now_s)
        left_s = dump(standing, form=world)["left_s"]
        clock.advance(1.5)
        looked, followed = session.scoreboard().doubt, next(session.follow())

        assert standing is not None
        assert followed is not None
        assert looked == followed.doubt == standing
        assert dump(looked, form=world)["left_s"] == left_s - 1.5


def test_a_watchdog_gets_its_beat() -> None:
    beats = threading.Semaphore(0)

    with toy_session(on_loop=beats.release, beat_s=0.001):
        assert all(beats.acquire(timeout=60) for _ in range(3))


def test_a_watchdog_with_a_fault_does_not_stop_the_table(caplog: pytest.LogCaptureFixture) -> None:
    def bark() -> None:
        raise RuntimeError("woof")

    with toy_session(on_loop=bark) as session:
        session.submit(THIJS, "sit_down")

        assert session.submit(TAME, "sit_down") == 3
    assert "woof" in caplog.text


def test_a_full_inbox_never_blocks_and_is_told() -> None:
    session = toy_session(queue_size=3)
    for _ in range(5):
        session.put(PartHealed("slate"))

    with session:
        notice = first(session, "notices").notices[0]

    assert (notice.key, notice.facts) == ("notice.dropped", {"n": 2})


def test_a_bug_in_one_message_does_not_end_the_evening(caplog: pytest.LogCaptureFixture) -> None:
    with toy_session() as session:
        begin(session)

        with pytest.raises(TableUnavailable):
            session.submit(THIJS, "boom")

        assert session.submit(None, "deal") == session.scoreboard().seq
        assert [notice.key for notice in session.scoreboard().notices] == ["notice.fault"]
    assert "ZeroDivisionError: boom" in caplog.text


def test_a_bug_in_a_gesture_does_not_end_the_evening(caplog: pytest.LogCaptureFixture) -> None:
    timings = Timings(gap_s=0.2)
    with toy_session(toy_setup(timings=timings)) as session:
        begin(session)
        for n in range(7):
            session.put(KnockHeard(THIJS, 0.5, at_s=n * 0.15))

        assert first(session, "notices").notices[0].key == "notice.fault"
        assert session.submit(None, "deal") == session.scoreboard().seq
    assert "ZeroDivisionError: boom" in caplog.text


def test_nothing_is_logged_when_nothing_is_wrong(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), toy_session() as session:
        begin(session)

    assert caplog.text == ""


def test_what_is_in_the_inbox_is_done_before_the_table_closes() -> None:
    session = toy_session()
    for part in ("slate", "lamp"):
        session.put(PartFailed(part, "Gone."))

    session.start()
    session.close()

    assert len(session.scoreboard().notices) == 2


def test_closing_twice_does_no_harm() -> None:
    session = toy_session()
    session.start()

    session.close()
    session.close()

    assert list(session.follow()) == []


def test_a_table_that_never_ran_can_be_closed() -> None:
    session = toy_session()

    session.close()

    with pytest.raises(RuntimeError):
        session.start()


def test_who_asks_a_table_that_hangs_is_not_kept_waiting() -> None:
    hanging, let_go = threading.Event(), threading.Event()

    def hang() -> float:
        hanging.set()
        let_go.wait(60)
        return 0.0

    session = Session(MemoryJournal(), toy_setup(wall=hang), reply_s=0.05)
    with session:
        asker = threading.Thread(target=lambda: submit_quietly(session, THIJS))
        asker.start()
        assert hanging.wait(60)

        with pytest.raises(TableUnavailable, match="does not answer"):
            session.submit(TAME, "sit_down")

        let_go.set()
        asker.join()
        session._reply_s = 30.0  # a busy machine may take longer than the patience above
        # What nobody waited for any more was not done behind their back.
        session.submit(Seat(2), "sit_down")
        assert TAME not in session.scoreboard().names


def submit_quietly(session: Session, seat: Seat) -> None:
    try:
        session.submit(seat, "sit_down")
    except TableUnavailable:
        return


def test_a_follower_that_went_away_leaves_nothing_behind(session: Session) -> None:
    threads = threading.active_count()
    for _ in range(50):
        with closing(session.follow()) as stream:  # type: ignore[type-var]
            next(stream)

    assert threading.active_count() == threads
    assert session.submit(THIJS, "sit_down") == 2


def test_what_is_found_in_an_idle_moment_is_told_and_no_knock_waits_for_it() -> None:
    class Changed(MemoryJournal):
        looked = 0

        def look_back(self) -> None:
            self.looked += 1
            self.salvaged = Sentence("journal-changed", file="kloplei.db", seq=2)

    journal, clock = Changed(), ManualSchedule()
    with Session(journal, toy_setup(), clock=clock.now_s) as session:
        session.log()
        session.log()
        told = session.scoreboard().notices
        session.put(KnockHeard(THIJS, 0.5, clock.now_s()))
        session.log()
        before = journal.looked
        session.log()

        assert [line.key for line in told] == ["notice.salvaged"]
        assert journal.looked == before > 0
