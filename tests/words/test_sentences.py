"""Every sentence is there in every language, tells the same facts and fits where it stands."""

import re

import pytest
from babel.messages.plurals import get_plural

from kloplei.words import LANGUAGES
from tests.words.sources import (
    catalogue,
    facts_in,
    forms_of,
    key_of,
    made_from_constants,
    named_in_sources,
    sentences,
    shared_key,
)

SLATE_LETTERS = 21


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_has_a_sentence_in_every_language(language: str) -> None:
    assert set(sentences(language)) == set(sentences("en"))
    assert [key for key, forms in sentences(language).items() if not all(forms)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_tells_the_same_facts_in_every_language(language: str) -> None:
    for key, forms in sentences(language).items():
        ours = set().union(*map(facts_in, sentences("en")[key]))

        # "een leven" may leave the number away; the form for many may not.
        assert facts_in(forms[-1]) == ours, key
        assert ours - facts_in(forms[0]) <= {"n"}, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_is_sound(language: str) -> None:
    read = catalogue(language)

    assert str(read.locale) == language
    assert [error for _, errors in read.check() for error in errors] == []
    assert [key_of(one) for one in read if one.fuzzy and one.id] == []
    assert list(read.obsolete) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_counted_has_all_plural_forms_of_the_language(language: str) -> None:
    read = catalogue(language)
    counted = {key_of(one): forms_of(one) for one in read if one.pluralizable}
    counted_in_english = {key_of(one) for one in catalogue("en") if one.pluralizable}

    assert set(counted) == counted_in_english
    assert {len(forms) for forms in counted.values()} == {get_plural(language).num_plurals}


def test_all_that_the_sources_name_has_a_sentence() -> None:
    named = named_in_sources()

    assert len(named) > 60
    assert sorted(named - set(sentences("en"))) == []


def test_all_that_is_made_from_constants_has_a_sentence() -> None:
    assert sorted(set(made_from_constants()) - set(sentences("en"))) == []


def test_every_sentence_of_the_rules_and_the_table_is_in_use() -> None:
    families = re.compile(
        r"(prompt|news|told|show|ask|reason|how|ledger|notice|cause|option|option-value|preset|"
        r"preset-note|demo|terminal|title|statistic|unit|detail)\."
    )
    used = named_in_sources() | set(made_from_constants()) | {"reason.unknown"}

    shared = (shared_key(key) for key in sentences("en") if families.match(key))
    kept = {key.partition(".without-")[0] for key in shared}

    assert sorted(kept - used) == []


def test_a_stand_in_does_without_the_fact_it_is_named_after() -> None:
    found = [key for key in sentences("en") if ".without-" in key]

    assert found
    for key in found:
        original, _, fact = key.partition(".without-")
        lacking = facts_in(sentences("en")[original][-1])
        assert fact in lacking, key
        assert facts_in(sentences("en")[key][-1]) <= lacking - {fact}, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_the_slate_are_short(language: str) -> None:
    slate = {key: forms for key, forms in sentences(language).items() if key.startswith("slate.")}
    long = {k: one for k, forms in slate.items() for one in forms if len(one) > SLATE_LETTERS}

    assert slate
    assert long == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_tidy(language: str) -> None:
    for key, forms in sentences(language).items():
        for sentence in forms:
            assert key == "list.comma" or sentence == sentence.strip(), key
            assert "  " not in sentence, key
            assert not re.search(r" [,.?!](\s|$)", sentence), key
