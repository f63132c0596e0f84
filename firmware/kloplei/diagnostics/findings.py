"""Findings: what was found of a part, the sentences that tell it, and a report to copy."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

from kloplei.config.settings import Config
from kloplei.games.scoreboard import Line
from kloplei.table.doctor_client import Finding, FindingState
from kloplei.words import Words, message_facts

CATALOGUE = "doctor"
MAY_NOT = "may-not"
"""The key of what this user, or this unit, is not allowed to look at."""
_SAID = "said"


def good(part: str, key: str, /, **facts: object) -> Finding:
    """Return that *part* does well, as the sentence *key* says."""
    return Finding(part, FindingState.GOOD, Line(key, facts))


def poor(part: str, key: str, step: str | None = None, /, **facts: object) -> Finding:
    """Return that *part* does not do well; the sentence *step* says what to do next."""
    return Finding(part, FindingState.POOR, Line(key, facts), _step(step, facts))


def bad(part: str, key: str, step: str | None = None, /, **facts: object) -> Finding:
    """Return that *part* does not work; the sentence *step* says what to do next."""
    return Finding(part, FindingState.BAD, Line(key, facts), _step(step, facts))


def may_not(part: str, what: str) -> Finding:
    """Return that nobody lets us look at *what*, a file or a device."""
    return poor(part, MAY_NOT, "do.as-root", what=what)


def said(part: str, state: FindingState, sentence: str) -> Finding:
    """Return what somebody else found, in their own words; the next step is among them."""
    return Finding(part, state, Line(_SAID, message_facts(sentence)))


def tell(finding: Finding, words: Words) -> tuple[str, str]:
    """Return what was found and the next step, "" where none is needed, in *words*."""
    says, step = finding.says, finding.step
    if says.key == _SAID:
        return Words(words.language).quoted(says.facts), ""
    return (
        words.say(says.key, says.facts),
        words.say(step.key, step.facts) if step else "",
    )


def doctor_words(language: str) -> Words:
    """Return the doctor's sentences in *language*."""
    return Words(language, domain=CATALOGUE)


def _step(step: str | None, facts: dict[str, object]) -> Line | None:
    return None if step is None else Line(step, facts)


MARKS = {FindingState.GOOD: "ok  ", FindingState.POOR: "note", FindingState.BAD: "BAD "}
_PRIVATE = frozenset({"network.name"})  # a pub is found by the name of its Wi-Fi


def write_report(findings: Iterable[Finding], config: Config | None = None) -> str:
    """Return the report on *findings*, in English; *config* None leaves the settings out.

    Secrets are no part of findings, and settings that are secret are not looked at.
    """
    lines = ["Kloplei, report of the doctor", "", *map(as_line, findings)]
    if config is not None:
        lines += ["", "Settings that are not the default:", *_changed(config)]
    return "\n".join(lines) + "\n"


def as_line(finding: Finding) -> str:
    """Return how *finding* is printed, in English."""
    says, step = tell(finding, doctor_words("en"))
    return f"{MARKS[finding.state]} {finding.part}: {f'{says} {step}'.rstrip()}"


def _changed(config: Config) -> Iterator[str]:
    changed = list(_differences(config, Config(), ""))
    yield from changed or ["  none"]


def _differences(ours: object, usual: object, name: str) -> Iterator[str]:
    if not is_dataclass(ours) or not is_dataclass(usual):
        if ours != usual:
            yield f"  {name} = {'(set)' if name in _PRIVATE else ours}"
        return
    for one in fields(ours):
        if one.repr:  # what is kept out of logs is kept out of reports
            below = f"{name}.{one.name}".lstrip(".")
            yield from _differences(getattr(ours, one.name), getattr(usual, one.name), below)
