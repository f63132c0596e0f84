"""What the documents name is there: files, headings, make targets, commands and options."""

import re
from pathlib import Path

import pytest

from kloplei.cli.main import build_parser

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("hw/**/*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`\n]+`|^ {4}.+$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"(?<![\w/-])(?:docs|hw)/[\w/-]+\.md\b")
SOURCES = ("firmware", "webpanel", "hub", "scripts", "benchmarks", "hw", "systemd")
MAKE = re.compile(r"\bmake ([a-z-]+)\b")
COMMAND = re.compile(r"\bkloplei ([a-z]+)((?: (?!#)\S+)*)")


def of_every_page(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return page and match for all that *pattern* finds in code or, for links, in text."""
    return [
        (str(page.relative_to(ROOT)), found.group())
        for page in PAGES
        for found in pattern.finditer(page.read_text(encoding="utf-8"))
    ]


def anchors(page: Path) -> set[str]:
    """Return the names of the headings of *page*, as web pages of it would call them."""
    headings = re.findall(
        r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def told_commands() -> list[tuple[str, str, str]]:
    """Return page, command and the words after it."""
    return [
        (page, found[1], found[2])
        for page, code in of_every_page(CODE)
        for found in COMMAND.finditer(code.strip("`"))
    ]


def leads_somewhere(page: str, link: str) -> bool:
    """Return whether what *link* leads to is there, its heading included."""
    target, _, heading = link[2:-1].partition("#")
    if target.startswith("https://"):
        return True
    led_to = (ROOT / page).parent / target if target else ROOT / page
    return led_to.exists() and (not heading or heading in anchors(led_to))


def test_every_link_leads_somewhere() -> None:
    links = of_every_page(LINK)

    assert len(links) > 100
    assert [one for one in links if not leads_somewhere(*one)] == []


def test_every_page_that_a_source_or_a_sentence_names_is_there() -> None:
    """Errors say what to do next, and mostly where that is told."""
    files = [one for top in SOURCES for one in (ROOT / top).rglob("*") if one.is_file()]
    sources = [one for one in files if one.suffix in {".py", ".po", ".html", ".service", ".sql"}]

    named = {
        (str(one.relative_to(ROOT)), page)
        for one in sources
        for page in NAMED.findall(one.read_text(encoding="utf-8"))
    }

    assert len(named) > 100
    assert sorted(one for one in named if not (ROOT / one[1]).exists()) == []


def test_a_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    named = {found for _, code in of_every_page(CODE) for found in MAKE.findall(code)}

    assert {"demo", "test"} <= named <= targets


def test_every_command_that_is_named_exists_with_its_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    helps: dict[str, str] = {}
    for command in {command for _, command, _ in told_commands()}:
        with pytest.raises(SystemExit) as stopped:
            build_parser().parse_args([command, "--help"])
        said = capsys.readouterr()
        helps[command] = said.out if stopped.value.code == 0 else ""

    wrong = [
        (page, command, words)
        for page, command, words in told_commands()
        if not helps[command]
        or not all(option in helps[command] for option in re.findall(r"--[a-z]+", words))
    ]

    assert wrong == []


def test_a_command_is_named_that_could_be_missing() -> None:
    commands = {command for _, command, _ in told_commands()}

    assert {"demo", "run", "panel", "replay", "judge"} <= commands


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        reached.add(page)
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            led_to = (page.parent / link.partition("#")[0]).resolve()
            elsewhere = link.startswith("https://")
            if led_to.suffix == ".md" and led_to not in reached and not elsewhere:
                ahead.append(led_to)

    assert set(PAGES) <= reached
