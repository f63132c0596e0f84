"""Whoever stands at the door: the evening goes on as if nobody did.

Two tables hear the same hands. At one of them a phone asks again and again; nothing that is
written down may differ, in any game, whatever people do. And hands do let phones in.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kloplei.games.catalogue import GAMES, build_game
from kloplei.games.game import IllegalAction, Seat
from tests.examples import examples
from tests.table.memory_journal import MemoryJournal
from tests.table.seated import Tabletop, told

SEATS = 4
HANDS = st.tuples(
    st.sampled_from(["knock", "knock", "press", "hold", "long", "wait", "doubtful", "deal"]),
    st.integers(1, SEATS),
    st.integers(1, 6),
)


class Evening:
    """A table whose every step is told by what a hand does; *asks* is who stands at its door."""

    def __init__(self, game: str, *, asks: bool) -> None:
        self.journal = MemoryJournal()
        self.table = Tabletop(self.journal, game=game, build=build_game, seats=SEATS)
        self.table.start(1, 2, 3)
        self.asks = asks
        self.asked = 0
        self.tickets: list[str] = []

    def do(self, what: str, seat: int, times: int) -> None:
        if self.asks:
            self._ask(seat if times % 2 else None)
        match what:
            case "knock":
                self.table.knock(seat, times)
            case "doubtful":
                self.table.knock(seat, 1 + times % 2, doubtful=True)
            case "press":
                for _ in range(times):
                    self.table.press(seat, 0.1)
                self.table.wait(0.6)
            case "hold":
                self.table.hold(seat)
                self.table.wait(0.6)
            case "long":
                self.table.press(seat, 3.2)
            case "wait":
                self.table.wait(float(times))
            case "deal":
                self._deal()

    @property
    def written(self) -> list[object]:
        return [(one.event, dict(one.facts), one.seat, one.via) for one in self.journal.entries()]

    @property
    def granted(self) -> int:
        look = self.table.table.pairing.questions.look
        return sum(look(one, self.table.now_s).state == "granted" for one in self.tickets)

    def _ask(self, seat: int | None) -> None:
        self.asked += 1
        place = None if seat is None else Seat(seat - 1)
        try:
            answer = self.table.table.pairing.ask(place, f"10.0.0.{self.asked}", self.table.now_s)
        except IllegalAction:
            return  # others wait, or asked in vain
        self.tickets.append(answer.ticket)

    def _deal(self) -> None:
        dealer = self.table.board.dealer
        try:
            self.table.ask(None if dealer is None else dealer.shown, "deal")
        except IllegalAction:
            return


@pytest.mark.parametrize("game", GAMES)
@settings(
    max_examples=examples(60),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(hands=st.lists(HANDS, max_size=25))
def test_the_door_takes_nothing_from_the_game(game: str, hands: list[tuple[str, int, int]]) -> None:
    alone, asked = Evening(game, asks=False), Evening(game, asks=True)

    for hand in hands:
        alone.do(*hand)
        asked.do(*hand)

        assert asked.written == alone.written, hand
    assert told(asked.table.board) == told(alone.table.board)


@pytest.mark.parametrize("game", GAMES)
def test_and_hands_do_let_phones_in(game: str) -> None:
    evening = Evening(game, asks=True)

    for what in ("wait", "deal", "wait"):
        evening.do(what, 1, 2)
        if door := evening.table.board.door:
            evening.do("knock", 2, door.knocks)

    assert evening.granted >= 1
