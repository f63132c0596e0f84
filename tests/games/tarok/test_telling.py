"""What may be told next of a hand: one entry is looked at alone, and judged as the whole hand is.

The judges of whole hands, which look at everything anew, say the same of a hand with that entry.
"""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kloplei.games.card_game import Deal
from kloplei.games.game import Seat
from kloplei.games.tarok import Options, actions, telling
from kloplei.games.tarok.actions import AnyEntry
from kloplei.games.tarok.consistency import WRONG, wrong
from kloplei.games.tarok.state import Hand
from kloplei.games.tarok.telling import Standing
from tests.examples import examples
from tests.games.tarok.played import also
from tests.games.tarok.seated import ANN, BOB, COR, table

SEAT = st.sampled_from([Seat(n) for n in (0, 1, 2, 2, 1, 0, 3)])
PERHAPS = st.none() | st.booleans()
CHIPS = st.sampled_from([0, 0, 5, 7, -5])
ENTRY: st.SearchStrategy[AnyEntry] = st.one_of(
    st.builds(
        actions.Declared,
        SEAT,
        st.sampled_from([*get_args(actions.Declarable), "taroks", "taroks", "matadors", "trull"]),
        st.sampled_from([None, 3, 5, 10, 11, 16, 22, 26]),
        st.sampled_from([None, "H", "S"]),
        PERHAPS,
        PERHAPS,
    ),
    st.builds(actions.Fined, SEAT, CHIPS, CHIPS, CHIPS),
    st.builds(actions.FateTold, SEAT, st.sampled_from([*get_args(actions.Fate), "queen_lost"])),
    st.builds(actions.LastTrickTold, SEAT),
    st.builds(actions.LastCardTold, SEAT, st.sampled_from(["pagat", "king"])),
    st.builds(
        actions.FeatTold,
        SEAT,
        st.sampled_from(get_args(actions.FeatKind)),
        st.sampled_from([None, None, 1, 13, 7]),
        st.booleans(),
    ),
    st.builds(actions.FoolLeft, SEAT),
    st.builds(actions.WrongDiscardFound, SEAT),
    st.builds(actions.PointsCounted, SEAT, st.none() | st.sampled_from([0, 4, 9, 38, 60, -1, 78])),
    st.builds(actions.FeatUnclaimed, SEAT),
    st.just(actions.HandVoided()),
)
HOUSE = st.builds(
    Options,
    rule_set=st.sampled_from(["a", "b", "c"]),
    cards=st.sampled_from([True, True, False]),
    c_pots=st.booleans(),
    b_vole_with_cards=st.booleans(),
    a_excuse_alone_cards=st.sampled_from([0, 4]),
    unclaimed_feats=st.sampled_from(["refuse", "accept"]),
)
OF_WHOLE_HANDS = {"V-FAILED", "V-HELD"}
OUT_OF_PLACE = {"hand_void", "already_told", "points_not_settled", "nothing_changed"}


@settings(max_examples=examples(60), deadline=None)
@given(HOUSE, st.lists(ENTRY, max_size=25), ENTRY)
def test_an_entry_is_refused_for_what_would_be_wrong_with_the_hand_it_makes(
    options: Options, told: list[AnyEntry], entry: AnyEntry
) -> None:
    hand = Hand(COR, (ANN, BOB, COR))
    for one in told:
        if Standing(options, hand).takes(one):
            hand = also(hand, one)

    reasons = tuple(Standing(options, hand).why_not(entry))

    assert set(wrong(options, hand)) <= OF_WHOLE_HANDS
    counted_early = isinstance(entry, actions.PointsCounted) and not hand.winners
    if counted_early or OUT_OF_PLACE & {*reasons}:
        assert reasons
        return
    after = also(hand, entry)
    found = {code for code, finds in WRONG.items() if finds(options, after)}
    assert sorted(reasons) == sorted(found - OF_WHOLE_HANDS)


def test_what_was_wrong_before_refuses_nothing_that_has_no_part_in_it() -> None:
    """Told in a hand thrown in by mistake, a second pagat closed the sheet for everything else."""
    three = table("c")
    three.ask(Deal(), actions.TellFate(BOB, "pagat_home"), actions.ThrowIn())
    three.ask(actions.Declare(COR, "matadors", count=3), actions.TakeBack(2))

    three.ask(actions.Declare(ANN, "cavalry_full", suit="H"))

    assert three.codes(actions.Book())[:2] == ("V-LAST", "V-78")
    assert "V-PAGAT-OWNER" in three.codes(actions.Book())
    assert three.refused(actions.Declare(BOB, "matadors", count=3)) == "V-PAGAT-OWNER"


@pytest.mark.parametrize("rule_set", ["a", "b", "c"])
def test_a_table_asks_as_much_of_a_long_hand_as_of_a_short_one(
    rule_set: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of three hundred candidates put all entries in order again."""
    put_together: list[Hand] = []
    asked: list[AnyEntry] = []
    put = Hand.__post_init__
    takes = Standing.takes

    def counted(hand: Hand) -> None:
        put_together.append(hand)
        put(hand)

    def heard(told: Standing, entry: AnyEntry) -> bool:
        asked.append(entry)
        return takes(told, entry)

    monkeypatch.setattr(Hand, "__post_init__", counted)
    monkeypatch.setattr(telling.Standing, "takes", heard)
    took: dict[int, tuple[int, int]] = {}
    for fines in (0, 30):
        three = table(rule_set)
        three.ask(Deal(), *[actions.Fine(BOB, 5)] * fines)
        put_together.clear()
        asked.clear()
        three.game.legal_actions(three.game.apply(three.state, actions.Passed(ANN)))
        took[fines] = len(put_together), len(asked)

    assert took[30] == took[0]
    assert took[30][0] == 1
    assert took[30][1] < 90
