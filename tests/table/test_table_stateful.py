"""Anything may happen in any order, and the table keeps its word.

Random knocks, clear and doubtful, presses, phone actions, undo, redo, power cuts and full
disks, on Toy and on toepen: what stands is what the journal tells, numbers only grow, a
refusal leaves no trace, and no more does what nobody has said yes to.
"""

from collections.abc import Mapping
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kloplei.games.catalogue import build_game
from kloplei.games.game import IllegalAction, Seat
from kloplei.games.scoreboard import Offer, Scoreboard
from kloplei.knock import KnockHeard
from kloplei.knock.judgement import Struck
from kloplei.table.client import BadRequest, TableUnavailable
from kloplei.table.core import CLOSE_S
from kloplei.table.messages import ButtonPressed, ButtonReleased, Message
from tests.examples import examples
from tests.table.seated import FullDisk, Tabletop, told
from tests.table.toy import build_toy

SEATS = 4
places = st.integers(0, SEATS - 1).map(Seat)
moments = st.sampled_from([0.01, 0.1, 0.3, 0.6, 1.0, 3.5, 21.0])
TYPED: Mapping[str, st.SearchStrategy[object]] = {
    "name": st.sampled_from(["Thijs", "Tame", "Thomas", "Stan", " ", "x" * 21])
}


class AnyEvening(RuleBasedStateMachine):
    """Toy is quick and has a rule with a bug; `ToepenEvening` plays the real thing."""

    settings: Mapping[str, Any] = {"build": build_toy, "game": "toy", "preset": None}

    @initialize(players=st.sampled_from([0, 3, 4]))
    def come_in(self, players: int) -> None:
        self.disk = FullDisk()
        self.tabletop = Tabletop(self.disk, seats=SEATS, **self.settings)
        self.seq = 0
        if players:
            self.tabletop.start(*range(1, players + 1)).ask(1, "deal")

    @property
    def board(self) -> Scoreboard:
        return self.tabletop.board

    @rule(seat=places | st.none(), times=st.integers(1, 7))
    def knock(self, seat: Seat | None, times: int) -> None:
        for _ in range(times):
            now_s = self.tabletop.now_s
            self.faulty(lambda now_s=now_s: self.handle(KnockHeard(seat, 0.5, now_s)))
            self.wait(0.1)

    @rule(seat=places | st.none(), doubts=st.lists(st.booleans(), min_size=1, max_size=5))
    def knock_more_or_less_clearly(self, seat: Seat | None, doubts: list[bool]) -> None:
        for doubtful in doubts:
            knock = KnockHeard(seat, 0.5, self.tabletop.now_s, doubtful)
            self.faulty(lambda knock=knock: self.handle(knock))
            self.wait(0.1)

    @precondition(lambda self: self.board.heard is None and self.board.grace is None)
    @rule(seat=places | st.none(), times=st.integers(1, 7))
    def doubtful_knocks_alone_do_nothing(self, seat: Seat | None, times: int) -> None:
        before = self.board

        for _ in range(times):
            self.handle(KnockHeard(seat, 0.5, self.tabletop.now_s, doubtful=True))
            self.tabletop.wait(0.1)
        self.tabletop.wait(0.5)

        assert told(self.board) == told(before)
        assert self.board.seq == before.seq == self.disk.last_seq

    @precondition(lambda self: self.board.doubt is not None and self.board.heard is None)
    @rule(by=places)
    def one_knock_says_yes(self, by: Seat) -> None:
        """Whoever gives it, what comes of it is what was in doubt."""
        self.wait(CLOSE_S)  # or it is one knock more of fingers that drum, which say nothing
        asked, doubt = self.board, self.board.doubt
        if doubt is None or asked.heard is not None:
            return  # time was up, or what was not heard before is
        if asked.grace is not None and asked.grace.seat != by:
            return  # that is an objection, at once
        self.handle(KnockHeard(by, 0.5, self.tabletop.now_s))
        self.faulty(lambda: self.tabletop.wait(0.5))

        assert self.board.doubt != doubt
        if self.board.seq != asked.seq and doubt.seat is not None and asked.grace is None:
            assert self.tabletop.table.log(1)[0].seat == doubt.seat

    @rule()
    def move_the_wood(self) -> None:
        self.handle(Struck(self.tabletop.now_s, 0.5))
        assert self.board.seq == self.seq

    @rule(seat=places, down_s=moments)
    def press(self, seat: Seat, down_s: float) -> None:
        self.handle(ButtonPressed(seat, self.tabletop.now_s))
        self.wait(down_s)
        self.faulty(lambda: self.handle(ButtonReleased(seat, self.tabletop.now_s)))

    @rule(seconds=moments)
    def wait(self, seconds: float) -> None:
        self.faulty(lambda: self.tabletop.wait(seconds))

    @rule(choice=st.data(), late=st.integers(0, 2))
    def take_an_offer(self, choice: st.DataObject, late: int) -> None:
        """Whatever is offered is granted, unless somebody else was quicker."""
        found: list[tuple[Seat | None, Offer]] = [(None, offer) for offer in self.board.offers]
        found += [(row.seat, offer) for row in self.board.rows for offer in row.offers]
        seat, offer = choice.draw(st.sampled_from(found))
        facts: dict[str, object] = {
            name: choice.draw(st.sampled_from(sorted(values)))  # type: ignore[type-var]
            for name, values in offer.choices.items()
            if values
        }
        missing = [need for need in offer.needs if need not in facts]
        facts |= {need: choice.draw(TYPED[need]) for need in missing}
        grace = self.board.grace
        refusal = self.ask(seat, offer.action, facts, seen=self.board.seq - late)
        if missing or late or self.disk.full or grace or offer.action == "it_was_me":
            return
        # Each fact is legal; not all of them together need be.
        assert refusal is None or len(facts) > 1, (offer, facts, refusal)

    @rule(seat=places | st.none(), action=st.data())
    def ask_anything(self, seat: Seat | None, action: st.DataObject) -> None:
        names = ["undo", "redo", "start", "stand_up", "wipe", "new_evening", "deal", "fly"]
        self.ask(seat, action.draw(st.sampled_from(names)), {})

    @rule(steps=st.integers(1, 6))
    def undo(self, steps: int) -> None:
        self.ask(None, "undo", {"steps": steps})

    @rule(steps=st.integers(1, 6))
    def redo(self, steps: int) -> None:
        self.ask(None, "redo", {"steps": steps})

    @rule()
    def undo_and_redo_are_opposites(self) -> None:
        before = self.board
        if self.ask(None, "undo", {}) is None:
            assert self.ask(None, "redo", {}) is None
            assert same_table(self.board, before)

    @rule()
    def cut_the_power(self) -> None:
        after = Tabletop(self.disk, seats=SEATS, **self.settings)
        assert told(after.board) == told(self.board)
        assert after.table.log(500) == self.tabletop.table.log(500)
        self.disk.refused_last = False  # the new table will find out by itself
        after.now_s = self.tabletop.now_s
        self.tabletop = after

    @precondition(lambda self: not self.disk.full)
    @rule()
    def fill_the_disk(self) -> None:
        self.disk.full = True

    @precondition(lambda self: self.disk.full)
    @rule()
    def make_room(self) -> None:
        self.disk.full = False

    @invariant()
    def numbers_only_grow(self) -> None:
        assert self.board.seq >= self.seq
        assert self.board.seq == self.disk.last_seq
        self.seq = self.board.seq

    @invariant()
    def what_is_in_doubt_can_be_settled(self) -> None:
        answers = {one.action for one in self.board.offers} & {"accept_knock", "dismiss_knock"}
        assert len(answers) == (2 if self.board.doubt else 0)
        if self.board.doubt:
            assert 0 <= self.board.doubt.sure < self.board.doubt.knocks
            left_s = self.board.doubt.until_s - self.tabletop.now_s
            assert 0 <= left_s <= self.board.doubt.total_s

    @invariant()
    def a_full_disk_is_never_kept_secret(self) -> None:
        assert self.disk.refused_last == any(
            line.key == "notice.journal" for line in self.board.notices
        )

    def handle(self, message: Message) -> None:
        self.tabletop.table.handle(message, self.tabletop.now_s)

    def faulty(self, do: Any) -> None:
        """Let the rule with the bug raise, as the session does; it may not change anything."""
        seq = self.disk.last_seq
        try:
            do()
        except ZeroDivisionError:
            assert self.disk.last_seq == seq

    def ask(
        self, seat: Seat | None, action: str, facts: Mapping[str, object], **more: Any
    ) -> Exception | None:
        """Ask, and see that a refusal leaves no trace."""
        self.faulty(lambda: self.tabletop.wait(0))
        before, table = self.board, self.tabletop.table
        try:
            seq = table.submit(seat, action, now_s=self.tabletop.now_s, facts=facts, **more)
        except (IllegalAction, BadRequest, TableUnavailable) as refusal:
            assert told(self.board) == told(before)
            return refusal
        assert seq == self.board.seq
        return None


class ToepenEvening(AnyEvening):
    """The same with the real rules."""

    settings: Mapping[str, Any] = {"build": build_game, "game": "toepen", "preset": "kroeg"}


def same_table(one: Scoreboard, other: Scoreboard) -> bool:
    ours, theirs = told(one), told(other)
    return all(ours[name] == theirs[name] for name in ours if name not in ("seq", "news", "offers"))


# Explaining a failure traces every line on 3.11, which takes minutes.
few = settings(
    max_examples=examples(25),
    stateful_step_count=30,
    deadline=None,
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
TestAnyEvening = AnyEvening.TestCase
TestAnyEvening.settings = few
TestToepenEvening = ToepenEvening.TestCase
TestToepenEvening.settings = few
