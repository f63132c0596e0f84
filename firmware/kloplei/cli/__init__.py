"""The command ``kloplei``: exit codes 0 fine, 1 it did not hold, 2 wrong use.

In comes a command line; out go lines on stdout, one sentence on stderr where something is wrong,
and the exit code. `main` knows which module has which command and imports that one alone; its
``register`` adds the options, and what a command needs is imported when it runs: ``--help`` loads
no game, and a box in trouble waits for nothing. Errors that people can mend are `KlopleiError` and
become the sentence; no command prints a traceback for bad input. Read `main` first.
"""

from kloplei.cli.main import main

__all__ = ["main"]
