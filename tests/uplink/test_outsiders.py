"""Who hears of a table from outside, whatever goes wrong on the way."""

from types import SimpleNamespace
from typing import cast

import pytest

from kloplei.games.moments import Moment
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableClient, TableUnavailable
from kloplei.uplink import outsiders
from kloplei.uplink.outsiders import Outsider
from tests.until import until
from tests.uplink.test_webhook import TABLE, boards


class Stumbler(Outsider):
    """Cannot tell the first moment that it hears of."""

    def __init__(self, table: TableClient) -> None:
        super().__init__(table, "webhook")
        self.has_stumbled = False
        self.heard: list[str] = []

    def happened(self, moment: Moment, board: Scoreboard) -> None:
        if not self.has_stumbled:
            self.has_stumbled = True
            raise ZeroDivisionError
        self.heard.append(moment.name)


def test_a_mistake_of_ours_costs_one_moment(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Home Assistant heard nothing any more until the next start."""
    monkeypatch.setattr(outsiders, "AGAIN_S", 0.01)
    before, after = boards()

    with Stumbler(TABLE) as stumbler:
        stumbler.show(before)
        stumbler.show(after)
        until(lambda: stumbler.has_stumbled)
        stumbler.show(before)
        stumbler.show(after)
        until(lambda: "toep" in stumbler.heard)

    (told,) = caplog.records
    assert told.exc_info is not None
    assert told.exc_info[0] is ZeroDivisionError


def test_a_table_that_is_away_for_a_moment_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[bool] = []

    def agreed() -> tuple[()]:
        asked.append(True)
        if len(asked) == 1:
            raise TableUnavailable("It starts.")
        return ()

    table = cast("TableClient", SimpleNamespace(uplink=SimpleNamespace(agreed=agreed)))
    before, after = boards()

    with Stumbler(table) as stumbler:
        stumbler.has_stumbled = True
        stumbler.show(before)
        stumbler.show(after)
        until(lambda: "toep" in stumbler.heard)

    assert not caplog.records
