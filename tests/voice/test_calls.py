"""What is called out: the figure of every stake, in words that change, in every language."""

import random
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from kloplei.demo.bots import Press, next_press
from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.moments import Moment, MomentKind, moments_between, names_of
from kloplei.games.scoreboard import Hand, Line, Row, Scoreboard, Tone
from kloplei.voice.calls import HIGHEST_FIGURE, Phrasing, Piece, Urgency, figure, phrases
from kloplei.words import LANGUAGES, Words
from tests.table.seated import Tabletop

ROWS = tuple(Row(Seat(at), 0, 10, name) for at, name in enumerate(("Thijs", "Tame", "Plek 3")))
BOARD = Scoreboard("toepen", "play", ROWS, seq=7, stake=1)
WORDS = Path("firmware/kloplei/words")


def toep(seq: int, stake: int = 3, seat: int = 1) -> tuple[Moment, Scoreboard]:
    line = Line("news.knocked", {"seat": Seat(seat), "stake": stake}, Tone.SHOUT)
    board = replace(BOARD, seq=seq, stake=stake, news=line)
    return moments_between(BOARD, board)[0], board


def said(calls: Phrasing, moment: Moment, board: Scoreboard) -> list[str]:
    return [one.text for one in calls.of([moment], board)]


def test_a_toep_is_called_with_its_figure_and_before_all_else() -> None:
    (call,) = Phrasing("nl").of([toep(8)[0]], toep(8)[1])

    assert call.stake == 3
    assert call.urgency is min(Urgency)
    assert all(Piece("drie") in wording for wording in call.wordings)


def test_an_evening_hears_every_wording_and_the_same_evening_the_same_ones() -> None:
    evening = [said(Phrasing("nl"), *toep(seq))[0] for seq in range(8, 48)]

    assert evening == [said(Phrasing("nl"), *toep(seq))[0] for seq in range(8, 48)]
    assert {one.replace("Tame", "X") for one in evening} == {
        "Toep! drie",
        "X klopt. drie",
        "Toep van X drie",
    }


def test_who_lent_a_name_from_a_seat_is_called_by_the_seat() -> None:
    def pieces(seat: int, *, names: bool) -> set[Piece]:
        (call,) = Phrasing("de", names=names).of([toep(8, seat=seat)[0]], toep(8, seat=seat)[1])
        return {piece for wording in call.wordings for piece in wording}

    assert Piece("Tame", "Platz zwei") in pieces(1, names=True)
    assert Piece("Platz zwei") in pieces(1, names=False)
    assert Piece("Platz drei") in pieces(2, names=True)


def test_a_hand_that_ends_a_rubber_is_not_called_beside_it() -> None:
    won = Line("news.rubber-over", {"seats": (Seat(0), Seat(1))}, Tone.FANFARE)
    after = replace(BOARD, seq=9, stake=None, news=won, hands=(Hand(1, Seat(0), "how.tricks"),))
    calls = list(Phrasing("en").of(moments_between(BOARD, after), after))

    assert [(call.urgency, call.stake) for call in calls] == [(Urgency.VICTORY, 0)]
    assert "Thijs and Tame" in calls[0].text


@pytest.mark.parametrize(
    ("how", "piece"), [("tricks", "Laatste slag"), ("folds", "Iedereen past."), ("four", "Ronde")]
)
def test_how_a_hand_ended_is_heard(how: str, piece: str) -> None:
    after = replace(BOARD, seq=9, stake=None, hands=(Hand(1, Seat(0), f"how.{how}"),))
    (call,) = Phrasing("nl").of(moments_between(BOARD, after), after)

    assert any(piece in " ".join(one.text for one in wording) for wording in call.wordings)


def test_only_the_last_one_who_is_asked_is_called() -> None:
    two = replace(BOARD, seq=8, to_answer=(Seat(0), Seat(1)))
    one = replace(two, seq=9, to_answer=(Seat(1),))

    assert list(Phrasing("nl").of(moments_between(BOARD, two), two)) == []
    (call,) = Phrasing("nl").of(moments_between(two, one), one)
    assert "Tame" in call.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_change_of_stake_of_an_evening_is_called_with_its_figure(language: str) -> None:
    table = Tabletop(build=build_game, game="toepen", seats=4).start(1, 2, 3)
    calls, heard, board = Phrasing(language), [], table.board
    for ask in ((1, "deal"), (2, "knock"), (3, "stay"), (1, "stay"), (3, "knock"), (3, "undo")):
        before, _ = board, table.ask(*ask)
        board = table.board
        heard += [one for one in calls.of(moments_between(before, board), board) if one.stake]

    assert [one.stake for one in heard] == [1, 2, 3, 2]
    for call in heard:
        spoken = figure(language, call.stake or 0)
        assert all(spoken in [piece.text for piece in one] for one in call.wordings)


TAKEN_BACK = 0.1  # of all that somebody does, and now and then it is done again


@pytest.mark.parametrize("game", ["toepen", "watten"])
def test_who_only_listens_knows_at_any_time_what_is_played_for(game: str) -> None:
    """Also where a deal, a raise or an answer to it is taken back, of which nobody told."""
    table = Tabletop(build=build_game, game=game, seats=4).start(1, 2, 3, 4)
    calls, dice, board, heard = Phrasing("nl"), random.Random(5), table.board, 0
    stakes, undone = set(), 0
    while len(board.hands) < 8 or undone < 20:
        press = next_press(board, dice)
        if dice.random() < TAKEN_BACK:
            press = Press(None, dice.choice(("undo", "undo", "redo")))
            undone += 1
        if press is None:
            continue
        with suppress(IllegalAction):
            table.table.submit(press.seat, press.action, facts=press.facts, now_s=table.now_s)
        before, board = board, table.board
        for call in calls.of(moments_between(before, board), board):
            heard = heard if call.stake is None else call.stake
        # In Watten a raise counts once it is held.
        assert (board.proposed or board.stake or 0) == heard
        stakes.add(board.stake)

    assert len(stakes) >= 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_to_a_raise_that_is_taken_back_is_told_by_both_figures(language: str) -> None:
    raised = replace(BOARD, game="watten", stake=2, proposed=3)
    held = replace(raised, seq=8, stake=3, proposed=None)
    again = replace(raised, seq=9, news=Line("news.undone"))
    (call,) = Phrasing(language).of(moments_between(held, again), again)

    assert call.stake == 3
    said = [piece.text for piece in call.wordings[0]]
    assert said.index(figure(language, 2)) < said.index(figure(language, 3))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_played_for_can_always_be_told(language: str) -> None:
    calls = Phrasing(language)

    assert calls.stake(replace(BOARD, stake=None)) is None
    for stake in (1, HIGHEST_FIGURE, 31):
        call = calls.stake(replace(BOARD, stake=stake))
        assert call is not None
        assert call.stake == stake
        assert figure(language, stake) in [piece.text for piece in call.wordings[0]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pack_is_some_eighty_short_phrases(language: str) -> None:
    found = phrases(language)

    lessons = [one for one in found if len(one) > 40]
    assert 70 <= len(found) - len(lessons) <= 98
    assert len(lessons) <= 20
    assert all(0 < len(one) <= 110 and "{" not in one for one in found)
    assert all(any(sign.isalpha() for sign in one) for one in found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_any_moment_is_in_the_pack_but_for_names(language: str) -> None:
    facts = {"seat": Seat(0), "of": Seat(1), "seats": (Seat(0), Seat(1)), "stake": 2}
    known = {*phrases(language), "Thijs", "Tame"}
    for game in GAMES:
        for name, kind in names_of(game).items():
            moment = Moment(kind, name, 3, game, Line("x", facts), (Seat(0),), 2)
            for call in Phrasing(language).of([moment], replace(BOARD, game=game)):
                assert {piece.text for wording in call.wordings for piece in wording} <= known


def test_what_nobody_calls_out_is_left_to_the_slate() -> None:
    for kind in (MomentKind.FAULT, MomentKind.KNOCK, MomentKind.DOUBT):
        assert said(Phrasing("nl"), Moment(kind, str(kind), 3, "toepen"), BOARD) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_calls_of_the_same_facts(language: str) -> None:
    def read(one: str) -> dict[str, set[str]]:
        with (WORDS / one / "LC_MESSAGES/voice.po").open("rb") as file:
            catalogue = read_po(file, abort_invalid=True)
        return {
            str(message.id): set(re.findall(r"{(\w+)}", str(message.string)))
            for message in catalogue
            if message.id
        }

    assert read(language) == read("nl")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_first_hand_is_told_aloud_in_the_words_of_the_slate(language: str) -> None:
    for game in ("toepen", "watten", "tarok", "eenendertigen"):
        for key in Words(language).keys("guide."):
            line = Line(key, {"seat": Seat(1), "seats": (Seat(0), Seat(1))})
            before = replace(BOARD, game=game)
            board = replace(before, shown=line)
            (call,) = Phrasing(language).of(moments_between(before, board), board)
            shown = Words(language).of_game(game).say(key, line.facts, board.names)

            assert call.urgency is max(Urgency)
            assert letters(call.text) == letters(shown)
            said = {piece.text for piece in call.wordings[0]}
            assert said <= {*phrases(language), *board.names.values()}


def letters(text: str) -> str:
    return "".join(one for one in text if one.isalnum())
