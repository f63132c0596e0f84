"""What edges tell of a blow: one, whose, and perhaps what it was not."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kloplei.games.game import Seat
from kloplei.knock.edges import JUDGED_S, LASTING_S, Pulses
from kloplei.knock.judgement import Judgement, Struck, Verdict

SEATS = {"pad 1": Seat(0), "pad 2": Seat(1), "pad 3": Seat(2), "shared pad": None}
HERE, THERE = "pad 1", "pad 3"
KNOCK, DOUBTFUL, NOISE = Verdict.KNOCK, Verdict.DOUBTFUL, Verdict.NOISE

Pulse = tuple[str, float, float]
"""Pad, when its comparator goes low, and for how long."""


class Listened:
    """All that is found in some pulses, each judged at the moment it is due."""

    def __init__(self, pulses: Iterable[Pulse], ear: Pulses | None = None) -> None:
        self.ear = ear or Pulses(SEATS)
        self.struck: list[Struck] = []
        self.judged: list[Judgement] = []
        edges = [(at_s, True, pad) for pad, at_s, _ in pulses]
        edges += [(at_s + for_s, False, pad) for pad, at_s, for_s in pulses]
        for at_s, active, pad in sorted(edges):
            self.wait(at_s)
            struck = self.ear.edge(pad, at_s, at_s, active=active)
            self.struck += [struck] if struck else []
        self.wait(float("inf"))

    def wait(self, until_s: float) -> None:
        while (due_s := self.ear.due_s) is not None and due_s <= until_s:
            self.judged += self.ear.judge(due_s)

    @property
    def verdicts(self) -> list[Verdict]:
        return [judgement.verdict for judgement in self.judged]


def pulses(pad: str, *at_ms: float, width_ms: float = 4.0) -> list[Pulse]:
    return [(pad, ms / 1000, width_ms / 1000) for ms in at_ms]


class TestOneBlow:
    @pytest.mark.parametrize(
        "at_ms",
        [
            pytest.param([1000], id="one pulse, as of a soft knock"),
            pytest.param([1000, 1005, 1010, 1015], id="the swings of one stroke"),
            pytest.param([1000, 1012], id="a knuckle that touches twice"),
            pytest.param([1000, 1020, 1050], id="a table that answers"),
            pytest.param(range(1000, 1060, 3), id="a bare comparator, an edge for every swing"),
        ],
    )
    def test_what_ends_within_80_ms_is_a_knock(self, at_ms: Sequence[float]) -> None:
        heard = Listened(pulses(HERE, *at_ms, width_ms=1.5))

        (judged,) = heard.judged
        assert (judged.verdict, judged.seat, judged.at_s) == (KNOCK, Seat(0), 1.0)

    def test_it_is_told_at_its_first_edge_and_judged_60_ms_later(self) -> None:
        heard = Listened(pulses(HERE, 1000))

        assert heard.struck == [Struck(1.0, 1.0)]
        assert heard.judged[0].decided_at_s == pytest.approx(1.06)
        assert heard.judged[0].part == HERE
        assert heard.judged[0].window is None

    def test_two_quick_knocks_are_two(self) -> None:
        heard = Listened(pulses(HERE, 1000, 1150))

        assert heard.verdicts == [KNOCK, KNOCK]
        assert [judged.at_s for judged in heard.judged] == [1.0, 1.15]

    def test_a_pad_for_the_whole_table_does_not_say_whose(self) -> None:
        (judged,) = Listened(pulses("shared pad", 1000)).judged

        assert (judged.verdict, judged.seat, judged.confidence) == (KNOCK, None, 0.0)


class TestNoKnock:
    def test_a_phone_that_buzzes_for_a_second_is_one_noise(self) -> None:
        buzz = pulses(HERE, *(1000 + n * 5.7 for n in range(175)), width_ms=2.5)

        heard = Listened(buzz)

        assert heard.verdicts == [NOISE]
        assert len(heard.struck) == 1
        assert heard.judged[0].decided_at_s == pytest.approx(1 + LASTING_S)

    def test_a_glass_that_rocks_is_doubtful_from_its_second_touch_on(self) -> None:
        """Its touches come 60 to 110 ms apart and faster; a hand wants 150."""
        heard = Listened(pulses(HERE, 1000, 1105, 1205, 1300))

        assert heard.verdicts == [KNOCK, DOUBTFUL, DOUBTFUL, DOUBTFUL]

    def test_a_glass_that_rocks_fast_is_doubtful(self) -> None:
        heard = Listened(pulses(HERE, 1000, 1035, 1065, 1090, 1112, 1130, 1145))

        assert heard.verdicts == [DOUBTFUL]

    def test_a_train_of_cards_or_keys_has_too_many_strokes(self) -> None:
        heard = Listened(pulses(HERE, *range(1000, 1120, 12), width_ms=2))

        assert heard.verdicts == [NOISE]

    def test_six_strokes_may_be_a_knock_or_not(self) -> None:
        heard = Listened(pulses(HERE, *range(1000, 1072, 12), width_ms=2))

        assert heard.verdicts == [DOUBTFUL]

    @pytest.mark.parametrize(
        ("down_ms", "verdict"),
        [
            pytest.param([(1000, 45), (1060, 3), (1095, 3), (1125, 3)], KNOCK, id="dies away"),
            pytest.param([(1000, 90), (1120, 20), (1170, 5)], KNOCK, id="slowly"),
            pytest.param([(1000, 200)], DOUBTFUL, id="not to be seen"),
        ],
    )
    def test_a_sensitive_pad_on_a_table_that_rings_is_knocked_on_all_the_same(
        self, down_ms: list[tuple[float, float]], verdict: Verdict
    ) -> None:
        """A third of the knocks on a door was lost once to a pad that was set too fine."""
        rings = [(HERE, at_ms / 1000, for_ms / 1000) for at_ms, for_ms in down_ms]

        assert Listened(rings).verdicts == [verdict]

    def test_where_piezos_say_what_it_was_nobody_waits_for_the_end(self) -> None:
        ear = Pulses(SEATS, patience_s=JUDGED_S)

        (judged,) = Listened(pulses(HERE, 1000, width_ms=200), ear).judged

        assert judged.decided_at_s == pytest.approx(1.06)

    def test_a_pad_that_is_held_down_is_noise_once(self) -> None:
        assert Listened(pulses(HERE, 1000, width_ms=5000)).verdicts == [NOISE]


class TestSeveralPads:
    def test_the_pad_that_felt_it_first_says_whose_it_was(self) -> None:
        blow = pulses(HERE, 1000) + pulses(THERE, 1001.2) + pulses("pad 2", 1004)

        (judged,) = Listened(blow).judged

        assert (judged.seat, judged.part, judged.confidence) == (Seat(0), HERE, 1.0)

    def test_interrupts_out_of_order_do_not_change_whose_it_was(self) -> None:
        ear = Pulses(SEATS)
        ear.edge(HERE, 1.0004, 1.001, active=True)
        ear.edge(THERE, 1.0, 1.001, active=True)
        for pad in (HERE, THERE):
            ear.edge(pad, 1.004, 1.004, active=False)

        (judged,) = ear.judge(1.1)

        assert (judged.seat, judged.at_s) == (Seat(2), 1.0)
        assert judged.confidence == pytest.approx(0.7)  # only 0.4 ms ahead

    def test_what_rings_on_elsewhere_is_the_same_blow(self) -> None:
        blow = pulses(HERE, 1000) + pulses(THERE, 1002, 1030, 1060)

        assert Listened(blow).verdicts == [KNOCK]

    def test_two_who_knock_within_30_ms_the_first_counts_the_second_is_shown(self) -> None:
        heard = Listened(pulses(HERE, 1000) + pulses(THERE, 1020))

        assert [(judged.seat, judged.verdict) for judged in heard.judged] == [
            (Seat(0), KNOCK),
            (Seat(2), DOUBTFUL),
        ]

    def test_two_who_knock_farther_apart_both_count(self) -> None:
        heard = Listened(pulses(HERE, 1000) + pulses(THERE, 1045))

        assert heard.verdicts == [KNOCK, KNOCK]

    def test_while_a_phone_buzzes_at_one_pad_what_others_feel_is_doubtful(self) -> None:
        buzz = pulses(HERE, *(1000 + n * 5.7 for n in range(175)), width_ms=2.5)

        heard = Listened(buzz + pulses(THERE, 1500))

        assert sorted(heard.verdicts) == [DOUBTFUL, NOISE]

    def test_a_loose_plug_at_one_pad_does_not_make_the_others_doubtful_for_ever(self) -> None:
        hum = pulses(HERE, *range(1000, 11000, 10), width_ms=5)

        heard = Listened(hum + pulses(THERE, 9000))

        assert sorted(heard.verdicts) == [KNOCK, NOISE]

    def test_a_pad_that_is_not_believed_leaves_nothing_behind(self) -> None:
        ear = Pulses(SEATS)
        ear.edge(HERE, 1.0, 1.0, active=True)

        ear.forget(HERE)

        assert ear.due_s is None
        assert Listened(pulses(HERE, 2000), ear).verdicts == [KNOCK]

    def test_a_pad_that_is_not_believed_swallows_no_knock_elsewhere(self) -> None:
        """Its last blow stood as the one that all pads echo."""
        ear = Pulses(SEATS)
        ear.edge(HERE, 1.0, 1.0, active=True)
        ear.forget(HERE)

        assert Listened(pulses(THERE, 1008), ear).verdicts == [KNOCK]


class TestBusyPi:
    def test_a_buzz_told_late_and_all_at_once_is_no_knock(self) -> None:
        """The first edge alone would have been one."""
        ear = Pulses(SEATS)
        for n in range(90):
            at_s = 1 + n * 0.005
            ear.edge(HERE, at_s, 1.5 + n * 1e-4, active=True)
            ear.edge(HERE, at_s + 0.002, 1.5 + n * 1e-4, active=False)

        assert ear.judge(1.515) == ()
        (judged,) = ear.judge(1.6)

        assert judged.verdict is NOISE


blows = st.lists(
    st.tuples(st.sampled_from(sorted(SEATS)), st.integers(0, 3000), st.integers(1, 40)),
    max_size=40,
)


@given(blows)
def test_every_blow_that_was_told_is_judged_once_and_in_time(
    pulses_ms: list[tuple[str, int, int]],
) -> None:
    ends_ms: dict[str, int] = {}
    alternating: list[Pulse] = []
    for pad, at_ms, width_ms in sorted(pulses_ms, key=lambda pulse: pulse[1]):
        if at_ms > ends_ms.get(pad, -1):
            ends_ms[pad] = at_ms + width_ms
            alternating.append((pad, at_ms / 1000, width_ms / 1000))

    heard = Listened(alternating)

    assert len(heard.judged) == len(heard.struck)
    for judged in heard.judged:
        assert 0.06 - 1e-9 <= judged.decided_at_s - judged.at_s <= LASTING_S + 1e-9
    for first, then in pairwise(sorted(heard.struck, key=lambda struck: struck.at_s)):
        assert then.at_s >= first.at_s


@given(st.lists(st.integers(0, 100_000), max_size=200).map(sorted))
def test_a_bare_comparator_cannot_grow_what_is_remembered(at_us: list[int]) -> None:
    ear = Pulses(SEATS)

    for n, at in enumerate(at_us):
        ear.edge(HERE, at / 1e6, at / 1e6, active=n % 2 == 0)

    assert len(ear._open) <= 2
