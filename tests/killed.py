"""Processes that are killed at a random moment, for tests of what outlives it.

The test asks a `Killable` to let one run and kill it; that is a module run as a script, which
serves by `fork_each` and says by `tell` what was acknowledged. Forked, because a hundred fresh
interpreters take long.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

MOST_TOLD = 20  # it is killed after it told so much at most
LONGEST_S = 0.02  # and so much later, in the middle of anything
_HERE = Path(__file__).parents[1]


class Killable:
    """The process that forks those to be killed; a line on stdin says what, with what chance."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._ask: IO[bytes] = process.stdin
        self._answer: IO[bytes] = process.stdout

    def run_and_kill(self, what: str, path: Path, chance: random.Random) -> list[Any]:
        """Let *what* run on *path* and kill it at a random moment; return what it told."""
        self._ask.write(f"{what} {chance.random()} {path}\n".encode())
        self._ask.flush()
        pid = int(self._answer.readline().split()[1])
        lines = self._until_gone()
        heard = list(islice(lines, chance.randint(0, MOST_TOLD)))
        time.sleep(chance.uniform(0, LONGEST_S))
        with contextlib.suppress(ProcessLookupError):  # told apart below
            os.kill(pid, signal.SIGKILL)
        *told, gone = [*heard, *lines]
        assert gone == f"gone {signal.SIGKILL}", "it ended by itself; stderr tells why"
        return [json.loads(line) for line in told]

    def _until_gone(self) -> Iterator[str]:
        for line in self._answer:
            yield line.decode().rstrip()
            if line.startswith(b"gone"):
                return


@contextlib.contextmanager
def killable(module: str) -> Iterator[Killable]:
    """Run *module*, which serves by `fork_each`."""
    with subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        cwd=_HERE,
    ) as process:
        yield Killable(process)
        assert process.stdin is not None
        process.stdin.close()


def some_chance() -> random.Random:
    """Return chance whose seed is printed, to have a failure again."""
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    return random.Random(seed)


def tell(acknowledged: object) -> None:
    """Say it in one short write, so that a kill leaves a whole line or none."""
    os.write(1, json.dumps(acknowledged).encode() + b"\n")


def fork_each(run: Callable[[str, Path, random.Random], None]) -> None:
    """Fork one that does not end by itself for each line ``WHAT SEED PATH`` on stdin.

    It says ``started PID``, then what it tells, and ``gone SIGNAL`` when it has been killed.
    """
    for line in sys.stdin:
        what, seed, path = line.rstrip("\n").split(" ", 2)
        child = os.fork()
        if not child:
            os.write(1, f"started {os.getpid()}\n".encode())
            run(what, Path(path), random.Random(seed))
        _, status = os.waitpid(child, 0)
        os.write(1, f"gone {-os.waitstatus_to_exitcode(status)}\n".encode())
