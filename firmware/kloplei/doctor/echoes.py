"""One fault, one line: what a part says only because of what was told already is left out."""

from collections.abc import Iterable, Iterator

from kloplei.table.doctor import Finding, State

_CAUSES = {"slate": ("i2c", "spi"), "piezos": ("spi",), "pins": ("pin library",)}
"""By part: what has to be mended before it can work, and says more about it."""

_UNIT, _STOPPED = "kloplei-table", "table.stopped"


def without_echoes(told: Iterable[Finding], findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield those of *findings* that are no mere echo of a fault among those *told* before."""
    told = tuple(told)
    broken = {one.part for one in told if one.state is State.BAD}
    unit_told = any(one.part == _UNIT and one.state is not State.GOOD for one in told)
    for finding in findings:
        is_echo = finding.state is State.BAD and not broken.isdisjoint(
            _CAUSES.get(finding.part, ())
        )
        if not (is_echo or (unit_told and finding.says.key == _STOPPED)):
            yield finding
