"""The command line as people type it."""

import argparse
import re
import shlex
import signal
import socket
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kloplei.backup import make_backup
from kloplei.cli import demo, main
from kloplei.cli.main import _COMMANDS, build_list, build_parser
from kloplei.cli.terminal import MOST_CHANNELS
from kloplei.config.schema import LAST_CHANNEL
from kloplei.config.settings import JOURNAL
from kloplei.demo.table import Demo
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.table.journal import Journal
from kloplei.table.session import Session
from kloplei.words import LANGUAGES, Words
from kloplei_hub.servers import free_port
from scripts.command_papers import commands_of
from tests.cli.processes import (
    PATIENCE_S,
    comes_true,
    get,
    post,
    rows,
    running,
    wait_for_welcome,
)
from tests.until import until

MOST_MODULES = 90
MOST_FOR_HELP = 32
AT_A_HEADER = """
from gpiozero.pins.mock import MockFactory
from kloplei.devices import box
from kloplei.diagnostics import sensors
box.open_factory = lambda _: MockFactory()
sensors.listens_s = lambda _: 0.0
"""
LOADED_BY = """
import sys
from kloplei.cli import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code
finally:
    print(*(name for name in sys.modules if name.startswith("kloplei")), file=sys.stderr)
"""
TERMINAL = 80  # columns


def test_without_a_command_it_says_how_to_start(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([])

    assert stopped.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])

    told = capsys.readouterr().out
    assert stopped.value.code == 0
    assert all(command in told for command in ("demo", "run", "panel", "replay", "judge"))


@pytest.mark.parametrize("parser", list(commands_of(build_parser())), ids=lambda one: one.prog)
def test_every_help_says_what_it_is_for_and_fits_a_terminal(
    parser: argparse.ArgumentParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(TERMINAL))

    lines = parser.format_help().splitlines()

    assert parser.description
    assert [line for line in lines if len(line) > TERMINAL] == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("dmeo", "no command 'dmeo'; did you mean demo?"),
        ("demo --langauge=nl", "no option --langauge; did you mean --language?"),
        ("--verbsoe demo", "no option --verbsoe; did you mean --verbose?"),
        ("demo --into peizo", "no choice 'peizo'; did you mean piezo?"),
        ("demo --game toeppen", "no choice 'toeppen'; did you mean toepen?"),
        ("demo --game whist", "there is toepen, watten, tarok"),
        ("demo --seat two", "'two' is no whole number"),
        (
            "demo --bots fast",
            "'fast' is no pace from 0.25 to 8; people have 1, and 2 is twice that",
        ),
        ("demo --bots -1", "'-1' is no pace"),
        ("demo --bots nan", "'nan' is no pace"),
        ("demo --bots 30", "'30' is no pace from 0.25 to 8"),  # it played at 8 without a word
        ("demo --bots 0.1", "'0.1' is no pace from 0.25 to 8"),
        ("voice remove toep", "'toep' is no whole number"),
        ("listen ''", "'': names no file"),
        ("judge --game Waten HA", "does not know the game 'Waten'; did you mean watten?"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(shlex.split(typed))
    except SystemExit as stopped:
        code = stopped.code  # type: ignore[assignment]

    assert code == 2
    assert meant in capsys.readouterr().err


def test_a_folder_that_is_none_is_named_as_it_was_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It read "see [table] data", a setting that nobody had seen."""
    (tmp_path / "notes").touch()

    assert main(["demo", "--data", str(tmp_path / "notes")]) == 2

    said = capsys.readouterr().err
    assert f"--data {tmp_path / 'notes'} is no folder to write to" in said
    assert "[table]" not in said


def test_a_seat_the_table_does_not_have_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo", "--seat", "9"]) == 2
    assert capsys.readouterr().err == "kloplei: --seat 9: the table has seats 1 to 8\n"


def test_a_recording_that_is_none_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "knock.wav"
    text.write_text("tok tok")

    assert main(["demo", "--play", str(text)]) == 2
    assert capsys.readouterr().err.startswith(f"kloplei: {text}: is no WAV file; ")


@pytest.mark.parametrize(
    ("closed", "exit_code", "said"),
    [
        ("<&-", 2, "kloplei: standard input: is empty; record it anew\n"),
        ("< /dev/null >&-", 2, "kloplei: standard input: is empty; record it anew\n"),
        ("< /dev/null 2>&-", 2, ""),
        ("<&- >&- 2>&-", 2, ""),
    ],
)
def test_a_closed_stream_is_no_traceback(closed: str, exit_code: int, said: str) -> None:
    done = in_a_shell(f"listen - {closed}")

    assert (done.returncode, done.stderr, done.stdout) == (exit_code, said, "")


def test_an_answer_that_finds_no_room_is_told_in_one_sentence() -> None:
    done = in_a_shell("judge --game toepen H7 HA > /dev/full")

    assert done.returncode == 1
    assert re.fullmatch(r"kloplei: cannot go on: .*No space left on device.*\n", done.stderr)


def test_a_name_that_nobody_can_spell_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")
    monkeypatch.chdir(tmp_path)

    done = in_a_shell('doctor --report --config "$(printf "odd\\377")"')

    assert done.returncode == 1
    assert "odd\\udcff" in done.stdout
    assert done.stderr == ""


def loaded_by(script: str, *arguments: str) -> set[str]:
    """Return which modules of ours are loaded when a command of a new process ends."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "command", ["doctor --json", "backup FILE", "restore FILE", "export", "export --as json"]
)
def test_a_command_loads_what_it_needs_and_not_the_whole_box(command: str, tmp_path: Path) -> None:
    """The doctor read 247 modules to print twelve lines; a Pi Zero takes seconds for that."""
    file, settings = tmp_path / "kept.zip", tmp_path / "kloplei.toml"
    settings.write_text(
        f"""
        table.data = "{tmp_path}"
        socket.path = "{tmp_path}/nobody.sock"
        slate.driver = "none"
        """
    )
    with Journal(tmp_path / JOURNAL) as journal, Session(journal) as table:
        table.submit(Seat(0), "sit_down", facts={"name": "Thijs"})
    make_backup(tmp_path, file, datetime.now(UTC))

    asked = command.replace("FILE", str(file)).split()
    script = AT_A_HEADER + LOADED_BY if command.startswith("doctor") else LOADED_BY
    loaded = loaded_by(script, *asked, "--config", str(settings))

    assert len(loaded) <= MOST_MODULES, sorted(loaded)


def test_as_many_channels_may_be_named_as_the_settings_take() -> None:
    """The command line knows the number by itself: help waits for no setting."""
    assert MOST_CHANNELS == LAST_CHANNEL + 1


@pytest.mark.parametrize("command", ["", "run", "demo", "doctor", "export", "replay", "listen"])
def test_help_loads_no_game_and_no_part_of_the_box(command: str) -> None:
    loaded = loaded_by(LOADED_BY, *command.split(), "--help")

    parts = {".".join(name.split(".")[:3]) for name in loaded}
    assert not parts & {f"kloplei.games.{game}" for game in GAMES}
    assert not {name.split(".")[1] for name in loaded if "." in name} & {
        *("devices", "slate", "review", "unit", "config", "network", "diagnostics"),
    }
    assert not any(name.startswith("kloplei_panel") for name in loaded)
    assert len(loaded) <= MOST_FOR_HELP, sorted(loaded)


@pytest.mark.parametrize("command", sorted(_COMMANDS))
def test_a_command_alone_is_told_as_among_all_others(command: str) -> None:
    told = {one.prog: one.format_help() for one in commands_of(build_parser())}

    alone = {one.prog: one.format_help() for one in commands_of(build_parser(command))}

    assert f"kloplei {command}" in alone
    assert alone.items() <= told.items() | {("kloplei", alone["kloplei"])}


def test_the_list_of_all_commands_is_told_without_loading_them() -> None:
    assert build_list().format_help() == build_parser().format_help()


def in_a_shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m kloplei {command}', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_taken_port_is_named_with_the_next_step(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        assert main(["demo", "--port", str(port)]) == 1

    said = capsys.readouterr().err
    assert f"Port {port}" in said
    assert f"--port {port + 1}" in said


@pytest.mark.parametrize("port", ["http", "65536", "-1", "", "٣"])
def test_what_is_no_port_is_told_what_one_is(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["demo", f"--port={port}"])

    assert "a port is a number from 0 to 65535" in capsys.readouterr().err


def test_the_demo_seats_four_and_hears_a_knock_on_the_virtual_pin() -> None:
    port = free_port()
    with running("demo", "--port", str(port)) as process:
        welcome = wait_for_welcome(process)
        url = f"http://127.0.0.1:{port}"
        before = get(f"{url}/api/v1/scoreboard")
        post(f"{url}/demo/seats/4/knock", {"times": 2})
        assert comes_true(url, "phase", "exchange", within_s=PATIENCE_S)
        after = get(f"{url}/api/v1/scoreboard")

    assert f"{url}/demo" in welcome
    assert [row["name"] for row in rows(before)] == ["Thijs", "Tame", "Thomas", "Stan"]
    assert (before["phase"], before["dealer"]) == ("between_hands", 4)
    assert (after["stake"], after["leader"]) == (1, 1)


def test_the_show_plays_by_itself_and_says_where_to_look() -> None:
    port = free_port()
    with running("demo", "--port", str(port), "--show", "--bots", "8", "--language", "en") as shown:
        welcome = wait_for_welcome(shown)
        url = f"http://127.0.0.1:{port}"
        until(lambda: get(f"{url}/api/v1/scoreboard")["phase"] != "between_hands")

    assert f"all at once    {url}/demo/show" in welcome


def test_a_killed_demo_stands_again_with_the_same_hand_and_stake(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with running("demo", "--port", str(port), "--data", str(tmp_path)) as process:
        wait_for_welcome(process)
        post(f"{url}/api/v1/seats/4/actions", {"action": "deal"})
        post(f"{url}/api/v1/seats/2/actions", {"action": "knock"})
        before = get(f"{url}/api/v1/scoreboard")
        process.send_signal(signal.SIGKILL)
        process.wait()
    with running("demo", "--port", str(port), "--data", str(tmp_path)) as process:
        wait_for_welcome(process)
        after = get(f"{url}/api/v1/scoreboard")

    assert after == before
    assert (after["phase"], after["stake"]) == ("answering", 2)


def test_a_locked_demo_tells_its_pin() -> None:
    """While a hand runs the slate has no room for it, and the page asks for it."""
    with running("demo", "--port", str(free_port()), "--locked", "--language", "en") as process:
        welcome = wait_for_welcome(process)

    assert re.search(r"give the PIN \d{4,8}\n", welcome)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_demo_welcomes_in_its_own_language(language: str) -> None:
    ours, english = (
        demo._welcome(Words(one), "127.0.0.1", 8080, "1234").splitlines()
        for one in (language, "en")
    )

    assert [one[one.index("http") :] for one in ours[1:4]] == [
        "http://127.0.0.1:8080/demo",
        "http://127.0.0.1:8080/",
        "http://127.0.0.1:8080/tv",
    ]
    assert "1234" in ours[4]
    assert "Ctrl-C" in ours[5]
    assert language == "en" or set(ours) & set(english) == set()


def test_a_demo_of_another_game_than_the_evening_that_was_kept_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Demo(tmp_path):
        pass

    assert main(["demo", "--port", "0", "--data", str(tmp_path), "--game", "watten"]) == 2

    assert "--game watten" in capsys.readouterr().err


def test_ctrl_c_and_sigterm_end_the_demo_politely() -> None:
    for ask in (signal.SIGTERM, signal.SIGINT):
        with running("demo", "--port", str(free_port())) as process:
            wait_for_welcome(process)
            process.send_signal(ask)
            said, complaints = process.communicate(timeout=PATIENCE_S)

        assert (process.returncode, complaints) == (0, "")
        assert said.endswith("Tot de volgende keer.\n")


def test_the_first_slate_stands_before_flask_is_imported() -> None:
    script = textwrap.dedent(
        """
        import os, signal, sys, threading
        from kloplei.cli import main
        from kloplei.devices.virtual import VirtualOled

        display = VirtualOled.display
        def watched(oled, image):
            if not oled.first_frame.is_set():
                print("flask" in sys.modules, "kloplei_panel" in sys.modules, flush=True)
            display(oled, image)
        VirtualOled.display = watched
        write = sys.stdout.write
        def stop_when_welcome(text):
            write(text)
            if "Ctrl-C" in text:
                print("flask" in sys.modules, flush=True)
                os.kill(os.getpid(), signal.SIGTERM)
        sys.stdout.write = stop_when_welcome
        main(["demo", "--port", "0"])
        """
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.splitlines()[0] == "False False"
    assert "True" in done.stdout  # Flask did come, afterwards
