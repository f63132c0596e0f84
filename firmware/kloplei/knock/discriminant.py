"""A shrunken linear discriminant for few examples of many numbers.

All classes share one scatter. A handful of examples cannot tell it, so it begins as what is
usual everywhere (each number scatters by 1, on its own) and is bent by what the examples
show. The matrix is never as large as the numbers are many: its inverse is worked out among
the examples (Woodbury's identity).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log1p, sqrt
from operator import mul
from typing import Generic, TypeVar

Vector = Sequence[float]
Class = TypeVar("Class", bound=Hashable)

BELIEF = 20.0  # the usual scatter counts as much as so many examples


@dataclass(frozen=True, slots=True)
class _Class:
    centre: Vector
    seen: Vector  # the centre, as the residuals see it
    count: int


class Discriminant(Generic[Class]):
    """Tells classes apart by *examples* of each, vectors whose numbers usually scatter by 1."""

    def __init__(self, examples: Mapping[Class, Sequence[Vector]]) -> None:
        centres = {one: _mean(vectors) for one, vectors in examples.items()}
        self._residuals = [
            _minus(vector, centres[one]) for one, vectors in examples.items() for vector in vectors
        ]
        self._freedom = len(self._residuals) - len(centres) + BELIEF
        self._factor = _cholesky(
            [
                [_dot(a, b) + (BELIEF if a is b else 0.0) for b in self._residuals[:count]]
                for count, a in enumerate(self._residuals, 1)
            ]
        )
        self._classes = {
            one: _Class(centre, self._seen(centre), len(examples[one]))
            for one, centre in centres.items()
        }

    def likelihoods(self, vector: Vector, sharpness: float = 1.0) -> dict[Class, float]:
        """Return how likely *vector* is of each class, adding up to 1, the likeliest first.

        *sharpness* below 1 tempers the answer, for numbers that say the same thing twice.
        """
        seen = self._seen(vector)
        weights = {
            one: -sharpness * self._surprise(vector, seen, known)
            for one, known in self._classes.items()
        }
        best = max(weights.values())
        odds = {one: exp(weight - best) for one, weight in weights.items()}
        total = sum(odds.values())
        ranked = sorted(odds, key=odds.__getitem__, reverse=True)
        return {one: odds[one] / total for one in ranked}

    def _surprise(self, vector: Vector, seen: Vector, known: _Class) -> float:
        """Return minus the logarithm of Student's density, which forgives what is far off."""
        off = _minus(vector, known.centre)
        within = _forward(self._factor, _minus(seen, known.seen))
        squared = (_dot(off, off) - _dot(within, within)) / BELIEF
        squared /= 1 + 1 / known.count  # the centre itself is only known so well
        return 0.5 * (self._freedom + 1) * log1p(max(0.0, squared))

    def _seen(self, vector: Vector) -> Vector:
        return [_dot(residual, vector) for residual in self._residuals]


def _dot(one: Vector, other: Vector) -> float:
    return float(sum(map(mul, one, other)))


def _minus(one: Vector, other: Vector) -> Vector:
    return [a - b for a, b in zip(one, other, strict=True)]


def _mean(vectors: Sequence[Vector]) -> Vector:
    return [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]


def _cholesky(matrix: Sequence[Vector]) -> list[list[float]]:
    """Return the lower triangle whose square *matrix* is, given as its own lower triangle.

    It must be positive definite.
    """
    factor: list[list[float]] = []
    for at, row in enumerate(matrix):
        line: list[float] = []
        for column in range(at):
            rest = row[column] - _dot(line, factor[column][:column])
            line.append(rest / factor[column][column])
        line.append(sqrt(row[at] - _dot(line, line)))
        factor.append(line)
    return factor


def _forward(factor: Sequence[Vector], vector: Vector) -> list[float]:
    """Return what times the triangle *factor* is *vector*."""
    solved: list[float] = []
    for row, value in zip(factor, vector, strict=True):
        solved.append((value - _dot(row, solved)) / row[len(solved)])
    return solved
