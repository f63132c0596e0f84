"""Letting phones in: one asks at the door, the slate shows its word, a knock on the table says yes.

`PairingRequests` is the door: it tells which patterns of knocks open it at this moment. They must
mean nothing in the game: one knock is enough where no player's one knock means anything, three
are where that is "hurry up" at most, five where three mean something too. The slate says how many
it is, and no other number opens. A knock that means more goes to the game and opens nothing.
Where cards are slammed on the wood only three knocks in a row count, or a button that has nothing
else to say.

`PairingQuestions` are the phones: one asks, some wait, some were let in a moment ago. Each has
one of the `WORDS`: short enough to fill the slate, plain to read aloud over a bar, and no two of
them alike at a glance; they are words of the house in every language.

`PairingRateLimit` says how often a phone may ask, so that nobody outside the pub keeps the slate
busy all night. A question that nobody knocked for makes its address wait, longer each time, and
counts against all together as well, since an address is easily changed. Who is let in starts
afresh. Some phones of one address may wait for each other, as behind one router; a turn comes no
sooner than if they asked one by one. Nothing of all this is written down; every method is told
the time.

Where somebody keeps the door busy from many addresses, seven knocks at the table let in who asks
next, past all limits (`PairingQuestions.welcome`).
"""

import secrets
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import field
from math import ceil
from typing import TYPE_CHECKING

from kloplei.frozen import dataclass
from kloplei.games.game import Gesture, IllegalAction, Seat, Show
from kloplei.games.scoreboard import Door, Line
from kloplei.knock import KnockHeard
from kloplei.network.addresses import household
from kloplei.table.client import ASK_S, TAKE_S, BadRequest, DoorAnswer, DoorState
from kloplei.table.gestures import Gestures, Pattern, Place, Timings
from kloplei.words import Sentence

if TYPE_CHECKING:
    from kloplei.table.intents import Intents

PAUSES_S = (5.0, 30.0, 120.0, 600.0)  # after the first, second, ... question without a knock
REFUSED_S = 900.0  # after a no of the keeper
FORGOTTEN_S = 3600.0  # an address that has been quiet for so long starts afresh
OF_ALL = ((4, 600.0), (10, 3600.0))  # so many of all addresses together in so many seconds
_MOST_ADDRESSES = 256


@dataclass(slots=True)
class _Asker:
    unanswered: int = 0
    last_s: float = 0.0
    waits_until_s: float = 0.0


class PairingRateLimit:
    """Remembers who asked in vain, and says how long they have to wait."""

    def __init__(self) -> None:
        self._askers: dict[str, _Asker] = {}
        self._unanswered: deque[float] = deque()

    def wait_s(self, address: str, now_s: float) -> float:
        """Return how long *address* has to wait until it may ask; 0 if it may now."""
        asker = self._askers.get(household(address))
        own_s = 0.0 if asker is None else asker.waits_until_s - now_s
        return max(own_s, self._of_all_s(now_s), 0.0)

    def in_vain(self, address: str, now_s: float, *, refused: bool = False) -> float:
        """Return until when *address* has to wait, for whose question nobody knocked.

        *refused*: the keeper said no.
        """
        asker = self._of(household(address), now_s)
        pause_s = PAUSES_S[min(asker.unanswered, len(PAUSES_S) - 1)]
        asker.unanswered += 1
        asker.last_s = now_s
        asker.waits_until_s = now_s + (REFUSED_S if refused else pause_s)
        self._unanswered.append(now_s)
        return asker.waits_until_s

    def let_in(self, address: str) -> None:
        """Somebody at the table knew the phone at *address*."""
        self._askers.pop(household(address), None)

    def _of(self, household: str, now_s: float) -> _Asker:
        known = self._askers.pop(household, None)
        if known is None or now_s - known.last_s >= FORGOTTEN_S:
            known = _Asker()
        if len(self._askers) >= _MOST_ADDRESSES:
            del self._askers[next(iter(self._askers))]  # who asked longest ago
        self._askers[household] = known
        return known

    def _of_all_s(self, now_s: float) -> float:
        longest_s = max(within_s for _, within_s in OF_ALL)
        while self._unanswered and self._unanswered[0] <= now_s - longest_s:
            self._unanswered.popleft()
        full = [(most, s) for most, s in OF_ALL if len(self._unanswered) >= most]
        return max((self._unanswered[-most] + s - now_s for most, s in full), default=0.0)


WORDS = (
    "BIERTJE", "KROKET", "BORREL", "FRIKADEL", "POMPOEN", "KANDELAAR", "ZEILBOOT", "JUKEBOX",
    "VIOOL", "GARNAAL", "HARING", "MOSTERD", "PINDA", "WORSTJE", "DARTPIJL", "TAPKRAAN",
    "LANTAARN", "ACCORDEON", "UILTJE", "EEKHOORN", "SCHUIM", "DOBBER", "NOOTJE", "KAASPLANK",
    "STAMGAST", "WINDMOLEN", "RADIJS", "AUGURK", "VLIEGER", "TROMMEL", "HOEFIJZER", "KOETS",
)  # fmt: skip

WELCOME_KNOCKS = 7  # one more than a new evening, and no game's
WELCOME_S = 20.0
SHUT_S = 300.0
_MOST_GUESTS = 64
MOST_QUEUED = 3  # addresses that wait, whoever asks now
MOST_OF_ADDRESS = 3  # phones of one, such as those behind a router that has one for all
AWAY_S = 20.0  # who waits and has not looked for so long has gone; a page looks every 5 s
SHOWN_S = 4.0  # that somebody was let in is told for so long
_TICKET_BYTES = 16
_RESTING_WORDS = len(WORDS) // 2  # a word that stood here of late would be taken for that phone


@dataclass(slots=True)
class PairingQuestion:
    """A phone at *asker* that wants to be let in at *seat*, or as the keeper (None)."""

    ticket: str = field(repr=False)
    seat: Seat | None
    asker: str
    looked_s: float
    phone: str = ""  # what tells it from others at the same address, if anything does
    not_before_s: float = 0.0  # another phone of its address asked in vain
    number: int = 0
    word: str = ""
    since_s: float = 0.0

    def is_of(self, ticket: str) -> bool:
        """Whether *ticket* is its own; takes as long for a wrong one that is nearly right."""
        return secrets.compare_digest(self.ticket.encode(), ticket.encode(errors="replace"))

    @property
    def until_s(self) -> float:
        """When it stands no longer; long over where it has not stood yet."""
        return self.since_s + ASK_S if self.number else 0.0


@dataclass(frozen=True, slots=True)
class _Ended:
    question: PairingQuestion
    state: DoorState
    at_s: float

    @property
    def until_s(self) -> float:
        """When its phone may hear of it no longer."""
        return self.at_s + TAKE_S


class PairingQuestions:
    """The questions at one door; every method is told the time.

    Args:
        draw: Picks a word among some; others than the default are for tests.
    """

    def __init__(self, draw: Callable[[tuple[str, ...]], str] = secrets.choice) -> None:
        self._draw = draw
        self._limits = PairingRateLimit()
        self._number = 0
        self._used: deque[str] = deque(maxlen=_RESTING_WORDS)
        self._queue: deque[PairingQuestion] = deque()
        self._ended: deque[_Ended] = deque(maxlen=2 * MOST_QUEUED)
        self._told_until_s = float("-inf")
        self._turned_away_s = float("-inf")
        self._guests: list[PairingQuestion] = []
        self._welcome_until_s: float | None = None
        self.open: PairingQuestion | None = None
        self.let_in: PairingQuestion | None = None  # as long as that is told

    @property
    def next_deadline(self) -> float | None:
        """When a question, or what was shown of one, is over."""
        ends = [self.open.until_s] if self.open else []
        ends += [self._told_until_s] if self.let_in else []
        ends += [] if self._welcome_until_s is None else [self._welcome_until_s]
        ends += [one.until_s for one in self._ended]
        if self.open is None:
            ends += [one.not_before_s for one in self._queue]
        return min(ends, default=None)

    def ask(self, seat: Seat | None, asker: str, now_s: float, phone: str = "") -> DoorAnswer:
        """Let a phone ask; see `kloplei.table.client.DoorClient.ask`."""
        self._drop_who_left(now_s)
        others = [one for one in self._standing() if household(one.asker) == household(asker)]
        # Among those whom seven knocks take in, an address is one phone: it may be the one that
        # keeps the door busy.
        most = MOST_OF_ADDRESS if self._welcome_until_s is None else 1
        if len(others) >= most or any(one.phone == phone for one in others):
            raise IllegalAction("door_asked")
        if self._welcome_until_s is not None:
            return self._welcome_in(seat, asker, now_s)
        if wait_s := self._limits.wait_s(asker, now_s):
            self._turned_away_s = now_s
            raise IllegalAction("door_wait", wait_s=ceil(wait_s))
        waiting = {household(one.asker) for one in self._queue}
        if len(waiting) >= MOST_QUEUED and household(asker) not in waiting:
            self._turned_away_s = now_s
            raise IllegalAction("door_busy")
        asked = PairingQuestion(secrets.token_urlsafe(_TICKET_BYTES), seat, asker, now_s, phone)
        self._queue.append(asked)
        self._open_next(now_s)
        return self.look(asked.ticket, now_s)

    def was_shut(self, now_s: float) -> bool:
        """Whether a limit turned somebody away within the last minutes."""
        return now_s - self._turned_away_s < SHUT_S

    def welcome(self, now_s: float) -> None:
        """Take who asks within `WELCOME_S`, past all limits; who asked before has to ask anew.

        One that asks alone is let in then. Where several do, whoever keeps the door busy may be
        among them: each of them has a word, and is knocked for, as ever.
        """
        self._queue.clear()
        self._close_in_vain(now_s)
        self._guests.clear()
        self._welcome_until_s = now_s + WELCOME_S

    def look(self, ticket: str, now_s: float) -> DoorAnswer:
        """Return how the question with *ticket* stands."""
        for one in self._standing():
            if one.is_of(ticket):
                one.looked_s = now_s
                state = DoorState.ASKING if one is self.open else DoorState.QUEUED
                return DoorAnswer(state, ticket, one.word, one.seat, one.until_s)
        for ended in self._ended:
            if ended.question.is_of(ticket):
                return DoorAnswer(ended.state, ticket, ended.question.word, ended.question.seat)
        return DoorAnswer(DoorState.GONE, ticket)

    def withdraw(self, ticket: str, now_s: float) -> None:
        """Let the phone with *ticket* ask no longer."""
        if self.open is not None and self.open.is_of(ticket):
            self._close_in_vain(now_s)
        self._queue = deque(one for one in self._queue if not one.is_of(ticket))
        self._guests = [one for one in self._guests if not one.is_of(ticket)]

    def refuse(self, number: int, now_s: float) -> None:
        """Turn away the phone that asks under *number*."""
        turned_away = self.open
        if turned_away is None or turned_away.number != number:
            raise IllegalAction("door_gone")
        self._close_in_vain(now_s, refused=True)
        self._ended.append(_Ended(turned_away, DoorState.REFUSED, now_s))

    def grant(self, now_s: float) -> None:
        """Let in the phone whose question stands."""
        granted, self.open = self.open, None
        if granted is not None:
            self._limits.let_in(granted.asker)
            self._ended.append(_Ended(granted, DoorState.GRANTED, now_s))
            self.let_in, self._told_until_s = granted, now_s + SHOWN_S
            self._open_next(now_s)

    def pass_time(self, now_s: float) -> None:
        """Close what nobody knocked for by *now_s*, and let the next one ask."""
        while self._ended and self._ended[0].until_s <= now_s:
            self._ended.popleft()
        if self.let_in is not None and self._told_until_s <= now_s:
            self.let_in = None
        if self.open is not None and self.open.until_s <= now_s:
            self._close_in_vain(now_s)
        if self._welcome_until_s is not None and self._welcome_until_s <= now_s:
            self._end_welcome(now_s)
        self._open_next(now_s)

    def _welcome_in(self, seat: Seat | None, asker: str, now_s: float) -> DoorAnswer:
        if len(self._guests) >= _MOST_GUESTS:
            raise IllegalAction("door_busy")
        guest = PairingQuestion(secrets.token_urlsafe(_TICKET_BYTES), seat, asker, now_s)
        self._guests.append(guest)
        return self.look(guest.ticket, now_s)

    def _end_welcome(self, now_s: float) -> None:
        guests = [one for one in self._guests if now_s - one.looked_s < AWAY_S]
        self._guests, self._welcome_until_s = [], None
        # Whoever was fastest is no friend for that.
        secrets.SystemRandom().shuffle(guests)
        self._queue.extend(guests[: MOST_QUEUED + 1])
        self._open_next(now_s)
        if len(guests) == 1:
            self.grant(now_s)

    def _standing(self) -> tuple[PairingQuestion, ...]:
        return (*((self.open,) if self.open else ()), *self._queue, *self._guests)

    def _close_in_vain(self, now_s: float, *, refused: bool = False) -> None:
        if self.open is not None:
            asker = self.open.asker
            self._hold_back(asker, self._limits.in_vain(asker, now_s, refused=refused))
            # Nobody stands there for longer than for the question of another phone.
            self._queue = deque(one for one in self._queue if one.not_before_s <= now_s + ASK_S)
        self.open = None
        self._open_next(now_s)

    def _hold_back(self, asker: str, until_s: float) -> None:
        """Let all phones at the address of *asker* wait as if they had asked in vain themselves."""
        for one in self._queue:
            if household(one.asker) == household(asker):
                one.not_before_s = until_s

    def _open_next(self, now_s: float) -> None:
        self._drop_who_left(now_s)
        if self.open is not None:
            return
        self.open = next((one for one in self._queue if one.not_before_s <= now_s), None)
        if self.open is not None:
            self._queue.remove(self.open)
            self._number += 1
            self.open.number, self.open.since_s = self._number, now_s
            self.open.word = self._fresh_word()

    def _drop_who_left(self, now_s: float) -> None:
        self._queue = deque(one for one in self._queue if now_s - one.looked_s < AWAY_S)

    def _fresh_word(self) -> str:
        word = self._draw(tuple(word for word in WORDS if word not in self._used))
        self._used.append(word)
        return word


THREE = 3
_TRIES = (1, THREE, 5)
SETTLE_S = 1.0  # what was begun before anybody could read the word was not meant for it


class PairingRequests:
    """The questions at the door, and the hands that answer them.

    Args:
        intents: Foresees what a pattern means at a seat.
        hears_wood: Whether blows on the wood mean anything in the game now.
        seats: Places at the table.
        timings: How long a pattern takes.
    """

    def __init__(
        self,
        intents: "Intents",
        hears_wood: Callable[[], bool],
        seats: int,
        timings: Timings,
    ) -> None:
        self.questions = PairingQuestions()
        self._intents = intents
        self._hears_wood = hears_wood
        self._places = tuple(map(Seat, range(seats)))
        self._slammed = Gestures(timings)  # what the game is deaf to
        self._settled_s = float("-inf")
        self._wood_tells_seats = False
        self.is_closed = False  # while the table is tuned no knock would be heard for a phone

    @property
    def next_deadline(self) -> float | None:
        """When a pattern on deaf wood or a question is over."""
        ends = (self._slammed.next_deadline, self.questions.next_deadline)
        return min((end for end in ends if end is not None), default=None)

    def ask(self, seat: Seat | None, asker: str, now_s: float, phone: str = "") -> DoorAnswer:
        """Let a phone ask; see `kloplei.table.client.DoorClient.ask`."""
        if seat is not None and seat not in self._places:
            raise BadRequest(Sentence("no-such-seat", seats=len(self._places)))
        if self.is_closed:
            raise IllegalAction("door_tuning")
        return self.questions.ask(seat, asker, now_s, phone)

    def heard(self, place: Place) -> None:
        """Note that the wood was knocked on at *place*: it may tell seats, or may not."""
        self._wood_tells_seats |= place is not None

    def slammed(self, knock: KnockHeard, at_s: float, now_s: float) -> None:
        """Hear a blow on wood that the game is deaf to; it may be one of three.

        One that is told once more, or late, is of its pattern unless that is over.
        """
        is_over = knock.amends and self._slammed.is_too_late(at_s, now_s)
        if self.listens(at_s) and not is_over:
            self._slammed.knocked(knock.seat, at_s, doubtful=knock.doubtful)

    def drummed(self, place: Place) -> None:
        """Let what grows on deaf wood at *place* mean nothing: fingers drum there."""
        self._slammed.spend_knocks(place)

    def settle(self, now_s: float) -> None:
        """The game has moved on: patterns that had begun by then were meant for it."""
        self._settled_s = now_s + SETTLE_S

    def pass_time(self, at_s: float, now_s: float) -> None:
        """End patterns on deaf wood and questions that are over by *at_s*."""
        for pattern in self._slammed.due(at_s):
            self.opens(pattern, now_s, on_deaf_wood=True)
        self.questions.pass_time(at_s)

    def opens(self, pattern: Pattern, now_s: float, *, on_deaf_wood: bool = False) -> bool:
        """Let in who asks if *pattern* says so, and return whether it did."""
        # Seven cards slammed while somebody asks are no gesture, unless the door was kept busy.
        may_welcome = not on_deaf_wood or self.questions.was_shut(now_s)
        if may_welcome and self._is_welcome(pattern):
            self.questions.welcome(now_s)
            self._intents.tell(Line("notice.welcome"), now_s + WELCOME_S)
            return True
        asked = self.questions.open
        if asked is None or not self._is_answer(pattern, asked):
            return False
        fits = self._fits_deaf_wood if on_deaf_wood else self._fits_game
        if not fits(pattern, asked):
            return False
        self.questions.grant(now_s)
        return True

    def listens(self, now_s: float) -> bool:
        """Whether knocks may let in a phone that asks, or whom a busy door turned away."""
        return self.questions.open is not None or self.questions.was_shut(now_s)

    @property
    def spare_knocks(self) -> int:
        """So many knocks mean nothing in the game now, at any seat; 0 where none do."""
        return self._opening(None)[0] if self._hears_wood() else 0

    def is_spare(self, pattern: Pattern, since_s: float) -> bool:
        """Whether *pattern* is so many knocks, of who could read what is shown since *since_s*."""
        began_s = max(since_s + SETTLE_S, self._settled_s)
        if pattern.doubtful or pattern.began_s < began_s or not self._intents.is_idle:
            return False
        means_little = all(self._means_little(s, pattern) for s in self._struck_by(pattern))
        return means_little and 0 < pattern.knocks == self.spare_knocks

    @property
    def shown(self) -> Door | None:
        """What slate and phones show: who asks, or else who was let in just now."""
        asked, let_in = self.questions.open, self.questions.let_in
        if asked is not None:
            opening = self._opening(asked.seat)
            return Door(asked.word, asked.number, asked.seat, asked.until_s, ASK_S, *opening)
        if let_in is not None:
            return Door(let_in.word, let_in.number, let_in.seat, 0.0, ASK_S, let_in=True)
        return None

    def _is_welcome(self, pattern: Pattern) -> bool:
        if pattern.knocks != WELCOME_KNOCKS or pattern.doubtful or self.is_closed:
            return False
        idle = self._intents.is_idle
        return idle and all(self._means_little(s, pattern) for s in self._struck_by(pattern))

    def _is_answer(self, pattern: Pattern, asked: PairingQuestion) -> bool:
        """Whether *pattern* comes from where it has to, and is beyond doubt and late enough."""
        began_s = max(asked.since_s + SETTLE_S, self._settled_s)
        if pattern.doubtful or pattern.began_s < began_s or not self._intents.is_idle:
            return False
        if asked.seat is None or pattern.seat == asked.seat:
            return True
        return pattern.seat is None and not self._wood_tells_seats

    def _fits_deaf_wood(self, pattern: Pattern, _asked: PairingQuestion) -> bool:
        return pattern.knocks == THREE and not self._hears_wood()

    def _fits_game(self, pattern: Pattern, asked: PairingQuestion) -> bool:
        means_little = all(self._means_little(s, pattern) for s in self._struck_by(pattern))
        if self._hears_wood():
            # As many as the slate says: three where it asks for one are "hurry up" to the dealer.
            return means_little and 0 < pattern.knocks == self._opening(asked.seat)[0]
        means_nothing = all(self._means_nothing(s, pattern) for s in self._struck_by(pattern))
        plain = pattern.knocks == 1 or (pattern.gesture.hold and not pattern.long)
        return (plain and means_nothing) or (pattern.knocks == THREE and means_little)

    def _struck_by(self, pattern: Pattern) -> tuple[Seat, ...]:
        return self._places if pattern.seat is None else (pattern.seat,)

    def _opening(self, seat: Seat | None) -> tuple[int, str]:
        """Return how many knocks open now, 0 for none, and what does besides: a press, a hold."""
        # A sensor that tells no seats hears a knock at a free one as well.
        anywhere = self._intents.seated if self._wood_tells_seats else self._places
        seats = anywhere if seat is None else (seat,)
        if self._hears_wood():
            return next((n for n in _TRIES if self._all_mean_little(seats, n)), 0), ""
        return THREE, next(self._free_presses(seats), "")

    def _all_mean_little(self, seats: tuple[Seat, ...], knocks: int) -> bool:
        # Where nobody sits yet, one knock sits down; three say nothing to an empty table.
        if not seats:
            return knocks == THREE
        return all(self._means_little(one, Pattern(one, Gesture(knocks), "pad")) for one in seats)

    def _free_presses(self, seats: tuple[Seat, ...]) -> Iterator[str]:
        for word, gesture in (("press", Gesture(1, presses=1)), ("hold", Gesture(hold=True))):
            if all(self._means_nothing(one, Pattern(one, gesture, "button")) for one in seats):
                yield word

    def _means_little(self, seat: Seat, pattern: Pattern) -> bool:
        meaning = self._intents.meaning(seat, pattern)
        return meaning is None or isinstance(meaning, Show)

    def _means_nothing(self, seat: Seat, pattern: Pattern) -> bool:
        return self._intents.meaning(seat, pattern) is None
