"""How many examples a property is tried with: many by `make test`, few by `make quick`."""

from hypothesis import settings

MANY = 60
"""What `make test` tries where a test says nothing else."""


def examples(many: int) -> int:
    """Return *many*, or so many fewer as this run tries fewer examples of everything."""
    return max(1, many * settings().max_examples // MANY)
