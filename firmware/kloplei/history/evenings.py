"""The evenings of a journal: cut where one begins or after a night, and folded through their games.

`Fold` takes one holding step after the other and gives a `Folded` for each evening: the `Evening`
that is told of it, and what its games count. It judges nothing: games apply what they once decided,
and who sat where goes by the seats of that moment. What cannot be read ends the telling of that
evening, and the next one that begins is told again.
"""

import logging
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kloplei.frozen import dataclass, replace
from kloplei.games.card_game import CardGame, Finished, OnSlate
from kloplei.games.catalogue import game_kind
from kloplei.games.game import Event, Seat
from kloplei.games.scoreboard import Line
from kloplei.games.statistics import Counts, Played
from kloplei.history._counting import EveningSums, GameCounting
from kloplei.history._told import (
    HandSoFar,
    Renumbered,
    RubberSoFar,
    best_players,
    turning_hand,
)
from kloplei.history.steps import Written
from kloplei.table import actions
from kloplei.table.actions import TABLE_EVENTS, decode, rule_told
from kloplei.table.history_client import (
    Evening,
    EveningLine,
    Knock,
    PlayedGame,
    PlayedHand,
    Player,
    Settlement,
)
from kloplei.table.journal import Entry
from kloplei.table.seating import Seating, TableSetup, TableState
from kloplei.words.catalogue import lent_by
from kloplei.words.dates import by_clock
from kloplei.words.letters import folded

logger = logging.getLogger(__name__)
NIGHT_S = 8 * 3600.0
"""After so long a rest between two hands another evening begins."""
_UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_RAISES: Mapping[str, str] = {"Knocked": "stake", "Raised": "proposed"}
_ENDS = ("RubberWon", "GameWon", "EveningSettled")
_REOPENS = ("RubberReopened", "GameReopened")
_WIPES = ("SlateWiped", "RubberAbandoned")
_CORRECTS = ("Corrected", "Chalked", "RevokeFound", "HandReopened", "DealTakenBack")
"""Events of all games that go by the same names, which stay as they are."""
_AS_EVER = TableState("toepen")
Fill = Callable[[Event, TableState], Event]


def as_it_stands(event: Event, state: TableState) -> Event:
    """Return *event*: nothing is left out of it."""
    return event


@dataclass(frozen=True, slots=True)
class Folded:
    """One evening: what is told of it, what its games count, and where it stands in the journal.

    *after* is the number of the entry before its first, and *before* the table as it stood then:
    all that it takes to fold it again.
    """

    evening: Evening
    counts: Counts
    after: int
    last: int
    before: TableState


def guest_key(name: str) -> str:
    """Return what tells two guests apart: the same name, however it is written."""
    if (lent := lent_by(name)) is not None:
        return " ".join(lent)
    return folded(name)


class Fold:
    """Folds steps that hold into evenings, oldest first.

    Args:
        after: The number of the entry that the table stood at, and 0 at the beginning.
        state: The table as it stood then.
        fill: Says of an event, and the table before it, what the event leaves out, such as names.
    """

    def __init__(
        self, after: int = 0, state: TableState = _AS_EVER, fill: Fill = as_it_stands
    ) -> None:
        self._seating = Seating(TableSetup())
        self._fill = fill
        self._state = state
        self._after = after
        self._at: float | None = None
        self._is_lost = state == _LOST
        self._game: CardGame[Any, Any] | None = None
        self._evening = _Evening(after, state, self._slate(state), state)

    @property
    def begun(self) -> tuple[int, TableState]:
        """After which entry the evening began that is being folded, and how the table stood."""
        return self._evening.after, self._evening.before

    def take(self, step: Written) -> Folded | None:
        """Take the next *step*; return the evening that had ended before it, if one had."""
        ended, entries = None, step.entries
        if step.opens_evening or self._is_morning(entries[0].at):
            ended = self.running()
            # Who sat there before is nobody here: an evening that was begun names its players.
            stood = _LOST if self._is_lost else self._state
            people = _AS_EVER if step.opens_evening else stood
            earlier = None if ended is None or step.opens_evening else self._evening
            self._evening = _Evening(self._after, stood, self._slate(stood), people, earlier)
        at = by_clock(entries[-1].at)
        self._evening.begin_step(step, at)
        self._follow(entries)
        self._at = at
        self._after = step.seq
        return ended

    @property
    def reaches_back(self) -> bool:
        """Whether hands of the evening before stand on the slate yet, to be put right."""
        return self._evening.reaches_back

    def retold(self) -> Folded | None:
        """Return the evening before if the last step put it right, else None."""
        earlier = self._evening.earlier
        if earlier is None or not earlier.is_put_right:
            return None
        earlier.is_put_right = False
        return self._told(earlier, 0, is_lost=False)

    def running(self, undone: int = 0) -> Folded | None:
        """Return the evening as far as it was taken; None where no hand of it is finished.

        Args:
            undone: So many steps behind the last one are taken back.
        """
        return self._told(self._evening, undone, self._is_lost)

    def _told(self, evening: "_Evening", undone: int, is_lost: bool) -> Folded | None:
        try:
            return evening.folded(undone, is_lost)
        except Exception:
            # A mistake of ours costs this evening, and none that come behind it.
            logger.exception("The evening after entry %d cannot be told.", evening.after)
            return evening.untold()

    def _is_morning(self, began: float | None) -> bool:
        at = by_clock(began)
        if self._at is None or at is None or at - self._at < NIGHT_S:
            return False
        return self._is_lost or not self._slate(self._state).runs

    def _slate(self, state: TableState) -> OnSlate:
        return _NOTHING if state.play is None else self._playing(state).on_slate(state.play)

    def _playing(self, state: TableState) -> CardGame[Any, Any]:
        game = self._seating.game(state)
        if not isinstance(game, CardGame):
            raise TypeError(f"{game!r} is not remembered")
        return game

    def _follow(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if self._is_lost and entry.event not in _ANCHORS:
                continue
            try:
                self._apply(entry.seq, entry.event, entry.facts)
                self._is_lost = False
            except _UNREADABLE:
                self._is_lost = True
            except Exception:
                logger.exception("Entry %d is not understood.", entry.seq)
                self._is_lost = True

    def _apply(self, seq: int, name: str, facts: Mapping[str, object]) -> None:
        before, game, of_table = self._state, self._game, name in TABLE_EVENTS
        if game is None and not of_table:
            game = self._playing(before)
        event = decode(name, facts, game.events if game and not of_table else TABLE_EVENTS)
        event = self._fill(event, before)
        after = self._seating.apply(before, event)
        if game is None or of_table:  # no game changes what is played
            game = self._playing(after)
        slate = _NOTHING if after.play is None else game.on_slate(after.play)
        self._state, self._game = after, game
        self._evening.saw(_Seen(seq, event, before, after, game, slate, of_table))


_LOST = TableState("")
"""What nobody knows: a part of the journal cannot be read, and no evening has begun since."""
_ANCHORS = (actions.EveningBegun.__name__, actions.Recovered.__name__)
"""What says all that stands at the table, whatever came before it."""
_NOTHING = OnSlate(runs=False, hands=(), tallies=())


@dataclass(frozen=True, slots=True)
class _Seen:
    """One event, with the table around it."""

    seq: int
    event: Event
    before: TableState
    after: TableState
    game: CardGame[Any, Any]
    slate: OnSlate
    of_table: bool

    @property
    def played(self) -> Played:
        """The event as games count it."""
        return Played(self.seq, self.event, self.before.play, self.after.play, self.game)


class _People:
    """Who played, and where each sat when; numbers count from 1."""

    def __init__(self, state: TableState) -> None:
        self.players: list[Player] = []
        self._numbers: dict[object, int] = {}
        self._at: dict[Seat, int] = {}
        self._when: list[int] = []
        self._seatings: list[dict[Seat, int]] = []
        self._seat(0, state)

    def number(self, seat: Seat) -> int:
        """Return who sits at *seat* now."""
        return self._at[seat]

    def find(self, seat: Seat) -> int | None:
        """Return who sits at *seat* now, None where nobody does."""
        return self._at.get(seat)

    def here(self, seat: Seat) -> bool:
        """Whether somebody sits there."""
        return seat in self._at

    @property
    def at(self) -> Mapping[Seat, int]:
        """Who sits where now."""
        return self._at

    @property
    def here_now(self) -> Iterable[int]:
        """Who sits at the table now."""
        return self._at.values()

    def then(self, seq: int) -> Mapping[Seat, int]:
        """Return who sat where at entry *seq*."""
        return self._seatings[max(bisect_right(self._when, seq) - 1, 0)]

    def follow(self, seen: _Seen) -> None:
        """Let people come, go, move, or be called otherwise."""
        event, state = seen.event, seen.after
        if isinstance(event, actions.Swapped):
            moved = {event.seat: event.of, event.of: event.seat}
            self._at = {moved.get(seat, seat): one for seat, one in self._at.items()}
        elif isinstance(event, actions.Renamed | actions.Recognised) and event.seat in self._at:
            self._rename(event.seat, state)
        elif isinstance(event, actions.SatDown | actions.StoodUp):
            # Not the mapping itself: what was played before is still theirs.
            self._at = {seat: one for seat, one in self._at.items() if seat != event.seat}
        elif isinstance(event, actions.EveningBegun | actions.Recovered):
            self._at = {}
        self._seat(seen.seq, state)

    def _seat(self, seq: int, state: TableState) -> None:
        self._at = {
            seat: self._at[seat] if seat in self._at else self._known(state, seat)
            for seat in state.seated
        }
        self._when.append(seq)
        self._seatings.append(self._at)

    def _known(self, state: TableState, seat: Seat) -> int:
        key, player = _who(state, seat)
        if key not in self._numbers:
            number = self._numbers[key] = len(self.players) + 1
            self.players.append(replace(player, number=number))
        return self._numbers[key]

    def _rename(self, seat: Seat, state: TableState) -> None:
        """Let who sits at *seat* be called otherwise, or be who was here by that name before."""
        key, player = _who(state, seat)
        number = self._at[seat]
        if self._numbers.get(key, number) != number:
            self._at = {**self._at, seat: self._numbers[key]}
            return
        self._numbers[key] = number
        self.players[number - 1] = replace(player, number=number)


def _who(state: TableState, seat: Seat) -> tuple[object, Player]:
    """Return what tells who sits at *seat* from everybody else, and who it is.

    The one place that knows persons from guests. What a person is called is found when it is told.
    """
    name, person = state.names[seat], state.people.get(seat)
    return (guest_key(name), Player(0, name)) if person is None else (person, Player(0, "", person))


class _Evening:
    """One evening as it is folded.

    After a night the slate may show hands of the *earlier* one, which are put right there, for as
    long as that rubber lasts and no third evening has begun.
    """

    def __init__(
        self,
        after: int,
        state: TableState,
        slate: OnSlate,
        people: TableState,
        earlier: "_Evening | None" = None,
    ) -> None:
        self.after, self.before = after, state
        self.last = after
        self._at: float | None = None
        self._until: float | None = None
        self._people = _People(people)
        self._hands: list[HandSoFar] = []
        self._rubbers: list[RubberSoFar] = []
        self._games: list[PlayedGame] = []
        self._game: CardGame[Any, Any] | None = None
        self._falls: dict[str, bool] = {}
        self._counting: list[GameCounting] = []  # a game that is played again begins anew
        self._sums = EveningSums()
        self._shown_to: Mapping[int, int] = {}
        self._turning: tuple[tuple[PlayedHand, ...], int | None] = (), None
        self._paid_chips: list[Settlement] = []
        self._knocks: list[Knock] = []
        self._drank: list[int] = []
        self._rubber = 1
        self._log: dict[int, HandSoFar] = {}  # of this rubber, by number
        self._slate = slate
        self._inherited = len(slate.hands)
        self._corrections = self._undone = 0
        self.earlier, self.is_put_right = earlier, False
        self.reaches_back = earlier is not None and bool(slate.hands)
        if earlier is not None:
            earlier.earlier = None

    def begin_step(self, step: Written, at: float | None) -> None:
        """Take note that *step* was *at* that time, and that some before it were taken back."""
        self._at = at if self._at is None else self._at
        if at is not None:  # no evening ends before it began, whatever its clock was set to
            self._until = max(at, self._until or at)
        self._undone += step.undone
        self.last = step.seq

    def saw(self, seen: _Seen) -> None:
        """Take the next event."""
        name = type(seen.event).__name__
        if seen.of_table:
            self._people.follow(seen)
        if self.reaches_back and self.earlier is not None:
            self.earlier.saw_later(
                name, seen, self._slate, has_hands=len(seen.slate.hands) > self._inherited
            )
        self._follow_game(seen)
        self._note_event(name, seen)
        self._follow_slate(name, seen)
        self._corrections += name in _CORRECTS
        self._counting[-1].take(seen.played)

    def saw_later(self, name: str, seen: _Seen, before: OnSlate, *, has_hands: bool) -> None:
        """Take the next event of the evening behind this one.

        Args:
            name: Of the event.
            seen: The event.
            before: The slate as it stood.
            has_hands: Whether a hand of that evening stands on the slate.
        """
        if name in _WIPES or name in _ANCHORS:
            return
        if seen.of_table:
            self._people.follow(seen)
        hands, known, otherwise = seen.slate.hands, before.hands, []
        if hands is not known and not seen.of_table:
            otherwise = [n for n in self._log if hands[n - 1 : n] != known[n - 1 : n]]
        if otherwise or seen.of_table or name in _REOPENS:
            self._counting[-1].take(seen.played)
        for number in otherwise:
            self._tell_again(number, seen)
        if name in _REOPENS and self._rubbers and self._rubbers[-1].number == self._rubber:
            self._rubbers.pop()
            self.is_put_right = True
        is_chalked = seen.slate.tallies is not before.tallies and not seen.slate.runs
        if not has_hands and is_chalked and not seen.of_table:
            self._chalk_up(seen)
            self.is_put_right = True

    def _tell_again(self, number: int, seen: _Seen) -> None:
        """Tell a hand as it is put right after the night, or leave it out where it was dropped."""
        self.is_put_right, told, hands = True, self._log[number], seen.slate.hands
        if number > len(hands):  # it ends once more, and that is in the evening behind
            told.holds = False
            del self._log[number]
        else:
            finished = seen.game.finished(seen.after.play, hands[number - 1])
            by = self._retell(told, finished)
            _shift([one for one in self._log.values() if one.number >= number], by)

    def _follow_game(self, seen: _Seen) -> None:
        if seen.game is self._game:
            return
        if self._game is not None and seen.game.name != self._game.name:
            self._begin_rubber()
        self._game = seen.game
        self._falls[seen.game.name] = seen.game.falls
        # What one hand came to may be put right after house rules have changed.
        if not self._counting or self._counting[-1].game != seen.game.name:
            self._counting.append(GameCounting(seen.game))
        first = len(self._hands) + 1
        if self._games and self._games[-1].first == first:
            del self._games[-1]
        self._games.append(_game_told(seen.game, seen.after, first))

    def _note_event(self, name: str, seen: _Seen) -> None:
        event: Any = seen.event
        if name in _RAISES and hasattr(event, _RAISES[name]):
            heard = None if event.strength is None else event.strength / 100
            who, stake = self._people.number(event.seat), getattr(event, _RAISES[name])
            self._knocks.append(Knock(who, stake, heard, event.waited_s))
        elif name in _ENDS:
            self._end_rubber(event, seen)
        elif name in _REOPENS and self._rubbers:
            self._drank += self._rubbers.pop().payers
        elif name == "Drank" and not getattr(event, "into", "") and self._people.here(event.seat):
            owed = self._rubbers and self._rubbers[-1].number == self._rubber
            payers = self._rubbers[-1].payers if owed else self._drank
            payers.append(self._people.number(event.seat))

    def _end_rubber(self, event: Any, seen: _Seen) -> None:
        seats: tuple[Seat, ...] = seen.after.play.seats
        won = event.winners if hasattr(event, "winners") else (event.winner,)
        points = {Seat(n): one for n, one in enumerate(getattr(event, "points", ())) if one}
        self._rubbers.append(
            RubberSoFar(
                number=self._rubber,
                game=seen.game.name,
                winners=self._numbers(won),
                losers=self._numbers(seat for seat in seats if seat not in won),
                last=next((one for one in reversed(self._log.values()) if one.holds), None),
                points=self._by_player(points),
                crowned=self._numbers(getattr(event, "crowned", ())),
                payers=self._drank,
            )
        )
        self._drank = []
        for paid in seen.game.payments(seen.after.play):
            payer, payee = self._numbers((paid.payer, paid.payee))
            settled = Settlement(payer, payee, paid.amount, "chips", self._rubber)
            self._paid_chips.append(settled)

    def _follow_slate(self, name: str, seen: _Seen) -> None:
        before, self._slate = self._slate, seen.slate
        hands, known = seen.slate.hands, before.hands
        if name in _WIPES or name in _ANCHORS or (seen.of_table and known and not hands):
            self._begin_rubber()
        elif not seen.of_table and hands is not known:
            self._tell_hands(seen, known)
        if not seen.slate.runs:
            self._knocks = []
            is_moved = seen.slate.tallies is not before.tallies or hands is not known
            if self._log and is_moved and not seen.of_table:
                self._chalk_up(seen)

    def _begin_rubber(self) -> None:
        is_over = bool(self._rubbers) and self._rubbers[-1].number == self._rubber
        self._rubber += bool(self._log) or is_over
        self.reaches_back = False
        self._log, self._drank, self._inherited = {}, [], 0

    def _tell_hands(self, seen: _Seen, known: tuple[Any, ...]) -> None:
        """Tell the hands that are new, and those that are otherwise than they were *known*."""
        hands = seen.slate.hands
        for number, hand in enumerate(hands, start=1):
            if number > len(known) or known[number - 1] is not hand:
                self._tell_hand(number, seen, known)
        for number, told in self._log.items():
            told.holds = number <= len(hands)
        self._inherited = min(self._inherited, len(hands))

    def _tell_hand(self, number: int, seen: _Seen, known: tuple[Any, ...]) -> None:
        finished = seen.game.finished(seen.after.play, seen.slate.hands[number - 1])
        told = self._log.get(number)
        if told is None and number > self._inherited:
            self._log[number] = told = self._new_hand(number, finished, seen)
            self._hands.append(told)
        elif told is not None:
            by = self._retell(told, finished)
            _shift([one for one in self._log.values() if one.number >= number][:-1], by)
        else:
            was = seen.game.finished(seen.before.play, known[number - 1])
            paid, before = finished.shown.paid, was.shown.paid
            by = {
                player: paid.get(seat, 0) - before.get(seat, 0)
                for seat, player in self._people.at.items()
            }
            _shift([*self._log.values()][:-1], by)

    def _new_hand(self, number: int, finished: Finished, seen: _Seen) -> HandSoFar:
        dealer = finished.dealer
        return HandSoFar(
            number=number,
            game=seen.game.name,
            rubber=self._rubber,
            finished=finished,
            knocks=tuple(self._knocks),
            dealer=None if dealer is None else self._people.find(dealer),
            folded=self._by_player(finished.folded),
            winners=self._numbers(finished.winners),
            paid=self._by_player(finished.shown.paid),
            told=tuple(self._told(finished)),
        )

    def _retell(self, told: HandSoFar, finished: Finished) -> Mapping[int, int]:
        """Tell a hand anew, and return by how much more each paid.

        Who has left since then keeps what it had cost.
        """
        paid = told.paid | dict.fromkeys(self._people.here_now, 0)
        paid |= self._by_player(finished.shown.paid)
        paid = {player: n for player, n in paid.items() if n}
        changed = {one: paid.get(one, 0) - told.paid.get(one, 0) for one in {*paid, *told.paid}}
        was = [paid.get(player) == n for player, n in told.paid.items()]
        told.corrected |= finished.shown.how != told.finished.shown.how or not all(was)
        told.finished, told.paid = finished, paid
        told.winners = self._numbers(finished.winners)
        told.folded |= self._by_player(finished.folded)
        told.told = tuple(self._told(finished))
        told.shown = None
        return changed

    def _chalk_up(self, seen: _Seen) -> None:
        """Let what stands on the slate now stand behind the last hand of the running rubber."""
        held = [one for one in self._log.values() if one.holds]
        if held:
            tallies = seen.slate.tallies
            held[-1].tallies |= self._by_player({s: tallies[s] for s in seen.after.play.seats})
            held[-1].shown = None

    def _told(self, finished: Finished) -> Iterator[Line]:
        shown = finished.shown
        for line in (*shown.told, *(one.line for one in shown.ledger)):
            yield replace(line, facts=self._facts(line.facts))

    def _facts(self, facts: Mapping[str, object]) -> dict[str, object]:
        """Return *facts* with players in the place of seats, as `PlayedHand` tells them."""
        return {name: self._fact(one) for name, one in facts.items()}

    def _fact(self, fact: object) -> object:
        if isinstance(fact, Seat):
            return Seat(self._people.number(fact) - 1) if self._people.here(fact) else ""
        if isinstance(fact, tuple):
            return tuple(map(self._fact, fact))
        return self._facts(fact) if isinstance(fact, Mapping) else fact

    def _numbers(self, seats: Iterable[Seat]) -> tuple[int, ...]:
        return tuple(self._people.number(seat) for seat in seats if self._people.here(seat))

    def _by_player(self, by_seat: Mapping[Seat, int]) -> dict[int, int]:
        here = self._people.here
        return {self._people.number(s): n for s, n in by_seat.items() if here(s)}

    def folded(self, undone: int, is_lost: bool) -> Folded | None:
        """Return what the evening comes to so far; None where no hand is finished."""
        hands = [one for one in self._hands if one.holds]
        if not hands:
            return None
        names = Renumbered(self._people.players, hands)
        counts, all_counted = self._sums.of(self._counting, self._people.then, names.to)
        rubbers = tuple(map(names.rubber, self._rubbers))
        played = self._shown(names, hands)
        games = tuple(one for one in self._games if one.first <= len(hands))
        line = EveningLine(
            number=0,
            at=self._at,
            until=self._until,
            games=tuple(dict.fromkeys(one.game for one in hands)),
            players=names.players,
            hands=len(hands),
            rubbers=len(rubbers),
        )
        evening = Evening(
            line,
            games,
            played,
            rubbers,
            settled=tuple(map(names.settled, self._settled())),
            turning=self._turning_of(played),
            winners=best_players(line, played, rubbers, self._falls),
            corrections=self._corrections,
            undone=self._undone + undone,
            broken=is_lost or not all_counted,
        )
        return Folded(evening, counts, self.after, self.last, self.before)

    def _shown(self, names: "Renumbered", hands: list[HandSoFar]) -> tuple[PlayedHand, ...]:
        """Return *hands* as they are told: those of which nothing has changed as they were."""
        is_other = names.to != self._shown_to
        self._shown_to = names.to
        for number, one in enumerate(hands, start=1):
            if is_other or one.shown is None or one.shown.number != number:
                one.shown = names.hand(number, one)
        return tuple(one.shown for one in hands if one.shown is not None)

    def _turning_of(self, played: tuple[PlayedHand, ...]) -> int | None:
        if played != self._turning[0]:
            self._turning = played, turning_hand(played)
        return self._turning[1]

    def untold(self) -> Folded | None:
        """Return what can be said where nothing of the evening can be told: that it was."""
        if not self._hands:
            return None
        line = EveningLine(0, self._at, self._until, (), (), hands=0, rubbers=0)
        evening = Evening(line, (), (), (), (), broken=True)
        return Folded(evening, {}, self.after, self.last, self.before)

    def _settled(self) -> Iterator[Settlement]:
        for rubber in self._rubbers:
            for payer in rubber.payers:
                for payee in rubber.winners:
                    if payee != payer:
                        yield Settlement(payer, payee, 1, "round", rubber.number)
        yield from self._paid_chips


def _shift(hands: Iterable[HandSoFar], by: Mapping[int, int]) -> None:
    """Let what stands behind *hands* be so much more, by player."""
    for one in hands:
        for player, more in by.items():
            if player in one.tallies:
                one.tallies[player] += more
                one.shown = None


def _game_told(game: CardGame[Any, Any], state: TableState, first: int) -> PlayedGame:
    preset = state.preset or game_kind(game.name).default_preset
    changed = game.options.changed_since(game.presets[preset])
    told = tuple(rule_told(option, value) for option, value in sorted(changed.items()))
    return PlayedGame(game.name, preset, first, told, game.falls)
