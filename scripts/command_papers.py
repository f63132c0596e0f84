"""Write the manual page and the shells' completions of a command out of its own parser.

``python -m scripts.command_papers FOLDER [kloplei|kloplei-hub]``; run when a package is built, so
that neither can say anything that the command line does not.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import shtab
from argparse_manpage.manpage import Manpage

from kloplei import __version__
from kloplei.cli.main import build_parser
from kloplei_hub.cli import HUB

_IN_SHORT = {
    "kloplei": "hears a knock on the pub table and keeps the slate",
    "kloplei-hub": "keeps all tables of a house that play with Kloplei",
}
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

_OF_HUB = """\
.SH FILES
.TP
.I /etc/kloplei-hub/hub.toml
Settings of the house, with its secrets; all of them: /usr/share/doc/kloplei\\-hub/hub.md
.SH SEE ALSO
.BR kloplei\\-hub\\-setup (8),
.BR systemctl (1)
for kloplei\\-hub\\-ingest.service, kloplei\\-hub\\-fold.service and kloplei\\-hub\\-web.service
"""
_SETUP = """\
.TH KLOPLEI\\-HUB\\-SETUP "8" "" "" "Kloplei"
.SH NAME
kloplei\\-hub\\-setup \\- set up database, broker and settings of a house
.SH SYNOPSIS
.B kloplei\\-hub\\-setup
.RB [ \\-\\-names
.IR NAME,... ]
.RB [ \\-\\-cert
.I FILE
.B \\-\\-key
.IR FILE ]
.RB [ \\-\\-pages ]
.SH DESCRIPTION
Makes what is missing, as root, and lets all that is there be: run it as often as you like.
.TP
.BI \\-\\-names " NAME,..."
Make a new certificate of the broker, by the house's own authority, for these names and
addresses too.
.TP
.BI \\-\\-cert " FILE " \\-\\-key " FILE"
Let the broker use a certificate of yours.
.TP
.B \\-\\-pages
Put nginx before the pages, with https where the broker uses a certificate of yours.
.SH SEE ALSO
.BR kloplei\\-hub (1);
/usr/share/doc/kloplei\\-hub/hub.md
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


def manual(command: str) -> str:
    """Return the manual page of *command*, dated by SOURCE_DATE_EPOCH where that is set."""
    page = Manpage(
        _parser(command),
        format="single-commands-section",
        _data={
            "project_name": command,
            "version": __version__,
            "prog": command,
            "description": _IN_SHORT[command],
            "manual_title": "Kloplei",
        },
    )
    return f"{page}\n{_FILES if command == 'kloplei' else _OF_HUB}"


def _parser(command: str) -> argparse.ArgumentParser:
    return build_parser() if command == "kloplei" else build_parser(program=HUB)


def main(folder: Path, command: str = "kloplei") -> None:
    """Write manual and completions of *command* into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{command}.1").write_text(manual(command), encoding="utf-8")
    if command != "kloplei":
        (folder / "kloplei-hub-setup.8").write_text(_SETUP, encoding="utf-8")
    for shell in ("bash", "zsh"):
        parser = _parser(command)
        complete_files(parser)
        (folder / f"{command}.{shell}").write_text(shtab.complete(parser, shell), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
