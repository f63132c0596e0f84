"""The benchmark of seats, on one table of one kind."""

import json
from pathlib import Path
from random import Random

import pytest

from benchmarks import seats
from benchmarks.seats import Layout
from kloplei.games.game import Seat
from kloplei.knock.geometry import Spot
from kloplei.simulation.coupling import read_couplings

ALL = (seats.SIZE, seats.BOTH)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "LAYOUTS", (Layout(3, 2), Layout(3)))
    monkeypatch.setattr(seats, "LEARNED", 2)
    monkeypatch.setattr(seats, "ASKED", 1)


def test_it_counts_every_knock_once_and_writes_it_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "figures.json"

    assert seats.main(["--tables", "1", "--json", str(figures)]) == 0

    report = json.loads(figures.read_text())
    corners, own = report["3 seats, 2 in the corners"], report["3 seats, a disc a seat"]
    every = (*corners["outcomes"].values(), *own["outcomes"].values())
    counts = [sum(one.values()) for one in every]
    # Of lessons, size, both, the game, nothing where there is a disc a seat, eyes.
    assert counts == [3] * 11
    assert corners["finding_us"] > 0
    assert "| 3 seats, a disc a seat    | nothing" in capsys.readouterr().out


def test_no_seat_named_and_a_wrong_one_are_told_apart() -> None:
    outcomes = seats.Outcomes({"right": 6, "wrong": 1, "unsure": 1, "not heard": 2})

    assert seats._shares(outcomes) == ("10", "75.00%", "12.50%", "12.50%", "20.00%")


def test_no_table_at_all_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        seats.main(["--tables", "0"])


def test_discs_that_hear_hardly_anything_are_measured_and_no_mishap() -> None:
    told = seats._asked(Layout(2), 1, read_couplings("40"))

    learned = told.outcomes[seats.LESSONS]
    assert learned[seats.UNHEARD] == learned.total() == 2


def test_a_coupling_that_nobody_knows_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        seats.main(["--coupling", "velcro"])

    assert "name glued, wax" in capsys.readouterr().err


def test_tables_of_other_kinds_are_measured_and_unknown_ones_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert seats.main(["--tables", "1", "--kinds", "round"]) == 0
    assert "1 tables of each layout (round)" in capsys.readouterr().out

    with pytest.raises(SystemExit):
        seats.main(["--kinds", "triangular"])
    assert "plate, round, planks" in capsys.readouterr().err


def test_a_confidence_that_says_more_than_it_holds_is_told() -> None:
    told = seats.Told(sure={known: [(0.97, at % 2 == 0) for at in range(200)] for known in ALL})

    said = seats._reliability({Layout(4, 4): told})

    assert "off by up to 47.0 points" in said
    assert "of 200 answers 50.00% were wrong, and 3.00% were to be" in said


def test_what_chance_alone_moves_is_told_beside_what_it_does_not() -> None:
    many = [(0.7, at % 10 < 7) for at in range(1000)]
    few = [(0.85, at % 2 == 0) for at in range(100)]
    told = seats.Told(sure={seats.SIZE: [*many, *few]})

    said = seats._reliability({Layout(4, 4): told})

    assert "in 2 steps with 100 knocks or more a confidence is off by up to 35.0 points" in said
    assert (
        "in the 1 of them that chance moves by no more than 1.5 points it is off by up to 0.0"
        in said
    )
    assert seats._step(few) == "100: 85.0% / 50.0% +- 3.6"


def test_a_knock_that_may_be_of_two_is_of_the_one_that_owes_an_answer() -> None:
    likely = {Seat(0): 0.6, Seat(1): 0.4}

    assert seats._by_the_game(likely, Seat(1), 2, Random(1))[0] == Seat(1)
    assert seats._by_the_game({Seat(0): 0.85, Seat(1): 0.15}, Seat(1), 2, Random(1))[0] == Seat(0)
    assert seats._by_the_game({}, Seat(1), 2, Random(1)) == (None, 0.0)


def test_who_saw_a_hand_fall_between_two_seats_cannot_say_whose_it_was() -> None:
    places = (Spot(0.0, 0.0), Spot(0.4, 0.0))

    def seen(x: float) -> tuple[Seat | None, float]:
        return seats._seen(Spot(x, 0.0), places, (0.04, 0.1))

    assert seen(0.02) == (Seat(0), 1.0)
    assert seen(0.2)[1] == pytest.approx(0.5)
    assert seen(0.39) == (Seat(1), 1.0)
