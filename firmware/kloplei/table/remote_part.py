"""What a part of the table has in another process: a line to ask, and answers to make sense of."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from kloplei.table.talk import Json


class RemotePart:
    """A part of the table that `kloplei.table.remote.RemoteTable` reaches.

    Args:
        ask: Sends one call with its words and returns the answer.
        understood: Turns an answer that makes no sense into the fitting error.
    """

    def __init__(
        self, ask: Callable[..., Json], understood: Callable[[], AbstractContextManager[Any]]
    ) -> None:
        self._ask = ask
        self._understood = understood
