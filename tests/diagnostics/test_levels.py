"""The level card: what five knocks beside each disc tell of its glue."""

from collections.abc import Callable, Iterator
from math import exp, pi, sin
from random import Random

import pytest

from kloplei.diagnostics.findings import as_line
from kloplei.diagnostics.levels import (
    KNOCKS,
    REST_S,
    DiscState,
    Felt,
    Level,
    Measured,
    card,
    findings_of,
    measure,
)
from kloplei.diagnostics.sensors import PATIENCE_S
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


@pytest.mark.parametrize(
    ("verdict", "says"),
    [
        (DiscState.LOOSE, "(docs/doctor.md, the level card), unless its channel is turned down."),
        (DiscState.FAINT, "If so, turn the capture level up: alsamixer, F4"),
        (DiscState.LOUD, "Too loud, and cut off. Turn the capture level down: alsamixer, F4"),
        (DiscState.DEAD, "dead. Look at its plug"),
    ],
)
def test_on_a_sound_card_there_are_knobs_and_no_jumpers(verdict: DiscState, says: str) -> None:
    """It sent people with a contact microphone to look for JP1."""
    level = Level(0.28, 0.004, -1.2, verdict)

    (finding,) = findings_of("piezo 2", level, 32768, on_sound_card=True)

    assert says in as_line(finding)
    assert "jumper" not in as_line(finding)


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
