"""The benchmark of pads: recorded blows, played into a comparator."""

from pathlib import Path

import pytest

from benchmarks import pads
from benchmarks.labels import read_labels
from benchmarks.recordings import first_channel
from kloplei.knock.judgement import Verdict

REAL = Path(__file__).parent.parent / "recordings/real"


@pytest.mark.parametrize("level", [0.25, 0.1, 0.03])
def test_ten_recorded_knocks_are_ten_at_any_level(level: float) -> None:
    samples, rate_hz = first_channel(REAL / "ts_old_data_knuckle.wav")

    found = list(pads.heard(samples, rate_hz, level))

    assert [one.verdict for one in found] == [Verdict.KNOCK] * 10


def test_its_row_tells_hits_and_false_knocks_apart() -> None:
    labels = [one for one in read_labels(REAL) if one.category in ("knock", "negative")]

    coarse, fine = (pads.row(REAL, labels, level) for level in (0.25, 0.03))

    assert coarse.knocks.recall == fine.knocks.recall == 1.0
    assert coarse.on_table.false == 0
    assert fine.on_table.false > 0  # edges alone do not tell a die from a knuckle


def test_a_folder_without_labels_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pads.main(["--data", str(tmp_path)]) == pads.UNREADABLE

    assert "labels.json cannot be read" in capsys.readouterr().err
