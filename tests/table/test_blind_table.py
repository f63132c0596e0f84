"""A table of Blind Watten after the plug was pulled, and what its log tells."""

from pathlib import Path

from kloplei.games.game import Facts, Seat
from kloplei.table.journal import Journal
from kloplei.table.seating import TableSetup
from kloplei.table.session import Session

BEFORE: tuple[tuple[int, str, Facts], ...] = (
    *((seat, "sit_down", {}) for seat in range(4)),
    (3, "start", {}),
    (3, "deal", {}),
    (0, "seal_schlag", {"rank": "10"}),
    (3, "seal_trump", {"suit": "C"}),
    *((0, "card", {"card": card}) for card in ("C10", "CJ", "H10")),
)


def table(journal: Journal) -> Session:
    return Session(journal, TableSetup(game="watten", preset="blind", seats=4))


def test_what_is_sealed_outlives_a_power_cut(tmp_path: Path) -> None:
    path = tmp_path / "kloplei.db"
    with Journal(path) as journal, table(journal) as session:
        for seat, action, facts in BEFORE:
            session.submit(Seat(seat), action, facts=facts)
        before = session.scoreboard()

    with Journal(path) as journal, table(journal) as session:
        assert session.scoreboard() == before
        session.submit(Seat(3), "card", facts={"card": "CA"})

        assert session.scoreboard().leader == Seat(1)  # the jack is the Guate


def test_the_log_says_that_somebody_sealed_and_not_what(tmp_path: Path) -> None:
    with Journal(tmp_path / "kloplei.db") as journal, table(journal) as session:
        for seat, action, facts in BEFORE:
            session.submit(Seat(seat), action, facts=facts)
        session.submit(None, "undo", facts={"steps": 4})
        session.submit(None, "redo", facts={"steps": 4})

        told = [line for entry in session.log() for line in (*entry.before, entry.line)]

    sealed = [line for line in told if line.key in ("news.schlag-sealed", "news.trump-sealed")]
    assert len(sealed) == 2
    assert all(set(line.facts) == {"seat"} for line in sealed)
