"""A table without phones: what presses and holds mean in each phase (watten.md § 8)."""

from dataclasses import replace

import pytest

from kloplei.games.card_game import Deal, Misdeal, NewGame, Ready
from kloplei.games.game import Action, Choose, Do, Gesture, IllegalAction, Meaning, Seat, Show
from kloplei.games.watten import PRESETS, Options, Phase, actions
from tests.games.watten.test_view import NINE_HEARTS, A, B, C, D, Table

HOLD = Gesture(hold=True)
DEAL = Deal()
SECOND = pytest.mark.parametrize("gesture", [2, HOLD], ids=["two", "hold"])
ARMED = Options(pads="armed")


def presses(times: int) -> Gesture:
    return Gesture(times, presses=times)


def meaning(table: Table, seat: Seat, gesture: int | Gesture) -> Meaning | None:
    """Return what *gesture* asks for; a number is so many presses."""
    if isinstance(gesture, int):
        gesture = presses(gesture)
    return table.game.meaning(table.state, seat, gesture)


def in_play(options: Options | None = None, players: int = 4) -> Table:
    return Table(options, players).do(DEAL, actions.NameAloud(Seat(0)))


def raised(options: Options | None = None) -> Table:
    return in_play(options).do(actions.Raise(A))


def reason(table: Table, action: Action) -> str:
    with pytest.raises(IllegalAction) as refused:
        table.game.decide(table.state, action)
    return refused.value.reason


def exchanging(table: Table) -> set[Seat]:
    offered = {row.seat: {offer.action for offer in row.offers} for row in table.board.rows}
    return {seat for seat, names in offered.items() if "exchange" in names}


# Deal and announce


@SECOND
def test_the_dealer_deals(gesture: int | Gesture) -> None:
    assert meaning(Table(), D, gesture) == Do(DEAL)
    assert meaning(Table(), A, gesture) is None


@pytest.mark.parametrize("times", [1, 3, 5])
def test_other_presses_between_deals_are_noise(times: int) -> None:
    assert meaning(Table(), D, times) is None


@SECOND
@pytest.mark.parametrize("seat", [A, D])
def test_dealer_or_neighbour_says_that_both_have_named_theirs(
    gesture: int | Gesture, seat: Seat
) -> None:
    table = Table().do(DEAL)

    assert meaning(table, seat, gesture) == Do(actions.NameAloud(seat))
    assert table.do(actions.NameAloud(seat)).state.phase is Phase.PLAY


@SECOND
@pytest.mark.parametrize("seat", [B, C])
def test_who_only_listens_does_not_open_play(gesture: int | Gesture, seat: Seat) -> None:
    table = Table().do(DEAL)

    assert meaning(table, seat, gesture) is None
    assert reason(table, actions.NameAloud(seat)) == "wrong_player"


def test_what_was_named_aloud_the_box_does_not_know() -> None:
    table = in_play()

    assert (table.state.deal.schlag, table.state.deal.trump) == (None, None)
    assert table.board.announced == {}
    assert reason(table, actions.NameAloud(D)) == "already_announced"
    assert reason(table, actions.ShowHands(A)) == "only_with_schlag_6"
    assert reason(table, Misdeal()) == "too_late"


def test_what_was_named_aloud_may_be_told_to_the_box_later() -> None:
    """Somebody with a phone wants to know which card is better."""
    table = raised()
    table.do(*NINE_HEARTS)

    assert table.board.announced == {"schlag": "9", "trump": "H"}
    assert table.state.phase is Phase.ANSWERING
    assert reason(table, actions.Trump(D, "S")) == "already_announced"


def test_a_side_far_ahead_is_asked_for_four_only_once() -> None:
    table = Table(Options(gestrichen_rule="forced_four"), points=(13, 7, 13, 7))

    table.do(DEAL, actions.NameAloud(D), actions.Accept(A), *NINE_HEARTS)

    assert table.state.phase is Phase.PLAY


def test_a_schlag_that_was_entered_stays_known_when_trump_is_only_named() -> None:
    table = Table().do(DEAL, actions.Schlag(A, "9"), actions.NameAloud(D))

    assert table.board.announced == {"schlag": "9"}
    assert table.state.phase is Phase.PLAY


def test_naming_aloud_asks_a_side_far_ahead_for_four_as_well() -> None:
    table = Table(Options(gestrichen_rule="forced_four"), points=(13, 7, 13, 7))

    table.do(DEAL, actions.NameAloud(D))

    assert (table.state.phase, table.state.deal.proposed) == (Phase.ANSWERING, 4)
    assert meaning(table, A, 1) == Do(actions.Accept(A))
    assert meaning(table, C, 2) == Do(actions.GiveUp(C), grace=True)


@pytest.mark.parametrize("variant", ["blind", "boehmisch"])
def test_nothing_is_named_aloud_where_all_is_shown(variant: str) -> None:
    table = Table(PRESETS[variant]).do(DEAL)

    assert reason(table, actions.NameAloud(D)) == "not_played_here"


@SECOND
def test_in_blind_watten_both_confirm_that_they_have_shown_a_card(gesture: int | Gesture) -> None:
    table = Table(PRESETS["blind"]).do(DEAL)

    assert [meaning(table, seat, gesture) for seat in (B, C)] == [None, None]
    for seat in (A, D):
        assert table.state.phase is Phase.ANNOUNCING
        assert meaning(table, seat, gesture) == Do(actions.Confirm(seat))
        table.do(actions.Confirm(seat))
    assert table.state.phase is Phase.PLAY


def test_the_neighbour_asks_the_dealer_for_new_cards() -> None:
    table = Table().do(DEAL)
    assert [meaning(table, seat, 3) for seat in (A, B, C, D)] == [
        *(Do(actions.Offer(A)), None, None, None)
    ]

    table.do(actions.Offer(A))

    assert meaning(table, D, 1) == Do(actions.Agree(D))
    assert meaning(table, D, 2) == meaning(table, D, HOLD) == Do(actions.Refuse(D))
    assert [meaning(table, A, gesture) for gesture in (1, 2, 3, HOLD)] == [None] * 4
    assert reason(table, actions.NameAloud(A)) == "answer_pending"


# Play, raise, answer


@pytest.mark.parametrize(
    ("gesture", "asks"),
    [
        (1, Do(actions.Raise(B))),
        (2, Do(actions.Trick(B), grace=True)),
        (HOLD, Do(actions.Trick(B), grace=True)),
        (3, Show("hurry-up")),
        (5, None),
    ],
)
def test_in_play(gesture: int | Gesture, asks: Meaning | None) -> None:
    assert meaning(in_play(), B, gesture) == asks


@pytest.mark.parametrize(
    ("gesture", "asks"),
    [
        (1, Do(actions.Accept(B))),
        (2, Do(actions.GiveUp(B), grace=True)),
        (HOLD, Do(actions.GiveUp(B), grace=True)),
        (3, Do(actions.Raise(B))),
        (5, None),
    ],
)
def test_an_answer_holds_gives_up_or_raises_again(
    gesture: int | Gesture, asks: Meaning | None
) -> None:
    """Giving up ends the deal for the partner as well: it may be called off."""
    assert meaning(raised(), B, gesture) == asks


def test_who_raised_only_makes_noise_until_the_others_answer() -> None:
    for seat in (A, C):
        assert [meaning(raised(), seat, gesture) for gesture in (1, 2, 3, HOLD)] == [None] * 4


def test_a_raise_that_may_not_be_is_asked_for_so_that_the_slate_can_say_why() -> None:
    table = Table(points=(13, 9, 13, 9)).do(DEAL, actions.NameAloud(D))

    assert meaning(table, A, 1) == Do(actions.Raise(A))
    assert reason(table, actions.Raise(A)) == "raise_locked"


@SECOND
def test_the_next_dealer_begins_a_new_game(gesture: int | Gesture) -> None:
    table = Table(points=(13, 0, 13, 0)).do(DEAL, actions.NameAloud(D))
    table.do(actions.Trick(A), actions.Trick(A), actions.Trick(C))
    assert table.state.phase is Phase.GAME_OVER

    assert meaning(table, A, gesture) == Do(NewGame())
    assert meaning(table, D, gesture) is None


def test_an_empty_seat_means_nothing() -> None:
    for table in (Table(players=2), in_play(players=2)):
        assert [meaning(table, C, gesture) for gesture in (1, 2, 3, HOLD)] == [None] * 4


# Bohemian

BOHEMIAN = PRESETS["boehmisch"]


@SECOND
def test_the_dealer_tells_which_suit_was_turned_up(gesture: int | Gesture) -> None:
    table = Table(BOHEMIAN).do(DEAL)

    asked = meaning(table, D, gesture)

    assert isinstance(asked, Choose)
    assert [times for times, _ in asked.choices] == [1, 2, 3, 4]
    assert [action for _, action in asked.choices] == [
        actions.Trump(D, suit)  # type: ignore[arg-type]
        for suit in "HDSC"
    ]
    assert meaning(table, A, gesture) is None


@pytest.mark.parametrize(("suit", "points"), [("H", [16, 18, 16]), ("S", [18, 19, 18])])
def test_hearts_count_double_though_nobody_told_the_rank(suit: str, points: list[int]) -> None:
    table = Table(BOHEMIAN, players=3).do(DEAL, actions.Trump(C, suit))  # type: ignore[arg-type]
    assert table.board.announced == {"trump": suit}

    table.do(*(actions.Trick(seat) for seat in (A, A, B, C, C)))

    assert [row.tally for row in table.board.rows] == points


def test_only_the_dealer_tells_the_suit_and_only_once() -> None:
    table = Table(BOHEMIAN).do(DEAL)
    assert reason(table, actions.Trump(A, "H")) == "wrong_player"
    assert reason(table, actions.Trump(D, "X")) == "unknown_card"  # type: ignore[arg-type]

    table.do(actions.Trump(D, "H"))

    assert reason(table, actions.Trump(D, "H")) == "already_announced"


@pytest.mark.parametrize("times", [1, 2, 3])
def test_so_many_presses_exchange_so_many_cards(times: int) -> None:
    table = Table(BOHEMIAN).do(DEAL, actions.Trump(D, "S"))

    assert meaning(table, B, times) == Do(actions.Exchange(B, times))


def test_the_dealer_learns_that_three_cards_are_too_many() -> None:
    table = Table(BOHEMIAN).do(DEAL, actions.Trump(D, "S"))

    assert meaning(table, D, 3) == Do(actions.Exchange(D, 3))
    assert reason(table, actions.Exchange(D, 3)) == "exchange_limit"


def test_who_was_passed_over_is_no_longer_offered_an_exchange() -> None:
    table = Table(BOHEMIAN).do(DEAL, actions.Trump(D, "S"), actions.Exchange(B, 1))

    assert exchanging(table) == {C, D}
    assert reason(table, actions.Exchange(A, 1)) == "exchange_closed"
    assert exchanging(table.do(actions.Exchange(D, 2))) == set()


def test_once_the_dealer_has_exchanged_two_presses_are_a_trick() -> None:
    table = Table(BOHEMIAN).do(DEAL, actions.Trump(D, "S"), actions.Exchange(D, 1))

    assert meaning(table, B, 2) == Do(actions.Trick(B), grace=True)
    assert meaning(table, B, 1) is None
    assert meaning(table, D, HOLD) == Do(Ready())
    assert table.prompt == "prompt.play"
    # The log told it as what was told before, and so did who took it back.
    news = table.do(Ready()).board.news
    assert news is not None
    assert news.key == "news.exchange-closed"


def test_exchanging_ends_with_the_dealer_or_with_the_first_trick() -> None:
    table = Table(BOHEMIAN).do(DEAL, actions.Trump(D, "S"))

    assert meaning(table, D, HOLD) == Do(Ready())
    assert meaning(table, B, HOLD) == Do(actions.Trick(B), grace=True)
    assert table.do(actions.Trick(B)).state.phase is Phase.PLAY


def test_nobody_raises_in_bohemian_watten() -> None:
    table = Table(BOHEMIAN).do(DEAL, actions.Trump(D, "S"), Ready())

    assert meaning(table, B, 1) is None
    assert meaning(table, B, 2) == meaning(table, B, HOLD) == Do(actions.Trick(B), grace=True)


# Slammed cards


def every_phase(options: Options) -> list[Table]:
    doings: tuple[tuple[Action, ...], ...] = ((), (DEAL,), (DEAL, *NINE_HEARTS))
    tables = [Table(options).do(*done) for done in doings]
    tables += [raised(options), Table(options).do(DEAL, actions.Offer(A))]
    alone = replace(BOHEMIAN, pads=options.pads)
    shown = (DEAL, actions.Trump(D, "S"))
    return [*tables, Table(alone).do(DEAL), Table(alone).do(*shown, Ready())]


@pytest.mark.parametrize("knocks", range(1, 7))
def test_slammed_cards_mean_nothing(knocks: int) -> None:
    for table in every_phase(Options()):
        assert not table.game.hears_wood(table.state)
        for seat in table.state.seats:
            assert meaning(table, seat, Gesture(knocks)) is None


def test_a_card_slammed_along_with_a_press_does_not_count() -> None:
    assert meaning(in_play(), B, Gesture(2, presses=1)) == Do(actions.Raise(B))


@pytest.mark.parametrize("times", range(1, 4))
def test_where_the_house_arms_the_pads_a_knock_is_a_press(times: int) -> None:
    for table in every_phase(ARMED):
        assert table.game.hears_wood(table.state)
        for seat in table.state.seats:
            assert meaning(table, seat, Gesture(times)) == meaning(table, seat, times)


def test_yaml_reads_off_as_false() -> None:
    assert Options.from_mapping({"pads": False}).pads == "off"
    assert Options.from_mapping({"pads": "Armed"}) == ARMED
