"""What everybody sees of a Watten table."""

from dataclasses import replace

import pytest

from kloplei.games.card_game import Deal, NewGame, Revoke
from kloplei.games.game import Action, Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.games.watten import PRESETS, Options, State, Watten, actions

A, B, C, D = (Seat(n) for n in range(4))
NINE_HEARTS = (actions.Schlag(A, "9"), actions.Trump(D, "H"))


class Table:
    """A game under way; the last player deals, so that A speaks first."""

    def __init__(
        self, options: Options | None = None, players: int = 4, points: tuple[int, ...] = ()
    ) -> None:
        self.game = Watten(options)
        seats = tuple(Seat(n) for n in range(players))
        self.state: State = self.game.start(
            seats, seats[-1], points=dict(zip(seats, points, strict=False))
        )

    def do(self, *wanted: Action) -> "Table":
        for action in wanted:
            for event in self.game.decide(self.state, action):
                self.state = self.game.apply(self.state, event)
        return self

    @property
    def board(self) -> Scoreboard:
        return self.game.scoreboard(self.state)

    @property
    def prompt(self) -> str:
        assert self.board.prompt is not None
        return self.board.prompt.key

    def flagged(self, flag: str) -> list[Seat]:
        return [row.seat for row in self.board.rows if flag in row.flags]


def test_the_value_of_the_deal_is_its_stake() -> None:
    table = Table().do(Deal())
    assert table.board.stake == 2

    table.do(*NINE_HEARTS, actions.Raise(A))
    assert table.board.stake == 2
    assert table.board.to_answer == (B, D)
    assert table.board.prompt is not None
    assert table.board.prompt.facts == {"seat": A, "seats": (B, D), "stake": 3, "fold": 2}

    table.do(actions.Accept(D))
    assert table.board.stake == 3
    assert not table.board.to_answer


def test_each_step_of_the_announcement_is_asked_of_who_makes_it() -> None:
    table = Table()
    steps = (Deal(), actions.Offer(A), actions.Refuse(D), *NINE_HEARTS)

    assert table.prompt == "prompt.next-deal"
    assert [table.do(action).prompt for action in steps] == [
        *("prompt.schlag", "prompt.new-cards", "prompt.schlag", "prompt.trump", "prompt.play"),
    ]


def test_who_raised_to_what_is_said_once() -> None:
    """It read: Stan raises to 3! Thijs and Thomas: hold ... Stan raises: 3!"""
    table = Table().do(Deal(), *NINE_HEARTS, actions.Raise(A))
    assert table.board.news is not None
    assert table.board.news.key == "news.raised"
    assert table.board.fresh_news is None

    assert table.do(actions.Accept(D)).board.fresh_news is not None


def test_nobody_is_said_to_have_raised_what_the_house_asks() -> None:
    options = Options(gestrichen_rule="forced_four")
    table = Table(options, points=(13, 5, 13, 5)).do(Deal(), *NINE_HEARTS)

    assert table.prompt == "prompt.four-forced"
    assert table.board.to_answer == (A, C)

    table.do(actions.Accept(C))
    assert (table.prompt, table.board.stake) == ("prompt.play", 4)


def test_the_one_who_plays_alone_is_flagged_while_the_deal_runs() -> None:
    table = Table(players=3)
    assert table.flagged("soloist") == []

    assert table.do(Deal()).flagged("soloist") == [A]


def test_the_board_says_who_plays_together() -> None:
    assert Table().board.sides == ((A, C), (B, D))
    assert Table(players=2).board.sides == ()
    assert Table(PRESETS["boehmisch"]).board.sides == ()

    three = Table(players=3)
    assert three.board.sides == ()
    assert three.do(Deal()).board.sides == ((A,), (B, C))


def test_who_may_not_raise_is_gestrichen() -> None:
    table = Table(points=(13, 12, 13, 12))

    assert table.flagged("gestrichen") == [A, C]

    table.do(Deal(), *NINE_HEARTS, *(actions.Trick(A) for _ in range(3)))
    assert table.flagged("gestrichen") == []  # nobody raises any more


def test_between_deals_of_three_only_who_has_so_many_is_gestrichen() -> None:
    """Who will play together is not known before the deal, and the one with seven was struck."""
    table = Table(players=3, points=(4, 13, 7))
    assert table.flagged("gestrichen") == [B]

    assert table.do(Deal()).flagged("gestrichen") == [B, C]


def test_the_log_tells_what_each_tally_moved_by() -> None:
    table = Table(players=3).do(
        Deal(), actions.Schlag(A, "9"), actions.Trump(A, "H"), actions.Raise(B)
    )

    (hand,) = table.do(actions.GiveUp(A)).board.hands

    assert (hand.how, hand.winner, dict(hand.paid)) == ("how.given-up", B, {B: 2, C: 2})


def test_winners_of_a_game_are_flagged_until_the_next_one_begins() -> None:
    table = Table(points=(14, 0, 14, 0)).do(Deal(), *NINE_HEARTS)
    table.do(*(actions.Trick(A) for _ in range(3)))

    assert table.flagged("rubber_winner") == [A, C]
    assert [row.counts["rubbers_won"] for row in table.board.rows] == [1, 0, 1, 0]

    table.do(NewGame())
    assert table.flagged("rubber_winner") == []
    assert [row.tally for row in table.board.rows] == [0, 0, 0, 0]
    assert [row.counts["rubbers_won"] for row in table.board.rows] == [1, 0, 1, 0]


def test_bohemian_points_run_down_to_nothing() -> None:
    board = Table(PRESETS["boehmisch"]).board

    assert {(row.tally, row.limit, row.falls) for row in board.rows} == {(20, 0, True)}
    assert (board.preset, board.stake, board.tricks_to_win) == ("boehmisch", None, None)
    assert not any(row.falls for row in Table().board.rows)


def test_a_game_that_was_lost_without_a_point_has_to_be_finished_as_well() -> None:
    table = Table(Options(revoke_remedy="lose_game")).do(Deal(), *NINE_HEARTS)
    table.do(Revoke(A))

    assert [row.tally for row in table.board.rows] == [0, 0, 0, 0]
    assert table.game.why_not_reseat(table.state) == "game_over"
    assert table.flagged("rubber_winner") == [B, D]


def test_games_won_follow_the_person() -> None:
    table = Table(players=2, points=(14, 0)).do(Deal(), actions.Schlag(A, "9"))
    table.do(actions.Trump(B, "H"), *(actions.Trick(A) for _ in range(3)))
    assert table.game.why_not_reseat(table.state) == "game_over"

    table.do(NewGame())
    moved = table.game.reseat(table.state, (B, C, D), {A: D, B: B})

    assert [moved.games_won(seat) for seat in (B, C, D)] == [0, 0, 1]


def test_the_board_tells_an_open_raise_until_it_is_answered() -> None:
    table = Table().do(Deal(), *NINE_HEARTS)
    assert [table.board.proposed] == [None]

    table.do(actions.Raise(A))
    assert (table.board.stake, table.board.proposed) == (2, 3)
    assert table.flagged("raised") == [A]

    table.do(actions.Raise(B))
    assert (table.board.stake, table.board.proposed) == (3, 4)
    assert table.flagged("raised") == [B]

    assert table.do(actions.Accept(C)).board.proposed is None
    assert table.flagged("raised") == []


def test_tricks_are_told_while_a_deal_runs_and_added_up_for_a_side() -> None:
    table = Table()
    assert [row.tricks for row in table.board.rows] == [None] * 4

    table.do(Deal(), *NINE_HEARTS, actions.Trick(A), actions.Trick(B), actions.Trick(C))

    assert [row.tricks for row in table.board.rows] == [1, 1, 1, 0]
    assert [table.board.tricks_of(seat) for seat in (A, B, C, D)] == [2, 1, 2, 1]
    assert table.board.tricks_to_win == 3


def test_who_shares_points_is_not_who_plays_together() -> None:
    """Of three players two play together, each with an account of his own."""
    assert Table().board.accounts == ((A, C), (B, D))

    three = Table(players=3).do(Deal())
    assert three.board.sides == ((A,), (B, C))
    assert three.board.accounts == ()


def test_what_was_announced_is_told_as_it_is_said() -> None:
    table = Table().do(Deal())
    assert table.board.announced == {}

    assert table.do(NINE_HEARTS[0]).board.announced == {"schlag": "9"}
    assert table.do(NINE_HEARTS[1]).board.announced == {"schlag": "9", "trump": "H"}


def test_nothing_is_announced_in_blind_watten() -> None:
    table = Table(PRESETS["blind"]).do(Deal(), actions.Show(), actions.Trick(A))

    assert table.board.announced == {}


@pytest.mark.parametrize(
    ("players", "weli", "left"),
    [
        (4, "lowest trump", None),
        (5, "lowest trump", 8),
        (6, "lowest trump", 3),
        (5, "not in the pack", 7),
    ],
)
def test_five_and_six_are_warned_that_the_pack_may_run_out(
    players: int, weli: str, left: int | None
) -> None:
    house = replace(PRESETS["boehmisch"], weli=weli)  # type: ignore[arg-type]
    table = Table(house, players).do(Deal(), actions.TurnUp("S", "9"))

    assert table.board.prompt is not None
    assert table.board.prompt.facts.get("cards") == left
    assert table.prompt == ("prompt.exchange-cards" if left is None else "prompt.few-cards")


def test_each_exchange_leaves_fewer_cards_in_the_pack() -> None:
    table = Table(PRESETS["boehmisch"], 6).do(Deal(), actions.TurnUp("S", "9"))
    left = []
    for seat in (A, B):
        table.do(actions.Exchange(seat, 2))
        assert table.board.prompt is not None
        left.append(table.board.prompt.facts["cards"])

    assert left == [1, 0]
