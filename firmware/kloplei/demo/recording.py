"""A recording of knocks as the virtual box feels it: a pad its edges, a piezo its samples."""

from array import array
from dataclasses import dataclass
from pathlib import Path

from kloplei.knock.comparator import Edge, edges
from kloplei.knock.listener import Listener
from kloplei.knock.lone_pad import judged
from kloplei.knock.signal import Block, Samples
from kloplei.knock.verdict import Judgement, Verdict
from kloplei.recordings.errors import UnreadableRecording
from kloplei.recordings.reading import open_recording
from kloplei.recordings.thinning import Thinner
from kloplei.simulation import Wave

LEVEL = 0.25  # of the loudest sample: a plain threshold
SILENCE = 1e-3  # a recording whose loudest sample is below this holds no knock
MAX_S = 600.0


@dataclass(frozen=True, slots=True)
class Recording:
    """Samples of the first channel, full scale -1 to 1."""

    name: str  # of its file
    rate_hz: float
    samples: Samples

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate_hz

    def at_rate(self, rate_hz: float) -> "Recording":
        """Return it at *rate_hz*, as a converter that samples no faster would read it."""
        fewer = max(1, int(self.rate_hz / rate_hz))
        thinner = Thinner(fewer, 1)
        (body,), (end,) = thinner.thin([self.samples]), thinner.flush()
        wave = Wave(0.0, self.rate_hz / fewer, ((*body, *end),))
        read = (wave.at(0, at / rate_hz) for at in range(int(self.duration_s * rate_hz)))
        return Recording(self.name, rate_hz, array("f", read))

    def edges(self) -> tuple[Edge, ...]:
        """Return what a comparator pad makes of it, threshold at `LEVEL` of the loudest."""
        loudest = max(map(abs, self.samples), default=0.0)
        if loudest < SILENCE:
            return ()
        return tuple(edges(self.samples, self.rate_hz, LEVEL * loudest))

    def knocks_of_edges_s(self, deaf_s: float) -> tuple[float, ...]:
        """Return when its knocks begin, as a pad tells by its edges that rings for *deaf_s*."""
        found = judged(self.edges(), deaf_s)
        return tuple(one.at_s for one in found if one.verdict is Verdict.KNOCK)

    def judged_knocks_s(self) -> tuple[float, ...]:
        """Return when its knocks begin, as the judge finds them in its samples."""
        listener = Listener()
        found = (*listener.feed(Block(0.0, self.rate_hz, (self.samples,))), *listener.flush())
        blows = (one for one in found if isinstance(one, Judgement))
        return tuple(one.at_s for one in blows if one.verdict is Verdict.KNOCK)


def read_recording(path: Path) -> Recording:
    """Read the first channel of the WAV file at *path*.

    Raises:
        UnreadableRecording: No such file, no WAV file, or one too long to play.
    """
    samples = array("f")
    rate_hz = 0.0
    with open_recording(str(path)) as recording:
        for block in recording.blocks():
            rate_hz = block.rate_hz
            samples.extend(block.channels[0])
            if recording.read_s > MAX_S:
                minutes = f"{MAX_S / 60:.0f} minutes"
                raise UnreadableRecording.of(str(path), f"is longer than {minutes}; cut it")
    return Recording(path.name, rate_hz, samples)
