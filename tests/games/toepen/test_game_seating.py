"""Who sits at a toepen table, and changing places (toepen.md § 7)."""

from collections.abc import Mapping

import pytest

from kloplei.games.card_game import BadSeating, Correct, Deal
from kloplei.games.game import Action, Seat
from kloplei.games.toepen import Options, Toepen
from kloplei.games.toepen.actions import Amend, Trick
from kloplei.games.toepen.legality import Referee
from tests.games.toepen.table import Table, seat_of

A, B, C, D = (Seat(n) for n in range(4))


@pytest.mark.parametrize(
    ("seats", "dealer", "complaint"),
    [
        ((A, B), A, "3 to 8 players, not 2"),
        (tuple(Seat(n) for n in range(9)), A, "3 to 8 players, not 9"),
        ((A, B, C), D, "dealer must be one of the players"),
        ((A, B, B), A, "a seat of his own"),
    ],
)
def test_impossible_tables_are_refused(
    seats: tuple[Seat, ...], dealer: Seat, complaint: str
) -> None:
    with pytest.raises(BadSeating, match=complaint):
        Toepen().start(seats, dealer)


@pytest.mark.parametrize(("lives"), [{A: 11}, {A: -1}, {A: 10}, {D: 1}])
def test_impossible_slates_are_refused(lives: Mapping[Seat, int]) -> None:
    with pytest.raises(BadSeating):
        Toepen().start((A, B, C), A, lives_lost=lives)


def test_empty_seats_in_between_hold_nothing() -> None:
    state = Toepen().start((A, C, Seat(6)), C, lives_lost={Seat(6): 4})

    assert state.lives_lost == (0, 0, 0, 0, 0, 0, 4)
    assert state.after(C) == (Seat(6), A, C)


def test_honours_brought_along_crown_at_once() -> None:
    state = Toepen().start((A, B, C), A, rubbers_won={B: 3})

    assert state.toepkoning == (B,)


def test_players_come_and_go_between_two_hands() -> None:
    table = Table()
    assert table.game.why_not_reseat(table.state) is None
    assert table.game.is_clean(table.state)

    table.do("deal")
    assert table.game.why_not_reseat(table.state) == "hand_in_progress"

    table.do("trick 4 A")
    assert table.game.why_not_reseat(table.state) is None
    assert not table.game.is_clean(table.state)

    table.do("chalk B 10")
    assert table.game.why_not_reseat(table.state) == "settle_first"
    assert not table.game.is_clean(table.state)

    table.do("drink B")
    assert table.game.is_clean(table.state)


@pytest.mark.parametrize(("house", "lost"), [("highest", 4), ("average", 3), ("nothing", 0)])
def test_who_comes_late_has_lost_what_the_house_says(house: str, lost: int) -> None:
    table = Table("ABC", lives=(4, 1, 2), latecomer_lives=house)

    state = table.game.go_on(table.state, (A, B, C, D), {A: A, B: B, C: C})

    assert state.lives_lost == (4, 1, 2, lost)
    assert state.dealer == C


def test_who_comes_late_has_a_life_and_who_is_out_does_not_count() -> None:
    table = Table("ABC", lives=(10, 9, 9), rubber_mode="last_standing")

    state = table.game.go_on(table.state, (A, B, C, D), {A: A, B: B, C: C})

    assert state.lives_lost[D] == 9
    assert (state.out_since[A], state.out_since[D]) == (1, 0)


def test_sitting_out_gives_no_life_back() -> None:
    table = Table("ABCD", lives=(7, 1, 2, 0), latecomer_lives="nothing")
    stayed = {B: B, C: C, D: D}

    without = table.game.go_on(table.state, (B, C, D), stayed)
    again = table.game.go_on(without, (A, B, C, D), stayed)

    assert without.lives_lost == (0, 1, 2, 0)
    assert again.lives_lost == (7, 1, 2, 0)


def test_lives_and_hands_follow_who_moves_in_a_rubber() -> None:
    table = Table("ABC").do("deal", "trick 4 A")

    table.state = table.game.go_on(table.state, (A, B, D), {A: D, B: A})

    assert table.state.lives_lost == (1, 1, 0, 0)
    assert table.state.hands[0].winner == D
    assert table.state.hands[0].paid == (1, 0, 0, 0)
    assert table.state.dealer == D
    assert table.refused("correct 1 A") is None


def test_a_hand_is_told_anew_without_who_came_after_it() -> None:
    table = Table("ABC").do("deal", "knock A", "stay B", "fold C", "trick 4 A")
    table.state = table.game.go_on(table.state, (A, B, C, D), {A: A, B: B, C: C})
    came_with = table.state.lives_lost[D]

    assert table.refused("amend 1 D 2 - - 1 -") == "not_in_hand"
    assert table.refused("amend 1 A 2 - - 1 1") == "not_in_hand"
    table.do("amend 1 B 2 - - 1 -")

    assert table.state.lives_lost == (2, 0, 1, came_with)


def test_a_hand_that_was_won_by_who_left_is_not_corrected() -> None:
    table = Table("ABCD").do("deal", "trick 4 A")

    table.state = table.game.go_on(table.state, (B, C, D), {B: B, C: C, D: D})

    assert table.refused("correct 1 B") == "hand_unknown"
    assert table.refused("amend 1 B 1 - - -") == "hand_unknown"
    assert table.dealer == "B"


def test_a_rubber_goes_on_by_other_rules_unless_they_change_who_is_out() -> None:
    before = Table("ABC", lives=(7, 1, 2))
    stay = {A: A, B: B, C: C}

    def why_not(**options: object) -> str | None:
        game = Toepen(Options.from_mapping(options))
        return game.why_not_go_on(before.state, (A, B, C), stay, before.game)

    assert why_not(max_lives=15, armoede="off") is None
    assert why_not(max_lives=8, rubber_mode="last_standing") is None
    assert why_not(max_lives=7) == "after_this_rubber"


def test_nobody_leaves_with_a_debt_or_ends_a_rubber_by_leaving() -> None:
    table = Table("ABCD", lives=(9, 10, 3, 4), rubber_mode="last_standing", armoede="off")
    table.do("deal", "trick 4 C")

    def why_not(*stay: Seat) -> str | None:
        moved = {seat: seat for seat in stay}
        return table.game.why_not_go_on(table.state, stay, moved, table.game)

    assert why_not(B, C, D) == "settle_first"
    table.do("drink A")
    assert why_not(B, C, D) is None
    assert why_not(A, B, C) == "after_this_rubber"


def test_honours_follow_who_moves_and_leave_with_who_goes() -> None:
    table = Table("ABC", lives=(9, 0, 1), armoede="off").do("deal", "trick 4 B", "drink A")

    state = table.game.reseat(table.state, (A, B, D), {B: A, A: D})

    assert [state.rubbers_won(seat) for seat in (A, B, D)] == [1, 0, 0]
    assert state.drinks == (0, 0, 0, 1)
    assert state.rubber_winners == (A,)
    assert state.dealer == A
    assert state.news == table.state.news


def test_the_deal_passes_on_when_the_dealer_leaves() -> None:
    table = Table("ABCD", dealer="B")

    state = table.game.reseat(table.state, (A, C, D), {A: A, C: C, D: D})

    assert state.dealer == C


def test_a_new_circle_starts_with_its_first_seat() -> None:
    table = Table("ABC", dealer="B")

    assert table.game.reseat(table.state, (C, D, Seat(5)), {}).dealer == C


def test_too_few_cannot_stay() -> None:
    table = Table("ABC")

    with pytest.raises(BadSeating, match="not 2"):
        table.game.reseat(table.state, (A, B), {A: A, B: B})


def test_a_reseated_table_plays_on() -> None:
    table = Table("ABC")
    far = seat_of("H")
    table.state = table.game.reseat(table.state, (A, B, far), {A: far, B: A, C: B})
    table.players = "ABH"

    table.do("deal", "knock H", "stay A", "fold B", "trick 4 H")

    assert table.lives == [2, 1, 0]


def test_a_board_after_many_hands_judges_their_tellings_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of 30 hands can be told anew for 8 winners: one by one that took most of a board."""
    seats = tuple(map(Seat, range(8)))
    game = Toepen(Options(max_lives=100))
    state = game.start(seats, A)
    for n in range(30):
        for action in (Deal(), Trick(seats[n % 8], 4)):
            for event in game.decide(state, action):
                state = game.apply(state, event)
    judged = _judged(monkeypatch)

    legal = game.legal_actions(state)

    assert sum(isinstance(action, Amend) for action in legal) == 30 * 8
    assert sum(isinstance(action, Correct) for action in legal) == 30 * 7
    assert len(judged) < 150


def test_eight_who_wait_for_the_cards_cost_hardly_more_than_four(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever it is for, what may be written by hand between two hands is one question."""
    judged = _judged(monkeypatch)
    asked = []
    for many in (4, 8):
        game = Toepen()
        state = game.start(tuple(map(Seat, range(many))), A)
        game.legal_actions(state)
        asked.append(len(judged))
        judged.clear()

    four, eight = asked
    assert eight <= 1.5 * four


def _judged(monkeypatch: pytest.MonkeyPatch) -> list[Action]:
    """Return where every action is written that a referee is asked about from now on."""
    judged, why_not = list[Action](), Referee.why_not

    def counted(self: Referee, action: Action) -> str | None:
        judged.append(action)
        return why_not(self, action)

    monkeypatch.setattr(Referee, "why_not", counted)
    return judged
