"""The race: rows measured in turn, what is missing named, and no count that grows unseen."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.race import counts, history, phones, processes, starts, yardstick
from benchmarks.race.__main__ import ROWS, main, told
from benchmarks.race.row import Measure, Missing, Result, Row, Side, given, run

MOST = {
    "glass-toep": 2_700,
    "glass-trick": 2_085,
    "glass-mark": 68,
    "glass-press": 1.6,
    "glass-ahead": 6.2,
    "modules-slate": 31,
    "modules-page": 94,
    "modules-help": 5,
    "modules-replay": 42,
    "page-first-load": 51.8,
    "page-tarok-sheet": 4.5,
    "judge-steps-quiet": 72_000,
    "judge-steps-voices": 830_000,
    "judge-steps-music": 1_100_000,
    "judge-steps-drumming": 1_235_000,
    "once-event": 1,
    "once-page": 5,
    "once-threads": 0,
    "once-sync": 1,
}
"""What each count may be, hardly more than it is; whoever brings one down writes it here."""


@contextmanager
def absent() -> Iterator[Measure]:
    if MOST:
        raise Missing("pip install it")
    yield float


def row(ours: list[float], theirs: list[float], within: float | None = None) -> Row:
    asked = (given("Kloplei", iter(ours).__next__), given("peer", iter(theirs).__next__))
    return Row("row", "a thing", "ms", (*asked, Side("stranger", absent)), within=within)


def test_sides_are_measured_in_turn_and_compared_by_their_medians() -> None:
    asked: list[str] = []

    def ask(name: str) -> float:
        asked.append(name)
        return 1.0

    sides = (given("Kloplei", lambda: ask("Kloplei")), given("peer", lambda: ask("peer")))
    run(Row("row", "a thing", "ms", sides), 2)

    assert asked == ["Kloplei", "peer", "Kloplei", "peer"]


@pytest.mark.parametrize(("within", "reached"), [(2.0, True), (1.9, False), (None, None)])
def test_the_table_tells_medians_ratios_and_whether_the_reach_is_met(
    within: float | None, reached: bool | None
) -> None:
    result = run(row([4.0, 40.0, 3.0], [2.0, 1.0, 2.0], within), 3)

    assert result.is_reached is reached
    assert result.ratio_to(result.peers[0]) == 2.0
    assert "| 4 (3.5 to 22) | peer 2 (1.5 to 2) | 2 |" in told(result)


def test_who_is_missing_is_named_and_ends_nothing() -> None:
    result = run(row([1.0], [2.0]), 1)

    assert result.absent == (("stranger", "pip install it"),)
    assert [one.name for one in result.figures] == ["Kloplei", "peer"]


def test_who_breaks_is_named_and_ends_nothing() -> None:
    def breaks() -> float:
        raise ConnectionResetError("gone")

    sides = (given("Kloplei", lambda: 1.0), given("peer", breaks))
    result = run(Row("row", "a thing", "ms", sides), 2)

    assert [one.name for one in result.figures] == ["Kloplei"]
    assert result.absent == (("peer", "it broke: ConnectionResetError('gone')"),)


@pytest.mark.parametrize(
    ("unit", "reckoned"), [("ms", "| 44 |"), ("us", "| 44 |"), ("MB", "|  |"), ("bytes", "|  |")]
)
def test_what_takes_time_is_reckoned_for_a_pi(unit: str, reckoned: str) -> None:
    result = run(Row("row", "a thing", unit, (given("Kloplei", lambda: 4.0),)), 1)

    assert told(result, 11.04).endswith(reckoned)
    assert told(result).endswith("|  |")


def test_a_yardstick_of_which_a_pi_s_figure_is_known_says_how_much_slower_it_is() -> None:
    assert yardstick.times_as_long(3.43) == pytest.approx(10.0)
    assert yardstick.a_round_ms() > 0


@pytest.mark.parametrize(
    ("reach", "told_so"),
    [
        ({"under": 5.0}, "under 5: met |"),
        ({"under": 4.0, "why": "paper is slow"}, "under 4: missed: paper is slow |"),
        ({"over": 4.0}, "at least 4: met |"),
        ({"over": 5.0}, "at least 5: missed |"),
    ],
)
def test_the_table_tells_the_reach_and_why_it_is_missed(
    reach: dict[str, Any], told_so: str
) -> None:
    result = run(Row("row", "a thing", "kB", (given("Kloplei", lambda: 4.0),), **reach), 1)

    assert told_so in told(result)


def test_a_row_without_ourselves_reaches_nothing() -> None:
    result = run(Row("row", "a thing", "ms", (Side("Kloplei", absent),), under=3.0), 1)

    assert result.ours is None
    assert result.is_reached is None
    assert "| absent |" in told(result)


@pytest.mark.parametrize("counted", [one for one in ROWS if one.counts], ids=lambda one: one.name)
def test_no_count_grows(counted: Row) -> None:
    """Counts are the same on every machine: CI holds them, and no milliseconds."""
    result = run(counted, 1)
    if counted.name == "once-sync" and result.absent:
        pytest.skip(dict(result.absent)["Kloplei"])

    assert result.ours is not None, result.absent
    assert result.ours.median <= MOST[counted.name]


def test_help_waits_for_nothing_that_it_does_not_need() -> None:
    """pathlib took a tenth of it, and what packs archives was loaded to measure the terminal."""
    loaded = starts.all_modules_of("--help")

    assert not {"pathlib", "shutil", "lzma", "logging", "dataclasses", "inspect"} & {*loaded}


def test_the_syncs_of_an_action_are_those_that_the_kernel_hears(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An action that waits twice would count two; one that does not wait at all, none."""
    play = counts._PLAY
    more = "\n        os.fsync(os.open(sys.argv[1], os.O_RDONLY))"
    at = play.index('("undo"')
    end = play.index("\n", at)
    monkeypatch.setattr(counts, "_PLAY", play[:end] + more + play[end:])
    try:
        assert counts.syncs_of_an_action() == 2
    except Missing as missing:
        pytest.skip(str(missing))


def test_the_last_of_the_phones_is_waited_for_and_a_missing_server_named() -> None:
    with phones.peer("", phones.BARE, 3) as (server, crowd):
        assert crowd.change() > 0
        assert crowd.ask() > 0
        assert processes.threads(server.panel) == 1

    with (
        pytest.raises(Missing, match="no module named 'elephants'"),
        phones.peer("elephants", "", 3),
    ):
        pass


def test_each_row_has_a_name_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0

    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert len({*names}) == len(names) == len(ROWS)


def test_a_row_that_nobody_knows_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["elephants"]) == 2
    assert "--list" in capsys.readouterr().err


def test_the_history_keeps_one_line_a_release(tmp_path: Path) -> None:
    kept = tmp_path / "history.jsonl"
    result = run(row([4.0], [2.0]), 1)

    for version in ("1.0", "1.1", "1.0"):
        history.keep(version, [result], kept)

    assert [one["version"] for one in history.read(kept)] == ["1.1", "1.0"]
    assert history.read(kept)[0]["rows"] == {"row": {"ms": 4.0, "ratio": {"peer": 2.0}}}


def test_the_history_in_the_repository_can_be_read() -> None:
    known = {one.name for one in ROWS}

    assert all(known.issuperset(one["rows"]) for one in history.read())  # type: ignore[arg-type]


def test_a_result_of_nobody_has_no_ratio() -> None:
    assert Result(row([], []), ()).peers == ()
