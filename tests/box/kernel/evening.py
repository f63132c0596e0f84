"""In the guest: `kloplei run` on the kernel's pins, a hand of toepen, and its journal as JSON."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from kloplei.config.settings import JOURNAL
from kloplei.games.game import Seat
from kloplei.games.scoreboard import Scoreboard
from kloplei.table.client import TableUnavailable
from kloplei.table.rpc_client import remote_table

FOLDER = Path("/run/evening")
SETTINGS_FILE = FOLDER / "kloplei.toml"
SIM = Path(os.environ.get("GPIO_SIM", "/run"))
PATIENCE_S = 60.0
BLOW_S = 0.02  # so long a comparator pulls its wire down; an emulated one has no less
PADS = (17, 27, 22)
BUTTONS = (5, 6, 13)
SETTINGS = f"""
[table]
seats = 3
data = "{FOLDER}"

[slate]
driver = "none"

[socket]
path = "{FOLDER}/table.sock"

[timing]
settle_s = 0.05  # an emulated machine writes slower than a contact bounces
""" + "\n".join(
    f"[seat.{number}]\npad = {pad}\nbutton = {button}"
    for number, (pad, button) in enumerate(zip(PADS, BUTTONS, strict=True), start=1)
)


def pull(pin: int, *, low: bool) -> None:
    """Pull the wire of *pin* as a comparator or a button would."""
    (SIM / f"sim_gpio{pin}/pull").write_text("pull-down" if low else "pull-up")


def knock(seat: Seat) -> None:
    """Strike the wood at *seat* once."""
    pull(PADS[seat], low=True)
    time.sleep(BLOW_S)
    pull(PADS[seat], low=False)


def knock_twice() -> None:
    """Strike the wood at seat 3 twice, as who folds does."""
    knock(Seat(2))
    time.sleep(0.3)
    knock(Seat(2))


def hold(seat: Seat) -> None:
    """Hold the button of *seat* as long as one does who means it."""
    pull(BUTTONS[seat], low=True)
    time.sleep(1.5)
    pull(BUTTONS[seat], low=False)


class Evening:
    """The unit of the table as a process, and what it says over its socket."""

    def __init__(self) -> None:
        FOLDER.mkdir()
        SETTINGS_FILE.write_text(SETTINGS)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kloplei", "run", "--config", SETTINGS_FILE], cwd=FOLDER
        )
        self.table = remote_table(FOLDER / "table.sock", patience_s=PATIENCE_S)

    def board(self) -> Scoreboard | None:
        try:
            return self.table.scoreboard()
        except TableUnavailable:
            assert self.process.poll() is None, "the table ended"
            return None

    def until(self, fits: Callable[[Scoreboard], bool]) -> Scoreboard:
        """Return the first scoreboard that *fits*."""
        until_s = time.monotonic() + PATIENCE_S
        while (board := self.board()) is None or not fits(board):
            assert time.monotonic() < until_s, board
            time.sleep(0.1)
        return board

    def unheard(self, knocks: Callable[[], None]) -> None:
        """Let *knocks* happen while the table's process stands still, and go on.

        It reads all edges in one go then: only the kernel can tell how far apart they were.
        """
        self.process.send_signal(signal.SIGSTOP)
        knocks()
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self.table.close()
        self.process.terminate()
        assert self.process.wait(PATIENCE_S) == 0


def seated(number: int) -> Callable[[Scoreboard], bool]:
    """Return whether so many sit at the table of a scoreboard."""
    return lambda board: len(board.rows) == number


def play(evening: Evening) -> None:
    """Three sit down, one deals, one knocks; one folds by two knocks, and one stays by one."""
    evening.until(lambda board: True)
    for number, seat in enumerate(map(Seat, range(3)), start=1):
        knock(seat)
        evening.until(seated(number))
    hold(Seat(0))
    dealer = evening.until(lambda board: board.phase == "between_hands").dealer
    assert dealer is not None
    hold(dealer)
    evening.until(lambda board: board.phase != "between_hands")
    knock(Seat(1))
    evening.until(lambda board: board.stake == 2)
    evening.unheard(knock_twice)
    evening.until(lambda board: Seat(2) not in board.to_answer)
    knock(Seat(0))
    evening.until(lambda board: not board.to_answer)


def holders() -> dict[int, str]:
    """Return who holds which pin, as the kernel says."""
    import lgpio

    chip = lgpio.gpiochip_open(0)
    lines = {pin: lgpio.gpio_get_line_info(chip, pin) for pin in (*PADS, *BUTTONS)}
    lgpio.gpiochip_close(chip)
    return {pin: line[4] for pin, line in lines.items()}


def doctor() -> list[dict[str, str]]:
    """Return what `kloplei doctor` finds beside the running table."""
    command = [sys.executable, "-m", "kloplei", "doctor", "--json", "--config", str(SETTINGS_FILE)]
    return list(json.loads(subprocess.run(command, capture_output=True, text=True).stdout))


def doctor_beside_a_stranger() -> list[dict[str, str]]:
    """Return what the doctor finds while another program holds the pin of the first pad."""
    claims = f"import lgpio, time; lgpio.gpio_claim_input(lgpio.gpiochip_open(0), {PADS[0]})"
    stranger = subprocess.Popen(
        [sys.executable, "-c", f"{claims}; print('held', flush=True); time.sleep(600)"],
        stdout=subprocess.PIPE,
    )
    assert stranger.stdout is not None
    stranger.stdout.readline()
    findings = doctor()
    stranger.kill()
    return findings


def main() -> None:
    """Play it, and print what the journal keeps."""
    evening = Evening()
    play(evening)
    held, findings = holders(), doctor()
    evening.close()
    with sqlite3.connect(FOLDER / JOURNAL) as journal:
        rows = journal.execute("SELECT seq, seat, via, event, facts FROM entries ORDER BY seq")
        entries = [(*row[:4], json.loads(row[4])) for row in rows]
    told = {"entries": entries, "held": held, "left": holders(), "findings": findings}
    print(json.dumps({**told, "stranger": doctor_beside_a_stranger()}))


if __name__ == "__main__":
    main()
