"""What the buttons of the seats say at a table of Tarok (§ 9)."""

from typing import cast

from kloplei.games.card_game import Deal
from kloplei.games.game import Do, Gesture, Seat, Show
from kloplei.games.tarok import actions
from tests.games.tarok.seated import ANN, BOB, COR, DIRK, THREE, table


def test_two_presses_deal_and_take_the_last_trick() -> None:
    three = table()
    twice, held, once = Gesture(2, presses=2), Gesture(hold=True), Gesture(1, presses=1)
    assert three.game.meaning(three.state, ANN, once) is None

    for gesture in (twice, held):
        assert three.game.meaning(three.state, ANN, gesture) == Do(Deal())
        assert three.game.meaning(three.state, BOB, gesture) is None
    three.ask(Deal(), *map(actions.Pass, THREE))
    assert three.game.meaning(three.state, BOB, held) == Do(actions.LastTrick(BOB), grace=True)
    for silent in (once, Gesture(2), Gesture(3, presses=3)):
        assert three.game.meaning(three.state, BOB, silent) is None
    assert three.game.meaning(three.state, DIRK, twice) is None
    assert not three.game.hears_wood(three.state)


def test_declarations_go_round_by_presses_from_the_dealer_on() -> None:
    three = table()
    once, held = Gesture(1, presses=1), Gesture(hold=True)
    three.ask(Deal())
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
    three.ask(Deal(), actions.Pass(ANN), actions.TellFate(BOB, "pagat_home"))

    assert three.prompt == "prompt.last-trick"
    assert three.refused(actions.Pass(COR)) == "not_asked"
    assert three.refused(actions.Pass(DIRK)) == "V-SEAT"
