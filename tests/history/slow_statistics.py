"""The counts of docs/history.md once more: slowly, by name, from what the journal tells alone.

Each number is worked out by itself from the hands of an evening, as its definition reads. Of the
states only the tally that stood on the slate is looked at. Nothing is shared with the games' own.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kloplei.games.statistics import Played

Told = dict[tuple[str, str, str, str | None], list[float]]
"""All values by what was counted, of which kind, whose it is, and whom it is about."""
Who = Callable[[int, Any], Any]


def name_of(step: Played) -> str:
    return type(step.event).__name__


@dataclass
class Question:
    """Somebody was asked, and what they said; *asker* had knocked, None asks for armoede."""

    player: str
    asker: str | None
    about: str
    folded: bool
    last_life: bool
    forced: bool = False


@dataclass
class Hand:
    steps: list[Any]
    end: Any
    before_end: dict[str, int] = field(default_factory=dict)  # challenges and songs
    folds: dict[str, int] = field(default_factory=dict)
    at_end: dict[str, int] = field(default_factory=dict)
    winner: str | None = None
    counts: bool = True
    anew: bool = False

    def of(self, name: str) -> list[Any]:
        return [step.event for step in self.steps if name_of(step) == name]

    @property
    def players(self) -> list[str]:
        return list(self.at_end)

    def paid(self, player: str) -> int:
        parts = (self.before_end, self.folds, self.at_end)
        return sum(part.get(player, 0) for part in parts)

    def share(self, player: str) -> int:
        return self.folds.get(player, 0) + self.at_end.get(player, 0)


def toepen_hands(played: Sequence[Played], who: Who) -> list[Hand]:
    """Return the hands that were finished, as they count after all corrections."""
    hands: list[Hand] = []
    rubber: dict[int, Hand] = {}
    steps: list[Played] = []
    for step in played:
        event: Any = step.event
        match name_of(step):
            case "Dealt":
                steps = [step]
            case "HandEnded":
                rubber = {} if event.number == 1 else rubber
                if event.how != "misdeal":
                    rubber[event.number] = _as_played([*steps, step], who)
                    hands.append(rubber[event.number])
                steps = []
            case "SlateWiped" | "RubberAbandoned":
                rubber, steps = {}, []
            case "Corrected" | "RevokeFound" if event.hand in rubber:
                _put_right(rubber[event.hand], step, who)
            case _ if steps:
                steps.append(step)
    return hands


def _as_played(steps: list[Any], who: Who) -> Hand:
    hand = Hand(steps, steps[-1])
    dealt, ended = steps[0], steps[-1]
    for step in steps:
        event: Any = step.event
        if name_of(step) == "Folded":
            hand.folds[who(step.seq, event.seat)] = event.n
        if name_of(step) in ("Challenged", "Sang"):
            loser = who(step.seq, event.loser if name_of(step) == "Challenged" else event.seat)
            hand.before_end[loser] = hand.before_end.get(loser, 0) + event.n
    for seat in dealt.event.in_hand:
        hand.at_end[who(dealt.seq, seat)] = ended.event.paid[seat]
    hand.winner = who(ended.seq, ended.event.winner)
    hand.counts = ended.event.how not in ("revoke", "out")
    return hand


def _put_right(hand: Hand, step: Any, who: Who) -> None:
    event: Any = step.event
    there = {who(step.seq, seat): seat for seat in step.after.seats}
    if getattr(event, "stayed", ()):
        stayed = {who(step.seq, seat) for seat in event.stayed}
        if not hand.folds and not hand.anew:
            # Nobody folded: what those had paid who were not in to the end passes for a fold, and
            # is told anew.
            at_the_end = {who(hand.end.seq, seat) for seat in hand.end.event.stayed}
            for player in there:
                if player in hand.at_end and player not in at_the_end:
                    hand.before_end.pop(player, None)
        hand.anew = True
        for player, seat in there.items():
            if player in hand.at_end:
                hand.folds[player] = 0 if player in stayed else event.folded[seat]
    for player, seat in there.items():
        if player in hand.at_end:
            hand.at_end[player] = event.paid[seat]
    is_revoke = name_of(step) == "RevokeFound"
    hand.winner = None if is_revoke else who(step.seq, event.winner)
    hand.counts = not is_revoke


def questions(hand: Hand, who: Who, most_lives: int, one_life: bool, leave: int) -> list[Question]:
    """Return everything that was asked in *hand*, in its order."""
    first: Any = hand.steps[0].event
    poor, stake = list(first.armoede), first.stake
    accepted = {seat: stake if seat in poor else 1 for seat in first.in_hand}
    asked: list[Any] = []
    asker: Any = None
    found = []
    for step in hand.steps[1:]:
        event: Any = step.event
        kind = name_of(step)
        if kind in ("Stayed", "Folded", "Knocked") and event.seat in asked:
            left = max(0, most_lives - step.before.lives_lost[event.seat])
            fold = leave if asker is None else 1 if one_life else accepted[event.seat]
            found.append(
                Question(
                    *(who(step.seq, event.seat), who(step.seq, asker)),
                    about="armoede" if asker is None else str(stake),
                    folded=kind == "Folded",
                    last_life=fold < left <= stake,
                    forced=getattr(event, "forced", False),
                )
            )
            asked.remove(event.seat)
        match kind:
            case "ExchangeClosed":
                asked = list(event.to_answer)
            case "ArmoedeSettled":
                stake = event.stake
                for seat in accepted:
                    if seat in event.armoede or not event.armoede:
                        accepted[seat] = stake
                asked = asked if event.armoede else []
            case "Stayed":
                accepted[event.seat] = event.stake
            case "Knocked":
                asked, asker, stake = list(event.to_answer), event.seat, event.stake
                accepted[asker] = stake
            case "WentOut" if event.seat in asked:
                asked.remove(event.seat)
    return found


def toepen(played: Sequence[Played], who: Who, options: Any) -> Told:
    """Return all that is counted of an evening of toepen."""
    told: Told = defaultdict(list)

    def note(what: str, player: Any, value: float, detail: str = "", against: Any = None) -> None:
        told[what, detail, player, against].append(float(value))

    house = options.max_lives, options.fold_price == "one_life", options.armoede_leave_cost
    hands = toepen_hands(played, who)
    for hand in hands:
        dealt: Any = hand.steps[0].event
        at = hand.steps[0].seq
        for player in hand.players:
            note("lives", player, hand.paid(player))
        for step in hand.steps:
            event: Any = step.event
            if name_of(step) == "Challenged":
                one, other = who(step.seq, event.of), who(step.seq, event.seat)
                note("bluff", one, event.found == "dirty")
                note("challenge", other, event.found == "dirty")
        if not hand.counts:
            continue
        poor = {who(at, seat) for seat in dealt.armoede}
        poor |= {who(at, s) for event in hand.of("ArmoedeSettled") for s in event.armoede}
        for seat in dealt.in_hand:
            player = who(at, seat)
            note("won", player, player == hand.winner)
            note("at-seat", player, player == hand.winner, detail=str(seat + 1))
            if seat == dealt.dealer:
                note("dealing", player, player == hand.winner)
            if player in poor:
                note("armoede", player, hand.paid(player) <= 0)
            if hand.winner and player != hand.winner and hand.share(player) > 0:
                note("taken", player, hand.share(player), against=hand.winner)
                note("milked", hand.winner, hand.share(player), against=player)
        if hand.anew:
            continue
        _note_ears(hand, who, note)
        _note_knocks(hand, who, note, questions(hand, who, *house))
    for wanted, what in ((True, "streak"), (False, "drought")):
        for player in {one for hand in hands for one in hand.players}:
            best = run = 0
            for hand in hands:
                if hand.counts and player in hand.players:
                    run = run + 1 if (player == hand.winner) is wanted else 0
                    best = max(best, run)
            if best:
                note(what, player, best)
    _note_rubbers(played, who, note)
    return told


def _note_ears(hand: Hand, who: Who, note: Callable[..., None]) -> None:
    asked: set[Any] = set()
    for step in hand.steps:
        event: Any = step.event
        kind = name_of(step)
        if kind == "Knocked" and event.strength is not None:
            note("loud", who(step.seq, event.seat), event.strength / 100)
        was_asked = kind in ("Stayed", "Folded", "Knocked") and event.seat in asked
        if was_asked and event.waited_s is not None:
            note("answer-s", who(step.seq, event.seat), event.waited_s)
        asked -= {event.seat} if kind in ("Stayed", "Folded", "WentOut") else set()
        if kind in ("Knocked", "ExchangeClosed"):
            asked = set(event.to_answer)
        if kind == "ArmoedeSettled" and not event.armoede:
            asked = set()


def _note_knocks(hand: Hand, who: Who, note: Callable[..., None], asked: list[Question]) -> None:
    for one in (one for one in asked if not one.forced):
        note("answer", one.player, one.folded, detail=one.about)
        what = "fold" if one.folded else "stay"
        note(what, one.player, hand.share(one.player), detail=one.about)
        if one.asker:
            note("folds-to", one.player, one.folded, against=one.asker)
        if one.last_life:
            note("courage", one.player, not one.folded)
    knocked = [(who(hand.end.seq, event.seat), str(event.stake)) for event in hand.of("Knocked")]
    for player in hand.players:
        note("knocks", player, [one for one, _ in knocked].count(player))
    called = {one.asker for one in asked if not one.folded and one.asker}
    for player in called:
        note("caught", player, player != hand.winner)
    end: Any = hand.end.event
    for player, stake in knocked:
        answers = [one for one in asked if one.asker == player and one.about == stake]
        stolen = bool(answers) and all(one.folded for one in answers)
        was_last = (player, stake) == knocked[-1]
        note("steal", player, stolen and was_last and end.how == "folds" and hand.winner == player)


def _note_rubbers(played: Sequence[Played], who: Who, note: Callable[..., None]) -> None:
    ended: list[tuple[Any, int]] = []
    for at, step in enumerate(played):
        event: Any = step.event
        if name_of(step) == "RubberWon":
            ended.append((step, at))
        if name_of(step) == "RubberReopened":
            ended.pop()
        if name_of(step) == "Drank" and event.into:
            note("paid-in", who(step.seq, event.seat), event.chips)
        elif name_of(step) == "Drank":
            note("bought", who(step.seq, event.seat), 1)
            for seat in step.before.seats:
                if seat != event.seat:
                    note("drunk", who(step.seq, seat), 1)
    for step, at in ended:
        event = step.event
        seats = step.before.seats
        winners = [who(step.seq, seat) for seat in event.winners]
        for seat in seats:
            note("rubber", who(step.seq, seat), seat in event.winners)
            if any(event.points):
                note("points", who(step.seq, seat), event.points[seat])
        for what, bearers in (("crown", event.crowned), ("lijntoeper", event.lijntoeper)):
            for seat in bearers:
                note(what, who(step.seq, seat), 1)
        tally = {who(step.seq, seat): step.before.lives_lost[seat] for seat in seats}
        for winner in winners:
            note("comeback", winner, _behind(winner, tally, _hands_of(played, at, who)))


def _hands_of(played: Sequence[Played], end: int, who: Who) -> list[Hand]:
    """Return the hands of the rubber that ends there, as they count before the slate is wiped."""
    since = 0
    for at, step in enumerate(played[:end]):
        if name_of(step) in ("SlateWiped", "RubberAbandoned"):
            since = at
    until = next((at for at, s in enumerate(played) if at > end and name_of(s) == "SlateWiped"), -1)
    until = len(played) if until < 0 else until
    numbers: dict[int, Hand] = {}
    for hand in toepen_hands(played[since:until], who):
        if hand.end.seq < played[end].seq:
            numbers = {} if hand.end.event.number == 1 else numbers
            numbers[hand.end.event.number] = hand
    return list(numbers.values())


def _behind(player: str, tally: dict[str, int], hands: list[Hand]) -> int:
    most = 0
    for left_out in range(len(hands)):
        later = hands[len(hands) - left_out :]
        then = {
            one: lost - sum(hand.paid(one) for hand in later if one in hand.players)
            for one, lost in tally.items()
        }
        most = max(most, then[player] - min(then.values()))
    return most
