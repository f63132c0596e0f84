"""The course of an evening as charts: drawn here, so that a phone needs no script to see them.

One line a player over the hands of one game, and a gap where a new rubber begins (`course_of`). Of
many rubbers that is a saw: then one line a player tells how many they won (`race_of`), and each
rubber has a chart of its own. Lines differ in colour and in how they are dashed, and each says at
its end whose it is: who sees no colours reads the same. Tables beside them say it in numbers; the
pictures themselves are for eyes alone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise

from markupsafe import Markup, escape

from kloplei.frozen import dataclass
from kloplei.table.history_client import PlayedHand, PlayedRubber, Player

WIDTH, HEIGHT, LOW_HEIGHT = 360, 230, 124
"""In units of which a small phone shows each about as one of its own pixels."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 26.0, 96.0, 10.0, 22.0
_LINE = 14.0  # between two names, at the least
_BESIDE = 1.8  # between lines that else would cover each other
_MOST_LETTERS = 12
_KINDS = 8  # of lines, in history.css
_STEPS = (1, 2, 5)
_TICKS = 5  # of an axis, at most


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where hands and tallies come to lie on the picture."""

    hands: int
    low: float
    high: float
    height: float = HEIGHT

    def x(self, hand: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * hand / max(1, self.hands)

    def y(self, tally: float) -> float:
        share = (tally - self.low) / ((self.high - self.low) or 1)
        return self.floor - (self.floor - _TOP) * share

    @property
    def floor(self) -> float:
        """Where the lowest tally lies."""
        return self.height - _BOTTOM


_Run = list[tuple[float, float]]


def course_of(
    hands: Iterable[PlayedHand], players: Sequence[Player], height: float = HEIGHT
) -> Markup:
    """Return the chart of *hands*, which are all of one game, as an SVG; empty for too few of them.

    Args:
        hands: In the order in which they were played.
        players: Those of the evening; who played none of *hands* gets no line.
        height: Of the picture, at the least: many names need more.
    """
    hands = tuple(hands)
    if len(hands) < 2:
        return Markup("")
    courses = {one.number: _course(hands, one.number) for one in players}
    drawn = [one for one in players if any(courses[one.number])]
    tallies = [at for one in drawn for run in courses[one.number] for _, at in run]
    height = max(height, _TOP + _BOTTOM + _LINE * (len(drawn) - 1))
    scale = _Scale(len(hands), min(0, *tallies), max(1, *tallies), height)
    return _picture(scale, _rubbers(hands, scale), drawn, courses)


def race_of(rubbers: Sequence[PlayedRubber], players: Sequence[Player]) -> Markup:
    """Return the chart of who of *players* had won how many of *rubbers*, as an SVG."""
    wins = {one.number: [one.number in rubber.winners for rubber in rubbers] for one in players}
    height = max(HEIGHT, _TOP + _BOTTOM + _LINE * (len(players) - 1))
    scale = _Scale(len(rubbers), 0, max(1, *map(sum, wins.values())), height)
    aside = {one: _BESIDE * (at - (len(wins) - 1) / 2) for at, one in enumerate(wins)}
    unit = (scale.floor - _TOP) / scale.high
    courses: dict[int, list[_Run]] = {
        one: [[(at, n - aside[one] / unit) for at, n in enumerate((0, *accumulate(won)))]]
        for one, won in wins.items()
    }
    return _picture(scale, (), players, courses)


def _picture(
    scale: _Scale,
    marks: Iterable[str],
    players: Sequence[Player],
    courses: Mapping[int, Sequence[_Run]],
) -> Markup:
    """Return the lines of *players* over the axes and *marks*."""
    parts = [*_axes(scale), *marks]
    alike: Counter[str] = Counter()
    for one in players:
        whole = repr(courses[one.number])
        parts += _line(courses[one.number], kind_of(one), scale, _BESIDE * alike[whole])
        alike[whole] += 1  # partners go the same way: neither covers the other
    body = "".join([*parts, *_names(players, courses, scale)])
    # Numbers and escaped names alone went into it.
    return Markup(  # noqa: S704
        f'<svg class="course" viewBox="0 0 {WIDTH} {scale.height:g}" aria-hidden="true" '
        f'focusable="false">{body}</svg>'
    )


def kind_of(player: Player) -> int:
    """Return which kind of line is *player*'s, from 1: as long as there are enough, its own."""
    return (player.number - 1) % _KINDS + 1


def _course(hands: Sequence[PlayedHand], player: int) -> list[_Run]:
    """Return the runs of *player*'s line: what stood after each hand, anew in each rubber."""
    runs: list[_Run] = []
    rubber: int | None = None
    for at, hand in enumerate(hands, start=1):
        if player not in hand.tallies:
            rubber = None
            continue
        tally = hand.tallies[player]
        if hand.rubber != rubber:
            # What stood before it: most rubbers begin at nothing, an evening goes on from before.
            runs.append([(at - 1, tally - hand.paid.get(player, 0))])
            rubber = hand.rubber
        runs[-1].append((at, tally))
    return runs


def _line(runs: Iterable[_Run], kind: int, scale: _Scale, lower: float) -> Iterable[str]:
    for run in runs:
        path = " ".join(f"{scale.x(at):.1f},{scale.y(tally) + lower:.1f}" for at, tally in run)
        yield f'<polyline class="of-{kind}" points="{path}"/>'


def _axes(scale: _Scale) -> Iterable[str]:
    right = WIDTH - _RIGHT
    for tally in _ticks(scale.low, scale.high):
        y = scale.y(tally)
        zero = ' class="zero"' if tally == 0 else ""
        yield f'<path{zero} d="M{_LEFT} {y:.1f}H{right}"/>'
        yield f'<text class="tick" x="{_LEFT - 4}" y="{y + 4:.1f}">{_number(tally)}</text>'
    for hand in _ticks(0, scale.hands):
        if hand:
            x = scale.x(hand)
            yield f'<text class="hand" x="{x:.1f}" y="{scale.height - 5:g}">{_number(hand)}</text>'


def _rubbers(hands: Sequence[PlayedHand], scale: _Scale) -> Iterable[str]:
    """Yield an upright line wherever a new rubber begins."""
    for at, (before, after) in enumerate(pairwise(hands), start=1):
        if before.rubber != after.rubber:
            x = scale.x(at)
            yield f'<path class="rubber" d="M{x:.1f} {_TOP}V{scale.floor:g}"/>'


def _names(
    players: Iterable[Player],
    courses: Mapping[int, Sequence[_Run]],
    scale: _Scale,
) -> Iterable[str]:
    """Yield the names at the ends of the lines, none over another."""
    ends = sorted(
        ((scale.y(courses[one.number][-1][-1][1]), one) for one in players),
        key=lambda end: (end[0], end[1].number),
    )
    lowest = scale.floor + 8.0
    places = _apart([y for y, _ in ends], _TOP + 4.0, lowest)
    for (y, one), place in zip(ends, places, strict=True):
        x = scale.x(courses[one.number][-1][-1][0])
        edge = WIDTH - _RIGHT
        lead = f"M{x:.1f} {y:.1f}L{edge + 8:.1f} {place:.1f}"
        yield f'<path class="lead of-{kind_of(one)}" d="{lead}"/>'
        name = _shortened(one.name)
        yield (
            f'<text class="who of-{kind_of(one)}" x="{edge + 11:.1f}" y="{place + 4:.1f}">'
            f"{escape(name)}</text>"
        )


def _apart(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Return *wanted*, in order from the top, moved so that each is a line below the one before."""
    gap = min(_LINE, (bottom - top) / max(1, len(wanted) - 1))
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + gap if placed else top))
    for at in range(len(placed) - 1, -1, -1):
        placed[at] = min(placed[at], bottom - gap * (len(placed) - 1 - at))
    return placed


def _ticks(low: float, high: float) -> list[int]:
    """Return round numbers from *low* to *high*, a handful at the most."""
    size = 1
    while (high - low) / size > _TICKS:
        size = next(
            step * ten for ten in (10**n for n in range(12)) for step in _STEPS if step * ten > size
        )
    first = -(-int(low) // size) * size
    return list(range(first, int(high) + 1, size))


def _number(value: int) -> str:
    return f"\N{MINUS SIGN}{-value}" if value < 0 else str(value)


def _shortened(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"
