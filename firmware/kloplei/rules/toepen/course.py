"""The run of events that follows from one action; each looks at the state the last one left."""

from kloplei.rules.game import Event
from kloplei.rules.toepen.apply import apply
from kloplei.rules.toepen.options import Options
from kloplei.rules.toepen.state import State


class Course:
    """Events told so far, and the state they lead to.

    Args:
        options: The house rules that judge what follows.
        state: The table before the first event.
    """

    def __init__(self, options: Options, state: State) -> None:
        self.options = options
        self.state = state
        self.events: tuple[Event, ...] = ()

    def tell(self, event: Event) -> None:
        """Let *event* happen."""
        self.events = (*self.events, event)
        self.state = apply(self.state, event)
