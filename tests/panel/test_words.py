"""Every sentence of the pages is there in every language, with the same facts."""

import re
import string
from dataclasses import fields
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import kloplei_panel
from kloplei.knock.judgement import Verdict
from kloplei.table.history_client import Honours
from kloplei.words.catalogue import LANGUAGES
from tests.words.sources import forms_of, key_of, shared_key
from tests.words.sources import sentences as of_the_table
from tests.words.test_glossary import rows

FOLDER = Path(kloplei_panel.__file__).parent


def sentences(language: str) -> dict[str, str]:
    with (FOLDER / "words" / language / "LC_MESSAGES" / "panel.po").open("rb") as po:
        told = [one for one in read_po(po, abort_invalid=True) if one.id]
    return {key_of(one): " ".join(forms_of(one)) for one in told}


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def keys_used() -> set[str]:
    sources = [*FOLDER.glob("**/*.py"), *FOLDER.glob("**/*.html")]
    text = "\n".join(one.read_text(encoding="utf-8") for one in sources)
    said = set(re.findall(r"(?:say\(|silent=)['\"]([a-z_.0-9]+)['\"](?:[,)]| if )", text))
    said |= set(re.findall(r"say\('[a-z_.]+' if [^,]+ else '([a-z_.]+)'", text))
    problems = set(re.findall(r"Problem\(\d+, \"([a-z_]+)\"", text))
    return said | {f"error.{code}" for code in problems}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things(language: str) -> None:
    theirs, ours = sentences(language), sentences("en")

    assert set(theirs) == set(ours)
    assert {key for key, sentence in theirs.items() if not sentence.strip()} == set()
    for key, sentence in theirs.items():
        assert placeholders(sentence) == placeholders(ours[key]), key


def test_slate_and_pots_have_one_name() -> None:
    table = {key for key, forms in of_the_table("ja").items() if "ボード" in "".join(forms)}
    pages = {key for key, sentence in sentences("ja").items() if "ボード" in sentence}

    assert table | pages == set()
    assert "kopperne" in sentences("da")["note.settle"]  # a pulje is the pot of toepen


@pytest.mark.parametrize("language", ["nl", "de", "da", "ja"])
def test_the_caller_has_one_name(language: str) -> None:
    """In German he was two, one of them the Ansager of Watten, and in Japanese as well."""
    name, pages = rows()["caller"][language].casefold(), sentences(language)
    said = [pages[key] for key in ("settings.caller", "own.call", "tv.calls", "voice.what")]
    said += of_the_table(language)["show.speaks"]

    assert [one for one in said if name not in one.casefold()] == []


def test_every_sentence_that_the_pages_use_is_there() -> None:
    used = keys_used()

    assert len(used) > 60
    assert used - set(sentences("en")) == set()


def test_every_sentence_that_is_there_is_used() -> None:
    columns = [one.name for one in fields(Honours)]
    families = (
        "answer.",
        "why.",
        "stage.",
        "react.",
        "thing.",
        "held.",
        "sign.",
        "signals.",
        "heard.",
        "need.",
        "note.",
        "choice.",
        "count.",
        "for_pot.",
        "via.",
        "hint.",
        "error.",
        "control.trick.",
        "ears.move.",
        *(f"ears.{verdict}" for verdict in Verdict),
        *("ears.milder", "ears.stricter"),
        "wood.told_",
        "tune.step.",
        *("tune.tuned", "tune.untuned", "tune.proposed"),
        "pile.",
        "later.",
        "hand.",
        "declare.",
        "feat.",
        "history.age-",
        "hub.state-",
        "history.settled-",
        "season.rule-",
        *(f"season.{column}" for column in columns),
    )

    shared = {shared_key(key) for key in sentences("en")}
    unused = {key for key in shared if not key.startswith(families)} - keys_used()

    assert unused == set()
