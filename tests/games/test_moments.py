"""Moments: what outsiders react to comes once, by the game's own name, and never for what stood."""

from dataclasses import replace

import pytest

from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import Seat
from kloplei.games.moments import Moment, MomentKind, moments_between, names_of
from kloplei.games.scoreboard import Hand, Heard, Line, Row, Scoreboard, Tone
from kloplei.words import Words
from kloplei.words.catalogue import LANGUAGES
from tests.table.seated import Tabletop

BOARD = Scoreboard("toepen", "play", seq=7, stake=1)
TOEP = Line("news.knocked", {"seat": Seat(2), "stake": 2}, Tone.SHOUT)


def _names(before: Scoreboard | None, after: Scoreboard) -> list[str]:
    return [moment.name for moment in moments_between(before, after)]


def test_a_toep_is_a_call_by_the_games_own_name() -> None:
    after = replace(BOARD, seq=8, news=TOEP, stake=2)

    assert moments_between(BOARD, after) == (
        Moment(MomentKind.CALL, "toep", 8, "toepen", TOEP, (Seat(2),), 2),
    )


def test_what_stood_there_already_is_no_news() -> None:
    stands = replace(BOARD, news=TOEP)

    assert _names(None, stands) == []
    assert _names(stands, replace(stands, seq=8)) == []
    assert _names(replace(stands, seq=9), stands) == []


def test_what_passes_by_is_no_moment_and_what_a_game_names_is() -> None:
    plain = Line("news.trick", {"seat": Seat(0)})
    armoede = Line("news.armoede", {"seats": (Seat(0), Seat(1)), "stake": 2})

    assert _names(BOARD, replace(BOARD, seq=8, news=plain)) == []
    (moment,) = moments_between(BOARD, replace(BOARD, seq=8, news=armoede))
    assert (moment.kind, moment.name) == (MomentKind.NOTABLE, "armoede")
    assert moment.seats == (Seat(0), Seat(1))


def test_a_game_nobody_knows_has_moments_by_their_tone() -> None:
    won = Line("news.whoever", {}, Tone.FANFARE)
    before = replace(BOARD, game="klaverjas")

    assert _names(before, replace(before, seq=8, news=won)) == ["fanfare"]
    shown = {"stake", "no-stake", "open-raise", "answer", "pot", "gestrichen", "treats", "lesson"}
    assert set(names_of("klaverjas")) == shown | set(MomentKind)


def test_a_lesson_of_the_first_hand_is_a_moment_and_a_title_is_none() -> None:
    told = replace(BOARD, shown=Line("guide.deal", {"seat": Seat(1)}))

    (moment,) = moments_between(BOARD, told)
    assert (moment.name, moment.line) == ("lesson", told.shown)
    assert _names(told, told) == []
    assert _names(BOARD, replace(BOARD, shown=Line("hurry-up"))) == []


@pytest.mark.parametrize(
    ("was", "heard", "names"),
    [
        (None, Heard(Seat(1), 1), ["knock"]),
        (Heard(Seat(1), 1), Heard(Seat(1), 1), []),
        (Heard(Seat(1), 1), Heard(Seat(1), 2), ["knock"]),
        (Heard(Seat(1), 2), Heard(Seat(3), 2), ["knock"]),
        (None, Heard(Seat(1), 1, doubtful=True), ["doubt"]),
        (None, Heard(Seat(1), 0, holding=True), []),
        (Heard(Seat(1), 1), None, []),
    ],
)
def test_each_knock_is_a_moment(was: Heard | None, heard: Heard | None, names: list[str]) -> None:
    assert _names(replace(BOARD, heard=was), replace(BOARD, heard=heard)) == names


def test_the_greatest_comes_first() -> None:
    crown = Line("news.toepkoning", {"seat": Seat(0)}, Tone.CROWN)
    hand = Hand(1, Seat(0), "tricks")
    broken = Line("notice.whatever")
    after = replace(
        BOARD, seq=9, news=crown, hands=(hand,), notices=(broken,), heard=Heard(Seat(0), 1)
    )

    assert _names(BOARD, after) == ["toepkoning", "fault", "hand", "knock"]
    assert moments_between(BOARD, after)[2].seats == (Seat(0),)


def test_an_undone_toep_is_not_called_again() -> None:
    table = Tabletop(build=build_game, game="toepen", seats=4).start(1, 2, 3)
    moments = []
    before = table.board
    for ask in ((1, "deal"), (2, "knock"), (3, "undo"), (3, "redo")):
        table.ask(*ask)
        moments.append(_names(before, table.board))
        before = table.board

    assert moments == [["stake"], ["toep", "answer"], ["stake"], ["stake", "answer"]]


def test_a_stake_is_a_moment_of_its_own_unless_the_news_name_it() -> None:
    held = Line("news.held", {"seat": Seat(1), "stake": 3})
    watten = replace(BOARD, game="watten", stake=2)

    assert _names(BOARD, replace(BOARD, seq=8, stake=2)) == ["stake"]
    assert _names(watten, replace(watten, seq=8, stake=3, news=held)) == ["held"]


def test_a_deal_that_is_taken_back_is_a_moment_and_the_end_of_a_hand_tells_it_itself() -> None:
    """Who only listens went on believing that it is played for one."""
    gone = replace(BOARD, seq=8, stake=None)
    won = Line("news.rubber-over", {"seats": (Seat(0),)}, Tone.FANFARE)

    assert _names(BOARD, gone) == ["no-stake"]
    assert _names(gone, replace(gone, seq=9)) == []
    assert _names(BOARD, replace(gone, hands=(Hand(1, Seat(0), "how.tricks"),))) == ["hand"]
    assert _names(BOARD, replace(gone, hands=(Hand(1, None, "how.void"),))) == ["hand", "no-stake"]
    assert _names(BOARD, replace(gone, news=won)) == ["rubber"]


def test_a_raise_that_is_taken_back_and_one_that_waits_again_are_moments() -> None:
    watten = replace(BOARD, game="watten", stake=2)
    raised = Line("news.raised", {"seat": Seat(1), "stake": 3}, Tone.SHOUT)
    waits = replace(watten, seq=8, proposed=3, news=raised)
    held = replace(watten, seq=9, stake=3, news=Line("news.held", {"seat": Seat(0), "stake": 3}))
    undone = Line("news.undone")

    assert _names(watten, waits) == ["raise"]
    assert _names(waits, replace(watten, seq=9, news=undone)) == ["stake"]
    assert _names(held, replace(waits, seq=10, news=undone)) == ["stake", "open-raise"]
    assert _names(watten, replace(waits, seq=9, news=Line("news.redone-step"))) == ["open-raise"]


def test_who_is_asked_who_treats_and_a_pot_that_falls_are_moments() -> None:
    rows = (Row(Seat(0), 3), Row(Seat(1), 10, flags=("owes_drink",)))
    before = replace(BOARD, rows=(Row(Seat(0), 3), Row(Seat(1), 10)), pots={"king": 6})
    after = replace(before, seq=8, rows=rows, to_answer=(Seat(0), Seat(1)), pots={"king": 0})

    found = {moment.name: moment.seats for moment in moments_between(before, after)}

    assert found == {"treats": (Seat(1),), "answer": (Seat(0), Seat(1)), "pot": ()}
    assert _names(after, replace(after, seq=9, to_answer=(Seat(1),))) == ["answer"]


@pytest.mark.parametrize("game", GAMES)
def test_every_name_is_one_word_of_a_sentence_that_exists(game: str) -> None:
    for key, name in GAMES[game].moments.items():
        assert name.replace("-", "").isalpha()
        for language in LANGUAGES:
            told = key if key.startswith("ledger.") else f"news.{key}"
            assert Words(language).of_game(game).say(told) != told
