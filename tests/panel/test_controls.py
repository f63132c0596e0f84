"""Offers of any game become buttons and small forms."""

import json
from dataclasses import replace

import pytest

from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Line, Offer, Row, Scoreboard
from kloplei_panel.controls import (
    OF_THE_TABLE,
    ButtonStyle,
    Control,
    controls,
    controls_at,
    look_of,
)
from kloplei_panel.games import game_panel
from kloplei_panel.reader import Reader

READER = Reader("en", place=1, may_act=True)
BOARD = Scoreboard(
    game="toepen",
    phase="play",
    seats=3,
    rows=(Row(Seat(0), 0, name="Ann"), Row(Seat(1), 0, name="Bo")),
)


def one(offer: Offer, game: str = "toepen") -> Control:
    (found,) = controls([offer], Seat(0), replace(BOARD, game=game), READER)
    return found


def test_an_offer_without_needs_is_a_button() -> None:
    control = one(Offer("declare_war"))

    assert control.is_button
    assert control.label == "Declare war"
    assert control.seat == 1


def test_what_was_offered_before_shows_nothing_of_the_board_before() -> None:
    offer = Offer("bid", ("of", "much"), {"of": (Seat(0), Seat(1)), "much": (0, 1)})
    before = one(offer)
    renamed = replace(BOARD, rows=(BOARD.rows[0], Row(Seat(1), 0, name="Cor")))

    assert one(offer) is before
    (after,) = controls([offer], Seat(0), renamed, READER)
    assert [choice.label for choice in after.fields[0].choices] == ["Ann", "Cor"]
    of_another = one(replace(offer, choices={**offer.choices, "much": (False, True)}))
    assert [choice.value for choice in of_another.finals] == ["false", "true"]
    assert one(Offer("undo", about=Line("news.dealt", {"seat": Seat(0)}))).spoken_of
    assert not one(Offer("undo")).spoken_of


def test_the_only_value_of_a_need_goes_along_unseen() -> None:
    control = one(Offer("declare", ("suit",), {"suit": ("hearts",)}))

    assert control.fixed == (("suit", '"hearts"'),)
    assert control.is_button


def test_the_last_need_of_few_values_is_a_row_of_buttons() -> None:
    control = one(Offer("bid", ("of", "much"), {"of": (Seat(0), Seat(1)), "much": (1, 2, 3)}))

    assert [choice.label for choice in control.fields[0].choices] == ["Ann", "Bo"]
    assert [choice.value for choice in control.finals] == ["1", "2", "3"]
    assert control.finals_need == "much"


def test_seats_go_out_as_people_count_them() -> None:
    control = one(Offer("swap", ("of",), {"of": (Seat(1), Seat(2))}))

    assert [json.loads(choice.value) for choice in control.finals] == [2, 3]
    assert [choice.label for choice in control.finals] == ["Bo", "seat 3 (free)"]


def test_a_sheet_says_whom_it_is_about_when_there_is_no_choice() -> None:
    control = one(Offer("doubt", ("of", "found"), {"of": (Seat(1),), "found": ("a", "b")}))

    assert control.about == "Bo"


def test_a_sheet_says_which_hand_it_is_about_when_there_is_one_only() -> None:
    """With the latest hand given up, the one to correct was an older one, and nothing said so."""
    seats = (Seat(0), Seat(1))
    control = one(Offer("correct", ("hand", "winner"), {"hand": (7,), "winner": seats}))

    assert control.about == "Which hand? 7"


def test_many_values_are_a_list_and_no_values_are_typed() -> None:
    many = one(Offer("set", ("lives",), {"lives": tuple(range(11))}))
    typed = one(Offer("rename", ("name",)))

    assert len(many.fields[0].choices) == 11
    assert many.finals == ()
    assert typed.fields[0].is_text


def test_a_choice_that_is_no_need_may_be_left_as_it_is() -> None:
    control = one(Offer("start", (), {"dealer": (Seat(0), Seat(1))}))

    assert control.fields[0].optional


def test_an_offer_of_the_table_that_asks_which_seat_is_made_at_that_seat() -> None:
    board = Scoreboard(
        game="anything",
        phase="seating",
        seats=3,
        rows=(Row(Seat(0), 0, offers=(Offer("stand_up"),)),),
        offers=(Offer("sit_down", (), {"seat": (Seat(1), Seat(2))}), Offer("undo")),
    )

    assert [c.action for c in controls(board.offers, None, board, READER)] == ["undo"]
    assert [c.action for c in controls_at(Seat(0), board, READER)] == ["stand_up"]
    assert [c.action for c in controls_at(Seat(2), board, READER)] == ["sit_down"]


def test_the_trick_that_counts_is_one_tap_that_others_may_call_off() -> None:
    last, others = controls([Offer("trick", ("n",), {"n": (2, 3, 4)})], Seat(0), BOARD, READER)

    assert last.fixed == (("n", "4"),)
    assert last.look.big
    assert last.is_button and last.look.waits
    assert [choice.value for choice in others.finals] == ["2", "3"]
    assert not others.look.big


@pytest.mark.parametrize("game", GAMES)
def test_what_lies_behind_more_is_explained_in_a_line(game: str) -> None:
    """*Equal* of eenendertigen stood there without a word."""
    reader = replace(READER, game=game)
    names = {**OF_THE_TABLE, **GAMES[game].actions}
    looks = {name: look_of(name, game) for name in names}
    behind = [name for name, look in looks.items() if not look.big and not look.on_game_page]

    assert [name for name in behind if reader.known(f"note.{name}") is None] == []


@pytest.mark.parametrize(("tricks", "keys"), [((4,), 1), ((1, 2, 3, 4), 2), ((1, 2), 1)])
def test_controls_keep_their_own_key(tricks: tuple[int, ...], keys: int) -> None:
    found = controls([Offer("trick", ("n",), {"n": tricks})], Seat(0), BOARD, READER)

    assert len({control.key for control in found}) == len(found) == keys


def test_answers_come_before_everything_else() -> None:
    offers = [Offer("chalk"), Offer("knock"), Offer("fold"), Offer("stay")]

    found = [control.action for control in controls(offers, Seat(0), BOARD, READER)]

    assert found == ["stay", "fold", "knock", "chalk"]


def test_cards_are_tapped_one_by_one_a_column_a_suit_from_the_ace_down() -> None:
    cards = ("C10", "C7", "D6", "H10", "HA", "SA")
    control = one(Offer("card", ("card",), {"card": cards}), "watten")

    assert [json.loads(choice.value) for choice in control.finals] == [
        *("HA", "SA", "H10", "C10", "C7", "D6")
    ]
    assert [choice.label for choice in control.finals][:3] == ["♥A", "♠A", "♥10"]
    assert control.finals[-1].place == "suit-D rank-6"
    assert control.look.stays


def test_a_choice_that_is_tapped_takes_one_press_however_much_there_is() -> None:
    ranks = ("6", "7", "8", "9", "10", "J", "Q", "K", "A")
    control = one(Offer("seal_schlag", ("rank",), {"rank": ranks}, secret=True), "watten")

    assert [choice.label for choice in control.finals][-4:] == ["jack", "queen", "king", "ace"]
    assert control.fields == ()
    assert control.secret


def test_a_game_without_a_panel_of_its_own_is_played_all_the_same() -> None:
    board = replace(BOARD, game="tarok")

    (control,) = controls([Offer("fold")], Seat(0), board, READER)

    assert control.is_button
    assert control.look == ButtonStyle()


@pytest.mark.parametrize("game", ["", "..", "watten.evil", "1", "__init__", "os"])
def test_a_name_that_is_no_game_finds_no_panel(game: str) -> None:
    assert getattr(game_panel(game), "LOOKS", {}) == {}


@pytest.mark.parametrize("game", GAMES)
def test_every_look_is_of_an_action_that_the_game_has(game: str) -> None:
    actions = set(GAMES[game].build().actions)

    looks = set(getattr(game_panel(game), "LOOKS", {}))
    assert looks or game_panel(game) is None
    assert looks <= actions
    assert not looks & set(OF_THE_TABLE)


def test_suits_are_cards_with_their_signs() -> None:
    control = one(Offer("call", ("suit",), {"suit": ("C", "D", "H", "S")}))

    assert [(choice.sign, choice.place) for choice in control.finals] == [
        *(("♥", "suit-H"), ("♦", "suit-D"), ("♠", "suit-S"), ("♣", "suit-C")),
    ]
    assert [choice.label for choice in control.finals] == ["hearts", "diamonds", "spades", "clubs"]


def test_a_number_for_each_player_is_asked_player_by_player() -> None:
    """All the ways in which five tricks can fall were one list of 126 lines."""
    ways = tuple((n, 5 - n) for n in range(2, 6))

    (field,) = one(Offer("count", ("tricks",), {"tricks": ways})).fields

    assert [(share.name, share.choices) for share in field.shares] == [
        *(("Ann", (2, 3, 4, 5)), ("Bo", (0, 1, 2, 3))),
    ]
    assert field.total == 5
    assert not field.is_text


@pytest.mark.parametrize("values", [((1, 2, 3), (3, 2, 1)), ((1, 2), "ab"), (((True, False)),)])
def test_what_is_no_number_for_each_player_stays_a_list(values: tuple[object, ...]) -> None:
    control = one(Offer("count", ("tricks",), {"tricks": (*values, *values)}))

    assert not any(field.shares for field in control.fields)


def test_numbers_without_a_common_sum_have_no_total() -> None:
    (field,) = one(Offer("count", ("tricks",), {"tricks": ((1, 2), (4, 4))})).fields

    assert field.total is None


def test_a_game_that_says_nothing_of_looks_is_played_under_the_thumb(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kloplei_panel.controls.game_panel", lambda game: None)

    assert one(Offer("knock")).look.big
    assert not one(Offer("chalk", ("lives",))).look.big
    assert not one(Offer("rename", ("name",))).look.big
