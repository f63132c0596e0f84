"""What a record of any game is to `kloplei replay`: played once, it says how it went."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Difference:
    """Something came out otherwise than the record expects.

    *where* is ``file:line``, *what* the place in the play ("event 3 (knock)").
    """

    where: str
    record: str
    what: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.where}: {self.record}, {self.what}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a record went: *report* for ``--json``, and *difference*, the first one, if any."""

    report: Mapping[str, object]
    difference: Difference | None


class Record(Protocol):
    """One example, ready to be played."""

    def play(self) -> Outcome:
        """Play the record through the rules and compare."""
        ...


def differs(key: str, wanted: object, came: object) -> str:
    """Return the sentence that *key* was to be *wanted* but is *came*."""
    return f"expected {key} {_shown(wanted)}, but it is {_shown(came)}"


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
