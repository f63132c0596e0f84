"""How a hand of Tarok is told on a phone: a sheet in the order things happen."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from functools import lru_cache, partial
from typing import cast

from kloplei.frozen import dataclass, replace
from kloplei.games.game import Facts, Seat, SeatAction
from kloplei.games.scoreboard import Line, Offer, Row, Scoreboard
from kloplei.games.tarok.actions import DECLARATIONS, FATES, LastCard, LastTrick, TellFate, entry_of
from kloplei.games.tarok.apply import said_of
from kloplei.games.tarok.consistency import ALL_POINTS, ALL_TRICKS
from kloplei.games.tarok.options import PRESETS, Options
from kloplei_panel.controls import ButtonStyle, Control, controls
from kloplei_panel.reader import Reader, asked_singly

LOOKS: Mapping[str, ButtonStyle] = {
    "book": ButtonStyle(2, "good", on_game_page=True),
    "pass": ButtonStyle(3, "plain", big=True),
    "deal": ButtonStyle(6, "main", big=True),
    "new_game": ButtonStyle(6, "main", big=True),
    "settle": ButtonStyle(41, confirm=True),
    "reopen": ButtonStyle(42),
    "sit_out": ButtonStyle(20),
    "declare": ButtonStyle(50, on_game_page=True),
    "fate": ButtonStyle(50, on_game_page=True),
    "last_trick": ButtonStyle(50, on_game_page=True),
    "last_card": ButtonStyle(50, on_game_page=True),
    "feat": ButtonStyle(50, on_game_page=True),
    "excuse_alone": ButtonStyle(51, on_game_page=True),
    "unclaimed": ButtonStyle(51, on_game_page=True),
    "points": ButtonStyle(50, on_game_page=True),
    "result": ButtonStyle(50, on_game_page=True),
    "take_back": ButtonStyle(50, on_game_page=True),
    "fine": ButtonStyle(52, on_game_page=True),
    "fine_pot": ButtonStyle(53, on_game_page=True),
    "wrong_discard": ButtonStyle(54, confirm=True, on_game_page=True),
    "throw_in": ButtonStyle(55, "danger", confirm=True, on_game_page=True),
}
_STEPS: Mapping[str, str] = {
    "prompt.declare": "declare",
    "prompt.pagat-fate": "play",
    "prompt.last-trick": "last",
    "prompt.card-points": "points",
    "prompt.result": "result",
    "prompt.held": "asked",
    "prompt.untold-nolo": "asked",
    "prompt.untold-vole": "asked",
    "prompt.untold-tout": "asked",
}
"""Which part of the sheet answers what the table asks."""
# For eight players, and controls in all languages.
_MOST_SPELT, _MOST_NAMED = 128, 1024
_MOST_HOUSES = 8
_OF_SEVERAL_KINDS = ("declare", "feat")
_RARE = ("feat", "excuse_alone", "fine", "fine_pot", "wrong_discard")


@dataclass(frozen=True, slots=True)
class Cell:
    """One player in a line of the sheet: a tap tells it of who sits at *seat*, by *name*.

    *facts* go along as they are written in a form. *entries* are the numbers under which it
    is told already; where it *may* not be told again, a tap takes it back.
    """

    seat: Seat
    name: str
    action: str
    facts: tuple[tuple[str, str], ...]
    entries: tuple[int, ...]
    may: bool


@dataclass(frozen=True, slots=True)
class Question:
    """One thing asked of every player: *name* names its words, *cells* answer it."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Declaring:
    """What who sits at *seat*, by *name*, may declare, or has to pay now and then."""

    seat: Seat
    name: str
    controls: tuple[Control, ...]


@dataclass(frozen=True, slots=True)
class Counting:
    """Whose card points are asked for, the *next* one first, and those that are known.

    *entry* takes all of them back, once they are told; a pile counts *most* at the most.
    """

    rows: tuple[Row, ...]
    next: Seat | None
    known: Mapping[Seat, int]
    entry: int | None
    most: int = ALL_POINTS


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that can be told of the running hand, in the order it happens.

    What is *asked* before it is written down are answers to what the slate asks then.
    """

    declaring: tuple[Declaring, ...]
    play: tuple[Question, ...]
    last: tuple[Question, ...]
    counting: Counting
    asked: tuple[Control, ...]
    rare: tuple[Declaring, ...]
    book: tuple[Control, ...]
    throw_in: tuple[Control, ...]
    only_result: bool
    must_balance: bool

    @property
    def is_open(self) -> bool:
        """Whether anything of the play is told, or may be: nothing is of a void hand."""
        cells = (cell for question in (*self.play, *self.last) for cell in question.cells)
        return any(cell.may or cell.entries for cell in cells)

    @property
    def singly(self) -> tuple[str, ...]:
        """Names of the questions as they are asked one at a time; the last one ends the hand."""
        if not self.is_open:
            return ("declare", "book")
        asked = ("asked",) if self.asked else ()
        names = [one.name for one in (*self.play, *self.last)]
        return ("declare", *names, "points", *asked, "book")


def one_by_one(board: Scoreboard) -> str | None:
    """Return the question that is due where they are asked one at a time; None for the sheet.

    It is where the answer begins that the table waits for; with no more to ask, writing down.
    """
    if not asked_singly():
        return None
    due = step(board)
    first = {"play": next(iter(FATES[_house(board).rule_set])), "last": "last_trick"}
    return first.get(due or "", due or "book")


def first_asked(board: Scoreboard, told: Sheet) -> str | None:
    """Return the question to begin with, where they are asked one at a time; None for the sheet.

    What comes before the one that is due is not passed over: a button may have told the last
    trick, and who opens the sheet then was asked for no pagat and no king. Nor does an answer
    lead on by itself: a second king may be lost.
    """
    due = one_by_one(board)
    if due not in ("last_trick", "points") or told.counting.known:
        return due
    answered = [one.name for one in (*told.play, *told.last) if any(c.entries for c in one.cells)]
    before = [one.name for one in told.play]
    return answered[-1] if set(answered) & set(before) else before[0]


def led_to(board: Scoreboard, reader: Reader) -> tuple[str, str] | None:
    """Return the question that the dealer's thumb leads to, and the part of the sheet it is of.

    None for the sheet and for a result alone, or where nothing is due. A button may have told
    the last trick: who counts at once has been asked for no pagat and no king.
    """
    due, part = one_by_one(board), step(board)
    told = None if due is None or part is None else sheet(board, reader)
    if due is None or part is None or told is None or told.only_result:
        return None
    first = first_asked(board, told)
    skips = due == "points" and first == told.play[0].name
    return (first, "play") if skips and first else (due, part)


def sheet(board: Scoreboard, reader: Reader) -> Sheet | None:
    """Return the sheet of the hand that runs at *board*; None between two hands."""
    active = players(board)
    if not active:
        return None
    offers = {offer.action for offer in board.offers}
    return Sheet(
        declaring=tuple(_declaring(board, active, reader)),
        play=tuple(_play(board, active)),
        last=tuple(_last(board, active)),
        counting=_counting(board, active),
        asked=tuple(_answers(board, reader)),
        rare=tuple(_of_each(board, active, reader, _RARE)),
        book=tuple(_of_table(board, reader, "book")),
        throw_in=tuple(_of_table(board, reader, "throw_in")),
        only_result="result" in offers,
        must_balance=_house(board).must_balance,
    )


def players(board: Scoreboard) -> tuple[Row, ...]:
    """Return who plays the running hand; nobody between two hands."""
    return tuple(row for row in board.rows if "in_hand" in row.flags)


def step(board: Scoreboard) -> str | None:
    """Return the step of the sheet that the table waits for; None if it waits for none."""
    return _STEPS.get(board.prompt.key) if board.prompt else None


def ending(board: Scoreboard, reader: Reader) -> list[Control]:
    """Return what ends the evening, which anybody who sits there may ask for."""
    return _of_table(board, reader, "settle")


def writing(board: Scoreboard, reader: Reader) -> list[Control]:
    """Return what writes the hand down, for all but who deals."""
    return _of_table(board, reader, "book")


def booking(board: Scoreboard, reader: Reader) -> list[Control]:
    """Return what writes the hand down, under the thumb of whoever deals."""
    row = board.row(board.dealer) if board.dealer is not None else None
    offers = [one for one in row.offers if one.action == "book"] if row else []
    return controls(offers, board.dealer, board, reader)


def _declaring(board: Scoreboard, active: tuple[Row, ...], reader: Reader) -> Iterator[Declaring]:
    """Yield what each may declare, in the order that names have in every line below."""
    known = DECLARATIONS[_house(board).rule_set]
    for one in _of_each(board, active, reader, ("declare",)):
        yield replace(one, controls=_by_worth(one.controls, known))


@lru_cache(_MOST_NAMED)
def _by_worth(found: tuple[Control, ...], known: tuple[str, ...]) -> tuple[Control, ...]:
    return tuple(sorted(found, key=lambda one: known.index(_what(one))))


def _of_each(
    board: Scoreboard, rows: Iterable[Row], reader: Reader, actions: tuple[str, ...]
) -> Iterator[Declaring]:
    for row in rows:
        found = [offer for offer in row.offers if offer.action in actions]
        made = controls(found, row.seat, board, reader)
        yield Declaring(row.seat, row.name, tuple(_named(control, reader) for control in made))


@lru_cache(_MOST_NAMED)
def _named(control: Control, reader: Reader) -> Control:
    """Return *control* called after what it is about where there are several of its action."""
    if control.action not in _OF_SEVERAL_KINDS:
        return control
    label = reader.say(f"{control.action}.{_what(control)}")
    return replace(control, label=" · ".join((label, *_settled(control, reader))))


def _settled(control: Control, reader: Reader) -> Iterator[str]:
    """Yield what *control* says besides, where nothing is left to choose of it by now."""
    for need, written in control.fixed:
        value = json.loads(written)
        if need == "count" and value is not None:
            yield str(value)
        elif need == "suit" and value is not None:
            yield reader.named(need, str(value))
        elif (need in ("pagat", "fool") and value is not None) or (need == "made" and not value):
            yield reader.say(f"choice.{need}.{value}")


def _what(control: Control) -> str:
    return str(json.loads(dict(control.fixed)["what"]))


def _answers(board: Scoreboard, reader: Reader) -> Iterator[Control]:
    """Yield what answers a question about the whole hand: which of it to take back, or to tell."""
    line = board.prompt
    if line is None or step(board) != "asked":
        return
    for number in cast("tuple[int, ...]", line.facts.get("entries", ())):
        told = next(one for one in board.draft if one.entry == number)
        for offer in (one for one in board.offers if one.action == "take_back"):
            (control,) = controls([_narrowed(offer, entry=number)], None, board, reader)
            label = f"{control.label}: {reader.tell(told.line, board)}"
            yield replace(control, label=label, about="")
    proven = [row for row in board.rows if any(one.action == "unclaimed" for one in row.offers)]
    for row in proven:
        # Where one took no trick another may have taken them all: the points do not tell which.
        is_asked = row.seat == line.facts.get("seat")
        kinds = (line.key.rpartition("-")[2],) if is_asked else ALL_TRICKS
        for feat in (one for kind in kinds for one in _feats(row, kind, board, reader)):
            yield replace(feat, label=f"{row.name}: {feat.label}") if len(proven) > 1 else feat
    for row in (one for one in proven if one.seat == line.facts.get("seat")):
        never_mind = [one for one in row.offers if one.action == "unclaimed"]
        yield from controls(never_mind, row.seat, board, reader)


def _feats(row: Row, what: str, board: Scoreboard, reader: Reader) -> Iterator[Control]:
    """Yield what tells that *row* made the feat *what*, and had not announced it."""
    plain = {"what": what, "announced": None, "made": True}
    feats = (one for one in row.offers if one.action == "feat")
    offers = [_narrowed(one, **plain) for one in feats if _covers(one, plain)]
    yield from (_named(one, reader) for one in controls(offers, row.seat, board, reader))


def _narrowed(offer: Offer, **facts: object) -> Offer:
    """Return *offer* with nothing left to choose but these *facts*."""
    return replace(offer, choices={need: (value,) for need, value in facts.items()})


def _of_table(board: Scoreboard, reader: Reader, action: str) -> list[Control]:
    return controls([one for one in board.offers if one.action == action], None, board, reader)


def _play(board: Scoreboard, active: tuple[Row, ...]) -> Iterator[Question]:
    """Yield what may become of pagat and kings before the last trick."""
    for what in FATES[_house(board).rule_set]:
        yield _question(board, active, what, partial(TellFate, what=what))


def _last(board: Scoreboard, active: tuple[Row, ...]) -> Iterator[Question]:
    """Yield who won the last trick, and who played to it what pays something there."""
    yield _question(board, active, "last_trick", LastTrick)
    yield _question(board, active, "last_pagat", partial(LastCard, card="pagat"))
    if "king_lost" in FATES[_house(board).rule_set]:
        yield _question(board, active, "last_king", partial(LastCard, card="king"))


def _question(
    board: Scoreboard,
    active: tuple[Row, ...],
    name: str,
    answer: Callable[[Seat], SeatAction],
) -> Question:
    return Question(name, tuple(_cell(board, row, answer(row.seat)) for row in active))


def _cell(board: Scoreboard, row: Row, action: SeatAction) -> Cell:
    said, facts, written = _spelt(action)
    entries = (told.entry for told in board.draft if told.line == said)
    return Cell(
        row.seat,
        row.name,
        action.name,
        written,
        tuple(number for number in entries if number is not None),
        any(_covers(one, facts) for one in row.offers if one.action == action.name),
    )


@lru_cache(_MOST_SPELT)
def _spelt(action: SeatAction) -> tuple[Line | None, Facts, tuple[tuple[str, str], ...]]:
    """Return what the ledger says of *action*, its facts, and those as a form says them."""
    entry = entry_of(action)
    facts = {one.name: getattr(action, one.name) for one in fields(action) if one.name != "seat"}
    written = tuple((need, json.dumps(value)) for need, value in facts.items())
    return said_of(entry) if entry else None, facts, written


def _covers(offer: Offer, facts: Mapping[str, object]) -> bool:
    return all(value in offer.choices.get(need, ()) for need, value in facts.items())


def _counting(board: Scoreboard, active: tuple[Row, ...]) -> Counting:
    known: dict[Seat, int] = {}
    entry = None
    for told in board.draft:
        seat, points = told.line.facts.get("seat"), told.line.facts.get("points")
        if told.entry is not None and isinstance(seat, Seat) and isinstance(points, int):
            known[seat], entry = points, told.entry
    asked = [row for row in active if any(one.action == "points" for one in row.offers)]
    # Who is asked last need not count: that is who takes what rounding leaves.
    rest = board.dealer if _house(board).c_residual == "dealer" else board.leader
    asked.sort(key=lambda row: row.seat == rest)
    return Counting(active, asked[0].seat if asked else None, known, entry)


def _house(board: Scoreboard) -> Options:
    """Return the house rules: the preset, and what the board tells of changes to it."""
    return _house_of(board.preset, tuple(board.options.items()))


@lru_cache(_MOST_HOUSES)
def _house_of(preset: str | None, changed: tuple[tuple[str, object], ...]) -> Options:
    return Options.from_mapping(dict(changed), PRESETS.get(preset or ""))
