"""People come and go and house rules change while something stands on the slate."""

from typing import Any

import pytest

from kloplei.games.catalogue import build_game, game_kind
from kloplei.games.game import IllegalAction, Seat
from kloplei.words import Words
from tests.table.seated import Tabletop


def real(game: str, **settings: Any) -> Tabletop:
    """Return a table at which *game* is played as its package has it."""
    return Tabletop(
        build=build_game,
        presets=lambda name: game_kind(name).presets,
        game=game,
        games=("toepen", "watten", "tarok"),
        **settings,
    )


def toepen() -> Tabletop:
    """Return a rubber of toepen between two hands: seat 1 has won twice, all others paid."""
    table = real("toepen").start(1, 2, 3)
    for _ in range(2):
        table.ask(1, "deal")
        table.ask(1, "trick", facts={"n": 4})
    return table


def why_not(table: Tabletop, seat: int | None, action: str, **facts: object) -> str | None:
    """Return why *action* is refused; it is done if it is not."""
    try:
        table.ask(seat, action, facts=facts)
    except IllegalAction as refusal:
        return refusal.reason
    return None


def test_who_comes_late_begins_as_the_worst_at_the_table_and_undo_takes_it_back() -> None:
    table = toepen()

    table.ask(4, "sit_down", facts={"name": "Stan"})
    late = table.tally()
    table.ask(None, "undo")

    assert late == {1: 0, 2: 2, 3: 2, 4: 2}
    assert table.tally() == {1: 0, 2: 2, 3: 2}


def test_who_sat_out_is_dealt_in_again_and_a_restart_knows_it() -> None:
    table = toepen()
    table.ask(4, "sit_down")
    table.ask(3, "stand_up")
    without = table.tally()
    table.ask(3, "sit_down")
    table.ask(1, "deal")

    again = Tabletop(table.journal, build=build_game, game="toepen")

    assert without == {1: 0, 2: 2, 4: 2}
    assert table.tally() == {1: 0, 2: 2, 3: 2, 4: 2}
    assert again.board.rows == table.board.rows


def test_nobody_comes_or_goes_while_cards_are_on_the_table() -> None:
    table = toepen()
    table.ask(1, "deal")

    assert why_not(table, 4, "sit_down") == "hand_in_progress"
    assert why_not(table, 3, "stand_up") == "hand_in_progress"
    assert why_not(table, None, "options", preset="vijftien") == "hand_in_progress"


def test_house_rules_change_in_a_rubber_and_the_lives_stay() -> None:
    table = toepen()

    table.ask(2, "options", facts={"options": {"max_lives": 15}})

    assert table.tally() == {1: 0, 2: 2, 3: 2}
    assert {row.limit for row in table.board.rows} == {15}
    (entry,) = table.table.log(1)
    assert entry.seat == 1
    said = Words("en").say(entry.line.key, entry.line.facts)
    assert said == "House rules changed: Lives → 15."


def test_rules_that_change_who_is_out_wait_and_so_does_another_game() -> None:
    table = toepen()

    assert why_not(table, None, "options", options={"max_lives": 2}) == "after_this_rubber"
    assert why_not(table, None, "options", game="watten") == "slate_not_clean"
    assert table.tally() == {1: 0, 2: 2, 3: 2}


def test_another_game_waits_until_the_pot_is_shared_out() -> None:
    """It began, and nobody saw those chips again."""
    table = toepen()
    table.ask(
        None, "options", facts={"options": {"stake_in": "chips", "max_lives": 3, "armoede": "off"}}
    )
    table.ask(1, "deal")
    table.ask(1, "trick", facts={"n": 4})
    for seat in (2, 3):
        table.ask(seat, "drink")

    waits = why_not(table, None, "options", game="watten", preset="tirol")
    table.ask(None, "payout", facts={"chips": 2})

    assert waits == "pot_not_empty"
    assert why_not(table, None, "options", game="tarok") is None


def test_a_rubber_can_still_be_wiped_and_people_change_places_in_it() -> None:
    table = toepen()

    table.ask(1, "swap", facts={"of": 2})
    swapped = table.tally()
    table.ask(None, "wipe")

    assert swapped == {1: 2, 2: 0, 3: 2}
    assert table.tally() == {1: 0, 2: 0, 3: 0}
    with pytest.raises(IllegalAction, match="slate_clean"):
        table.ask(None, "wipe")


@pytest.mark.parametrize("game", ["toepen", "eenendertigen"])
def test_who_left_and_comes_back_keeps_what_was_lost_though_nobody_else_has(game: str) -> None:
    table = real(game).start(1, 2, 3, 4)
    table.ask(3, "chalk", facts={"lives": 2})

    table.ask(3, "stand_up")
    table.ask(3, "sit_down")

    assert table.tally() == {1: 0, 2: 0, 3: 2, 4: 0}


@pytest.mark.parametrize("game", ["toepen", "eenendertigen"])
def test_who_comes_back_to_a_seat_by_a_knock_has_the_name_again(game: str) -> None:
    """The lives stood there as before, beside the name that the seat lends."""
    table = real(game).start(1, 2, 3, 4, 6)
    for seat, name in ((3, "Cor"), (4, "Dirk")):
        table.ask(seat, "rename", facts={"name": name})
    table.ask(3, "chalk", facts={"lives": 2})
    for seat in (3, 4):
        table.ask(seat, "stand_up")

    again = Tabletop(table.journal, build=build_game, game=game)
    again.now_s = table.now_s
    again.ask(5, "sit_down", facts={"name": "dirk"})
    again.knock(4)  # another Dirk has come meanwhile
    again.knock(3)

    names = {seat.shown: name for seat, name in again.board.names.items()}
    assert (names[3], again.tally()[3]) == ("Cor", 2)
    assert names[4] == "Plek 4"
    again.ask(3, "stand_up")
    again.ask(None, "wipe")
    again.ask(3, "sit_down")
    assert again.board.names[Seat(2)] == "Plek 3"  # of a rubber that nobody plays any more


def thirty_one(**options: object) -> Tabletop:
    """Return a rubber of eenendertigen between two hands: seat 2 has lost a life, seat 3 two."""
    table = real("eenendertigen", options=options).start(1, 2, 3)
    for seat in (2, 3, 3):
        table.ask(None, "deal")
        table.ask(seat, "lowest")
    return table


def test_people_come_and_go_in_a_rubber_of_eenendertigen_and_a_restart_knows_it() -> None:
    table = thirty_one()
    table.ask(4, "sit_down")
    late = table.tally()
    table.ask(2, "stand_up")
    table.ask(2, "sit_down")
    table.ask(1, "swap", facts={"of": 3})
    table.ask(None, "correct", facts={"hand": 3, "of": 3})

    again = Tabletop(table.journal, build=build_game, game="eenendertigen")

    assert late == {1: 0, 2: 1, 3: 2, 4: 2}
    assert table.tally() == {1: 1, 2: 2, 3: 1, 4: 2}
    assert again.board.rows == table.board.rows


@pytest.mark.parametrize(("rule", "late"), [("highest", 2), ("average", 1), ("nothing", 0)])
def test_the_house_says_with_how_many_lives_one_comes_late(rule: str, late: int) -> None:
    table = thirty_one(latecomer_lives=rule)

    table.ask(5, "sit_down")

    assert table.tally()[5] == late


def test_rules_of_eenendertigen_change_in_a_rubber_unless_they_change_who_is_out() -> None:
    table = thirty_one()

    assert why_not(table, None, "options", options={"lives": 2}) == "after_this_rubber"
    table.ask(None, "options", facts={"options": {"lives": 4, "payer": "nobody"}})

    assert {row.limit for row in table.board.rows} == {4}
    assert table.tally() == {1: 0, 2: 1, 3: 2}
    assert "players" not in table.board.later


def watten() -> Tabletop:
    """Return a game of Watten between two deals, of which one side has won one."""
    table = real("watten").start(1, 2, 3, 4)
    table.ask(1, "chalk", facts={"points": 4})
    return table


def test_watten_changes_rules_between_deals_but_not_what_it_is_played_for() -> None:
    table = watten()

    table.ask(None, "options", facts={"options": {"guate": "on"}})

    assert table.tally() == {1: 4, 2: 0, 3: 4, 4: 0}
    assert why_not(table, None, "options", options={"target": 11}) == "after_this_game"
    assert why_not(table, 4, "stand_up") == "slate_not_clean"
    table.ask(1, "deal")
    assert why_not(table, None, "options", options={"guate": "off"}) == "deal_in_progress"


def test_tarok_changes_nothing_before_all_is_settled() -> None:
    table = real("tarok", options={"only_points": True}).start(1, 2, 3)
    table.ask(None, "deal")
    running = why_not(table, 4, "sit_down")
    table.ask(None, "result", facts={"amounts": [20, -10, -10], "king": 0, "pagat": 0})

    assert running == "slate_not_clean"
    assert why_not(table, None, "options", options={"sitter": "chosen"}) == "slate_not_clean"
    assert why_not(table, 4, "sit_down") == "slate_not_clean"


def test_the_board_says_what_has_to_wait_and_why() -> None:
    clean, running = real("toepen").start(1, 2, 3), toepen()
    between = running.board
    running.ask(1, "deal")

    assert clean.board.later == between.later == {}
    assert {what: line.key for what, line in running.board.later.items()} == {
        "players": "reason.hand_in_progress",
        "rules": "reason.hand_in_progress",
    }
    assert list(watten().board.later) == ["players"]


def test_another_game_is_offered_on_a_clean_slate_only() -> None:
    offered = [
        next(one.choices for one in table.board.offers if one.action == "options")
        for table in (real("toepen").start(1, 2, 3), toepen())
    ]

    assert ["game" in choices for choices in offered] == [True, False]
