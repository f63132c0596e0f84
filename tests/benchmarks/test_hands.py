"""The benchmark of second hands, at one table of one kind."""

import pytest

from benchmarks import hands
from benchmarks.hands import DOUBT, SURE, WRONG
from benchmarks.seats import Layout


def test_a_second_hand_is_told_beside_what_one_hand_alone_was_taken_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hands, "LAYOUTS", (Layout(4, 4),))
    monkeypatch.setattr(hands, "LEARNED", 2)
    monkeypatch.setattr(hands, "APART_MS", (80,))

    found = hands.second_hands(1)

    assert {known for known, _ in found} == {hands.SIZE, hands.TUNED}
    apart, alone = found[hands.SIZE, "80 ms apart"], found[hands.SIZE, hands.ALONE]
    assert apart["n"] == alone["n"] == hands.PAIRS
    assert apart[SURE] + apart[DOUBT] == hands.PAIRS
    assert alone[SURE] + alone[DOUBT] + apart[WRONG] == 0
    assert "| its size        | 80 ms apart" in capsys.readouterr().out
