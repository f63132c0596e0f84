"""``kloplei listen`` as people and tools type it."""

import io
import json
import os
import pty
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.measured_table import MeasuredTable
from kloplei.cli import main
from kloplei.knock.geometry import TableSize
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.recordings._listening import Found, row
from kloplei.simulation.blows import Blow
from tests.cli.processes import KLOPLEI
from tests.recordings.sounds import heavy_knock, knock, sound
from tests.recordings.wavs import wav
from tests.review.blows import blow

KNOCKS_S = (0.5, 0.75, 1.0, 2.0)


def recording(folder: Path, name: str = "knocks.wav", channels: int = 1) -> Path:
    """Write four knocks: three at the first sensor, one at the last, which feels all of them."""
    near, far = sound(2.5, map(knock, KNOCKS_S)), sound(2.5, [knock(2.0, loudness=0.9)])
    others = [[0.3 * one for one in near] for _ in range(channels - 1)]
    if others:
        others[-1] = [a + b for a, b in zip(others[-1], far, strict=True)]
    path = folder / name
    path.write_bytes(wav(near, *others))
    return path


def listened(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert main(["listen", "--json", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def times_s(report: dict[str, object], kind: str = "knocks") -> list[float]:
    entries = report[kind]
    assert isinstance(entries, list)
    return [entry["at_s"] for entry in entries]


def test_json_is_one_object_a_file_in_the_order_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(recording(tmp_path, name)) for name in ("b.wav", "a.wav")]

    reports = listened(capsys, *files)

    assert [report["file"] for report in reports] == files
    assert times_s(reports[0]) == pytest.approx(KNOCKS_S, abs=0.002)
    assert reports[0]["knocks"] == reports[1]["knocks"]


def test_a_knock_says_when_it_was_when_it_was_known_how_hard_and_whose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (report,) = listened(capsys, str(recording(tmp_path)))

    knocks = report["knocks"]
    assert isinstance(knocks, list)
    for one in knocks:
        assert set(one) >= {"at_s", "decided_at_s", "strength", "seat", "confidence"}
        assert one["at_s"] < one["decided_at_s"] < one["at_s"] + 0.1
        assert 0.0 < one["strength"] <= 1.0
        assert one["seat"] is None
    assert (report["duration_s"], report["rate_hz"], report["channels"]) == (2.5, 8000, 1)
    assert [(one["count"], one["seat"]) for one in report["patterns"]] == [(3, None), (1, None)]  # type: ignore[attr-defined]


def test_nothing_is_decided_by_what_comes_after_the_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.wav"
    path.write_bytes(wav(sound(0.52, [knock(0.5)])))

    (report,) = listened(capsys, str(path), "--all")

    heard = [
        one
        for kind in ("knocks", "doubtful", "noise")
        for one in report[kind]  # type: ignore[attr-defined]
    ]
    assert [one["decided_at_s"] <= 0.52 for one in heard] == [True]


def test_noise_that_is_not_told_takes_no_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clicks = [0.9 if at % 1000 == 999 else 0.0 for at in range(16_000)]
    path = tmp_path / "clicks.wav"
    path.write_bytes(wav(clicks))
    kept: list[Judgement] = []
    monkeypatch.setattr(Found, "add", lambda _, judgement: kept.append(judgement))

    listened(capsys, str(path))
    told = [one.verdict for one in kept]
    kept.clear()
    listened(capsys, str(path), "--all")

    assert Verdict.NOISE not in told
    assert [one.verdict for one in kept].count(Verdict.NOISE) >= 1


def test_without_a_table_a_channel_is_a_seat_counted_from_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (report,) = listened(capsys, str(recording(tmp_path, channels=3)))

    assert [one["seat"] for one in report["knocks"]] == [0, 0, 0, 2]  # type: ignore[attr-defined]


def test_a_broken_recording_does_not_keep_the_others_from_being_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.wav"
    broken.write_text("tok tok")
    sound_ones = [str(recording(tmp_path, name)) for name in ("a.wav", "b.wav")]

    code = main(["listen", "--json", sound_ones[0], str(broken), sound_ones[1]])

    told = capsys.readouterr()
    assert code == 2
    assert [json.loads(line)["file"] for line in told.out.splitlines()] == sound_ones
    assert told.err.count("\n") == 1
    assert told.err.startswith(f"kloplei: {broken}: is no WAV file; turn it into one")


def test_a_recording_cut_off_is_answered_and_the_lack_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recording(tmp_path)
    path.write_bytes(path.read_bytes()[: 44 + 2 * 9000])

    assert main(["listen", "--json", str(path)]) == 0

    told = capsys.readouterr()
    assert times_s(json.loads(told.out)) == pytest.approx(KNOCKS_S[:3], abs=0.002)
    assert told.err == f"kloplei: {path}: is cut off: of 2.500 s only 1.125 s are there\n"


def test_the_standard_input_is_listened_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    streamed = recording(tmp_path).read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(streamed)))

    (report,) = listened(capsys, "-")

    assert report["file"] == "-"
    assert times_s(report) == pytest.approx(KNOCKS_S, abs=0.002)


def test_people_get_a_line_a_knock_and_the_pattern_as_it_grows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recording(tmp_path)

    assert main(["listen", str(path)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{path}: 00:02.500, 8000 Hz, 1 channel"
    assert [line.split("-")[-1].strip() for line in lines[1:5]] == [
        "tok",
        "tok tok",
        "tok tok tok",
        "tok",
    ]
    assert lines[5] == "  4 knocks (1 single, 1 triple), 0 doubtful"


def test_a_terminal_that_knows_no_blocks_gets_plain_strokes(tmp_path: Path) -> None:
    done = subprocess.run(
        [*KLOPLEI, "listen", str(recording(tmp_path))],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "##" in done.stdout


def test_progress_goes_to_a_terminal_and_leaves_nothing_behind(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*KLOPLEI, "listen", "--json", str(recording(tmp_path))],
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 10_000)
    os.close(ours)

    assert b"knocks.wav: 00:00.100 of 00:02.500, 0 knocks" in shown
    assert shown.endswith(b"\r\x1b[K")
    assert len(done.stdout.splitlines()) == 1


def test_whoever_stops_reading_ends_it_quietly(tmp_path: Path) -> None:
    files = [str(recording(tmp_path))] * 40
    with subprocess.Popen(
        [*KLOPLEI, "listen", *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()

    assert said == b""
    assert process.returncode == 1


def test_ctrl_c_ends_it_quietly(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*KLOPLEI, "listen", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(wav(sound(1.0, [knock(0.5)]), size=0xFFFFFFFF))
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()

    assert said == b""
    # A shell tells both as 130: amid an `exec` CPython keeps the signal, and ends by it.
    assert process.returncode in (130, -signal.SIGINT)


def test_what_is_heard_is_told_while_it_is_still_being_recorded() -> None:
    with subprocess.Popen(
        [*KLOPLEI, "listen", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(wav(sound(1.0, [knock(0.5)]), size=0xFFFFFFFF))
        process.stdin.flush()
        process.stdout.readline()

        assert b"tok" in process.stdout.readline()


def test_it_starts_without_what_listening_does_not_need(tmp_path: Path) -> None:
    path = recording(tmp_path)
    asked = (
        "import sys; from kloplei.cli import main; "
        f"main(['listen', '--json', {str(path)!r}]); "
        "print([one for one in ('numpy', 'gpiozero', 'luma', 'PIL', 'flask', 'yaml')"
        " if one in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def of_a_table(folder: Path, seats: int = 4, *, clockwise: bool = True) -> tuple[Path, str, int]:
    """Write a knock of the last seat of a table with discs in its corners; return its size too."""
    table = MeasuredTable.of_seed(7600, seats)
    plate = table.plate
    size = TableSize(plate.length_m, plate.width_m)
    corners = size.corners(4) if clockwise else size.corners(4)[::-1]
    cornered = MeasuredTable(plate, table.seats, corners, 7600)
    block = cornered.record(Blow.KNUCKLE, table.seats[-1], before_s=0.3, lasting_s=0.3)
    path = folder / "table.wav"
    path.write_bytes(wav(*block.channels, rate_hz=4000))
    return path, f"{plate.length_m:.2f}x{plate.width_m:.2f}", seats - 1


def test_the_size_of_a_table_tells_its_seats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, size, seat = of_a_table(tmp_path)

    (report,) = listened(capsys, "--table-size", size, "--seats", "4", str(path))

    knocks = report["knocks"]
    assert isinstance(knocks, list)
    assert [one["seat"] for one in knocks] == [seat]
    assert knocks[0]["confidence"] > 0.95


def test_discs_may_be_named_by_their_spots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, size, seat = of_a_table(tmp_path, clockwise=False)
    length, width = map(float, size.split("x"))
    right, near = length - 0.07, width - 0.07
    discs = f"{right}x{near},{right}x0.07,0.07x0.07,0.07x{near}"

    (report,) = listened(capsys, "--table-size", size, "--seats", "4", "--discs", discs, str(path))

    knocks = report["knocks"]
    assert isinstance(knocks, list)
    assert [one["seat"] for one in knocks] == [seat]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--table-size", "1.4x0.8"), "add --seats 4"),
        (("--seats", "4"), "--record"),
        (("--seats-at", "0.1x0.1"), "--table-size"),
        (("--table-size", "1.4x0.8", "--seats", "4", "--discs", "1x0.1,1x0.2"), "2 places"),
        (("--table-size", "1x0.5", "--seats-at", "2x0.1,1x0.2"), "2x0.1 is beside the table"),
    ],
)
def test_half_a_geometry_is_one_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    sentence: str,
) -> None:
    path = recording(tmp_path, channels=4)

    assert main(["listen", *options, str(path)]) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert sentence in line


def test_a_size_that_is_none_is_wrong_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["listen", "--table-size", "big", str(recording(tmp_path))])

    assert "no size of a table" in capsys.readouterr().err


def test_faint_knocks_in_a_row_are_heard_all_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One alone is too faint for anybody; the first is known with the second."""
    row = [heavy_knock(at_s, loudness=0.02) for at_s in (0.5, 0.8, 1.1)]
    reports = []
    for name, blows in (("one.wav", row[:1]), ("row.wav", row)):
        path = tmp_path / name
        path.write_bytes(wav(sound(1.8, blows, rate_hz=4000), rate_hz=4000))
        reports += listened(capsys, str(path), "--all")

    alone, together = reports
    assert times_s(alone) == times_s(alone, "noise") == []
    assert times_s(together) == pytest.approx([0.5, 0.8, 1.1], abs=0.003)
    assert [one["count"] for one in together["patterns"]] == [3]  # type: ignore[attr-defined]
    knocks = together["knocks"]
    assert isinstance(knocks, list)
    assert knocks[0]["decided_at_s"] == knocks[1]["decided_at_s"]


def test_what_was_a_knock_after_all_takes_the_place_of_what_was_said_before() -> None:
    found = Found()
    doubt = blow(Verdict.DOUBTFUL, 1.0)
    amended = replace(blow(Verdict.KNOCK, 1.0), amends=True)

    patterns = [found.add(doubt), found.add(amended), found.add(blow(Verdict.KNOCK, 1.3))]

    assert [one.verdict for one in found.judgements] == [Verdict.KNOCK] * 2
    assert [one.at_s for one in found.those(Verdict.KNOCK)] == [1.0, 1.3]
    assert found.patterns == [patterns[1]]
    assert row(amended, patterns[1], None).endswith("tok tok, after all")
    assert not row(doubt, None, None).endswith("after all")


def test_a_knock_that_is_told_after_one_that_followed_it_begins_their_pattern() -> None:
    found = Found()

    for at_s in (1.3, 1.0, 1.6):
        found.add(blow(Verdict.KNOCK, at_s))

    (pattern,) = found.patterns
    assert (pattern.at_s, pattern.last_s, pattern.count) == (1.0, 1.6, 3)
