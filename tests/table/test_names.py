"""What a player may be called."""

import pytest

from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Line
from kloplei.table.seating import checked_name, lent_name
from kloplei.table.session import Session
from kloplei.words import Words
from tests.table.memory_journal import MemoryJournal


@pytest.mark.parametrize(
    ("asked", "chalked"),
    [
        ("Thijs", "Thijs"),
        ("  Thijs  van  Dijk ", "Thijs van Dijk"),
        ("Zoë", "Zoë"),
        ("Zoe\u0308", "Zoë"),
        ("阿部", "阿部"),
        ("\u3000阿部\u3000 \u2003定", "阿部 定"),
        ("\u00a0Thijs\u2800\u3164van\u202fDijk", "Thijs van Dijk"),
        ("x" * 20, "x" * 20),
    ],
)
def test_a_name_is_trimmed_and_kept(asked: str, chalked: str) -> None:
    assert checked_name(asked, ["Tame"]) == chalked


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "   ",
        *(
            "\u00a0",
            "\u3000\u2003 \u1680",
            "\u2800",
            "\u3164\u115f\u1160\uffa0",
            " \u0301 ",
            "\ufe0f",
        ),
        "x" * 21,
        "Thijs\n",
        "Ta\tme",
        "a\x00b",
        "\u202eemaT",
        "Ta\u200bme",
        "a\u2028b",
        "\ud800",
    ],
)
def test_a_name_that_cannot_be_chalked_is_refused(asked: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        checked_name(asked, [])

    assert refused.value.reason == "bad_name"
    assert str(refused.value.facts["name"]).isprintable()


@pytest.mark.parametrize("asked", ["Thijs", "THIJS", " thijs ", "Ｔｈｉｊｓ"])
def test_two_names_may_not_read_the_same(asked: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        checked_name(asked, ["Tame", "Thijs"])

    assert refused.value.reason == "name_taken"


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("nl", "Plek 3"),
        ("en", "Seat 3"),
        ("de", "Platz 3"),
        ("da", "Plads 3"),
        ("ja", "席3"),
        ("fr", "Seat 3"),
    ],
)
def test_a_seat_lends_its_name_in_the_language_of_the_table(language: str, name: str) -> None:
    assert lent_name(Seat(2), language, []) == name


def test_a_lent_name_gives_way_to_who_has_it() -> None:
    assert lent_name(Seat(2), "nl", ["plek 3", "Plek 3 (2)"]) == "Plek 3 (3)"


@pytest.mark.parametrize("called", ["", "  ", "\u00a0", "\u3000", "\u3164", "\u2800"])
def test_who_sits_down_with_a_name_of_blanks_gets_one_lent(called: str) -> None:
    with Session(MemoryJournal()) as table:
        table.submit(Seat(2), "sit_down", facts={"name": called})

        assert table.scoreboard().names[Seat(2)] == "Plek 3"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Plek 3", "Seat 3"),
        ("席3", "Seat 3"),
        ("Platz 3 (2)", "Seat 3 (2)"),
        ("Plek", "Plek"),
        ("Plek 33", "Plek 33"),
        ("Thijs 3", "Thijs 3"),
    ],
)
def test_a_lent_name_is_said_in_the_language_of_the_reader(written: str, said: str) -> None:
    words = Words("en")

    assert words.called(written) == said
    assert words.say("prompt.play", {"seat": Seat(2)}, {Seat(2): written}).count(said) == 1
    assert said in words.say("news.stood-up", {"name": written})


def test_a_lent_name_is_taken_in_every_language() -> None:
    with pytest.raises(IllegalAction, match="name_taken"):
        checked_name("Seat 3", ["Plek 3"])
    assert lent_name(Seat(2), "nl", ["seat 3"]) == "Plek 3 (2)"


def test_a_name_that_no_slate_can_write_is_asked_for_a_short_one_beside_it() -> None:
    with Session(MemoryJournal()) as table:
        table.submit(Seat(0), "sit_down", facts={"name": "김"})
        table.submit(Seat(1), "sit_down", facts={"name": "Abe"})
        offers = {row.seat: row.offers for row in table.scoreboard().rows}
        (asked,) = (one for one in offers[Seat(0)] if one.action == "shorten")
        assert asked.about == Line("told.no-letters", {"name": "김"})
        assert "shorten" not in {one.action for one in offers[Seat(1)]}

        for short, reason in (
            ("Ким", "bad_short_name"),
            ("x" * 9, "bad_short_name"),
            ("abe", "name_taken"),
        ):
            with pytest.raises(IllegalAction, match=reason):
                table.submit(Seat(0), "shorten", facts={"short": short})
        table.submit(Seat(0), "shorten", facts={"short": "Sada"})

        assert table.scoreboard().names[Seat(0)] == "김 (Sada)"
        with pytest.raises(IllegalAction, match="needs_no_short_name"):
            table.submit(Seat(0), "shorten", facts={"short": "Abe S"})
        table.submit(Seat(0), "undo")
        assert table.scoreboard().names[Seat(0)] == "김"


def test_a_name_in_kana_or_kanji_needs_no_short_one() -> None:
    """The slate could not write them once; a short one that was taken then still stands there."""
    with Session(MemoryJournal()) as table:
        for at, name in enumerate(("阿部", "さくら", "颯太", "阿部 (Abe)")):
            table.submit(Seat(at), "sit_down", facts={"name": name})

        offers = [one.action for row in table.scoreboard().rows for one in row.offers]
        assert "shorten" not in offers
