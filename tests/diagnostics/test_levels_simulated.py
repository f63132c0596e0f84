"""The level card on virtual tables: it tells what is glued from what is not, hand and wood unknown.

Each seed is another table, with other glue and other hands; sixty of them were tried when its
lines were drawn.
"""

from functools import cache
from math import sqrt
from pathlib import Path
from random import Random

import pytest

from kloplei.cli import doctor, main
from kloplei.cli.terminal import RecordingBench
from kloplei.config.settings import Config
from kloplei.devices.adc import TakeBlock
from kloplei.diagnostics.levels import DiscState, Felt, Level, Measured, card
from kloplei.knock.features import CORNER_HZ
from kloplei.knock.signal import RAIL, HighPass
from kloplei.recordings.capture.sensors import Sensors, Troubles
from kloplei.simulation.blows import Blow
from kloplei.simulation.coupling import read_couplings
from kloplei.simulation.table_top import TableTop
from kloplei.table.messages import PartFailed

RATE_HZ = 4000.0
SEATS = 3
LASTS = 400  # samples
HALF_CODES = 512
NOISE = 1 / HALF_CODES
OFF_M = 0.015


@cache
def carded(seed: int, couplings: str) -> tuple[Level, ...]:
    """Return the card of the table of *seed*, through a converter of ten bits and its noise."""
    top = TableTop.of_seed(seed, seats=SEATS, couplings=read_couplings(couplings))
    luck = Random(seed)
    noise = [luck.gauss(0, NOISE) for _ in range(11 * LASTS)]

    def felt(wave: tuple[list[float], ...]) -> tuple[Felt, ...]:
        return tuple(read(channel, luck.randrange(10 * LASTS)) for channel in wave)

    def read(channel: list[float], at: int) -> Felt:
        levels = (channel + [0.0] * LASTS)[:LASTS]
        codes = [
            max(-HALF_CODES, min(HALF_CODES - 1, round((one + hiss) * HALF_CODES))) / HALF_CODES
            for one, hiss in zip(levels, noise[at:], strict=False)
        ]
        swift = HighPass(RATE_HZ, CORNER_HZ, codes[0]).passed(codes)
        rms = sqrt(sum(one * one for one in swift) / LASTS)
        return Felt(max(map(abs, swift)), rms, max(map(abs, codes)) >= RAIL)

    rest = felt(tuple([0.0] for _ in top.discs))
    knocks = [
        [
            felt(
                top.sampled(Blow.KNUCKLE, near.moved(*off(luck)), RATE_HZ, seed=97 * seed + number)
            )
            for number in range(5 * seat, 5 * seat + 5)
        ]
        for seat, near in enumerate(top.seats)
    ]
    return card(Measured([one.peak for one in rest], [one.rms for one in rest], [], knocks))


def off(luck: Random) -> tuple[float, float]:
    """Nobody hits the same spot twice."""
    return luck.gauss(0, OFF_M), luck.gauss(0, OFF_M)


@pytest.mark.parametrize("seed", range(3))
def test_no_disc_that_is_glued_or_waxed_is_called_loose(seed: int) -> None:
    for coupling in ("glued", "wax"):
        for level in carded(seed, coupling):
            assert level.verdict in (DiscState.GLUED, DiscState.LOUD), (coupling, level)


@pytest.mark.parametrize("loose", ["foam", "tape", "20"])
def test_one_disc_that_is_not_glued_is_told_and_the_others_are_left_alone(loose: str) -> None:
    glued, bad, other = carded(1, f"glued,{loose}")

    assert bad.verdict is DiscState.LOOSE
    assert bad.beside_db is not None
    assert bad.beside_db < -12
    assert glued.verdict in (DiscState.GLUED, DiscState.LOUD)
    assert other.verdict in (DiscState.GLUED, DiscState.LOUD)


def test_a_table_of_which_no_disc_is_glued_is_never_called_glued() -> None:
    for level in carded(2, "foam"):
        assert level.verdict in (DiscState.LOOSE, DiscState.FAINT)


def test_a_disc_that_has_come_off_is_dead() -> None:
    assert [level.verdict is DiscState.DEAD for level in carded(3, "glued,off")] == [
        False,
        True,
        False,
    ]


def test_the_command_leads_through_it_and_says_which_disc_to_glue(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["doctor", "--levels", "--virtual", "--hurry", "--coupling", "glued,foam,glued,off"]

    assert main(command) == 1

    told = capsys.readouterr().out.splitlines()
    assert told[0].strip() == "let nobody touch the table for 3 s"
    assert told.count("       5") == 4
    card_lines = told[-4:]
    assert [line[:5] for line in card_lines] == ["ok   ", "BAD  ", "ok   ", "BAD  "]
    assert "Loose. Glue it to the wood" in card_lines[1]
    assert "dead. Look at its plug and wire" in card_lines[3]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--virtual"], "--virtual goes with --levels"),
        (["--levels", "--coupling", "foam"], "go with --levels --virtual"),
    ],
)
def test_options_of_a_table_that_is_not_there_go_with_it(
    options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", *options]) == 2
    assert says in capsys.readouterr().err


def test_a_box_with_pads_alone_is_led_to_their_trimmers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "kloplei.toml"
    settings.write_text("[table]\nseats = 4\n")

    assert main(["doctor", "--levels", "--config", str(settings)]) == 1

    said = capsys.readouterr().err
    assert "a pad only tells when it was loud: turn its trimmer" in said
    assert "kloplei doctor --levels --virtual" in said


class SilentSource:
    """A converter that was opened, and gives nothing."""

    channels = 2

    def start(self, take: TakeBlock) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_converter_that_gives_nothing_is_told_with_what_is_wrong_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "_SILENT_S", 0.01)
    troubles = Troubles()
    bench = RecordingBench(
        Config(), Sensors(SilentSource(), troubles, rate_hz=lambda: RATE_HZ), lambda: 0.0
    )

    with pytest.raises(doctor.NoLevels, match="look at its supply and its wires"):
        next(doctor._blocks(bench))

    troubles.put(PartFailed("piezos", "no converter answers"))
    with pytest.raises(doctor.NoLevels, match="for 0 s: no converter answers"):
        next(doctor._blocks(bench))
