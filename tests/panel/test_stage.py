"""The stage: one moment fills the screen, never for long, and never one that has been."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import pytest

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Hand, Heard, Line, Payment, Posting, Row, Scoreboard, Tone
from kloplei.table.client import TableUnavailable
from kloplei.table.history_client import SeasonTable
from kloplei_panel.stage import (
    ASKED_S,
    BREAK_S,
    FLIES_S,
    Break,
    BreakTold,
    Gain,
    Reactions,
    Stage,
    most_gained,
    rests,
    ring_of,
    told_by,
)
from tests.until import PATIENCE_S

ROWS = tuple(Row(Seat(at), at, 10, f"Player {at}", ("in_hand",)) for at in range(4))
BOARD = Scoreboard("toepen", "play", ROWS, seq=7, seats=4, stake=1)
ARMOEDE = Line("news.armoede", {"seat": Seat(3), "seats": (Seat(0),), "stake": 2})
WON = Line("news.rubber-over", {"seats": (Seat(1),)}, Tone.FANFARE)
TOEP = Line("news.knocked", {"seat": Seat(2), "stake": 2}, Tone.SHOUT)


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def _after(news: Line, **more: object) -> Scoreboard:
    return replace(BOARD, seq=8, news=news, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("news", "emblem"), [(WON, "rubber_winner"), (ARMOEDE, "armoede"), (TOEP, "last_knocker")]
)
def test_what_happens_fills_the_screen_with_its_picture(news: Line, emblem: str) -> None:
    stage, after = Stage(Clock()), _after(news)

    stage.see(BOARD, after)

    scene = stage.scene_at(after)
    assert scene is not None
    assert (scene.moment.line, scene.emblem) == (news, emblem)


def test_time_ends_a_moment_and_so_does_what_happens_next() -> None:
    clock = Clock()
    stage, after = Stage(clock), _after(WON)
    stage.see(BOARD, after)

    clock.now_s += 7.9
    assert stage.scene_at(after) is not None
    assert stage.scene_at(replace(after, seq=9)) is None
    clock.now_s += 0.2
    assert stage.scene_at(after) is None


def test_who_did_not_look_before_is_shown_no_moment() -> None:
    stage, after = Stage(Clock()), _after(WON)

    stage.see(None, after)

    assert stage.scene_at(after) is None


def test_what_the_slate_says_well_enough_fills_no_screen() -> None:
    stage, after = Stage(Clock()), _after(Line("news.stayed", {"seat": Seat(1), "stake": 2}))

    stage.see(BOARD, after)

    assert stage.scene_at(after) is None


def test_a_call_that_is_to_be_answered_covers_nobody_who_must() -> None:
    stage, asked = Stage(Clock()), (Seat(1), Seat(3))
    after = _after(TOEP, stake=2, to_answer=asked)

    stage.see(BOARD, after)

    assert stage.scene_at(after) is None
    assert [one.row.seat for one in ring_of(after) if one.stands == "asked"] == [*asked]


def test_armoede_makes_way_for_who_must_answer() -> None:
    clock = Clock()
    stage, after = Stage(clock), _after(ARMOEDE, to_answer=(Seat(1),))
    stage.see(BOARD, after)

    scene = stage.scene_at(after)
    assert scene is not None
    assert scene.is_short
    assert scene.moment.seats == (Seat(0),)  # who is poor, and not who dealt
    clock.now_s += ASKED_S
    assert stage.scene_at(after) is None


def test_the_ring_tells_who_called_who_is_in_and_who_has_folded() -> None:
    flags = (("in_hand", "last_knocker"), ("in_hand",), ("folded",), ("in_hand",))
    rows = tuple(replace(row, flags=told) for row, told in zip(ROWS, flags, strict=True))
    board = replace(BOARD, rows=rows, phase="answering", to_answer=(Seat(3),))

    assert [one.stands for one in ring_of(board)] == ["called", "in", "out", "asked"]


def test_of_sides_one_answers_for_all_and_nobody_is_said_to_be_in() -> None:
    sides = ((Seat(0), Seat(2)), (Seat(1), Seat(3)))
    rows = (replace(ROWS[0], flags=("in_hand", "raised")), *ROWS[1:])
    board = replace(BOARD, game="watten", rows=rows, sides=sides, to_answer=sides[1], proposed=3)

    assert [one.stands for one in ring_of(board)] == ["called", "asked", "", "asked"]
    assert ring_of(replace(board, phase="announcing")) == ()
    assert ring_of(replace(board, to_answer=())) == ()


def test_a_phone_throws_a_few_at_once_and_then_one_now_and_then() -> None:
    clock = Clock()
    reactions = Reactions(clock)

    waits = [reactions.throw("cheers", Seat(1), "192.0.2.7") for _ in range(4)]
    assert [wait_s > 0 for wait_s in waits] == [False, False, False, True]
    assert reactions.throw("heart", Seat(2), "192.0.2.8") == 0

    clock.now_s += waits[-1]
    assert reactions.throw("cheers", Seat(1), "192.0.2.7") == 0


def test_all_phones_together_throw_no_more_than_a_screen_can_show() -> None:
    """However many phones there are, what is kept of it is bounded as well."""
    reactions = Reactions(Clock())

    thrown = [reactions.throw("fire", None, f"192.0.2.{phone}") for phone in range(100)]

    assert thrown.count(0) == 12
    assert reactions.last == 12
    assert len(reactions.since(0)) == 12


def test_a_reaction_flies_for_some_seconds_and_is_gone() -> None:
    clock = Clock()
    reactions = Reactions(clock)
    reactions.throw("cheers", Seat(1), "192.0.2.7")
    reactions.throw("laugh", None, "192.0.2.8")

    assert [(one.reaction, one.seat) for one in reactions.since(0)] == [
        ("cheers", Seat(1)),
        ("laugh", None),
    ]
    assert [one.reaction for one in reactions.since(1)] == ["laugh"]
    clock.now_s += FLIES_S
    assert reactions.since(0) == ()
    for at in range(100):
        clock.now_s += 10
        assert reactions.throw("gasp", Seat(1), "192.0.2.7") == 0, at
    assert len(reactions.since(0)) == 1


def test_any_number_of_screens_read_the_past_no_oftener_than_one_would() -> None:
    clock = Clock()
    pause, read = Break(clock), []

    def read_past() -> BreakTold:
        read.append(clock.now_s)
        return BreakTold(None, SeasonTable(None, {}, len(read)))

    for _ in range(10):  # five minutes of four screens, each of which asks when it likes
        for after_s in (0.0, 7.0, 9.0, 14.0):
            clock.now_s += after_s
            pause.told(7, read_past)
    assert len(read) == 11  # the first one, and one each 30 s
    assert min(later - sooner for sooner, later in pairwise(read)) >= BREAK_S

    assert pause.told(7, read_past).table.evenings == 11
    assert pause.told(8, read_past).table.evenings == 12  # something has happened since


def test_what_could_not_be_read_is_read_again_by_who_asks_next() -> None:
    pause = Break(Clock())

    def fail() -> BreakTold:
        raise TableUnavailable("The history cannot be read.")

    with pytest.raises(TableUnavailable):
        pause.told(7, fail)
    found = BreakTold(None, SeasonTable(None, {}, 1))
    assert pause.told(7, lambda: found) is found


class SlowHistory:
    """Reads when it is let, each time something else."""

    def __init__(self) -> None:
        self.asked, self.let = threading.Event(), threading.Event()
        self.times = 0

    def read(self) -> BreakTold:
        self.times += 1
        found = BreakTold(None, SeasonTable(None, {}, self.times))
        self.asked.set()
        assert self.let.wait(PATIENCE_S)
        return found


def test_who_asks_while_another_reads_is_told_what_was_read_before() -> None:
    clock = Clock()
    pause, history = Break(clock), SlowHistory()
    history.let.set()
    before = pause.told(7, history.read)
    clock.now_s += BREAK_S
    history.asked.clear()
    history.let.clear()
    with ThreadPoolExecutor() as screens:
        first = screens.submit(pause.told, 7, history.read)
        assert history.asked.wait(PATIENCE_S)

        assert pause.told(7, history.read) is before

        history.let.set()
    assert first.result() is pause.told(7, history.read) is not before
    assert history.times == 2


def test_who_finds_nothing_read_waits_for_the_one_that_reads() -> None:
    pause, history = Break(Clock()), SlowHistory()
    with ThreadPoolExecutor() as screens:
        some = [screens.submit(pause.told, 7, history.read) for _ in range(4)]
        assert history.asked.wait(PATIENCE_S)
        history.let.set()

    assert all(one.result() is some[0].result() for one in some)
    assert history.times == 1


RESTING = replace(
    BOARD, phase="between_hands", stake=None, rows=tuple(replace(row, flags=()) for row in ROWS)
)


def test_a_table_rests_while_no_cards_are_out() -> None:
    assert rests(RESTING)


@pytest.mark.parametrize(
    "board",
    [
        BOARD,
        replace(RESTING, rows=ROWS),
        replace(RESTING, heard=Heard(Seat(1), 2)),
        replace(RESTING, payments=(Payment(Seat(0), Seat(1), 3),)),
    ],
    ids=["stake", "dealt", "knocks", "pays"],
)
def test_whoever_plays_knocks_or_pays_is_no_break(board: Scoreboard) -> None:
    assert not rests(board)


@pytest.mark.parametrize(
    ("tallies", "limit", "how"),
    [((9, 2, 9, 9), 10, "fewest"), ((9, 9, 2, 9), 10, ""), ((9, 9, 10, 9), 10, "")],
)
def test_a_rubber_is_told_by_fewest_where_who_won_has_them(
    tallies: tuple[int, ...], limit: int, how: str
) -> None:
    assert _how_won(tallies, limit) == how


@pytest.mark.parametrize(("tallies", "how"), [((-35, 40, 10, -15), "most"), ((5, 0, 0, -5), "")])
def test_an_evening_of_chips_is_told_by_most(tallies: tuple[int, ...], how: str) -> None:
    """It said "void" or "played", which was how its last hand had ended."""
    assert _how_won(tallies, None) == how


def _how_won(tallies: tuple[int, ...], limit: int | None) -> str:
    rows = tuple(replace(ROWS[at], tally=one, limit=limit) for at, one in enumerate(tallies))
    stage, after = Stage(Clock()), replace(_after(WON), rows=rows)
    stage.see(BOARD, after)
    scene = stage.scene_at(after)
    assert scene is not None
    return scene.how_won(after)


def test_a_hand_that_nobody_won_is_told_by_who_paid_or_who_got_most() -> None:
    lowest = Hand(1, None, "how.lowest", {Seat(2): 1})
    small = Posting(Line("ledger.ante"), {Seat(1): -5, Seat(3): 5})
    large = Posting(Line("ledger.last_trick", {"seat": Seat(3)}), {Seat(1): -40, Seat(3): 40})
    booked = Hand(1, None, "how.booked", {Seat(1): -45, Seat(3): 45}, ledger=(small, large))

    assert told_by(lowest, BOARD) == (Seat(2),)
    assert told_by(lowest, replace(BOARD, rows=ROWS[:2])) == ()
    assert most_gained(booked, BOARD) == Gain(Seat(3), 45, large.line)
    assert most_gained(booked, replace(BOARD, rows=ROWS[:2])) is None
    assert most_gained(replace(booked, paid={Seat(1): -45}), BOARD) is None
