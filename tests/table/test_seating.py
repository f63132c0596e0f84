"""Who sits where, what is played, when it may change: asked by phone, time stands still."""

import pytest

from kloplei.games.catalogue import build_game
from kloplei.games.game import Event, IllegalAction, Seat
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.table.actions import ChooseOptions, EveningBegun, OptionsChosen, Recovered
from kloplei.table.client import BadRequest
from kloplei.table.seating import Seating, TableSetup, TableState
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop, offered, reason_of
from tests.words.sources import TABLE_REASONS


@pytest.fixture
def tabletop() -> Tabletop:
    return Tabletop(seats=6)


def names(board: Scoreboard) -> dict[int, str]:
    return {seat.shown: name for seat, name in board.names.items()}


def test_a_new_table_waits_for_somebody_to_sit_down(tabletop: Tabletop) -> None:
    board = tabletop.board

    assert (board.phase, board.prompt, board.rows) == ("seating", Line("prompt.sit-down"), ())
    assert (board.seq, board.seats, board.game) == (0, 6, "toy")
    assert offered(board) == {"sit_down", "options"}


def test_who_sits_down_has_a_row(tabletop: Tabletop) -> None:
    tabletop.ask(3, "sit_down", facts={"name": " Stan "})
    tabletop.ask(1, "sit_down")

    assert names(tabletop.board) == {1: "Plek 1", 3: "Stan"}
    assert [row.tally for row in tabletop.board.rows] == [0, 0]
    assert tabletop.board.news == Line("news.sat-down", {"seat": Seat(0)})


def test_free_seats_are_offered(tabletop: Tabletop) -> None:
    tabletop.seat_all(1, 2, 5)

    (offer,) = (offer for offer in tabletop.board.offers if offer.action == "sit_down")
    assert offer.choices["seat"] == (Seat(2), Seat(3), Seat(5))


def test_the_keeper_may_seat_somebody(tabletop: Tabletop) -> None:
    tabletop.ask(None, "sit_down", facts={"seat": 2, "name": "Tame"})

    assert names(tabletop.board) == {2: "Tame"}


@pytest.mark.parametrize(
    ("seat", "action", "facts", "reason"),
    [
        (1, "sit_down", {}, "seat_taken"),
        (4, "sit_down", {"name": "plek 1"}, "name_taken"),
        (4, "sit_down", {"name": "\n"}, None),
        (4, "sit_down", {"name": "a\nb"}, "bad_name"),
        (4, "stand_up", {}, "not_seated"),
        (4, "rename", {"name": "Stan"}, "not_seated"),
        (1, "rename", {"name": "PLEK 2"}, "name_taken"),
        (1, "rename", {"name": "plek 1"}, None),
        (1, "rename", {"name": ""}, "bad_name"),
        (4, "swap", {"of": 1}, "not_seated"),
        (1, "swap", {"of": 1}, "same_seat"),
        (1, "swap", {"of": 6}, None),
        (1, "start", {"dealer": 4}, "seat_empty"),
        (4, "start", {}, None),
        (1, "deal", {}, "not_started"),
        (1, "wipe", {}, "not_started"),
        (1, "new_evening", {}, "not_started"),
        (1, "redo", {}, "nothing_to_redo"),
        (1, "undo", {"steps": 0}, "nothing_to_undo"),
        (1, "undo", {"steps": -1}, "nothing_to_undo"),
        (1, "undo", {"steps": 4}, "nothing_to_undo"),
        (1, "undo", {"steps": 3}, None),
        (1, "cancel", {}, "nothing_waits"),
        (1, "it_was_me", {}, "nothing_asked"),
    ],
)
def test_what_may_be_asked_before_the_game(
    tabletop: Tabletop, seat: int, action: str, facts: dict[str, object], reason: str | None
) -> None:
    tabletop.seat_all(1, 2, 3)
    before = tabletop.board

    assert reason_of(tabletop, seat, action, facts) == reason

    assert reason is None or reason in TABLE_REASONS
    assert (tabletop.board == before) is (reason is not None)


def test_too_few_cannot_start(tabletop: Tabletop) -> None:
    tabletop.seat_all(1)

    with pytest.raises(IllegalAction) as refused:
        tabletop.ask(1, "start")

    assert (refused.value.reason, refused.value.facts) == ("too_few_players", {"n": 2})
    assert "start" not in offered(tabletop.board)


def test_too_many_cannot_start(tabletop: Tabletop) -> None:
    tabletop.seat_all(1, 2, 3, 4, 5)

    with pytest.raises(IllegalAction) as refused:
        tabletop.ask(1, "start")

    assert (refused.value.reason, refused.value.facts) == ("too_many_players", {"n": 4})


@pytest.mark.parametrize(
    ("asker", "facts", "dealer"),
    [(3, {}, 3), (None, {}, 2), (5, {}, 2), (3, {"dealer": 2}, 2), (None, {"dealer": 4}, 4)],
)
def test_who_starts_deals_unless_somebody_else_is_named(
    tabletop: Tabletop, asker: int | None, facts: dict[str, object], dealer: int
) -> None:
    tabletop.seat_all(4, 2, 3).ask(asker, "start", facts=facts)

    assert tabletop.board.dealer == Seat(dealer - 1)
    assert tabletop.board.news == Line("news.started", {"seat": Seat(dealer - 1)})
    assert [row.seat.shown for row in tabletop.board.rows] == [2, 3, 4]


def test_a_game_starts_once(tabletop: Tabletop) -> None:
    tabletop.start(1, 2)

    assert reason_of(tabletop, 1, "start") == "already_started"


def test_who_joins_or_leaves_a_fresh_slate_is_dealt_in(tabletop: Tabletop) -> None:
    tabletop.start(1, 2)

    tabletop.ask(5, "sit_down", facts={"name": "Stan"})
    tabletop.ask(1, "stand_up")

    assert names(tabletop.board) == {2: "Plek 2", 5: "Stan"}
    assert tabletop.board.dealer == Seat(1)


def test_who_leaves_is_named_in_the_news(tabletop: Tabletop) -> None:
    tabletop.ask(2, "sit_down", facts={"name": "Tame"})
    tabletop.ask(2, "stand_up")

    assert tabletop.board.news == Line("news.stood-up", {"seat": Seat(1), "name": "Tame"})
    assert tabletop.table.log()[0].names == {Seat(1): "Tame"}


def test_nobody_joins_leaves_or_swaps_while_the_rubber_runs(tabletop: Tabletop) -> None:
    tabletop.start(1, 2).ask(1, "deal")

    reasons = {
        reason_of(tabletop, 3, "sit_down"),
        reason_of(tabletop, 1, "stand_up"),
        reason_of(tabletop, 1, "swap", {"of": 2}),
        reason_of(tabletop, None, "options", {"preset": "long"}),
    }

    assert reasons == {"rubber_running"}
    assert not offered(tabletop.board) & {"sit_down", "stand_up", "swap", "options"}


def test_the_slate_says_that_too_many_sit_there(tabletop: Tabletop) -> None:
    tabletop.seat_all(1, 2, 3, 4)
    enough = tabletop.board.told

    tabletop.ask(5, "sit_down")
    crowded = tabletop.board.told
    tabletop.ask(5, "stand_up")

    assert crowded == (Line("reason.too_many_players", {"n": 4}),)
    assert (enough, tabletop.board.told) == ((), ())


def test_a_running_game_keeps_enough_and_not_too_many_players(tabletop: Tabletop) -> None:
    tabletop.start(1, 2)

    assert reason_of(tabletop, 1, "stand_up") == "too_few_players"
    tabletop.seat_all(3, 4)
    assert reason_of(tabletop, 5, "sit_down") == "too_many_players"
    assert "sit_down" not in offered(tabletop.board)


def test_honours_follow_the_person(tabletop: Tabletop) -> None:
    tabletop.start(1, 2)
    win_a_rubber(tabletop, winner=1)

    tabletop.ask(1, "swap", facts={"of": 2})
    tabletop.ask(1, "swap", facts={"of": 6})

    stars = {row.name: row.counts["stars"] for row in tabletop.board.rows}
    assert names(tabletop.board) == {2: "Plek 1", 6: "Plek 2"}
    assert stars == {"Plek 1": 1, "Plek 2": 0}


def test_a_newcomer_on_an_old_seat_has_no_honours(tabletop: Tabletop) -> None:
    tabletop.start(1, 2, 3)
    win_a_rubber(tabletop, winner=1)

    tabletop.ask(1, "stand_up")
    tabletop.ask(1, "sit_down", facts={"name": "Stan"})

    assert {row.counts["stars"] for row in tabletop.board.rows} == {0}


def test_a_player_may_be_renamed_in_mid_hand(tabletop: Tabletop) -> None:
    tabletop.start(1, 2).ask(1, "deal")

    tabletop.ask(2, "rename", facts={"name": "Tame"})

    assert names(tabletop.board) == {1: "Plek 1", 2: "Tame"}
    assert tabletop.board.news == Line(
        "news.renamed", {"seat": Seat(1), "name": "Tame", "before": "Plek 2"}
    )


def test_options_before_the_game_hold_for_it(tabletop: Tabletop) -> None:
    tabletop.ask(None, "options", facts={"preset": "long"})
    tabletop.start(1, 2)

    assert tabletop.board.preset == "long"
    assert {row.limit for row in tabletop.board.rows} == {7}


def test_options_on_a_fresh_slate_keep_the_honours(tabletop: Tabletop) -> None:
    tabletop.start(1, 2)
    win_a_rubber(tabletop, winner=1)

    tabletop.ask(None, "options", facts={"options": {"limit": 9}})

    assert tabletop.board.options == {"limit": 9}
    assert [(row.limit, row.counts["stars"]) for row in tabletop.board.rows] == [(9, 1), (9, 0)]


@pytest.mark.parametrize(
    "facts", [{"game": "chess"}, {"options": {"colour": "red"}}, {"options": {"limit": "many"}}]
)
def test_options_that_make_no_game_are_unreadable(
    tabletop: Tabletop, facts: dict[str, object]
) -> None:
    before = tabletop.board

    with pytest.raises(BadRequest):
        tabletop.ask(None, "options", facts=facts)

    assert tabletop.board == before


def test_true_is_no_number_though_python_takes_it_for_one() -> None:
    """Written down, it would keep the table from starting: nobody reads it back."""
    seating, state = Seating(TableSetup()), TableState("toepen")
    (chosen,) = seating.decide(state, ChooseOptions(options={"debt_chips": 1}))
    seating.game(seating.apply(state, chosen))

    with pytest.raises(BadRequest, match="debt_chips cannot be True"):
        seating.decide(state, ChooseOptions(options={"debt_chips": True}))


@pytest.mark.parametrize("event", [OptionsChosen, EveningBegun, Recovered])
def test_a_journal_of_before_in_which_true_stands_for_one_opens(event: type[Event]) -> None:
    """Also where true is right for another option of the same house."""
    name, facts = event.__name__, {"game": "toepen", "preset": None}
    options = [["debt_chips", True], ["blind_knock", True]]
    journal = MemoryJournal()
    journal.append([(name, {**facts, "options": options})], seat=None, via="phone", at=None)

    table = Tabletop(journal, build=build_game, game="toepen")

    assert table.board.options["debt_chips"] == 1
    assert table.board.options["blind_knock"] is True


def test_the_presets_of_the_game_are_offered() -> None:
    tabletop = Tabletop(presets=lambda game: (f"{game} light", "long"))

    (offer,) = (offer for offer in tabletop.board.offers if offer.action == "options")

    assert offer.choices == {"preset": ("toy light", "long")}


def test_the_games_there_are_are_offered_if_there_is_a_choice() -> None:
    tabletop = Tabletop(games=("toy", "skat"))

    (offer,) = (offer for offer in tabletop.board.offers if offer.action == "options")

    assert offer.choices["game"] == ("toy", "skat")


def test_wiping_abandons_the_rubber_and_keeps_the_honours(tabletop: Tabletop) -> None:
    tabletop.start(1, 2)
    win_a_rubber(tabletop, winner=1)
    tabletop.ask(1, "deal")
    tabletop.ask(1, "win")

    tabletop.ask(None, "wipe")

    assert tabletop.board.phase == "between_hands"
    assert [(row.tally, row.counts["stars"]) for row in tabletop.board.rows] == [(0, 1), (0, 0)]
    assert tabletop.board.news == Line("news.slate-wiped")


def test_a_clean_slate_is_not_wiped(tabletop: Tabletop) -> None:
    tabletop.start(1, 2)

    assert reason_of(tabletop, None, "wipe") == "slate_clean"
    assert "wipe" not in offered(tabletop.board)


def test_a_new_evening_keeps_players_and_house_rules_only(tabletop: Tabletop) -> None:
    tabletop.ask(None, "options", facts={"preset": "long"})
    tabletop.start(1, 2)
    win_a_rubber(tabletop, winner=1)

    tabletop.ask(None, "new_evening")

    assert (tabletop.board.phase, tabletop.board.preset) == ("seating", "long")
    assert names(tabletop.board) == {1: "Plek 1", 2: "Plek 2"}
    tabletop.ask(1, "start")
    assert {row.counts["stars"] for row in tabletop.board.rows} == {0}


def test_an_empty_seat_does_not_play(tabletop: Tabletop) -> None:
    tabletop.start(1, 3).ask(1, "deal")

    assert reason_of(tabletop, 2, "raise") == "not_seated"
    assert reason_of(tabletop, 6, "raise") == "not_seated"


def test_settings_that_make_no_game_are_told_at_once() -> None:
    with pytest.raises(ValueError, match="chess"):
        Tabletop(game="chess")


def win_a_rubber(tabletop: Tabletop, winner: int) -> None:
    while tabletop.board.phase != "rubber_over":
        tabletop.ask(winner, "deal")
        tabletop.ask(winner, "win")
    tabletop.ask(winner, "settle")
