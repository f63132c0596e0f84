"""What one pad by itself makes of edges that are known beforehand, such as those of a recording."""

from collections.abc import Iterable, Iterator

from kloplei.knock.comparator import Edge
from kloplei.knock.pulses import Pulses
from kloplei.knock.verdict import Judgement

_PAD = "pad"


def judged(edges: Iterable[Edge], deaf_s: float | None = None) -> Iterator[Judgement]:
    """Yield what the blows in *edges* were, as the box would if each was told when it came.

    Args:
        edges: In the order of their time.
        deaf_s: As for `Pulses`; None for its own.
    """
    pulses = Pulses({_PAD: None}) if deaf_s is None else Pulses({_PAD: None}, deaf_s)
    for edge in edges:
        yield from _due(pulses, edge.at_s)
        pulses.edge(_PAD, edge.at_s, edge.at_s, active=edge.active)
    yield from _due(pulses, float("inf"))


def _due(pulses: Pulses, until_s: float) -> Iterator[Judgement]:
    while (due_s := pulses.due_s) is not None and due_s <= until_s:
        yield from pulses.judge(due_s)
