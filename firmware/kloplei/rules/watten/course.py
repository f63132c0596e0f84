"""The run of events that follows from one action at a Watten table."""

from kloplei.rules import course
from kloplei.rules.watten.apply import apply
from kloplei.rules.watten.options import Options
from kloplei.rules.watten.state import State


class Course(course.Course[Options, State]):
    """Events told so far, and the table they lead to."""

    def __init__(self, options: Options, state: State) -> None:
        super().__init__(options, state, apply)
