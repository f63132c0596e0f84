"""The trimmers of pads: who is asked for what, and when it ends."""

from contextlib import closing
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import Config, PinsConfig, SeatPins, SlateConfig, TableConfig
from kloplei.diagnostics.findings import as_line, bad
from kloplei.diagnostics.pads import PadBench, trim
from kloplei.diagnostics.sensors import PATIENCE_S
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.trimmer import KNOCKS


class Table:
    """People who knock and put glasses down as they are asked; a `BlowFeed` of its own time.

    Args:
        rang_s: How long each pad is down for a knock, round by round; None feels none.
        elsewhere: The pad that feels it in place of the one that is asked for.
    """

    def __init__(self, rang_s: dict[str, list[float | None]], elsewhere: str | None = None) -> None:
        self._rang_s = {pad: iter(rounds) for pad, rounds in rang_s.items()}
        self._elsewhere = elsewhere
        self._at_s = 0.0
        self._due: list[Judgement] = []
        self.said: list[str] = []

    def say(self, line: str) -> None:
        self.said.append(line)
        pad, _, asked = line.partition(": ")
        if asked.startswith("knock"):
            self._strike(self._elsewhere or pad, next(self._rang_s[pad], None), KNOCKS)

    def _strike(self, pad: str, rang_s: float | None, times: int) -> None:
        self._due = [
            Judgement(self._at_s + n, 0.0, Verdict.KNOCK, 0.8, 1.0, part=pad, rang_s=rang_s)
            for n in range(1, times + 1)
            if rang_s is not None
        ]

    def now_s(self) -> float:
        return self._at_s

    def blow(self, until_s: float) -> Judgement | None:
        if self._due and self._due[0].at_s <= until_s:
            self._at_s = self._due[0].at_s
            return self._due.pop(0)
        self._at_s = until_s
        return None

    def turned(self) -> bool:
        return True


WELL_S, FINE_S = 0.0235, 0.09


def test_each_pad_is_turned_until_its_knocks_and_glasses_are_as_they_should() -> None:
    table = Table({"pad 1": [WELL_S], "pad 2": [FINE_S, 0.04, WELL_S, WELL_S, WELL_S]})

    found = [as_line(one) for one in trim(["pad 1", "pad 2"], table, lambda _: None, table.say)]

    assert found == [
        "ok   pad 1: Knocks 5 of 5, glasses 0 of 3: good.",
        "ok   pad 2: Knocks 5 of 5, glasses 0 of 3: good.",
    ]
    turned = [line for line in table.said if "Turn its trimmer" in line]
    assert turned[0].startswith("pad 2: knocks 5 of 5, glasses 0 of 3. Turn its trimmer coarser by")
    assert "pad 2: better: knocks 5 of 5" in "\n".join(table.said)


def test_where_only_some_seats_knock_the_others_are_named_and_passed_over() -> None:
    table = Table({"pad 1": [], "pad 2": [WELL_S]})

    silent, knocked = trim(["pad 1", "pad 2"], table, lambda _: None, table.say)

    assert as_line(silent).startswith("BAD  pad 1: It felt nothing: did nobody knock, or is it far")
    assert as_line(knocked).startswith("ok   pad 2:")
    assert table.now_s() < 4 * PATIENCE_S


@pytest.mark.parametrize("key", ["sensor.held", "pad.silent"])
def test_a_pad_that_ails_otherwise_is_asked_for_nothing(key: str) -> None:
    table = Table({})
    fault = bad("pad 1", key, part="pad 1")

    assert list(trim(["pad 1"], table, lambda _: fault, table.say)) == [fault]
    assert table.said == []


def test_a_pad_that_begins_to_storm_while_it_is_turned_is_told_and_left() -> None:
    table = Table({"pad 1": [FINE_S] * 9})
    fault = bad("pad 1", "sensor.held", part="pad 1")
    troubles = iter([None, None, fault])

    assert list(trim(["pad 1"], table, lambda _: next(troubles), table.say)) == [fault]


def test_a_knock_that_another_pad_feels_first_tells_of_swapped_plugs() -> None:
    table = Table({"pad 1": [WELL_S]}, elsewhere="pad 2")

    (found,) = trim(["pad 1"], table, lambda _: None, table.say)

    assert as_line(found).startswith("BAD  pad 1: pad 2 felt it in its place. Are their plugs")


def test_who_turns_for_ever_is_told_how_far_it_is_off() -> None:
    table = Table({"pad 1": [FINE_S] * 99})

    (found,) = trim(["pad 1"], table, lambda _: None, table.say)

    assert as_line(found).startswith("note pad 1: Knocks 5 of 5, glasses 0 of 3: not there yet")


def test_pads_are_heard_at_their_pins_with_how_long_they_were_down(tmp_path: Path) -> None:
    config = Config(
        table=TableConfig(seats=2, data=tmp_path),
        seats=(SeatPins(pad=17), SeatPins(pad=27)),
        pins=PinsConfig(factory="mock"),
        slate=SlateConfig(driver="none"),
    )
    pins = MockFactory()

    with closing(PadBench(config, lambda: True, pins)) as bench:
        for low in (True, False):
            (pins.pin(17).drive_low if low else pins.pin(17).drive_high)()
        heard = bench.blow(bench.now_s() + 30.0)

        assert heard is not None
        assert (heard.part, heard.rang_s > 0.0) == ("pad 1", True)
        assert bench.trouble("pad 1") is None
