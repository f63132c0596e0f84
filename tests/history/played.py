"""Evenings that nobody played: legal steps by dice, with corrections and people who come and go."""

import random
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from kloplei.demo.bots import next_tarok_press
from kloplei.games.game import Action, Answered, Event, Facts, IllegalAction, Seat
from kloplei.games.statistics import Played
from kloplei.games.toepen import actions as toepen
from kloplei.table import actions as table
from kloplei.table.client import BadRequest
from kloplei.table.seating import Seating, TableSetup, TableState

OFTEN: Mapping[str, float] = {
    **dict.fromkeys(("deal", "drink"), 6),
    "knock": 4,
    "card": 25,
    **dict.fromkeys(("trick", "stay", "challenge"), 3),
    **dict.fromkeys(("fold", "exchange"), 2),
    **dict.fromkeys(("ready", "correct"), 0.3),
    **dict.fromkeys(("sing", "misdeal", "revoke", "amend", "chalk"), 0.25),
    **dict.fromkeys(("whistle", "stand", "payout", "won_before", "four", "jack"), 0.1),
}
"""How often what may be done is done, beside all else; what is missing counts 1."""
_ANEW = 0.1


@dataclass
class Evening:
    """What was *played*, and who sat where at each number of the journal."""

    game: Any
    played: list[Played] = field(default_factory=list)
    names: list[dict[Seat, str]] = field(default_factory=list)

    def who(self, seq: int, seat: Seat | None) -> str | None:
        """Return whoever had *seat* at *seq*."""
        return None if seat is None else self.names[seq][seat]

    @property
    def events(self) -> list[tuple[int, Event]]:
        return [(step.seq, step.event) for step in self.played]


class Dice:
    """Plays evenings of *game*.

    Args:
        game: Its name.
        preset: Its house rules, with *options* on top.
        seed: The same one plays the same evening.
        moves: How often, of all steps, somebody tries to come, go or change places.
    """

    def __init__(
        self,
        game: str,
        preset: str | None,
        options: Mapping[str, object],
        seed: int = 0,
        moves: float = 0.05,
    ) -> None:
        self.moves = moves
        self.random = random.Random(f"{game} {preset} {seed}")
        self.seating = Seating(TableSetup(game=game, preset=preset, options=options, wall=None))
        chosen = table.house_rules(options)
        self.state = TableState(game, preset, chosen)
        self.guests = 0
        self.heard: dict[str, Any] | None = None  # how it was knocked, if not at random
        self.evening = Evening(self.seating.game(self.state))

    def play(self, players: int, steps: int) -> Evening:
        """Return an evening of so many *steps* that *players* began."""
        for seat in range(players):
            self._come(Seat(seat))
        self.begin(Seat(0))
        for _ in range(steps):
            if self.random.random() < self.moves:
                self._move()
            self._step()
        return self.evening

    def begin(self, dealer: Seat) -> None:
        """Let *dealer* deal first."""
        self._tell(self.seating.decide(self.state, table.Start(dealer=dealer)))

    def ask(self, name: str, seat: Seat | None, facts: Facts) -> None:
        """Let what is asked for by its *name* happen, with what is said along."""
        game = self.evening.game
        action = table.asked(game.actions, name, seat, facts, seats=8)
        self._tell(game.decide(self.state.play, action))

    def _step(self) -> None:
        game = self.evening.game
        if game.name == "tarok":
            self._tell_tarok()
            return
        legal: dict[str, list[Action]] = {}
        for action in game.legal_actions(self.state.play):
            legal.setdefault(action.name, []).append(action)
        names = sorted(legal)
        (name,) = self.random.choices(names, [OFTEN.get(one, 1) for one in names])
        action = self.random.choice(sorted(legal[name], key=lambda one: str(one.said)))
        try:
            self._tell(game.decide(self.state.play, self._otherwise(action)))
        except IllegalAction:  # an open field that was filled in at random
            self._tell(game.decide(self.state.play, action))

    def _tell_tarok(self) -> None:
        """Tell a hand as bots do, and now and then an older one anew."""
        board = self.evening.game.scoreboard(self.state.play)
        if board.hands and not self.state.play.entries and self.random.random() < _ANEW:
            name, seat, facts = "reopen", None, {"hand": self.random.choice(board.hands).number}
        elif (press := next_tarok_press(board, self.random)) is None:
            return
        else:
            name, seat, facts = press.action, press.seat, dict(press.facts)
        with suppress(IllegalAction, BadRequest):
            self.ask(name, seat, facts)

    def _otherwise(self, action: Action) -> Action:
        if isinstance(action, toepen.Amend):
            stake = self.random.randint(1, 5)
            told = [
                self.random.choice((-1, 1, price)) if price >= 0 else -1 for price in action.folded
            ]
            return replace(action, stake=stake, folded=tuple(told))
        return action

    def _move(self) -> None:
        """Let somebody come, go, or change places, if they may."""
        seat, of = self.random.sample([Seat(n) for n in range(8)], 2)
        taken = seat in self.state.names
        asked: Action = table.SitDown(seat, self._guest())
        if taken:
            asked = self.random.choice((table.Swap(seat, of), table.StandUp(seat)))
        try:
            self._tell(self.seating.decide(self.state, asked))
        except IllegalAction:
            return

    def _come(self, seat: Seat) -> None:
        self.sit_down(seat, self._guest())

    def sit_down(self, seat: Seat, name: str) -> None:
        """Let *name* sit down."""
        self._tell(self.seating.decide(self.state, table.SitDown(seat, name)))

    def _guest(self) -> str:
        self.guests += 1
        return f"Gast {self.guests}"

    def _tell(self, events: Iterable[Event]) -> None:
        for event in events:
            happened = self._as_heard(event)
            before = self.state
            self.state = self.seating.apply(before, happened)
            if not self.evening.names:
                self.evening.names.append({})
            seq = len(self.evening.names)
            self.evening.played.append(Played(seq, happened, before.play, self.state.play))
            # Who left is still meant by the entry that tells it.
            self.evening.names.append({**before.names, **self.state.names})

    def _as_heard(self, event: Event) -> Event:
        if not isinstance(event, Answered) or not event.is_answer:
            return event
        return replace(event, **(self._at_random() if self.heard is None else self.heard))

    def _at_random(self) -> dict[str, Any]:
        strength = self.random.choice((None, self.random.randint(0, 100)))
        waited = self.random.choice((None, round(self.random.uniform(0.5, 30), 1)))
        return {"strength": strength, "waited_s": waited}


def as_asked(told: Mapping[str, Any]) -> Evening:
    """Return the evening that is *told* by its steps: whose it is, what they ask for, and facts."""
    dice = Dice(told["game"], told.get("preset"), told.get("options", {}))
    seats = {name: Seat(number) for name, number in told["players"].items()}
    for name, seat in seats.items():
        dice.sit_down(seat, name)
    dice.begin(seats[told["dealer"]])
    for step in told["steps"]:
        *who, name, facts = step if isinstance(step[-1], dict) else (*step, {})
        said = {fact: seats.get(value, value) for fact, value in facts.items()}
        dice.heard = {one: said.pop(one) for one in ("strength", "waited_s") if one in said}
        dice.ask(name, seats[who[0]] if who else None, said)
    return dice.evening
