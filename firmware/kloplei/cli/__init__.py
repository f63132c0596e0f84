"""The command ``kloplei``: exit codes 0 fine, 1 it did not hold, 2 wrong use."""

from kloplei.cli.main import main

__all__ = ["main"]
