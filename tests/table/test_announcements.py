"""What all may hear once, such as titles: told in turn, and gone when somebody plays on."""

from kloplei.games.scoreboard import Line
from kloplei.table.core import ANNOUNCED_S
from kloplei.table.messages import Announced
from kloplei.words import LANGUAGES, Words
from tests.table.seated import Tabletop


def title(key: str, name: str) -> Line:
    why = Line(f"title.{key}.why", {"n": 14, "of": 15}).as_fact()
    return Line("show.title", {"title": Line(f"title.{key}").as_fact(), "name": name, "why": why})


WALL, KING = title("wall", "Thijs"), title("wall", "Sanne")


def announce(tabletop: Tabletop, *lines: Line) -> None:
    tabletop.table.handle(Announced(lines), tabletop.now_s)


def test_they_are_told_one_after_the_other_and_then_no_more(tabletop: Tabletop) -> None:
    before = tabletop.board

    announce(tabletop, WALL, KING)
    first = tabletop.board.shown
    tabletop.wait(ANNOUNCED_S)
    second = tabletop.board.shown
    tabletop.wait(ANNOUNCED_S)

    assert (first, second) == (WALL, KING)
    assert tabletop.board == before
    assert tabletop.table.next_deadline() is None


def test_whoever_plays_on_hears_the_game_and_not_the_rest(tabletop: Tabletop) -> None:
    announce(tabletop, WALL, KING)

    tabletop.table.submit(None, "new_evening", now_s=tabletop.now_s)

    assert tabletop.board.shown is None
    assert tabletop.table.next_deadline() is None


def test_nothing_to_tell_is_nothing(tabletop: Tabletop) -> None:
    before = tabletop.board

    announce(tabletop)

    assert tabletop.board == before
    assert tabletop.table.next_deadline() is None


def test_a_title_is_a_sentence_in_every_language() -> None:
    for language in LANGUAGES:
        said = Words(language).say(WALL.key, WALL.facts)

        assert "Thijs" in said
        assert "14" in said
        assert "{" not in said
