"""The protocol of docs/bench.md, on rigs small enough to make up."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from benchmarks import knocks, virtual_rigs
from benchmarks.labels import check_recordings, entries, read_labels
from benchmarks.protocol import (
    BITS,
    LESSONS,
    LEVELS_DB,
    PROTOCOL,
    RATES_HZ,
    USUAL,
    Condition,
    converted,
)
from benchmarks.recordings import Ear, with_judge
from benchmarks.rigs import Answer, answers, heard_untaught, rigs_of, risk, teaching
from benchmarks.scoring import Detection
from kloplei.knock import classifier
from kloplei.knock.detector import CompanyLines
from kloplei.simulation.blows import Blow
from tests.recordings.sounds import knock, sound
from tests.recordings.wavs import wav

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "benchmarks/results.schema.json").read_text())
RIGS = ("elm", "oak")
ONSETS_S = [0.5 + 0.6 * at for at in range(12)]
NOISES = 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve knocks of two rigs, and four hisses of each that begin at once; nothing optional."""
    luck = np.random.default_rng(1)
    files: list[dict[str, Any]] = []
    for rig, loudness in zip(RIGS, (0.5, 0.3), strict=True):
        blows = [knock(at_s, loudness) for at_s in ONSETS_S]
        (tmp_path / f"{rig}_knocks.wav").write_bytes(wav(sound(8.0, blows)))
        files.append({"file": f"{rig}_knocks.wav", "category": "knock", "onsets": ONSETS_S})
        for at in range(NOISES):
            hiss = [*sound(0.5), *luck.normal(0, 0.1, 2400), *sound(0.5)]
            name = f"{rig}_hiss{at}.wav"
            (tmp_path / name).write_bytes(wav([float(one) for one in hiss]))
            files.append({"file": name, "category": "negative"})
    (tmp_path / "labels.json").write_text(json.dumps({"files": files}))
    return tmp_path


@pytest.fixture
def few_blows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_rigs, "BLOWS", {Blow.KNUCKLE: 2, Blow.GLASS: 1})


@pytest.fixture
def no_trainer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to train with, nor anything of others."""
    for name in ("sklearn", "sklearn.exceptions", "scripts.train_knocks", "aubio", "librosa"):
        monkeypatch.setitem(sys.modules, name, None)


def test_without_a_trainer_all_else_is_measured_and_fits_its_schema(
    folder: Path,
    tmp_path: Path,
    no_trainer: None,
    few_blows: None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    figures = tmp_path / "figures.json"

    parts = ["--only", "hearing,levels,rigs,tables", "--quick", "--json", str(figures)]
    assert knocks.main(["--data", str(folder), *parts]) == 0

    report = json.loads(figures.read_text())
    jsonschema.validate(report, SCHEMA)
    assert set(report["settings"]) == {"Kloplei", "fixed threshold"}
    assert set(report["absent"]) == {"linear model", "large network", "aubio", "librosa"}
    assert report["rigs"]["trained_anew"] is False
    untaught = report["rigs"]["left_out"]["Kloplei"]["lessons"][0]
    assert set(untaught["rigs"]) == set(RIGS)
    (there,) = report["tables"]["Kloplei"]["lessons"]  # of two knocks none is left to be asked
    assert there["rigs"]["virtual0"]["hits"] + there["rigs"]["virtual0"]["misses"] == 2
    told = capsys.readouterr()
    assert "rigs left out, 5 knocks and 3 noises taught" in told.out
    for name in report["absent"]:
        assert f"{name} is absent: " in told.out
    assert "No judge was trained anew" in told.out
    assert "levels: -12 dB, 4 kHz, 10 bits" in told.err


def test_the_page_tells_the_ladders_and_lessons_that_are_measured() -> None:
    page = (ROOT / "docs/bench.md").read_text(encoding="utf-8")

    *first, last = (f"{one:g}" for one in LEVELS_DB)
    assert f"{', '.join(first)} and {last} dB" in page
    *first, last = (f"{one / 1000:g}" for one in RATES_HZ)
    assert f"{', '.join(first)} and {last} kHz" in page
    *first, last = map(str, BITS)
    assert f"{', '.join(first)} and {last} bits" in page
    assert LESSONS == ((0, 0), (5, 3), (20, 20), (60, 60))
    assert "5 knocks and 3 noises, 20 and 20, 60 and 60" in page
    assert f"**protocol {PROTOCOL}**" in page
    for name in SCHEMA["properties"]:
        assert f"`{name}`" in page, name


@pytest.mark.parametrize("unseen", ["pine", "elm,pine"])
def test_a_rig_to_be_kept_unseen_has_to_be_there(
    folder: Path, unseen: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert knocks.main(["--data", str(folder), "--unseen", unseen]) == 2

    assert "--unseen pine is no rig of this folder; it has elm, oak" in capsys.readouterr().err


def test_a_recording_that_is_missing_is_named_with_what_to_do(folder: Path) -> None:
    (folder / "oak_hiss2.wav").unlink()

    with pytest.raises(ValueError, match=r"oak_hiss2\.wav"):
        check_recordings(folder, read_labels(folder))


def test_a_converter_turns_down_thins_out_and_rounds() -> None:
    at_s = np.arange(8000) / 8000
    tone = list(0.8 * np.sin(2 * np.pi * 200 * at_s))

    codes = converted(tone, 8000, Condition(-12.0, 4000, 10), "tone")
    again = converted(tone, 8000, Condition(-12.0, 4000, 10), "tone")

    assert len(codes) == 4000
    assert list(codes) == list(again)
    expected = 512 * 0.8 * 10 ** (-12 / 20) * np.sin(2 * np.pi * 200 * np.arange(4000) / 4000)
    assert np.std(codes - expected) == pytest.approx((1 + 1 / 12) ** 0.5, rel=0.1)


def test_a_converter_lets_nothing_above_half_its_rate_through_and_clips() -> None:
    at_s = np.arange(8000) / 8000
    high = list(0.8 * np.sin(2 * np.pi * 2900 * at_s))

    # But where it begins and ends at once, which has all frequencies.
    assert np.abs(converted(high, 8000, USUAL, "high")[50:-50]).max() < 16
    assert converted([2.0, -2.0], 4000, USUAL, "loud").tolist() == [511, -512]


def test_what_is_taught_is_not_asked(folder: Path) -> None:
    rig = rigs_of(read_labels(folder))[0]

    taught = teaching(rig, folder, (5, 3), draw=0)

    assert taught is not None
    knocks_s = [one.at_s for one in taught.lessons if one.is_knock]
    noises = {one.file for one in taught.lessons if not one.is_knock}
    (asked,) = taught.knocks
    assert len(knocks_s) == 5
    assert set(asked.onsets_s) == set(ONSETS_S) - set(knocks_s)
    assert set(asked.ignore_s) == set(knocks_s)
    assert len(noises) == NOISES // 2  # half of them are left
    assert noises.isdisjoint(one.file for one in taught.noises)
    assert all(
        one.at_s == pytest.approx(0.5, abs=0.05) for one in taught.lessons if not one.is_knock
    )
    other = teaching(rig, folder, (5, 3), draw=1)
    assert other is not None
    assert taught.lessons != other.lessons
    assert teaching(rig, folder, (20, 20), draw=0) is None


def test_every_rig_counts_alike_in_recall(folder: Path) -> None:
    elm, oak = rigs_of(read_labels(folder))

    all_of_it = heard_untaught(elm, {"elm_knocks.wav": [Detection(at_s) for at_s in ONSETS_S]})
    none = heard_untaught(oak, {"oak_hiss0.wav": [Detection(0.5)]})

    assert (all_of_it[0].recall, all_of_it[1].false) == (1.0, 0)
    assert (none[0].recall, none[1].false) == (0.0, 1)


def test_risk_is_told_of_what_is_answered_and_of_the_surest() -> None:
    given = [Answer(0.99, True), Answer(0.9, False), Answer(0.4, True), Answer(0.1, False)]

    told = risk(given)

    assert told["answered"] == 0.75
    assert told["wrong"] == pytest.approx(1 / 3)
    assert told["curve"] == [[0.25, 0.0], [0.5, 0.5], [0.75, 0.3333], [1.0, 0.5]]


def test_a_knock_that_woke_nobody_is_an_answer_as_well(folder: Path) -> None:
    rig = rigs_of(read_labels(folder))[0]
    silent: dict[str, Any] = {"knocks": [], "doubtful": [], "noise": []}
    hiss = {**silent, "knocks": [{"at_s": 0.5, "likelihood": 0.7}]}

    given = answers(rig, {one.file: silent for one in rig.all} | {"elm_hiss0.wav": hiss})

    assert sum(one.counts for one in given if one.is_knock) == pytest.approx(1.0)
    assert {one.likelihood for one in given if one.is_knock} == {0.0}
    assert [one for one in given if not one.is_knock] == [Answer(0.7, is_knock=False)]


def test_another_judge_is_listened_to_by_the_same_ears(folder: Path, tmp_path: Path) -> None:
    judge = json.loads((ROOT / "firmware/kloplei/knock/judge.json").read_text())
    for one in judge["rates"].values():
        for network in one["networks"]:
            network["outs"] = [-9.0, *([0.0] * len(network["outs"][1:]))]
    labels = [one for one in read_labels(folder) if one.category == "knock"]

    ours = Ear().knocks(folder, labels)
    deaf = with_judge(judge, tmp_path / "deaf").listen(folder, labels)

    assert ours["elm_knocks.wav"]
    assert not any(one["knocks"] for one in deaf.values())
    assert all(one["noise"] for one in deaf.values())


def test_an_ear_counts_company_by_the_lines_that_it_is_given(folder: Path) -> None:
    labels = [one for one in read_labels(folder) if one.category == "knock"]
    never_asked = Ear(lines=CompanyLines(most_milder=2.0))  # nothing here is soft
    alone_or_never = Ear(lines=CompanyLines(surer_in_a_row=-20.0))

    ours = Ear().knocks(folder, labels)
    heard = alone_or_never.knocks(folder, labels)

    assert never_asked.knocks(folder, labels) == ours
    assert [len(one) for one in ours.values()] == [len(ONSETS_S)] * len(RIGS)
    assert heard == {file: knocks[:1] for file, knocks in ours.items()}


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The trainer, with few lessons from elsewhere; where `make train` or `make bench` ran."""
    pytest.importorskip("sklearn")
    from scripts import train_knocks

    for name, few in (("TABLES", 0), ("WIRES", 1), ("MINUTES", 1)):
        monkeypatch.setattr(train_knocks, name, few)
    monkeypatch.setattr(train_knocks, "EPOCHS", 2)
    yield train_knocks


def test_a_rig_that_is_left_out_is_in_no_lesson(folder: Path, trainer: Any) -> None:
    assert "elm" in repr(trainer.gather(folder))
    assert "elm" not in repr(trainer.gather(folder, without=["elm"]))


def test_linear_and_large_are_judges_as_kloplei_reads_them(folder: Path, trainer: Any) -> None:
    from benchmarks.judges import Kind, trained

    judges = trained(folder, [4000], list(Kind), without=["elm"])

    for kind in Kind:
        rate = judges[kind]["rates"]["4000"]
        judge = classifier.classifier_of(rate)
        assert judge.usual
    linear = judges[Kind.LINEAR]["rates"]["4000"]["networks"][0]
    bias, *weights = linear["units"][0]
    out, certainty, _ = linear["outs"]
    network = classifier.NeuralNetwork(linear["units"], linear["outs"])
    seen = np.random.default_rng(0).normal(0, 1, len(weights))
    straight = out + certainty * (bias + np.array(weights) @ seen)
    assert network.log_odds(tuple(seen)) == pytest.approx(straight)
    large = judges[Kind.LARGE]["rates"]["4000"]["networks"][0]
    assert len(large["units"]) == 10 * trainer.UNITS


def test_lessons_that_were_kept_are_the_same(folder: Path, tmp_path: Path, trainer: Any) -> None:
    kept = tmp_path / "kept"

    first = trainer.gather(folder, kept=kept)
    files = {one: one.stat().st_mtime_ns for one in kept.iterdir()}
    again = trainer.gather(folder, kept=kept)

    assert again == first
    assert {one: one.stat().st_mtime_ns for one in kept.iterdir()} == files


def test_every_field_is_filled_in_for_the_trainer(folder: Path) -> None:
    for one in entries(folder):
        assert {"file", "category", "klass", "onsets", "ignore", "gain_db", "domain", "rig"} <= {
            *one
        }


def test_what_is_published_stands_between_its_marks_and_is_the_same_twice(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from benchmarks import plots

    heard = {"recall": 0.5, "false_per_minute": 2.0, "rigs": {}}
    outcome = {
        "lessons": [{"knocks": 0, "noises": 0, **heard}, {"knocks": 5, "noises": 3, **heard}],
        "levels": [],
        "risk": risk([Answer(0.9, is_knock=True), Answer(0.3, is_knock=False)]),
    }
    rung = {"level_db": 0.0, "rate_hz": 4000, "bits": 10}
    report = {
        "protocol": PROTOCOL,
        "extent": "quick",
        "judge": "0123456789ab",
        "data": {"rigs": {"elm": {"knocks": 12, "noise_recordings": 4}}},
        "absent": {"aubio": "it is compiled"},
        "settings": {"Kloplei": "as it comes"},
        "levels": [{**rung, "methods": {"Kloplei": {"knock_macro_f1": 0.875}}}],
        "rigs": {"met": {"Kloplei": outcome}, "left_out": {"Kloplei": outcome}},
    }
    page = tmp_path / "page.md"
    page.write_text(f"before\n{plots.BEGIN}\nold\n{plots.END}\nafter\n")

    plots.publish(report, page, tmp_path / "first")
    told = page.read_text()
    plots.publish(report, page, tmp_path / "second")

    assert told.startswith("before\n")
    assert told.endswith("\nafter\n")
    assert "old" not in told
    assert "| rigs left out, 5 knocks and 3 noises taught | 0.500, 2.0" in told
    assert "Kloplei's judge `0123456789ab`. Rigs: elm (12 knocks, 4 noises). Absent: aubio" in told
    assert page.read_text() == told
    names = {"bench-lessons.svg", "bench-risk.svg", "bench-ladders.svg"}
    assert {one.name for one in (tmp_path / "first").iterdir()} == names
    for name in names:
        first, second = (tmp_path / turn / name for turn in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()
