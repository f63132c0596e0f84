"""hw/piezo.md shows the parts that are simulated, and pictures that are there."""

import re

from hw.parts_table import PAGE, rewritten


def test_its_tables_are_those_of_the_circuits() -> None:
    """When it fails: make hw."""
    text = PAGE.read_text(encoding="utf-8")

    assert rewritten(text) == text


def test_what_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))

    assert [link for link in links if not (PAGE.parent / link).exists()] == []
