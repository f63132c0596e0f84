"""What happens when an action is done at a table of Tarok: the events that follow (§ 9)."""

from collections.abc import Mapping
from typing import ClassVar

from kloplei.games.game import Action, Event, Seat
from kloplei.games.tarok import actions
from kloplei.games.tarok.actions import PointsCounted, ResultTold, entry_of
from kloplei.games.tarok.apply import Course
from kloplei.games.tarok.booking import deal, share_out, write_down
from kloplei.games.tarok.consistency import ALL_POINTS
from kloplei.games.tarok.telling import Standing


class Decision(Course):
    """What comes of one action that is legal, told event by event."""

    grants: ClassVar[Mapping[str, type[Event]]] = {
        "sit_out": actions.SitterChosen,
        "pass": actions.Passed,
        "reopen": actions.HandReopened,
        "new_game": actions.SlateWiped,
    }

    def follow(self, action: Action) -> None:
        """Tell what comes of *action*, which is legal; what is an entry is written down as told."""
        entry = entry_of(action)
        if entry is None:
            super().follow(action)
            return
        self.tell(entry)
        if isinstance(entry, PointsCounted):
            self._count_the_rest()

    def _do_deal(self) -> None:
        deal(self, self.state.dealer, self.state.sits_out)

    def _do_take_back(self, number: int) -> None:
        """Take back that entry; of card points that are known for all, those of all three."""
        entries = self.state.entries
        taken = [number]
        counted = [at for at, one in enumerate(entries, 1) if isinstance(one, PointsCounted)]
        if number in counted and len(counted) == len(self.state.active):
            taken = counted
        for one in reversed(taken):  # those above it move down
            self.tell(actions.EntryTakenBack(one))

    def _do_result(self, amounts: tuple[int, ...], king: int, pagat: int) -> None:
        state = self.state
        if state.hand.result is not None:
            self.tell(actions.EntryTakenBack(state.entries.index(state.hand.result) + 1))
        by_seat = dict(zip(sorted(state.seats), amounts, strict=True))
        told = tuple(by_seat.get(Seat(n), 0) for n in range(len(state.scores)))
        self.tell(ResultTold(told, king, pagat))
        write_down(self)

    def _do_book(self) -> None:
        write_down(self)

    def _do_settle(self) -> None:
        share_out(self)
        state = self.state
        best = max(state.scores[seat] for seat in state.seats)
        won = (seat for seat in sorted(state.seats) if state.scores[seat] == best > 0)
        self.tell(actions.EveningSettled(tuple(won)))

    def _count_the_rest(self) -> None:
        """Tell the third player's card points as well: they are what the other two leave."""
        hand = self.state.hand
        missing = [seat for seat in hand.active if seat not in hand.points]
        left = ALL_POINTS - sum(points or 0 for points in hand.points.values())
        if len(missing) != 1 or left < 0:
            return
        rest = PointsCounted(missing[0], left)
        if Standing(self.options, hand).takes(rest):
            self.tell(rest)
