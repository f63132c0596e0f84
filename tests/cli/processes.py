"""Kloplei as a process of its own, and what its panel says over HTTP."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 30.0  # of a test on a busy machine
KLOPLEI = [sys.executable, "-m", "kloplei"]


@contextmanager
def running(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [*KLOPLEI, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_welcome(process: "subprocess.Popen[str]") -> str:
    """Read until the last line of the welcome; its end tells that the panel answers."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Ctrl-C" in line:
            return "".join(lines)
    raise AssertionError(process.stderr.read() if process.stderr else "it went silent")


def get(url: str) -> dict[str, object]:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return dict(json.load(answer))


def post(url: str, body: dict[str, object]) -> dict[str, object]:
    ask = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(ask, timeout=PATIENCE_S) as answer:
        return dict(json.load(answer))


def rows(board: dict[str, object]) -> list[dict[str, object]]:
    listed = board["rows"]
    assert isinstance(listed, list)
    return listed


def comes_true(url: str, key: str, value: object, within_s: float) -> bool:
    """Wait until *key* of the scoreboard is *value*; return whether it is in time."""
    until = time.monotonic() + within_s
    while get(f"{url}/api/v1/scoreboard")[key] != value:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)  # another process's time cannot be passed in
    return True


def patiently(do: Callable[[], T]) -> T:
    """Return what *do* returns as soon as the other side answers."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return do()
        except OSError:
            if time.monotonic() > until:
                raise
        time.sleep(0.05)
