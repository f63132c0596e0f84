"""Evenings from paper stand among the others: older than all, counted with them, and gone again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kloplei.config.settings import HISTORY, JOURNAL, NOTEBOOKS
from kloplei.export import evenings_as_csv
from kloplei.games.scoreboard import Scoreboard
from kloplei.history import notebooks
from kloplei.history._store import IMPORTED
from kloplei.history.notebooks import Notebook, NotebookStore, ReadNotebook
from kloplei.history.service import HistoryService
from kloplei.history.summary import as_text
from kloplei.table.history_client import EveningLine
from kloplei.table.people import Alias, KnownPerson
from kloplei.words import Words
from tests.history.journals import Scribe
from tests.history.test_notebooks import club, hand
from tests.history.test_service import know
from tests.history.test_store import Box


@pytest.fixture
def box(tmp_path: Path) -> Box:
    box = Box(tmp_path)
    scribe = Scribe(seed=5)
    for _ in range(2):
        scribe.begin("toepen", 3)
        scribe.hands(2)
    box.grow(scribe.rows())
    return box


@pytest.fixture
def history(box: Box) -> HistoryService:
    return HistoryService(box.folder / JOURNAL, wall=lambda: 1.8e9)


def numbers(lines: tuple[EveningLine, ...]) -> list[int]:
    return [one.number for one in lines]


def test_they_come_behind_all_that_were_played_here(box: Box, history: HistoryService) -> None:
    NotebookStore(box.folder).put(club(hand("2019-03-08") + hand("2019-03-15")))

    history.update()

    assert numbers(history.evenings()) == [2, 1, IMPORTED + 2, IMPORTED + 1]
    assert [one.imported for one in history.evenings()] == [False, False, True, True]
    assert numbers(history.evenings(before=1)) == [IMPORTED + 2, IMPORTED + 1]
    assert numbers(history.evenings(before=IMPORTED + 2)) == [IMPORTED + 1]
    assert history.evening(-1).line.number == 2
    assert history.evening(IMPORTED + 1).line.players[1].name == "Bob"
    assert not history.evening(IMPORTED + 1).line.runs


def test_they_have_their_day_though_no_box_was_there_then(
    box: Box, history: HistoryService
) -> None:
    NotebookStore(box.folder).put(club(hand("1987-03-08")))
    history.update()

    evening = history.evening(IMPORTED + 1)

    assert "Sunday 8 March 1987" in as_text(evening, Words("en"))
    assert "1987-03-08" in evenings_as_csv([evening], Words("en"))


def test_what_is_played_on_leaves_them_where_they_are(box: Box, history: HistoryService) -> None:
    NotebookStore(box.folder).put(club(hand("2019-03-08")))
    history.update()
    before = box.told()

    box.journal.unlink()
    scribe = Scribe(seed=6)
    scribe.begin("toepen", 3)
    scribe.hands(1)
    again = Box(box.folder)
    again.grow(scribe.rows())
    history.update()

    assert numbers(history.evenings()) == [1, IMPORTED + 1]
    assert [row for row in box.told()[0] if row[0] > IMPORTED] == [
        row for row in before[0] if row[0] > IMPORTED
    ]


def test_they_count_and_are_gone_with_their_notebook(box: Box, history: HistoryService) -> None:
    shelf = NotebookStore(box.folder)
    notebook = club("".join(hand(f"2019-03-{day:02}") for day in range(1, 13)))
    history.update()
    before = history.statistics("toepen")

    shelf.put(notebook)
    history.update()
    bob = next(one for one in history.statistics("toepen") if one.player.name == "Bob")
    told = {one.key: (one.value, one.n) for one in bob.numbers}
    shelf.remove(notebook.id)
    history.update()

    assert [told["hands"], told["won"]] == [(12, 12), (1, 12)]
    assert history.statistics("toepen") == before
    assert numbers(history.evenings()) == [2, 1]


def test_a_box_on_which_nobody_has_played_tells_them_too(tmp_path: Path) -> None:
    history = HistoryService(tmp_path / JOURNAL)
    NotebookStore(tmp_path).put(club(hand("2019-03-08")))

    history.update()

    assert numbers(history.evenings()) == [IMPORTED + 1]


def test_a_long_notebook_lets_others_come_first_and_the_table_close(
    box: Box, history: HistoryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    NotebookStore(box.folder).put(club(hand("2019-03-08") * 9 + hand("2019-03-15")))
    pauses: list[int] = []
    read = notebooks.read_notebook

    def closed_in_the_middle(notebook: Notebook, pause: Callable[[], None]) -> ReadNotebook:
        def paused() -> None:
            pauses.append(0)
            if len(pauses) == 5:
                history._closed.set()  # `close` waits for who reads
            pause()

        return read(notebook, paused)

    monkeypatch.setattr(notebooks, "read_notebook", closed_in_the_middle)
    history.follow([None])

    assert len(pauses) == 5


def test_they_are_told_while_nobody_plays(box: Box, history: HistoryService) -> None:
    """Whoever has taken a notebook in looks for it at once, with the box on and nobody there."""
    shelf, notebook, told = NotebookStore(box.folder), club(hand("2019-03-08")), list[int]()

    def signs_of_life() -> Iterator[Scoreboard | None]:
        yield None
        shelf.put(notebook)
        yield None
        told.append(len(history.evenings()))
        shelf.remove(notebook.id)
        yield None
        told.append(len(history.evenings()))

    history.follow(signs_of_life())

    assert told == [3, 2]


def test_whoever_takes_over_a_name_of_paper_has_its_evenings(
    box: Box, history: HistoryService
) -> None:
    NotebookStore(box.folder).put(club(hand("2019-03-08")))
    know(box, KnownPerson(7, "Bob"))
    history.update()
    assert [one.evenings for one in history.people()] == [0]

    know(box, KnownPerson(7, "Bob"), aliases=(Alias("Bob", 7, 99),))

    assert history.evening(IMPORTED + 1).line.players[1].person == 7
    assert [(one.player.person, one.evenings) for one in history.people()] == [(7, 1)]


def test_what_names_stand_in_is_for_nobody_elses_eyes(box: Box, history: HistoryService) -> None:
    NotebookStore(box.folder).put(club(hand("2019-03-08")))
    history.update()

    for name in (NOTEBOOKS, HISTORY):
        assert (box.folder / name).stat().st_mode & 0o077 == 0
