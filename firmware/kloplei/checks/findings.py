"""Short words to write findings with; the sentences are in the catalogue ``doctor``."""

from kloplei.rules.scoreboard import Line
from kloplei.table.doctor import Finding, State
from kloplei.words import Words

CATALOGUE = "doctor"
MAY_NOT = "may-not"
"""The key of what this user, or this unit, is not allowed to look at."""


def good(part: str, key: str, /, **facts: object) -> Finding:
    """Return that *part* does well, as the sentence *key* says."""
    return Finding(part, State.GOOD, Line(key, facts))


def poor(part: str, key: str, step: str | None = None, /, **facts: object) -> Finding:
    """Return that *part* does not do well; the sentence *step* says what to do next."""
    return Finding(part, State.POOR, Line(key, facts), _step(step, facts))


def bad(part: str, key: str, step: str | None = None, /, **facts: object) -> Finding:
    """Return that *part* does not work; the sentence *step* says what to do next."""
    return Finding(part, State.BAD, Line(key, facts), _step(step, facts))


def may_not(part: str, what: str) -> Finding:
    """Return that nobody lets us look at *what*, a file or a device."""
    return poor(part, MAY_NOT, "do.as-root", what=what)


def said(part: str, state: State, sentence: str) -> Finding:
    """Return what somebody else found, in their own words; the next step is among them."""
    return Finding(part, state, Line("said", {"message": sentence}))


def tell(finding: Finding, words: Words) -> tuple[str, str]:
    """Return what was found and the next step, "" where none is needed, in *words*."""
    step = finding.step
    return (
        words.say(finding.says.key, finding.says.facts),
        words.say(step.key, step.facts) if step else "",
    )


def doctor_words(language: str) -> Words:
    """Return the doctor's sentences in *language*."""
    return Words(language, domain=CATALOGUE)


def _step(step: str | None, facts: dict[str, object]) -> Line | None:
    return None if step is None else Line(step, facts)
