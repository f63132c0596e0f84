"""The run of events that follows from one action; each looks at the state the last one left."""

from collections.abc import Callable
from typing import Generic, TypeVar

from kloplei.rules.game import Event

O = TypeVar("O")  # noqa: E741 - the house rules of a game
S = TypeVar("S")


class Course(Generic[O, S]):
    """Events told so far, and the state they lead to.

    Args:
        options: The house rules that judge what follows.
        state: The table before the first event.
        apply: What each event does to the state.
    """

    def __init__(self, options: O, state: S, apply: Callable[[S, Event], S]) -> None:
        self.options = options
        self.state = state
        self.events: tuple[Event, ...] = ()
        self._apply = apply

    def tell(self, event: Event) -> None:
        """Let *event* happen."""
        self.events = (*self.events, event)
        self.state = self._apply(self.state, event)
