"""The picture shows every part of the circuit, by its name and value."""

from pathlib import Path

import pytest

from hw.front_end import ADC, PAD, SHEETS
from hw.pictures import FOLDER
from hw.schematic import draw, value_text


@pytest.mark.parametrize("name", SHEETS)
def test_the_picture_that_is_shown_is_the_circuit(name: str, tmp_path: Path) -> None:
    """When it fails: make hw, look at the picture, commit it."""
    draw(SHEETS[name], tmp_path / "fresh.svg")

    shown = (FOLDER / f"piezo-{name}.svg").read_text()

    assert shown == (tmp_path / "fresh.svg").read_text()


@pytest.mark.parametrize("name", SHEETS)
def test_the_picture_names_each_part(name: str, tmp_path: Path) -> None:
    draw(SHEETS[name], tmp_path / "fresh.svg")

    text = (tmp_path / "fresh.svg").read_text()

    assert [part.ref for part in SHEETS[name].parts if f">{part.ref}<" not in text] == []


def test_values_are_written_as_people_do() -> None:
    values = {ref: value_text(ADC.part(ref)) for ref in ("R2", "C1", "C5", "D1", "JP1")}

    assert values == {"R2": "470 kΩ", "C1": "4.7 nF", "C5": "22 µF", "D1": "12 V", "JP1": ""}
    assert value_text(PAD.part("C4")) == "470 pF"
