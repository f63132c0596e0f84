"""From blows and presses to gestures, seat by seat: heard at once, decided when they end.

`Timings` says how long the table listens, waits and shows. What comes out are `Pattern`s, in the
order they ended; what they mean `kloplei.table.intents` knows.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Literal

from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.game import Gesture, Seat

if TYPE_CHECKING:
    from kloplei.games.scoreboard import Heard

ANYBODY, OWN = "anybody", "own"
"""Whose steps a seat may take back."""


class BadTiming(KlopleiError, ValueError):
    """A time that cannot work: the message names it."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Times of gestures and of what stands on the slate for a while.

    Args:
        gap_s: Silence after which a pattern of knocks has ended.
        hold_s: A press from here on is a hold; shorter is a knock.
        undo_hold_s: A press this long asks for undo at once.
        stuck_s: A press this long is a stuck button.
        grace_s: How long others may cancel a last trick, an undo or a new evening; 0 is not.
        ask_s: How long a question waits for its answer.
        doubt_s: How long a doubtful knock stands flagged, for anybody to say that it was one.
        refused_s: How long a refusal stands on the slate.
        shown_s: How long a gesture that is only shown stands there.
        notice_s: How long a passing trouble of the box is told.
    """

    gap_s: float = 0.5
    hold_s: float = 0.8
    undo_hold_s: float = 3.0
    stuck_s: float = 20.0
    grace_s: float = 3.0
    ask_s: float = 20.0
    doubt_s: float = 5.0
    refused_s: float = 4.0
    shown_s: float = 4.0
    notice_s: float = 60.0

    def __post_init__(self) -> None:
        for one in fields(self):
            least = 0.0 if one.name == "grace_s" else 0.01
            if not least <= getattr(self, one.name) < float("inf"):
                raise BadTiming(f"{one.name} must be a number of seconds, at least {least:g}.")
        if not self.hold_s < self.undo_hold_s < self.stuck_s:
            raise BadTiming("hold_s, undo_hold_s and stuck_s must grow in this order.")


Place = Seat | None
"""Where something was heard; None is a sensor that serves the whole table."""
Via = Literal["pad", "button"]
_SAME_BLOW_S = 0.1
"""A finger that comes down on a button is heard by the pad beside it as well."""
_TOGETHER_S = 0.03
"""Blows so close together may be one, felt by two sensors: only the first is beyond doubt."""
_REMEMBERED = 200  # knocks of a place: some evenings' worth, in two kilobytes
_FEW = 8  # knocks, of which no one can be called a loud one


@dataclass(frozen=True, slots=True)
class Touch:
    """A hand on the table or a phone: when it began, and how hard it struck, if it did.

    *strength* is a rank among the knocks of its own place (`Strengths`).
    """

    at_s: float
    strength: int | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a hand did at *seat*, now that it has ended; *long* is a hold that asks for undo.

    *doubtful* counts the knocks that may have been something else; it began at *began_s*.
    *strength* is that of its hardest sure blow on the wood, as `Strengths` ranks it. *blows* are
    when the wood was struck, and *doubts* those of them that may have been something else.
    """

    seat: Place
    gesture: Gesture
    via: Via
    long: bool = False
    doubtful: int = 0
    began_s: float = field(default=0.0, compare=False)
    strength: int | None = field(default=None, compare=False)
    blows: tuple[float, ...] = field(default=(), compare=False)
    doubts: tuple[float, ...] = field(default=(), compare=False)

    @property
    def touch(self) -> Touch:
        """When the hand came down first, however long it is until that counts, and how hard."""
        return Touch(self.began_s, self.strength)

    @property
    def knocks(self) -> int:
        """How many knocks; 0 for a hold."""
        return self.gesture.knocks

    @property
    def by_button(self) -> "Pattern | None":
        """What the button alone did of it, or None if that was nothing."""
        if self.gesture.hold:
            return self
        presses = self.gesture.presses
        rest = replace(self.gesture, knocks=presses)
        return (
            replace(self, gesture=rest, via="button", doubtful=0, strength=None)
            if presses
            else None
        )


@dataclass(slots=True)
class _Hand:
    """What one hand is doing right now; times in seconds."""

    began_s: float
    via: Via = "pad"
    knocks: int = 0
    presses: int = 0  # so many of the knocks
    doubtful: int = 0  # so many of the knocks
    in_doubt: bool = False  # the last one of them
    hardest: float | None = None  # sure blow on the wood
    hardest_before: float | None = None  # the last knock
    touched_s: float = 0.0  # last knock, press or release
    pressed_s: float | None = None
    holding: bool = False
    held: bool = False  # the button came up after a hold
    spent: bool = False  # what it does now means nothing any more
    stuck: bool = False
    blows: list[float] = field(default_factory=list)  # on the wood
    doubts: list[float] = field(default_factory=list)  # those in doubt

    def count(self, at_s: float, doubtful: bool, strength: float | None) -> None:
        """One knock more, at *at_s*."""
        self.blows.append(at_s)
        if doubtful:
            self.doubts.append(at_s)
        self.knocks += 1
        self.doubtful += doubtful
        self.in_doubt = doubtful
        self.hardest_before = self.hardest
        if strength is not None and not doubtful:
            self.hardest = max(strength, self.hardest or 0.0)

    def clear_up(self, at_s: float, strength: float | None) -> bool:
        """Let the knock at *at_s* be beyond doubt; return whether it was in doubt."""
        if at_s not in self.doubts:
            return False
        self.doubts.remove(at_s)
        self.doubtful -= 1
        self.in_doubt = self.in_doubt and self.blows[-1] != at_s
        if strength is not None:
            self.hardest = max(strength, self.hardest or 0.0)
        return True

    def forget(self) -> None:
        """The last knock was none."""
        self.knocks -= 1
        self.doubtful -= self.in_doubt
        self.doubts = [one for one in self.doubts if one != self.blows[-1]]
        self.blows.pop()
        self.in_doubt = False
        self.hardest = self.hardest_before


class Strengths:
    """How hard the last sure knocks at one place were, to rank the next one among them.

    How much a sensor feels is a matter of wood and glue: its knocks compare with its own alone.
    """

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_REMEMBERED)

    def take(self, strength: float) -> int | None:
        """Return how many in a hundred knocks were weaker than *strength*, and remember it.

        Of those as hard, half count. None is told of few, and of pads that feel all alike.
        """
        before = self._last.copy()
        self._last.append(strength)
        if len(before) < _FEW or min(before) == max(before):
            return None
        below = sum((one < strength) + (one <= strength) for one in before)
        return round(50 * below / len(before))


class Gestures:
    """The patterns that are growing at every seat, and when each of them ends."""

    def __init__(self, timings: Timings) -> None:
        self._timings = timings
        self._hands: dict[Place, _Hand] = {}
        self._strengths: dict[Place, Strengths] = {}
        self._last: tuple[Place, float] | None = None  # the last blow beyond doubt

    def knocked(
        self,
        seat: Place,
        at_s: float,
        *,
        doubtful: bool = False,
        strength: float | None = None,
        only: Seat | None = None,
    ) -> bool:
        """Count a knock on the wood of *seat*; return whether it is one beyond doubt.

        Where *only* one seat may do anything, what nobody could place is of its pattern. A doubtful
        one that is told once more, and sure now, is in doubt no longer.
        """
        seat = seat if only is None else self._as_one(seat, only)
        hand = self._hands.get(seat)
        if hand is not None and hand.pressed_s is not None:
            return False  # the pad hears the finger that holds the button down
        if hand is not None and at_s in hand.blows:
            return not doubtful and hand.clear_up(at_s, strength)
        doubtful = doubtful or self._comes_with_another(seat, at_s)
        if not doubtful:
            self._last = (seat, at_s)
        self._touched(seat, "pad", at_s).count(at_s, doubtful, strength)
        return not doubtful

    def is_too_late(self, at_s: float, now_s: float) -> bool:
        """Return whether the pattern of a knock at *at_s*, told at *now_s*, has ended before."""
        goes_on = any(at_s in hand.blows for hand in self._hands.values())
        return not goes_on and at_s + self._timings.gap_s <= now_s

    def pressed(self, seat: Seat, at_s: float) -> None:
        """The button of *seat* went down: a knock, or the beginning of a hold."""
        hand = self._hands.get(seat)
        if hand is not None and hand.pressed_s is not None:
            del self._hands[seat]  # its release was lost, and with it all we know of it
        elif hand and hand.via == "pad" and hand.knocks and at_s - hand.touched_s < _SAME_BLOW_S:
            hand.forget()
        self._touched(seat, "button", at_s).pressed_s = at_s

    def released(self, seat: Seat, at_s: float) -> None:
        """The button of *seat* came up."""
        hand = self._hands.get(seat)
        if hand is None or hand.pressed_s is None:
            return
        held = hand.holding or at_s - hand.pressed_s >= self._timings.hold_s
        hand.pressed_s, hand.touched_s = None, at_s
        if hand.stuck or (held and hand.spent):
            del self._hands[seat]
        elif held:
            hand.held = True
        else:
            hand.knocks += 1
            hand.presses += 1

    def spend(self, seat: Place) -> None:
        """Let the pattern that grows at *seat* mean nothing any more; it is still echoed."""
        if seat in self._hands:
            self._hands[seat].spent = True

    def spend_knocks(self, seat: Place) -> None:
        """Let what was knocked at *seat* mean nothing any more; its button still does."""
        hand = self._hands.get(seat)
        if hand is not None and hand.via == "pad":
            hand.spent = True

    @property
    def heard(self) -> "Heard | None":
        """The pattern that was touched last, as far as it has grown."""
        from kloplei.games.scoreboard import Heard  # here: settings need `Timings` before any board

        growing = [(hand.touched_s, seat) for seat, hand in self._hands.items() if not hand.stuck]
        if not growing:
            return None
        seat = max(growing, key=lambda one: one[0])[1]
        hand = self._hands[seat]
        down = hand.pressed_s is not None and not hand.holding
        return Heard(seat, hand.knocks + down, hand.holding, hand.doubtful > 0)

    @property
    def growing(self) -> frozenset[Place]:
        """Where somebody has begun a pattern that may mean something."""
        return frozenset(s for s, hand in self._hands.items() if not (hand.stuck or hand.spent))

    @property
    def stuck(self) -> tuple[Seat, ...]:
        """Seats whose button has been down for longer than anybody holds one."""
        return tuple(sorted(s for s, hand in self._hands.items() if hand.stuck and s is not None))

    @property
    def next_deadline(self) -> float | None:
        """When something is decided next if nothing is heard until then."""
        moments = [at_s for at_s, _ in self._deadlines()]
        return min(moments, default=None)

    def due(self, now_s: float) -> tuple[Pattern, ...]:
        """Take what has been decided by *now_s*, earliest first."""
        ripe = sorted((one for one in self._deadlines() if one[0] <= now_s), key=lambda one: one[0])
        found = (self._ripen(seat) for _, seat in ripe)
        return tuple(pattern for pattern in found if pattern is not None)

    def _touched(self, seat: Place, via: Via, at_s: float) -> _Hand:
        hand = self._hands.setdefault(seat, _Hand(at_s))
        # A blow may be told after one that followed it.
        hand.began_s = min(hand.began_s, at_s)
        hand.via, hand.touched_s = via, max(hand.touched_s, at_s)
        return hand

    def _as_one(self, seat: Place, only: Seat) -> Place:
        """Return whose pattern a knock at *seat* is of, as *only* one seat has any."""
        if seat is None and self._knocks_on(only):
            return only
        if seat == only and self._knocks_on(None) and only not in self._hands:
            self._hands[only] = self._hands.pop(None)
        return seat

    def _knocks_on(self, place: Place) -> bool:
        hand = self._hands.get(place)
        return hand is not None and hand.via == "pad" and not hand.spent and hand.pressed_s is None

    def _comes_with_another(self, seat: Place, at_s: float) -> bool:
        if self._last is None:
            return False
        other, other_at_s = self._last
        return other != seat and abs(at_s - other_at_s) < _TOGETHER_S

    def _deadlines(self) -> Iterator[tuple[float, Place]]:
        for seat, hand in self._hands.items():
            if hand.pressed_s is not None:
                if not hand.stuck:
                    yield hand.pressed_s + self._next_stage_s(hand), seat
            elif hand.held:
                yield hand.touched_s, seat
            else:
                yield hand.touched_s + self._timings.gap_s, seat

    def _next_stage_s(self, hand: _Hand) -> float:
        if not hand.holding:
            return self._timings.hold_s
        return self._timings.stuck_s if hand.spent else self._timings.undo_hold_s

    def _ripen(self, seat: Place) -> Pattern | None:
        hand = self._hands[seat]
        if hand.pressed_s is None:
            del self._hands[seat]
            if hand.spent:
                return None
            if hand.held:
                return Pattern(seat, Gesture(hold=True), hand.via, began_s=hand.began_s)
            return self._ended(seat, hand)
        if not hand.holding:
            hand.holding = True
        elif not hand.spent:
            hand.spent = True
            return Pattern(seat, Gesture(hold=True), hand.via, long=True, began_s=hand.began_s)
        else:
            hand.stuck = True
        return None

    def _ended(self, seat: Place, hand: _Hand) -> Pattern:
        rank = None
        if hand.hardest is not None:
            rank = self._strengths.setdefault(seat, Strengths()).take(hand.hardest)
        return Pattern(
            seat,
            Gesture(hand.knocks, presses=hand.presses),
            hand.via,
            doubtful=hand.doubtful,
            began_s=hand.began_s,
            strength=rank,
            blows=tuple(hand.blows),
            doubts=tuple(hand.doubts),
        )
