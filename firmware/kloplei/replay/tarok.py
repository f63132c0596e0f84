"""Records of Tarok: hands told in full, the end of an evening, tricks and piles.

The format is that of the worked examples in docs/rules/tarok.md (§ 10). A hand goes the road
of a table: it is dealt, told entry by entry, and booked.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from kloplei.files import KlopleiError
from kloplei.replay.play import Players, player, read_house, read_options, read_players, read_trick
from kloplei.replay.reader import REMARKS, Difference, Outcome, Record, Value, check_keys, differs
from kloplei.rules.card_game import BadSeating
from kloplei.rules.cards import SUITS, read_cards
from kloplei.rules.catalogue import game_kind
from kloplei.rules.game import Action, Event, IllegalAction, Seat
from kloplei.rules.tarok import (
    PACK,
    PRESETS,
    Options,
    State,
    Tarok,
    actions,
    entries,
    judge,
)
from kloplei.rules.tarok.counting import BadPile, Pile, count
from kloplei.rules.tarok.course import Course
from kloplei.rules.tarok.entries import AnyEntry
from kloplei.rules.tarok.events import Booked
from kloplei.rules.tarok.hand import Hand
from kloplei.rules.tarok.lines import LINES
from kloplei.rules.tarok.state import Pots
from kloplei.rules.tarok.told_wrong import warnings

POTS = ("king", "pagat")
_RESERVED = ("line", *POTS)
_SITTER = "sitter"

Found = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Table:
    """A game of Tarok, its *state* before the first event, and who plays it."""

    game: Tarok
    state: State
    players: Players


def read_table(rule_set: str, found: Found, *, opened: bool) -> Table:
    """Return the table that a record says; *opened* is whether the first antes were paid before.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    players = read_players(found["players"])
    for name in _RESERVED:
        if name in players:
            raise found["players"].wrong(f"nobody can be called {name!r}; the ledger says it.")
    sitter = _sitter(found, players)
    if sitter is not None and len(players) <= Tarok.min_seats:
        raise found["players"].wrong("nobody sits out where three play.")
    options = _house(rule_set, found, chosen=sitter is not None)
    order = tuple(players.values())
    dealer = player(found["dealer"], "dealer", players) if "dealer" in found else order[0]
    scores = chips(found["scores"], "scores", players) if "scores" in found else {}
    pots = read_pots(found["pots_before"], "pots_before") if "pots_before" in found else {}
    pots = pots if options.has_pots else {}
    game = Tarok(options)
    try:
        state = game.resume(order, dealer, scores=scores, pots=Pots(**pots), opened=opened)
    except BadSeating as error:
        raise found["players"].wrong(str(error)) from None
    return Table(game, replace(state, sitter=sitter), players)


def chips(value: Value, what: str, players: Players) -> dict[Seat, int]:
    """Return the chips by player in *value*, more or less than none."""
    found = {}
    for name, one in value.mapping(what).items():
        if name not in players:
            there = ", ".join(players)
            raise one.wrong(f"{what} names {name!r}, who does not play; there are {there}.")
        found[players[name]] = one.whole(f"{what} of {name}")
    return found


def read_pots(value: Value, what: str) -> dict[str, int]:
    """Return what lies in each pot that *value* names."""
    found = {}
    for name, one in value.mapping(what).items():
        if name not in POTS:
            raise one.wrong(f"{what} names {name!r}; the pots are {' and '.join(POTS)}.")
        found[name] = one.whole(f"{what} of {name}")
        if found[name] < 0:
            raise one.wrong(f"{what} of {name} cannot be less than 0.")
    return found


def _house(rule_set: str, found: Found, *, chosen: bool) -> Options:
    written = found["options"].mapping("options") if "options" in found else {}
    if "rule_set" in written:
        raise written["rule_set"].wrong("which game it is says the key 'set'.")
    base = Options.from_mapping({"rule_set": rule_set})
    options = read_house(found, PRESETS, base, but=(_SITTER,) if chosen else ())
    if options.rule_set != rule_set:
        raise found["preset"].wrong(f"this preset is not of set {rule_set}.")
    return replace(options, sitter="chosen") if chosen else options


def _sitter(found: Found, players: Players) -> Seat | None:
    """Return who was chosen to sit out: a record may say so, or name somebody as the option."""
    if _SITTER in found:
        return player(found[_SITTER], _SITTER, players)
    written = found["options"].mapping("options") if "options" in found else {}
    if _SITTER not in written or written[_SITTER].plain(_SITTER) not in players:
        return None
    return player(written[_SITTER], _SITTER, players)


HAND_KEYS = {
    *("declare", "fines", "in_play", "last_trick", "feats", "excuse_alone"),
    *("card_points", "wrong_discard", "void"),
}
_CARDS = ("pagat", "king", "other")


@dataclass(frozen=True, slots=True)
class Named:
    """Who may be named in a hand: the *players*, and any *strangers* where that is refused."""

    players: Players
    strangers: bool = False

    def seat(self, value: Value, what: str) -> Seat:
        """Return the seat of whom *value* names; a stranger's is one where nobody sits."""
        if self.strangers and value.text(what) not in self.players:
            return Seat(len(self.players))
        return player(value, what, self.players)

    def by(self, found: Found, what: str) -> Seat:
        """Return whom an entry is *by*."""
        return self.seat(found["by"], f"by of {what}")

    def each(self, value: Value, what: str) -> Iterator[tuple[Seat, Value]]:
        """Yield seat and value of each name in the mapping *value*."""
        for name, one in value.mapping(what).items():
            if name not in self.players and not self.strangers:
                there = ", ".join(self.players)
                raise one.wrong(f"{what} names {name!r}, who does not play; there are {there}.")
            yield self.players.get(name, Seat(len(self.players))), one


def read_entries(found: Found, named: Named) -> tuple[AnyEntry, ...]:
    """Return all that a record tells of a hand.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    return tuple(_entries(found, named))


def _entries(found: Found, named: Named) -> Iterator[AnyEntry]:
    for one in _items(found, "declare"):
        yield _declared(one, named)
    if "wrong_discard" in found:
        seat = named.seat(found["wrong_discard"], "wrong_discard")
        yield entries.WrongDiscardFound(seat)
    for one in _items(found, "fines"):
        yield _fined(one, named)
    for one in _items(found, "in_play"):
        told = _keys(one, "an event in play", {"by", "what"})
        yield entries.FateTold(named.by(told, "in_play"), told["what"].text("what"))
    if "last_trick" in found:
        yield from _last_trick(found["last_trick"], named)
    for one in _items(found, "feats"):
        yield _feat(one, named)
    if "excuse_alone" in found:
        yield entries.FoolLeft(named.seat(found["excuse_alone"], "excuse_alone"))
    if "card_points" in found:
        for seat, one in named.each(found["card_points"], "card_points"):
            yield entries.PointsCounted(seat, _points(one))
    if "void" in found and found["void"].switch("void"):
        yield entries.HandVoided()


def _declared(value: Value, named: Named) -> AnyEntry:
    told = _keys(value, "a declaration", {"by", "what"}, {"count", "suit", "pagat", "fool"})
    suit = told["suit"].text("suit") if "suit" in told else None
    if suit is not None and suit not in SUITS:
        raise told["suit"].wrong(f"suit must be {' or '.join(SUITS)}, not {suit!r}.")
    return entries.Declared(
        named.by(told, "a declaration"),
        told["what"].text("what"),
        count=told["count"].whole("count") if "count" in told else None,
        suit=suit,
        pagat=told["pagat"].switch("pagat") if "pagat" in told else None,
        fool=told["fool"].switch("fool") if "fool" in told else None,
    )


def _fined(value: Value, named: Named) -> AnyEntry:
    told = _keys(value, "a fine", {"by"}, {"each", "king_pot", "pagat_pot"})
    paid = {key: told[key].whole(key) for key in ("each", "king_pot", "pagat_pot") if key in told}
    return entries.Fined(named.by(told, "a fine"), **paid)


def _last_trick(value: Value, named: Named) -> Iterator[AnyEntry]:
    told = _keys(value, "last_trick", set(), {"winner", "cards"})
    if "winner" in told:
        for one in _winners(told["winner"]):
            yield entries.LastTrickTold(named.seat(one, "winner"))
    if "cards" in told:
        for seat, one in named.each(told["cards"], "cards"):
            card = one.text("a card of the last trick")
            if card not in _CARDS:
                raise one.wrong(f"a card is {' or '.join(_CARDS)}, not {card!r:.40}.")
            yield entries.LastCardTold(seat, card)


def _winners(value: Value) -> list[Value]:
    """Return who is said to have won: nobody, one, or a list of them."""
    if value.is_list():
        return value.items("winner")
    return [] if value.is_nothing() else [value]


def _feat(value: Value, named: Named) -> AnyEntry:
    told = _keys(value, "a feat", {"by", "what"}, {"announced", "made"})
    silent = "announced" not in told or told["announced"].is_nothing()
    return entries.FeatTold(
        named.by(told, "a feat"),
        told["what"].text("what"),
        announced=None if silent else told["announced"].whole("announced"),
        made=told["made"].switch("made") if "made" in told else True,
    )


def _points(value: Value) -> int | None:
    """Return card points; half a point is for the rules to refuse."""
    number = value.plain("card points")
    if isinstance(number, float):
        return None
    return value.whole("card points")


def _items(found: Found, what: str) -> list[Value]:
    return found[what].items(what) if what in found else []


def _keys(value: Value, what: str, needed: set[str], allowed: set[str] | None = None) -> Found:
    told = value.mapping(what)
    check_keys(told, value, what, needed, allowed or set())
    return told


Line = dict[str, str | int]
"""A line as records write it: its name, and what is not 0 by player and pot."""
Elsewhere = tuple[int, str, str]
"""Where something differs: line of the file, place in the ledger, and the sentence."""


@dataclass(frozen=True, slots=True)
class ExpectedLine:
    """One line that the ledger must have; the record says so at line *at*."""

    line: Line
    at: int


@dataclass(frozen=True, slots=True)
class ExpectedSum:
    """What a sum of the ledger must be, by player or pot; what is not named is 0."""

    key: str
    wanted: Mapping[str, int]
    at: int


@dataclass(frozen=True, slots=True)
class Expected:
    """All that a record expects of a hand; *lines* None is that it expects nothing of them."""

    lines: tuple[ExpectedLine, ...] | None = None
    sums: tuple[ExpectedSum, ...] = ()
    at: int = 0

    def difference(
        self, lines: list[Line], sums: Mapping[str, Mapping[str, int]]
    ) -> Elsewhere | None:
        """Return the first of *lines* or *sums* that came otherwise."""
        if self.lines is not None and (found := self._of_lines(lines)):
            return found
        for one in self.sums:
            came = sums.get(one.key)
            if came is None or _nonzero(came) != _nonzero(one.wanted):
                return one.at, "at the end", differs(one.key, one.wanted, came)
        return None

    def _of_lines(self, came: list[Line]) -> Elsewhere | None:
        left = list(came)
        step = 0
        for number, one in enumerate(self.lines or (), start=1):
            where = f"line {number} ({one.line['line']})"
            own = LINES.get(str(one.line["line"]), step)
            if own < step:
                return one.at, where, "it is booked before the line above it."
            step = own
            if one.line not in left:
                return one.at, where, _missing(one.line, left)
            left.remove(one.line)
        if left:
            return self.at, "the ledger", f"it has one line more: {json.dumps(left[0])}."
        return None


def as_written(line: Booked, players: Players) -> Line:
    """Return *line* as records write it."""
    named = {name: line.amounts[seat] for name, seat in players.items()}
    return {"line": line.line, **_nonzero({**named, "king": line.king, "pagat": line.pagat})}


def net(lines: Iterable[Booked], players: Players, *, pots: bool) -> dict[str, int]:
    """Return the sum of *lines* by player, and by pot where there are *pots*."""
    lines = tuple(lines)
    sums = {name: sum(one.amounts[seat] for one in lines) for name, seat in players.items()}
    if pots:
        sums["king"] = sum(one.king for one in lines)
        sums["pagat"] = sum(one.pagat for one in lines)
    return sums


def read_expected(value: Value, players: Players) -> Expected:
    """Return what *value* expects of a hand.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("out")
    check_keys(found, value, "out", set(), {"lines", "net", "pots_after", "final"})
    lines = None
    if "lines" in found:
        lines = tuple(_line(one, players) for one in found["lines"].items("lines"))
    sums = tuple(
        ExpectedSum(key, _sum(found[key], key, players), found[key].line)
        for key in ("net", "pots_after", "final")
        if key in found
    )
    return Expected(lines, sums, value.line)


def _line(value: Value, players: Players) -> ExpectedLine:
    found = value.mapping("a line")
    if "line" not in found:
        raise value.wrong("a line lacks the key 'line'.")
    line: Line = {"line": found["line"].text("line")}
    for name, one in found.items():
        if name == "line":
            continue
        if name not in players and name not in POTS:
            there = ", ".join((*players, *POTS))
            raise one.wrong(f"a line names {name!r:.40}; there are {there}.")
        if amount := one.whole(f"{name} of a line"):
            line[name] = amount
    return ExpectedLine(line, value.line)


def _sum(value: Value, key: str, players: Players) -> dict[str, int]:
    if key == "pots_after":
        return read_pots(value, key)
    with_pots = dict(players) if key == "final" else {**players, **_POT_SEATS}
    named = {seat: name for name, seat in with_pots.items()}
    return {named[seat]: amount for seat, amount in chips(value, key, with_pots).items()}


_POT_SEATS = {"king": Seat(-1), "pagat": Seat(-2)}
"""Pots stand in a sum beside the players."""


def _missing(wanted: Line, left: list[Line]) -> str:
    """Return the sentence that *wanted* is not there, but perhaps something like it."""
    like = [one for one in left if one["line"] == wanted["line"]]
    if not like:
        return f"expected {json.dumps(wanted, ensure_ascii=False)}, but no such line is booked"
    return differs("the line", wanted, like[0])


def _nonzero(amounts: Mapping[str, int]) -> dict[str, int]:
    return {name: amount for name, amount in amounts.items() if amount}


_JUDGED = {"set", "trick", "named", "options", "pips"}
_PILE = {"size", "fives", "queens", "cavaliers", "jacks"}


@dataclass(frozen=True, slots=True)
class CardRecord:
    """A trick or piles that have been judged: what *came*, and what was *wanted* of it."""

    file: str
    id: str
    came: Mapping[str, object]
    wanted: Mapping[str, tuple[object, int]]
    what: str

    def play(self) -> Outcome:
        """Compare what came with what the record says."""
        report = {"id": self.id, "game": "tarok", "steps": [], "final": self.came}
        for key, (wanted, line) in self.wanted.items():
            came = self.came.get(key)
            # Where nothing came of it, a record may say so or leave it away.
            if came != wanted and (came or wanted):
                where, sentence = f"{self.file}:{line}", differs(key, wanted, came)
                return Outcome(report, Difference(where, self.id, self.what, sentence))
        return Outcome(report, None)


def read_judged(value: Value) -> CardRecord:
    """Return the judge record written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a trick")
    check_keys(found, value, "a trick", {"id", "cards"}, {*REMARKS, "game", *_JUDGED, *_WANTED})
    names = [one.text("a card") for one in found["cards"].items("cards")]
    try:
        taken = judge(read_cards(names, PACK), _said(found))
    except KlopleiError as error:
        raise found["cards"].wrong(str(error)) from None
    return CardRecord(
        file=value.file,
        id=found["id"].label("id"),
        came={"winner": taken.place + 1, **taken.besides},
        wanted={
            key: (_WANTED[key](found[key]), found[key].line) for key in _WANTED if key in found
        },
        what="the trick",
    )


def read_count(value: Value) -> CardRecord:
    """Return the record of a pile, or of several, written in *value*.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a count")
    check_keys(
        found, value, "a count", {"id", "points"}, {*REMARKS, "game", "set", "cards", "piles"}
    )
    if ("cards" in found) == ("piles" in found):
        raise value.wrong("a count has either 'cards' or 'piles'.")
    came = _counted(found["piles"]) if "piles" in found else _pile_of(found["cards"])
    points = found["points"]
    wanted = _points_by_name(points) if "piles" in found else points.whole("points")
    return CardRecord(
        value.file, found["id"].label("id"), came, {"points": (wanted, points.line)}, "the count"
    )


def _said(found: Mapping[str, Value]) -> dict[str, object]:
    said: dict[str, object] = {
        word: found[word].label(word) for word in ("set", "trick", "named") if word in found
    }
    options = {name: written for name, (_, written) in read_options(found).items()}
    if "pips" in found:
        options["pips"] = found["pips"].text("pips")
    return {**said, "options": options}


def _places(value: Value) -> dict[str, list[int]]:
    return {
        event: [one.whole(f"a place of {event}") for one in places.items(event)]
        for event, places in value.mapping("events").items()
    }


def _last(value: Value) -> dict[int, str]:
    """Return what lay at each place; YAML's keys are numbers here."""
    return {
        place: card.text(f"the card at {place}") for place, card in value.numbered("last").items()
    }


def _points_by_name(value: Value) -> dict[str, int]:
    return {name: one.whole(f"points of {name}") for name, one in value.mapping("points").items()}


def _winner(value: Value) -> int:
    return value.whole("winner")


def _fool(value: Value) -> str:
    return value.text("fool")


def _warnings(value: Value) -> list[str]:
    return [one.text("a warning") for one in value.items("warnings")]


_WANTED: Mapping[str, Callable[[Value], object]] = {
    "winner": _winner,
    "events": _places,
    "last": _last,
    "fool": _fool,
    "warnings": _warnings,
}


def _pile_of(value: Value) -> dict[str, object]:
    names = [one.text("a card") for one in value.items("cards")]
    try:
        return {"points": count(read_cards(names, PACK))}
    except KlopleiError as error:
        raise value.wrong(str(error)) from None


def _counted(value: Value) -> dict[str, object]:
    piles = {name: _pile(one, name) for name, one in value.mapping("piles").items()}
    uneven = [name for name, pile in piles.items() if pile.is_uneven]
    points = {name: pile.points for name, pile in piles.items()}
    return {"points": points, **({"warnings": uneven} if uneven else {})}


def _pile(value: Value, name: str) -> Pile:
    what = f"the pile of {name}"
    found = value.mapping(what)
    check_keys(found, value, what, {"size"}, _PILE)
    try:
        return Pile(**{key: one.whole(f"{key} of {what}") for key, one in found.items()})
    except BadPile as error:
        raise value.wrong(str(error)) from None


SETS = ("a", "b", "c")

_NEEDED = {"id", "set", "in"}
_ALLOWED = {*REMARKS, "game", "kind", "out", "reject"}
_KINDS = ("hand", "session_end")
_AT_TABLE = {"dealer", "options", "preset", "sitter", "scores", "pots_before"}


@dataclass(frozen=True, slots=True)
class TarokRecord:
    """One example, ready to be played: *first* and *last* are asked for around its *entries*.

    *rejects* are codes it must be refused for, with the line that says so.
    """

    file: str
    line: int
    id: str
    table: Table
    first: tuple[Action, ...]
    entries: tuple[AnyEntry, ...]
    last: Action
    expected: Expected
    rejects: tuple[tuple[str, int], ...]

    def play(self) -> Outcome:
        """Play the hand and compare what came with what the record says."""
        game = self.table.game
        course = Course(game.options, self.table.state)
        for action in self.first:
            _tell_all(course, game.decide(course.state, action))
        _tell_all(course, self.entries)
        told = course.state.hand
        try:
            _tell_all(course, game.decide(course.state, self.last))
        except IllegalAction as refusal:
            return self._refused(cast("tuple[str, ...]", refusal.facts["codes"]))
        return self._done(told, course)

    def _refused(self, codes: tuple[str, ...]) -> Outcome:
        """Return how it went where the rules refuse the hand for all those *codes*."""
        came = ", ".join(codes)
        difference = None
        if not self.rejects:
            difference = self._difference(self.line, "the hand", f"it is refused: {came}")
        for code, line in self.rejects:
            if code not in codes and difference is None:
                sentence = f"expected to be refused with {code}, but it is {came}"
                difference = self._difference(line, "the hand", sentence)
        return self._outcome({"rejects": list(codes)}, self.table.state, difference)

    def _done(self, told: Hand, course: Course) -> Outcome:
        """Return how it went where the hand *told* is booked."""
        options, state, players = course.options, course.state, self.table.players
        lines = [one for one in course.events if isinstance(one, Booked)]
        ledger = [as_written(line, players) for line in lines]
        sums = {"net": net(lines, players, pots=options.has_pots)}
        if options.has_pots:
            sums["pots_after"] = {"king": state.pots.king, "pagat": state.pots.pagat}
        report: dict[str, object] = {"lines": ledger, **sums}
        if odd := warnings(options, told):
            report["warnings"] = list(odd)
        if self.rejects:
            code, line = self.rejects[0]
            sentence = f"expected to be refused with {code}, but it is booked"
            return self._outcome(report, state, self._difference(line, "the hand", sentence))
        found = self.expected.difference(ledger, {**sums, "final": self._scores(state)})
        return self._outcome(report, state, found and self._difference(*found))

    def _outcome(
        self, report: Mapping[str, object], state: State, difference: Difference | None
    ) -> Outcome:
        final = self._scores(state)
        whole = {"id": self.id, "game": "tarok", "set": self.table.game.options.rule_set}
        step = {**report, "final": final}
        return Outcome({**whole, "steps": [step], **step}, difference)

    def _scores(self, state: State) -> dict[str, int]:
        return {name: state.scores[seat] for name, seat in self.table.players.items()}

    def _difference(self, line: int, what: str, sentence: str) -> Difference:
        return Difference(f"{self.file}:{line}", self.id, what, sentence)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a record tells to be played."""

    table: Table
    first: tuple[Action, ...]
    entries: tuple[AnyEntry, ...]
    last: Action


def read_tarok(value: Value) -> Record:
    """Return the record of Tarok written in *value*, of whatever kind.

    Raises:
        NotARecord: With file, line and what is wrong.
    """
    found = value.mapping("a record")
    if "plays" in found:
        return read_trick(value, game_kind("tarok"))
    if "piles" in found or "points" in found:
        return read_count(value)
    return read_judged(value) if "cards" in found else _read_hand(value, found)


def _read_hand(value: Value, found: Mapping[str, Value]) -> TarokRecord:
    check_keys(found, value, "a record", _NEEDED, _ALLOWED)
    if "out" in found and "reject" in found:
        raise found["reject"].wrong("a record expects either 'out' or 'reject'.")
    for remark in REMARKS:
        if remark in found:
            found[remark].plain(remark)
    told = _told_end(found) if _kind(found) == "session_end" else _told_hand(found)
    players = told.table.players
    return TarokRecord(
        file=value.file,
        line=value.line,
        id=found["id"].label("id"),
        table=told.table,
        first=told.first,
        entries=told.entries,
        last=told.last,
        expected=read_expected(found["out"], players) if "out" in found else Expected(),
        rejects=_rejects(found["reject"]) if "reject" in found else (),
    )


def _kind(found: Mapping[str, Value]) -> str:
    kind = found["kind"].text("kind") if "kind" in found else "hand"
    if kind not in _KINDS:
        raise found["kind"].wrong(f"kind must be {' or '.join(_KINDS)}, not {kind!r:.40}.")
    return kind


def _told_hand(found: Mapping[str, Value]) -> _Told:
    told = found["in"].mapping("in")
    allowed = {*_AT_TABLE, *HAND_KEYS, "session_start", "redeal"}
    check_keys(told, found["in"], "in", {"players", "dealer"}, allowed)
    starts = "session_start" in told and told["session_start"].switch("session_start")
    again = "redeal" in told and told["redeal"].switch("redeal")
    table = read_table(read_set(found["set"]), told, opened=not starts)
    # Antes and extras of a hand thrown in are in the pots already.
    table = replace(table, state=replace(table.state, paid=again))
    entries = read_entries(told, Named(table.players, strangers="reject" in found))
    return _Told(table, (actions.Deal(),), entries, actions.Book())


def _told_end(found: Mapping[str, Value]) -> _Told:
    told = found["in"].mapping("in")
    check_keys(told, found["in"], "in", {"players"}, _AT_TABLE)
    table = read_table(read_set(found["set"]), told, opened=True)
    if "dealer" in told:
        # Who dealt last; the next one would be the first to deal again.
        table = replace(table, state=replace(table.state, dealer=table.state.next_dealer))
    return _Told(table, (), (), actions.Settle())


def read_set(value: Value) -> str:
    """Return which game of the family *value* says."""
    rule_set = value.text("set")
    if rule_set not in SETS:
        raise value.wrong(f"set must be {' or '.join(SETS)}, not {rule_set!r:.40}.")
    return rule_set


def _tell_all(course: Course, events: Iterable[Event]) -> None:
    for event in events:
        course.tell(event)


def _rejects(value: Value) -> tuple[tuple[str, int], ...]:
    codes = value.items("reject") if value.is_list() else [value]
    if not codes:
        raise value.wrong("reject names no code.")
    return tuple((one.text("reject"), one.line) for one in codes)
