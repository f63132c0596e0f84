"""The day's plan can be kept: prints begin while somebody is awake, and are ready when wanted."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from hw import plan, prints
from hw.bom import case_rows
from hw.enclosure import PIECES, EnclosureError
from hw.plan import PLANS, PRINTED, Job, minutes_at, taken, total

LARGEST = "full, Pi 4, eight seats"
AWAKE = (7 * 60, 22 * 60 + 30)
AT_WORK = (8 * 60 + 30, 17 * 60)
DAY = 24 * 60


def ends(build: str, job: Job) -> int:
    return job.begins + job.minutes(build)


@pytest.mark.parametrize("build", PLANS)
class TestAPlan:
    def test_each_print_is_ready_when_it_is_wanted(self, build: str) -> None:
        for job in PLANS[build]:
            assert ends(build, job) <= minutes_at(job.needed), job

    def test_one_printer_prints_one_thing_and_somebody_begins_it(self, build: str) -> None:
        for job in PLANS[build]:
            clock = job.begins % DAY
            assert AWAKE[0] <= clock <= AWAKE[1]
            assert job.day == "Saturday" or not AT_WORK[0] < clock < AT_WORK[1]
        for one, after in pairwise(PLANS[build]):
            assert ends(build, one) <= after.begins

    def test_all_of_the_build_is_printed_once(self, build: str) -> None:
        printed = Counter[str]()
        for job in PLANS[build]:
            printed.update(job.pieces(build))

        assert printed == PRINTED[build]
        assert sum(job.minutes(build) for job in PLANS[build]) == total(build)[0]


@pytest.mark.parametrize("build", PRINTED)
def test_a_build_prints_what_the_page_of_the_case_counts(build: str) -> None:
    seats = 4 if "four" in build else 8
    counted = {row.name: row.quantities["full"] for row in case_rows() if row.section == "prints"}
    wanted = {name.split("-")[0]: many for name, many in PRINTED[build].items()}

    assert wanted["body"] == int(counted["body"])
    assert wanted["lid"] == int(counted["lid"])
    assert wanted["bar"] == int(counted["bar"])
    assert wanted["clamp"] == wanted["pad"] == wanted["knob"] == 1
    assert wanted.get("puck", 0) == (0 if "easy" in build else seats)


def test_the_largest_build_takes_what_was_measured_by_another_slicer_run() -> None:
    """24 h and 291 g, before the sockets of the pucks were cut into its body."""
    minutes, grams = total(LARGEST)

    assert minutes == pytest.approx(24 * 60, rel=0.05)
    assert grams == pytest.approx(291, rel=0.03)


def test_what_was_sliced_are_the_pieces_that_there_are() -> None:
    """Run: make prints."""
    assert list(prints.measured()) == [piece.name for piece in PIECES]
    assert taken("puck-27", 8)[0] == 8 * prints.measured()["puck-27"].minutes


def test_it_was_sliced_as_the_page_of_the_case_says() -> None:
    page = plan.CASE.read_text(encoding="utf-8")
    walls, infill = prints.STRONG["clamp"]

    assert f"| Nozzle, layer | {prints.NOZZLE_MM} mm, {prints.LAYER_MM} mm |" in page
    assert f"| Walls | {prints.WALLS} lines; clamp {walls} |" in page
    assert f"| Infill | {prints.INFILL} %; clamp {infill} % |" in page


def test_the_clamp_is_in_the_day() -> None:
    page = plan.PAGE.read_text(encoding="utf-8")
    day = page.split("## The day")[1].split("### The prints")[0]

    assert "clamp" in day
    assert all(any("clamp" in job.parts for job in jobs) for jobs in PLANS.values())


def test_the_pages_are_what_the_prints_make() -> None:
    """Run: make hw."""
    for page, text in plan.pages():
        assert page.read_text(encoding="utf-8") == text


def test_without_a_slicer_it_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(EnclosureError, match="scripts/setup slicer"):
        prints.slice_it(PIECES[0], tmp_path / "none.stl")
