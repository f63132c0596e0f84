"""Boot a Debian kernel with simulated pins, run a program of this machine's in it, and read it."""

import gzip
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kloplei-box" / "kernel"
PATIENCE_S = 600  # an emulated machine; it is up in some seconds where nothing else runs

_BUILD = Path(__file__).with_name("build")
_BOOT = (
    *("qemu-system-x86_64", "-accel", "tcg", "-M", "pc", "-cpu", "max", "-m", "768"),
    *("-smp", "1", "-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio"),
    # Its clock counts what it computes, two nanoseconds an instruction: a busy machine makes it
    # slow to watch, and no knock in it any longer.
    *("-icount", "shift=1,sleep=on"),
    *("-append", "console=ttyS0 quiet loglevel=4 panic=-1 nokaslr mitigations=off"),
)
_FILES = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"


class Guest:
    """Debian's kernel in *folder*, with /dev/gpiochip0 and nothing that anybody patched.

    Its programs find ``GPIO_SIM``, the folder with ``sim_gpio17/pull`` and ``value``, and /run
    to write to; of all else they see this machine's files, read-only.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        subprocess.run([_BUILD, folder, sys.executable], check=True)

    def run(self, *command: str, radio: bool = False) -> str:
        """Return what *command* printed in the guest; with *radio* it has wlan0 and wlan1.

        Raises:
            AssertionError: It failed, or the guest did not come up.
        """
        with tempfile.TemporaryDirectory(dir=self._folder) as work:
            initrd = Path(work) / "initrd"
            own = _packed(Path(work), self._program(command), radio)
            initrd.write_bytes((self._folder / "initrd").read_bytes() + own)
            kernel = ("-kernel", str(self._folder / "vmlinuz"), "-initrd", str(initrd))
            booted = subprocess.run(
                [*_BOOT, *kernel, "-virtfs", _FILES],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
            )
        assert "guest ended with 0" in booted.stdout, booted.stdout + booted.stderr
        return booted.stdout

    def _program(self, command: tuple[str, ...]) -> str:
        path = ":".join(map(str, (REPOSITORY, self._folder / "lgpio")))
        return f"export PYTHONPATH={shlex.quote(path)}\n{shlex.join(command)}\n"


def _packed(work: Path, program: str, radio: bool) -> bytes:
    """Return the guest's *program* and what it needs as two files, in an archive."""
    (work / "program").write_text(program)
    (work / "wanted").write_text("RADIO=yes\n" if radio else "RADIO=\n")
    packed = subprocess.run(
        ["cpio", "--quiet", "-o", "-H", "newc"],
        cwd=work,
        input=b"program\nwanted\n",
        capture_output=True,
        check=True,
    )
    return gzip.compress(packed.stdout)
