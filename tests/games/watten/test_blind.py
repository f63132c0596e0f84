"""The blind referee: who may entrust Schlag and trump to the box, and what it does with them."""

from itertools import product
from typing import get_args

import pytest

from kloplei.games.card_game import Deal, Misdeal, Revoke
from kloplei.games.game import Action, Do, Event, Gesture, IllegalAction, Meaning, Seat, Show
from kloplei.games.scoreboard import Line
from kloplei.games.watten import PRESETS, Options, Phase, actions
from kloplei.games.watten.actions import EVENTS, TrickTaken
from kloplei.table.actions import decode, encode
from tests.games.watten.test_view import A, B, C, D, Table

BLIND = PRESETS["blind"]
SEALED = (actions.SealSchlag(A, "10"), actions.SealTrump(D, "C"))  # D deals, A sits next to it
GUATE = ("C10", "CJ", "H10", "CA")  # B took it with the jack of clubs


def dealt(options: Options = BLIND) -> Table:
    return Table(options).do(Deal())


def laid(*cards: str, by: Seat = A) -> tuple[Action, ...]:
    return tuple(actions.LayCard(by, card) for card in cards)  # type: ignore[arg-type]


def refusal(table: Table, action: Action) -> str:
    with pytest.raises(IllegalAction) as refused:
        table.game.decide(table.state, action)
    return refused.value.reason


def told(table: Table) -> list[str]:
    return [line.key for line in table.board.told]


@pytest.mark.parametrize(
    "both",
    [
        (actions.Confirm(A), actions.Confirm(D)),
        (actions.Confirm(D), actions.SealTrump(A, "H")),
        (actions.SealSchlag(D, "7"), actions.Confirm(A)),
        SEALED,
    ],
)
def test_play_begins_when_both_who_know_have_said_so(both: tuple[Action, Action]) -> None:
    first, last = both
    table = dealt().do(first)
    assert (table.state.phase, told(table)[0]) == (Phase.ANNOUNCING, "told.waits-for")

    table.do(last)

    assert table.state.phase is Phase.PLAY
    assert table.state.deal.informed == (D, A)


def test_one_who_seals_all_of_it_does_not_speak_for_the_other() -> None:
    table = dealt().do(actions.SealSchlag(A, "10"), actions.SealTrump(A, "C"))

    assert table.state.phase is Phase.ANNOUNCING
    assert refusal(table, actions.Confirm(A)) == "already_shown"
    assert table.do(actions.Show()).state.phase is Phase.PLAY


@pytest.mark.parametrize("seat", [B, C])
def test_who_plays_blind_has_nothing_to_seal(seat: Seat) -> None:
    table = dealt().do(*SEALED)

    for action in (
        *(actions.Confirm(seat), actions.SealSchlag(seat, "10"), actions.SealTrump(seat, "C")),
        *laid("H7", by=seat),
    ):
        assert refusal(table, action) == "wrong_player"


def test_it_may_be_mended_by_either_until_the_first_card() -> None:
    table = dealt().do(*SEALED, actions.SealSchlag(D, "9"), actions.SealTrump(A, "H"))
    assert (table.state.deal.seal.rank, table.state.deal.seal.suit) == ("9", "H")

    table.do(*laid("H7"))

    assert refusal(table, actions.SealSchlag(A, "10")) == "too_late"
    assert refusal(table, actions.SealTrump(D, "C")) == "too_late"


def test_to_seal_the_same_again_looks_like_anything_else() -> None:
    table = dealt().do(*SEALED)

    same = table.game.decide(table.state, SEALED[0])
    other = table.game.decide(table.state, actions.SealSchlag(A, "7"))

    assert [type(event) for event in same] == [type(event) for event in other]


def test_the_box_says_who_took_the_trick_and_not_why() -> None:
    table = dealt().do(*SEALED, *laid(*GUATE[:3]))
    assert table.state.deal.tricks == (0, 0, 0, 0)

    table.do(*laid(GUATE[3], by=D))

    assert (table.state.deal.tricks, table.board.leader) == ((0, 1, 0, 0), B)
    assert table.board.news == Line("news.trick", {"seat": B, "number": 1})


def test_the_next_trick_is_led_by_who_took_the_last() -> None:
    table = dealt().do(*SEALED, *laid(*GUATE), *laid("SK"))

    assert table.board.told[-1] == Line("told.cards-lie", {"card": ("SK",), "next": C})


def test_without_a_seal_a_trick_is_entered_by_seat() -> None:
    table = dealt().do(actions.SealSchlag(A, "10"), actions.Confirm(D))
    assert refusal(table, *laid("H7")) == "not_sealed"

    assert table.do(actions.TrickOf(A, C)).state.deal.tricks == (0, 0, 1, 0)


def test_a_seat_may_take_a_trick_whose_cards_lie_there_in_part() -> None:
    table = dealt().do(*SEALED, *laid("H7", "H8"), actions.TrickOf(A, C))

    assert (table.state.deal.lying, table.board.leader) == ((), C)
    assert refusal(table, *laid("H8")) == "card_lies_there"


def test_no_card_lies_there_while_an_answer_is_owed() -> None:
    table = dealt().do(*SEALED, *laid("H7"), actions.Raise(B))
    assert refusal(table, *laid("H8")) == "answer_pending"

    table.do(actions.Accept(A), *laid("H8"))
    assert table.state.deal.lying == ("H7", "H8")


def test_a_pack_without_the_weli_has_no_six() -> None:
    table = dealt(Options(variant="blind", weli="not in the pack")).do(*SEALED)

    assert refusal(table, actions.SealSchlag(A, "6")) == "weli_rank_forbidden"
    assert refusal(table, *laid("D6")) == "unknown_card"


def test_new_cards_are_for_before_anything_was_shown() -> None:
    table = dealt().do(actions.Offer(A))
    assert refusal(table, actions.Confirm(D)) == "answer_pending"
    assert refusal(table, SEALED[0]) == "answer_pending"

    table.do(actions.Agree(D), actions.Confirm(D))
    assert refusal(dealt().do(actions.Confirm(D)), actions.Offer(A)) == "exchange_closed"


def test_the_rule_of_a_forced_four_asks_when_the_second_has_shown() -> None:
    options = Options(variant="blind", gestrichen_rule="forced_four")
    table = Table(options, points=(13, 0, 13, 0)).do(Deal(), *SEALED)

    assert (table.prompt, table.state.phase) == ("prompt.four-forced", Phase.ANSWERING)


ENDINGS = {
    "tricks": tuple(actions.Trick(A) for _ in range(3)),
    "given up": (actions.Raise(A), actions.GiveUp(B)),
    "revoke": (Revoke(D),),
    "cards": (*laid(*GUATE), *laid("CK", "H7", "C9", "SA"), *laid("H8", "H9", "HA", "S7")),
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_the_seal_is_opened_however_the_deal_ends(ending: tuple[Action, ...]) -> None:
    opened = Line("news.seal-opened", {"rank": "10", "suit": "C"})
    table = dealt().do(*SEALED, *ending[:-1])
    assert opened not in table.board.told

    table.do(ending[-1])

    assert table.board.told[0] == opened
    assert table.board.hands[-1].told == (opened,)
    assert table.board.news is not None
    assert table.board.news.key != opened.key  # the slate tells who scored


def test_a_revoke_found_after_the_deal_tells_anew_what_it_was() -> None:
    table = dealt().do(*SEALED, *ENDINGS["cards"])
    before = table.board.told

    table.do(Revoke(D))

    assert table.board.told == before
    assert table.board.hands[-1].how == "how.revoke"


def test_a_misdeal_opens_what_was_sealed_too_early() -> None:
    table = dealt().do(SEALED[0], Misdeal())

    assert table.board.told == (Line("news.seal-opened", {"rank": "10", "suit": None}),)


def test_where_nothing_was_sealed_there_is_nothing_to_open() -> None:
    table = dealt().do(actions.Show(), *ENDINGS["tricks"])

    assert table.board.told == ()
    assert table.board.hands[0].told == ()


def test_who_took_which_cards_can_be_looked_up_until_the_next_deal() -> None:
    table = dealt().do(*SEALED, *ENDINGS["cards"])
    assert table.board.told[1] == Line("told.trick", {"card": GUATE, "seat": B})
    assert len(told(table)) == 4

    table.do(Deal())
    assert told(table) == []
    assert len(table.board.hands[0].told) == 1


@pytest.mark.parametrize(
    ("rank", "suit"), [*product(get_args(actions.Rank), get_args(actions.Suit))]
)
def test_what_may_be_done_does_not_tell_what_is_sealed(
    rank: actions.Rank, suit: actions.Suit
) -> None:
    """The six would forbid signals, if that did not give it away (law W19)."""
    one, other = (dealt(), dealt())
    one.do(actions.SealSchlag(A, rank), actions.SealTrump(D, suit))
    other.do(*SEALED)

    assert one.game.legal_actions(one.state) == other.game.legal_actions(other.state)
    assert one.board == other.board


def test_nothing_that_is_printed_shows_it() -> None:
    table = dealt().do(*SEALED)

    for printed in (table.state, *SEALED, *table.game.decide(table.state, SEALED[1])):
        assert "10" not in repr(printed)
        assert "'C'" not in repr(printed)


def test_the_journal_keeps_it_through_a_power_cut() -> None:
    table, events = dealt(), list[Event]()
    fresh = table.state
    for action in (*SEALED, *laid(*GUATE[:3])):
        events += table.game.decide(table.state, action)
        table.do(action)

    again = fresh
    for event in events:
        again = table.game.apply(again, decode(*encode(event), EVENTS))

    assert again == table.state
    assert (again.deal.seal.rank, again.deal.seal.suit) == ("10", "C")


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "blind"])
def test_there_is_no_blind_referee_in_other_watten(preset: str) -> None:
    table = dealt(PRESETS[preset])

    refused = {refusal(table, action) for action in (*SEALED, actions.Confirm(A), *laid("H7"))}

    assert refused <= {"not_blind", "not_played_here"}


def test_only_the_two_who_know_tell_who_took_a_trick() -> None:
    table = dealt().do(actions.Show())

    assert refusal(table, actions.Trick(C)) == "wrong_player"
    assert refusal(table, actions.TrickOf(C, B)) == "wrong_player"
    assert refusal(table, actions.TrickOf(D, D)) == "wrong_player"
    assert table.do(actions.TrickOf(D, C), actions.Trick(A)).state.deal.tricks == (1, 0, 1, 0)
    for action in ("trick", "trick_of"):
        offered = [row for row in table.board.rows if action in {one.action for one in row.offers}]
        assert [row.seat for row in offered] == [A, D]


def test_where_anybody_may_each_tells_of_its_own_tricks() -> None:
    table = dealt(Options(variant="blind", trick_by="anybody")).do(actions.Show())

    assert table.do(actions.Trick(C)).state.deal.tricks == (0, 0, 1, 0)
    assert refusal(table, actions.TrickOf(D, C)) == "not_played_here"
    assert table.prompt == "prompt.play"


@pytest.mark.parametrize(
    ("seat", "presses", "wanted"),
    [
        (A, 2, Do(actions.Trick(A), grace=True)),
        (A, 3, Do(actions.TrickOf(A, C), grace=True)),
        (D, 3, Do(actions.TrickOf(D, B), grace=True)),
        (C, 3, Show("hurry-up")),
    ],
)
def test_three_presses_of_who_knows_are_the_partners_trick(
    seat: Seat, presses: int, wanted: Meaning
) -> None:
    table = dealt().do(actions.Show())

    meant = table.game.meaning(table.state, seat, Gesture(presses, presses=presses))

    assert meant == wanted


def test_a_journal_of_before_holds_the_tricks_that_anybody_told() -> None:
    table = dealt().do(actions.Show())

    assert table.game.apply(table.state, TrickTaken(C, 1)).deal.tricks == (0, 0, 1, 0)
