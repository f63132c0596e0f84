"""What Watten counts for years: deals, raises, partners and games (docs/history.md has each).

A deal counts once it is over: a void one nowhere, one that a penalty ended in its points alone.
What is known of cards is what Blind Watten was told under seal, once that is open.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field

from kloplei.frozen import dataclass
from kloplei.games.cards import read_cards
from kloplei.games.game import Answered, Seat
from kloplei.games.statistics import (
    Count,
    Notes,
    Person,
    Played,
    Retold,
    Statistic,
    longest_runs,
)
from kloplei.games.watten import actions
from kloplei.games.watten.state import Phase, PlayedDeal, State, sides, tense_sides
from kloplei.games.watten.trick import PACK, Announced, Ranking

RETOLD = Retold(knocks_raise=True)
STATISTICS = (
    Statistic("hands", "hand", "cases", few=1, unit="hands"),
    Statistic("won", "won", "share", few=10, unit="share"),
    Statistic("streak", "streak", "most", few=1, unit="hands"),
    Statistic("drought", "drought", "most", few=1, unit="hands"),
    Statistic("points-a-hand", "points", "mean", few=10, unit="points"),
    Statistic("counted", "counted", "mean", few=10, unit="points"),
    Statistic("raises", "raises", "mean", few=10),
    Statistic("raised-off", "raised-off", "share", few=10, unit="share"),
    Statistic("raise-lost", "raise-lost", "share", few=10, unit="share"),
    Statistic("gives-up", "answer", "share", few=10, unit="share"),
    Statistic("gives-up-at", "answer", "share", few=5, unit="share", by_detail=True),
    Statistic("gives-up-to", "gives-up-to", "share", few=5, unit="share", is_against=True),
    Statistic("partner", "partner", "share", few=10, unit="share", is_against=True),
    Statistic("opponent", "opponent", "share", few=10, unit="share", is_against=True),
    Statistic("dealing", "dealing", "share", few=10, unit="share"),
    Statistic("at-seat", "at-seat", "share", few=10, unit="share", by_detail=True),
    Statistic("quickest", "answer-s", "least", few=5, unit="s"),
    Statistic("slowest", "answer-s", "most", few=5, unit="s"),
    Statistic("guate", "guate", "sum", few=1),
    Statistic("maschine", "maschine", "sum", few=1),
    Statistic("games", "game", "cases", few=1),
    Statistic("games-won", "game", "share", few=3, unit="share"),
    Statistic("doubled", "doubled", "sum", few=1),
    Statistic("gestrichen", "gestrichen", "share", few=3, unit="share"),
    Statistic("comeback", "comeback", "most", few=1, unit="points"),
)
_TO_ITS_END = ("tricks", "given-up", "maschine", "counted", "corrected")
_OF_GUATE = ("guate", "supergute")


@dataclass(slots=True)
class _Raise:
    seat: Seat
    is_answered: bool = False
    is_held: bool = False


@dataclass(slots=True)
class _Deal:
    """What is known of one deal; *points* stood on the slate when it was dealt.

    A penalty that came when it was over is one without *sides*.
    """

    seq: int
    dealer: Seat
    people: dict[Seat, Person]
    sides: tuple[tuple[Seat, ...], ...]
    tense: frozenset[Seat]
    points: tuple[int, ...]
    raises: list[_Raise] = field(default_factory=list)
    told: list[Count] = field(default_factory=list)  # of the answers
    how: str = ""
    winners: tuple[Seat, ...] = ()
    scored: int = 0
    moved: tuple[int, ...] = ()
    maschine: Seat | None = None
    guate: tuple[Seat, ...] = ()

    @property
    def is_whole(self) -> bool:
        return self.how in _TO_ITS_END


@dataclass(frozen=True, slots=True)
class _Game:
    seq: int
    won: actions.GameWon
    seats: tuple[Seat, ...]
    deals: tuple[_Deal, ...]
    alone: bool


class _Notes(Notes[_Deal]):
    """What happened in an evening of Watten."""

    def __init__(self, game: object) -> None:
        super().__init__(game)
        self.deal: _Deal | None = None
        self.deals: list[_Deal] = []
        self.of_game: dict[int, _Deal] = {}
        self.games: list[_Game] = []

    def _when_dealt(self, step: Played, event: actions.Dealt) -> None:
        state: State = step.after
        options = self.game.options
        tense = () if options.everyone_alone else tense_sides(options, state)
        self.deal = _Deal(
            *(step.seq, event.dealer, self.people.at(state.seats), sides(options, state)),
            tense=frozenset(seat for side in tense for seat in side),
            points=state.points,
        )

    def _when_raised(self, step: Played, event: actions.Raised) -> None:
        if self.deal:
            self._answer(step, event, event.seat, gives_up=False)
            self.deal.raises.append(_Raise(event.seat))

    def _when_held(self, step: Played, event: actions.Held) -> None:
        self._answer(step, event, event.seat, gives_up=False)

    def _answer(self, step: Played, event: Answered, seat: Seat, *, gives_up: bool) -> None:
        """Keep what *seat* said to a raise, if one is open that its side did not make itself."""
        deal, before = self.deal, step.before.deal
        if deal is None or step.before.phase is not Phase.ANSWERING or before.forced:
            return
        raiser = before.raiser
        if any(seat in side and raiser in side for side in deal.sides):
            return
        last = deal.raises[-1]
        last.is_answered, last.is_held = True, not gives_up
        deal.told.append(Count(step.seq, "answer", seat, gives_up, detail=str(before.proposed)))
        deal.told.append(Count(step.seq, "gives-up-to", seat, gives_up, against=raiser))
        if event.waited_s is not None:
            deal.told.append(Count(step.seq, "answer-s", seat, event.waited_s))

    def _when_deal_ended(self, step: Played, event: actions.DealEnded) -> None:
        if event.how == "given-up" and event.seat is not None:
            self._answer(step, event, event.seat, gives_up=True)
        deal, self.deal = self.deal, None
        if event.number == 1:
            self.of_game.clear()
        if not event.winners and event.how != "counted":
            return  # it was void
        if deal is None:
            # The penalty for a revoke that was found when the deal was over.
            people = self.people.at(step.before.seats)
            deal = _Deal(step.seq, step.before.dealer, people, (), frozenset(), step.before.points)
        deal.how, deal.winners, deal.scored = event.how, event.winners, event.scored
        deal.moved = event.moved
        deal.maschine = event.seat if event.how == "maschine" else None
        deal.guate = self._guate(step.after.deals[-1], players=len(deal.people))
        self.deals.append(deal)
        self.of_game[event.number] = deal

    def _guate(self, played: PlayedDeal, players: int) -> tuple[Seat, ...]:
        """Return who took a trick with the Guate, where the box was told all that it takes."""
        rank, suit = played.seal.rank, played.seal.suit
        if rank is None or suit is None:
            return ()
        ranking = Ranking(self.game.options, Announced(rank, suit))
        whole = [one for one in played.laid if len(one.cards) == players]
        judged = [(one.took, ranking.best(read_cards(one.cards, PACK)).why) for one in whole]
        return tuple(took for took, why in judged if why in _OF_GUATE)

    def _when_corrected(self, _: Played, event: actions.Corrected) -> None:
        if (deal := self.of_game.get(event.hand)) is not None:
            deal.how, deal.winners = "corrected", event.winners
            self.retold += 1

    def _when_deal_taken_back(self, step: Played, _: actions.DealTakenBack) -> None:
        if step.before.phase is Phase.GAME_OVER:
            del self.games[-1:]
        taken = self.of_game.pop(len(step.before.deals), None)
        self.deals = [deal for deal in self.deals if deal is not taken]

    def _when_game_won(self, step: Played, event: actions.GameWon) -> None:
        seats, deals = step.before.seats, tuple(self.of_game.values())
        alone = self.game.options.everyone_alone
        self.games.append(_Game(step.seq, event, seats, deals, alone))

    def _when_game_reopened(self, _: Played, __: actions.GameReopened) -> None:
        del self.games[-1:]

    def begin_slate(self) -> None:
        """Take note that the slate begins anew; what was over by then counts on."""
        self.deal = None
        self.of_game.clear()

    def finished(self) -> Iterable[_Deal]:
        """Return deals that are over."""
        return self.deals

    def of_hand(self, hand: _Deal) -> Iterator[Count]:
        """Yield what *hand* came to."""
        return _told_of(hand)

    def between(self) -> Iterable[object]:
        """Return games."""
        return self.games

    def of_evening(self) -> Iterator[Count]:
        """Yield runs and games."""
        for what, is_won in (("streak", True), ("drought", False)):
            course = (
                (who, (seat in deal.winners) is is_won, (deal.seq, seat))
                for deal in self.deals
                if deal.is_whole and deal.how != "counted"
                for seat, who in deal.people.items()
            )
            for run, (seq, seat) in longest_runs(course):
                yield Count(seq, what, seat, run)
        for game in self.games:
            yield from _told_of_game(game)


def _told_of(deal: _Deal) -> Iterator[Count]:
    if deal.how == "counted":
        for seat in deal.people:
            yield Count(deal.seq, "hand", seat)
            if deal.moved:
                yield Count(deal.seq, "counted", seat, deal.moved[seat])
        return
    for seat in deal.people:
        yield Count(deal.seq, "points", seat, deal.scored if seat in deal.winners else 0)
    if deal.is_whole:
        yield from deal.told
        yield from _told_of_end(deal)
        yield from _told_of_raises(deal)
        yield from (Count(deal.seq, "guate", seat) for seat in deal.guate)
        if deal.maschine is not None:
            yield Count(deal.seq, "maschine", deal.maschine)


def _told_of_end(deal: _Deal) -> Iterator[Count]:
    seq = deal.seq
    for seat in deal.people:
        has_won = seat in deal.winners
        yield Count(seq, "hand", seat)
        yield Count(seq, "won", seat, has_won)
        yield Count(seq, "at-seat", seat, has_won, detail=str(seat.shown))
        if seat == deal.dealer:
            yield Count(seq, "dealing", seat, has_won)
        own = next(side for side in deal.sides if seat in side)
        for other in deal.people:
            if other not in own:
                yield Count(seq, "opponent", seat, not has_won, against=other)
            elif other != seat:
                yield Count(seq, "partner", seat, has_won, against=other)


def _told_of_raises(deal: _Deal) -> Iterator[Count]:
    for seat in deal.people:
        own = [one for one in deal.raises if one.seat == seat]
        yield Count(deal.seq, "raises", seat, len(own))
        if any(one.is_held for one in own):
            yield Count(deal.seq, "raise-lost", seat, seat not in deal.winners)
    for one in deal.raises:
        if one.is_answered:
            yield Count(deal.seq, "raised-off", one.seat, not one.is_held)


def _told_of_game(game: _Game) -> Iterator[Count]:
    seq = game.seq
    for seat in game.seats:
        has_won = seat in game.won.winners
        yield Count(seq, "game", seat, has_won)
        if any(seat in deal.tense for deal in game.deals):
            yield Count(seq, "gestrichen", seat, has_won)
        if has_won:
            yield Count(seq, "comeback", seat, _behind(game, seat))
            if game.won.games > 1:
                yield Count(seq, "doubled", seat)


def _behind(game: _Game, seat: Seat) -> int:
    """Return by how many points *seat* was furthest behind when a deal of the *game* began."""
    most = 0
    for deal in (one for one in game.deals if one.sides):
        own, all_points = deal.points[seat], [deal.points[one] for one in game.seats]
        most = max(most, own - min(all_points) if game.alone else max(all_points) - own)
    return most


def notes(game: object) -> Notes[_Deal]:
    """Return what gathers an evening of Watten, and counts it."""
    return _Notes(game)
