"""The level card: what five knocks beside each disc tell of its glue."""

from collections.abc import Callable, Iterator
from contextlib import closing
from math import exp, pi, sin
from pathlib import Path
from random import Random

import pytest
from gpiozero.pins.mock import MockFactory

from kloplei.config.settings import Config, PinsConfig, SeatPins, SlateConfig, TableConfig
from kloplei.diagnostics.findings import as_line, bad
from kloplei.diagnostics.levels import (
    KNOCKS,
    PATIENCE_S,
    REST_S,
    DiscState,
    Felt,
    Level,
    Measured,
    PadBench,
    card,
    findings_of,
    measure,
    trim,
)
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.knock.signal import Block

RATE_HZ = 2000.0
HOP = 64
REST = 1 / 512


def heard(
    *discs: float, knock: float = 0.3, cut_off: bool = False, count: int = KNOCKS
) -> Measured:
    """Return what discs of so many times the usual gain hear; the wood takes 6 dB on the way."""
    knocks = []
    for at in range(len(discs)):
        levels = [gain * knock / (1 if one == at else 2) for one, gain in enumerate(discs)]
        felt = tuple(
            Felt(min(1.0, level + REST), ((level / 5) ** 2 + REST**2) ** 0.5, cut_off)
            for level in levels
        )
        knocks.append([felt] * count)
    rest = [REST] * len(discs)
    return Measured([3 * REST] * len(discs), rest, [1.3 * REST] * len(discs), knocks)


def verdicts(measured: Measured) -> list[DiscState]:
    return [level.verdict for level in card(measured)]


def test_discs_that_are_glued_are_told_so_however_softly_one_knocks() -> None:
    for knock in (0.2, 0.3, 0.9):
        assert verdicts(heard(1.0, 0.7, 1.4, 0.6, knock=knock)) == [DiscState.GLUED] * 4


def test_a_loose_disc_is_told_by_what_the_others_feel_of_the_same_knocks() -> None:
    levels = card(heard(1.0, 0.1, 1.0, 1.0, knock=0.9))

    assert [level.verdict for level in levels] == [
        DiscState.GLUED,
        DiscState.LOOSE,
        DiscState.GLUED,
        DiscState.GLUED,
    ]
    assert levels[1].beside_db == pytest.approx(-20, abs=0.5)


def test_the_hand_makes_no_difference_to_how_a_disc_stands_beside_the_others() -> None:
    soft, hard = (card(heard(1.0, 0.1, 1.0, knock=knock))[1].beside_db for knock in (0.2, 0.9))

    assert soft == pytest.approx(hard, abs=0.5)


def test_where_most_discs_are_loose_the_glued_one_is_not_blamed() -> None:
    assert verdicts(heard(1.0, 0.1, 0.1, 0.1)) == [DiscState.GLUED, *[DiscState.LOOSE] * 3]


def test_a_table_that_is_faint_all_over_is_no_matter_of_one_disc() -> None:
    """None is glued, or the wood is thick: nobody can tell, so it says both."""
    assert verdicts(heard(0.1, 0.1, 0.12, 0.1)) == [DiscState.FAINT] * 4
    assert verdicts(heard(0.1)) == [DiscState.FAINT]


def test_what_is_cut_off_is_too_loud() -> None:
    assert verdicts(heard(1.0, 1.0, cut_off=True)) == [DiscState.LOUD] * 2


def test_a_disc_that_hears_nothing_is_dead_and_does_not_count_among_the_others() -> None:
    assert verdicts(heard(1.0, 0.0, 1.0)) == [
        DiscState.GLUED,
        DiscState.DEAD,
        DiscState.GLUED,
    ]
    assert verdicts(heard(1.0, 1.0, count=0)) == [DiscState.DEAD] * 2


@pytest.mark.parametrize(
    ("verdict", "says"),
    [
        (
            DiscState.GLUED,
            "ok   piezo 2: Five knocks: 28% of full scale (143 codes of 512), at rest",
        ),
        (DiscState.LOOSE, "Loose. Glue it to the wood (docs/doctor.md, the level card)."),
        (DiscState.FAINT, "note piezo 2: Five knocks: 28%"),
        (DiscState.LOUD, "Too loud, and cut off. Close its JP1"),
        (
            DiscState.DEAD,
            "BAD  piezo 2: It feels no knock (at rest 0.4%): dead. Look at its plug",
        ),
    ],
)
def test_each_verdict_is_said_with_its_numbers_and_the_next_step(
    verdict: DiscState, says: str
) -> None:
    (finding,) = findings_of("piezo 2", Level(0.28, 0.004, -1.2, verdict), 512)

    assert says in as_line(finding)


def table(asked: list[tuple[int, float]], knock: Callable[[float], float]) -> Iterator[Block]:
    """Yield what two discs give; the first feels what *knock* says, the second half of it.

    It gets the seconds since the last one was *asked* for.
    """
    luck, at = Random(1), 0
    noise = [luck.gauss(0, REST) for _ in range(4099)]
    while True:
        since_s = at / RATE_HZ - asked[-1][1] if asked else 0.0
        felt = [knock(since_s + one / RATE_HZ) for one in range(HOP)]
        place = at % 4000
        both = tuple(
            [part * one + hiss for one, hiss in zip(felt, noise[place + channel :], strict=False)]
            for channel, part in enumerate((1.0, 0.5))
        )
        yield Block(at / RATE_HZ, RATE_HZ, both)
        at += HOP


def beats(since_s: float) -> float:
    """Return seven knocks of a table that rings for long, its modes swelling and ebbing."""
    since_s -= 0.4
    if since_s < 0 or since_s > 7 * 0.7:
        return 0.0
    since_s %= 0.7
    swell = 0.6 + 0.4 * sin(2 * pi * 9 * since_s)
    return 0.4 * swell * exp(-since_s / 0.15) * sin(2 * pi * 300 * since_s)


def test_five_knocks_a_disc_are_heard_and_no_ringing_is_taken_for_one() -> None:
    asked: list[tuple[int, float]] = []
    said: list[str] = []

    found = measure(
        table(asked, beats), ["piezo 1", "piezo 2"], said.append, lambda *one: asked.append(one)
    )

    assert [len(knocks) for knocks in found.knocks] == [KNOCKS, KNOCKS]
    assert asked[0][1] == pytest.approx(REST_S, abs=0.05)
    # Five of them, seven tenths of a second apart.
    assert asked[1][1] - asked[0][1] == pytest.approx(0.4 + 4 * 0.7 + 0.25, abs=0.1)
    assert said[0] == "let nobody touch the table for 3 s"
    assert said[1].startswith("piezo 1: knock five times right beside its puck")
    assert said[2:7] == ["  1", "  2", "  3", "  4", "  5"]


def test_a_disc_that_nobody_knocks_at_is_left_behind_in_time() -> None:
    asked: list[tuple[int, float]] = []

    blocks = table(asked, lambda *_: 0.0)
    found = measure(blocks, ["piezo 1"], lambda _: None, lambda *one: asked.append(one))

    assert found.knocks == [[]]
    assert next(blocks).start_s == pytest.approx(REST_S + PATIENCE_S, abs=0.1)


def test_who_touches_the_table_while_it_listens_is_asked_once_more() -> None:
    asked: list[tuple[int, float]] = []
    said: list[str] = []

    def bumped() -> Iterator[Block]:
        for block in table(asked, beats):
            if block.start_s < 1:
                channels = tuple([one + 0.2 for one in samples] for samples in block.channels)
                block = Block(block.start_s, RATE_HZ, channels)  # noqa: PLW2901
            yield block

    measure(bumped(), ["piezo 1"], said.append, lambda *one: asked.append(one))

    assert said[1] == "it was not quiet: once more, let nobody touch the table for 3 s"
    assert said[2].startswith("piezo 1: knock five times")


def test_who_knocks_in_every_silence_does_not_make_a_disc_dead() -> None:
    """The knocks counted as its silence, and those beside the disc were no louder than that."""
    asked: list[tuple[int, float]] = []
    said: list[str] = []

    def restless() -> Iterator[Block]:
        for block in table(asked, beats):
            if not asked:
                struck = [beats((block.start_s + one / RATE_HZ) % 1.4 + 0.4) for one in range(HOP)]
                channels = tuple(
                    [hiss + part * one for hiss, one in zip(samples, struck, strict=True)]
                    for samples, part in zip(block.channels, (1.0, 0.5), strict=True)
                )
                block = Block(block.start_s, RATE_HZ, channels)  # noqa: PLW2901
            yield block

    found = measure(restless(), ["a", "b"], said.append, lambda *one: asked.append(one))

    assert said[1].startswith("it was not quiet")
    assert [len(knocks) for knocks in found.knocks] == [KNOCKS, KNOCKS]
    assert DiscState.DEAD not in verdicts(found)


def test_an_input_that_stands_still_at_its_end_is_dead_and_not_too_loud() -> None:
    """A puck that is not plugged in, beside one that is."""
    asked: list[tuple[int, float]] = []

    def unplugged() -> Iterator[Block]:
        for block in table(asked, beats):
            yield Block(block.start_s, RATE_HZ, (block.channels[0], [0.997] * HOP))

    found = measure(unplugged(), ["a", "b"], lambda _: None, lambda *one: asked.append(one))

    assert verdicts(found) == [DiscState.GLUED, DiscState.DEAD]


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
