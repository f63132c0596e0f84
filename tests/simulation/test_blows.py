from random import Random

import pytest

from kloplei.simulation.blows import Blow, Push, pushes

LONGEST_KNUCKLE_S = 0.004


@pytest.mark.parametrize("thud", [Blow.FIST, Blow.SLAP, Blow.SLAM, Blow.CHAIR])
def test_a_thud_pushes_harder_than_a_knuckle_and_stays_longer(thud: Blow) -> None:
    knuckles = [pushes(Blow.KNUCKLE, Random(seed)) for seed in range(50)]
    thuds = [pushes(thud, Random(seed)) for seed in range(50)]

    longest_s = [max(push.lasting_s for push in one) for one in thuds]
    assert max(push.lasting_s for one in knuckles for push in one) <= LONGEST_KNUCKLE_S
    assert sum(one > LONGEST_KNUCKLE_S for one in longest_s) > 40
    assert _mean_force_n(thuds) > _mean_force_n(knuckles)


def _mean_force_n(blows: list[tuple[Push, ...]]) -> float:
    return sum(max(push.force_n for push in one) for one in blows) / len(blows)
