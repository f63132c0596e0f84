"""An older hand told anew, and hands of which only the result is kept (§ 8, § 9)."""

from dataclasses import replace

import pytest

from kloplei.games.card_game import Deal
from kloplei.games.game import Action, Seat
from kloplei.games.scoreboard import Line
from kloplei.games.tarok import Options, Phase, Tarok, actions
from kloplei.games.tarok.actions import AnyEntry
from kloplei.games.tarok.apply import Course
from kloplei.games.tarok.booking import write_down
from tests.games.tarok.seated import ANN, BOB, COR, DIRK, THREE, Table


class Evening(Table):
    """A table of Danish Tarok at which whole hands are told."""

    def __init__(self, *seats: Seat, **options: object) -> None:
        game, sat = Tarok(Options.from_mapping(options)), seats or THREE
        super().__init__(game, game.start(sat, sat[0]))

    def hand(self, winner: Seat, pagat: Action | None = None) -> None:
        """Deal and book a hand; the pagat comes home unless something else is told of it."""
        self.ask(Deal())
        self.tell(winner, pagat)

    def tell(self, winner: Seat, pagat: Action | None = None) -> None:
        """Tell the running hand in full, and book it."""
        first, second, _ = self.state.active
        home = actions.TellFate(second, "pagat_home")
        self.ask(pagat or home, actions.LastTrick(winner))
        self.ask(actions.Points(first, 30), actions.Points(second, 26), actions.Book())


def test_a_hand_told_anew_changes_the_pots_of_all_after_it() -> None:
    wrong, right = Evening(), Evening()
    wrong.hand(BOB)
    wrong.hand(COR)
    wrong.hand(BOB)
    right.hand(BOB, actions.LastCard(BOB, "pagat"))
    right.hand(COR)
    right.hand(BOB)
    assert wrong.state.scores != right.state.scores

    wrong.ask(actions.Reopen(1), actions.TakeBack(1), actions.LastCard(BOB, "pagat"))
    wrong.ask(actions.Book())

    assert wrong.state.scores == right.state.scores
    assert wrong.state.pots == right.state.pots
    assert [hand.lines for hand in wrong.state.hands] == [hand.lines for hand in right.state.hands]


def test_while_a_hand_is_told_anew_it_lies_there_as_it_was_told() -> None:
    evening = Evening(ANN, BOB, COR, DIRK)
    evening.hand(BOB)
    told = evening.state.hands[0].entries
    evening.hand(DIRK)

    evening.ask(actions.Reopen(1))

    state = evening.state
    assert (state.phase, state.number, state.entries) == (Phase.HAND, 1, told)
    assert (state.dealer, state.sits_out) == (ANN, COR)
    assert state.scores == (-50, -40, -40, -40)
    assert (state.pots.king, state.pots.pagat) == (85, 85)
    assert actions.Book() in evening.game.legal_actions(state)


def test_a_later_hand_keeps_who_dealt_it_even_if_an_older_one_turns_out_void() -> None:
    evening = Evening()
    evening.hand(BOB)
    evening.hand(COR)
    dealers = [hand.dealer for hand in evening.state.hands]

    evening.ask(actions.Reopen(1), actions.ThrowIn(), actions.Book())

    assert [hand.how for hand in evening.state.hands] == ["void", "booked"]
    assert [hand.dealer for hand in evening.state.hands] == dealers
    assert "ante" not in [line.line for line in evening.state.hands[1].lines]


def test_it_is_told_which_hand_was_put_right_and_not_which_was_booked_last() -> None:
    evening = Evening()
    for winner in (BOB, COR, BOB):
        evening.hand(winner)

    evening.ask(actions.Reopen(1))
    opened = evening.state.news
    evening.ask(actions.Book())
    anew = evening.state.news
    evening.ask(Deal())

    # The ledger of the others is off the slate as long as they wait.
    assert opened == Line("news.reopened-early", {"hand": 1})
    assert anew == Line("news.booked-anew", {"hand": 1})
    assert evening.state.news == Line("news.dealt", {"seat": evening.state.dealer})


def test_only_a_hand_of_this_evening_is_reopened_between_two_hands() -> None:
    evening = Evening()
    assert evening.codes(actions.Reopen(1)) == ("no_such_hand",)
    evening.hand(BOB)
    assert evening.codes(actions.Reopen(0)) == evening.codes(actions.Reopen(2))
    evening.ask(Deal())
    assert evening.codes(actions.Reopen(1)) == ("deal_in_progress",)
    evening.ask(actions.ThrowIn(), actions.Book(), actions.Settle())
    assert evening.codes(actions.Reopen(1)) == ("game_over",)


def test_who_was_chosen_to_sit_out_next_still_is_once_an_older_hand_was_told_anew() -> None:
    evening = Evening(ANN, BOB, COR, DIRK, sitter="chosen")
    evening.hand(BOB)
    evening.ask(actions.SitOut(COR))
    before = evening.state

    evening.ask(actions.Reopen(1), actions.Book())

    assert replace(evening.state, news=before.news) == before


def test_who_sat_out_of_a_void_hand_is_not_chosen_for_the_next_if_it_counts_after_all() -> None:
    evening = Evening(ANN, BOB, COR, DIRK, sitter="chosen")
    evening.ask(actions.SitOut(BOB))
    evening.ask(Deal(), actions.ThrowIn(), actions.Book())
    assert evening.state.sits_out == BOB

    evening.ask(actions.Reopen(1), actions.TakeBack(1))
    evening.tell(COR)

    assert evening.state.sitter is None


def test_a_house_that_reckons_by_itself_writes_down_results() -> None:
    evening = Evening(ANN, BOB, COR, DIRK, only_points=True)
    evening.ask(Deal())
    assert evening.state.scores == (0, 0, 0, 0)

    evening.ask(actions.Result((-50, -40, -40, -40), king=85, pagat=85))
    evening.ask(Deal(), actions.Result((125, -20, 0, -20), pagat=-85))

    assert evening.state.scores == (75, -60, -40, -60)
    assert (evening.state.pots.king, evening.state.pots.pagat) == (85, 0)
    ledger = evening.game.scoreboard(evening.state).hands[1].ledger
    assert [(one.line.key, dict(one.amounts), dict(one.pots)) for one in ledger] == [
        ("ledger.result", {ANN: 125, BOB: -20, DIRK: -20}, {"pagat": -85})
    ]


def test_the_amounts_of_a_result_go_by_place_whoever_sits_there() -> None:
    evening = Evening(BOB, COR, DIRK, only_points=True)
    evening.ask(Deal(), actions.Result((10, -5, -5)))

    assert evening.state.scores == (0, 10, -5, -5)


@pytest.mark.parametrize(
    ("result", "codes"),
    [
        (actions.Result((10, -5, -10)), ("sum_not_zero",)),
        (actions.Result((5, -5)), ("not_all_seats",)),
        (actions.Result((10, 0, 0), king=-10), ("pot_below_zero",)),
        (actions.Result((10_000, -10_000, 0)), ("too_much",)),
        (actions.Result((1, 10_000)), ("not_all_seats", "sum_not_zero", "too_much")),
    ],
)
def test_a_result_that_cannot_be_is_refused_with_all_reasons(
    result: actions.Result, codes: tuple[str, ...]
) -> None:
    evening = Evening(only_points=True)
    evening.ask(Deal())

    assert evening.codes(result) == codes
    assert evening.codes(actions.Book()) == ("not_told",)


def test_a_house_may_write_down_what_does_not_balance() -> None:
    evening = Evening(only_points=True, must_balance=False, rule_set="b")
    evening.ask(Deal(), actions.Result((10, 3, -5)))

    assert evening.state.scores == (10, 3, -5)
    evening.ask(actions.Settle())
    assert evening.game.scoreboard(evening.state).payments == ()  # nobody owes the rest
    assert evening.codes(actions.Result((0, 0, 0))) == ("no_deal",)


def test_a_result_is_told_anew_and_pots_of_later_hands_must_still_pay_theirs() -> None:
    evening = Evening(only_points=True)
    evening.ask(Deal(), actions.Result((-40, -40, -40), king=60, pagat=60))
    evening.ask(Deal(), actions.Result((60, 0, 0), king=-60))
    evening.ask(actions.Reopen(1))
    assert evening.codes(actions.Result((-40, -40, -20), king=40, pagat=60)) == ("pot_below_zero",)

    evening.ask(actions.Result((-40, -40, -45), king=65, pagat=60))

    assert evening.state.scores == (20, -40, -45)
    assert evening.state.pots.king == 5


def test_the_result_of_a_hand_thrown_in_after_all_is_in_no_pot() -> None:
    evening = Evening(only_points=True)
    evening.ask(Deal(), actions.Result((-20, 0, 0), king=20))
    evening.ask(Deal(), actions.Result((20, 0, 0), king=-20))

    evening.ask(actions.Reopen(1), actions.ThrowIn())

    assert evening.codes(actions.Book()) == ("pot_below_zero",)  # what hand 2 took is not there


def test_what_a_hand_thrown_in_after_all_had_taken_is_free_again() -> None:
    evening = Evening(only_points=True)
    evening.ask(Deal(), actions.Result((-20, 0, 0), king=20))
    evening.ask(Deal(), actions.Result((20, 0, 0), king=-20))
    evening.ask(actions.Reopen(2), actions.ThrowIn(), actions.Book())

    evening.ask(actions.Reopen(1), actions.Result((0, 0, 0)))

    assert evening.state.pots.king == 0


def test_where_hands_are_told_there_is_no_result_and_where_results_are_no_hand() -> None:
    told, reckoned = Evening(), Evening(only_points=True)
    told.ask(Deal())
    reckoned.ask(Deal())

    assert told.codes(actions.Result((0, 0, 0))) == ("not_played_here",)
    assert reckoned.codes(actions.LastTrick(BOB)) == ("not_played_here",)
    assert reckoned.codes(actions.Pass(BOB)) == ("not_played_here",)


FORGOTTEN = (
    actions.FateTold(BOB, "pagat_home"),
    actions.LastTrickTold(BOB),
    *(
        actions.PointsCounted(BOB, 41),
        actions.PointsCounted(ANN, 0),
        actions.PointsCounted(COR, 37),
    ),
)
TWO_HANDS = (
    actions.Declared(COR, "kings_full"),
    actions.FateTold(BOB, "king_lost"),
    actions.FateTold(BOB, "pagat_home"),
    actions.LastTrickTold(BOB),
    *(actions.PointsCounted(seat, 26) for seat in THREE),
)


@pytest.mark.parametrize(
    ("entries", "code", "mends"),
    [
        (FORGOTTEN, "V-UNTOLD", actions.TellFeat(ANN, "nolo")),
        (FORGOTTEN, "V-UNTOLD", actions.LeaveUnclaimed(ANN)),
        (TWO_HANDS, "V-HELD", actions.TakeBack(2)),
    ],
)
def test_what_was_written_down_before_anybody_asked_stays_as_it_was_booked(
    entries: tuple[AnyEntry, ...], code: str, mends: Action
) -> None:
    """A journal of before holds hands in which a nolo was forgotten, or a king in two hands."""
    evening = Evening()
    evening.hand(BOB)
    evening.ask(Deal())
    course = Course(evening.game.options, replace(evening.state, entries=entries))
    write_down(course)
    evening.state = course.state
    booked = evening.state.hands

    evening.ask(actions.Reopen(1), actions.Book())

    assert evening.state.hands == booked
    evening.ask(actions.Reopen(2))
    assert evening.codes(actions.Book()) == (code,)
    evening.ask(mends, actions.Book())
    assert evening.state.hands[1].entries != entries
