"""Write the manual page and the shells' completions of ``kloplei`` out of its own parser.

``python -m scripts.command_papers FOLDER``; run when a package is built, so that neither can
say anything that the command line does not.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import shtab
from argparse_manpage.manpage import Manpage

from kloplei import __version__
from kloplei.cli.main import build_parser

_IN_SHORT = "hears a knock on the pub table and keeps the slate"
_FILES = """\
.SH FILES
.TP
.I /etc/kloplei/kloplei.toml
Settings of the box; all of them: /usr/share/doc/kloplei/config.md
.TP
.I /var/lib/kloplei
The journal, what the table was taught, and the keys of the phones
.SH SEE ALSO
.BR systemctl (1)
for kloplei\\-table.service and kloplei\\-panel.service;
/usr/share/doc/kloplei/README.md
"""


def commands_of(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield *parser* and the parsers of its commands."""
    yield parser
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for command in action.choices.values():
                yield from commands_of(command)


def complete_files(parser: argparse.ArgumentParser) -> None:
    """Let every argument that is a path complete to files, and one that is a folder to folders."""
    for command in commands_of(parser):
        for action in command._actions:  # noqa: SLF001
            if action.type is Path:
                is_folder = action.metavar in ("DIR", "FOLDER")
                action.complete = (  # type: ignore[attr-defined]
                    shtab.DIRECTORY if is_folder else shtab.FILE
                )


def manual() -> str:
    """Return the manual page, dated by SOURCE_DATE_EPOCH where that is set."""
    page = Manpage(
        build_parser(),
        format="single-commands-section",
        _data={
            "project_name": "kloplei",
            "version": __version__,
            "prog": "kloplei",
            "description": _IN_SHORT,
            "manual_title": "Kloplei",
        },
    )
    return f"{page}\n{_FILES}"


def main(folder: Path) -> None:
    """Write ``kloplei.1``, ``kloplei.bash`` and ``kloplei.zsh`` into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kloplei.1").write_text(manual(), encoding="utf-8")
    for shell in ("bash", "zsh"):
        parser = build_parser()
        complete_files(parser)
        (folder / f"kloplei.{shell}").write_text(shtab.complete(parser, shell), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
