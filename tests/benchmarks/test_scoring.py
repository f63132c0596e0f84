"""Scores of benchmarks: hits, misses, false ones and patterns, on labels small enough to count."""

import json
from pathlib import Path

import pytest

from benchmarks.labels import Labelled, Noise, NoLabels, Pattern, read_labels
from benchmarks.scoring import Detection, Scores, groups, matches, score
from tests.recordings.sounds import sound
from tests.recordings.wavs import wav

DOOR = Labelled("door.wav", "knock", "door_knock", 60.0, (1.0, 1.2, 5.0), ignore_s=(8.0,))


def found(*times_s: float) -> list[Detection]:
    return [Detection(at_s, at_s + 0.05) for at_s in times_s]


def scored(labelled: Labelled, *times_s: float) -> Scores:
    return score([labelled], {labelled.file: found(*times_s)})


@pytest.mark.parametrize(
    ("found_s", "hits", "misses", "false"),
    [
        ((1.0, 1.2, 5.0), 3, 0, 0),
        ((), 0, 3, 0),
        ((1.049, 1.151, 5.051), 2, 1, 1),  # the window is 50 ms
        ((1.0, 1.01, 5.0), 2, 1, 1),  # no two share an onset
        ((1.0, 1.2, 5.0, 8.03), 3, 0, 0),  # to be ignored
        ((1.0, 1.2, 5.0, 8.06), 3, 0, 1),
    ],
)
def test_a_knock_is_found_missed_or_made_up(
    found_s: tuple[float, ...], hits: int, misses: int, false: int
) -> None:
    tally = scored(DOOR, *found_s).knocks["door_knock"]

    assert (tally.hits, tally.misses, tally.false) == (hits, misses, false)


def test_as_many_as_can_be_are_matched() -> None:
    assert list(matches((1.0, 1.04), (1.03, 1.08))) == [(0, 0), (1, 1)]


def test_each_class_of_knock_counts_alike_however_many_there_are() -> None:
    rare = Labelled("rare.wav", "knock", "knuckle", 10.0, (1.0,))

    scores = score([DOOR, rare], {"door.wav": found(1.0, 1.2, 5.0)})

    assert scores.macro_f1 == 0.5
    assert scores.pooled.recall == 0.75


def test_it_counts_from_the_blow_how_far_off_and_how_late() -> None:
    tally = scored(DOOR, 1.002, 1.199).pooled

    assert tally.errors_s == pytest.approx([0.002, -0.001])
    assert tally.delays_s == pytest.approx([0.052, 0.049])


def test_noise_is_counted_a_minute_by_where_it_comes_from() -> None:
    cup = Labelled("cup.wav", "negative", "crockery", 30.0, (), domain="on_table")
    crowd = Labelled("crowd.wav", "negative", "crowd", 120.0, (), domain="airborne")

    scores = score([cup, crowd], {"cup.wav": found(3.0, 4.0), "crowd.wav": found(7.0)})

    assert scores.noises["on_table"].false_per_minute == 4.0
    assert scores.noises["airborne"].false_per_minute == 0.5
    assert scores.noise_classes["crockery"].false == 2


def test_a_scene_blames_what_was_taken_for_a_knock_and_counts_its_patterns() -> None:
    scene = Labelled(
        "scene.wav",
        "scene",
        "scene",
        60.0,
        (1.0, 1.3, 20.0, 30.0),
        patterns=(Pattern(1.0, 2), Pattern(20.0, 1), Pattern(30.0, 1)),
        noises=(Noise(10.0, 11.0, "dice"), Noise(10.5, 12.0, "keys")),
    )

    scores = scored(scene, 1.0, 1.3, 10.2, 10.6, 20.0, 20.2, 40.0)

    tally = scores.scenes["scene"]
    assert tally.blamed == {"dice": 1, "keys": 1, "a knock's own ringing": 1, "background": 1}
    assert (tally.patterns_right, tally.patterns) == (1, 3)
    assert tally.false_per_minute == 4.0


def test_taps_and_drums_are_told_apart_from_knocks() -> None:
    drum = Labelled("drum.wav", "piezo_drum", "drum_piezo", 10.0, (1.0, 2.0))
    tap = Labelled("tap.wav", "tap", "nail", 10.0, (1.0, 2.0))
    pads = Labelled("pads.wav", "piezo_drum_2ch", "drum_piezo", 10.0, (1.0, 2.0), channels=(0, 1))
    struck = [Detection(1.0, seat=0), Detection(2.0, seat=0)]

    scores = score(
        [drum, tap, pads], {"drum.wav": struck, "tap.wav": struck[:1], "pads.wav": struck}
    )

    assert scores.macro_f1 is None
    assert scores.drums.f1 == 1.0
    assert (scores.taps.hits, scores.taps.misses) == (1, 1)
    assert scores.channels == {True: 1, False: 1}


def test_knocks_belong_together_up_to_the_gap() -> None:
    assert groups((1.0, 1.45, 2.0, 2.4, 2.8), gap_s=0.45) == [[1.0, 1.45], [2.0, 2.4, 2.8]]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{", "is no JSON"),
        ("[]", "names no recordings"),
        ("{}", "names no recordings"),
        ('{"files": [3]}', "entry 1 names no recording; give it a 'file'"),
        ('{"files": [{"file": "a.wav"}]}', "a.wav lacks 'category': write it down"),
        ('{"files": [{"file": "a.wav", "category": "knock"}]}', "a.wav lacks 'onsets'"),
        (
            '{"files": [{"file": "a", "category": "thud", "duration": 1}]}',
            "its category is thud, and not one of knock, negative",
        ),
        (
            '{"files": [{"file": "a", "category": "negative", "duration": "long"}]}',
            "'long' is no number",
        ),
        (
            '{"files": [{"file": "a", "category": "knock", "duration": 9, "onsets": [2, 1]}]}',
            "onsets do not run in order at 1 s",
        ),
        ('{"files": [{"file": "gone.wav", "category": "negative"}]}', "gone.wav"),
    ],
)
def test_labels_that_are_none_are_refused_in_one_sentence(
    tmp_path: Path, written: str, told: str
) -> None:
    (tmp_path / "labels.json").write_text(written)

    with pytest.raises(NoLabels) as refused:
        read_labels(tmp_path)

    assert told in str(refused.value)
    assert "docs/bench.md" in str(refused.value)


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoLabels, match="name a folder with one"):
        read_labels(tmp_path)


def test_labels_are_read_as_they_are_written(tmp_path: Path) -> None:
    written = {
        "file": "scene.wav", "category": "scene", "klass": "scene_hard", "duration": 60,
        "onsets": [1.5], "ignore": [2], "patterns": [{"t": 1.5, "count": 1, "gap": 0.2}],
        "negatives": [{"t": 3.0, "end": 4.0, "klass": "dice"}], "source": "made here",
    }  # fmt: skip
    (tmp_path / "labels.json").write_text(json.dumps({"version": 1, "files": [written]}))

    assert read_labels(tmp_path) == (
        Labelled(
            "scene.wav",
            "scene",
            "scene_hard",
            60.0,
            (1.5,),
            ignore_s=(2.0,),
            patterns=(Pattern(1.5, 1),),
            noises=(Noise(3.0, 4.0, "dice"),),
            rig="this",
        ),
    )


def test_what_may_be_left_out_of_labels_is_filled_in(tmp_path: Path) -> None:
    (tmp_path / "oak_glass.wav").write_bytes(wav(sound(2.0)))
    written = {"files": [{"file": "oak_glass.wav", "category": "negative"}]}
    (tmp_path / "labels.json").write_text(json.dumps(written))

    assert read_labels(tmp_path) == (
        Labelled("oak_glass.wav", "negative", "negative", 2.0, (), domain="on_table", rig="oak"),
    )
