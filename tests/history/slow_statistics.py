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


def watten(played: Sequence[Played], who: Who, options: Any) -> Told:
    """Return all that is counted of an evening of Watten."""
    told: Told = defaultdict(list)

    def note(what: str, player: Any, value: float, detail: str = "", against: Any = None) -> None:
        told[what, detail, player, against].append(float(value))

    games = _watten_games(played)
    runs: dict[Any, list[bool]] = defaultdict(list)
    for deals, _ in games:
        for deal in deals:
            _note_deal(deal, who, options, note, runs)
    for player, course in runs.items():
        for wanted, what in ((True, "streak"), (False, "drought")):
            text = "".join("x" if one is wanted else " " for one in course)
            if longest := max(map(len, text.split()), default=0):
                note(what, player, longest)
    for deals, won in games:
        if won is not None:
            _note_game(deals, won, who, options, note)
    return told


def _watten_games(played: Sequence[Played]) -> list[tuple[list[list[Any]], Any]]:
    """Return the deals of each game that count, as lists of steps, and who won it if anybody did.

    The last step of a deal is its end; a correction of it stands behind that.
    """
    games: list[list[Any]] = [[[], None]]
    steps: list[Any] = []
    for step in played:
        event: Any = step.event
        deals = games[-1][0]
        match name_of(step):
            case "Dealt":
                steps = [step]
            case "DealEnded":
                if event.winners or event.how == "counted":
                    deals.append([*steps, step])
                steps = []
            case "DealTakenBack":
                number = len(step.before.deals)
                games[-1][0] = [one for one in deals if _end(one).event.number != number]
                games[-1][1] = None
            case "Corrected":
                for deal in deals:
                    if _end(deal).event.number == event.hand:
                        deal.append(step)
            case "GameWon":
                games[-1][1] = step
            case "GameReopened":
                games[-1][1] = None
            case "SlateWiped" | "RubberAbandoned":
                games.append([[], None])
                steps = []
            case _ if steps:
                steps.append(step)
    return [(deals, won) for deals, won in games]


def _end(deal: list[Any]) -> Any:
    return next(step for step in deal if name_of(step) == "DealEnded")


def _sides(order: Sequence[Any], dealer: Any, options: Any) -> list[list[Any]]:
    if options.variant == "bohemian" or len(order) == 2:
        return [[seat] for seat in order]
    if len(order) == 4:
        return [[order[0], order[2]], [order[1], order[3]]]
    alone = order[(order.index(dealer) + 1) % len(order)]
    return [[alone], [seat for seat in order if seat != alone]]


def _note_deal(
    deal: list[Any], who: Who, options: Any, note: Callable[..., None], runs: Any
) -> None:
    end = _end(deal)
    at, event = deal[0].seq, end.event
    order = list(end.before.seats)
    names = {seat: who(at, seat) for seat in order}
    if event.how == "counted":
        for seat, player in names.items():
            note("hand", player, 1)
            note("counted", player, event.moved[seat])
        return
    corrected = [step.event.winners for step in deal if name_of(step) == "Corrected"]
    winners = corrected[-1] if corrected else event.winners
    for seat, player in names.items():
        note("points", player, event.scored if seat in winners else 0)
    if event.how not in ("tricks", "given-up", "maschine"):
        return
    sides = _sides(order, deal[0].event.dealer, options)
    for side in sides:
        for seat in side:
            player, won = names[seat], seat in winners
            note("hand", player, 1)
            note("won", player, won)
            runs[player].append(won)
            note("at-seat", player, won, detail=str(seat + 1))
            if seat == deal[0].event.dealer:
                note("dealing", player, won)
            for other in order:
                if other not in side:
                    note("opponent", player, not won, against=names[other])
                elif other != seat:
                    note("partner", player, won, against=names[other])
    if event.how == "maschine":
        note("maschine", names[event.seat], 1)
    _note_raises(deal, names, winners, sides, note)
    _note_guate(deal, names, options, note)


def _note_raises(
    deal: list[Any], names: Any, winners: Any, sides: list[list[Any]], note: Callable[..., None]
) -> None:
    asking: Any = None  # the raise that is open
    held: set[Any] = set()
    for step in deal:
        event: Any = step.event
        kind = name_of(step)
        answers = kind in ("Raised", "Held") or (kind == "DealEnded" and event.how == "given-up")
        if answers and asking and not any({event.seat, asking.seat} <= {*s} for s in sides):
            gave_up = kind == "DealEnded"
            note("answer", names[event.seat], gave_up, detail=str(asking.proposed))
            note("gives-up-to", names[event.seat], gave_up, against=names[asking.seat])
            note("raised-off", names[asking.seat], gave_up)
            if event.waited_s is not None:
                note("answer-s", names[event.seat], event.waited_s)
            held |= set() if gave_up else {asking.seat}
        if kind in ("Raised", "Held"):
            asking = event if kind == "Raised" else None
    raised = [step.event.seat for step in deal if name_of(step) == "Raised"]
    for seat, player in names.items():
        note("raises", player, raised.count(seat))
        if seat in held:
            note("raise-lost", player, seat not in winners)


def _note_guate(deal: list[Any], names: Any, options: Any, note: Callable[..., None]) -> None:
    """Note who took a trick with the card above the Schlag, or above that one (supergute)."""
    sealed = {name_of(s): s.event for s in deal if name_of(s) in ("SchlagSealed", "TrumpSealed")}
    if len(sealed) < 2 or options.variant != "blind" or sealed["SchlagSealed"].rank == "6":
        return
    ranks = ["7", "8", "9", "10", "J", "Q", "K", "A"]
    rank, suit = sealed["SchlagSealed"].rank, sealed["TrumpSealed"].suit
    best = ranks[(ranks.index(rank) + 1) % 8]
    for step in deal:
        if name_of(step) == "TrickTaken" and len(step.event.cards) == len(names):
            order = deal[0].after.seats
            lead = step.before.deal.lead
            if f"{suit}{best}" in step.event.cards:
                place = step.event.cards.index(f"{suit}{best}")
                player = order[(order.index(lead) + place) % len(order)]
                note("guate", names[player], 1)


def _note_game(
    deals: list[list[Any]], won: Any, who: Who, options: Any, note: Callable[..., None]
) -> None:
    order = list(won.before.seats)
    alone = options.variant == "bohemian"
    near = options.target - 2 if options.lock is None else options.lock
    every = options.three_player_pair_lock == "both of them"
    dealt = [deal[0] for deal in deals if name_of(deal[0]) == "Dealt"]
    for seat in order:
        player = who(won.seq, seat)
        note("game", player, seat in won.event.winners)
        tense = False
        behind = 0
        for step in dealt:
            points = step.before.points
            (side,) = (s for s in _sides(order, step.event.dealer, options) if seat in s)
            close = [points[one] >= near for one in side]
            tense = tense or (not alone and (all(close) if every else any(close)))
            others = [points[one] for one in order]
            lag = points[seat] - min(others) if alone else max(others) - points[seat]
            behind = max(behind, lag)
        if tense:
            note("gestrichen", player, seat in won.event.winners)
        if seat in won.event.winners:
            note("comeback", player, behind)
            if won.event.games == 2:
                note("doubled", player, 1)


def eenendertigen(played: Sequence[Played], who: Who, options: Any) -> Told:
    """Return all that is counted of an evening of eenendertigen."""
    told: Told = defaultdict(list)

    def note(what: str, player: Any, value: float, detail: str = "", against: Any = None) -> None:
        told[what, detail, player, against].append(float(value))

    rubber: dict[int, dict[str, Any]] = {}
    hands: list[dict[str, Any]] = []
    hand: dict[str, Any] = {}
    ended: list[Any] = []
    for step in played:
        event: Any = step.event
        match name_of(step):
            case "Dealt":
                players = {who(step.seq, seat): seat for seat in event.in_hand}
                swim = options.lives if options.swim else 10**6
                wet = [one for one, seat in players.items() if step.before.lives_lost[seat] >= swim]
                hand = {"wet": wet, "laid": None, "knocker": None, "loud": None}
                hand["paid"] = dict.fromkeys(players, 0)
            case "Knocked":
                hand["knocker"], hand["loud"] = who(step.seq, event.seat), event.strength
            case "LaidOpen":
                hand["laid"] = who(step.seq, event.seat), event.holds
            case "HandEnded" if hand and event.how != "misdeal":
                rubber = {} if event.number == 1 else rubber
                hand["lowest"] = event.how == "lowest"
                if event.how not in ("lowest", "equal"):
                    hand["laid"] = who(step.seq, event.seat), event.how
                for seat in step.before.in_hand:
                    hand["paid"][who(step.seq, seat)] = event.paid[seat]
                rubber[event.number] = hand
                hands.append(hand)
            case "Tied" if event.hand in rubber:
                rubber[event.hand]["paid"][who(step.seq, event.seat)] = event.n
            case "Corrected" if event.hand in rubber:
                rubber[event.hand]["lowest"] = True
                for seat in step.after.seats:
                    if who(step.seq, seat) in rubber[event.hand]["paid"]:
                        rubber[event.hand]["paid"][who(step.seq, seat)] = event.paid[seat]
            case "RubberWon":
                ended.append(step)
            case "RubberReopened":
                ended.pop()
            case "SlateWiped" | "RubberAbandoned":
                rubber = {}
            case "Drank":
                note("bought", who(step.seq, event.seat), 1)
                for seat in step.before.seats:
                    if seat != event.seat:
                        note("drunk", who(step.seq, seat), 1)
    for one in hands:
        _note_lives(one, note)
    for player in {one for hand in hands for one in hand["paid"]}:
        course = "".join(
            "x" if not h["paid"][player] else " " for h in hands if player in h["paid"]
        )
        if longest := max(map(len, course.split()), default=0):
            note("streak", player, longest)
    for step in ended:
        for seat in step.before.seats:
            note("rubber", who(step.seq, seat), seat == step.event.winner)
        left = step.before.lives_lost[step.event.winner]
        note("narrowest", who(step.seq, step.event.winner), left)
    return told


def _note_lives(hand: dict[str, Any], note: Callable[..., None]) -> None:
    cause = hand["knocker"]
    if hand["laid"] and not hand["lowest"]:
        cause = hand["laid"][0]
    for player, paid in hand["paid"].items():
        note("hand", player, 1)
        note("lives", player, paid)
        note("lowest", player, hand["lowest"] and paid > 0)
        note("knocked", player, player == hand["knocker"])
        if player in hand["wet"]:
            note("swimming", player, paid == 0)
        if cause and cause != player and paid:
            note("taken", player, paid, against=cause)
            note("milked", cause, paid, against=player)
    if hand["knocker"]:
        note("caught", hand["knocker"], hand["lowest"] and hand["paid"][hand["knocker"]] > 0)
        if hand["loud"] is not None:
            note("loud", hand["knocker"], hand["loud"] / 100)
    if hand["laid"]:
        note("laid", hand["laid"][0], 1, detail=hand["laid"][1])


def tarok(played: Sequence[Played], who: Who, options: Any) -> Told:
    """Return all that is counted of an evening of Tarok: what holds of its events, read aloud."""
    told: Told = defaultdict(list)

    def note(what: str, player: Any, value: float, detail: str = "") -> None:
        told[what, detail, player, None].append(float(value))

    hands: list[tuple[int, list[Any], list[Any]]] = []  # number, lines and entries
    lines: list[Any] = []
    entries: list[Any] = []
    # Hands of an evening before stay as they were.
    begun = (s.before for s in played if name_of(s) in ("Dealt", "HandReopened"))
    first = next((len(before.hands) for before in begun), 0) + 1
    for step in played:
        event: Any = step.event
        match name_of(step):
            case "SlateWiped":
                first = 1
                hands = [
                    (0, booked, said) for _, booked, said in hands
                ]  # nobody can tell those anew
                lines, entries = [], []
            case "Dealt":
                lines, entries = [], []
            case "Booked" if event.line == "pots_share":
                _note_line(step, who, note)
            case "Booked":
                lines.append(step)
            case "EntryTakenBack":
                del entries[event.number - 1]
            case "HandReopened":
                anew = next((one for one in hands if one[0] == event.number), (0, [], []))
                hands = [one for one in hands if one[0] < event.number]
                lines = [one for one in anew[1] if one.event.line in ("ante", "dealer_extra")]
                entries = [one for one in anew[2] if name_of(one) not in ("Dealt", "HandEnded")]
            case "HandEnded":
                if event.number >= first:
                    hands.append((event.number, lines, [*entries, step]))
                lines, entries = [], []
            case "EveningSettled":
                for seat in step.after.seats:
                    note("evening", who(step.seq, seat), seat in event.winners)
                    note("evening-chips", who(step.seq, seat), step.after.scores[seat])
            case "Passed" | "SitterChosen":
                pass
            case _:
                if step.before is not None and hasattr(step.before, "scores"):
                    entries.append(step)
    for _, booked, said in hands:
        for step in booked:
            _note_line(step, who, note)
        if said[-1].event.how == "booked":
            _note_hand(booked, said, who, note)
    return told


def _note_line(step: Any, who: Who, note: Callable[..., None]) -> None:
    line = step.event
    for seat in step.before.seats:
        if line.amounts[seat]:
            note("chips", who(step.seq, seat), line.amounts[seat])
            note("line", who(step.seq, seat), line.amounts[seat], line.line)
    if line.seat is not None:
        owner = who(step.seq, line.seat)
        note("own-line", owner, 1, line.line)
        taken = sum(-pot for pot in (line.king, line.pagat) if pot < 0)
        if taken:
            note("pots", owner, taken)
        if "_ultimo_" in line.line:
            card, _, how = line.line.split("_")
            note("ultimo", owner, how == "won", card)


def _note_hand(booked: list[Any], said: list[Any], who: Who, note: Callable[..., None]) -> None:
    end = said[-1]
    seats = [seat for seat in end.before.seats if seat != end.before.sits_out]
    by_kind: dict[str, list[Any]] = defaultdict(list)
    for step in said:
        by_kind[name_of(step)].append(step.event)
    for seat in seats:
        player = who(end.seq, seat)
        swing = sum(step.event.amounts[seat] for step in booked)
        note("swing", player, swing)
        note("gained", player, swing > 0)
        note("declares", player, any(one.seat == seat for one in by_kind["Declared"]))
        if by_kind["LastTrickTold"]:
            won = [one.seat for one in by_kind["LastTrickTold"]]
            note("last-trick", player, seat in won)
    for one in by_kind["FateTold"]:
        if one.what.startswith("pagat"):
            note("pagat-home", who(end.seq, one.seat), one.what.endswith("home"))
    for one in by_kind["PointsCounted"]:
        if one.points is not None:
            note("card-points", who(end.seq, one.seat), one.points)
