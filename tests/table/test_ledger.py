"""Undo, redo, stale thumbs and restarts: what the journal tells is what stands."""

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Line
from kloplei.table.actions import UnknownEntry
from kloplei.table.core import Table
from kloplei.table.timeline import evening_before
from kloplei.words import Words
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import FullDisk, Tabletop, offered, reason_of, told
from tests.table.toy import toy_setup


@pytest.fixture
def tabletop() -> Tabletop:
    return Tabletop(seats=4).start(1, 2, 3)


def play_hand(tabletop: Tabletop, winner: int = 1, raises: tuple[int, ...] = ()) -> None:
    tabletop.ask(winner, "deal")
    for seat in raises:
        tabletop.ask(seat, "raise")
    tabletop.ask(winner, "win")


def reopened(tabletop: Tabletop) -> Tabletop:
    return Tabletop(tabletop.journal, seats=4)


# Undo and redo


def test_undo_brings_back_the_table_as_it_stood(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    before = tabletop.board
    tabletop.ask(2, "raise")

    tabletop.ask(3, "undo")

    assert (tabletop.board.stake, tabletop.board.rows) == (before.stake, before.rows)
    assert tabletop.board.seq > before.seq
    raised = Line("news.raised", {"seat": Seat(1), "stake": 2})
    told = Line("step.told", {"of": Seat(1), "step": raised.as_fact()})
    facts = {"seat": Seat(2), "step": told.as_fact()}
    assert tabletop.board.news == Line("news.undone", facts)
    assert tabletop.table.log(1)[0].before == ()
    words = Words("en").of_game("toepen")
    assert words.say("news.undone", facts, {Seat(1): "Tame", Seat(2): "Thijs"}).startswith(
        "Thijs took back: Tame"
    )


def test_undo_says_whose_step_it_takes_back_and_which(tabletop: Tabletop) -> None:
    tabletop.ask(3, "undo")  # that the game began
    named = tabletop.ask(2, "rename", facts={"name": "Tame"})
    tabletop.ask(None, "start")
    steps = {one.seq: one.line for one in tabletop.table.log()}

    (undo,) = (one for one in tabletop.board.offers if one.action == "undo")
    tabletop.ask(None, "undo", facts={"steps": 2})

    started = Line("news.started", {"seat": Seat(0)})
    assert undo.about == Line("step.told", {"of": None, "step": started.as_fact()})
    assert tabletop.board.news == Line("news.undone-steps", {"n": 2})
    (redo,) = (one for one in tabletop.board.offers if one.action == "redo")
    assert redo.about == Line("step.told", {"of": Seat(1), "step": steps[named].as_fact()})


@pytest.mark.parametrize(("undo", "others"), [("anybody", None), ("own", "not_your_step")])
def test_a_house_may_leave_each_step_to_who_made_it(undo: str, others: str | None) -> None:
    tabletop = Tabletop(seats=4, undo=undo).start(1, 2, 3)
    tabletop.ask(1, "deal")
    tabletop.ask(2, "raise")

    tabletop.knock(3, 4)
    by_hand = tabletop.board.refused
    tabletop.ask(None, "cancel") if by_hand is None else None

    assert (by_hand and by_hand.key) == (others and f"reason.{others}")
    assert reason_of(tabletop, 3, "undo") == others
    tabletop.ask(None, "undo" if others else "redo")  # the keeper may
    assert reason_of(tabletop, 3, "redo" if others else "undo") == others


def test_where_each_takes_back_its_own_it_is_offered_to_nobody_else() -> None:
    tabletop = Tabletop(seats=4, undo="own").start(1, 2, 3)
    tabletop.ask(2, "rename", facts={"name": "Tame"})

    (undo,) = (one for one in tabletop.board.offers if one.action == "undo")
    tabletop.ask(2, "undo")
    (redo,) = (one for one in tabletop.board.offers if one.action == "redo")

    assert undo.choices == redo.choices == {"seat": (Seat(1),)}
    assert reason_of(tabletop, 2, "redo") is None


def test_what_another_told_of_a_player_is_the_own_of_both() -> None:
    tabletop = Tabletop(seats=4, undo="own").start(1, 2, 3)
    tabletop.ask(2, "rename", facts={"name": "Tame"}, by=Seat(0))

    (undo,) = (one for one in tabletop.board.offers if one.action == "undo")

    assert undo.choices == {"seat": (Seat(0), Seat(1))}
    assert reason_of(tabletop, 3, "undo") == "not_your_step"
    assert reason_of(tabletop, 2, "undo") is None


def test_undo_reaches_over_hands_rubbers_and_seats(tabletop: Tabletop) -> None:
    tallies = [tabletop.tally()]
    while tabletop.board.phase != "rubber_over":
        play_hand(tabletop, winner=1, raises=(2,))
        tallies.append(tabletop.tally())
    tabletop.ask(1, "settle")
    tabletop.ask(4, "sit_down")

    tabletop.ask(None, "undo", facts={"steps": 2})
    assert (tabletop.board.phase, tabletop.tally()) == ("rubber_over", tallies[-1])
    tabletop.ask(None, "undo", facts={"steps": 3})
    assert tabletop.tally() == tallies[-2]


def test_who_moved_goes_by_name_in_what_is_told_of_it_later(tabletop: Tabletop) -> None:
    """It read "Thijs: seat 5 sits at seat 5 now", and "seat 5 took it back"."""
    for seat, name in enumerate(("Thijs", "Tame", "Thomas"), start=1):
        tabletop.ask(seat, "rename", facts={"name": name})

    def said(line: Line | None) -> str:
        assert line is not None
        return Words("en").say(line.key, line.facts, tabletop.board.names)

    tabletop.ask(1, "swap", facts={"of": 4})
    (undo,) = (one for one in tabletop.board.offers if one.action == "undo")
    assert said(undo.about) == "Thijs sits at seat 4 now"
    tabletop.ask(4, "undo")
    assert said(tabletop.board.news) == "Thijs took back: Thijs sits at seat 4 now."
    tabletop.ask(1, "redo")
    assert said(tabletop.board.news) == "Thijs put back: Thijs sits at seat 4 now."
    tabletop.ask(2, "swap", facts={"of": 4})
    tabletop.ask(4, "undo")
    took_back = "Tame took back: Musical chairs: Thijs and Tame changed places."
    assert said(tabletop.board.news) == took_back


def test_who_sat_down_goes_by_name_where_that_was_undone(tabletop: Tabletop) -> None:
    """It read "Tame took back: seat 4 sits down, by Stan"."""
    tabletop.ask(2, "rename", facts={"name": "Tame"})
    tabletop.ask(4, "sit_down", facts={"name": "Stan"})
    tabletop.ask(2, "undo")

    news = tabletop.board.news

    assert news is not None
    said = Words("en").say(news.key, news.facts, tabletop.board.names)
    assert said == "Tame took back: Stan sits down."


def test_everything_can_be_undone_to_the_empty_table() -> None:
    tabletop = Tabletop(seats=4)
    empty = told(tabletop.board)
    tabletop.start(1, 2, 3)
    play_hand(tabletop)

    tabletop.ask(None, "undo", facts={"steps": 6})

    bare = told(tabletop.board)
    different = {name for name in empty if empty[name] != bare[name]}
    assert different == {"seq", "news", "offers"}
    assert "undo" not in offered(tabletop.board)


def test_redo_does_again_what_was_taken_back_last(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    tabletop.ask(2, "raise")
    raised = tabletop.board
    tabletop.ask(3, "raise")
    tabletop.ask(1, "undo", facts={"steps": 3})

    tabletop.ask(1, "redo", facts={"steps": 2})

    assert (tabletop.board.stake, tabletop.board.rows) == (raised.stake, raised.rows)
    assert tabletop.board.news == Line("news.redone", {"n": 2})
    tabletop.ask(1, "redo")
    assert tabletop.board.stake == 3
    assert "redo" not in offered(tabletop.board)


def test_one_step_is_one_action_with_all_that_followed(tabletop: Tabletop) -> None:
    while tabletop.board.phase != "rubber_over":
        play_hand(tabletop, winner=1)
    entries = list(tabletop.journal.entries())
    assert [entry.event for entry in entries[-2:]] == ["Won", "RubberEnded"]

    tabletop.ask(None, "undo")

    assert tabletop.board.phase == "play"


def test_a_new_action_makes_what_was_undone_past_redoing(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    tabletop.ask(2, "raise")
    tabletop.ask(1, "undo")

    tabletop.ask(3, "raise")

    assert reason_of(tabletop, 1, "redo") == "nothing_to_redo"
    assert tabletop.board.stake == 2


def test_an_undo_is_no_step_that_undo_takes_back(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    tabletop.ask(2, "raise")
    tabletop.ask(3, "raise")

    tabletop.ask(1, "undo")
    tabletop.ask(1, "undo")

    assert tabletop.board.stake == 1


def test_nothing_is_erased(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    written = list(tabletop.journal.entries())

    tabletop.ask(2, "undo")

    entries = list(tabletop.journal.entries())
    assert entries[:-1] == written
    assert (entries[-1].event, entries[-1].facts, entries[-1].seat) == ("Undone", {"n": 1}, 1)


def test_the_log_tells_what_was_taken_back_and_by_whom(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    tabletop.ask(2, "raise")
    tabletop.ask(3, "undo", facts={"steps": 2})
    tabletop.ask(2, "redo")

    log = [(entry.line.key, entry.undone, entry.undone_by) for entry in tabletop.table.log(4)]

    assert log == [
        ("news.redone-step", False, None),
        ("news.undone-steps", False, None),
        ("news.raised", True, Seat(2)),
        ("news.dealt", False, None),
    ]
    # The undo said twice what it took back.
    assert [entry.before for entry in tabletop.table.log(2)] == [(), ()]


def test_news_say_whose_step_is_done_again_and_which_also_after_a_restart(
    tabletop: Tabletop,
) -> None:
    tabletop.ask(1, "deal")
    tabletop.ask(2, "raise")
    for action in ("undo", "redo", "undo", "redo"):
        tabletop.ask(3, action)

    news = tabletop.board.news
    assert news is not None
    said = Words("en").say(news.key, news.facts, tabletop.board.names)
    again = Tabletop(tabletop.journal, seats=4).board.news
    assert (said, again) == ("Seat 3 put back: Seat 2 raises: 2.", news)


def test_the_log_tells_all_of_a_step_also_what_the_slate_soon_forgot(tabletop: Tabletop) -> None:
    """A correction that ended a rubber was logged as its end only: nobody saw who corrected."""
    tabletop.ask(1, "deal")
    for seat in (2, 1, 2, 1):
        tabletop.ask(seat, "raise")

    tabletop.ask(3, "win")

    entry = tabletop.table.log(1)[0]
    assert entry.before == (Line("news.hand-won", {"seat": Seat(2)}),)
    assert entry.line == tabletop.board.news == Line("news.over", {"seats": (Seat(2),)})


# Evenings


def test_a_new_evening_can_be_taken_back(tabletop: Tabletop) -> None:
    play_hand(tabletop)
    tally = tabletop.tally()
    tabletop.ask(None, "new_evening")

    tabletop.ask(None, "undo")

    assert tabletop.tally() == tally


def test_only_this_evening_and_the_last_are_held(tabletop: Tabletop) -> None:
    for _ in range(3):
        play_hand(tabletop)
        tabletop.ask(None, "new_evening")
        tabletop.ask(1, "start")

    # This evening: start; its beginning; the one before: start, deal, win.
    assert reason_of(tabletop, None, "undo", {"steps": 6}) == "nothing_to_undo"
    tabletop.ask(None, "undo", facts={"steps": 5})
    assert tabletop.board.phase == "seating"
    assert len(tabletop.table.log(100)) == 6


def test_evenings_gone_by_are_not_read_again(tabletop: Tabletop) -> None:
    """What an old version wrote years ago must not keep the box from starting."""
    journal = MemoryJournal()
    journal.append([("EveningBegun", {"game": "toy"})], seat=None, via="table", at=None)
    journal.append([("PlayedTheLute", {"well": False})], seat=0, via="pad", at=None)
    for _ in range(2):
        begun = {"game": "toy", "preset": None, "options": [], "players": [[0, "Thijs"]]}
        journal.append([("EveningBegun", begun)], seat=None, via="table", at=None)

    assert Tabletop(journal).board.names == {Seat(0): "Thijs"}


def test_the_evening_to_replay_from_follows_undo_and_redo(tabletop: Tabletop) -> None:
    for _ in range(2):
        play_hand(tabletop)
        tabletop.ask(None, "new_evening")
        tabletop.ask(1, "start")
    play_hand(tabletop)
    tabletop.ask(None, "new_evening")
    base = evening_before(tabletop.journal.entries())
    tabletop.ask(None, "undo", facts={"steps": 3})
    tabletop.ask(None, "redo")

    assert base > 1
    assert evening_before(tabletop.journal.entries()) == base
    assert told(reopened(tabletop).board) == told(tabletop.board)


# Restart


def test_a_restart_finds_the_same_hand_with_the_same_stake(tabletop: Tabletop) -> None:
    play_hand(tabletop, winner=2, raises=(1,))
    tabletop.ask(2, "deal")
    tabletop.ask(3, "raise")

    again = reopened(tabletop)

    assert told(again.board) == told(tabletop.board)
    assert again.table.log() == tabletop.table.log()


def test_a_restart_keeps_what_was_undone_ready_for_redo(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    tabletop.ask(2, "raise")
    tabletop.ask(1, "undo", facts={"steps": 2})

    again = reopened(tabletop)
    again.ask(1, "redo", facts={"steps": 2})

    assert again.board.stake == 2


def test_a_journal_remembers_the_house_rules_whatever_the_settings_say_now() -> None:
    before = Tabletop(preset="long", options={"limit": 6})
    before.start(1, 2)

    after = Tabletop(before.journal, preset=None, language="da")

    assert told(after.board) == told(before.board)
    assert (after.board.preset, after.board.options) == ("long", {"limit": 6})


def test_a_table_that_was_only_looked_at_writes_nothing() -> None:
    tabletop = Tabletop()

    reason_of(tabletop, 1, "stand_up")

    assert tabletop.journal.last_seq == 0


def test_players_beyond_the_seats_of_today_keep_playing() -> None:
    before = Tabletop(seats=6).start(1, 6)

    after = Tabletop(before.journal, seats=2)

    assert [row.seat.shown for row in after.board.rows] == [1, 6]
    assert after.board.seats == 6


@pytest.mark.parametrize(
    ("event", "facts", "said"),
    [
        ("PlayedTheLute", {}, "'PlayedTheLute'"),
        ("Undone", {"n": 99}, "99 steps"),
        ("Undone", {}, "how many"),
        ("Raised", {"seat": 0}, "'stake' is missing"),
        ("Won", {"seat": 0, "lost": ["a"]}, "'lost'"),
        ("Boomed", {}, "entry 7|Entry 7"),
    ],
)
def test_a_journal_that_cannot_be_played_says_where(
    tabletop: Tabletop, event: str, facts: dict[str, object], said: str
) -> None:
    tabletop.ask(1, "deal")
    tabletop.journal.append([(event, facts)], seat=0, via="pad", at=None)

    with pytest.raises(UnknownEntry, match=said):
        reopened(tabletop)


# Stale


def test_an_answer_is_not_late_while_its_question_is_open(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    seen = tabletop.board.seq
    tabletop.ask(2, "rename", facts={"name": "Tame"})

    assert tabletop.ask(3, "raise", seen=seen) == tabletop.board.seq


def test_an_answer_to_a_closed_question_is_late(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    seen = tabletop.board.seq
    tabletop.ask(2, "raise")

    with pytest.raises(IllegalAction) as refused:
        tabletop.ask(3, "raise", seen=seen)

    assert refused.value.reason == "stale"
    assert refused.value.facts == {"seen": seen, "seq": seen + 1}


def test_a_question_asked_again_is_a_new_question(tabletop: Tabletop) -> None:
    tabletop.ask(1, "deal")
    seen = tabletop.board.seq
    tabletop.ask(2, "raise")
    tabletop.ask(2, "undo")

    with pytest.raises(IllegalAction, match="stale"):
        tabletop.ask(3, "raise", seen=seen)


def test_nobody_has_seen_the_future(tabletop: Tabletop) -> None:
    with pytest.raises(IllegalAction, match="stale"):
        tabletop.ask(1, "deal", seen=tabletop.board.seq + 1)


@pytest.mark.parametrize(
    ("action", "facts"),
    [("undo", {}), ("redo", {}), ("new_evening", {}), ("wipe", {}), ("chalk", {"lost": 2})],
)
def test_what_rewrites_the_slate_wants_the_newest_one(
    tabletop: Tabletop, action: str, facts: dict[str, object]
) -> None:
    play_hand(tabletop)
    tabletop.ask(2, "rename", facts={"name": "Tame"})
    tabletop.ask(2, "undo")
    newest = tabletop.board.seq

    with pytest.raises(IllegalAction, match="stale"):
        tabletop.ask(2, action, seen=newest - 1, facts=facts)
    tabletop.ask(2, action, seen=newest, facts=facts)


# The disk


def test_a_step_that_cannot_be_written_never_happened() -> None:
    disk = FullDisk()
    tabletop = Tabletop(disk).start(1, 2)
    before = told(tabletop.board)
    disk.full = True

    with pytest.raises(ConnectionError, match="Make room"):
        tabletop.ask(1, "deal")

    assert told(tabletop.board) == before
    assert told(Tabletop(disk).board) == before


def test_a_full_disk_at_the_very_first_step_is_no_disaster() -> None:
    disk = FullDisk()
    disk.full = True
    tabletop = Tabletop(disk)

    with pytest.raises(ConnectionError):
        tabletop.ask(1, "sit_down")
    disk.full = False
    tabletop.ask(1, "sit_down")

    assert told(Tabletop(disk).board) == told(tabletop.board)


def test_the_clock_on_the_wall_is_written_down_but_orders_nothing() -> None:
    hours = iter([50.0, 40.0, 30.0])
    journal = MemoryJournal()
    table = Table(journal, toy_setup(wall=lambda: next(hours)))

    table.submit(Seat(0), "sit_down", now_s=1.0)
    table.submit(Seat(1), "sit_down", now_s=2.0)

    assert [entry.at for entry in journal.entries()] == [50.0, 40.0, 30.0]
    assert [entry.seq for entry in table.log()] == [3, 2]
