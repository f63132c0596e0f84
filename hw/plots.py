"""Plots for hw/piezo.md of what ngspice says; only ``make hw`` has matplotlib."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from hw import stimuli
from hw.spice import NOMINAL, Build, simulate
from hw.trials import Curves, on_adc, on_pad, transient

mpl.rcParams["svg.hashsalt"] = "kloplei"  # the same curves make the same file
_SIZE_INCH = (7.2, 3.0)


def plot_all(folder: Path) -> None:
    """Write every plot into *folder*."""
    _hard_blow(folder / "piezo-hard.svg")
    _band(folder / "piezo-band.svg")
    _pulse(folder / "piezo-pulse.svg")


def _hard_blow(file: Path) -> None:
    nets = {"v(live)": "at the plug", "v(ch)": "at the converter", "v(3v3a)": "its supply"}
    circuit = on_adc(NOMINAL, stimuli.blow(stimuli.HARD_V))
    figure, axes = _axes("A disc hit hard: 60 V if nothing held it", "ms", "V")
    _curves(axes, transient(circuit, 0.03, 20e-6, list(nets)), nets)
    _save(figure, axes, file)


def _band(file: Path) -> None:
    figure, axes = _axes("From the disc to the converter", "Hz", "gain")
    for closed, name in (((), "no jumper"), (("JP1",), "JP1"), (("JP2",), "JP2")):
        circuit = on_adc(Build(closed=frozenset(closed)), "dc 0 ac 1")
        curves = simulate(circuit, "ac dec 30 5 20k", ["vm(ch)"])
        axes.loglog(curves["x"], curves["vm(ch)"], label=name)
    axes.axvspan(60, 2000, alpha=0.12, color="gray", label="what the ears use at 4 kHz")
    _save(figure, axes, file)


def _pulse(file: Path) -> None:
    nets = {
        "v(n3)": "at the comparators", "v(high)": "upper threshold", "v(low)": "lower threshold",
        "v(out)": "at the Pi's pin",
    }  # fmt: skip
    circuit = on_pad(NOMINAL, stimuli.blow(stimuli.USUAL_V))
    figure, axes = _axes("A usual knock at a pad", "ms", "V")
    _curves(axes, transient(circuit, 0.03, 20e-6, list(nets)), nets)
    _save(figure, axes, file)


def _axes(title: str, x: str, y: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=_SIZE_INCH, layout="constrained")
    axes = figure.subplots()
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(visible=True, alpha=0.3)
    return figure, axes


def _curves(axes: Any, curves: Curves, names: dict[str, str]) -> None:
    for net, name in names.items():
        axes.plot([1000 * one for one in curves["x"]], curves[net], label=name, linewidth=1)


def _save(figure: Figure, axes: Any, file: Path) -> None:
    axes.legend(fontsize="small", loc="best")
    figure.savefig(file, metadata={"Date": None})
