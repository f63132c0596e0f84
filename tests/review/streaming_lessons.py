"""Tables that learn and forget without end, and wait to be killed; run by `test_lessons_killed`.

Each tells how many lessons it numbered, and which it has, once that is on the disk.
"""

import random
from pathlib import Path

from kloplei.knock.calibration import Calibration
from kloplei.knock.judgement import Verdict
from kloplei.knock.lessons import LessonSource
from kloplei.review.calibrations import CalibrationStore
from kloplei.review.lessons import LessonArchive, LessonBook
from kloplei.review.store import LoggedEvent
from tests.killed import fork_each, tell
from tests.review.blows import Paper, blow

FEW = 12  # lessons: then it forgets one, or all


def stream(_what: str, path: Path, chance: random.Random) -> None:
    """Learn and forget, one thing after the other."""
    book = LessonBook(CalibrationStore(Calibration(), Paper().save), LessonArchive(path))
    numbers = [one.number for one in book.told().lessons]
    while True:
        _turn(book, numbers, chance)
        book.settle()
        numbers = [one.number for one in book.told().lessons]
        tell(numbers)


def _turn(book: LessonBook, numbers: list[int], chance: random.Random) -> None:
    if len(numbers) < FEW:
        event = LoggedEvent(chance.randrange(10**9), None, blow(Verdict.DOUBTFUL))
        book.learn(event, chance.random() < 0.5, chance.choice([*LessonSource]))
    elif chance.random() < 0.2:
        book.forget_all()
    else:
        book.forget(chance.choice(numbers))


if __name__ == "__main__":
    fork_each(stream)
