"""Listen to a recording exactly as the box listens to its piezos: causally, block by block."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kloplei.games.game import Seat
from kloplei.knock.calibration import Calibration, Label
from kloplei.knock.detector import Listener
from kloplei.knock.judgement import Judgement, Verdict
from kloplei.recordings.reading import Recording
from kloplei.table.timings import Timings

GAP_S = Timings().gap_s


@dataclass(slots=True)
class Pattern:
    """Knocks of one seat that belong together, the first *at_s*."""

    at_s: float
    seat: Seat | None
    last_s: float
    count: int = 1


@dataclass(slots=True)
class Patterns:
    """Groups knocks as the table does: seat by seat, until nothing more comes for *gap_s*."""

    gap_s: float = GAP_S
    found: list[Pattern] = field(default_factory=list)
    _last: dict[Seat | None, Pattern] = field(default_factory=dict)

    def add(self, knock: Judgement) -> Pattern:
        """Return the pattern that *knock* belongs to, with *knock* in it."""
        pattern = self._last.get(knock.seat)
        if pattern is not None and knock.at_s - pattern.last_s <= self.gap_s:
            pattern.last_s, pattern.count = knock.at_s, pattern.count + 1
            return pattern
        pattern = Pattern(knock.at_s, knock.seat, knock.at_s)
        self._last[knock.seat] = pattern
        self.found.append(pattern)
        return pattern


@dataclass(slots=True)
class Found:
    """What has been found in one recording so far, without the samples; *knocks* are counted.

    *labels* is what the table that was learned calls its seats; empty where nobody named them.
    """

    labels: tuple[Label, ...] = ()
    judgements: list[Judgement] = field(default_factory=list)
    patterns: Patterns = field(default_factory=Patterns)
    knocks: int = 0

    def add(self, judgement: Judgement) -> Pattern | None:
        """Take in *judgement*; return the pattern it belongs to, None if it is no knock."""
        self.judgements.append(judgement)
        if judgement.verdict is not Verdict.KNOCK:
            return None
        self.knocks += 1
        return self.patterns.add(judgement)

    def label(self, seat: Seat | None) -> Label | None:
        """Return what *seat* is called outside: the label learned, else a plain number."""
        if seat is None:
            return None
        return self.labels[seat] if seat < len(self.labels) else int(seat)

    def those(self, verdict: Verdict) -> list[Judgement]:
        """Return what was judged so, in the order it was heard."""
        return [one for one in self.judgements if one.verdict is verdict]


def listen(
    recording: Recording,
    calibration: Calibration | None = None,
    after_block: Callable[[], None] = lambda: None,
) -> Iterator[Judgement]:
    """Yield what every blow in *recording* was found to be, as soon as the box would know.

    Without a table that *calibration* has learned, each of several channels is a seat.
    *after_block* is called again and again while it goes on, for whoever shows progress.

    Raises:
        UnreadableRecording: It cannot be read to its end.
    """
    seats = tuple(map(Seat, range(recording.channels))) if recording.channels > 1 else ()
    listener = Listener(seats, calibration)
    for block in recording.blocks():
        yield from (one for one in listener.feed(block) if isinstance(one, Judgement))
        after_block()
    yield from (one for one in listener.flush() if isinstance(one, Judgement))
