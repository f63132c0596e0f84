"""Look at the whole box: ask a table that runs, else open each part and listen to it."""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from kloplei.checks.examination import Examination, merged
from kloplei.checks.findings import good, poor, said
from kloplei.checks.holders import listener_at
from kloplei.checks.machine import Machine
from kloplei.checks.of_the_box import checks_of_the_machine, checks_of_the_wiring
from kloplei.config import JOURNAL, Config
from kloplei.doctor.echoes import without_echoes
from kloplei.doctor.parts import examine_parts
from kloplei.files import KlopleiError
from kloplei.hotspot.way_in import way_in
from kloplei.rules.game import Seat
from kloplei.rules.scoreboard import Line
from kloplei.table.client import TableClient, TableSilent
from kloplei.table.doctor import Finding, State
from kloplei.words import Words


def examine(
    config: Config,
    wait: Callable[[float], None] = time.sleep,
    machine: Machine | None = None,
) -> Iterator[Finding]:
    """Yield how each part of the box of *config* does.

    A table that runs keeps its pins and its journal: then what it says of them is told. Else the
    sensors are listened to, by *wait*, for as long as `kloplei.doctor.parts.listens_s` says.
    """
    machine = machine or Machine()
    table = ask_table(config.socket.path)
    listener = listener_at(config.socket.path)
    ours = frozenset() if listener is None else frozenset({listener})
    own = Examination(
        {
            **checks_of_the_wiring(machine, config, ours),
            **checks_of_the_machine(machine, config, lambda: _url(config)),
        }
    ).findings()
    if table is not None:
        said_of_itself, examined = table
        found = merged(own, examined)
        yield from found
        yield from without_echoes(found, said_of_itself)
        return
    yield from own
    yield from without_echoes(own, _at_rest(config, wait))


def _at_rest(config: Config, wait: Callable[[float], None]) -> Iterator[Finding]:
    yield poor("table", "table.stopped", "do.start-table")
    yield _journal(config.table.data)
    yield from examine_parts(config, wait)


def examine_without_settings(trouble: str, machine: Machine | None = None) -> Iterator[Finding]:
    """Yield how the machine does, whose settings cannot be used for the reason *trouble*.

    No part is opened: nobody knows what is wired where.
    """
    machine, usual = machine or Machine(), Config()
    yield said("settings", State.BAD, trouble)
    own = Examination(checks_of_the_machine(machine, usual, lambda: _url(usual))).findings()
    table = ask_table(usual.socket.path)
    if table is None:
        yield from own
        yield poor("table", "table.stopped", "do.start-table")
        return
    said_of_itself, examined = table
    yield from merged(own, examined)
    yield from said_of_itself


def ask_table(path: Path) -> tuple[list[Finding], tuple[Finding, ...]] | None:
    """Return what the table at the socket *path* says of itself, and what its doctor found.

    None is returned where none runs. One that runs and cannot be asked keeps its pins and its
    journal: they are let alone.
    """
    from kloplei.table.remote import RemoteTable

    table = RemoteTable(path)
    try:
        board = table.scoreboard()
        told = [good("table", "table.runs", seq=board.seq)]
        told += [_told(line, board.names) for line in board.notices]
        return told, _examined(table)
    except TableSilent as silence:
        if isinstance(silence.__cause__, FileNotFoundError | ConnectionRefusedError):
            return None
        return [said("table", State.BAD, str(silence))], ()
    finally:
        table.close()


def _examined(table: TableClient) -> tuple[Finding, ...]:
    try:
        return table.doctor.examine()
    except KlopleiError as error:  # a table of another version, most likely
        return (said("table", State.POOR, str(error)),)


def _told(notice: Line, names: Mapping[Seat, str]) -> Finding:
    """Return what the table says is wrong: in the part's own words, where it has any."""
    sentence = notice.facts.get("message") or Words("en").say(notice.key, notice.facts, names)
    return said(str(notice.facts.get("part", "table")), State.BAD, str(sentence))


def _journal(data: Path) -> Finding:
    from kloplei.table.journal import Journal

    path = data / JOURNAL
    if not path.exists():
        return good("journal", "journal.none", path=str(path))
    try:
        with Journal(path) as journal:
            if trouble := journal.salvaged or journal.trouble:
                return said("journal", State.BAD, trouble)
            return good("journal", "journal.good", path=str(path), seq=journal.last_seq)
    except KlopleiError as error:
        return said("journal", State.BAD, str(error))


def _url(config: Config) -> str:
    return way_in(config).url or ""
