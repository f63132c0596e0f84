"""From samples and edges to judged blows: what it was, whose it was, how sure that is.

In come blocks of samples (`signal.Block`, full scale -1 to 1) and the edges of comparator pads;
out go a `judgement.Struck` at once and a `judgement.Judgement` some 50 ms later. All of it is
pure: no clock, no thread, no file but ``judge.json``; time enters as an argument, in seconds of
the kernel's monotonic clock, and each object belongs to whoever feeds it (`kloplei.devices`
on the box, `kloplei.recordings` for a file).

Read `detector` first: it cuts a window around each blow (by `onset`), asks `classifier` (by
`features`) whether it was a knock and `localization` (by `arrival`) whose. `edges` does the same
for pads without samples, and `fusion` joins the two where both feel one table. `health` tells a
sensor that is not to be believed, `trimmer` which way to turn a pad's. `calibration` is what one
table taught, `geometry` what people said of its top, `tuning` and `fitting` how it is taught,
`remarks` what is said of that, `lessons` how it goes on while people play, `calibration_file` how
it is written down.
"""

from kloplei.frozen import dataclass
from kloplei.games.game import Seat


@dataclass(frozen=True, slots=True)
class KnockHeard:
    """A blow on the wood, judged to be a knock.

    *seat* None means that nobody can say whose it was; *strength* runs from 0 to 1;
    *at_s* is the kernel's monotonic time in seconds. A *doubtful* one may have been something
    else: it is shown, and does nothing until somebody says that it was a knock. What *amends* was
    told before, as doubtful or as none at all.
    """

    seat: Seat | None
    strength: float
    at_s: float
    doubtful: bool = False
    amends: bool = False
