"""From blocks of samples to judged blows, causally; the same for a live box and a recording.

`Listener` is fed by one thread. A `Trigger` feels a blow in the loudest channel, `Channel.onset`
looks back to where it began, and 48 ms later the window around it is judged. Trigger and onset
look at the signal without what is slower than 60 Hz: bumps, steps and the mains. A piece that
cannot hold a blow is only asked how loud it is, without a step of Python for each sample: it is
looked at more closely if a blow that follows has to be measured by it. What came just before weighs
on the likelihood of a blow: `SoftTable` where all of them are soft, `KnockRow` where one follows
another.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, log10

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.knock._second_hand import (
    QUIET_S,
    SOUGHT_S,
    has_died_away,
    heard_alone,
    is_elsewhere,
    regrowth,
)
from kloplei.knock.arrival import location_features
from kloplei.knock.calibration import Calibration
from kloplei.knock.classifier import likelihood
from kloplei.knock.features import AFTER_S, BEFORE_S, CORNER_HZ, judging_rate_hz
from kloplei.knock.geometry import TableGeometry
from kloplei.knock.judgement import (
    DEAD_S,
    DOUBTFUL_LINE,
    KNOCK_LINE,
    Judgement,
    Struck,
    Verdict,
    eased,
    sure_enough,
    verdict,
)
from kloplei.knock.localization import SeatFinder
from kloplei.knock.onset import ABOVE_NOISE_TUNED, FAINTEST, LOWEST, Channel, NoiseFollower, Trigger
from kloplei.knock.signal import Block, PassedBound, Samples, Window, finite, loudest

MAY_BE = 0.45  # a seat that has just knocked and is so likely may have knocked again
SECOND_SURE = 0.85  # of its seat: what still rings makes it look surer than it is
SHARPNESS = 0.25  # of what geometry says then, beside quiet wood
SAME_S = 0.003  # two ways back that end so close together have found the same blow
RINGS_S = 0.15  # so long after a knock another one is heard without what still rings
GAP_S = 0.005  # what a block is off its place is no jitter: something is missing, or time jumped
OTHER_PACE = 0.05  # of the rate: no clock drifts so much
PIECE_HOPS = 16  # so much is silent as a whole, or looked at closely
_KEPT_S = BEFORE_S + DEAD_S + AFTER_S + 0.02

Finding = Struck | Judgement
"""What comes of a signal: that a blow was felt, and later what it was."""


@dataclass(frozen=True, slots=True)
class CompanyLines:
    """How much the company of a blow counts (docs/knocks.md), as picked on recordings.

    ``benchmarks/lines.py`` asks what others would have done.

    Args:
        begins_a_row: Likelihood, by itself, of what may have been a knock, and no noise.
        surer_in_a_row: By so many log-odds, for what follows that.
        milder_a_db: Log-odds, at a soft table, for each dB below `SOFT_DB`.
        most_milder: Log-odds that all these dB count at the most.
        one_of_two: Likelihood, by itself, of one of two soft blows at least: else they tell
            nothing.
        alike_db: By which the two differ at the most.
    """

    begins_a_row: float = DOUBTFUL_LINE
    surer_in_a_row: float = 1.0
    milder_a_db: float = 0.3
    most_milder: float = 3.0
    one_of_two: float = 0.1
    alike_db: float = 10.0


USUAL_LINES = CompanyLines()


class Listener:
    """Finds the blows in a signal and has each of them judged.

    Feed it the blocks as they come; it never looks ahead, and keeps no more than a window.
    How the signal is cut into blocks makes no difference. A block that does not follow the one
    before, in time, in pace or in its channels, begins a new signal.

    Args:
        seats: Whose piezo each channel is, None for one in a corner or for the whole table;
            empty where nobody knows.
        calibration: What the table taught; None for the defaults.
        judge: Tells how sure it is that the blow in a window was a knock, 0 to 1.
        geometry: Where seats and discs are; None where nobody said.
        lines: How much the company of a blow counts.
    """

    def __init__(
        self,
        seats: Sequence[Seat | None] = (),
        calibration: Calibration | None = None,
        judge: Callable[[Window, Calibration], float] = likelihood,
        geometry: TableGeometry | None = None,
        lines: CompanyLines = USUAL_LINES,
    ) -> None:
        self._calibration = calibration or Calibration()
        self._is_taught = self._calibration.is_taught  # what is learned in play never changes that
        self._seats = SeatFinder(seats, self._calibration.places, geometry)
        self._likelihood = judge
        self._rate_hz = 0.0
        self._skew_s = 0.0
        self._channels: list[Channel] = []
        self._trigger = Trigger(0.0)
        self._bound = PassedBound(inf, CORNER_HZ)
        self._softer_db = 0.0  # by which the trigger heeds softer blows there
        self._floor = self._noise_follower()
        self._unshown: int | None = None  # onset of a blow too faint to be shown as yet
        self._next = 0  # first sample that has not been searched, counted as kept
        self._most = 0.0  # of what has not been searched: no sample is louder
        self._taken = 0  # samples since the signal began
        # What the kept samples came in, counted as taken: from, to, loudest of each channel.
        self._pieces: deque[tuple[int, int, Sequence[float]]] = deque()
        self._length, self._longer = 0, 0  # of what is heard of a blow, and of one that may follow
        self._peaks: list[float] = []  # of the hops up to there that have been looked at
        self._start_s = 0.0  # when the first kept sample was taken
        self._pending: list[int] = []  # onsets that wait for their window, counted as kept
        self._knocks_s: dict[Seat | None, float] = {}  # when each seat knocked last
        self._rung: list[Window] = []  # of knocks that the wood may still ring from
        self._felt_s: list[float] = []  # onsets since, whatever they were
        self._soft = SoftTable(lines)
        self._recent: deque[_Recent] = deque()  # blows of a moment ago, where rows may tell
        self._row = KnockRow(lines)
        self._alone: list[int] = []  # onsets of knocks that a second hand may yet have followed

    def feed(self, block: Block) -> tuple[Finding, ...]:
        """Return what *block* brings to light, in the order in which it was known."""
        # A converter that was opened anew tells other times, and the kernel may lose a block: what
        # has been heard ends there, and what comes is never joined to it.
        cut_short: tuple[Finding, ...] = ()
        if not self._goes_on_with(block):
            cut_short = self.flush()
            self._begin(block)
        self._start_s = block.start_s - len(self._channels[0].raw) / self._rate_hz
        if (channels := tuple(map(finite, block.channels))) != block.channels:
            block = replace(block, channels=channels)
        found = tuple(self._heard(block))
        self._forget()
        return cut_short + found

    def learn(self, calibration: Calibration) -> bool:
        """Judge by *calibration* from the next blow on; return False if it takes a new listener.

        That is so where more is another than what was learned in play: that comes in the midst of
        a game, and neither a blow under way nor what it may echo is lost. From any thread.
        """
        if replace(calibration, played=None) != replace(self._calibration, played=None):
            return False
        self._calibration = calibration
        self._reach()
        return True

    def flush(self) -> tuple[Finding, ...]:
        """Judge the blows that the end of the signal has cut short, if there are any."""
        onsets, self._pending, self._unshown = self._pending, [], None
        end_s = self._time_s(len(self._channels[0].raw)) if self._channels else 0.0
        found = [one for onset in onsets for one in self._judge(onset, end_s)]
        followed, self._alone = self._alone, []
        found += [one for onset in followed if (one := self._follower(onset, end_s)) is not None]
        return tuple(found)

    def _goes_on_with(self, block: Block) -> bool:
        if len(self._channels) != len(block.channels):
            return False
        late_s = block.start_s - self._time_s(len(self._channels[0].raw))
        other_pace = abs(block.rate_hz - self._rate_hz)
        return abs(late_s) <= GAP_S and other_pace <= OTHER_PACE * self._rate_hz

    def _begin(self, block: Block) -> None:
        self._rate_hz, self._skew_s = block.rate_hz, block.skew_s
        self._channels = [Channel(self._rate_hz) for _ in block.channels]
        self._trigger = Trigger(self._rate_hz)
        self._bound = PassedBound(self._rate_hz, CORNER_HZ)
        self._floor = self._noise_follower()
        self._unshown = None
        self._next, self._most, self._peaks = 0, 0.0, []
        self._taken, self._pieces = 0, deque()
        self._length = round(AFTER_S * self._rate_hz)  # from an onset until it is judged
        self._longer = self._length + round(DEAD_S * self._rate_hz)  # until what followed it is
        self._rung, self._felt_s = [], []
        # Where time went back, a knock to come would keep its seat deaf until then.
        self._knocks_s = {s: at_s for s, at_s in self._knocks_s.items() if at_s <= block.start_s}

    def _noise_follower(self) -> "NoiseFollower":
        gain_db = self._calibration.trigger_db + self._softer_db
        # Who tuned the table told how soft its knocks may be: it is heard as it was then.
        if self._is_taught:
            return NoiseFollower(gain_db, LOWEST, ABOVE_NOISE_TUNED)
        return NoiseFollower(gain_db)

    def _reach(self) -> None:
        self._floor.reach(self._calibration.trigger_db + self._softer_db)

    def _heard(self, block: Block) -> Iterator[Finding]:
        # In pieces, so that one blow does not keep a long block from being silent but for it.
        # Its end is where hops end, however the blocks were cut: what follows is the same.
        piece, begin, length = PIECE_HOPS * self._trigger.hop, 0, len(block.channels[0])
        while begin < length:
            end = begin + piece - self._taken % piece
            if begin == 0 and end >= length:
                # Who looks after the discs has asked for these before.
                cut: Sequence[Samples] = block.channels
                peaks = [high if high > -low else -low for low, high in block.extremes]
            else:
                cut = [samples[begin:end] for samples in block.channels]
                peaks = [loudest(samples) for samples in cut]
            for channel, samples in zip(self._channels, cut, strict=True):
                channel.raw += samples
            taken, self._taken = self._taken, self._taken + len(cut[0])
            self._pieces.append((taken, self._taken, peaks))
            yield from self._search(self._bound.most(max(peaks), len(cut[0])))
            is_end = not self._taken % piece
            if is_end and self._soft.softer_db != self._softer_db:
                self._softer_db = self._soft.softer_db
                self._reach()
            self._trigger.threshold = self._floor.after(max(peaks), is_end=is_end)
            begin = end

    def _search(self, most: float) -> Iterator[Finding]:
        """Look for blows in what came last, none of which is louder than *most*."""
        self._most = max(self._most, most)
        hops = (len(self._channels[0].raw) - self._next) // self._trigger.hop
        if not hops:
            return
        end = self._next + hops * self._trigger.hop
        if self._most >= self._trigger.line(hops):
            yield from self._listen_closely(self._next, hops)
        else:
            self._peaks = []
        self._trigger.pass_by(hops)
        self._next = end
        self._most = most if end < len(self._channels[0].raw) else 0.0
        if self._due <= end:
            yield from self._judge_due()

    def _listen_closely(self, begin: int, hops: int) -> Iterator[Finding]:
        hop, before = self._trigger.hop, min(self._trigger.measured_by, begin // self._trigger.hop)
        if len(self._peaks) < before:
            self._peaks = self._loudest_of(begin - before * hop, before)
        peaks = self._peaks = self._peaks[-before:] + self._loudest_of(begin, hops)
        asked = range(before, before + hops)
        rising = self._trigger.rising(peaks, asked)
        # What has been felt and not been shown is shown by what is loud enough, rising or not.
        shown_from = max(self._trigger.threshold, self._floor.told_from)
        for at in asked if rising or self._unshown is not None else ():
            if at not in rising and (self._unshown is None or peaks[at] < shown_from):
                continue
            self._next = begin + (at - before) * hop
            if self._due <= self._next:
                yield from self._judge_due()
            if self._unshown is not None and peaks[at] >= self._floor.told_from:
                yield self._shown(self._unshown, peaks[at])
            if self._trigger.feels(peaks, at, at - before):
                self._next += hop
                yield from self._felt(peaks[at])

    def _loudest_of(self, begin: int, hops: int) -> list[float]:
        """Return the loudest sample of all channels in each of so many *hops* from *begin* on."""
        hop = self._trigger.hop
        heard = [channel.passed(begin, begin + hops * hop) for channel in self._channels]
        self._bound.held_back = max([channel.held_back for channel in self._channels])
        # The same iterator *hop* times: each call takes as many samples of each channel. Sorted,
        # both ends of so few are had sooner than the loudest is looked for.
        taken = [one for samples in heard for one in [iter(samples)] * hop]
        ranked = map(sorted, zip(*taken, strict=True))
        return [one[-1] if one[-1] > -one[0] else -one[0] for one in ranked]

    def _felt(self, peak: float) -> Iterator[Struck]:
        end = self._next
        peaks = [channel.peak(end - self._trigger.hop, end) for channel in self._channels]
        onset = self._channels[peaks.index(peak)].onset(end, peak)
        if not self._pending or onset > self._pending[-1] + SAME_S * self._rate_hz:
            self._pending.append(onset)
            self._unshown = onset
        if self._unshown is not None and peak >= self._floor.told_from:
            yield self._shown(self._unshown, peak)

    def _shown(self, onset: int, peak: float) -> Struck:
        self._unshown = None
        return Struck(self._time_s(onset), min(1.0, peak))

    # Asked at each loud hop, and mostly in vain: so apart from `_judge_due`.
    @property
    def _due(self) -> float:
        """When a blow has been heard out, or what may have followed one, counted as kept."""
        heard_out = self._pending[0] + self._length if self._pending else inf
        return min(heard_out, self._alone[0] + self._longer) if self._alone else heard_out

    def _judge_due(self) -> Iterator[Judgement]:
        while self._due <= self._next:
            if self._pending and self._pending[0] + self._length <= self._due:
                onset = self._pending.pop(0)
                if self._unshown == onset:
                    self._unshown = None
                yield from self._judge(onset, self._time_s(onset + self._length))
            else:
                onset = self._alone.pop(0)
                found = self._follower(onset, self._time_s(onset + self._longer))
                if found is not None:
                    yield found

    def _judge(self, onset: int, now_s: float) -> Iterator[Judgement]:
        found = self._judged(onset, now_s)
        # Taken whatever was found: it says nothing of the blow after this one.
        turned_out = self._soft.take_turned_out()
        if found is None:
            return
        if found.verdict is Verdict.KNOCK and turned_out:
            yield from self._turned_out(found, turned_out)
        # What is fainter is kept to ourselves, until another one tells that all is soft here.
        is_told = self._is_loud_enough(found.strength)
        if is_told:
            yield found
        if not self._is_taught:
            self._note(found, is_told=is_told)

    def _turned_out(
        self, found: Judgement, turned_out: Mapping[float, float]
    ) -> Iterator[Judgement]:
        """Yield the blows of a moment ago of which *found* tells that they were knocks as well.

        They leave no seat deaf, and are not heard to ring: *found* came later, and does both.
        """
        for at, one in enumerate(self._recent):
            before, sure = one.judgement, turned_out.get(one.judgement.at_s)
            if sure is None or one.is_knock or before.is_held:
                continue
            if not _may_be_of_one_seat(before, found) or self._echoes(before):
                continue
            knock = replace(
                before,
                verdict=Verdict.KNOCK,
                likelihood=sure,
                decided_at_s=found.decided_at_s,
                amends=one.is_told,
            )
            self._recent[at] = _Recent(knock, is_told=True)
            yield knock

    def _echoes(self, blow: Judgement) -> bool:
        """Return whether there is a knock so close to *blow* that the two were one."""
        return any(
            one.is_knock
            and abs(one.judgement.at_s - blow.at_s) < DEAD_S
            and _may_be_of_one_seat(one.judgement, blow)
            for one in self._recent
        )

    def _note(self, found: Judgement, *, is_told: bool) -> None:
        """Keep *found* for as long as another blow may tell that it was a knock."""
        while self._recent and abs(found.at_s - self._recent[0].judgement.at_s) > PAIR_S:
            self._recent.popleft()
        self._recent.append(_Recent(found, is_told))

    def _is_loud_enough(self, peak: float) -> bool:
        # Who tuned the table told how soft a blow has to be to wake nobody.
        return self._is_taught or peak >= self._floor.told_from or self._soft.heeds_faint

    def _judged(self, onset: int, now_s: float) -> Judgement | None:
        window = self._window(onset)
        onset_s = window.onset_s
        self._rung = [one for one in self._rung if onset_s - one.onset_s < RINGS_S]
        if self._rung:
            self._felt_s.append(onset_s)
            if (second := self._by_itself(window, now_s)) is not None:
                return second
        else:
            self._felt_s = []
        # A knuckle bounces, and wood echoes: at the seat that has just knocked nothing is a knock.
        # Nor is what nobody can place, for it may have come from there. Who knocked is asked last:
        # it takes longest.
        soon_after = self._soon_after(onset_s)
        if soon_after and self._rung:
            return None
        likely = self._seats.whose(window)
        seat, confidence = sure_enough(likely)
        if not soon_after.isdisjoint((seat, None)):
            return None
        sure = self._weighed(window)
        # If soon after a knock, it is another hand, or the first one was misread.
        found = _judgement(window, sure, seat, confidence, now_s, is_held=bool(soon_after))
        if seat is None:
            found = replace(found, likely=tuple(likely.items()))
        if not self._is_loud_enough(found.strength):
            return found
        self._remember(found)
        if found.verdict is Verdict.KNOCK and seat is not None and len(window.channels) > 1:
            self._alone.append(onset)
        return found

    def _weighed(self, window: Window) -> float:
        """Return how sure it is that the blow in *window* was a knock, after those before it."""
        sure, peak = self._likelihood(window, self._calibration), max(window.peaks)
        # Who tuned the table told how loud its knocks are.
        if not self._is_taught:
            judged_hz = judging_rate_hz(self._rate_hz)
            sure = self._soft.weighed(sure, peak, window.onset_s, judged_hz)
        return self._row.weighed(sure, window.onset_s) if self._is_loud_enough(peak) else sure

    def _follower(self, onset: int, now_s: float) -> Judgement | None:
        """Return the blow of another hand after the knock at *onset*, if nothing felt it."""
        first_s = self._time_s(onset)
        if any(one.onset_s > first_s + SAME_S for one in self._rung):
            return None
        window = self._window(onset, QUIET_S, DEAD_S + SOUGHT_S)
        onset_s = regrowth(window, self._felt_s)
        if onset_s is None:
            return None
        second = self._by_itself(self._window(self._sample(onset_s)), now_s)
        return second if second is not None and second.verdict is not Verdict.NOISE else None

    def _by_itself(self, ringing: Window, now_s: float) -> Judgement | None:
        """Return what the blow in *ringing* is without the ringing, None if no other hand's."""
        # What nobody could place may have been this hand's own.
        soon_after = self._soon_after(ringing.onset_s)
        if None in soon_after:
            return None
        # Where the wood is still again nothing need be taken off to tell where the blow fell, and
        # nearly always that is where the last one did.
        is_still = has_died_away(ringing)
        if is_still and not self._fell_elsewhere(ringing):
            return None
        newest = self._rung[-1]
        window = heard_alone(newest, ringing)
        if window is None:
            return None
        clear = ringing if is_still else window
        if not self._fell_elsewhere(clear):
            return None
        likely = self._seats.likelihoods(clear, SHARPNESS)
        if self._may_be_one_of(soon_after, likely):
            return None
        seat, confidence = next(iter(likely.items()), (None, 0.0))
        if seat in soon_after or confidence < SECOND_SURE:
            seat = None
        sure = self._likelihood(window, self._calibration)
        is_held = window.onset_s - newest.onset_s < DEAD_S
        found = _judgement(window, sure, seat, confidence, now_s, is_held=is_held)
        self._remember(found)
        return found

    def _fell_elsewhere(self, window: Window) -> bool:
        """Return whether the blow in *window* fell where none did that the wood rings from."""
        here = location_features(window)
        return all(is_elsewhere(location_features(one), here) for one in self._rung)

    def _may_be_one_of(self, soon_after: set[Seat | None], likely: Mapping[Seat, float]) -> bool:
        """Return whether a blow elsewhere may be the same hand's, off its place."""
        # Lessons know better than what merely differs; a size alone does not.
        return self._seats.is_taught and any(
            likely.get(seat, 0.0) > MAY_BE for seat in soon_after if seat is not None
        )

    def _soon_after(self, onset_s: float) -> set[Seat | None]:
        """Return the seats that have just knocked."""
        return {s for s, knock_s in self._knocks_s.items() if onset_s - knock_s < DEAD_S}

    def _remember(self, found: Judgement) -> None:
        if found.verdict is Verdict.NOISE:
            return
        if found.verdict is Verdict.KNOCK or self._soon_after(found.at_s):
            self._knocks_s[found.seat] = found.at_s
        if found.window is not None and len(found.window.channels) > 1:
            self._rung.append(found.window)

    def _window(self, onset: int, before_s: float = BEFORE_S, after_s: float = AFTER_S) -> Window:
        begin = max(0, onset - round(before_s * self._rate_hz))
        end = onset + round(after_s * self._rate_hz)
        channels: tuple[Samples, ...] = tuple(tuple(one.raw[begin:end]) for one in self._channels)
        onset_s, start_s = self._time_s(onset), self._time_s(begin)
        window = Window(onset_s, start_s, self._rate_hz, channels, self._skew_s)
        window.remember("peaks", self._peaks_in(begin, end))
        return window

    def _peaks_in(self, begin: int, end: int) -> tuple[float, ...]:
        """Return the loudest sample of each channel from *begin* to before *end*, as kept."""
        let_go = self._taken - len(self._channels[0].raw)
        first, last = begin + let_go, end + let_go
        # Of whole pieces it is known. Those cut by an end are looked at if they may hold it.
        whole = [peaks for start, stop, peaks in self._pieces if first <= start and stop <= last]
        found = [max(each) for each in zip([0.0] * len(self._channels), *whole, strict=True)]
        for start, stop, peaks in self._pieces:
            if start < first < stop or start < last < stop:
                cut = slice(max(first, start) - let_go, min(last, stop) - let_go)
                found = [
                    max(most, loudest(channel.raw[cut])) if peak > most else most
                    for most, peak, channel in zip(found, peaks, self._channels, strict=True)
                ]
        return tuple(found)

    def _time_s(self, sample: int) -> float:
        return self._start_s + sample / self._rate_hz

    def _sample(self, at_s: float) -> int:
        return round((at_s - self._start_s) * self._rate_hz)

    def _forget(self) -> None:
        surplus = len(self._channels[0].raw) - round(_KEPT_S * self._rate_hz)
        surplus = min(surplus, self._next)
        if surplus <= 0:
            return
        for channel in self._channels:
            channel.forget(surplus)
        while self._pieces[0][1] <= self._taken - len(self._channels[0].raw):
            self._pieces.popleft()
        self._start_s += surplus / self._rate_hz
        self._next -= surplus
        self._pending = [onset - surplus for onset in self._pending]
        if self._unshown is not None:
            self._unshown -= surplus
        self._alone = [onset - surplus for onset in self._alone]


def _judgement(
    window: Window,
    sure: float,
    seat: Seat | None,
    confidence: float,
    now_s: float,
    *,
    is_held: bool,
) -> Judgement:
    """Return what was found, no more than doubtful where it *is_held*."""
    is_held = is_held and sure >= DOUBTFUL_LINE
    sure = DOUBTFUL_LINE if is_held else sure
    return Judgement(
        at_s=window.onset_s,
        decided_at_s=now_s,
        verdict=verdict(sure),
        likelihood=sure,
        strength=min(1.0, max(window.peaks)),
        seat=seat,
        confidence=confidence,
        window=window,
        is_held=is_held,
    )


@dataclass(frozen=True, slots=True)
class _Recent:
    """A blow of a moment ago, and whether anybody was told of it."""

    judgement: Judgement
    is_told: bool

    @property
    def is_knock(self) -> bool:
        """Whether it was told as a knock: what is too faint to be told is none as yet."""
        return self.is_told and self.judgement.verdict is Verdict.KNOCK


def _may_be_of_one_seat(one: Judgement, other: Judgement) -> bool:
    return one.seat == other.seat or None in (one.seat, other.seat)


@dataclass(frozen=True, slots=True)
class _SoftBlow:
    """A soft blow: how *sure* a knock it was by itself, and how sure at a table of soft knocks."""

    at_s: float
    level_db: float
    sure: float
    softly: float


class SoftTable:
    """Makes soft blows surer knocks at a table where all blows are soft.

    What is soft is mostly something else, or far away, and so the judge learned it. But where foam
    lies under a disc, or a hand is light, knocks are no louder; who hears one that may be a knock,
    and nothing much louder all that time, is at such a table. So is who hears two in a row, as
    loud as each other, that would both be knocks there: then the first one was a knock as well.
    """

    def __init__(self, lines: CompanyLines = USUAL_LINES) -> None:
        self._lines = lines
        self.softer_db = 0.0
        """How much softer blows are to be felt, so that none of its knocks is missed."""
        self.heeds_faint = False
        """Whether the last blow counts however faint it was: others before it told that all are."""
        self._turned_out: Mapping[float, float] = {}
        self._likely_s = -inf  # when the last blow came that may have been a knock
        self._louder: deque[tuple[float, float]] = deque()  # when and dB, ever later and softer
        self._soft: deque[_SoftBlow] = deque()  # of the last moment

    def weighed(self, sure: float, peak: float, at_s: float, judged_hz: int) -> float:
        """Return the likelihood of a knock, here, of a blow that alone would be so *sure*.

        It was at *at_s*, its loudest sample *peak* of full scale, and judged at *judged_hz*, one
        of `features.RATES_HZ`; it counts for those that follow.
        """
        level_db = 20 * log10(max(peak, FAINTEST))
        may_be_soft = 0 <= at_s - self._likely_s < TABLE_HEARD_S
        below_db = SOFT_DB - max(level_db, self._loudest_db(at_s) - MUCH_LOUDER_DB)
        is_judged_softly = below_db > 0 and 0 < sure < 1
        milder = min(self._lines.most_milder, self._lines.milder_a_db * below_db)
        softly = eased(sure, -milder) if is_judged_softly else 0.0
        self._remember(level_db, at_s)
        blow = _SoftBlow(at_s, level_db, sure, softly)
        row = self._turned_out = self._row_before(blow) if judged_hz in ROWS_TELL_HZ else {}
        self.heeds_faint = self.softer_db > 0 or bool(row)
        if sure >= LIKELY[judged_hz] or row:
            self._likely_s = at_s
        is_soft = 0 <= at_s - self._likely_s < TABLE_HEARD_S and self._louder[0][1] < SOFT_DB
        self.softer_db = FELT_SOFTER_DB if is_soft else 0.0
        return softly if is_judged_softly and (may_be_soft or row) else sure

    def take_turned_out(self) -> Mapping[float, float]:
        """Take when blows were that the last one tells to have been knocks, and how likely."""
        taken, self._turned_out = self._turned_out, {}
        return taken

    def _row_before(self, blow: _SoftBlow) -> Mapping[float, float]:
        """Return the blows before, by their time, that were knocks if *blow* was, and how likely.

        One of the two has to be somewhat likely by itself.
        """
        while self._soft and not 0 <= blow.at_s - self._soft[0].at_s <= PAIR_S:
            self._soft.popleft()
        found = {
            one.at_s: one.softly
            for one in self._soft
            if blow.at_s - one.at_s >= FASTEST_S
            and abs(blow.level_db - one.level_db) < self._lines.alike_db
            and min(blow.softly, one.softly) >= KNOCK_LINE
            and max(blow.sure, one.sure) >= self._lines.one_of_two
        }
        self._soft.append(blow)
        return found

    def _loudest_db(self, now_s: float) -> float:
        while self._louder and not 0 <= now_s - self._louder[0][0] < TABLE_HEARD_S:
            self._louder.popleft()
        return self._louder[0][1] if self._louder else -inf

    def _remember(self, level_db: float, at_s: float) -> None:
        while self._louder and self._louder[-1][1] <= level_db:
            self._louder.pop()
        self._louder.append((at_s, level_db))


SOFT_DB = -17.0  # of full scale: blows below are soft
MUCH_LOUDER_DB = 4.0  # than a blow: those next to which it is a soft one at a loud table
# Of a knock, by the judge's rate: from there on a blow tells that knocks are soft here, and no
# clap is so sure.
LIKELY = {8000: 0.4, 4000: 0.3, 2000: 0.4}
# Two in a row tell: at 8 kHz claps come too near, and soft knocks are told by themselves.
ROWS_TELL_HZ = (4000,)
PAIR_S = 0.43  # at most from one to the other: soon enough for the pattern that the first began
FELT_SOFTER_DB = 5.0  # at a soft table, so that blows are felt down to `FAINTEST`
TABLE_HEARD_S = 60.0  # so long a blow tells what kind of table it is


class KnockRow:
    """Makes a blow surer a knock where one may have come just before it: people knock in rows.

    Most of what falls, slides or is put down on a table comes by itself.
    """

    def __init__(self, lines: CompanyLines = USUAL_LINES) -> None:
        self._lines = lines
        self._knocks_s: deque[float] = deque()  # of those that may have been knocks by themselves

    def weighed(self, sure: float, at_s: float) -> float:
        """Return the likelihood of a knock, in its row, of a blow that by itself is so *sure*.

        It was at *at_s*. For those that follow it counts as it was by itself, so that a row of
        blows that hardly are knocks never talks itself up.
        """
        while self._knocks_s and not 0 <= at_s - self._knocks_s[0] <= ROW_S:
            self._knocks_s.popleft()
        follows = any(at_s - before_s >= FASTEST_S for before_s in self._knocks_s)
        if sure >= self._lines.begins_a_row:
            self._knocks_s.append(at_s)
        return eased(sure, -self._lines.surer_in_a_row) if follows and 0 < sure < 1 else sure


ROW_S = 0.7  # at most from knock to knock
FASTEST_S = 0.1  # at least: nobody knocks faster, and a glass that rocks does
