"""The whole bench on a table that is not there, and what can be done with what came out."""

import json
import shutil
import wave
import zipfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks.knocks import compare_hearing
from benchmarks.labels import read_labels
from kloplei.cli import main
from kloplei.games.game import Seat
from kloplei.recordings.capture._labels import LABELS, NotOurFolder
from kloplei.recordings.capture.folder import PAGE, RecordingGone, pack, talk_above_silence_db
from kloplei.recordings.capture.protocol import steps_for

SEATS = 2
STEPS = steps_for([Seat(at) for at in range(SEATS)])
KNOCKS = SEATS * (3 + 6 + 3 + 3 + 3 + 4 + 6)
PRIVATE = ("socket", "secret", "password", "hostname", "/home", "/tmp", "/root", "address")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All that is asked of two people, done in a few seconds."""
    folder = tmp_path_factory.mktemp("bench") / "table"
    command = ["listen", "--record", str(folder), "--virtual", "--hurry", "--seats", str(SEATS)]

    assert main(command) == 0

    return folder


@pytest.fixture
def labels(folder: Path) -> dict[str, Any]:
    labels: dict[str, Any] = json.loads((folder / LABELS).read_text())
    return labels


def test_everything_that_was_asked_for_is_there_with_its_labels(
    folder: Path, labels: dict[str, Any]
) -> None:
    assert {one["step"] for one in labels["files"]} == {step.name for step in STEPS}
    assert all((folder / one["file"]).stat().st_size > 10_000 for one in labels["files"])
    assert len(labels["knocks"]) == KNOCKS
    assert labels["virtual"]
    assert [one["seat"] for one in labels["sensors"]] == [0, 1]


def test_listening_finds_the_knocks_where_the_labels_say(
    folder: Path, labels: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    files = {str(folder / one["file"]): one for one in labels["files"] if one["klass"] == "usual"}

    assert main(["listen", "--json", *files]) == 0

    for line in capsys.readouterr().out.splitlines():
        told = json.loads(line)
        labelled = files[told["file"]]
        found = [one["at_s"] for one in told["knocks"]]
        assert found == pytest.approx(labelled["onsets"], abs=0.005)
        assert {one["seat"] for one in told["knocks"]} == set(labelled["seats"])


def test_seats_are_learned_from_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recordings = sorted(map(str, folder.glob("seat-*.wav")))
    table = tmp_path / "my.toml"

    exit_code = main(
        ["listen", "--learn", str(folder / LABELS), *recordings, "--table", str(table)]
    )

    told = capsys.readouterr().out
    assert exit_code == 0
    assert f"learned {SEATS} seats from {KNOCKS} knocks" in told
    assert table.exists()


def test_the_benchmark_measures_on_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = compare_hearing(folder, read_labels(folder))

    ours = report["Kloplei"]
    assert isinstance(ours, dict)
    told = capsys.readouterr().out
    assert f"usual          P 1.000  R 1.000  F1 1.000  ({6 * SEATS} of {6 * SEATS}" in told
    for noise in ("glass", "cards", "talk", "mains"):
        assert f"  {noise} " in told


def test_there_is_one_file_to_send_with_a_page_inside(folder: Path, labels: dict[str, Any]) -> None:
    with zipfile.ZipFile(pack(folder).path) as packed:
        assert packed.testzip() is None
        assert set(packed.namelist()) == {
            PAGE,
            LABELS,
            *(one["file"] for one in labels["files"]),
        }
        page = packed.read(PAGE).decode()
        for name in packed.namelist():
            if name.endswith(".wav"):
                assert packed.read(name) == (folder / name).read_bytes()
    assert "a virtual table" in page
    assert f"{KNOCKS + 4} knocks found, 0 asked for and not to be seen" in page
    assert "kloplei listen --learn labels.json *.wav" in page


def test_nothing_in_it_says_whose_box_or_which_house_it_is(folder: Path) -> None:
    with zipfile.ZipFile(pack(folder).path) as packed:
        told = (packed.read(PAGE) + packed.read(LABELS)).decode().lower()
        dates = {one.date_time for one in packed.infolist()}

    assert [word for word in PRIVATE if word in told] == []
    assert str(folder.parent).lower() not in told
    assert dates == {(1980, 1, 1, 0, 0, 0)}


def test_the_same_folder_makes_the_same_file(folder: Path) -> None:
    first = pack(folder).path.read_bytes()

    assert pack(folder).path.read_bytes() == first


def test_a_step_can_be_left_out_of_what_is_sent(folder: Path) -> None:
    packed = pack(folder, frozenset({"talk", "soft"}))

    with zipfile.ZipFile(packed.path) as file:
        names = set(file.namelist())
        labels = json.loads(file.read(LABELS))
    assert not {"talk.wav", "seat-1-soft.wav"} & names
    assert "seat-1-usual.wav" in names
    assert {one["file"] for one in labels["knocks"]} <= names
    assert packed.talk_db is None
    assert (folder / "talk.wav").exists()


def test_what_whoever_records_leaves_out_is_not_sent_either(folder: Path) -> None:
    """Recorded once, and thought better of: the file to send is made without it."""
    command = ["listen", "--record", str(folder), "--virtual", "--hurry", "--seats", str(SEATS)]

    assert main([*command, "--without", "talk"]) == 0

    with zipfile.ZipFile(folder.with_suffix(".zip")) as file:
        assert "talk.wav" not in file.namelist()
        assert "glass.wav" in file.namelist()


def test_a_recording_that_was_thrown_away_is_named_and_can_be_left_out(
    folder: Path, tmp_path: Path
) -> None:
    for name in (LABELS, "talk.wav", "silence.wav"):
        shutil.copy(folder / name, tmp_path)
    labels = json.loads((tmp_path / LABELS).read_text())
    labels["files"] = [one for one in labels["files"] if one["klass"] in ("talk", "silence")]
    (tmp_path / LABELS).write_text(json.dumps(labels))
    (tmp_path / "talk.wav").unlink()

    with pytest.raises(RecordingGone, match=r"talk.wav is gone.*--without talk"):
        pack(tmp_path)

    assert pack(tmp_path, frozenset({"talk"})).recordings == 1


def test_how_much_of_the_talk_is_in_it_is_measured(folder: Path) -> None:
    """A voice 58 dB below a knock is a third of a code: less than the last bit's own noise."""
    packed = pack(folder)

    assert packed.talk_db is not None
    assert 0.0 < packed.talk_db < 2.0


def test_talk_that_broke_off_at_once_is_not_compared(folder: Path, tmp_path: Path) -> None:
    labels = json.loads((folder / LABELS).read_text())
    files = [one for one in labels["files"] if one["klass"] in ("silence", "talk")]
    for one in files:
        shutil.copy(folder / one["file"], tmp_path)
    with wave.open(str(tmp_path / "talk.wav"), "wb") as short:
        short.setparams((SEATS, 2, 4000, 0, "NONE", ""))
        short.writeframes(bytes(4 * 4000))

    assert talk_above_silence_db(tmp_path, files) is None


def test_what_is_complete_is_not_recorded_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / LABELS).read_bytes()
    command = ["listen", "--record", str(folder), "--virtual", "--hurry", "--seats", str(SEATS)]

    assert main(command) == 0

    assert (folder / LABELS).read_bytes() == before
    assert "table.zip" in capsys.readouterr().out


def test_nothing_that_is_not_ours_is_packed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()

    with pytest.raises(NotOurFolder, match="name a folder of kloplei listen --record"):
        pack(tmp_path / "mine")

    assert not (tmp_path / "mine.zip").exists()


def test_no_file_outside_the_folder_is_packed_whatever_its_labels_name(
    folder: Path, labels: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "secret.wav").write_bytes((folder / "silence.wav").read_bytes())
    inside = tmp_path / "table"
    inside.mkdir()
    silence = next(one for one in labels["files"] if one["step"] == "silence")
    led_out = {**labels, "files": [{**silence, "file": "../secret.wav"}]}
    (inside / LABELS).write_text(json.dumps(led_out))

    with pytest.raises(NotOurFolder, match="not written by"):
        pack(inside)

    (inside / LABELS).write_text(json.dumps({**labels, "files": [silence]}))
    (inside / "silence.wav").symlink_to(tmp_path / "secret.wav")
    with pytest.raises(RecordingGone, match=r"silence\.wav is gone"):
        pack(inside)
    assert not (tmp_path / "table.zip").exists()


def test_a_head_that_was_changed_is_told(
    folder: Path, labels: dict[str, Any], tmp_path: Path
) -> None:
    silence = next(one for one in labels["files"] if one["step"] == "silence")
    (tmp_path / "silence.wav").write_bytes((folder / "silence.wav").read_bytes())
    (tmp_path / LABELS).write_text(json.dumps({"files": [silence]}))

    with pytest.raises(NotOurFolder, match=r"labels\.json has been changed"):
        pack(tmp_path)
