"""Records of Tarok: hands told in full, the end of an evening, tricks and piles.

The format is that of the worked examples in docs/rules/tarok.md (§ 10). A hand goes the road
of a table: it is dealt, told entry by entry, and booked.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

from kloplei.frozen import dataclass, replace
from kloplei.games.card_game import Deal
from kloplei.games.cards import SUITS, read_cards
from kloplei.games.game import Action, Event, IllegalAction, Seat
from kloplei.games.tarok import PACK, PRESETS, Options, State, Tarok, actions, judge
from kloplei.games.tarok.actions import AnyEntry, Booked, Entry
from kloplei.games.tarok.booking import LINES
from kloplei.games.tarok.cards import Pile, count
from kloplei.games.tarok.consistency import warnings
from kloplei.games.tarok.state import Pots
from kloplei.replay.play import (
    At,
    Found,
    JudgedRecord,
    PlayedCourse,
    Players,
    Reader,
    RecordCheck,
    RecordExample,
    amounts,
    each_player,
    player,
    playing,
    read_checks,
    read_house,
    read_options,
    read_players,
    read_remarks,
    read_trick,
)
from kloplei.replay.reader import REMARKS, Difference, Outcome, Record, Value, differs

SETS = ("a", "b", "c")
POTS = ("king", "pagat")
_KINDS = ("hand", "session_end")
_AT_TABLE = ("dealer", "options", "preset", "sitter", "scores", "pots_before")
_CARDS = ("pagat", "king", "other")
_PILE = ("size", "fives", "queens", "cavaliers", "jacks")
_SITTER = "sitter"
_NOBODYS = Seat(-1)

Table = At[Tarok, State]
Line = dict[str, str | int]
"""A line as records write it: its name, and what is not 0 by player and pot."""


@dataclass(frozen=True, slots=True)
class TarokRecord(RecordExample):
    """A hand or the end of an evening: *first* and *last* are asked for around its *entries*.

    *lines* are what the ledger must have (None: the record says nothing of them) and *sums*
    what it must come to; *rejects* are codes the hand must be refused for instead.
    """

    line: int
    start: Table
    first: tuple[Action, ...]
    entries: tuple[AnyEntry, ...]
    last: Action
    lines: RecordCheck | None
    sums: tuple[RecordCheck, ...]
    rejects: tuple[RecordCheck, ...]

    def play(self) -> Outcome:
        """Play the hand and compare what came with what the record says."""
        at, booked = self.start, list[Event]()
        for action in self.first:
            at, events = at.does(action)
            booked += events
        told = at.after(self.entries)
        try:
            at, events = told.does(self.last)
        except IllegalAction as refusal:
            return self._refused(cast("tuple[str, ...]", refusal.facts["codes"]))
        lines = [one for one in (*booked, *events) if isinstance(one, Booked)]
        return self._done(told, at, lines)

    def course(self) -> PlayedCourse | None:
        """Return what happened; None where the rules refuse the hand."""
        at, steps = self.start, list[tuple[Event, ...]]()
        for action in self.first:
            at, events = at.does(action)
            steps.append(events)
        at = at.after(self.entries)
        try:
            _, events = at.does(self.last)
        except IllegalAction:
            return None
        return PlayedCourse(self.start, (*steps, tuple(self.entries), events), self.day)

    def _refused(self, codes: tuple[str, ...]) -> Outcome:
        """Return how it went where the rules refuse the hand for all those *codes*."""
        came = ", ".join(codes)
        differing = [
            (one.line, f"expected to be refused with {one.wanted}, but it is {came}")
            for one in self.rejects
            if one.wanted not in codes
        ]
        if not self.rejects:
            differing = [(self.line, f"it is refused: {came}")]
        found = [self.difference(line, "the hand", sentence) for line, sentence in differing]
        return self._outcome({"rejects": list(codes)}, self.start, found)

    def _done(self, told: Table, at: Table, booked: list[Booked]) -> Outcome:
        """Return how it went where the hand *told* is *booked*, which leads to *at*."""
        options = at.game.options
        ledger = [_as_written(line, at.players) for line in booked]
        sums = {"net": _net(booked, at)}
        if options.has_pots:
            sums["pots_after"] = {"king": at.state.pots.king, "pagat": at.state.pots.pagat}
        report: dict[str, object] = {"lines": ledger, **sums}
        if odd := warnings(options, told.state.hand):
            report["warnings"] = list(odd)
        if self.rejects:
            sentence = f"expected to be refused with {self.rejects[0].wanted}, but it is booked"
            found = iter([self.difference(self.rejects[0].line, "the hand", sentence)])
        else:
            found = self._differences(ledger, {**sums, "final": _scores(at)})
        return self._outcome(report, at, found)

    def _differences(
        self, ledger: list[Line], sums: Mapping[str, Mapping[str, int]]
    ) -> Iterator[Difference]:
        if self.lines and (found := _elsewhere(self.lines, ledger)):
            yield self.difference(*found)
        yield from self.compared(self.sums, sums, "at the end", _same_sum)

    def _outcome(
        self, report: Mapping[str, object], at: Table, differences: Iterable[Difference]
    ) -> Outcome:
        whole = {"id": self.id, "game": "tarok", "set": at.game.options.rule_set}
        step = {**report, "final": _scores(at)}
        return Outcome({**whole, "steps": [step], **step}, next(iter(differences), None))


def read(value: Value) -> Record:
    """Return the record of Tarok written in *value*, of whatever kind.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a record")
    if "plays" in found:
        return read_trick(value, "tarok")
    if "piles" in found or "points" in found:
        return _read_count(value)
    return _read_judged(value) if "cards" in found else _read_hand(value)


def _read_hand(value: Value) -> TarokRecord:
    may_say = (*REMARKS, "game", "kind", "out", "reject")
    found = value.keyed("a record", ("id", "set", "in"), may_say)
    if "out" in found and "reject" in found:
        raise found["reject"].wrong("a record expects either 'out' or 'reject'.")
    day = read_remarks(found)
    ends = "kind" in found and _one_of(*_KINDS)(found["kind"], "kind") == "session_end"
    told = found["in"].keyed("in", *(_END_KEYS if ends else _HAND_KEYS))
    start = _read_start(found["set"], told, ends=ends)
    players = start.players
    named = _Strangers(players) if "reject" in found else players
    entries = tuple(_read_entries(playing(told, named)))
    name = found["id"].label("id")
    out = found["out"].playing(players).keyed("out", (), _OUT) if "out" in found else {}
    return TarokRecord(
        file=value.file,
        id=name,
        line=value.line,
        start=start,
        first=() if ends else (Deal(),),
        entries=entries,
        last=actions.Settle() if ends else actions.Book(),
        lines=_read_lines(out["lines"], found["out"].line) if "lines" in out else None,
        sums=read_checks({key: out[key] for key in _SUMS if key in out}, _SUMS),
        rejects=_read_rejects(found["reject"]) if "reject" in found else (),
        day=day,
    )


def _read_start(rule_set: Value, found: Found, *, ends: bool) -> Table:
    """Return the table that a record begins with, or *ends* the evening of."""
    starts, again = (key in found and found[key].switch(key) for key in ("session_start", "redeal"))
    which = _one_of(*SETS)(rule_set, "set")
    players = read_players(found["players"])
    for name in ("line", *POTS):
        if name in players:
            raise found["players"].wrong(f"nobody can be called {name!r}; the ledger says it.")
    found = playing(found, players)
    sitter = _read_sitter(found)
    if sitter is not None and len(players) <= Tarok.min_seats:
        raise found["players"].wrong("nobody sits out where three play.")
    options = _read_options(which, found, chosen=sitter is not None)
    order = tuple(players.values())
    dealer = player(found["dealer"], "dealer") if "dealer" in found else order[0]
    scores = amounts(found["scores"], "scores") if "scores" in found else {}
    pots = _read_pots(found["pots_before"], "pots_before") if "pots_before" in found else {}
    game = Tarok(options)
    state = found["players"].makes(
        game.resume,
        order,
        dealer,
        scores={players[name]: score for name, score in scores.items()},
        pots=Pots(**pots) if options.has_pots else Pots(),
        opened=not starts,
    )
    # Antes and extras of a hand thrown in are in the pots already.
    state = replace(state, sitter=sitter, paid=again)
    if ends and "dealer" in found:
        # Who dealt last; the next one would be the first to deal again.
        state = replace(state, dealer=state.next_dealer)
    return At(game, state, players)


def _read_options(rule_set: str, found: Found, *, chosen: bool) -> Options:
    written = found["options"].mapping("options") if "options" in found else {}
    if "rule_set" in written:
        raise written["rule_set"].wrong("which game it is says the key 'set'.")
    base = Options.from_mapping({"rule_set": rule_set})
    options = read_house(found, PRESETS, base, but=(_SITTER,) if chosen else ())
    if options.rule_set != rule_set:
        raise found["preset"].wrong(f"this preset is not of set {rule_set}.")
    return replace(options, sitter="chosen") if chosen else options


def _read_sitter(found: Found) -> Seat | None:
    """Return who was chosen to sit out: a record may say so, or name somebody as the option."""
    if _SITTER in found:
        return player(found[_SITTER], _SITTER)
    written = found["options"].mapping("options") if "options" in found else {}
    if _SITTER not in written or written[_SITTER].plain(_SITTER) not in found["players"].players:
        return None
    return player(written[_SITTER], _SITTER)


class _Strangers(dict[str, Seat]):
    """The players, and anybody else where nobody sits, in records that are refused for it."""

    def __missing__(self, name: str) -> Seat:
        return Seat(len(self))


def _one_of(*words: str) -> Callable[[Value, str], str]:
    def read(value: Value, what: str) -> str:
        word = value.text(what)
        if word not in words:
            raise value.wrong(f"{what} must be {' or '.join(words)}, not {word!r:.40}.")
        return word

    return read


def _by(told: str) -> Reader:
    """Return a reader of who an entry that is *told* is by."""
    return lambda value, what: player(value, f"{what} of {told}")


Entries = Callable[[Value, str], Iterable[AnyEntry]]
"""Reads what stands under a key of a hand as entries."""


def _each(kind: type[Entry], told: str, /, **readers: Reader) -> Entries:
    """Return a reader of lists in which each mapping *told* is an entry of one *kind*."""
    needed = [key for key in ("by", "what") if key in readers]

    def read(value: Value, what: str) -> Iterator[AnyEntry]:
        for one in value.items(what):
            found = one.keyed(told, needed, readers)
            said: dict[str, Any] = {
                key: read(found[key], key) for key, read in readers.items() if key in found
            }
            yield kind(said.pop("by"), **said)

    return read


def _of(kind: type[Entry]) -> Entries:
    """Return a reader of the one player whom an entry of this *kind* is about."""
    return lambda value, what: [kind(player(value, what))]


def _read_unclaimed(value: Value, what: str) -> Iterator[AnyEntry]:
    for one in value.items(what) if value.is_list() else [value]:
        yield actions.FeatUnclaimed(player(one, what))


def _read_last_trick(value: Value, what: str) -> Iterator[AnyEntry]:
    found = value.keyed(what, (), ("winner", "cards"))
    for one in _winners(found["winner"]) if "winner" in found else ():
        yield actions.LastTrickTold(player(one, "winner"))
    if "cards" in found:
        for _, seat, one in each_player(found["cards"], "cards"):
            card = one.text("a card of the last trick")
            if card not in _CARDS:
                raise one.wrong(f"a card is {' or '.join(_CARDS)}, not {card!r:.40}.")
            yield actions.LastCardTold(seat, card)


def _winners(value: Value) -> list[Value]:
    """Return who is said to have won: nobody, one, or a list of them."""
    if value.is_list():
        return value.items("winner")
    return [] if value.is_nothing() else [value]


def _read_card_points(value: Value, what: str) -> Iterator[AnyEntry]:
    for _, seat, one in each_player(value, what):
        # Half a point is for the rules to refuse.
        half = isinstance(one.plain("card points"), float)
        yield actions.PointsCounted(seat, None if half else one.whole("card points"))


def _read_void(value: Value, what: str) -> Iterator[AnyEntry]:
    if value.switch(what):
        yield actions.HandVoided()


_HAND: Mapping[str, Entries] = {
    "declare": _each(
        *(actions.Declared, "a declaration"),
        suit=_one_of(*SUITS),
        by=_by("a declaration"),
        what=Value.text,
        count=Value.whole,
        pagat=Value.switch,
        fool=Value.switch,
    ),
    "wrong_discard": _of(actions.WrongDiscardFound),
    "fines": _each(
        *(actions.Fined, "a fine"),
        each=Value.whole,
        king_pot=Value.whole,
        pagat_pot=Value.whole,
        by=_by("a fine"),
    ),
    "in_play": _each(actions.FateTold, "an event in play", by=_by("in_play"), what=Value.text),
    "last_trick": _read_last_trick,
    "feats": _each(
        *(actions.FeatTold, "a feat"),
        by=_by("a feat"),
        what=Value.text,
        announced=lambda value, what: None if value.is_nothing() else value.whole(what),
        made=Value.switch,
    ),
    "excuse_alone": _of(actions.FoolLeft),
    "card_points": _read_card_points,
    "unclaimed": _read_unclaimed,
    "void": _read_void,
}
"""What a record may tell of a hand, in the order of the ledger."""
_HAND_KEYS = (("players", "dealer"), (*_AT_TABLE, *_HAND, "session_start", "redeal"))
_END_KEYS = (("players",), _AT_TABLE)
"""What a record has to say of its table, and may say."""


def _read_entries(found: Found) -> Iterator[AnyEntry]:
    for key, read in _HAND.items():
        if key in found:
            yield from read(found[key], key)


def _read_rejects(value: Value) -> tuple[RecordCheck, ...]:
    codes = value.items("reject") if value.is_list() else [value]
    if not codes:
        raise value.wrong("reject names no code.")
    return tuple(RecordCheck("reject", one.text("reject"), one.line) for one in codes)


def _read_lines(value: Value, at: int) -> RecordCheck:
    """Return which lines the ledger must have; a record says so from line *at* on."""
    lines = [_read_line(one) for one in value.items("lines")]
    return RecordCheck("lines", lines, at)


def _read_line(value: Value) -> RecordCheck:
    found = value.mapping("a line")
    if "line" not in found:
        raise value.wrong("a line lacks the key 'line'.")
    line: Line = {"line": found.pop("line").text("line")}
    for name, one in found.items():
        if name not in value.players and name not in POTS:
            there = ", ".join((*value.players, *POTS))
            raise one.wrong(f"a line names {name!r:.40}; there are {there}.")
        if amount := one.whole(f"{name} of a line"):
            line[name] = amount
    return RecordCheck("line", line, value.line)


def _read_pots(value: Value, what: str) -> dict[str, int]:
    found = {}
    for name, one in value.mapping(what).items():
        if name not in POTS:
            raise one.wrong(f"{what} names {name!r}; the pots are {' and '.join(POTS)}.")
        found[name] = one.whole(f"{what} of {name}", 0)
    return found


def _read_net(value: Value, what: str) -> dict[str, int]:
    return amounts(value.playing({**value.players, **dict.fromkeys(POTS, _NOBODYS)}), what)


_SUMS: Mapping[str, Reader] = {"net": _read_net, "pots_after": _read_pots, "final": amounts}
"""What the ledger must come to, by player or pot; what is not named is 0."""
_OUT = ("lines", *_SUMS)


def _elsewhere(wanted: RecordCheck, came: list[Line]) -> tuple[int, str, str] | None:
    """Return where the lines that *came* differ: line of the file, place, and the sentence."""
    left, step = list(came), 0
    for number, one in enumerate(cast("list[RecordCheck]", wanted.wanted), start=1):
        line = cast("Line", one.wanted)
        where = f"line {number} ({line['line']})"
        own = LINES.get(str(line["line"]), step)
        if own < step:
            return one.line, where, "it is booked before the line above it."
        step = own
        if line not in left:
            return one.line, where, _missing(line, left)
        left.remove(line)
    if left:
        return wanted.line, "the ledger", f"it has one line more: {json.dumps(left[0])}."
    return None


def _missing(wanted: Line, left: list[Line]) -> str:
    """Return the sentence that *wanted* is not there, but perhaps something like it."""
    like = [one for one in left if one["line"] == wanted["line"]]
    if not like:
        return f"expected {json.dumps(wanted, ensure_ascii=False)}, but no such line is booked"
    return differs("the line", wanted, like[0])


def _as_written(line: Booked, players: Players) -> Line:
    """Return *line* as records write it."""
    named = {name: line.amounts[seat] for name, seat in players.items()}
    return {"line": line.line, **_nonzero({**named, "king": line.king, "pagat": line.pagat})}


def _net(lines: Iterable[Booked], at: Table) -> dict[str, int]:
    """Return the sum of *lines* by player, and by pot where there are any."""
    lines = tuple(lines)
    sums = {name: sum(one.amounts[seat] for one in lines) for name, seat in at.players.items()}
    if at.game.options.has_pots:
        sums["king"] = sum(one.king for one in lines)
        sums["pagat"] = sum(one.pagat for one in lines)
    return sums


def _scores(at: Table) -> dict[str, int]:
    return {name: at.state.scores[seat] for name, seat in at.players.items()}


def _same_sum(wanted: Mapping[str, int], came: Mapping[str, int] | None) -> bool:
    return came is not None and _nonzero(came) == _nonzero(wanted)


def _nonzero(amounts: Mapping[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if amount}


def _read_judged(value: Value) -> JudgedRecord:
    allowed = (*REMARKS, "game", "set", "trick", "named", "options", "pips", *_JUDGED)
    found = value.keyed("a trick", ("id", "cards"), allowed)
    written = [one.text("a card") for one in found["cards"].items("cards")]
    cards = found["cards"].makes(read_cards, written, PACK)
    taken = found["cards"].makes(judge, cards, _read_said(found))
    return JudgedRecord(
        file=value.file,
        id=found["id"].label("id"),
        game="tarok",
        what="the trick",
        came={"winner": taken.place + 1, **taken.besides},
        wanted=read_checks({key: found[key] for key in _JUDGED if key in found}, _JUDGED),
    )


def _read_said(found: Found) -> dict[str, object]:
    """Return what a record says of a trick besides its cards."""
    said: dict[str, object] = {
        word: found[word].label(word) for word in ("set", "trick", "named") if word in found
    }
    options = {name: written for name, (_, written) in read_options(found).items()}
    if "pips" in found:
        options["pips"] = found["pips"].text("pips")
    return {**said, "options": options}


def _read_places(value: Value, what: str) -> dict[str, list[int]]:
    return {
        event: [one.whole(f"a place of {event}") for one in places.items(event)]
        for event, places in value.mapping(what).items()
    }


def _read_last(value: Value, what: str) -> dict[int, str]:
    """Return what lay at each place; YAML's keys are numbers here."""
    return {
        place: card.text(f"the card at {place}") for place, card in value.numbered(what).items()
    }


def _read_warnings(value: Value, what: str) -> list[str]:
    return [one.text("a warning") for one in value.items(what)]


_JUDGED: Mapping[str, Reader] = {
    "winner": Value.whole,
    "events": _read_places,
    "last": _read_last,
    "fool": Value.text,
    "warnings": _read_warnings,
}
"""What came of a trick that is judged."""


def _read_count(value: Value) -> JudgedRecord:
    allowed = (*REMARKS, "game", "set", "cards", "piles")
    found = value.keyed("a count", ("id", "points"), allowed)
    if ("cards" in found) == ("piles" in found):
        raise value.wrong("a count has either 'cards' or 'piles'.")
    came = _read_piles(found["piles"]) if "piles" in found else _read_pile_of(found["cards"])
    points = found["points"]
    wanted = _read_points(points) if "piles" in found else points.whole("points")
    return JudgedRecord(
        file=value.file,
        id=found["id"].label("id"),
        game="tarok",
        what="the count",
        came=came,
        wanted=(RecordCheck("points", wanted, points.line),),
    )


def _read_points(value: Value) -> dict[str, int]:
    return {name: one.whole(f"points of {name}") for name, one in value.mapping("points").items()}


def _read_pile_of(value: Value) -> dict[str, object]:
    names = [one.text("a card") for one in value.items("cards")]
    return {"points": count(value.makes(read_cards, names, PACK))}


def _read_piles(value: Value) -> dict[str, object]:
    piles = {name: _read_pile(one, name) for name, one in value.mapping("piles").items()}
    uneven = [name for name, pile in piles.items() if pile.is_uneven]
    points = {name: pile.points for name, pile in piles.items()}
    return {"points": points, **({"warnings": uneven} if uneven else {})}


def _read_pile(value: Value, name: str) -> Pile:
    what = f"the pile of {name}"
    found = value.keyed(what, ("size",), _PILE)
    return value.makes(Pile, **{key: one.whole(f"{key} of {what}") for key, one in found.items()})
