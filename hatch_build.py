"""Compile the word catalogues when the package is built, so that no .mo file is kept in git."""

import os
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CATALOGUES = (
    Path("firmware/kloplei/words"),
    Path("webpanel/kloplei_panel/words"),
    Path("hub/kloplei_hub/words"),
)

_NO_DATE = datetime.fromtimestamp(0, UTC)  # the same words are the same file, whenever it is made


def compile_words(root: Path) -> list[Path]:
    """Write a .mo file beside every .po file under *root* and return their paths."""
    written = []
    for folder in CATALOGUES:
        for source in sorted((root / folder).glob("*/LC_MESSAGES/*.po")):
            with source.open("rb") as text:
                catalogue = read_po(text, abort_invalid=True)
            catalogue.creation_date = _NO_DATE
            written.append(_put(source.with_suffix(".mo"), catalogue))
    return written


def _put(target: Path, catalogue: Catalog) -> Path:
    """Let *target* hold *catalogue*; who reads it meanwhile finds the old one or the new one.

    One that holds it already is not touched, so that read-only sources will do.
    """
    binary = BytesIO()
    write_mo(binary, catalogue)
    if target.is_file() and target.read_bytes() == binary.getvalue():
        return target
    fresh = target.with_suffix(f".{os.getpid()}.mo")
    fresh.write_bytes(binary.getvalue())
    return fresh.replace(target)


class CompileWords(BuildHookInterface):  # type: ignore[type-arg]
    """hatchling calls this before it packs a wheel or an editable install."""

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Compile before packing; *version* and *build_data* are hatchling's own."""
        compile_words(Path(self.root))


if __name__ == "__main__":
    compile_words(Path(__file__).parent)
