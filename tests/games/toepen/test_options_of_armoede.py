"""House rules of toepen.md § 8 on *armoede*: its cost, who leads, whether the poor may knock."""

from tests.games.toepen.table import Table


def test_armoede_off_makes_it_an_ordinary_hand() -> None:
    table = Table(dealer="A", lives=(9, 0, 0), armoede="off")

    table.do("deal")

    assert (table.state.hand.stake, table.leader, table.state.hand.armoede) == (1, "B", ())


def test_armoede_stake_and_leave_cost_are_the_houses_own() -> None:
    table = Table(lives=(9, 0, 0), armoede_stake=3, armoede_leave_cost=2)

    table.do("deal", "fold B", "stay C", "trick 4 A")

    assert table.lives == [9, 2, 3]


def test_armoede_leads_first_time_only() -> None:
    table = Table(dealer="A", lives=(9, 0, 0), armoede_leads="first_time_only")

    table.do("deal")
    assert table.leader == "A"

    table.do("stay B", "stay C", "trick 4 A", "deal")
    assert table.leader == "B"
    assert table.do("ready").asked == "CB"


def test_armoede_leads_counts_no_misdealt_hand() -> None:
    table = Table(dealer="A", lives=(9, 0, 0), armoede_leads="first_time_only")

    table.do("deal", "misdeal", "deal")

    assert table.leader == "A"


def test_armoede_check_after_exchange_counts_when_exchanging_closes() -> None:
    table = Table(lives=(9, 0, 0), armoede_check="after_exchange")

    table.do("deal")
    assert table.state.hand.stake == 1
    assert table.refused("knock B") == "answer_pending"

    table.do("stay B")
    assert (table.phase, table.state.hand.stake, table.leader) == ("armoede", 2, "A")
    assert [row.committed for row in table.board.rows] == [2, 2, 1]


def test_armoede_may_knock_frees_the_poor_of_the_limit() -> None:
    table = Table(lives=(9, 0, 0), armoede_may_knock="yes")

    table.do("deal", "stay B", "stay C", "knock A")

    assert table.state.hand.stake == 3
