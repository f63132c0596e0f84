"""Pictures of what benchmarks/knocks.py measured, and its table, in docs/knocks.md.

Their ground is white, so that they can be read on a dark page as well.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.judges import Kind
from benchmarks.tables import summary
from hw.marked import replaced_between
from kloplei.files import atomic_write

mpl.rcParams["svg.hashsalt"] = "kloplei"  # the same figures make the same file
PAGE = Path(__file__).parents[1] / "docs" / "knocks.md"
PICTURES = PAGE.parent / "pictures"
BEGIN, END = "<!-- made by make bench -->", "<!-- end of what make bench made -->"
_SIZE_INCH = (8.0, 3.4)
_COLOURS = {  # told apart by those who see red and green alike (Okabe and Ito)
    Kind.OURS: "#0072b2",
    Kind.LINEAR: "#009e73",
    Kind.LARGE: "#d55e00",
    "fixed threshold": "#666666",
    "aubio": "#cc79a7",
    "librosa": "#e69f00",
}
_MARKS = dict(zip(_COLOURS, "osD^vx", strict=True))

Figures = Mapping[str, Any]


def publish(report: Figures, page: Path = PAGE, pictures: Path = PICTURES) -> None:
    """Write the table of *report* between its marks on *page*, and its *pictures*."""
    made = f"\n{summary(report)}\n\n{_stated(report)}\n"
    text = replaced_between(page.read_text(encoding="utf-8"), BEGIN, END, made)
    atomic_write(page, text.encode())
    draw(report, pictures)


def _stated(report: Figures) -> str:
    rigs = ", ".join(
        f"{name} ({one['knocks']} knocks, {one['noise_recordings']} noises)"
        for name, one in report["data"]["rigs"].items()
    )
    absent = "".join(f" Absent: {name}, {why}." for name, why in report["absent"].items())
    return (
        f"Protocol {report['protocol']}, {report['extent']}, Kloplei's judge "
        f"`{report['judge']}`. Rigs: {rigs}.{absent}"
    )


def draw(report: Figures, folder: Path) -> None:
    """Write a picture of each part that *report* has into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    if "rigs" in report:
        _lessons(report["rigs"], folder / "bench-lessons.svg")
        _risk(report["rigs"], folder / "bench-risk.svg")
    if "levels" in report or "rates" in report:
        _ladders(report, folder / "bench-ladders.svg")


def reliability(
    drawn: Mapping[str, Mapping[str, Sequence[tuple[int, float, float]]]],
    steps: Sequence[str],
    file: Path,
) -> None:
    """Draw how far confidence is off in its *steps*, by how many sit there and what is known.

    Each point has its step, by how much more often one was right than that says, and by how much
    chance moves it, as a standard deviation.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    figure, both = _two_axes()
    all_points = (one for known in drawn.values() for some in known.values() for one in some)
    most = max((100 * abs(off) + 200 * chance for _, off, chance in all_points), default=3.0)
    for axes, (title, known) in zip(both, drawn.items(), strict=True):
        axes.axhspan(-3, 3, color="#dddddd")
        axes.set_ylim(-1.05 * most, 1.05 * most)
        for beside, (name, points) in enumerate(known.items()):
            axes.errorbar(
                [at + 0.15 * (beside - 1.5) for at, _, _ in points],
                [100 * off for _, off, _ in points],
                [200 * chance for _, _, chance in points],
                label=name, fmt="osD^"[beside], color=list(_COLOURS.values())[beside],
                markersize=4, linewidth=1.2,
            )  # fmt: skip
        axes.set(title=title, xlabel="confidence, in percent")
        axes.set_xticks(range(len(steps)), steps, fontsize="small")
        axes.set_xlim(-0.5, len(steps) - 0.5)
    both[0].set_ylabel("points more often right than it says")
    _save(figure, both[1], file, loc="lower right", ncols=2)


def _lessons(rigs: Figures, file: Path) -> None:
    """Draw recall and false knocks from rigs that were met to those that teach more and more."""
    figure, (recall, false) = _two_axes()
    steps = sorted(
        {(it["knocks"], it["noises"]) for one in rigs["left_out"].values() for it in one["lessons"]}
    )
    names = ["met", "left out", *(f"{knocks}+{noises}" for knocks, noises in steps[1:])]
    for name, one in rigs["left_out"].items():
        there = {it["knocks"]: it for it in one["lessons"]}
        points = [(1 + steps.index((it["knocks"], it["noises"])), it) for it in there.values()]
        if met := rigs["met"].get(name):
            points = [(0, met["lessons"][0]), *points]
        for axes, key in ((recall, "recall"), (false, "false_per_minute")):
            drawn = [(at, it[key]) for at, it in points if it[key] is not None]
            _line(axes, name, drawn)
    for axes, title in ((recall, "knocks heard"), (false, "false knocks a minute of noises")):
        axes.set_title(title)
        axes.set_xticks(range(len(names)), names)
        axes.set_xlabel("rigs: met, left out, and after lessons (knocks+noises)")
    recall.set_ylim(top=1.01)
    _save(figure, recall, file)


def _risk(rigs: Figures, file: Path) -> None:
    """Draw how wrong answers are if only the surest are given; dots are where lines are drawn."""
    figure, both = _two_axes()
    for axes, group, title in zip(
        both, ("met", "left_out"), ("rigs that were met", "rigs left out"), strict=True
    ):
        for name, one in rigs[group].items():
            if one["risk"] is None:
                continue
            answered, wrong = zip(*one["risk"]["curve"], strict=True)
            axes.plot(answered, wrong, color=_COLOURS.get(name), label=name, linewidth=1.2)
            axes.plot(
                one["risk"]["answered"], one["risk"]["wrong"], _MARKS.get(name, "o"),
                color=_COLOURS.get(name), markersize=6,
            )  # fmt: skip
        axes.set(title=title, xlabel="share of the blows answered", ylabel="share of those wrong")
    # By one measure, or what is learned by heart looks no worse than what is known.
    top = max(axes.get_ylim()[1] for axes in both)
    for axes in both:
        axes.set_ylim(0, top)
    _save(figure, both[0], file)


def _ladders(report: Figures, file: Path) -> None:
    """Draw macro F1 by level, and by rate with the fewest bits that were tried."""
    figure, (levels, rates) = _two_axes()
    rungs: Sequence[Figures] = report.get("levels", [])
    for name in rungs[0]["methods"] if rungs else ():
        _line(levels, name, [(one["level_db"], _f1(one, name)) for one in rungs])
    levels.set(title="4 kHz, 10 bits, softer and softer", xlabel="dB", ylabel="knock macro F1")
    levels.invert_xaxis()
    rungs = report.get("rates", [])
    bits = min((one["bits"] for one in rungs), default=0)
    rungs = [one for one in rungs if one["bits"] == bits]
    for name in rungs[0]["methods"] if rungs else ():
        _line(rates, name, [(one["rate_hz"] / 1000, _f1(one, name)) for one in rungs])
    rates.set(title=f"{bits} bits, slower and slower", xlabel="kHz")
    rates.invert_xaxis()
    _save(figure, levels, file)


def _f1(rung: Figures, name: str) -> float:
    return float(rung["methods"][name]["knock_macro_f1"] or 0.0)


def _two_axes() -> tuple[Figure, Any]:
    figure = Figure(figsize=_SIZE_INCH, layout="constrained", facecolor="white")
    both = figure.subplots(1, 2)
    for axes in both:
        axes.grid(visible=True, alpha=0.3)
    return figure, both


def _line(axes: Any, name: str, points: Sequence[tuple[float, float]]) -> None:
    if points:
        xs, ys = zip(*sorted(points), strict=True)
        axes.plot(
            xs, ys, color=_COLOURS.get(name), marker=_MARKS.get(name, "o"), label=name,
            linewidth=1.2, markersize=4,
        )  # fmt: skip


def _save(figure: Figure, axes: Any, file: Path, **legend: Any) -> None:
    axes.legend(**{"fontsize": "small", "loc": "best", **legend})
    figure.savefig(file, metadata={"Date": None})
