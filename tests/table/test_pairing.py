"""A phone asks to be let in, and a knock that means nothing in the game lets it."""

from dataclasses import replace

import pytest

from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Door, Line, Tuning
from kloplei.table.client import ASK_S, TAKE_S, WELCOME, BadRequest, DoorState
from kloplei.table.messages import TuningShown
from kloplei.table.pairing import SETTLE_S, SHOWN_S, WELCOME_S
from tests.table.at_the_door import OTHER, PHONE, TIMINGS, asks, shown, state
from tests.table.seated import Tabletop, told


@pytest.fixture
def between() -> Tabletop:
    """Seats 1 to 3 of four sit at Toy, and no hand is dealt; the wood is known to tell seats."""
    tabletop = Tabletop(seats=4).start(1, 2, 3)
    tabletop.knock(1)
    tabletop.wait(SETTLE_S)
    return tabletop


@pytest.fixture
def playing(between: Tabletop) -> Tabletop:
    between.ask(1, "deal")
    between.wait(SETTLE_S)
    return between


def test_the_slate_shows_the_word_of_the_phone_that_asks(between: Tabletop) -> None:
    answer = between.table.pairing.ask(Seat(2), PHONE, between.now_s)

    door = shown(between)
    assert answer.state is DoorState.ASKING
    assert door == Door(answer.word, 1, Seat(2), between.now_s + ASK_S, ASK_S, knocks=1)
    assert answer.ticket not in repr(between.board)


@pytest.fixture(params=GAMES)
def pub(request: pytest.FixtureRequest) -> Tabletop:
    """A table of a real game, between two hands; the wood is known to tell seats."""
    tabletop = Tabletop(game=request.param, build=build_game, seats=4).start(1, 2, 3, 4)
    tabletop.knock(1)
    tabletop.wait(SETTLE_S)
    return tabletop


def shut(tabletop: Tabletop) -> None:
    """Let others ask in vain until nobody may ask for some minutes."""
    for number in range(4):
        tabletop.table.pairing.ask(None, f"10.0.0.{number}", tabletop.now_s)
        tabletop.wait(ASK_S)
    with pytest.raises(IllegalAction, match="door_wait"):
        asks(tabletop)


def test_seven_knocks_let_in_who_asks_next_past_all_limits(pub: Tabletop) -> None:
    """Fifty addresses kept the door shut all night."""
    shut(pub)
    before = told(pub.board)

    pub.knock(2, 7)
    assert pub.board.shown == Line(WELCOME)
    ticket = asks(pub)
    pub.wait(WELCOME_S / 2)
    assert state(pub, ticket) == "queued"  # its page looks every few seconds
    pub.wait(WELCOME_S / 2)

    assert state(pub, ticket) == "granted"
    assert shown(pub).let_in
    assert told(pub.board) == before
    with pytest.raises(IllegalAction, match="door_wait"):
        pub.table.pairing.ask(None, OTHER, pub.now_s)


def test_where_several_ask_after_seven_knocks_each_is_knocked_for(pub: Tabletop) -> None:
    shut(pub)
    pub.knock(2, 7)
    tickets = [asks(pub)]
    tickets += [
        pub.table.pairing.ask(None, f"10.0.0.{number}", pub.now_s).ticket for number in range(50)
    ]

    pub.wait(WELCOME_S / 2)
    assert {state(pub, one) for one in tickets} == {"queued"}
    pub.wait(WELCOME_S / 2)

    states = sorted(state(pub, one) for one in tickets)
    assert states == ["asking", *["gone"] * 47, *["queued"] * 3]
    assert not shown(pub).let_in


def test_seven_knocks_turn_away_who_stood_before_the_door(pub: Tabletop) -> None:
    first = pub.table.pairing.ask(None, OTHER, pub.now_s).ticket
    for number in range(3):
        pub.table.pairing.ask(None, f"10.0.0.{number}", pub.now_s)
    pub.wait(SETTLE_S)

    with pytest.raises(IllegalAction, match="door_busy"):
        asks(pub)
    pub.knock(2, 7)

    assert state(pub, first) == "gone"
    assert pub.board.door is None


def test_seven_knocks_that_nobody_follows_change_nothing(pub: Tabletop) -> None:
    before = told(pub.board)
    pub.knock(2, 7)
    pub.wait(WELCOME_S)

    assert told(pub.board) == before
    assert pub.board.shown is None
    assert pub.board.door is None


def test_one_knock_lets_in_where_it_means_nothing(between: Tabletop) -> None:
    ticket = asks(between)
    before = told(between.board)

    between.knock(2)

    assert state(between, ticket) == "granted"
    assert shown(between).let_in
    assert told(between.board) == before


@pytest.mark.parametrize("seat", [None, 2])
def test_three_quick_knocks_are_not_the_one_the_slate_asks_for(
    between: Tabletop, seat: int | None
) -> None:
    # Seen on a busy machine only: else the three came before anybody could have read the word.
    ticket = asks(between, seat=seat)
    asked_for = shown(between).knocks

    between.knock(2, 3)
    after_three = state(between, ticket)
    between.knock(2)

    assert (asked_for, after_three, state(between, ticket)) == (1, "asking", "granted")


def test_the_first_knock_of_all_changes_nothing_of_what_the_slate_asks_for() -> None:
    """Only then is it known that the wood tells seats, and one knock at a taken one would do."""
    tabletop = Tabletop(seats=4).seat_all(1, 2, 3)
    tabletop.ask(1, "start")
    tabletop.wait(SETTLE_S)
    ticket = asks(tabletop)
    asked_for = shown(tabletop).knocks

    tabletop.knock(2, asked_for)

    assert (asked_for, state(tabletop, ticket)) == (3, "granted")


def test_what_one_knock_asks_for_is_done_and_lets_nobody_in(playing: Tabletop) -> None:
    ticket = asks(playing)
    assert shown(playing).knocks == 3

    playing.knock(2)

    assert state(playing, ticket) == "asking"
    assert playing.board.stake == 2


def test_a_knock_that_is_refused_was_meant_for_the_game(playing: Tabletop) -> None:
    playing.knock(2)
    playing.wait(SETTLE_S)
    ticket = asks(playing)

    playing.knock(2)  # whoever raised last may not raise again

    assert playing.board.refused is not None
    assert state(playing, ticket) == "asking"


def test_three_knocks_let_in_while_they_say_hurry_up(playing: Tabletop) -> None:
    ticket = asks(playing)
    before = told(playing.board)

    playing.knock(3, 3)

    assert state(playing, ticket) == "granted"
    assert told(playing.board) == before


def test_three_knocks_that_start_the_evening_start_it(tabletop: Tabletop) -> None:
    tabletop = Tabletop(seats=4).seat_all(1, 2)
    ticket = asks(tabletop)

    tabletop.knock(1, 3)

    assert tabletop.board.phase == "between_hands"
    assert state(tabletop, ticket) == "asking"


def test_at_an_empty_table_one_knock_sits_down_and_lets_nobody_in() -> None:
    tabletop = Tabletop(seats=4)
    ticket = asks(tabletop)
    assert shown(tabletop).knocks == 3

    tabletop.knock(1)
    sat = tabletop.board.names
    after_one = state(tabletop, ticket)
    tabletop.wait(SETTLE_S)
    tabletop.knock(1, shown(tabletop).knocks)

    assert sat == {Seat(0): "Plek 1"}
    assert (after_one, state(tabletop, ticket)) == ("asking", "granted")


def test_a_seat_is_only_given_by_a_knock_at_that_seat(between: Tabletop) -> None:
    ticket = asks(between, seat=3)

    between.knock(2)
    between.knock(2, 3)
    elsewhere = state(between, ticket)
    between.knock(3)

    assert (elsewhere, state(between, ticket)) == ("asking", "granted")


def test_a_free_seat_is_sat_down_at_with_one_knock_and_opened_with_three(
    between: Tabletop,
) -> None:
    ticket = asks(between, seat=4)
    assert shown(between).knocks == 3

    between.knock(4)
    sat = between.board.names.get(Seat(3))
    after_one = state(between, ticket)
    between.wait(SETTLE_S)
    between.knock(4, shown(between).knocks)

    assert (sat, after_one, state(between, ticket)) == ("Plek 4", "asking", "granted")


def test_wood_that_tells_no_seats_gives_any_seat() -> None:
    tabletop = Tabletop(seats=3).start(1, 2, 3)
    ticket = asks(tabletop, seat=2)

    tabletop.knock(None)

    assert state(tabletop, ticket) == "granted"


def test_where_wood_tells_seats_a_knock_of_nobody_gives_none(between: Tabletop) -> None:
    ticket = asks(between, seat=2)

    between.knock(None, 3)

    assert state(between, ticket) == "asking"


def test_a_free_seat_makes_a_knock_on_the_shared_sensor_mean_something() -> None:
    tabletop = Tabletop(seats=4).start(1, 2, 3)
    ticket = asks(tabletop)
    assert shown(tabletop).knocks == 3

    tabletop.knock(None)

    assert tabletop.board.asking == Line("ask.who-knocked", {"n": 1})
    assert state(tabletop, ticket) == "asking"


def test_hurry_up_on_a_shared_sensor_asks_nobody_who_it_was() -> None:
    tabletop = Tabletop(seats=4).start(1, 2, 3)
    tabletop.ask(1, "deal")
    ticket = asks(tabletop)

    tabletop.knock(None, 3)

    assert state(tabletop, ticket) == "granted"
    assert tabletop.board.asking is None


@pytest.mark.parametrize("times", [1, 2, 3])
def test_doubtful_knocks_let_nobody_in(between: Tabletop, times: int) -> None:
    ticket = asks(between)

    between.knock(2, times, doubtful=True)

    assert state(between, ticket) == "asking"


def test_the_yes_to_a_doubtful_knock_is_that_and_no_more(playing: Tabletop) -> None:
    playing.knock(1, 2)  # "I have won" waits in its grace
    playing.wait(TIMINGS.grace_s + SETTLE_S)
    assert playing.board.phase == "between_hands"
    playing.ask(1, "deal")
    playing.wait(SETTLE_S)
    ticket = asks(playing)
    playing.knock(2, doubtful=True)

    playing.knock(3)

    assert playing.board.stake == 2
    assert state(playing, ticket) == "asking"


def test_an_objection_is_an_objection(playing: Tabletop) -> None:
    ticket = asks(playing)
    playing.knock(1, 2)
    waiting = playing.board.grace

    playing.knock(2, 3)

    assert waiting is not None
    assert playing.board.grace is None
    assert state(playing, ticket) == "asking"


def test_whose_claim_waits_may_not_open_by_knocking_on(playing: Tabletop) -> None:
    ticket = asks(playing)
    playing.knock(1, 2)

    playing.knock(1, 3)

    assert state(playing, ticket) == "asking"


def test_an_answer_to_the_slates_question_is_that(playing: Tabletop) -> None:
    ticket = asks(playing)
    playing.knock(1, 5)
    assert playing.board.asking is not None

    playing.knock(1, 3)

    assert state(playing, ticket) == "asking"


def test_a_knock_before_anybody_could_read_the_word_is_none_for_it(between: Tabletop) -> None:
    ticket = between.table.pairing.ask(None, PHONE, between.now_s).ticket

    between.knock(2)

    assert state(between, ticket) == "asking"


def test_a_knock_that_began_before_a_phone_ended_the_hand_was_the_games(
    playing: Tabletop,
) -> None:
    """The thumb was quicker: what was to raise the stake meets a table that waits for a deal."""
    ticket = asks(playing)

    playing.knock(2, settle=False)
    playing.ask(1, "win")
    playing.wait(TIMINGS.gap_s)

    assert playing.board.phase == "between_hands"
    assert state(playing, ticket) == "asking"


def test_who_is_in_is_told_for_a_moment(between: Tabletop) -> None:
    asks(between)
    between.knock(2)
    word = shown(between).word

    between.wait(SHOWN_S)

    assert word
    assert between.board.door is None


def test_a_question_nobody_knocks_for_leaves_no_trace(between: Tabletop) -> None:
    before = between.board
    ticket = asks(between)

    between.wait(ASK_S)

    assert between.board == before
    assert state(between, ticket) == "gone"
    between.knock(2)
    assert between.board == before


def test_a_question_that_is_taken_back_leaves_no_trace(between: Tabletop) -> None:
    before = between.board
    ticket = asks(between)

    between.table.pairing.questions.withdraw(ticket, between.now_s)

    assert between.board == before
    between.knock(2)
    assert state(between, ticket) == "gone"


def test_nobody_asks_while_the_table_is_tuned(between: Tabletop) -> None:
    tuning = Tuning("quiet", Line("tune.quiet"))
    between.table.handle(TuningShown(tuning), between.now_s)
    with pytest.raises(IllegalAction) as refused:
        between.table.pairing.ask(None, PHONE, between.now_s)

    between.table.handle(TuningShown(None), between.now_s)

    assert refused.value.reason == "door_tuning"
    assert between.table.pairing.ask(None, PHONE, between.now_s).word


def test_there_is_no_seat_that_there_is_not(between: Tabletop) -> None:
    with pytest.raises(BadRequest, match="1 to 4"):
        between.table.pairing.ask(Seat(4), PHONE, between.now_s)


def test_a_grant_waits_for_a_phone_that_lost_its_wifi_but_not_for_ever(
    between: Tabletop,
) -> None:
    ticket = asks(between)
    between.knock(2)

    between.wait(TAKE_S - 2)
    still = state(between, ticket)
    between.wait(2)

    assert (still, state(between, ticket)) == ("granted", "gone")


def test_whoever_did_not_ask_is_not_let_in(between: Tabletop) -> None:
    asks(between)
    second = asks(between, asker=OTHER)

    between.knock(2)

    assert state(between, second) == "asking"  # its own word comes only now
    assert shown(between).number == 2


# The games there are, as they are played.

KNOCKS_BETWEEN_DEALS = {"watten": 3, "tarok": 3}
"""Where one knock is a word of the game, or the wood is deaf."""


@pytest.mark.parametrize("game", GAMES)
def test_between_deals_the_slate_asks_for_what_no_game_wants(game: str) -> None:
    knocks = KNOCKS_BETWEEN_DEALS.get(game, 1)
    tabletop = Tabletop(game=game, build=build_game, seats=4).start(1, 2, 3, 4)
    asks(tabletop)

    door = shown(tabletop)

    until_s = tabletop.now_s + ASK_S - SETTLE_S
    assert replace(door, word="") == Door("", 1, None, until_s, ASK_S, knocks, door.press)
    assert door.press == ("press" if tabletop.board.deaf else "")


@pytest.mark.parametrize("game", GAMES)
def test_in_every_phase_what_the_slate_asks_for_lets_in_and_changes_nothing(game: str) -> None:
    tabletop = Tabletop(game=game, build=build_game, seats=4).start(1, 2, 3, 4)
    for action in (None, "deal"):
        if action:
            tabletop.ask(1, action)
            tabletop.wait(SETTLE_S)
        ticket = asks(tabletop)
        before = told(tabletop.board)

        tabletop.knock(2, shown(tabletop).knocks)

        assert state(tabletop, ticket) == "granted"
        assert told(tabletop.board) == before
