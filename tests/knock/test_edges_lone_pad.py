"""One pad by itself, whose edges are all known before."""

from kloplei.knock.edges import Edge, judged
from kloplei.knock.judgement import Verdict


def pulses(*at_s: float, lasting_s: float = 0.004) -> list[Edge]:
    return [
        edge
        for one in at_s
        for edge in (Edge(one, active=True), Edge(one + lasting_s, active=False))
    ]


def test_each_blow_is_judged_when_it_has_ended() -> None:
    first, second = judged(pulses(1.0, 1.01, 1.5))

    assert (first.at_s, second.at_s) == (1.0, 1.5)
    assert first.verdict is second.verdict is Verdict.KNOCK
    assert first.decided_at_s < second.at_s < second.decided_at_s


def test_nobody_says_whose_it_was() -> None:
    (knock,) = judged(pulses(1.0))

    assert knock.seat is None


def test_a_buzz_is_one_blow_and_no_knock() -> None:
    (buzz,) = judged(pulses(*(1 + n / 150 for n in range(150))))

    assert buzz.verdict is Verdict.NOISE


def test_a_pad_that_rings_for_longer_is_deaf_for_longer() -> None:
    edges = pulses(1.0, 1.06)

    assert [len(list(judged(edges, deaf_s))) for deaf_s in (0.05, 0.08)] == [2, 1]


def test_without_edges_nobody_knocked() -> None:
    assert list(judged([])) == []
