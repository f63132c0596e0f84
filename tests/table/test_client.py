"""What answers in the place of a part that is not there, and who looks on at a table."""

from collections.abc import Iterator
from typing import Protocol

import pytest

from kloplei.games.game import IllegalAction
from kloplei.games.scoreboard import Scoreboard
from kloplei.knock.judgement import Verdict
from kloplei.table.client import (
    MOST_EVENTS,
    BadRequest,
    Keeping,
    ShortText,
    TableUnavailable,
    absent,
    methods_of,
    no_ears,
    show_all,
)


class Lamp(Protocol):
    """A part as good as any."""

    def colours(self) -> tuple[str, ...]:
        """Return those it can show."""
        ...

    def colour(self) -> str | None:
        """Return the one it shows, None when it is dark."""
        ...

    def watts(self) -> int:
        """Return what it takes."""
        ...

    def show(self, colour: str) -> None:
        """Show *colour*."""
        ...

    def _burn(self) -> None: ...


def test_an_absent_part_finds_nothing_and_refuses_to_do_anything() -> None:
    lamp = absent(Lamp, "This table has no lamp.", watts=lambda: 0)

    assert (lamp.colours(), lamp.colour(), lamp.watts()) == ((), None, 0)
    with pytest.raises(BadRequest, match="no lamp"):
        lamp.show("red")
    assert list(methods_of(Lamp)) == ["colours", "colour", "watts", "show"]


def test_a_table_without_sensors_heard_nothing_and_cannot_be_tuned() -> None:
    ears = no_ears()

    assert (ears.heard_events(), ears.heard_events(MOST_EVENTS), ears.meter()) == ((), (), ())
    assert (ears.suggestion(), ears.keeping()) == (None, Keeping(most=0, kept=0))
    with pytest.raises(BadRequest, match="The limit is -1"):
        ears.heard_events(-1)
    with pytest.raises(IllegalAction) as refused:
        ears.mark(7, Verdict.NOISE)
    assert (refused.value.reason, refused.value.facts) == ("event_gone", {"number": 7})
    for do in (ears.take_back, lambda: ears.take("1"), lambda: ears.decline("1")):
        with pytest.raises(BadRequest, match="no sensors that listen"):
            do()
    with pytest.raises(BadRequest, match="no sensors that listen"):
        ears.tune("look")


@pytest.mark.parametrize(
    ("text", "holds"), [("", True), ("abc", True), ("abcd", False), ("a\n", False), ("\0", False)]
)
def test_a_short_text_is_printable_and_no_longer_than_it_may_be(text: str, holds: bool) -> None:
    assert ShortText(3).holds(text) is holds


class Table:
    """Says three scoreboards, with a sign of life between them, and is gone."""

    def follow(self, after: int | None = None) -> Iterator[Scoreboard | None]:
        for seq in (1, 2, 3):
            yield Scoreboard("toepen", "play", seq=seq)
            yield None
        raise TableUnavailable("It is gone.")


def test_who_looks_on_outlives_a_board_they_stumble_over(caplog: pytest.LogCaptureFixture) -> None:
    shown: list[int] = []

    def show(board: Scoreboard) -> None:
        if board.seq == 2:
            raise ZeroDivisionError
        shown.append(board.seq)

    show_all(Table(), show, lambda: False, "the caller")

    assert shown == [1, 3]
    assert [one.getMessage() for one in caplog.records] == [
        "the caller stumbled over entry 2, and looks on",
        "the caller lost sight of the table",
    ]


def test_who_looks_on_ends_at_the_next_sign_of_life() -> None:
    shown: list[int] = []

    show_all(Table(), lambda board: shown.append(board.seq), lambda: bool(shown), "the caller")

    assert shown == [1]
