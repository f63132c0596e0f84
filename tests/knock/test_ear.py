"""Edges of pads: which begin a blow, which are only its echo."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kloplei.knock import KnockHeard
from kloplei.knock.ear import Ear
from kloplei.rules.game import Seat

HERE, THERE = Seat(0), Seat(3)

Edge = tuple[Seat | None, float]


def heard(ear: Ear, edges: Sequence[Edge]) -> list[Edge]:
    knocks = [ear.hear(pad, at_s) for pad, at_s in edges]
    return [(knock.seat, knock.at_s) for knock in knocks if knock is not None]


def test_the_first_edge_of_a_blow_is_the_knock() -> None:
    knock = Ear().hear(HERE, 1.5, strength=0.4)

    assert knock == KnockHeard(HERE, 0.4, 1.5)


def test_the_ringing_of_a_pad_is_one_blow() -> None:
    ringing = [(HERE, 1 + n * 0.003) for n in range(20)]

    assert heard(Ear(deaf_s=0.08), ringing) == [(HERE, 1.0)]


def test_two_quick_knocks_are_two_blows() -> None:
    assert heard(Ear(deaf_s=0.08), [(HERE, 1.0), (HERE, 1.15)]) == [(HERE, 1.0), (HERE, 1.15)]


def test_endless_ringing_does_not_keep_the_ear_shut() -> None:
    """A loose wire that buzzes must not make a pad deaf for the evening."""
    buzz = [(HERE, n / 128) for n in range(128)]

    starts = [at_s for _, at_s in heard(Ear(deaf_s=8 / 128), buzz)]

    assert starts == [n / 16 for n in range(16)]


def test_wood_carries_a_blow_to_other_pads_and_the_first_wins() -> None:
    edges = [(HERE, 1.0), (THERE, 1.004), (Seat(1), 1.029), (HERE, 1.005)]

    assert heard(Ear(crosstalk_s=0.03), edges) == [(HERE, 1.0)]


def test_what_rings_on_at_another_pad_is_still_the_same_blow() -> None:
    edges = [(HERE, 1.0), (THERE, 1.01), (THERE, 1.05), (THERE, 1.079)]

    assert heard(Ear(deaf_s=0.08, crosstalk_s=0.03), edges) == [(HERE, 1.0)]


def test_a_neighbour_who_knocks_just_after_is_heard() -> None:
    edges = [(HERE, 1.0), (THERE, 1.06)]

    assert heard(Ear(crosstalk_s=0.03), edges) == edges


def test_edges_that_come_out_of_order_are_one_blow() -> None:
    edges = [(HERE, 1.004), (THERE, 1.001), (HERE, 1.002)]

    assert heard(Ear(), edges) == [(HERE, 1.004)]


def test_a_pad_that_serves_the_whole_table_is_a_pad_of_its_own() -> None:
    assert heard(Ear(), [(None, 1.0), (None, 1.01), (None, 2.0)]) == [(None, 1.0), (None, 2.0)]


edge_times = st.lists(st.integers(0, 3000), max_size=60).map(sorted)


@given(times_ms=edge_times, pads=st.lists(st.integers(0, 7), min_size=60, max_size=60))
def test_no_two_knocks_lie_closer_than_the_ear_can_tell_apart(
    times_ms: list[int], pads: list[int]
) -> None:
    ear = Ear(deaf_s=0.08, crosstalk_s=0.03)

    knocks = heard(ear, [(Seat(pad), ms / 1000) for pad, ms in zip(pads, times_ms, strict=False)])

    for (pad, at_s), (next_pad, next_s) in pairwise(knocks):
        assert next_s - at_s >= (0.08 if pad == next_pad else 0.03) - 1e-9


@given(times_ms=edge_times)
def test_every_edge_belongs_to_a_knock_just_before_it(times_ms: list[int]) -> None:
    """Nothing is lost: an edge without a knock is an echo of one."""
    ear = Ear(deaf_s=0.08, crosstalk_s=0.03)

    starts = [at_s for _, at_s in heard(ear, [(HERE, ms / 1000) for ms in times_ms])]

    for ms in times_ms:
        assert any(0 <= ms / 1000 - at_s < 0.08 for at_s in starts)
