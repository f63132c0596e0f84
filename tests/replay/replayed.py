"""Run `kloplei replay` in this process, on a record written down in a test."""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kloplei.replay.commands import register

EXAMPLES = Path(__file__).parents[1] / "games" / "examples" / "toepen.yaml"


@dataclass(frozen=True)
class Result:
    """Exit code and what was printed."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> list[dict[str, Any]]:
        report = json.loads(self.out)
        assert isinstance(report, list)
        return report


class Terminal:
    """A folder to write records in, and a prompt to type commands at."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self._parser = argparse.ArgumentParser(prog="kloplei")
        register(self._parser.add_subparsers(required=True))

    def write(self, text: str | bytes, name: str = "record.yaml") -> str:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    def run(self, *words: str) -> Result:
        self._capsys.readouterr()
        args = self._parser.parse_args(words)
        code = args.run(args)
        printed = self._capsys.readouterr()
        return Result(code, printed.out, printed.err)

    def replay(self, text: str | bytes, *words: str, name: str = "record.yaml") -> Result:
        return self.run("replay", self.write(text, name), *words)
