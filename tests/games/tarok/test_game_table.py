"""A table of Tarok from the first ante to the last chip (§ 1, § 3, § 9)."""

import pytest

from kloplei.games.card_game import BadSeating, Deal, NewGame
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line
from kloplei.games.tarok import Phase, State, Tarok, actions
from kloplei.games.tarok.actions import Booked, Dealt
from kloplei.words import Words
from tests.games.tarok.seated import ANN, BOB, COR, DIRK, FOUR, THREE, table


def test_deal_and_play_go_to_the_right_but_in_grosstarock() -> None:
    assert [table(rule_set).state.active for rule_set in "abc"] == [
        (COR, BOB, ANN),
        (BOB, COR, ANN),
        (COR, BOB, ANN),
    ]


def test_the_fourth_sits_opposite_the_dealer() -> None:
    four = table(seats=FOUR)

    assert four.state.sits_out == COR
    assert four.ask(Deal())[0] == Dealt(ANN, COR)
    assert four.refused(actions.LastTrick(COR)) == "V-SEAT"


def test_somebody_else_may_be_chosen_to_sit_out_once() -> None:
    four = table(seats=FOUR, sitter="chosen")
    assert four.refused(actions.SitOut(ANN)) == "dealer_plays"
    assert four.refused(actions.SitOut(COR)) == "nothing_changed"

    four.ask(actions.SitOut(BOB), Deal())
    assert four.state.active == (DIRK, COR, ANN)
    four.plain_hand()

    assert (four.state.dealer, four.state.sits_out) == (DIRK, BOB)
    assert table(seats=FOUR).refused(actions.SitOut(BOB)) == "not_played_here"
    assert table(sitter="chosen").refused(actions.SitOut(BOB)) == "not_played_here"


def test_the_pots_fill_as_cards_are_dealt() -> None:
    three = table()

    lines = [event.line for event in three.ask(Deal()) if isinstance(event, Booked)]

    assert lines == ["ante", "dealer_extra"]
    assert (three.state.pots.king, three.state.pots.pagat) == (65, 65)
    assert three.game.scoreboard(three.state).pots == {"king": 65, "pagat": 65}
    assert three.state.scores == (-50, -40, -40)


def test_an_empty_pot_is_filled_before_the_next_deal() -> None:
    three = table()
    three.ask(Deal(), actions.LastCard(COR, "pagat"), actions.LastTrick(COR))
    three.ask(actions.Points(COR, 26), actions.Points(BOB, 26), actions.Book())
    assert three.state.pots.pagat == 0

    three.ask(Deal())

    assert (three.state.pots.king, three.state.pots.pagat) == (70, 60)


def test_of_a_hand_thrown_in_nothing_is_paid_twice() -> None:
    three = table()
    three.ask(Deal(), actions.ThrowIn(), actions.Book())
    assert (three.state.dealer, three.state.phase) == (ANN, Phase.BETWEEN_HANDS)

    events = three.ask(Deal())

    assert [type(event) for event in events] == [Dealt]
    assert [hand.how for hand in three.state.hands] == ["void"]


def test_who_was_chosen_to_sit_out_does_so_in_the_hand_dealt_again() -> None:
    four = table(seats=FOUR, sitter="chosen")
    four.ask(actions.SitOut(BOB), Deal(), actions.ThrowIn(), actions.Book())

    assert four.state.sits_out == BOB
    assert four.refused(actions.SitOut(COR)) == "too_late"


def test_an_evening_is_settled_and_a_new_one_begins_with_nothing() -> None:
    three = table()
    assert three.refused(actions.Settle()) == "nothing_changed"
    three.ask(Deal())
    assert three.refused(actions.Settle()) == "deal_in_progress"
    three.plain_hand()

    three.ask(actions.Settle())

    assert sum(three.state.scores) == three.state.pots.total == 0
    assert three.prompt == "prompt.settled"
    assert three.refused(Deal()) == "game_over"
    three.ask(NewGame())
    wiped = Line("news.slate-wiped")
    assert three.state == State((COR, BOB, ANN), COR, (0, 0, 0), news=wiped)


def test_the_odd_chips_go_to_the_lowest() -> None:
    three = table()
    three.ask(Deal())
    three.plain_hand()  # 130 in the pots: 40 each, 10 over
    lowest = min(THREE, key=lambda seat: three.state.scores[seat])

    before = three.state.scores
    three.ask(actions.Settle())

    won = [after - then for after, then in zip(three.state.scores, before, strict=True)]
    assert won == [50 if seat == lowest else 40 for seat in THREE]


def test_the_log_tells_each_line_of_a_hand_and_what_it_brought() -> None:
    three = table()
    three.ask(Deal())
    three.plain_hand()

    (hand,) = three.game.scoreboard(three.state).hands

    assert (hand.number, hand.how, hand.winner) == (1, "how.booked", None)
    assert [posting.line.key for posting in hand.ledger] == [
        *("ledger.ante", "ledger.dealer_extra", "ledger.pagat_home", "ledger.last_trick"),
        "ledger.cards",
    ]
    assert hand.paid == {ANN: -75, BOB: -50, COR: -5}
    assert {row.seat: row.tally for row in three.game.scoreboard(three.state).rows} == hand.paid


def test_the_ledger_tells_that_a_nolo_was_announced() -> None:
    """It brought 36 from each and not 26, and nothing said why."""
    grosstarock = table("b")
    grosstarock.ask(Deal(), actions.LastTrick(ANN), actions.TellFeat(BOB, "nolo", 1))
    drafted = grosstarock.game.scoreboard(grosstarock.state).draft[-1]
    grosstarock.ask(actions.Book())
    (hand,) = grosstarock.game.scoreboard(grosstarock.state).hands

    booked = hand.ledger[-1]
    assert booked.line.key == drafted.line.key
    assert booked.line.facts["announced"] == drafted.line.facts["announced"] == 1
    assert booked.amounts[BOB] == 72
    said = Words("nl").say(booked.line.key, booked.line.facts, {BOB: "Bob"})
    assert said == "Bob maakt een nolo, aangekondigd voor slag 1"
    plain = {"seat": BOB, "count": None}
    assert Words("en").say("ledger.nolo_made", plain, {BOB: "Bob"}) == "Bob makes a nolo"


def test_who_sits_out_is_marked() -> None:
    four = table(seats=FOUR)
    four.ask(Deal())

    flags = {row.seat: row.flags for row in four.game.scoreboard(four.state).rows}

    assert flags == {ANN: ("in_hand",), BOB: ("in_hand",), COR: ("sits_out",), DIRK: ("in_hand",)}


def test_nobody_sits_out_of_an_evening_that_is_settled() -> None:
    """A chair stood before one of four on the last slate, though nobody dealt any more."""
    four = table(seats=FOUR)
    four.ask(Deal(), actions.ThrowIn(), actions.Book(), actions.Settle())

    flags = [row.flags for row in four.game.scoreboard(four.state).rows]

    assert not any("sits_out" in one for one in flags)


def test_players_come_and_go_only_while_nobody_has_won_or_lost() -> None:
    three = table()
    assert three.game.why_not_reseat(three.state) is None
    three.ask(Deal())
    # "Finish this deal first" sent people to wait for what still could not be then.
    assert three.game.why_not_reseat(three.state) == "slate_not_clean"
    three.plain_hand()
    assert three.game.why_not_reseat(three.state) == "slate_not_clean"
    three.ask(actions.Settle())
    # A latecomer who sat down would wipe away who pays whom.
    assert three.game.why_not_reseat(three.state) == "game_over"
    three.ask(NewGame())
    assert three.game.why_not_reseat(three.state) is None

    again = three.game.reseat(three.state, FOUR, {ANN: DIRK, COR: COR})

    assert again.scores == (0, 0, 0, 0)
    assert again.dealer == COR  # who was to deal next


@pytest.mark.parametrize(
    ("seats", "dealer"),
    [((ANN, BOB), ANN), ((*FOUR, Seat(4)), ANN), (THREE, DIRK), ((ANN, BOB, BOB), ANN)],
)
def test_tarok_is_for_three_or_four(seats: tuple[Seat, ...], dealer: Seat) -> None:
    with pytest.raises(BadSeating):
        Tarok().start(seats, dealer)
