"""hw/bring-up.md promises what the doctor says at each stage of building; here it has to say it.

A box is built of fakes as far as the stage says, with the settings that the page tells makers to
copy, and `kloplei doctor` is typed. A word changed in the code breaks this, and so does a fault
that the page does not speak of.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hw.front_end import ADC, PAD
from hw.spice import Build, simulate
from hw.trials import PULL_UP_OHM, on_adc, on_pad, settled
from kloplei.config.reader import load_config, parse_config
from kloplei.config.wiring import OFF_BUTTON
from kloplei.diagnostics.sensors import LOUD
from tests.hw.bringing_up import OPEN, Bench, Stage
from tests.pin_map import pin_map

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "hw/bring-up.md"
BLOCK = re.compile(
    r"^(?:<!-- stage: (?P<stage>[^\n;]+); settings: (?P<settings>[^\n]+) -->\n)?"
    r"```text\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PROMPT = "$ sudo kloplei "
LEFT_OUT = ("note kloplei-table: It does not run", "note kloplei-panel: It does not run")
"""The page says so: these stand in every stage before the last."""

MIDDLE = 0.5
BUTTONS, PADS = (4, 23, 16, 26), (17, 27, 22, 5, 6, 23, 26, 4)
SHUTDOWN = {25: "shutdown"}
BLOW_S, PRESS_S, HOLD_S = 0.004, 0.3, 1.0

STAGES = {
    "bare": Stage(i2c=()),
    "I2C off": Stage(i2c=None),
    "slate": Stage(),
    "picture": Stage(answers="1\n"),
    "picture of another chip": Stage(answers="3\n"),
    "button held": Stage(low=frozenset(BUTTONS[:1])),
    "buttons tried": Stage(touches=(*((pin, PRESS_S) for pin in BUTTONS[:3]), (26, HOLD_S))),
    "off button unwatched": Stage(),
    "off button": Stage(held=SHUTDOWN),
    "lamp tried": Stage(held=SHUTDOWN),
    "pad without puck": Stage(low=frozenset(PADS[:1])),
    "pad with puck": Stage(),
    "pads tried": Stage(touches=tuple((pin, BLOW_S) for pin in PADS)),
    "converter without pucks": Stage(spi=True, level=(OPEN,) * 8, held=SHUTDOWN),
    "converter absent": Stage(spi=True, level=(0.0,) * 8, held=SHUTDOWN),
    "SPI off": Stage(level=(MIDDLE,) * 8, held=SHUTDOWN),
    "first puck": Stage(spi=True, level=(MIDDLE, *(OPEN,) * 7), held=SHUTDOWN),
    "all pucks": Stage(spi=True, level=(MIDDLE,) * 8, held=SHUTDOWN),
    "braid off": Stage(spi=True, level=(MIDDLE,) * 8, hums=frozenset({2}), held=SHUTDOWN),
    "case closed": Stage(spi=True, level=(MIDDLE,) * 8, held=SHUTDOWN),
    "evening": Stage(table=True, spi=True, held={12: "lg", **SHUTDOWN}),
}


@dataclass(frozen=True)
class Promise:
    """What the page says the doctor says at *stage*, with *settings*, when *command* is typed."""

    stage: str
    settings: str
    command: str
    lines: tuple[str, ...]

    @property
    def file(self) -> Path:
        """The settings file that the page has told to copy by then."""
        if self.settings == "as installed":
            return ROOT / "packaging/kloplei.toml"
        return ROOT / f"hw/wiring/{self.settings.partition(',')[0]}.toml"

    def written(self) -> str:
        """Return what stands in it, with the change that the page asks for."""
        text = self.file.read_text(encoding="utf-8")
        if self.settings.endswith(", [adc] off"):
            assert "[adc]\nenabled = true" in text
            return text.replace("[adc]\nenabled = true", "[adc]\nenabled = false")
        return text


def promises() -> Iterator[Promise]:
    """Yield what the page promises."""
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        assert block["stage"], f"no stage is named above:\n{block['body']}"
        command, *lines = block["body"].splitlines()
        command = command.removeprefix(PROMPT)
        yield Promise(block["stage"], block["settings"], command, tuple(lines))


PROMISES = {one.stage: one for one in promises()}


def without_figures(line: str) -> str:
    """Return *line* as it would stand on any box: how loud silence is differs.

    Nor does the question for a number, which has no line of its own, stand before its answer.
    """
    return re.sub(r"\d+\.\d%", "?%", line.removeprefix("1 to 11, or just Enter: "))


def is_in_order(wanted: list[str], said: list[str]) -> bool:
    """Return whether all of *wanted* are among *said*, in their order."""
    coming = iter(said)
    return all(any(line == one for one in coming) for line in wanted)


def test_every_stage_of_the_page_is_built_here_and_no_other() -> None:
    assert list(PROMISES) == [one.stage for one in promises()], "a stage is told twice"
    assert set(PROMISES) == set(STAGES)
    assert all(one.command.startswith("doctor") for one in PROMISES.values())


def speaks_of(line: str, promise: Promise) -> bool:
    """Return whether *promise* prepares a maker for *line*: itself, or one like it."""
    like = {re.sub(r"\d", "N", one) for one in promise.lines}
    return re.sub(r"\d", "N", line) in like or line.startswith(LEFT_OUT)


@pytest.mark.parametrize("stage", STAGES)
def test_the_doctor_says_what_the_page_promises_and_is_red_or_amber_about_nothing_else(
    stage: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    promise = PROMISES[stage]
    bench = Bench(tmp_path, STAGES[stage], promise.written(), monkeypatch)

    said = [without_figures(line) for line in bench.type(promise.command, capsys)]

    wanted = [without_figures(line) for line in promise.lines]
    assert is_in_order(wanted, said), "\n".join(said)
    troubles = [line for line in said if line.startswith(("note", "BAD"))]
    assert [line for line in troubles if not speaks_of(line, promise)] == []


def test_a_stage_that_is_missing_a_wire_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That the tests above can fail: the slate's stage without its slate."""
    promise = PROMISES["slate"]

    said = Bench(tmp_path, Stage(i2c=()), promise.written(), monkeypatch).type("doctor", capsys)

    assert not is_in_order(list(promise.lines), said)
    assert any(not speaks_of(line, promise) for line in said if line.startswith("BAD"))


def test_the_page_tells_to_copy_the_settings_that_are_tried() -> None:
    page = PAGE.read_text(encoding="utf-8")

    tried = {one.file.name for one in PROMISES.values()} - {"kloplei.toml"}

    assert tried == {"easy.toml", "pads.toml", "full.toml"}
    assert {name for name in tried if f"(wiring/{name})" in page} == tried


@pytest.mark.parametrize("build", ["pads", "full"])
def test_with_four_seats_the_settings_are_those_that_the_page_tells(build: str) -> None:
    told = "    [table]\n    seats = 4\n\nand take out `[seat.5]` and all that follow"
    text = (ROOT / f"hw/wiring/{build}.toml").read_text(encoding="utf-8")
    kept = text.partition("[seat.5]")[0].replace("[table]\nseats = 8\n", "")

    config = parse_config(f"[table]\nseats = 4\n{kept}", build)

    assert told in PAGE.read_text(encoding="utf-8")
    assert len(config.pads) + len(config.piezos) == 4


def wires_of(build: str) -> dict[str, int]:
    """Return where each part of *build* that has a pin of its own is on the header."""
    config = load_config(ROOT / f"hw/wiring/{build}.toml")
    return {row.part: row.header for row in pin_map(config)}


def test_the_places_on_the_header_are_those_of_the_settings() -> None:
    easy, pads, full = (wires_of(build) for build in ("easy", "pads", "full"))

    told = (
        f"SDA to header {easy['slate SDA']}, SCL to header {easy['slate SCL']}",
        f"| {easy['button 1']} to a5 | 9 to i3 |",
        f"| {easy['button 2']} to a11 | 14 to i9 |",
        f"| {easy['button 3']} to a17 | 34 to i15 |",
        f"| {easy['button 4']} to a23 | 39 to i21 |",
        f"between header {full[OFF_BUTTON]} and 20",
        f"red ({full['lamp red']}), green ({full['lamp green']}) and blue ({full['lamp blue']})",
        f"buzzer with 1 kohm from header {full['buzzer']}, its other leg to header 14,",
        f"one OUT, to header {pads['pad 1']}.",
        f"DIN {full['adc MOSI']}, DOUT {full['adc MISO']}, CLK {full['adc SCLK']}",
        f"CS {full['adc CE0']}, GND 25",
    )
    page = PAGE.read_text(encoding="utf-8")
    assert [one for one in told if one not in page] == []


METER = "rmeter {node} 0 10meg\n"
POINTS = {
    "OUT": "out",
    "3V3A (VDD and VREF in the socket)": "3v3a",
    "CH0 to CH7 in the socket": "ch",
}
"""What the page calls a point, and its net."""


def measured(where: str) -> Iterator[tuple[str, float, float]]:
    """Yield point, volts without puck, volts with one, as the page tells them."""
    table = PAGE.read_text(encoding="utf-8").partition(f"<!-- measured at the {where} -->\n")[2]
    for row in table.partition("\n\n")[0].splitlines()[2:]:
        _, point, without, with_one, _ = (cell.strip() for cell in row.split("|"))
        yield point, float(without.removesuffix(" V")), float(with_one.removesuffix(" V"))


@pytest.mark.parametrize("where", ["channel", "pad"])
def test_a_meter_shows_what_the_page_says(where: str) -> None:
    """By ngspice, with the meter's own 10 Mohm at the point it is held to."""
    on_board = on_adc if where == "channel" else on_pad
    found = {}
    for point, *_ in measured(where):
        node = POINTS[point]
        found[point] = [
            settled(
                simulate(
                    on_board(Build(disc=disc), also=METER.format(node=node)),
                    "tran 2m 400m 0 2m",
                    [f"v({node})"],
                ),
                f"v({node})",
            )
            for disc in (False, True)
        ]

    told = {point: [without, with_one] for point, without, with_one in measured(where)}
    assert {point: pytest.approx(volts, abs=0.011) for point, volts in told.items()} == found


def test_a_pad_stands_lower_while_nothing_pulls_its_pin_up() -> None:
    """GPIO 9 to 27 pull down from power-on (BCM2835 ARM Peripherals, table 6-31)."""
    above = PAD.part("R7").value + PAD.part("R8").value
    volts = 3.29 * PULL_UP_OHM / (PULL_UP_OHM + above)  # down is as strong as up

    assert f"OUT stands at some {volts:.1f} V with a puck" in PAGE.read_text(encoding="utf-8")


def test_the_ohms_before_power_are_those_of_the_circuits() -> None:
    page = PAGE.read_text(encoding="utf-8")
    converter = ADC.part("R4").value + ADC.part("R5").value
    pad = sum(PAD.part(ref).value for ref in ("R4", "R6", "R5"))  # the trimmer at nothing

    assert f"MCP3208 not in its socket | {converter:.0f} ohm |" in page
    assert pad > 10e3
    assert f"1 and 2 of a puck's plug | {ADC.part('R1').value / 1000:.0f} kohm |" in page


def test_silence_is_loud_where_the_page_says() -> None:
    assert f"above {LOUD * 100:.0f} % it says so itself" in PAGE.read_text(encoding="utf-8")
