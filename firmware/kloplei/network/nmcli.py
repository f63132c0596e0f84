"""Ask NetworkManager by ``nmcli``, and read what it says in terse mode."""

import os
import subprocess
from collections.abc import Sequence

from kloplei.files import KlopleiError

NOT_RUNNING, NO_SUCH = 8, 10  # exit status, nmcli(1)
_NO_BUS = "Could not create NMClient"  # with status 1: there is not even a bus to ask on
_QUESTION_S = 20.0  # longer than nmcli itself waits for anything but an activation


class HotspotError(KlopleiError, OSError):
    """What was asked of the hotspot cannot be done; the message says what to do next."""


class NmcliFailed(HotspotError):
    """nmcli refused; *status* is its exit status, *said* its own words."""

    def __init__(self, status: int, said: str) -> None:
        self.status = status
        self.said = said
        super().__init__(f"NetworkManager refuses: {said}")


class Nmcli:
    """Runs *program*, which the tests put their own in the place of."""

    def __init__(self, program: str = "nmcli") -> None:
        self._program = program

    def run(self, *arguments: str, wait_s: int | None = None) -> str:
        """Return what nmcli prints for *arguments*.

        Args:
            arguments: Its command line.
            wait_s: How long NetworkManager may take; None for its own usual time.

        Raises:
            NmcliFailed: It refused.
            HotspotError: There is no NetworkManager, or it hangs.
        """
        wait = [] if wait_s is None else ["--wait", str(wait_s)]
        try:
            # A password may stand in the arguments: it also stands on the slate, for everybody.
            done = subprocess.run(  # noqa: S603
                [self._program, *wait, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                env={**os.environ, "LC_ALL": "C.UTF-8"},
                timeout=_QUESTION_S + (wait_s or 0),
                check=False,
            )
        except FileNotFoundError:
            raise HotspotError(
                "There is no NetworkManager on this box, which Raspberry Pi OS has since Bookworm. "
                "Install it: sudo apt install network-manager"
            ) from None
        except subprocess.TimeoutExpired:
            raise HotspotError(
                "NetworkManager does not answer. Start it again: "
                "sudo systemctl restart NetworkManager"
            ) from None
        if done.returncode == NOT_RUNNING or _NO_BUS in done.stderr:
            raise HotspotError(
                "NetworkManager does not run. Start it: sudo systemctl enable --now NetworkManager"
            )
        if done.returncode:
            raise NmcliFailed(done.returncode, _in_one_line(done.stderr))
        return done.stdout

    def rows(self, fields: Sequence[str], *command: str) -> list[dict[str, str]]:
        """Return the table that *command* prints, a row by the names of *fields*."""
        printed = self.run("--terse", "--fields", ",".join(fields), *command)
        return [_named(fields, split_terse(line)) for line in printed.split("\n") if line]

    def settings(self, profile: str, names: Sequence[str]) -> dict[str, str] | None:
        """Return the settings *names* of *profile*, secrets as well; None if there is none."""
        command = ("--show-secrets", "--get-values", ",".join(names), "connection", "show", profile)
        try:
            printed = self.run(*command)
        except NmcliFailed as failed:
            if failed.status == NO_SUCH:
                return None
            raise
        values = ["".join(split_terse(line)) for line in printed.removesuffix("\n").split("\n")]
        return _named(names, values)


def split_terse(line: str) -> list[str]:
    r"""Return the fields of a terse *line*, in which ``\`` stands before ``:`` and ``\``."""
    fields, literal = [""], False
    for letter in line:
        if letter == "\\" and not literal:
            literal = True
        elif letter == ":" and not literal:
            fields.append("")
        else:
            fields[-1] += letter
            literal = False
    return fields


def _named(names: Sequence[str], values: list[str]) -> dict[str, str]:
    if len(names) != len(values):
        raise HotspotError(
            "nmcli does not answer as NetworkManager's own does. Which one is it? "
            "command -v nmcli; nmcli --version"
        )
    return dict(zip(names, values, strict=True))


def _in_one_line(said: str) -> str:
    words = " ".join(line.removeprefix("Error: ") for line in said.split("\n")).split()
    return " ".join(words) or "it does not say why"
