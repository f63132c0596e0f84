"""hw/piezo.md shows the parts that are simulated, and pictures that are there."""

import math
import re

from hw.front_end import ADC, PAD
from hw.parts_table import PAGE, rewritten
from hw.spice import SCHOTTKY_IS_A


def test_its_tables_are_those_of_the_circuits() -> None:
    """When it fails: make hw."""
    text = PAGE.read_text(encoding="utf-8")

    assert rewritten(text) == text


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))

    assert [link for link in links if not (PAGE.parent / link).exists()] == []


def test_each_diode_that_fits_is_within_what_was_tried() -> None:
    """A second source: a drop no higher than simulated, and little enough leaks backwards."""
    text = PAGE.read_text(encoding="utf-8").split("## The diodes at the pin")[1].split("##")[0]
    form = r"^\| (\S+) \| [^|]+ \| ([\d.]+) V \| ([\d.]+) uA \| ([\d.]+) V \| (yes|no)"
    rows = re.findall(form, text, re.MULTILINE)
    # 1.05 times 25.9 mV, and 15 ohm, as the model has them
    highest_v = 1.05 * 0.0259 * math.log(1e-3 / SCHOTTKY_IS_A["high drop"]) + 15e-3
    fitting = [name for name, *_, fits in rows if fits == "yes"]

    for _, drop_v, leak_ua, at_v, fits in rows:
        # Leaks grow with the voltage: at 30 V and more, no more than twice what is tried.
        kept = float(at_v) >= 30 and float(leak_ua) <= 2.01e6 * SCHOTTKY_IS_A["leaky"]
        assert (float(drop_v) <= highest_v and kept) is (fits == "yes")
    assert {"1N5711", "BAR28", "BAS70-04", "BAS40-04"} == set(fitting)
    for sheet in (ADC, PAD):
        assert all(name in sheet.part("D2").name for name in fitting)
