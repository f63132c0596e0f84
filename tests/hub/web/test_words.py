"""The sentences of the house's pages: there in five languages, with the same facts, and used."""

import re
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

import kloplei_hub
from kloplei.words.catalogue import LANGUAGES

HERE = Path(kloplei_hub.__file__).parent
_ASKED = re.compile(r"""\b(?:say|Way)\(\s*(?:"[\w.]+",\s*)?['"]([a-z_]+\.[a-z_.-]+)['"]""")
_MADE = ("language.", "push.", "role.", "error.", "way.", "tournament.", "trail.")
"""Families whose keys are put together, or named elsewhere than where they are said."""


def catalogue(language: str) -> Catalog:
    with (HERE / "words" / language / "LC_MESSAGES/hub.po").open("rb") as written:
        return read_po(written, locale=language, abort_invalid=True)


def told(language: str) -> dict[str, set[str]]:
    found = {}
    for one in catalogue(language):
        if one.id:
            key = one.id if isinstance(one.id, str) else one.id[0]
            forms = [one.string] if isinstance(one.string, str) else list(one.string or ())
            assert all(forms), (language, key)
            found[key] = {
                fact for form in forms for _, fact, _, _ in Formatter().parse(form) if fact
            }
    return found


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_every_language_says_the_same_with_the_same_facts(language: str) -> None:
    english, own = told("en"), told(language)

    assert own.keys() == english.keys()
    assert {key for key in own if own[key] - {"n"} != english[key] - {"n"}} == set()


def test_pages_say_what_there_is_and_nothing_else() -> None:
    pages = [*HERE.glob("web/**/*.py"), *HERE.glob("web/**/*.html")]
    written = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    asked = set(_ASKED.findall(written))
    known = told("en").keys()

    whole = {key for key in asked if key[-1] not in "._-"}
    assert whole - known - _of_panel() == set()
    unsaid = {one for one in known if one not in written and not one.startswith(_MADE)}
    assert unsaid == set()


def _of_panel() -> set[str]:
    """Sentences that the pages have from the panel's catalogue (``reader.say``)."""
    folder = Path(HERE.parents[1]) / "webpanel/kloplei_panel/words/en/LC_MESSAGES/panel.po"
    with folder.open("rb") as written:
        return {one.id if isinstance(one.id, str) else one.id[0] for one in read_po(written)}
