"""What goes wrong is told to people in their own language; English is for the log."""

import ast
import errno
from collections.abc import Iterator, Mapping
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from gpiozero import GPIOPinInUse

import kloplei
from kloplei.config.settings import SlateConfig
from kloplei.devices.glass import slate_missing
from kloplei.devices.pins import why_part_failed
from kloplei.files import KlopleiError
from kloplei.games.game import Facts, Seat
from kloplei.games.house_rules import BadOption
from kloplei.games.scoreboard import Line
from kloplei.games.toepen import Toepen
from kloplei.table.client import BadRequest, JournalWriteError, Keeping
from kloplei.table.journal_file import sentence_for
from kloplei.table.messages import PartFailed
from kloplei.table.rpc import failure, raise_failure
from kloplei.table.schema import WORLD, dump, load
from kloplei.table.session import Session
from kloplei.words import LANGUAGES, Sentence, Words, sentence_of
from kloplei_panel import PanelSettings
from tests.panel.conftest import Phone, build
from tests.table.memory_journal import MemoryJournal

DISK = sentence_for(Path("/data/kloplei.db"), OSError(errno.ENOSPC, "No space left on device"))
SLATE = slate_missing(SlateConfig(), OSError(errno.EREMOTEIO, "Remote I/O error"))
PAD = why_part_failed(GPIOPinInUse("pin GPIO22 is already in use"), 22)
BROKEN = (sentence_of(DISK), sentence_of(SLATE), PAD)
TOLD_TO_PEOPLE = frozenset(
    {
        *("BadRequest", "TableUnavailable", "JournalWriteError", "absent"),
        *("JournalError", "DiskTrouble", "JournalDamaged", "TuningUnkept"),
        *("PartFailed", "SlateMissing", "PinsMissing", "TooSlow", "tell"),
        "EventLogError",
    }
)
"""Calls whose sentence comes to a slate or a phone."""
ENGLISH = {
    "backup": "asks whoever restores a backup at the prompt to stop the table",
    "cli/evenings": "answers whoever types a number of an evening that is none at the prompt",
    "diagnostics/slate": "answers a program that says what no page offers",
    "recordings/capture/recorder": "answers a program that asks for what no page offers",
    "review/service": "answers a program that marks what no page offers",
    "review/tuning": "answers a program that asks for what no page offers",
    "table/client": "answers a program that asks for a list without end",
    "table/outbox": "answers an uplink that asks from where no step ends",
    "table/journal": "keeps a table from starting; whoever starts it reads the log",
    "table/journal_file": "keeps a table from starting; whoever starts it reads the log",
    "table/rpc_client": "quotes what a table said to a client that it does not understand",
}
"""Modules that say some of it in English alone, and to whom."""
WORDS = 4  # fewer are no sentence
FOREIGN = [one for one in LANGUAGES if one != "en"]


class FullDisk(MemoryJournal):
    """A journal of a disk that fills up."""

    full = False

    def append(self, *args: Any, **more: Any) -> int:
        if self.full:
            raise DISK
        return super().append(*args, **more)


@pytest.fixture
def broken_table() -> Iterator[Session]:
    """Thijs sits at a table with a broken pad, without a slate, whose disk is full."""
    with Session(journal := FullDisk()) as table:
        table.submit(Seat(0), "sit_down", facts={"name": "Thijs"})
        journal.full = True
        table.put(PartFailed("slate", sentence_of(SLATE)))
        table.put(PartFailed("pad 3", PAD))
        with pytest.raises(JournalWriteError):
            table.submit(Seat(1), "sit_down", facts={"name": "Tame"})
        yield table


def sent(line: Line) -> Line:
    """Return *line* as a phone's panel gets it through the socket."""
    return load(Line, dump(line))


@pytest.mark.parametrize("language", FOREIGN)
def test_no_notice_of_a_broken_table_holds_english(language: str, broken_table: Session) -> None:
    notices = [sent(line) for line in broken_table.scoreboard().notices]

    assert len(notices) == len(BROKEN)
    for line in notices:
        english = line.facts["message"]
        said = Words(language).say(line.key, line.facts)
        assert english in BROKEN
        assert str(english) not in said
        assert str(english) in Words("en").say(line.key, line.facts)


@pytest.mark.parametrize("language", FOREIGN)
def test_no_page_of_a_broken_table_holds_english(language: str, broken_table: Session) -> None:
    phone = Phone(build(broken_table, PanelSettings()).test_client(), language)
    page = unescape(phone.get("/?seat=1").text)
    refused: Any = phone.ask(2, "sit_down", name="Tame").json

    for sentence in BROKEN:
        assert Words(language).tell(sentence) in page
        assert sentence not in page
    assert refused["error"] == "not_kept"
    assert Words(language).tell(sentence_of(DISK)) in refused["message"]
    assert str(DISK) not in refused["message"]


@pytest.mark.parametrize("language", FOREIGN)
def test_a_house_rule_that_cannot_be_is_told_by_its_name_on_the_page(language: str) -> None:
    with Session(MemoryJournal()) as table:
        phone = Phone(build(table, PanelSettings()).test_client(), language)
        refused: Any = phone.ask(None, "options", options={"max_lives": "tien"}).json

    assert Words(language).say("option.max_lives") in refused["message"]
    assert "'tien'" in refused["message"]
    assert "1–100" in refused["message"]
    assert "allowed" not in refused["message"]


def test_whoever_writes_records_is_told_by_the_name_that_stands_there() -> None:
    with pytest.raises(BadOption) as refused:
        Toepen.of_house("kroeg", {"max_lives": "tien"})

    said = "Option max_lives cannot be 'tien'; allowed: a whole number, 1 to 100"
    assert said in str(refused.value)


@pytest.mark.parametrize("error", [BadRequest, JournalWriteError])
def test_what_went_wrong_crosses_the_socket_with_its_cause(error: type[KlopleiError]) -> None:
    with pytest.raises(error) as raised:
        raise_failure(failure(error(Sentence("no-such-seat", seats=4))))

    assert str(raised.value) == "There is no such seat; they run from 1 to 4."
    assert Words("nl").tell(sentence_of(raised.value)) == (
        "die plek is er niet; ze lopen van 1 tot 4"
    )


def test_what_keeps_the_ears_from_the_disk_crosses_it_with_its_cause() -> None:
    sent = dump(Keeping(50, 3, Sentence("ears-foreign", path="/data/ears.db")))
    trouble = load(Keeping, sent).trouble

    assert trouble == "/data/ears.db is no file of the ears. Move it away, then restart the table."
    assert Words("nl").tell(trouble).startswith("/data/ears.db is geen bestand van het gehoor.")
    assert dump(load(Keeping, sent), form=WORLD)["trouble"] == str(trouble)


def test_a_cause_that_only_a_newer_table_knows_is_told_as_it_was_sent() -> None:
    facts: Facts = {"part": "lamp", "message": "It burnt out.", "cause": "burnt-out"}

    assert Words("nl").say("notice.part", facts) == "Doet het niet: de lamp. It burnt out."
    assert Words("nl").tell(Sentence.sent("It burnt out.", "burnt-out", {})) == "It burnt out."


@cache
def english_sentences() -> Mapping[str, list[str]]:
    """Return by module the literal sentences that are told to people as they stand."""
    package = Path(kloplei.__file__).parent
    found: dict[str, list[str]] = {}
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and called(node) in TOLD_TO_PEOPLE:
                said = [one for one in map(literal, node.args) if len(one.split()) >= WORDS]
                if said:
                    module = path.relative_to(package).with_suffix("").as_posix()
                    found.setdefault(module, []).extend(said)
    return found


def called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def literal(node: ast.expr) -> str:
    """Return the text that *node* writes out, "…" for what is filled in."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(literal(one) or "…" for one in parts)
    return ""


def test_what_people_are_told_is_a_sentence_of_the_catalogues() -> None:
    assert sorted(set(english_sentences()) - set(ENGLISH)) == []


def test_who_is_left_with_english_still_is() -> None:
    assert sorted(set(ENGLISH) - set(english_sentences())) == []
