"""Whole evenings, written down, replay to the last drink."""

from pathlib import Path

import pytest
import yaml

from kloplei.records.reading import read_records
from kloplei.rules import watten

EVENINGS = sorted(Path(__file__).parent.glob("*.yaml"))


def test_there_are_evenings() -> None:
    assert len(EVENINGS) >= 2


def test_there_is_an_evening_of_each_watten() -> None:
    written = yaml.safe_load((Path(__file__).parent / "watten.yaml").read_text("utf-8"))
    records = written["examples"] if isinstance(written, dict) else written

    played = {(one["variant"], len(one["players"])) for one in records}

    assert {variant for variant, _ in played} == set(watten.VARIANTS)
    assert {number for variant, number in played if variant == "tyrol"} == {2, 3, 4}


@pytest.mark.parametrize("path", EVENINGS, ids=lambda path: path.stem)
def test_an_evening_replays(path: Path) -> None:
    for record in read_records(str(path)):
        assert record.play().difference is None
