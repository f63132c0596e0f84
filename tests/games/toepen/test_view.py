"""What everybody may see of a toepen table."""

from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Offer
from kloplei.words import Words
from tests.games.toepen.table import Table

A, B, C = Seat(0), Seat(1), Seat(2)


def test_a_fresh_table_waits_for_the_dealer() -> None:
    board = Table().board

    assert (board.game, board.phase, board.preset) == ("toepen", "between_hands", "seed")
    assert (board.stake, board.dealer, board.leader) == (None, C, None)
    assert board.prompt == Line("prompt.deal", {"seat": C})
    assert board.news is None
    assert board.hands == ()


def test_deal_is_offered_to_the_table_and_in_the_dealers_row() -> None:
    table = Table()

    assert Offer("deal") in table.board.offers
    assert Offer("deal") in table.row("C").offers
    assert Offer("deal") not in table.row("A").offers


def test_offers_name_what_they_need_and_what_may_be_chosen() -> None:
    table = Table().do("deal", "exchange A", "exchange B")

    assert Offer("knock") in table.row("A").offers
    assert Offer("challenge", ("of", "found"), {"of": (A, B), "found": ("clean", "dirty")}) in (
        table.row("C").offers
    )
    assert Offer("trick", ("n",), {"n": (1, 2, 3, 4)}) in table.row("C").offers
    assert type(table.row("C").offers[0].choices["of"][0]) is Seat


def test_numbers_to_choose_from_rise() -> None:
    (chalk,) = (offer for offer in Table().row("A").offers if offer.action == "chalk")

    assert chalk.choices["lives"] == tuple(range(1, 11))


def test_nobody_is_asked_to_exchange_where_nobody_may() -> None:
    """Schröömen has no exchange, and of eight hands nothing is left: "you may still exchange"."""
    play = Line("prompt.play", {"seat": A})

    assert Table(exchange_limit=0).do("deal").board.prompt == play
    assert Table("ABCDEFGH").do("deal").board.prompt == play
    once = Table(exchange_limit=1).do("deal", "exchange A", "exchange B")
    assert once.board.prompt == Line("prompt.exchange-or-play", {"seat": A})
    assert once.do("exchange C").board.prompt == play


def test_the_prompt_follows_the_phase() -> None:
    table = Table(lives=(8, 0, 0)).do("deal")
    assert table.board.prompt == Line("prompt.exchange-or-play", {"seat": A})

    table.do("knock A")
    assert table.board.prompt == Line(
        "prompt.stay-or-fold", {"seat": A, "seats": (B, C), "stake": 2, "fold": 1}
    )

    table.do("stay B", "stay C")
    assert table.board.prompt == Line("prompt.play", {"seat": A})

    table.do("trick 4 B")
    assert table.board.prompt == Line("prompt.drinks", {"seats": (A,)})


def test_the_price_of_folding_is_left_out_when_it_differs() -> None:
    table = Table("ABCD", over_knock_while_pending="yes").do("deal", "knock A", "knock B")

    assert table.board.prompt is not None
    assert table.board.prompt.facts["fold"] is None


def test_armoede_names_all_who_are_in_it() -> None:
    """On phones two of them played for their last life, and one was named."""
    prompt = Table("ABCD", lives=(9, 0, 9, 0)).do("deal").board.prompt

    assert prompt is not None and prompt.facts["poor"] == (A, C)
    names = {A: "Ann", B: "Bo", C: "Cor", Seat(3): "Dirk"}
    text = Words("en").say(prompt.key, prompt.facts, names)
    assert text == "Armoede for Ann and Cor! Bo and Dirk: stay for 2, or fold?"


def test_armoede_asks_for_an_answer_already_while_exchanging() -> None:
    table = Table(lives=(9, 0, 0)).do("deal")

    board = table.board

    assert board.phase == "exchange"
    assert board.prompt == Line(
        "prompt.armoede", {"seat": A, "poor": (A,), "seats": (B, C), "stake": 2, "fold": 1}
    )
    assert board.to_answer == (B, C)
    assert table.row("B").flags == ("in_hand", "must_answer")
    assert table.do("ready").board.prompt == board.prompt


def test_once_armoede_is_decided_the_leader_is_waited_for() -> None:
    table = Table("ABCD", lives=(9, 9, 0, 0)).do("deal")
    assert table.board.prompt is not None
    assert table.board.prompt.facts["seat"] == A

    table.do("stay C", "stay D")
    assert table.board.prompt == Line("prompt.play", {"seat": A})


def test_armoede_is_seen_before_the_deal() -> None:
    assert Table(lives=(9, 0, 0)).row("A").flags == ("armoede",)
    assert Table(lives=(9, 0, 0), armoede="off").row("A").flags == ()


def test_flags_tell_how_each_seat_stands() -> None:
    table = Table("ABCD").do("deal", "exchange D", "knock A", "fold B")

    assert table.row("A").flags == ("in_hand", "last_knocker")
    assert table.row("B").flags == ("folded",)
    assert table.row("C").flags == ("in_hand", "must_answer")


def test_an_exchange_is_seen_while_it_can_be_challenged() -> None:
    table = Table().do("deal", "exchange A")

    assert table.row("A").flags == ("in_hand", "open_exchange")
    assert table.do("ready").row("A").flags == ("in_hand",)


def test_the_end_of_a_rubber_is_seen_on_the_rows() -> None:
    table = Table(lives=(9, 0, 0), armoede="off").do("deal", "trick 4 B")

    assert table.row("A").flags == ("out", "owes_drink")
    assert table.row("B").flags == ("rubber_winner",)
    assert table.row("B").counts == {"rubbers_won": 1, "drinks": 0}
    assert table.do("drink A").row("B").flags == ()


def test_committed_is_what_a_seat_plays_for() -> None:
    table = Table().do("deal", "knock A", "stay B")

    assert [row.committed for row in table.board.rows] == [2, 2, 1]
    assert Table().row("A").committed is None


def test_the_log_tells_who_paid_what() -> None:
    table = Table("ABCD").do("deal", "exchange D", "challenge C of D clean")

    table.do("knock A", "fold B", "stay C", "stay D", "trick 4 A")

    (hand,) = table.board.hands
    assert (hand.number, hand.winner, hand.how) == (1, A, "how.trick")
    assert hand.paid == {B: 1, C: 3, Seat(3): 2}


def test_news_tell_the_latest_event() -> None:
    table = Table("ABCD")
    told = []
    for words in (
        *("deal", "exchange A", "challenge B of A dirty", "exchange C", "challenge A of C clean"),
        *("whistle B three_tens", "stand B four_jacks", "sing B cannot_whistle", "knock A"),
        *("fold B", "stay C", "stay D", "trick 1 A", "trick 4 D"),
    ):
        news = table.do(words).board.news
        assert news is not None
        told.append((news.key.removeprefix("news."), dict(news.facts)))

    assert told == [
        ("dealt", {"seat": 3}),
        ("exchanged", {"seat": 0}),
        ("challenge-dirty", {"seat": 1, "of": 0, "n": 1}),
        ("exchanged", {"seat": 2}),
        ("challenge-clean", {"seat": 0, "of": 2, "n": 1}),
        ("whistled", {"seat": 1}),
        ("stood", {"seat": 1}),
        ("sang", {"seat": 1}),
        ("knocked", {"seat": 0, "stake": 2}),
        ("folded", {"seat": 1, "n": 1}),
        ("stayed", {"seat": 2, "stake": 2}),
        ("stayed", {"seat": 3, "stake": 2}),
        ("trick", {"seat": 0, "number": 1}),
        ("hand-won", {"seat": 3, "n": 2}),
    ]


def test_news_of_the_ways_a_hand_can_end() -> None:
    folds = Table().do("deal", "knock A", "fold B", "fold C")
    revoke = Table().do("deal", "ready", "revoke B")
    misdeal = Table().do("deal", "misdeal")
    dropped = Table(lives=(0, 9, 0), armoede="off", rubber_end_timing="immediate")
    dropped.do("deal", "knock A", "fold B")
    all_lost = Table(folded_last_trick="everyone_loses")
    all_lost.do("deal", "knock A", "fold B", "stay C", "trick 4 B")
    four = Table(four_of_a_kind="instant_win_3").do("deal", "four B")

    assert folds.board.news == Line("news.hand-won-by-folds", {"seat": A})
    assert revoke.board.news == Line("news.hand-void", {"seat": B})
    assert misdeal.board.news == Line("news.misdealt")
    assert dropped.board.news == Line("news.rubber-over", {"seats": (A, C)})
    assert all_lost.board.news == Line("news.everyone-lost", {"seat": B, "n": 2})
    assert four.board.news == Line("news.four", {"seat": B})


def test_news_of_a_new_king_outshine_the_end_of_the_rubber() -> None:
    table = Table(lives=(9, 0, 1), toepkoning="rubber survivor", armoede="off")

    table.do("deal", "trick 4 B")

    assert table.board.news == Line("news.toepkoning", {"seat": B})
    assert table.do("drink A").board.news == Line("news.slate-wiped")


def test_house_rules_are_told_where_they_differ() -> None:
    board = Table(max_lives=15, answer_order="any", kings="counted").board

    assert board.options == {"max_lives": 15, "answer_order": "any", "kings": "counted"}
    assert board.preset == "vijftien"
