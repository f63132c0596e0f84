"""One blow, felt by pads and piezos under the same table top, told once and by what both know."""

from collections.abc import Sequence
from dataclasses import field
from functools import reduce

from kloplei.frozen import dataclass, replace
from kloplei.knock.edges import sure_by
from kloplei.knock.judgement import Judgement, Struck, Verdict

TOGETHER_S = 0.03  # wood carries a blow to every sensor in less
OTHER_S = 0.1  # so long after the one has judged, the other has as well, if it ever will
KEPT_S = 1.0  # a blow that is so old is told no more
EDGE_LATE_S = 0.0005  # a comparator turns so much after the onset that samples show


@dataclass(slots=True)
class _Blow:
    """A blow, who *felt* it, what each of them *found*, and what is told right after it."""

    at_s: float
    felt: set[str]
    found: dict[str, Judgement] = field(default_factory=dict)
    after: list[Judgement] = field(default_factory=list)
    due_s: float | None = None
    was_told: Judgement | None = None

    def told(self, kinds: Sequence[str]) -> tuple[Judgement, ...]:
        """Return what is known of it, by the order of *kinds*, and all that waited for it."""
        self.was_told, self.due_s = self._known(kinds), None
        return (self.was_told, *self.after)

    def amended(self, kinds: Sequence[str], was_told: Judgement) -> Judgement:
        """Return what is known of it now, in place of what *was_told*."""
        self.was_told = replace(
            self._known(kinds), at_s=was_told.at_s, part=was_told.part, amends=True
        )
        return self.was_told

    def _known(self, kinds: Sequence[str]) -> Judgement:
        return reduce(_joined, (self.found[kind] for kind in kinds if kind in self.found))


class Fusion:
    """Joins what pads and piezos find; without a clock or a thread.

    The piezos say what a blow was: they know its shape. Whose it was says whoever felt it
    first, and what is found is told as of that one.

    Args:
        kinds: Who may feel a blow; each knows more of its shape than those before it.
        together_s: Sensors that feel something within this time feel the same blow.
    """

    def __init__(self, kinds: Sequence[str], together_s: float = TOGETHER_S) -> None:
        self._kinds = kinds
        self._together_s = together_s
        self._blows: list[_Blow] = []

    @property
    def due_s(self) -> float | None:
        """When to ask `overdue`; None while nobody waits for the other."""
        return min((one.due_s for one in self._blows if one.due_s is not None), default=None)

    def struck(self, kind: str, struck: Struck) -> Struck | None:
        """Take in that *kind* felt the wood move; return it if it is news."""
        # What a sensor felt may never be judged: it stormed, and was let alone meanwhile.
        self._forget(struck.at_s)
        for blow in self._near(struck.at_s):
            if kind not in blow.felt:
                blow.felt.add(kind)
                return None
        self._blows.append(_Blow(struck.at_s, {kind}))
        return struck

    def judged(self, kind: str, judgement: Judgement, now_s: float) -> tuple[Judgement, ...]:
        """Take in what *kind* found; return what is known of the blow when all have judged.

        A second hand that was found within a blow is told after that one.
        """
        self._forget(now_s)
        for blow in self._near(judgement.at_s):
            if kind in blow.felt and kind not in blow.found:
                return self._found(blow, kind, judgement, now_s)
            # What this one felt was too faint to be told until another blow said what it was.
            if judgement.amends or kind not in blow.felt:
                return self._amended(blow, kind, judgement)
        for blow in self._blows:
            if blow.due_s is not None and kind in blow.found:
                blow.after.append(judgement)
                return ()
        return (judgement,)

    def overdue(self, now_s: float) -> tuple[Judgement, ...]:
        """Return the blows that one kind has judged, and the other does not in time."""
        late = [blow for blow in self._blows if blow.due_s is not None and blow.due_s <= now_s]
        return tuple(judgement for blow in late for judgement in blow.told(self._kinds))

    def _found(
        self, blow: _Blow, kind: str, judgement: Judgement, now_s: float
    ) -> tuple[Judgement, ...]:
        blow.found[kind] = judgement
        # The other one waited long enough, and the blow was told without this: told twice it would
        # be two knocks.
        if blow.was_told is not None:
            return ()
        if blow.felt == blow.found.keys():
            return blow.told(self._kinds)
        blow.due_s = now_s + OTHER_S
        return ()

    def _amended(self, blow: _Blow, kind: str, judgement: Judgement) -> tuple[Judgement, ...]:
        blow.felt.add(kind)
        blow.found[kind] = replace(judgement, amends=False)
        # What was told of it stands, unless it was a knock after all.
        if blow.was_told is None or judgement.verdict is not Verdict.KNOCK:
            return ()
        return (blow.amended(self._kinds, blow.was_told),)

    def _near(self, at_s: float) -> list[_Blow]:
        near = [blow for blow in self._blows if abs(blow.at_s - at_s) < self._together_s]
        return sorted(near, key=lambda blow: abs(blow.at_s - at_s))

    def _forget(self, now_s: float) -> None:
        self._blows = [
            blow for blow in self._blows if blow.due_s is not None or now_s - blow.at_s < KEPT_S
        ]


def _joined(pads: Judgement, piezos: Judgement) -> Judgement:
    """Return what the *piezos* found, as a finding of whoever felt the blow first."""
    lead_s = piezos.at_s + EDGE_LATE_S - pads.at_s  # of the pads
    first, other = (pads, piezos) if lead_s > 0 else (piezos, pads)
    return replace(
        first,
        decided_at_s=max(pads.decided_at_s, piezos.decided_at_s),
        verdict=piezos.verdict,
        likelihood=piezos.likelihood,
        is_held=piezos.is_held,
        strength=piezos.strength,
        seat=other.seat if first.seat is None else first.seat,
        confidence=_confidence(first, other, abs(lead_s)),
    )


def _confidence(first: Judgement, other: Judgement, lead_s: float) -> float:
    """Return how sure the seat is; where both name another, by how much the *first* led."""
    if first.seat is None:
        return other.confidence
    if other.seat in (None, first.seat):
        return first.confidence
    return first.confidence * sure_by(lead_s)
