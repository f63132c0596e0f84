"""The glossary uses the words that the table says."""

from pathlib import Path

import pytest

import kloplei
from kloplei.words import LANGUAGES, Words

GLOSSARY = Path(kloplei.__file__).parents[2] / "docs" / "glossary.md"
SAID = {
    "stay": "action.stay",
    "fold": "action.fold",
    "stake": "slate.stake",
    "house rules": "action.options",
    "armoede": "flag.armoede",
    "out": "flag.out",
    "toepkoning": "flag.toepkoning",
    "lijntoeper": "flag.lijntoeper",
    "misdeal": "action.misdeal",
    "raise": "action.raise",
    "hold": "action.accept",
    "gestrichen": "flag.gestrichen",
    "signal": "action.signal",
    "large screen": "demo.large-screen",
}


def rows() -> dict[str, dict[str, str]]:
    """Return the lines of all tables that have the languages in columns, by their word."""
    lines = GLOSSARY.read_text(encoding="utf-8").splitlines()
    cells = [[one.strip() for one in line.strip("|").split("|")] for line in lines if "|" in line]
    columns: list[str] = next(one for one in cells if one[:2] == ["Word", "Means"])
    wide = [dict(zip(columns, one, strict=True)) for one in cells if len(one) == len(columns)]
    return {row["Word"]: row for row in wide}


def languages() -> list[str]:
    """Return the languages that have a column; one that is new may come to it later."""
    return [one for one in rows()["seat"] if one in LANGUAGES]


def test_the_glossary_is_in_languages_that_we_speak() -> None:
    assert {*rows()["seat"]} - {"Word", "Means"} == {*languages()}
    assert "nl" in languages()


@pytest.mark.parametrize("word", SAID)
@pytest.mark.parametrize("language", languages())
def test_the_glossary_knows_what_the_table_says(language: str, word: str) -> None:
    said = Words(language).say(SAID[word])

    assert said.casefold() in rows()[word][language].casefold()


def test_every_word_is_explained_in_every_language() -> None:
    found = rows()

    assert len(found) > 30
    assert [word for word, row in found.items() if not all(row.values())] == []
