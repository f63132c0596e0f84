"""A table of Tarok from the first ante to the last chip (§ 1, § 3, § 9)."""

from typing import cast

import pytest

from kloplei.rules.game import Action, Do, Event, Gesture, IllegalAction, Seat, Show
from kloplei.rules.scoreboard import Line
from kloplei.rules.tarok import BadSeating, Options, Phase, State, Tarok, actions
from kloplei.rules.tarok.booking import preview
from kloplei.rules.tarok.events import Booked, Dealt
from kloplei.rules.toepen.actions import Knock

ANN, BOB, COR, DIRK = (Seat(n) for n in range(4))
THREE, FOUR = (ANN, BOB, COR), (ANN, BOB, COR, DIRK)


def table(rule_set: str = "c", seats: tuple[Seat, ...] = THREE, **others: object) -> "Table":
    game = Tarok(Options.from_mapping({"rule_set": rule_set, **others}))
    return Table(game, game.start(seats, ANN))


class Table:
    """A game and where it stands."""

    def __init__(self, game: Tarok, state: State) -> None:
        self.game = game
        self.state = state

    def ask(self, *asked: Action) -> tuple[Event, ...]:
        """Do all that is *asked* and return what came of the last."""
        events: tuple[Event, ...] = ()
        for action in asked:
            events = self.game.decide(self.state, action)
            for event in events:
                self.state = self.game.apply(self.state, event)
        return events

    def refused(self, action: Action) -> str:
        with pytest.raises(IllegalAction) as refusal:
            self.game.decide(self.state, action)
        assert action not in self.game.legal_actions(self.state)
        return refusal.value.reason

    @property
    def prompt(self) -> str:
        line = self.game.scoreboard(self.state).prompt
        assert line is not None
        return line.key

    def plain_hand(self) -> None:
        """Let the first one in play take the last trick, and the pagat come home."""
        first, second, dealer = self.state.active
        self.ask(
            actions.TellFate(second, "pagat_home"),
            actions.LastTrick(first),
            actions.Points(first, 26),
            actions.Points(dealer, 26),
            actions.Book(),
        )


def test_deal_and_play_go_to_the_right_but_in_grosstarock() -> None:
    assert [table(rule_set).state.active for rule_set in "abc"] == [
        (COR, BOB, ANN),
        (BOB, COR, ANN),
        (COR, BOB, ANN),
    ]


def test_the_fourth_sits_opposite_the_dealer() -> None:
    four = table(seats=FOUR)

    assert four.state.sits_out == COR
    assert four.ask(actions.Deal())[0] == Dealt(ANN, COR)
    assert four.refused(actions.LastTrick(COR)) == "V-SEAT"


def test_somebody_else_may_be_chosen_to_sit_out_once() -> None:
    four = table(seats=FOUR, sitter="chosen")
    assert four.refused(actions.SitOut(ANN)) == "dealer_plays"
    assert four.refused(actions.SitOut(COR)) == "nothing_changed"

    four.ask(actions.SitOut(BOB), actions.Deal())
    assert four.state.active == (DIRK, COR, ANN)
    four.plain_hand()

    assert (four.state.dealer, four.state.sits_out) == (DIRK, BOB)
    assert table(seats=FOUR).refused(actions.SitOut(BOB)) == "not_played_here"
    assert table(sitter="chosen").refused(actions.SitOut(BOB)) == "not_played_here"


def test_the_pots_fill_as_cards_are_dealt() -> None:
    three = table()

    lines = [event.line for event in three.ask(actions.Deal()) if isinstance(event, Booked)]

    assert lines == ["ante", "dealer_extra"]
    assert (three.state.pots.king, three.state.pots.pagat) == (65, 65)
    assert three.game.scoreboard(three.state).pots == {"king": 65, "pagat": 65}
    assert three.state.scores == (-50, -40, -40)


def test_an_empty_pot_is_filled_before_the_next_deal() -> None:
    three = table()
    three.ask(actions.Deal(), actions.LastCard(COR, "pagat"), actions.LastTrick(COR))
    three.ask(actions.Points(COR, 26), actions.Points(BOB, 26), actions.Book())
    assert three.state.pots.pagat == 0

    three.ask(actions.Deal())

    assert (three.state.pots.king, three.state.pots.pagat) == (70, 60)


def test_of_a_hand_thrown_in_nothing_is_paid_twice() -> None:
    three = table()
    three.ask(actions.Deal(), actions.ThrowIn(), actions.Book())
    assert (three.state.dealer, three.state.phase) == (ANN, Phase.BETWEEN_HANDS)

    events = three.ask(actions.Deal())

    assert [type(event) for event in events] == [Dealt]
    assert [hand.how for hand in three.state.hands] == ["void"]


def test_who_was_chosen_to_sit_out_does_so_in_the_hand_dealt_again() -> None:
    four = table(seats=FOUR, sitter="chosen")
    four.ask(actions.SitOut(BOB), actions.Deal(), actions.ThrowIn(), actions.Book())

    assert four.state.sits_out == BOB
    assert four.refused(actions.SitOut(COR)) == "too_late"


def test_in_a_hand_thrown_in_only_declarations_and_fines_are_told() -> None:
    three = table()
    three.ask(actions.Deal(), actions.TellFate(BOB, "pagat_home"), actions.ThrowIn())

    assert three.refused(actions.LastTrick(BOB)) == "hand_void"
    assert three.refused(actions.ThrowIn()) == "hand_void"
    lines = three.ask(actions.Fine(BOB, 5), actions.Declare(COR, "kings_full"), actions.Book())
    assert [one.line for one in lines if isinstance(one, Booked)] == ["kings_full", "fine"]


def test_a_half_told_hand_pays_nothing_and_asks_for_the_rest() -> None:
    three = table()
    assert three.prompt == "prompt.next-deal"
    three.ask(actions.Deal())
    scores, asked = three.state.scores, []
    for action in (
        actions.Declare(COR, "taroks", count=11, pagat=True),
        actions.LastTrick(BOB),
        actions.TellFate(COR, "pagat_lost"),
        actions.Points(ANN, 30),
        actions.Points(BOB, 20),
    ):
        asked.append(three.prompt)
        three.ask(action)
        assert three.state.scores == scores

    assert asked == [
        *("prompt.declare", "prompt.declare", "prompt.pagat-fate"),
        *("prompt.card-points", "prompt.card-points"),
    ]
    assert three.prompt == "prompt.book"
    assert three.state.hand.points == {ANN: 30, BOB: 20, COR: 28}


def test_what_an_entry_would_pay_is_known_before_it_counts() -> None:
    three = table()
    three.ask(actions.Deal())
    shown = []
    for action in (
        actions.Declare(COR, "taroks", count=11, pagat=True),
        actions.LastCard(COR, "pagat"),
        actions.LastTrick(COR),
        actions.Points(ANN, 20),
        actions.Points(BOB, 20),
    ):
        three.ask(action)
        shown.append([line.line for line in preview(three.game.options, three.state)])

    assert shown == [
        *(["taroks"], ["taroks"], ["taroks", "pagat_ultimo_won"], ["taroks", "pagat_ultimo_won"]),
        ["taroks", "pagat_ultimo_won", "cards"],
    ]
    foreseen = preview(three.game.options, three.state)
    assert three.ask(actions.Book())[:-1] == foreseen


def test_each_of_several_fines_stands_with_what_it_costs() -> None:
    """A fine told before a wrong discard stood there with the price of the other."""
    three = table("a", a_fine=6)
    three.ask(actions.Deal(), actions.Fine(ANN, 7), actions.WrongDiscard(ANN), actions.Fine(ANN, 9))

    draft = three.game.scoreboard(three.state).draft

    assert [(one.entry, one.amounts[ANN]) for one in draft] == [(1, -14), (2, -12), (3, -18)]


def test_each_entry_can_be_taken_back() -> None:
    three = table()
    three.ask(actions.Deal(), actions.TellFate(BOB, "pagat_home"), actions.LastTrick(COR))
    assert three.refused(actions.TellFate(COR, "pagat_home")) == "V-PAGAT-ONCE"
    assert three.refused(actions.TakeBack(3)) == three.refused(actions.TakeBack(0)) == "no_entry"

    three.ask(actions.TakeBack(1), actions.TellFate(COR, "pagat_home"))

    assert [one.seat for one in three.state.hand.fates] == [COR]
    assert three.state.hand.winner == COR


def test_only_what_is_still_possible_is_offered() -> None:
    three = table()
    three.ask(actions.Deal(), actions.Declare(COR, "taroks", count=12, pagat=True))
    three.ask(actions.LastTrick(BOB), actions.Points(ANN, 30))

    legal = three.game.legal_actions(three.state)

    assert {
        one.count
        for one in legal
        if isinstance(one, actions.Declare) and one.seat == BOB and one.what == "taroks"
    } == {10}
    assert {
        one.seat
        for one in legal
        if isinstance(one, actions.TellFate) and one.what.startswith("pagat")
    } == {COR}
    assert {one.points for one in legal if isinstance(one, actions.Points)} == set(range(49))
    assert actions.LastTrick(COR) not in legal
    assert actions.Book() not in legal


def test_a_hand_that_is_not_told_in_full_is_refused_with_all_that_is_missing() -> None:
    three = table()
    three.ask(actions.Deal())

    with pytest.raises(IllegalAction) as refusal:
        three.game.decide(three.state, actions.Book())

    assert refusal.value.facts["codes"] == ("V-LAST", "V-78", "V-PAGAT-FATE")


@pytest.mark.parametrize(
    ("rule_set", "declared"),
    [
        ("a", actions.Declare(BOB, "taroks", count=10, pagat=True)),
        ("b", actions.Declare(BOB, "taroks", count=10, pagat=True)),
        ("c", actions.Declare(BOB, "taroks", count=10)),
        ("c", actions.Declare(BOB, "taroks", pagat=True)),
        ("c", actions.Declare(BOB, "cavalry_full")),
        ("c", actions.Declare(BOB, "kings_full", suit="H")),
        ("c", actions.Declare(BOB, "kings_full", count=4)),
    ],
)
def test_a_declaration_says_all_that_has_to_be_said_and_nothing_else(
    rule_set: str, declared: Action
) -> None:
    three = table(rule_set)
    three.ask(actions.Deal())

    assert three.refused(declared) == "V-DECL"


def test_cards_are_counted_when_all_are_played_and_where_they_settle() -> None:
    three = table()
    three.ask(actions.Deal())
    assert three.refused(actions.Points(ANN, 26)) == "V-LAST"

    three.ask(actions.LastTrick(BOB), actions.TellFeat(ANN, "nolo"))

    assert three.refused(actions.Points(ANN, 26)) == "points_not_settled"


def test_the_third_ones_points_are_not_made_up_where_they_cannot_be() -> None:
    three = table("b")
    three.ask(actions.Deal(), actions.LastTrick(BOB), actions.TellFeat(BOB, "vole"))

    three.ask(actions.Points(BOB, 70), actions.Points(ANN, 3))

    assert COR not in three.state.hand.points
    assert three.refused(actions.Points(COR, 5)) == "V-ZERO"


def test_a_fine_is_paid_in_chips_into_pots_that_are_there() -> None:
    three, without = table(), table("b")
    three.ask(actions.Deal())
    without.ask(actions.Deal())

    assert three.refused(actions.Fine(BOB, 7)) == three.refused(actions.Fine(BOB, 0)) == "V-FINE"
    assert three.refused(actions.FineIntoPot(BOB, "king", 105)) == "V-FINE"
    assert without.refused(actions.FineIntoPot(BOB, "king", 5)) == "V-FINE"
    without.ask(actions.Fine(BOB, 7))
    three.ask(actions.FineIntoPot(BOB, "king", 5), actions.FineIntoPot(BOB, "pagat", 5))
    assert [(one.king_pot, one.pagat_pot) for one in three.state.hand.fines] == [(5, 0), (0, 5)]


def test_what_no_table_of_tarok_knows_is_our_own_mistake() -> None:
    three = table()

    for state in (three.state, three.game.apply(three.state, Dealt(ANN))):
        with pytest.raises(TypeError, match="no action of Tarok"):
            three.game.decide(state, Knock(ANN))


def test_an_evening_is_settled_and_a_new_one_begins_with_nothing() -> None:
    three = table()
    assert three.refused(actions.Settle()) == "nothing_changed"
    three.ask(actions.Deal())
    assert three.refused(actions.Settle()) == "deal_in_progress"
    three.plain_hand()

    three.ask(actions.Settle())

    assert sum(three.state.scores) == three.state.pots.total == 0
    assert three.prompt == "prompt.settled"
    assert three.refused(actions.Deal()) == "game_over"
    three.ask(actions.NewGame())
    wiped = Line("news.slate-wiped")
    assert three.state == State((COR, BOB, ANN), COR, (0, 0, 0), news=wiped)


def test_the_odd_chips_go_to_the_lowest() -> None:
    three = table()
    three.ask(actions.Deal())
    three.plain_hand()  # 130 in the pots: 40 each, 10 over
    lowest = min(THREE, key=lambda seat: three.state.scores[seat])

    before = three.state.scores
    three.ask(actions.Settle())

    won = [after - then for after, then in zip(three.state.scores, before, strict=True)]
    assert won == [50 if seat == lowest else 40 for seat in THREE]


def test_the_log_tells_each_line_of_a_hand_and_what_it_brought() -> None:
    three = table()
    three.ask(actions.Deal())
    three.plain_hand()

    (hand,) = three.game.scoreboard(three.state).hands

    assert (hand.number, hand.how, hand.winner) == (1, "how.booked", None)
    assert [posting.line.key for posting in hand.ledger] == [
        *("ledger.ante", "ledger.dealer_extra", "ledger.pagat_home", "ledger.last_trick"),
        "ledger.cards",
    ]
    assert hand.paid == {ANN: -75, BOB: -50, COR: -5}
    assert {row.seat: row.tally for row in three.game.scoreboard(three.state).rows} == hand.paid


def test_who_sits_out_is_marked() -> None:
    four = table(seats=FOUR)
    four.ask(actions.Deal())

    flags = {row.seat: row.flags for row in four.game.scoreboard(four.state).rows}

    assert flags == {ANN: ("in_hand",), BOB: ("in_hand",), COR: ("sits_out",), DIRK: ("in_hand",)}


def test_nobody_sits_out_of_an_evening_that_is_settled() -> None:
    """A chair stood before one of four on the last slate, though nobody dealt any more."""
    four = table(seats=FOUR)
    four.ask(actions.Deal(), actions.ThrowIn(), actions.Book(), actions.Settle())

    flags = [row.flags for row in four.game.scoreboard(four.state).rows]

    assert not any("sits_out" in one for one in flags)


def test_two_presses_deal_and_take_the_last_trick() -> None:
    three = table()
    twice, held, once = Gesture(2, presses=2), Gesture(hold=True), Gesture(1, presses=1)
    assert three.game.meaning(three.state, ANN, once) is None

    for gesture in (twice, held):
        assert three.game.meaning(three.state, ANN, gesture) == Do(actions.Deal())
        assert three.game.meaning(three.state, BOB, gesture) is None
    three.ask(actions.Deal(), *map(actions.Pass, THREE))
    assert three.game.meaning(three.state, BOB, held) == Do(actions.LastTrick(BOB), grace=True)
    for silent in (once, Gesture(2), Gesture(3, presses=3)):
        assert three.game.meaning(three.state, BOB, silent) is None
    assert three.game.meaning(three.state, DIRK, twice) is None
    assert not three.game.hears_wood(three.state)


def test_declarations_go_round_by_presses_from_the_dealer_on() -> None:
    three = table()
    once, held = Gesture(1, presses=1), Gesture(hold=True)
    three.ask(actions.Deal())
    asked = []
    while three.prompt == "prompt.declare":
        line = three.game.scoreboard(three.state).prompt
        assert line is not None
        seat = Seat(cast("int", line.facts["seat"]))
        asked.append(seat)
        assert three.game.meaning(three.state, seat, held) == Show("declares")
        assert three.game.meaning(three.state, seat, once) == Do(actions.Pass(seat))
        three.ask(actions.Pass(seat))

    assert asked == [ANN, COR, BOB]
    assert three.prompt == "prompt.last-trick"
    assert three.refused(actions.Pass(BOB)) == "not_asked"


def test_who_tells_the_play_need_not_wait_for_everybody_to_pass() -> None:
    three = table()
    three.ask(actions.Deal(), actions.Pass(ANN), actions.TellFate(BOB, "pagat_home"))

    assert three.prompt == "prompt.last-trick"
    assert three.refused(actions.Pass(COR)) == "not_asked"
    assert three.refused(actions.Pass(DIRK)) == "V-SEAT"


def test_the_points_of_all_three_are_taken_back_together() -> None:
    three = table()
    three.ask(actions.Deal(), actions.LastTrick(BOB), actions.Points(ANN, 30))
    three.ask(actions.TellFate(COR, "pagat_home"), actions.Points(BOB, 20))
    assert three.state.hand.points == {ANN: 30, BOB: 20, COR: 28}

    three.ask(actions.TakeBack(2))

    assert not three.state.hand.points
    assert [type(one).__name__ for one in three.state.entries] == ["LastTrickTold", "FateTold"]


def test_players_come_and_go_only_while_nobody_has_won_or_lost() -> None:
    three = table()
    assert three.game.why_not_reseat(three.state) is None
    three.ask(actions.Deal())
    assert three.game.why_not_reseat(three.state) == "deal_in_progress"
    three.plain_hand()
    assert three.game.why_not_reseat(three.state) == "slate_not_clean"
    three.ask(actions.Settle())
    # A latecomer who sat down would wipe away who pays whom.
    assert three.game.why_not_reseat(three.state) == "game_over"
    three.ask(actions.NewGame())
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
