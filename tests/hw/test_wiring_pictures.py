"""WireViz draws what the sources say, and the pictures of the pages are those drawings."""

import csv
import html
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from hw import pictures
from hw.drawings import BUILDS, draw, read
from hw.pictures import FOLDER

PICTURES = {build: FOLDER / f"wiring-{build}.svg" for build in BUILDS}


def words_of(picture: Path) -> Counter[str]:
    """Return the texts of *picture*, however often each stands there."""
    found = re.findall(r"<text[^>]*>([^<]*)</text>", picture.read_text(encoding="utf-8"))
    return Counter(html.unescape(one).strip() for one in found)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which every build was drawn just now."""
    folder = tmp_path_factory.mktemp("drawn")
    for build in BUILDS:
        draw(build, folder / f"{build}.svg", folder / "built")
    return folder


@pytest.mark.parametrize("build", BUILDS)
def test_the_picture_is_what_the_source_makes(build: str, drawn: Path) -> None:
    """Where things stand, Graphviz decides anew in each version; what is written stays."""
    assert words_of(PICTURES[build]) == words_of(drawn / f"{build}.svg")


@pytest.mark.parametrize("build", BUILDS)
def test_the_picture_names_every_pin_by_position_and_by_gpio(build: str) -> None:
    one, words = read(build), words_of(PICTURES[build])

    for wire in one.wires:
        labels = one.parts[wire.near].get("pinlabels")
        name = f"{wire.near}:{wire.near_pin}"
        assert (f"{name}:{labels[int(wire.near_pin) - 1]}" if labels else name) in words
        assert f"{wire.far}:{wire.far_pin}" in words


@pytest.mark.parametrize("build", BUILDS)
def test_the_picture_tells_colours_lengths_and_what_kills(build: str) -> None:
    words = words_of(PICTURES[build])

    assert "black" in words
    assert "red" in words
    assert any(re.fullmatch(r"[\d.]+ m", word) for word in words)
    assert any("5 V" in word for word in words)


@pytest.mark.parametrize("build", BUILDS)
def test_a_page_shows_it_without_making_it_much_smaller(build: str) -> None:
    """A README is some 900 pixels wide; text below 11 pixels is hard to read."""
    text = PICTURES[build].read_text(encoding="utf-8")
    found = re.search(r'<svg width="(\d+)pt"', text)

    assert found
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)"', text)}
    assert min(sizes) * 900 / float(found[1]) > 11


@pytest.mark.parametrize("build", BUILDS)
def test_our_reader_counts_what_wireviz_counts(build: str, drawn: Path) -> None:
    with (drawn / f"built/{build}.bom.tsv").open(encoding="utf-8", newline="") as file:
        theirs = list(csv.DictReader(file, delimiter="\t"))

    ours: dict[str, float] = defaultdict(float)
    for item in read(build).items():
        name = re.sub(r", \d+ cm$", "", item.name)
        ours[name] += 1 if name.startswith("jumper") else item.quantity
    for name, quantity in ours.items():
        rows = [row for row in theirs if name in row["Description"]]
        if name.startswith("jumper"):
            cables = read(build).cables.values()
            metres = sum(c["length"] * len(c["colors"]) for c in cables if c["type"] == name)
            assert sum(float(row["Qty"]) for row in rows) == pytest.approx(metres)
        else:
            assert sum(float(row["Qty"]) for row in rows) == quantity, name
    assert {row["Id"] for row in theirs} == {
        row["Id"] for row in theirs if any(name in row["Description"] for name in ours)
    }


def test_a_missing_program_is_told_with_the_command_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))

    with pytest.raises(FileNotFoundError, match="Run: make hw"):
        draw("easy", tmp_path / "easy.svg")

    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    with pytest.raises(SystemExit, match="Run: make hw"):
        pictures.main()
