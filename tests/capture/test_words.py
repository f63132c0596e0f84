"""Every word of the bench is there in every language, and fits the slate."""

from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import kloplei
from kloplei.cli._record_screen import KEYS_SHOWN
from kloplei.recordings.capture.protocol import CORNERS, KINDS, KNOCK, QUESTIONS, ProtocolKind
from kloplei.recordings.capture.session import DOMAIN, sentence_of, word_of
from kloplei.slate.drawing import MEDIUM_BOLD, SMALL, blank, inner, width_of, wrap
from kloplei.words import LANGUAGES
from kloplei.words.letters import legible
from tests.slate.beats import shown

SHEET_WIDTH, _ = inner(blank())
ROOM_PX = SHEET_WIDTH - 37  # beside the number of a seat
SAID = {
    *("go", "alone", "incomplete", "counted", "missed"),
    *("packed", "counting", "audible", "leave-out"),
}


@cache
def words(language: str) -> dict[str, str]:
    path = Path(kloplei.__file__).parent / f"words/{language}/LC_MESSAGES/{DOMAIN}.po"
    with path.open("rb") as text:
        return {str(one.id): str(one.string) for one in read_po(text, abort_invalid=True) if one.id}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_its_words_and_none_is_left_over(language: str) -> None:
    wanted = {f"{family}.{kind.name}" for kind in KINDS for family in ("word", "how")}

    wanted |= {f"ask.{question}" for question in ("first", "open", *QUESTIONS, CORNERS)}
    wanted |= {f"key.{key}" for key in KEYS_SHOWN}

    assert set(words(language)) == wanted | SAID
    assert all(words(language).values())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_all_of_it_can_be_chalked_and_nothing_is_cut(language: str, kind: ProtocolKind) -> None:
    room = ROOM_PX if kind.category == KNOCK else SHEET_WIDTH
    word, how = (words(language)[f"{family}.{kind.name}"] for family in ("word", "how"))

    assert legible(word + how) == word + how
    assert width_of(word, MEDIUM_BOLD) <= room - 2
    assert (" " if " " in how else "").join(wrap(how, SMALL, room, 2)) == how


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "seat 3: KNOCK, as you always do"),
        ("nl", "plek 3: KLOP, zoals altijd"),
        ("de", "Platz 3: KLOPFEN, wie immer"),
        ("da", "plads 3: BANK, som altid"),
        ("ja", "席3: ノック, いつものように"),
    ],
)
def test_the_terminal_says_it_in_the_language_of_the_table(language: str, said: str) -> None:
    assert sentence_of(shown("seat-3-usual"), language) == said


def test_two_seats_are_both_named() -> None:
    assert sentence_of(shown("together-1-2"), "en") == "seat 1 + seat 2: BOTH, both at once"


def test_the_countdown_is_a_number_and_then_the_word_to_go_by() -> None:
    assert [word_of(shown("glass", at_s), "de") for at_s in (0.1, 1.0, 2.0, 2.5)] == [
        "3",
        "2",
        "1",
        "JETZT",
    ]
    assert word_of(shown("glass"), "de") == ""
