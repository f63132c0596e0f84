"""A disc is glued, its puck is a cover, and a bought module has its resistor: on every page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    {ROOT / "README.md", ROOT / "hw/bom.toml"}
    | set((ROOT / "hw").rglob("*.md"))
    | set((ROOT / "docs").glob("*.md"))
)
MOUNTING = ("hw/README.md", "hw/bring-up.md", "hw/troubleshooting.md", "hw/piezo.md", "hw/bench.md",
            "docs/sensors.md")  # fmt: skip
HOW = "hw/case/README.md"

OTHERWISE = (
    r"glue is not needed",
    r"(no|without|instead of) (any )?glue\b",
    r"presses the disc to the wood",
    r"(?<!only )pressed to (it|the wood)\b(?! by the foam of its puck)",
    r"under a strip of tape",
    r"tape under the disc",
    r"see that the disc is pressed",
    r"foam[^.|]*\b(passes|carries)\b",
)
"""What a page would say that lets somebody leave the glue away."""


def lines(page: Path) -> list[str]:
    return page.read_text(encoding="utf-8").splitlines()


def test_no_page_lets_anybody_leave_the_glue_away() -> None:
    told = [
        f"{page.relative_to(ROOT)}: {line}"
        for page in PAGES
        for line in lines(page)
        if any(re.search(one, line, re.IGNORECASE) for one in OTHERWISE)
    ]

    assert told == []


@pytest.mark.parametrize("page", MOUNTING)
def test_who_mounts_a_disc_is_led_to_how_it_is_glued(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")

    assert re.search(r"\]\((\.\./hw/)?case/README\.md#glue-it\)", text)


def test_how_to_glue_tells_how_to_get_it_off_and_of_wax_for_a_night() -> None:
    text = (ROOT / HOW).read_text(encoding="utf-8")
    section = text.split("\n### Glue it\n")[1].split("\n## ")[0]

    for word in ("Epoxy", "superglue", "**Off again:**", "**For one night:** wax"):
        assert word in section
    for row in ("foam of 3 mm", "epoxy of two parts, or superglue; mounting wax"):
        assert row in text.split("## Put together")[0]


@pytest.mark.parametrize(
    "source", ["docs/sensors.md", "hw/bring-up.md", "hw/bom.toml", "hw/wiring/pads.yml"]
)
def test_who_buys_or_wires_a_bought_module_is_told_the_resistor_in_its_out(source: str) -> None:
    """Without it a bus that is switched on drives its chip selects against the module."""
    text = (ROOT / source).read_text(encoding="utf-8")

    assert re.search(r"\bmodule\b", text)
    assert re.search(
        r"1 kohm in(to)? its OUT|OUT to the pin by way of 1 kohm", " ".join(text.split())
    )
