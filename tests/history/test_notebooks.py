"""A club's old notebook comes in as history, with the checks of `replay`, and nothing else does."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from kloplei.config.settings import NOTEBOOKS
from kloplei.files import KlopleiError
from kloplei.history.notebooks import (
    MOST,
    DidNotGoLikeThis,
    NotANotebook,
    Notebook,
    NotebookStore,
    NotebooksUnkept,
    read_notebook,
)
from kloplei.replay.reader import NotARecord

HAND = """
- id: {id}
  {day}
  players: [Ann, Bob, Cor]
  dealer: Ann
  events:
    - {{ev: deal}}
    - {{ev: knock, p: Bob}}
    - {{ev: fold, p: Cor}}
    - {{ev: stay, p: Ann}}
    - {{ev: trick, n: 4, p: Bob}}
  expected: {{lives: [{lives}]}}
"""
EVENINGS = Path(__file__).parents[1] / "evenings"


def hand(day: str = "", lives: str = "2, 0, 1") -> str:
    told = f"date: {day}" if day else "title: somewhen"
    return HAND.format(id=f"h{day}", day=told, lives=lives)


def club(text: str) -> Notebook:
    return Notebook("club.yaml", text)


def test_records_of_one_day_are_one_evening() -> None:
    notebook = club(hand("2019-03-08") + hand("2019-03-08") + hand("2019-03-15"))

    first, second = (one.evening for one in read_notebook(notebook).evenings)

    assert (first.line.hands, second.line.hands) == (2, 1)
    assert first.line.imported
    assert first.line.at is not None
    assert f"{datetime.fromtimestamp(first.line.at).astimezone():%Y-%m-%d}" == "2019-03-08"
    assert [one.name for one in first.line.players] == ["Ann", "Bob", "Cor"]
    assert [hand.winners for hand in first.hands] == [(2,), (2,)]
    assert first.hands[0].paid == {1: 2, 3: 1}


def test_without_a_day_who_plays_tells_one_evening_from_the_next() -> None:
    others = hand().replace("Cor", "Dirk")

    evenings = read_notebook(club(hand() + hand() + others)).evenings

    assert [one.evening.line.hands for one in evenings] == [2, 1]
    assert {one.evening.line.at for one in evenings} == {None}


@pytest.mark.parametrize("name", ["at_home", "in_the_pub", "watten", "tarok"])
def test_whole_evenings_of_each_game_come_in(name: str) -> None:
    notebook = read_notebook(Notebook(f"{name}.yaml", (EVENINGS / f"{name}.yaml").read_text()))

    assert notebook.evenings
    assert all(one.evening.line.hands and not one.evening.broken for one in notebook.evenings)


def test_what_came_out_otherwise_takes_nothing_of_the_file() -> None:
    notebook = club(hand("2019-03-08") + hand("2019-03-15", lives="3, 0, 1"))

    with pytest.raises(DidNotGoLikeThis, match=r"club\.yaml:\d+.*expected lives"):
        read_notebook(notebook)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no record"),
        ("- {id: x", "not YAML"),
        (hand("gisteren"), "a day such as"),
        (hand("2019-02-30"), "a day such as"),
        (hand("0001-01-01"), "a day such as"),
        ("- {id: T, plays: [[A, H7], [B, HA], [C, H10]], winner: C}", "no evening"),
    ],
)
def test_what_is_no_notebook_is_refused_with_a_sentence(text: str, says: str) -> None:
    with pytest.raises((NotANotebook, NotARecord), match=says) as refused:
        read_notebook(club(text))

    assert isinstance(refused.value, KlopleiError)


@pytest.mark.parametrize(
    "name",
    ["a\\x1b[2Jb", "a\\nb", "a\\u202Eb", "a\\uD800b", " ", "n" * 21, "BOB", "e" + "\u0301" * 200],
)
def test_whom_a_slate_could_not_name_no_notebook_brings(name: str) -> None:
    # One with half a character in it took all evenings of the box away with it.
    with pytest.raises(NotANotebook, match=r"club\.yaml: '.*no name for a slate") as refused:
        read_notebook(club(hand("2019-03-08").replace("Ann", f'"{name}"')))

    assert str(refused.value).isascii()


def test_who_is_written_sloppily_is_the_same_one() -> None:
    sloppy = hand("2019-03-08").replace("Ann", '" Ann  B "')

    (evening,) = read_notebook(club(sloppy)).evenings

    assert evening.evening.line.players[0].name == "Ann B"


class TestTheShelf:
    def test_a_notebook_stands_there_once_and_as_it_was_written(self, tmp_path: Path) -> None:
        notebook = club(hand("2019-03-08") + "# Tó je už vše 日本\n")

        is_new = NotebookStore(tmp_path).put(notebook)
        is_new_again = NotebookStore(tmp_path).put(Notebook("other.yaml", notebook.text))

        assert (is_new, is_new_again) == (True, False)
        assert NotebookStore(tmp_path).read() == (notebook,)

    def test_one_is_taken_away_by_its_id(self, tmp_path: Path) -> None:
        shelf = NotebookStore(tmp_path)
        first, second = club(hand("2019-03-08")), club(hand("2019-03-15"))
        shelf.put(first)
        shelf.put(second)

        assert not shelf.remove("club.yaml")
        assert shelf.remove(first.id)
        assert shelf.read() == (second,)

    @pytest.mark.parametrize("spoilt", ["", "{", "3", '[{"name": "x"}]', "[1]"])
    def test_a_spoilt_shelf_is_told_of_and_left_alone(self, tmp_path: Path, spoilt: str) -> None:
        (tmp_path / NOTEBOOKS).write_text(spoilt)

        with pytest.raises(NotebooksUnkept, match="from a backup"):
            NotebookStore(tmp_path).put(club(hand("2019-03-08")))

        assert (tmp_path / NOTEBOOKS).read_text() == spoilt

    @pytest.mark.parametrize(
        "told",
        [
            [{"name": f"{n}", "text": f"{n}"} for n in range(MOST)],
            [{"name": f"{n}", "text": f"{n}" * 500_000} for n in range(16)],
        ],
        ids=["many", "long"],
    )
    def test_a_shelf_has_room_for_so_many(self, tmp_path: Path, told: list[dict[str, str]]) -> None:
        (tmp_path / NOTEBOOKS).write_text(json.dumps(told))

        with pytest.raises(NotebooksUnkept, match="take one away first"):
            NotebookStore(tmp_path).put(club(hand("2019-03-08")))
