"""Pairing: what a phone may do and until when, as its signed cookie says; how much strangers may.

A right is given by a knock on the table (`kloplei_panel.access`) or for the PIN on the slate.
Four digits are enough for a pub as long as nobody can try them all: who is wrong waits, longer
each time, and all who were never right wait together. A phone that was let in before does not.

Phones without a right get enough for people, too little for a flood: each address, and all of
them together, have so many requests at once, and then one more every few seconds. Who was let in
is not counted, so that a flood slows down nobody who plays.
"""

import hashlib
import hmac
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Literal

from flask import current_app, session

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.network.addresses import household
from kloplei.table.client import KEEPER

# Who gave the PIN keeps the slate for so long.
PIN_S = 30 * 24 * 3600.0
# An evening, and the night after it.
KNOCK_S = 18 * 3600.0
# Wrong PINs of one address before it has to wait.
FREE_TRIES = 3
# After the third wrong one, the fourth, ...
PAUSES_S = (5.0, 15.0, 60.0, 300.0)
# Wrong PINs of all strangers together: changing one's address does not help.
TRIES_ALL = 50
# All of them in this time.
WITHIN_S = 300.0
FORGOTTEN_S = 3600.0
# Longer than seven knocks let in who asks: within it an address has one try past all limits.
ONE_TRY_S = 30.0
_MOST_ADDRESSES = 512
# No address is called so.
_ALL = ""
_RIGHT, _UNTIL, _MARK, _SLATE = "may", "until", "mark", "slate"
# For whom, and the seats that they have left since.
_WHO, _LEFT = "who", "left"


class TooManyTries(Exception):
    """Too many wrong PINs; *wait_s* seconds are left until the next try."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        super().__init__(f"wait {wait_s:.0f} s")


@dataclass(slots=True)
class _Guesser:
    wrong: int = 0
    last_s: float = float("-inf")
    waits_until_s: float = float("-inf")
    was_right: bool = False
    tried_past_limits_s: float = float("-inf")


class Pairing:
    """Judges PINs, and reads in the signed cookie what its phone may do.

    Args:
        pin: The PIN that the slate shows; None leaves it to the evening, or lets nobody in.
        locked: Whether a phone needs a right at all.
        read_seal: Returns what the rights in cookies hang on besides the key; None is *pin*.
        read_evening: Returns PIN and code of this evening; None where there are none.
        now: Monotonic clock, in seconds.
        wall: Seconds since the epoch, for what has to outlive a restart.
    """

    def __init__(
        self,
        pin: str | None,
        *,
        locked: bool,
        read_seal: Callable[[], str] | None = None,
        read_evening: Callable[[], tuple[str, str]] | None = None,
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._pin = pin
        self._read_seal = read_seal or (lambda: pin or "")
        self._read_evening = read_evening or (lambda: ("", ""))
        self.locked = locked
        self._now = now
        self._wall = wall
        self._guessers: dict[str, _Guesser] = {}
        self._wrong: deque[float] = deque()
        self._lock = threading.Lock()

    @property
    def may_keep(self) -> bool:
        """Whether the phone of this request may do all that the keeper of the slate may."""
        return not self.locked or self._right() == KEEPER

    @property
    def may_act(self) -> bool:
        """Whether it may do more than look, as the keeper or for a seat."""
        return not self.locked or self._right() is not None

    @property
    def may(self) -> Literal["look", "act", "keep"]:
        """What it may: ``look``, ``act`` for a seat, or ``keep`` the slate."""
        if self.may_keep:
            return "keep"
        return "act" if self.may_act else "look"

    @property
    def own_seat(self) -> Seat | None:
        """The one seat it may act for; None where it may keep the slate, or only look."""
        right = self._right() if self.locked else None
        return Seat(right - 1) if isinstance(right, int) else None

    def may_act_for(self, seat: Seat) -> bool:
        """Whether it may act for *seat*."""
        return self.may_keep or self._right() == seat.shown

    def pair(self, pin: str, address: str, *, is_welcome: bool = False) -> bool:
        """Try *pin* from *address* and return whether it was right; if so the phone is paired.

        Where people at the table have just said that who asks *is_welcome*, each address is heard
        once, however many guess: some hundred tries of ten thousand, and only while people look.

        Raises:
            TooManyTries: This address, or all strangers together, were wrong too often of late.
        """
        with self._lock:
            guesser = self._guesser(household(address))
            if is_welcome and self._now() - guesser.tried_past_limits_s >= ONE_TRY_S:
                guesser.tried_past_limits_s = self._now()
            else:
                self._hold_off(guesser)
            wanted = self._pin or self._read_evening()[0]
            if not wanted or not hmac.compare_digest(pin.encode(), wanted.encode()):
                self._was_wrong(guesser)
                return False
            guesser.wrong, guesser.was_right = 0, True
        self._give(KEEPER, PIN_S)
        return True

    def see_slate(self, code: str) -> bool:
        """Note that the phone of this request has read *code* off the slate; is it tonight's?

        Nobody guesses it, so nobody waits, whatever others try. The phone may come in wherever
        it asks to, as if somebody had knocked for it.
        """
        wanted = self._read_evening()[1]
        if not wanted or not hmac.compare_digest(code.encode(), wanted.encode()):
            return False
        session[_SLATE] = self._mark_of(wanted)
        session.permanent = True
        return True

    @property
    def has_seen_slate(self) -> bool:
        """Whether the phone of this request has read this evening's code off the slate."""
        seen, code = session.get(_SLATE), self._read_evening()[1]
        return bool(code and isinstance(seen, str)) and hmac.compare_digest(
            str(seen), self._mark_of(code)
        )

    def let_in(self, seat: Seat | None) -> None:
        """Somebody at the table knocked: the phone of this request may act for *seat*.

        None lets it keep the slate.
        """
        # A keeper is not made less by a knock.
        if not self.may_keep or seat is None:
            self._give(KEEPER if seat is None else seat.shown, KNOCK_S)

    def forget(self) -> None:
        """Make the phone of this request a viewer again."""
        for name in (_RIGHT, _UNTIL, _MARK, _SLATE, _WHO, _LEFT):
            session.pop(name, None)

    def follow(self, names: Callable[[], Mapping[Seat, str]]) -> None:
        """Let the right to a seat go where the person went for whom it was given.

        Args:
            names: Tells who sits where; no two are called the same. It is asked only if need be.
        """
        right = self._right() if self.locked else None
        if not isinstance(right, int):
            return
        called, person = names(), session.get(_WHO)
        seat = Seat(right - 1)
        if called.get(seat) != person:  # else another one of that name changes nothing
            seat = next((one for one, name in called.items() if name == person), seat)
        if seat.shown != right:
            left = session.get(_LEFT, [])
            session[_LEFT] = [one for one in [*left, right] if one != seat.shown]
            session[_RIGHT] = seat.shown
        if called.get(seat) != person:
            session[_WHO] = called.get(seat)

    def seat_now(self, number: int) -> int:
        """Return the place of this phone's person now, if they left that *number*; else that."""
        right = self._right() if self.locked and number in session.get(_LEFT, ()) else None
        return right if isinstance(right, int) else number

    def _give(self, right: str | int, for_s: float) -> None:
        session[_RIGHT], session[_UNTIL] = right, int(self._wall() + for_s)
        session[_MARK] = self._mark()
        for name in (_WHO, _LEFT):
            session.pop(name, None)
        session.permanent = True

    def _right(self) -> str | int | None:
        right, until, mark = (session.get(name) for name in (_RIGHT, _UNTIL, _MARK))
        if not isinstance(right, str | int) or not isinstance(until, int):
            return None
        if not isinstance(mark, str) or not hmac.compare_digest(mark, self._mark()):
            return None
        now_s = self._wall()
        # Where the clock has run back, a right given in the future ends no later than one of now.
        longest_s = PIN_S if right == KEEPER else KNOCK_S
        if until > now_s + longest_s:
            session[_UNTIL] = int(now_s + longest_s)
        return right if now_s < until else None

    def _mark(self) -> str:
        # A new seal, or a new key, ends all that was given before.
        return self._mark_of(self._read_seal())

    def _mark_of(self, secret: str) -> str:
        # The cookie can be read by its owner, so it carries a mark of the secret, not the secret.
        key = str(current_app.secret_key)
        return hmac.new(key.encode(), secret.encode(), hashlib.sha256).hexdigest()[:32]

    def _guesser(self, household: str) -> _Guesser:
        known = self._guessers.pop(household, None)
        if known is None or (not known.was_right and self._now() - known.last_s >= FORGOTTEN_S):
            known = _Guesser()
        if len(self._guessers) >= _MOST_ADDRESSES:
            strangers = (one for one, guesser in self._guessers.items() if not guesser.was_right)
            del self._guessers[next(strangers, next(iter(self._guessers)))]
        self._guessers[household] = known
        return known

    def _hold_off(self, guesser: _Guesser) -> None:
        now_s = self._now()
        if guesser.waits_until_s > now_s:
            raise TooManyTries(guesser.waits_until_s - now_s)
        while self._wrong and self._wrong[0] <= now_s - WITHIN_S:
            self._wrong.popleft()
        if len(self._wrong) >= TRIES_ALL and not guesser.was_right:
            raise TooManyTries(self._wrong[-TRIES_ALL] + WITHIN_S - now_s)

    def _was_wrong(self, guesser: _Guesser) -> None:
        guesser.wrong += 1
        guesser.last_s = self._now()
        if guesser.wrong >= FREE_TRIES:
            pause_s = PAUSES_S[min(guesser.wrong - FREE_TRIES, len(PAUSES_S) - 1)]
            guesser.waits_until_s = guesser.last_s + pause_s
        if not guesser.was_right:
            self._wrong.append(guesser.last_s)


@dataclass(slots=True)
class _Bucket:
    left: float
    at_s: float


class RateLimiter:
    """Counts requests; safe from any thread.

    Args:
        each: So many one address may send at once.
        each_per_s: So many more come to it every second.
        times_all: All together have so many times what one has.
        now: Monotonic clock, in seconds.
    """

    def __init__(
        self,
        each: int,
        *,
        each_per_s: float = 0.5,
        times_all: int = 10,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._each = each
        self._each_per_s = each_per_s
        self._times_all = times_all
        self._now = now
        self._buckets: dict[str, _Bucket] = {}
        self._lock = threading.Lock()

    def wait_s(self, address: str) -> int:
        """Count a request of *address*; return 0, or how many seconds it comes too early."""
        with self._lock:
            own, all_of_them = (
                self._refilled(household(address), 1),
                self._refilled(_ALL, self._times_all),
            )
            short_of = max(
                (1 - own.left) / self._each_per_s,
                (1 - all_of_them.left) / (self._each_per_s * self._times_all),
            )
            if short_of > 0:
                return int(short_of) + 1
            own.left -= 1
            all_of_them.left -= 1
            return 0

    def _refilled(self, address: str, times: int) -> _Bucket:
        now_s, most = self._now(), float(self._each * times)
        bucket = self._buckets.pop(address, None) or _Bucket(most, now_s)
        bucket.left = min(bucket.left + (now_s - bucket.at_s) * self._each_per_s * times, most)
        bucket.at_s = now_s
        if len(self._buckets) >= _MOST_ADDRESSES:
            del self._buckets[next(one for one in self._buckets if one != _ALL)]
        self._buckets[address] = bucket
        return bucket
