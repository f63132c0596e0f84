"""An input that storms, hums or stands still is told from one that is knocked on."""

import pytest

from kloplei.knock.health import STUCK_S, EdgeRate, Fault


def played(rattle: EdgeRate, rate_hz: float, for_s: float, from_s: float = 0.0) -> bool:
    """Let *rattle* hear pulses at *rate_hz*; return whether it ever wants to be let alone."""
    stormed = False
    for n in range(round(rate_hz * for_s)):
        at_s = from_s + n / rate_hz
        stormed |= rattle.edge(at_s, active=True)
        stormed |= rattle.edge(at_s + 0.4 / rate_hz, active=False)
    return stormed


def looked_at(rattle: EdgeRate, rate_hz: float, seconds: int) -> list[Fault | None]:
    """What a look each second finds while pulses come at *rate_hz*."""
    found = []
    for second in range(seconds):
        played(rattle, rate_hz, 1.0, float(second))
        found.append(rattle.look(second + 1.0))
    return found


def test_ten_thousand_edges_a_second_are_a_storm_within_a_tenth() -> None:
    assert played(EdgeRate(), rate_hz=5000, for_s=0.1)


def test_fewer_edges_are_a_storm_when_they_go_on_for_seconds() -> None:
    """A thousand pulses a second are no storm by the tenth, and still eat up a small Pi."""
    assert played(EdgeRate(), rate_hz=1000, for_s=5.0)


@pytest.mark.parametrize(
    ("rate_hz", "for_s"),
    [
        pytest.param(2000, 0.05, id="glass rings a bare comparator at 2 kHz for 50 ms"),
        pytest.param(230, 10, id="a phone that buzzes"),
        pytest.param(800, 3, id="a knuckle's own swing, over and over"),
    ],
)
def test_what_happens_on_a_table_is_no_storm(rate_hz: float, for_s: float) -> None:
    assert not played(EdgeRate(), rate_hz, for_s)


def test_edges_are_not_added_up_over_an_evening() -> None:
    rattle = EdgeRate()

    assert not any(rattle.edge(n * 0.5, active=n % 2 == 0) for n in range(20_000))


@pytest.mark.parametrize("rate_hz", [50, 60, 100, 120])
def test_the_mains_are_named_at_the_second_look(rate_hz: float) -> None:
    assert looked_at(EdgeRate(), rate_hz, 3) == [None, Fault.HUM, Fault.HUM]


@pytest.mark.parametrize("rate_hz", [3, 12, 30, 75, 175, 230])
def test_other_regular_noise_is_not_the_mains(rate_hz: float) -> None:
    assert looked_at(EdgeRate(), rate_hz, 5) == [None] * 5


def test_a_level_that_stands_still_is_stuck_until_it_lets_go() -> None:
    rattle = EdgeRate()
    rattle.edge(10.0, active=True)

    assert rattle.look(10 + STUCK_S - 0.1) is None
    assert rattle.look(10 + STUCK_S) is Fault.STUCK
    rattle.edge(20.0, active=False)
    assert rattle.look(21.0) is None


def test_it_is_at_rest_when_nothing_has_happened_since_the_last_look() -> None:
    rattle = EdgeRate()
    at_rest = [rattle.is_at_rest]

    played(rattle, 10, 1.0)
    at_rest.append(rattle.is_at_rest)
    for look_s in (1.0, 2.0):
        rattle.look(look_s)
        at_rest.append(rattle.is_at_rest)

    assert at_rest == [True, False, False, True]
