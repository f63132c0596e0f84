"""``kill -9`` while lessons are written: the file opens, and holds all that was learned before."""

from pathlib import Path

from kloplei.review.lessons import LessonArchive
from tests.killed import killable, some_chance
from tests.review.streaming_lessons import FEW

KILLS = 50
KILLS_A_FILE = 10


def test_after_a_kill_the_lessons_are_those_that_were_told_or_one_change_on(tmp_path: Path) -> None:
    chance, learned = some_chance(), 0
    with killable("tests.review.streaming_lessons") as tables:
        for kill in range(KILLS):
            folder = tmp_path / str(kill // KILLS_A_FILE)
            folder.mkdir(exist_ok=True)
            before = LessonArchive(folder).load()

            told = tables.run_and_kill("lessons", folder, chance)

            kept = LessonArchive(folder).load()
            last = {*(told[-1] if told else (one.number for one in before.lessons))}
            there = {one.number for one in kept.lessons}
            # A table that has few forgets none.
            assert len(there ^ last) <= 1 or (not there and len(last) >= FEW)
            assert kept.numbered >= max((max(one, default=0) for one in told), default=0)
            learned += len(told)
    print(f"{learned} changes told")
    assert learned > KILLS  # else they were killed before they did anything
