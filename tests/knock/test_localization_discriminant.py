"""The discriminant beside the formula it stands for, written out in two dimensions."""

from random import Random

import pytest

from kloplei.knock.localization import BELIEF, Discriminant

Point = tuple[float, float]


def points(seed: int, about: Point, count: int, spread: Point = (1.0, 1.0)) -> list[Point]:
    luck = Random(seed)
    return [
        (luck.gauss(about[0], spread[0]), luck.gauss(about[1], spread[1])) for _ in range(count)
    ]


def centre(some: list[Point]) -> Point:
    return sum(x for x, _ in some) / len(some), sum(y for _, y in some) / len(some)


def written_out(examples: dict[str, list[Point]], at: Point) -> dict[str, float]:
    """Return Student's densities at *at*, with the scatter's matrix inverted as in school."""
    centres = {one: centre(some) for one, some in examples.items()}
    off = [(x - centres[k][0], y - centres[k][1]) for k, some in examples.items() for x, y in some]
    a, d = BELIEF + sum(x * x for x, _ in off), BELIEF + sum(y * y for _, y in off)
    b = sum(x * y for x, y in off)
    freedom = len(off) - len(centres) + BELIEF
    densities = {}
    for one, (x0, y0) in centres.items():
        x, y = at[0] - x0, at[1] - y0
        squared = (d * x * x - 2 * b * x * y + a * y * y) / (a * d - b * b)
        squared /= 1 + 1 / len(examples[one])
        densities[one] = (1 + squared) ** (-(freedom + 1) / 2)
    total = sum(densities.values())
    return {one: density / total for one, density in densities.items()}


@pytest.mark.parametrize("at", [(0.0, 0.0), (1.5, 0.5), (2.9, -1.0), (-4.0, 7.0)])
def test_it_is_the_formula_with_the_matrix_inverted(at: Point) -> None:
    examples = {"here": points(1, (0, 0), 5), "there": points(2, (3, 0), 7, (0.3, 4.0))}

    told = Discriminant(examples).likelihoods(at)

    assert told == pytest.approx(written_out(examples, at))


def test_the_likeliest_comes_first_and_all_add_up_to_one() -> None:
    examples = {name: points(at, (3.0 * at, 0), 4) for at, name in enumerate("abc")}

    told = Discriminant(examples).likelihoods((6.0, 0.0))

    assert list(told) == ["c", "b", "a"]
    assert sum(told.values()) == pytest.approx(1.0)


def test_where_examples_scatter_widely_a_difference_says_little() -> None:
    tight = {"a": points(1, (0, 0), 20, (0.1, 1)), "b": points(2, (2, 0), 20, (0.1, 1))}
    wide = {"a": points(1, (0, 0), 20, (5, 1)), "b": points(2, (2, 0), 20, (5, 1))}

    sure, unsure = (Discriminant(one).likelihoods((0.0, 0.0))["a"] for one in (tight, wide))

    assert sure > 0.95 > unsure


def test_tempered_to_nothing_all_are_alike() -> None:
    told = Discriminant({"a": [(0.0, 0.0)], "b": [(9.0, 0.0)]}).likelihoods((0.0, 0.0), 0.0)

    assert told == {"a": 0.5, "b": 0.5}
