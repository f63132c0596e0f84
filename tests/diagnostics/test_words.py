"""Every sentence of the doctor is there in every language, and none is left over."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import kloplei
import kloplei_panel
from kloplei.diagnostics.buses import shown
from kloplei.table.doctor_client import SEEN
from kloplei.words import LANGUAGES
from tests.words.sources import facts_in

FIRMWARE, PANEL = Path(kloplei.__file__).parent, Path(kloplei_panel.__file__).parent
SOURCES = [*FIRMWARE.glob("diagnostics/*.py"), *PANEL.rglob("*.py")]
SOURCES += [FIRMWARE / "cli/doctor.py"]
# Addresses that have a word of their own: devices.0x68 is the clock.
USUAL = (0x27, 0x3C, 0x3D, 0x3F, 0x48, 0x50, 0x57, 0x68)
WRITERS = {
    "good": slice(1, 2),
    "poor": slice(1, 3),
    "bad": slice(1, 3),
    "missing_package": slice(1, 2),
}


@cache
def sentences(language: str) -> dict[str, str]:
    with (FIRMWARE / "words" / language / "LC_MESSAGES/doctor.po").open("rb") as text:
        return {str(one.id): str(one.string) for one in read_po(text, abort_invalid=True) if one.id}


def named() -> Iterator[str]:
    """Yield the keys that the sources hand to those who write findings, and what lies beside."""
    for source in SOURCES:
        tree = ast.parse(source.read_text(encoding="utf-8"))
        assigned = {
            target.id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                for argument in call.args[WRITERS.get(call.func.id, slice(0))]:
                    found = argument
                    if isinstance(argument, ast.Name):
                        found = assigned.get(argument.id, argument)
                    yield from _texts(found)
    yield from ("said", "may-not", "do.as-root")
    yield from (f"state.{state}" for state in ("good", "poor", "bad"))
    yield from (f"devices.{shown(address)}" for address in USUAL)
    yield from (f"seen.{one}" for one in SEEN)
    page = (PANEL / "templates/doctor/page.html").read_text(encoding="utf-8")
    yield from re.findall(r"phrase\('([a-z.-]+)'[,)]", page)


def _texts(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_all_of_it_with_the_same_facts(language: str) -> None:
    ours, english = sentences(language), sentences("en")

    assert set(ours) == set(english)
    assert [key for key, said in ours.items() if not said or said != said.strip()] == []
    assert [key for key in ours if facts_in(ours[key]) != facts_in(english[key])] == []


def test_what_the_checks_say_has_a_sentence_and_every_sentence_is_said() -> None:
    said = set(named())

    assert len(said) > 90
    assert said - set(sentences("en")) == set()
    assert {key for key in sentences("en") if not key.startswith("part.")} - said == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_commands_and_settings_are_the_same_in_every_language(language: str) -> None:
    """A command that was translated by mistake runs nowhere."""
    for key, said in sentences("en").items():
        for word in ("sudo", "kloplei doctor", "raspi-config", "column_offset", "journalctl"):
            assert (word in said) == (word in sentences(language)[key]), key
