"""Scores and costs as tables for people, and as plain values for tools."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

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
BUSY_HEAD = (
    "table",
    "4 kHz: blows a second",
    "of one core",
    "of a Pi's",
    "8 kHz: blows a second",
    "of one core",
    "of a Pi's",
)


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


def busy_row(name: str, costs: Sequence[tuple[Cost, float]], slower: float) -> tuple[str, ...]:
    """Return what a table takes at each rate, here and where it is so many times *slower*."""
    each = (
        (
            f"{blows:.1f}",
            f"{cost.real_time_factor:.2%}",
            f"{slower * cost.real_time_factor:.1%}",
        )
        for cost, blows in costs
    )
    return (name, *(cell for cells in each for cell in cells))


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


def rung_as_dict(scores: Scores) -> dict[str, object]:
    """Return what counts of *scores* on a rung of a ladder as plain values."""
    return {
        "knock_macro_f1": scores.macro_f1,
        "recall": scores.pooled.recall if scores.knocks else None,
        "noise_per_minute": _false_per_minute(scores, *scores.noises),
        **{
            klass: {
                "f1": one.f1,
                "false_per_minute": one.false_per_minute,
                "patterns": one.patterns_share,
            }
            for klass, one in scores.scenes.items()
        },
    }


def summary(report: Mapping[str, Any]) -> str:
    """Return all of a *report* of benchmarks/knocks.py as one table, a column a method."""
    names = list(report["settings"])
    rows = [
        (said, *(_cell(of.get(name), tell) for name in names))
        for said, of, tell in _measures(report)
    ]
    # What a part that was left out would have told is no row.
    return table(("", *names), [row for row in rows if set(row[1:]) != {_NOTHING}])


_NOTHING = "-"
_Figures = Mapping[str, Any]
_Measure = tuple[str, _Figures, Callable[[Any], str]]
"""What a row is called, the figures of each method by its name, and how they are told."""


def _cell(figures: object, tell: Callable[[Any], str]) -> str:
    try:
        return _NOTHING if figures is None else tell(figures)
    except KeyError:
        return _NOTHING  # this folder has none of it


def _measures(report: _Figures) -> Iterator[_Measure]:
    hearing, rigs = report.get("hearing", {}), report.get("rigs", {})
    yield "knocks as recorded: macro F1", hearing, lambda one: _shown(one["knock_macro_f1"], 3)
    yield "scene: F1, false a minute, patterns", hearing, lambda one: _told_scene(one[SCENE])
    yield "hard scene: the same", hearing, lambda one: _told_scene(one[HARD_SCENE])
    yield (
        "things on the table: false a minute",
        hearing,
        lambda one: _shown(one["noise"][ON_TABLE]["false_per_minute"], 1),
    )
    for rung in report.get("levels", []):
        said = f"{rung['level_db']:+.0f} dB, 4 kHz, 10 bits: macro F1"
        yield said, rung["methods"], lambda one: _shown(one["knock_macro_f1"], 3)
    for rung in report.get("rates", []):
        said = f"{rung['rate_hz'] / 1000:g} kHz, {rung['bits']} bits: macro F1, of hard scenes"
        yield said, rung["methods"], _told_rate
    yield (
        "rigs met: recall, false a minute",
        rigs.get("met", {}),
        lambda one: _told_rigs(one["lessons"][0]),
    )
    for outcomes, said in (
        (rigs.get("left_out", {}), "rigs left out"),
        (rigs.get("unseen", {}), "rigs unseen"),
        (report.get("tables", {}), "virtual tables"),
    ):
        for knocks, noises in sorted(
            {(it["knocks"], it["noises"]) for one in outcomes.values() for it in one["lessons"]}
        ):
            taught = "no lessons" if not knocks else f"{knocks} knocks and {noises} noises taught"
            yield f"{said}, {taught}", _after(outcomes, knocks), _told_rigs
    yield (
        "rigs left out: answered, wrong of those",
        rigs.get("left_out", {}),
        lambda one: _NOTHING if one["risk"] is None else _told_risk(one["risk"]),
    )
    yield (
        "of one core, as recorded",
        report.get("cost", {}),
        lambda one: f"{one['real_time_factor']:.2%}",
    )


def _after(outcomes: _Figures, knocks: int) -> _Figures:
    """Return what each method heard after so many *knocks* as lessons."""
    return {
        name: it
        for name, one in outcomes.items()
        for it in one["lessons"]
        if it["knocks"] == knocks
    }


def _told_rate(rung: _Figures) -> str:
    hard = rung.get(HARD_SCENE, {}).get("f1")
    return f"{_shown(rung['knock_macro_f1'], 3)}, {_shown(hard, 3)}"


def _told_scene(scene: _Figures) -> str:
    patterns = scene["patterns_right"] / max(1, scene["patterns"])
    return f"{scene['f1']:.3f}, {scene['false_per_minute']:.1f}, {patterns:.2f}"


def _told_rigs(heard: _Figures) -> str:
    return f"{_shown(heard['recall'], 3)}, {_shown(heard['false_per_minute'], 1)}"


def _told_risk(risk: _Figures) -> str:
    return f"{risk['answered']:.1%}, {risk['wrong']:.1%}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"


def _scene(scene: SceneTally | None) -> str:
    if scene is None:
        return "-"
    return f"{scene.f1:.3f}, {scene.false_per_minute:.2f}, {scene.patterns_share:.3f}"


def _false(scores: Scores, *domains: str) -> str:
    return _shown(_false_per_minute(scores, *domains), 2)


def _false_per_minute(scores: Scores, *domains: str) -> float | None:
    there = [scores.noises[domain] for domain in domains if domain in scores.noises]
    minutes = sum(one.minutes for one in there)
    return sum(one.false for one in there) / minutes if minutes else None


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
