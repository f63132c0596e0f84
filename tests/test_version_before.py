"""What a box keeps beside its journal, as the version before wrote it, is read as it was meant.

The folder ``version_before`` holds settings with house rules, two tunings, a backup, and all that
the version that wrote them understood, as ``told.json``; journals are in ``table/journals``.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kloplei.backup import restore
from kloplei.config.reader import load_config
from kloplei.config.settings import JOURNAL
from kloplei.review.calibrations import CalibrationArchive
from kloplei.table.journal import Journal
from kloplei.table.session import Session

WRITTEN = Path(__file__).parent / "version_before"


def told() -> dict[str, Any]:
    """Return what the version before understood."""
    understood: dict[str, Any] = json.loads((WRITTEN / "told.json").read_text(encoding="utf-8"))
    return understood


def plain(record: Any) -> object:
    """Return the dataclass *record* as JSON has it."""
    return json.loads(json.dumps(asdict(record), default=str))


def known_to(before: Any, now: Any) -> Any:
    """Return of *now* what a version knew that understood *before*; settings come, and never go."""
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return now
    return {name: known_to(value, now[name]) for name, value in before.items()}


def test_settings_of_the_version_before_mean_the_same() -> None:
    understood = told()["settings"]
    del understood["panel"]["clients"]  # where nobody says how many, more may follow than before
    del understood["adc"]["rate_hz"]  # where nobody says how often, the bus and the tuning say it

    assert known_to(understood, plain(load_config(WRITTEN / "settings.toml"))) == understood
    assert load_config(WRITTEN / "settings.toml").table.undo == "anybody"


def test_tunings_of_the_version_before_are_read() -> None:
    tunings, written, before = CalibrationArchive(WRITTEN), told()["tuning"], told()["before"]

    assert known_to(written, plain(tunings.load())) == written
    assert known_to(before, plain(tunings.before)) == before
    correction = tunings.load().correction
    assert correction is not None
    assert correction.only_stricter, "what was learned then took off, and added nothing"


def test_a_backup_of_the_version_before_is_restored(tmp_path: Path) -> None:
    restore(WRITTEN / "backup.zip", tmp_path)

    written = told()["tuning"]
    assert known_to(written, plain(CalibrationArchive(tmp_path).load())) == written
    with Journal(tmp_path / JOURNAL) as journal, Session(journal) as table:
        assert journal.salvaged is None
        board = table.scoreboard()
    assert [row.name for row in board.rows] == ["Ann", "Bo", "Cor"]
    assert (board.game, board.phase, board.seq) == ("toepen", "exchange", 6)
