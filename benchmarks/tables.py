"""Scores and costs as tables for people, and as plain values for tools."""

from collections.abc import Sequence

from benchmarks.cost import Cost
from benchmarks.scoring import SceneTally, Scores, Tally, high_ms, middle_ms

SCENE, HARD_SCENE = "scene", "scene_hard"
ON_TABLE = "on_table"
AIRBORNE = ("airborne", "electronics")

SCORE_HEAD = (
    "method",
    "knock F1",
    "scene F1, false/min, patterns",
    "hard scene F1, false/min, patterns",
    "table noise /min",
    "air, electric /min",
    "onset ms",
    "decided ms, 95 %",
)
COST_HEAD = ("method", "us a second and channel", "times real time", "of one core")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, its columns as wide as what stands in them."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(_line(line, widths) for line in lines)


def score_row(name: str, scores: Scores) -> tuple[str, ...]:
    """Return what one method reached, under `SCORE_HEAD`."""
    every = scores.pooled
    delays = f"{_shown(middle_ms(every.delays_s), 0)}, {_shown(high_ms(every.delays_s), 0)}"
    return (
        name,
        _shown(scores.macro_f1, 3),
        _scene(scores.scenes.get(SCENE)),
        _scene(scores.scenes.get(HARD_SCENE)),
        _false(scores, ON_TABLE),
        _false(scores, *AIRBORNE),
        _shown(middle_ms(_errors_s(every)), 1),
        delays if every.delays_s else "all heard",
    )


def cost_row(cost: Cost) -> tuple[str, ...]:
    """Return what one method takes, under `COST_HEAD`."""
    factor = cost.real_time_factor
    return (cost.name, f"{cost.microseconds:.0f}", f"{1 / factor:.0f}", f"{factor:.2%}")


def details(scores: Scores) -> str:
    """Return every class of its own: what is found, and what is taken for a knock."""
    lines = [
        f"  {klass:<14} P {one.precision:.3f}  R {one.recall:.3f}  F1 {one.f1:.3f}"
        f"  ({one.hits} of {one.hits + one.misses}, {one.false} false)"
        for klass, one in sorted(scores.knocks.items())
    ]
    lines += [
        f"  {klass:<14} {one.false_per_minute:.2f} false a minute ({one.false} in "
        f"{one.minutes:.1f} min)"
        for klass, one in sorted(scores.noise_classes.items())
    ]
    for klass, scene in sorted(scores.scenes.items()):
        blamed = ", ".join(f"{count} {what}" for what, count in scene.blamed.most_common())
        lines.append(f"  {klass:<14} false ones from: {blamed or 'nothing'}")
    drums, taps = scores.drums, scores.taps
    lines.append(f"  drum pads      F1 {drums.f1:.3f}")
    lines.append(f"  soft taps      {taps.hits} of {taps.hits + taps.misses} taken for knocks")
    if scores.channels:
        total = scores.channels.total()
        lines.append(f"  two pads       {scores.channels[True]} of {total} at the one struck")
    return "\n".join(lines)


def scores_as_dict(scores: Scores) -> dict[str, object]:
    """Return all of *scores* as plain values."""
    return {
        "knock": {klass: _tally(one) for klass, one in scores.knocks.items()},
        "knock_macro_f1": scores.macro_f1,
        "knock_pooled": _tally(scores.pooled),
        "noise": {domain: _tally(one) for domain, one in scores.noises.items()},
        "noise_by_class": {klass: _tally(one) for klass, one in scores.noise_classes.items()},
        **{klass: _scene_tally(one) for klass, one in scores.scenes.items()},
        "drums": _tally(scores.drums),
        "soft_taps": _tally(scores.taps),
        "channels_right": scores.channels[True],
        "channels_wrong": scores.channels[False],
    }


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def _scene(scene: SceneTally | None) -> str:
    if scene is None:
        return "-"
    return f"{scene.f1:.3f}, {scene.false_per_minute:.2f}, {scene.patterns_share:.3f}"


def _false(scores: Scores, *domains: str) -> str:
    there = [scores.noises[domain] for domain in domains if domain in scores.noises]
    minutes = sum(one.minutes for one in there)
    return f"{sum(one.false for one in there) / minutes:.2f}" if minutes else "-"


def _errors_s(tally: Tally) -> list[float]:
    return list(map(abs, tally.errors_s))


def _shown(number: float | None, digits: int) -> str:
    return "-" if number is None else f"{number:.{digits}f}"


def _tally(tally: Tally) -> dict[str, object]:
    return {
        "hits": tally.hits,
        "misses": tally.misses,
        "false": tally.false,
        "minutes": tally.minutes,
        "precision": tally.precision,
        "recall": tally.recall,
        "f1": tally.f1,
        "false_per_minute": tally.false_per_minute,
        "onset_error_ms": middle_ms(_errors_s(tally)),
        "onset_error_ms_95": high_ms(_errors_s(tally)),
        "decided_after_ms": middle_ms(tally.delays_s),
        "decided_after_ms_95": high_ms(tally.delays_s),
    }


def _scene_tally(scene: SceneTally) -> dict[str, object]:
    return {
        **_tally(scene),
        "patterns": scene.patterns,
        "patterns_right": scene.patterns_right,
        "blamed": dict(scene.blamed),
    }
