"""A hand of Tarok as it is told: what may be said, what it would pay, what is taken back (§ 9)."""

import pytest

from kloplei.games.card_game import Deal
from kloplei.games.game import Action, IllegalAction
from kloplei.games.scoreboard import Line
from kloplei.games.tarok import actions, holdings
from kloplei.games.tarok.actions import Booked, Dealt
from kloplei.games.tarok.booking import preview
from kloplei.games.toepen.actions import Knock
from kloplei.table.schema import SOCKET, dump, load
from kloplei.words import Words
from tests.games.tarok.seated import ANN, BOB, COR, table


def test_in_a_hand_thrown_in_only_declarations_and_fines_are_told() -> None:
    three = table()
    three.ask(Deal(), actions.TellFate(BOB, "pagat_home"), actions.ThrowIn())

    assert three.refused(actions.LastTrick(BOB)) == "hand_void"
    assert three.refused(actions.ThrowIn()) == "hand_void"
    lines = three.ask(actions.Fine(BOB, 5), actions.Declare(COR, "kings_full"), actions.Book())
    assert [one.line for one in lines if isinstance(one, Booked)] == ["kings_full", "fine"]


def test_a_half_told_hand_pays_nothing_and_asks_for_the_rest() -> None:
    three = table()
    assert three.prompt == "prompt.next-deal"
    three.ask(Deal())
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
    three.ask(Deal())
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
    three.ask(Deal(), actions.Fine(ANN, 7), actions.WrongDiscard(ANN), actions.Fine(ANN, 9))

    draft = three.game.scoreboard(three.state).draft

    assert [(one.entry, one.amounts[ANN]) for one in draft] == [(1, -14), (2, -12), (3, -18)]


def test_each_entry_can_be_taken_back() -> None:
    three = table()
    three.ask(Deal(), actions.TellFate(BOB, "pagat_home"), actions.LastTrick(COR))
    assert three.refused(actions.TellFate(COR, "pagat_home")) == "V-PAGAT-ONCE"
    assert three.refused(actions.TakeBack(3)) == three.refused(actions.TakeBack(0)) == "no_entry"

    three.ask(actions.TakeBack(1), actions.TellFate(COR, "pagat_home"))

    assert [one.seat for one in three.state.hand.fates] == [COR]
    assert three.state.hand.winner == COR


def test_what_is_taken_back_is_told_by_what_it_said() -> None:
    """It was "Entry 2 is taken back", and nothing on slate or phones has numbers."""
    three = table()
    three.ask(Deal(), actions.LastTrick(COR), actions.TellFate(BOB, "king_lost"))

    three.ask(actions.TakeBack(2))

    news = three.state.news
    assert news is not None
    said = Words("en").say(news.key, news.facts, {BOB: "Bob"})
    assert said == "Bob loses a king: struck out."


@pytest.mark.parametrize("took", [actions.LastTrick(COR), actions.TellFate(COR, "pagat_home")])
def test_who_took_a_trick_does_not_count_nothing(took: Action) -> None:
    """A 0 told of the wrong player was written down, though he had won the last trick."""
    three = table("c")
    last = () if isinstance(took, actions.LastTrick) else (actions.LastTrick(BOB),)
    fate = () if last else (actions.TellFate(BOB, "pagat_home"),)
    three.ask(Deal(), *fate, took, *last, actions.Points(COR, 0), actions.Points(BOB, 50))

    assert three.prompt == "prompt.held"
    three.ask(actions.TakeBack(3), actions.Points(COR, 20), actions.Points(BOB, 30))
    assert three.prompt == "prompt.book"


def test_a_cavalry_is_told_with_its_suit() -> None:
    """Two of one player were the same line twice, and nobody knew which to take back."""
    three = table("c")
    three.ask(Deal(), actions.Declare(COR, "cavalry_full", suit="S"))

    (told,) = (one for one in three.game.scoreboard(three.state).draft if one.entry)
    said = Words("en").of_game("tarok").say(told.line.key, told.line.facts, {COR: "Cor"})
    assert said == "Cor declares a full cavalry in spades"


def test_who_is_left_with_the_fool_is_told_what_to_count() -> None:
    """It said that such a player takes no trick, of a number that the house counts otherwise."""
    three = table("a", a_excuse_alone_cards=4)
    three.ask(Deal(), actions.LastTrick(COR), actions.FoolAlone(BOB))

    with pytest.raises(IllegalAction) as refusal:
        three.ask(actions.Points(BOB, 0))

    reason, facts = refusal.value.reason, refusal.value.facts
    assert "counts 4" in Words("en").say(f"reason.{reason}", facts)


def test_only_what_is_still_possible_is_offered() -> None:
    three = table()
    three.ask(Deal(), actions.Declare(COR, "taroks", count=12, pagat=True))
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
    three.ask(Deal())

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
    three.ask(Deal())

    assert three.refused(declared) == "V-DECL"


def test_cards_are_counted_when_all_are_played_and_where_they_settle() -> None:
    three = table()
    three.ask(Deal())
    assert three.refused(actions.Points(ANN, 26)) == "V-LAST"

    three.ask(actions.LastTrick(BOB), actions.TellFeat(ANN, "nolo"))

    assert three.refused(actions.Points(ANN, 26)) == "points_not_settled"


def test_the_third_ones_points_are_not_made_up_where_they_cannot_be() -> None:
    three = table("b")
    three.ask(Deal(), actions.LastTrick(BOB), actions.TellFeat(BOB, "vole"))

    three.ask(actions.Points(BOB, 70), actions.Points(ANN, 3))

    assert COR not in three.state.hand.points
    assert three.refused(actions.Points(COR, 5)) == "V-ZERO"


def test_a_fine_is_paid_in_chips_into_pots_that_are_there() -> None:
    three, without = table(), table("b")
    three.ask(Deal())
    without.ask(Deal())

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


def test_the_points_of_all_three_are_taken_back_together() -> None:
    three = table()
    three.ask(Deal(), actions.LastTrick(BOB), actions.Points(ANN, 30))
    three.ask(actions.TellFate(COR, "pagat_home"), actions.Points(BOB, 20))
    assert three.state.hand.points == {ANN: 30, BOB: 20, COR: 28}

    three.ask(actions.TakeBack(2))

    assert not three.state.hand.points
    assert [type(one).__name__ for one in three.state.entries] == ["LastTrickTold", "FateTold"]


def test_before_it_is_written_down_the_table_asks_for_a_nolo_that_nobody_told() -> None:
    """A hand in which Cor counted 0 was booked as any other, and cost him 100 chips."""
    three = table(seats=(ANN, BOB, COR))
    three.ask(Deal(), actions.TellFate(BOB, "pagat_home"), actions.LastTrick(BOB))
    assert three.refused(actions.LeaveUnclaimed(COR)) == "nothing_changed"

    three.ask(actions.Points(ANN, 37), actions.Points(BOB, 41))

    assert three.state.hand.points[COR] == 0
    assert three.prompt == "prompt.untold-nolo"
    assert three.codes(actions.Book()) == ("V-UNTOLD",)
    assert three.refused(actions.LeaveUnclaimed(BOB)) == "nothing_changed"
    told = three.game.apply(three.state, actions.FeatTold(COR, "nolo"))
    assert actions.Book() in three.game.legal_actions(told)
    three.ask(actions.LeaveUnclaimed(COR))
    assert three.prompt == "prompt.book"
    three.ask(actions.Book())


def test_what_the_cards_exclude_is_told_at_once_and_not_written_down() -> None:
    three = table()
    three.ask(Deal(), actions.Declare(COR, "kings_full"), actions.TellFate(BOB, "king_lost"))

    prompt = three.game.scoreboard(three.state).prompt

    assert prompt is not None
    assert (prompt.key, prompt.facts["entries"]) == ("prompt.held", (1, 2))
    said = Words("en").say(prompt.key, prompt.facts, {BOB: "Bob", COR: "Cor"})
    assert said == "These cannot go together: Cor declares full kings and Bob loses a king."
    # Phones get it over the socket, and say it alike.
    sent = load(Line, dump(prompt, form=SOCKET), form=SOCKET)
    assert Words("en").say(sent.key, sent.facts, {BOB: "Bob", COR: "Cor"}) == said
    three.ask(actions.LastTrick(BOB), actions.TellFate(ANN, "pagat_lost"))
    three.ask(actions.Points(ANN, 20), actions.Points(BOB, 20))
    with pytest.raises(IllegalAction) as refusal:
        three.game.decide(three.state, actions.Book())
    assert refusal.value.facts["said"] == prompt.facts["said"]
    three.ask(actions.TakeBack(2), actions.Book())


def test_what_is_told_as_failed_beside_points_that_prove_it_made_is_at_odds_with_them() -> None:
    three = table("b")
    three.ask(Deal(), actions.TellFeat(BOB, "nolo", 1, made=False), actions.LastTrick(COR))
    three.ask(actions.Points(BOB, 0), actions.Points(COR, 40))

    assert three.prompt == "prompt.held"
    assert three.codes(actions.Book()) == ("V-FAILED",)


def test_cards_in_hands_are_reckoned_once_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may be told next is asked for some three hundred actions at once."""
    reckoned: list[object] = []
    possible = holdings._Deal.is_possible

    def counted(deal: holdings._Deal) -> bool:
        reckoned.append(deal)
        return possible(deal)

    monkeypatch.setattr(holdings._Deal, "is_possible", counted)
    three = table("b")
    three.ask(Deal(), actions.Declare(BOB, "ladons", count=17))
    reckoned.clear()
    holdings._contradiction.cache_clear()

    three.game.scoreboard(three.state)
    three.game.scoreboard(three.state)

    assert len(reckoned) == 1
