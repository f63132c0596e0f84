"""Lay the documents out as the Debian package installs them, with links that lead somewhere.

``python -m scripts.installed_pages FOLDER``; run when a package is built. What lies in docs/ here
lies at the top there, where units and the settings file name it. A link to a source, which no
package brings, becomes its bare words.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
BROUGHT = (".md", ".png", ".svg", ".toml", ".txt")
LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def installed() -> Mapping[Path, Path]:
    """Return where each file of the documents is installed, and each folder, by where it is."""
    places = {ROOT / source: Path(place) for source, place in _files()}
    folders = {
        source.parent: place.parent
        for source, place in places.items()
        if source.parent.name == place.parent.name
    }
    return places | folders


def _files() -> Iterator[tuple[str, str]]:
    yield from (("CHANGELOG.md", "CHANGELOG.md"), ("README.md", "README.md"))
    yield "systemd/README.md", "systemd.md"
    for folder in ("docs", "hw"):
        for source in sorted((ROOT / folder).rglob("*")):
            if source.suffix in BROUGHT:
                here = str(source.relative_to(ROOT))
                yield here, here.removeprefix("docs/")


def relinked(page: Path, places: Mapping[Path, Path]) -> str:
    """Return the text of *page* with the links that hold where it is installed."""

    def link(found: re.Match[str]) -> str:
        words, target, heading = found.groups(default="")
        if not target or "://" in target:
            return found.group()
        place = places.get(Path(os.path.normpath(page.parent / target)))
        if place is None:
            return words
        return f"[{words}]({os.path.relpath(place, places[page].parent)}{heading})"

    return LINK.sub(link, page.read_text(encoding="utf-8"))


def main(folder: Path) -> None:
    """Write all of them into *folder*."""
    places = installed()
    for source, place in places.items():
        if source.is_dir():
            continue
        written = folder / place
        written.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            written.write_text(relinked(source, places), encoding="utf-8")
        else:
            shutil.copyfile(source, written)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
