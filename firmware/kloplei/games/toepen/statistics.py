"""What toepen counts for years: knocks, answers, lives and rounds (docs/history.md has each).

The box never sees a card, so nothing here is called a bluff but a dirty exchange. A hand counts
once it is over: one that was dropped counts in lives and challenges alone, one that was told anew
in who won it and what it cost, for nobody knows any more who knocked in it.
"""

from collections.abc import Iterator
from dataclasses import field

from kloplei.frozen import dataclass
from kloplei.games.game import Seat
from kloplei.games.statistics import (
    Count,
    Notes,
    Person,
    Played,
    Retold,
    RubberNotes,
    Statistic,
    Total,
    Totals,
    longest_runs,
    strength_of,
)
from kloplei.games.toepen import actions
from kloplei.games.toepen.state import Phase, PlayedHand, State, fold_price, lives_left

RETOLD = Retold(knocks_raise=True, costs_lives=True)
STATISTICS = (
    Statistic("hands", "won", "cases", few=1, unit="hands"),
    Statistic("won", "won", "share", few=10, unit="share"),
    Statistic("streak", "streak", "most", few=1, unit="hands"),
    Statistic("drought", "drought", "most", few=1, unit="hands"),
    Statistic("lives", "lives", "sum", few=1, unit="lives"),
    Statistic("lives-a-hand", "lives", "mean", few=10, unit="lives"),
    Statistic("knocks", "knocks", "mean", few=10),
    Statistic("steal", "steal", "share", few=10, unit="share"),
    Statistic("caught", "caught", "share", few=10, unit="share"),
    Statistic("folds", "answer", "share", few=10, unit="share"),
    Statistic("folds-at", "answer", "share", few=5, unit="share", by_detail=True),
    Statistic("fold-value", "fold", "derived", few=10, unit="lives"),
    Statistic("courage", "courage", "share", few=5, unit="share"),
    Statistic("armoede", "armoede", "share", few=3, unit="share"),
    Statistic("proven-bluff", "bluff", "share", few=3, unit="share"),
    Statistic("found-dirty", "challenge", "share", few=3, unit="share"),
    Statistic("folds-to", "folds-to", "share", few=5, unit="share", is_against=True),
    Statistic("nemesis", "taken", "sum", few=5, unit="lives", is_against=True),
    Statistic("milk-cow", "milked", "sum", few=5, unit="lives", is_against=True),
    Statistic("dealing", "dealing", "share", few=10, unit="share"),
    Statistic("at-seat", "at-seat", "share", few=10, unit="share", by_detail=True),
    Statistic("quickest", "answer-s", "least", few=5, unit="s"),
    Statistic("slowest", "answer-s", "most", few=5, unit="s"),
    Statistic("loudest", "loud", "most", few=5, unit="share"),
    Statistic("loudness", "loud", "mean", few=10, unit="share"),
    Statistic("rubbers", "rubber", "cases", few=1),
    Statistic("rubbers-won", "rubber", "share", few=3, unit="share"),
    Statistic("comeback", "comeback", "most", few=1, unit="lives"),
    Statistic("crowns", "crown", "sum", few=1),
    Statistic("lijntoeper", "lijntoeper", "sum", few=1),
    Statistic("points", "points", "sum", few=1, unit="points"),
    Statistic("bought", "bought", "sum", few=1),
    Statistic("drunk", "drunk", "sum", few=1),
    Statistic("paid-in", "paid-in", "sum", few=1, unit="chips"),
)
OWN_STAYS = 10
"""So many of the table's stays go with a player's own, where it is told what staying costs them."""
_Said = actions.Knocked | actions.Stayed | actions.Folded
_DROPPED = ("revoke", "out")
_ARMOEDE = "armoede"


@dataclass(slots=True)
class _Knock:
    seat: Seat
    is_called: bool = False  # somebody stayed for it
    is_folded_to: bool = False


@dataclass(frozen=True, slots=True)
class _Answer:
    """What *seat* said to the *question*: a stake, or `_ARMOEDE`; *to* is who had knocked."""

    seat: Seat
    question: str
    folds: bool
    to: Seat | None
    is_brave: bool | None  # None where the last life was not at stake, or was gone anyway


@dataclass(slots=True)
class _Hand:
    """What is known of one hand, by the seats that people had in it."""

    seq: int
    dealer: Seat
    people: dict[Seat, Person]
    poor: set[Seat]
    knocks: list[_Knock] = field(default_factory=list)
    answers: list[_Answer] = field(default_factory=list)
    heard: list[Count] = field(default_factory=list)  # challenges, and what only ears can tell
    winner: Seat | None = None
    is_dropped: bool = False
    is_told_anew: bool = False
    by_folds: bool = False
    paid: dict[Seat, int] = field(default_factory=dict)
    shares: dict[Seat, int] = field(default_factory=dict)  # of what was paid, for the stake

    def tell(self, hand: PlayedHand, seats: dict[Seat, Seat], *, is_dropped: bool) -> None:
        """Keep what came of it; *seats* maps those of *hand* to those that people had in it."""
        for now, then in seats.items():
            fold = hand.folded[now] if hand.folded else 0
            self.paid[then], self.shares[then] = hand.paid[now], fold + hand.paid_at_end[now]
        self.winner = None if hand.winner is None else seats.get(hand.winner)
        self.is_dropped = is_dropped

    def moved(self, now: dict[Seat, Person]) -> dict[Seat, Seat]:
        """Return the seat that each had in it of those who sit where they do *now*."""
        then = {who: seat for seat, who in self.people.items()}
        return {seat: then[who] for seat, who in now.items() if who in then}


@dataclass(frozen=True, slots=True)
class _Rubber:
    """A rubber that is over, with its *hands* and what all at the table had *lost* then."""

    seq: int
    won: actions.RubberWon
    hands: tuple[_Hand, ...]
    people: dict[Seat, Person]
    lost: dict[Seat, int]


class _Notes(RubberNotes[_Hand, _Rubber]):
    """What happened in an evening of toepen."""

    def _when_dealt(self, step: Played, event: actions.Dealt) -> None:
        people = self.people.at(event.in_hand)
        self.hand = _Hand(step.seq, event.dealer, people, poor=set(event.armoede))

    def _when_armoede_settled(self, _: Played, event: actions.ArmoedeSettled) -> None:
        if self.hand:
            self.hand.poor |= set(event.armoede)

    def _when_challenged(self, step: Played, event: actions.Challenged) -> None:
        if self.hand:
            dirty = event.found == "dirty"
            self.hand.heard.append(Count(step.seq, "bluff", event.of, dirty))
            self.hand.heard.append(Count(step.seq, "challenge", event.seat, dirty))

    def _when_knocked(self, step: Played, event: actions.Knocked) -> None:
        if self.hand:
            self._answer(step, event, folds=False)
            self.hand.knocks.append(_Knock(event.seat))
            if (strength := strength_of(event)) is not None:
                self.hand.heard.append(Count(step.seq, "loud", event.seat, strength))

    def _when_stayed(self, step: Played, event: actions.Stayed) -> None:
        if not event.forced:
            self._answer(step, event, folds=False)
        elif self.hand and self.hand.knocks:
            self.hand.knocks[-1].is_called = True

    def _when_folded(self, step: Played, event: actions.Folded) -> None:
        self._answer(step, event, folds=True)

    def _answer(self, step: Played, event: _Said, *, folds: bool) -> None:
        """Keep what was said, if that was asked."""
        hand, before, seat = self.hand, step.before, event.seat
        if hand is None or seat not in before.hand.to_answer:
            return
        to = None
        if before.phase is Phase.ANSWERING:
            knock = hand.knocks[-1]
            knock.is_called, knock.is_folded_to = knock.is_called or not folds, folds
            to = knock.seat
        question = str(before.hand.stake) if to is not None else _ARMOEDE
        brave = self._is_brave(before, seat, folds=folds)
        hand.answers.append(_Answer(seat, question, folds, to, brave))
        if event.waited_s is not None:
            hand.heard.append(Count(step.seq, "answer-s", seat, event.waited_s))

    def _is_brave(self, before: State, seat: Seat, *, folds: bool) -> bool | None:
        left = lives_left(self.game.options, before, seat)
        is_asked = fold_price(self.game.options, before, seat) < left <= before.hand.stake
        return not folds if is_asked else None

    def _when_hand_ended(self, step: Played, event: actions.HandEnded) -> None:
        hand = self.close_hand(event.number)
        if hand is None or event.how == "misdeal":
            return
        hand.by_folds = event.how == "folds"
        seats = {seat: seat for seat in hand.people}
        hand.tell(step.after.hands[-1], seats, is_dropped=event.how in _DROPPED)
        self.keep(event.number, hand)

    def _when_corrected(self, step: Played, event: actions.Corrected) -> None:
        self._tell_again(step, event.hand, is_dropped=False, is_told_anew=bool(event.stayed))

    def _when_revoke_found(self, step: Played, event: actions.RevokeFound) -> None:
        self._tell_again(step, event.hand, is_dropped=True, is_told_anew=False)

    def _tell_again(
        self, step: Played, number: int, *, is_dropped: bool, is_told_anew: bool
    ) -> None:
        hand = self.by_number.get(number)
        told = next((one for one in step.after.hands if one.number == number), None)
        if hand is not None and told is not None:
            seats = hand.moved(self.people.at(step.after.seats))
            hand.tell(told, seats, is_dropped=is_dropped)
            hand.is_told_anew |= is_told_anew
            self.retold += 1

    def _when_rubber_won(self, step: Played, event: actions.RubberWon) -> None:
        people = self.people.at(step.before.seats)
        lost = {seat: step.before.lives_lost[seat] for seat in people}
        hands = tuple(self.by_number.values())
        self.rubbers.append(_Rubber(step.seq, event, hands, people, lost))

    def _when_drank(self, step: Played, event: actions.Drank) -> None:
        if event.into:
            self.rounds.append(Count(step.seq, "paid-in", event.seat, event.chips))
        else:
            self.drink(step, event.seat)

    def of_hand(self, hand: _Hand) -> Iterator[Count]:
        """Yield what *hand* came to."""
        return _told_of(hand)

    def of_evening(self) -> Iterator[Count]:
        """Yield runs, rubbers and rounds."""
        yield from self._runs("streak", is_won=True)
        yield from self._runs("drought", is_won=False)
        for rubber in self.rubbers:
            yield from _told_of_rubber(rubber)
        yield from self.rounds

    def _runs(self, what: str, *, is_won: bool) -> Iterator[Count]:
        course = (
            (who, (seat == hand.winner) is is_won, (hand.seq, seat))
            for hand in self.hands
            if not hand.is_dropped
            for seat, who in hand.people.items()
        )
        for run, (seq, seat) in longest_runs(course):
            yield Count(seq, what, seat, run)


def _told_of(hand: _Hand) -> Iterator[Count]:
    for seat, paid in hand.paid.items():
        yield Count(hand.seq, "lives", seat, paid)
    if hand.is_dropped:
        yield from (one for one in hand.heard if one.what in _CHALLENGES)
        return
    yield from _told_of_end(hand)
    if hand.is_told_anew:
        yield from (one for one in hand.heard if one.what in _CHALLENGES)
        return
    yield from hand.heard
    yield from _told_of_knocks(hand)
    yield from _told_of_answers(hand)


def _told_of_end(hand: _Hand) -> Iterator[Count]:
    """Yield who won *hand*, and whose lives went to whom."""
    seq, winner = hand.seq, hand.winner
    for seat in hand.people:
        has_won = seat == winner
        yield Count(seq, "won", seat, has_won)
        yield Count(seq, "at-seat", seat, has_won, detail=str(seat.shown))
        if seat == hand.dealer:
            yield Count(seq, "dealing", seat, has_won)
        if seat in hand.poor:
            yield Count(seq, "armoede", seat, hand.paid[seat] <= 0)
        if winner is not None and not has_won and hand.shares[seat] > 0:
            yield Count(seq, "taken", seat, hand.shares[seat], against=winner)
            yield Count(seq, "milked", winner, hand.shares[seat], against=seat)


def _told_of_knocks(hand: _Hand) -> Iterator[Count]:
    for seat in hand.people:
        own = [knock for knock in hand.knocks if knock.seat == seat]
        yield Count(hand.seq, "knocks", seat, len(own))
        if any(knock.is_called for knock in own):
            yield Count(hand.seq, "caught", seat, seat != hand.winner)
    for knock in hand.knocks:
        is_last = knock is hand.knocks[-1]
        all_left = knock.is_folded_to and not knock.is_called
        has_stolen = is_last and all_left and hand.by_folds and hand.winner == knock.seat
        yield Count(hand.seq, "steal", knock.seat, has_stolen)


def _told_of_answers(hand: _Hand) -> Iterator[Count]:
    for one in hand.answers:
        yield Count(hand.seq, "answer", one.seat, one.folds, detail=one.question)
        what = "fold" if one.folds else "stay"
        yield Count(hand.seq, what, one.seat, hand.shares[one.seat], detail=one.question)
        if one.to is not None:
            yield Count(hand.seq, "folds-to", one.seat, one.folds, against=one.to)
        if one.is_brave is not None:
            yield Count(hand.seq, "courage", one.seat, one.is_brave)


def _told_of_rubber(rubber: _Rubber) -> Iterator[Count]:
    seq, won = rubber.seq, rubber.won
    for seat in rubber.people:
        yield Count(seq, "rubber", seat, seat in won.winners)
        if any(won.points):
            yield Count(seq, "points", seat, won.points[seat])
    for what, seats in (("crown", won.crowned), ("lijntoeper", won.lijntoeper)):
        yield from (Count(seq, what, seat) for seat in seats)
    behind = _behind(rubber)
    yield from (Count(seq, "comeback", seat, behind[seat]) for seat in won.winners)


def _behind(rubber: _Rubber) -> dict[Seat, int]:
    """Return by how many lives each was furthest behind the best of those who saw the end.

    The lives are counted back from what stood there in the end, hand by hand.
    """
    lost = dict(rubber.lost)
    furthest = dict.fromkeys(lost, 0)
    for hand in reversed(rubber.hands):
        best = min(lost.values())
        furthest = {seat: max(most, lost[seat] - best) for seat, most in furthest.items()}
        for now, then in hand.moved(rubber.people).items():
            lost[now] -= hand.paid[then]
    return furthest


def notes(game: object) -> Notes[_Hand]:
    """Return what gathers an evening of toepen, and counts it."""
    return _Notes(game)


def fold_value(own: Totals, table: Totals) -> tuple[float, int] | None:
    """Return what a fold was worth by somebody's *own* sums and the *table*'s, and on how many.

    It is worth what staying for that stake costs, less what the fold cost. What staying costs
    is the mean of the player's own stays and `OWN_STAYS` of the table's mean.
    """
    worth, n = 0.0, 0
    for (what, question), folds in own.items():
        if what == "fold" and (all_stays := table.get(("stay", question))):
            stays = own.get(("stay", question), _NONE)
            usual = OWN_STAYS * all_stays.value / all_stays.n
            worth += folds.n * (stays.value + usual) / (stays.n + OWN_STAYS) - folds.value
            n += folds.n
    return (worth / n, n) if n else None


DERIVED = {"fold-value": fold_value}
_NONE = Total()
_CHALLENGES = ("bluff", "challenge")
