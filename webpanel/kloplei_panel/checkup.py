"""What works in the box, for the doctor's page: the table sees the parts, the panel the phones.

The panel has no device, no journal and little of ``/proc``; what it cannot see it asks the
table's doctor for. Without a table it tells what it sees by itself.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from flask import Flask, current_app

from kloplei import __version__
from kloplei.diagnostics.findings import bad, doctor_words, good, poor, said, tell
from kloplei.diagnostics.registry import Examination, checks_for_phones, merged
from kloplei.diagnostics.system import VERSIONS, Machine, check_versions
from kloplei.table.client import BadRequest, Finding, FindingState, TableClient, TableUnavailable
from kloplei_panel.feed import Feed
from kloplei_panel.settings import PanelSettings

NAME = "kloplei-checkup"
_WORST_FIRST = (FindingState.BAD, FindingState.POOR, FindingState.GOOD)
_FRESH_S = 3.0  # several phones may look at once


class Checkup:
    """Examines what the panel sees, and asks *table* for the rest; safe from any thread.

    Args:
        table: Whose doctor is asked.
        feed: Knows how many phones follow.
        own: What the panel looks at by itself.
        alone: What it looks at besides while no table answers.
    """

    def __init__(
        self, table: TableClient, feed: Feed, own: Examination, alone: Examination
    ) -> None:
        self._table = table
        self._feed = feed
        self._own = own
        self._alone = alone

    def findings(self) -> tuple[Finding, ...]:
        """Return how each part does, the worst first."""
        table, told = self._ask_the_table()
        found = (*table, *self._phones(), *merged(self._own.findings(), told))
        return tuple(sorted(found, key=lambda one: _WORST_FIRST.index(one.state)))

    def _ask_the_table(self) -> tuple[list[Finding], tuple[Finding, ...]]:
        """Return what can be said of the table itself, and what its doctor found."""
        try:
            seq = self._table.scoreboard().seq
            told = self._table.doctor.examine()
        except TableUnavailable:
            return [bad("table", "table.silent", "do.start-table")], self._alone.findings()
        except BadRequest as error:  # of a version that knows no doctor
            return [said("table", FindingState.POOR, str(error))], self._alone.findings()
        return [good("table", "table.runs", seq=seq), *_apart(told)], told

    def _phones(self) -> Iterator[Finding]:
        facts = {"open": self._feed.watching, "most": self._feed.most}
        if self._feed.watching >= self._feed.most:
            yield poor("panel", "panel.full", "do.more-phones", **facts)
        else:
            yield good("panel", "panel.good", **facts)


@dataclass(frozen=True, slots=True)
class FindingText:
    """A finding in the reader's language."""

    state: FindingState
    mark: str
    part: str
    says: str
    step: str


def tell_findings(findings: Iterable[Finding], language: str) -> list[FindingText]:
    """Return *findings* in *language*."""
    words = doctor_words(language)
    return [
        FindingText(
            one.state,
            words.say(f"state.{one.state}"),
            words.name("part", one.part),
            *tell(one, words),
        )
        for one in findings
    ]


def register(app: Flask, table: TableClient, settings: PanelSettings, feed: Feed) -> None:
    """Let `checkup` find the one of *app*."""
    machine = Machine()
    own = checks_for_phones(machine, settings.where)
    alone = {VERSIONS: lambda: check_versions(machine)}
    app.extensions[NAME] = Checkup(
        table, feed, Examination(own, fresh_s=_FRESH_S), Examination(alone, fresh_s=_FRESH_S)
    )


def checkup() -> Checkup:
    """Return the one of the app that serves this request."""
    found: Checkup = current_app.extensions[NAME]
    return found


def _apart(told: Iterable[Finding]) -> Iterator[Finding]:
    """Yield that table and panel are of different versions, if they are."""
    for one in told:
        table = one.says.facts.get("kloplei") if one.part == VERSIONS else None
        if table is not None and table != __version__:
            yield bad(
                VERSIONS, "versions.apart", "do.restart-table", panel=__version__, table=table
            )
