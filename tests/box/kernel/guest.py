"""Boot a Debian kernel with simulated pins, run a program of this machine's in it, and read it."""

import gzip
import shlex
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
PATIENCE_S = 300  # an emulated machine; it is up in some seconds where nothing else runs

_BUILD = Path(__file__).with_name("build")
_BOOT = (
    *("qemu-system-x86_64", "-accel", "tcg", "-M", "pc", "-cpu", "max", "-m", "768"),
    *("-smp", "2", "-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio"),
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

    def run(self, *command: str) -> str:
        """Return what *command* printed in the guest.

        Raises:
            AssertionError: It failed, or the guest did not come up.
        """
        initrd = self._folder / "initrd.now"
        initrd.write_bytes((self._folder / "initrd").read_bytes() + self._packed(command))
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

    def _packed(self, command: tuple[str, ...]) -> bytes:
        """Return *command* as the file /program of the guest, in an archive of its own."""
        path = ":".join(map(str, (REPOSITORY, self._folder / "lgpio")))
        text = f"export PYTHONPATH={shlex.quote(path)}\n{shlex.join(command)}\n"
        (self._folder / "program").write_text(text)
        packed = subprocess.run(
            ["cpio", "--quiet", "-o", "-H", "newc"],
            cwd=self._folder,
            input=b"program\n",
            capture_output=True,
            check=True,
        )
        return gzip.compress(packed.stdout)
