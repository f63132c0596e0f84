"""`kloplei listen --record`: its options, its screen and its slate."""

import errno
import io
from pathlib import Path
from typing import Any, NoReturn

import pytest
from luma.core.device import dummy
from PIL import Image

from kloplei.cli import main, record
from kloplei.cli._record_screen import LiveRecord, RecordLines, WithSlate
from kloplei.devices.glass import SlateMissing
from kloplei.recordings.capture.sensors import Troubles
from kloplei.recordings.capture.session import Shown, SlatePrompts, picture_of
from kloplei.words import LANGUAGES, Sentence
from tests.slate.beats import shown


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--record", "f", "a.wav"], "leave it out"),
        (["--record", "f", "--learn", "a.json"], "leave it out"),
        (["--record", "f", "--json"], "labels.json holds it all"),
        (["--record", "f", "--hurry"], "--hurry goes with --virtual"),
        (["--record", "f", "--coupling", "foam"], "--coupling goes with --virtual"),
        (["--record", "f", "--without", "song"], 'no step "song"'),
        (["--virtual", "a.wav"], "go with --record FOLDER"),
        (["--config", "f.toml", "a.wav"], "go with --record FOLDER"),
        ([], "name a recording"),
        (["--channels", "2", "a.wav"], "goes with --live DEVICE"),
        (["--live", "default", "--record", "folder"], "leave files and folders out"),
        (["--live", "--table-size", "1.4x0.8"], "[wood] size"),
        (["--live", "default", "--seats-at", "0.1x0.1"], "--seats-at goes with --table-size"),
        (["--live", "default", "--discs", "corners"], "--discs goes with --table-size"),
        (["--live", "default", "--seats", "4"], "--seats goes with --table-size"),
        (["--top", "planks", "a.wav"], "--top goes with --table-size"),
        (["--discs", "0.1x0.1,0.2x0.2", "a.wav"], "--discs goes with --table-size"),
    ],
)
def test_options_that_do_not_go_together_are_refused_in_one_sentence(
    options: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["listen", *options]) == 2

    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1


def test_a_box_with_pads_alone_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "kloplei.toml"
    settings.write_text("[table]\nseats = 4\n")

    exit_code = main(["listen", "--record", str(tmp_path / "t"), "--config", str(settings)])

    assert exit_code == 1
    assert "edges, not waves" in capsys.readouterr().err
    assert not (tmp_path / "t").exists()


def test_a_disk_with_too_little_room_is_told_before_anybody_knocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "SPARE_BYTES", 10**18)

    exit_code = main(["listen", "--record", str(tmp_path / "t"), "--virtual", "--hurry"])

    assert exit_code == 1
    assert "Make room (df -h)" in capsys.readouterr().err


def test_a_walk_that_was_stopped_says_how_it_goes_on_and_packs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "_walk", lambda *_: False)
    settings = tmp_path / "kloplei.toml"
    command = ["listen", "--record", str(tmp_path / "t"), "--virtual", "--hurry"]

    told = []
    for language in ("en", "nl"):
        settings.write_text(f'[table]\nlanguage = "{language}"\n')
        assert main([*command, "--config", str(settings)]) == 1
        told.append(capsys.readouterr().out)

    assert "the same command goes on where it was stopped" in told[0]
    assert "hetzelfde commando gaat verder waar het ophield" in told[1]
    assert not (tmp_path / "t.zip").exists()


class Terminal(io.StringIO):
    """A terminal of eighty columns, as far as what is written to it goes."""


def test_a_terminal_shows_the_step_the_countdown_and_the_keys() -> None:
    out = Terminal()
    screen = LiveRecord(out, "en")

    screen.show(shown("seat-3-usual", 4.1))

    lines = out.getvalue().splitlines()
    assert lines[0].endswith("seat 3: KNOCK, as you always do")
    assert "NOW" in lines[2]
    assert "[##....]" in lines[2]
    assert "q: stop, and keep all" in lines[5]


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_no_line_of_a_terminal_is_english(language: str) -> None:
    told = {}
    for one in (language, "en"):
        LiveRecord(out := Terminal(), one).show(shown("seat-3-usual", 4.1))
        slate = SlatePrompts(_unplugged, one, Troubles(), lambda: 0.0, 160)
        WithSlate(RecordLines(out, one), slate).show(shown("glass"))
        told[one] = {line for line in out.getvalue().splitlines() if any(map(str.isalpha, line))}

    assert len(told[language]) > 4
    assert told[language] & told["en"] == set()


def _unplugged() -> NoReturn:
    raise SlateMissing(Sentence("oled-unplugged"))


def test_what_is_drawn_again_stays_in_its_place() -> None:
    out = Terminal()
    screen = LiveRecord(out, "en")
    screen.show(shown("glass"))
    out.truncate(0)

    screen.show(shown("glass", 1.0))

    assert "\x1b[6F\x1b[J" in out.getvalue()


def test_without_a_terminal_each_step_is_one_line() -> None:
    out = io.StringIO()
    screen = RecordLines(out, "nl")

    for at_s in (None, 0.5, 2.5, 3.0):
        screen.show(shown("glass", at_s))
    screen.show(shown("seat-1-soft"))

    assert len(out.getvalue().splitlines()) == 2


class Glass(dummy):  # type: ignore[misc] # luma has no types
    """A slate that can be looked at."""

    wire_s = 0.0

    def __init__(self) -> None:
        super().__init__(width=128, height=64, mode="1")


def test_the_slate_shows_what_the_terminal_shows() -> None:
    glass = Glass()
    slate = SlatePrompts(lambda: glass, "nl", Troubles(), lambda: 0.0, 160)
    console = WithSlate(RecordLines(io.StringIO(), "nl"), slate)

    console.show(shown("seat-3-usual", 4.1))

    assert glass.image.tobytes() == picture_of(shown("seat-3-usual", 4.1), "nl").tobytes()
    assert slate.trouble is None


def test_the_slate_is_drawn_when_something_has_changed_and_not_at_every_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[float] = []

    def noting(moment: Shown, language: str, glass: Any) -> Image.Image:
        drawn.append(moment.since_s)
        return picture_of(moment, language, glass)

    monkeypatch.setattr("kloplei.recordings.capture.session.picture_of", noting)
    slate = SlatePrompts(Glass, "nl", Troubles(), lambda: 0.0, 160)

    for at_s in (3.0, 3.01, 3.02, 4.1):
        slate.show(shown("seat-3-usual", at_s))

    assert drawn == [3.0, 4.1]


def test_when_it_is_over_the_slate_says_that_the_table_pauses() -> None:
    glass = Glass()
    slate = SlatePrompts(lambda: glass, "nl", Troubles(), lambda: 0.0, 160)
    asked = glass.image.tobytes()

    slate.close()

    assert glass.image.tobytes() != asked


def test_without_a_slate_the_terminal_says_so_once_and_goes_on_alone() -> None:
    def missing() -> NoReturn:
        raise SlateMissing(errno.ENODEV, "no OLED answers at 0x3C on I2C bus 1")

    out = io.StringIO()
    slate = SlatePrompts(missing, "nl", Troubles(), lambda: 0.0, 160)
    console = WithSlate(RecordLines(out, "nl"), slate)

    console.show(shown("glass"))
    console.show(shown("glass", 1.0))
    slate.close()

    assert out.getvalue().count("Alleen de terminal zegt wat er te doen is.") == 1
    assert "GLAS" in out.getvalue()


def test_time_that_is_not_the_real_one_is_not_waited_for() -> None:
    waited: list[float] = []
    console = WithSlate(RecordLines(io.StringIO(), "nl"), None, waited.append)

    assert console.key(0.04) == ""
    assert waited == [0.04]
