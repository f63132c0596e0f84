"""Whatever breaks in mid evening: nothing is lost, it is told, and it heals without a restart."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.endurance.faults import ASK, FAULTS, PAIRS, Fault, eventually
from tests.endurance.pub import Pub, pub

UNDER_WAY = {"grace", "heard", "notices", "refused", "shown", "asking", "doubt", "struck"}
MOVES = 2
EVENINGS = 20  # in one pub; its journal is read through at the end of each
ALL_PASSED_S = 6.0  # no question, no grace, no doubt stands for longer


class Pubs:
    """A pub for some tests, and another one after a test that has left it broken."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: Any = None
        self._pub: Pub | None = None
        self.is_whole = False
        self._evenings = 0

    def whole(self) -> Pub:
        """Return a pub in which nothing is broken."""
        self._evenings -= 1
        if not self.is_whole or self._pub is None or not self._evenings:
            self.close()
            self._evenings = EVENINGS
            self._folder = self._folder.with_name(self._folder.name + "-")
            self._folder.mkdir()
            self._opened = pub(self._folder)
            self._pub = self._opened.__enter__()
        self.is_whole = False  # until a test has come to its end
        return self._pub

    def close(self) -> None:
        if self._opened is not None:
            self._opened.__exit__(None, None, None)
            self._opened = None


@pytest.fixture(scope="module")
def pubs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pubs]:
    pubs = Pubs(tmp_path_factory.mktemp("pub"))
    yield pubs
    pubs.close()


def test_nothing_is_broken_to_begin_with(pubs: Pubs) -> None:
    evening = pubs.whole()

    evening.do("play", 20)

    assert evening.notices == []
    assert evening.do("glass")
    assert evening.page()[0] == 200
    pubs.is_whole = True


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_told_and_healed_and_loses_nothing(pubs: Pubs, fault: Fault) -> None:
    left = play_through(pubs, fault)

    assert left.untold == []
    assert left.restarted == left.stood


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "+".join(one.name for one in pair))
def test_two_faults_at_once_are_told_and_healed_and_lose_nothing(
    pubs: Pubs, pair: tuple[Fault, Fault]
) -> None:
    left = play_through(pubs, *pair)

    assert left.untold == []
    assert left.restarted == left.stood


@dataclass(frozen=True)
class Aftermath:
    """What is left of an evening: faults that nobody was told of, and how the table stands."""

    untold: list[str]
    stood: dict[str, Any]
    restarted: dict[str, Any]  # after a kill


def play_through(pubs: Pubs, *faults: Fault) -> Aftermath:
    """Play on while *faults* come, stay and go, and return what is left at the end."""
    evening = pubs.whole()
    acknowledged = [evening.do("play", MOVES)]
    begun: list[Fault] = []
    for fault in faults:
        fault.begin(evening)
        if fault.name == "table-killed":
            for earlier in (one for one in begun if one.is_lasting):
                earlier.begin(evening)
        begun.append(fault)
    acknowledged += asked_by_phone(evening)
    acknowledged.append(evening.do("play", MOVES))

    hidden = {fault.hides for fault in faults}
    visible = [one for one in faults if one.name not in hidden]
    untold = [one.name for one in visible if not one.is_told(evening)]
    for fault in reversed(faults):
        fault.end(evening)

    healed(evening)
    acknowledged += asked_by_phone(evening)
    assert len(acknowledged) >= 3, "after all is healed a phone's word counts again"
    acknowledged.append(evening.do("play", MOVES))
    stood = nothing_is_lost(evening, max(acknowledged))
    evening.do("kill-box")
    evening.do("start-box")
    restarted = lasting(evening.board)
    pubs.is_whole = not untold and restarted == stood
    return Aftermath(untold, stood, restarted)


def asked_by_phone(evening: Pub) -> list[int]:
    """Let a phone ask for something; return the number it was told, if it was done."""
    status, answer = evening.do("post", "/api/v1/seats/2/actions", ASK)
    assert status in (0, 202, 503), answer
    return [evening.board["seq"]] if status == 202 else []


def healed(evening: Pub) -> None:
    """Assert that all is well again, by itself."""

    def is_quiet() -> bool:
        evening.do("rename", "Thijs")
        return evening.notices == []

    assert eventually(is_quiet, evening), evening.notices
    assert eventually(lambda: evening.do("glass"), evening)
    assert eventually(lambda: evening.page()[0] == 200)


def nothing_is_lost(evening: Pub, last: int) -> dict[str, Any]:
    """Assert that the journal holds all up to *last*, and return the table it leads to."""
    evening.do("wait", ALL_PASSED_S)
    board, log = lasting(evening.board), evening.do("kept", False)
    replayed, numbers, salvaged = log
    assert lasting(replayed) == board
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= last
    assert salvaged is None
    assert lasting(evening.do("kept", True)[0]) == board
    return board


def lasting(board: dict[str, Any]) -> dict[str, Any]:
    """Return *board* without what passes by itself."""
    return {word: value for word, value in board.items() if word not in UNDER_WAY}
