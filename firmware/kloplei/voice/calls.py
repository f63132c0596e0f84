"""What is called out at a moment, in pieces that are said one behind the other.

A wording such as "{seat} klopt. {stake}!" falls apart where its facts stand: each piece between is
a clip of its own, and so is each figure and each seat. `phrases` tells them all, for whoever
renders or records them. The wording is chosen by the number of the journal entry, so that the same
evening always sounds the same, and no evening says the same thing all the time.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache
from itertools import count, takewhile
from typing import Final
from zlib import crc32

from kloplei.frozen import dataclass
from kloplei.games.catalogue import GAMES
from kloplei.games.game import Seat
from kloplei.games.moments import (
    ANSWER,
    LESSON,
    NO_STAKE,
    OPEN_RAISE,
    POT,
    STAKE,
    Moment,
    MomentKind,
)
from kloplei.games.scoreboard import GUIDE, Hand, Scoreboard
from kloplei.words.catalogue import Words, lent_by

DOMAIN = "voice"
"""The catalogue of what is called out."""
HIGHEST_FIGURE = 20
"""Figures up to here have a clip; a stake that is higher is said where a machine can speak."""
MOST_SEATS = 8
TEST = "test"
"""What the doctor lets it say."""

_FACT = re.compile(r"\{(\w+)\}")
_BEFORE = " ,:;.!?、。：！？"  # what a piece does not begin with: it belongs to the fact before it
_BEHIND = " ,:、："


class Urgency(IntEnum):
    """What goes first of all that is to be said; less is more urgent."""

    STAKE = 0  # what is played for: from the sound alone one must be able to follow it
    VICTORY = 1
    HAND = 2
    QUESTION = 3
    FEAT = 4
    ANSWER = 5
    LESSON = 6  # no news: it is said while it stands on the slate


_CALLS: Final[Mapping[str, Urgency]] = {
    "toep": Urgency.STAKE,
    "raise": Urgency.STAKE,
    "held": Urgency.STAKE,
    "armoede": Urgency.STAKE,
    STAKE: Urgency.STAKE,
    NO_STAKE: Urgency.STAKE,
    OPEN_RAISE: Urgency.STAKE,
    "rubber": Urgency.VICTORY,
    "game": Urgency.VICTORY,
    "toepkoning": Urgency.VICTORY,
    "treats": Urgency.VICTORY,
    "hand": Urgency.HAND,
    "hand-tricks": Urgency.HAND,
    "hand-folds": Urgency.HAND,
    "given-up": Urgency.HAND,
    "last-turn": Urgency.QUESTION,
    ANSWER: Urgency.QUESTION,
    "caught": Urgency.FEAT,
    "gestrichen": Urgency.FEAT,
    "unsealed": Urgency.FEAT,
    POT: Urgency.FEAT,
    "ultimo": Urgency.FEAT,
    "ultimo-lost": Urgency.FEAT,
    "tout": Urgency.FEAT,
    "nolo": Urgency.FEAT,
    "vole": Urgency.FEAT,
    "booked": Urgency.FEAT,
    "thirty-one": Urgency.FEAT,
    "three-alike": Urgency.FEAT,
    "three-aces": Urgency.FEAT,
    "stay": Urgency.ANSWER,
    "fold": Urgency.ANSWER,
    LESSON: Urgency.LESSON,
}
"""What is called out, by the name of its moment; nothing else is."""
_ENDS: Final = frozenset(
    {"rubber", "game", "toepkoning", "hand", "hand-tricks", "hand-folds", "given-up", NO_STAKE}
)
"""Calls after which nothing is played for any more."""
_VICTORIES = (MomentKind.CROWN, MomentKind.FANFARE)


@dataclass(frozen=True, slots=True)
class Piece:
    """Something said in one breath; *instead* stands in for it where nothing can say it."""

    text: str
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One call, as it may be said: the first of *wordings* of which every piece has a sound.

    *stake* is what it says that is played for, or raised to; 0 for nothing any more, None where it
    says nothing of it. *seq* is the journal entry that it tells.
    """

    wordings: tuple[tuple[Piece, ...], ...]
    urgency: Urgency
    seq: int = 0
    stake: int | None = None

    @property
    def text(self) -> str:
        """The wording that was chosen, to be read."""
        return " ".join(piece.text for piece in self.wordings[0])


class Phrasing:
    """What is called out in one language.

    Args:
        language: One of `kloplei.words.LANGUAGES`.
        names: Whether players are called by their names, or by their seats.
    """

    def __init__(self, language: str, *, names: bool = True) -> None:
        self.language = language
        self._names = names

    def spoken_in(self, language: str) -> "Phrasing":
        """Return the same in another *language*, where nobody speaks this one."""
        return self if language == self.language else Phrasing(language, names=self._names)

    def of(self, moments: Sequence[Moment], board: Scoreboard) -> Iterator[Utterance]:
        """Yield what is called out of *moments*, which lie between two looks at a table.

        A hand that ends a rubber is not called beside it, nor the stake as it stands beside a raise
        of it. *board* is the later look.
        """
        is_won = any(moment.kind in _VICTORIES for moment in moments)
        is_raised = any(
            moment.kind is MomentKind.CALL or moment.name == OPEN_RAISE for moment in moments
        )
        for moment in moments:
            if moment.kind is MomentKind.HAND and is_won:
                continue
            if moment.name == STAKE and is_raised:
                continue
            for name in _names_of(moment, board.hands):
                if found := self._utterance(name, moment, board):
                    yield found
                    break

    def stake(self, board: Scoreboard) -> Utterance | None:
        """Return the call of what is played for now; None while nothing is."""
        if board.stake is None:
            return None
        moment = Moment(MomentKind.NOTABLE, STAKE, board.seq, board.game, stake=board.stake)
        return self._utterance(STAKE, moment, board)

    def test(self) -> Utterance:
        """Return what is said to hear whether one hears it."""
        pieces = tuple(tuple(_pieces(one, {})) for one in _wordings(self.language, "", TEST))
        return Utterance(pieces, Urgency.STAKE)

    def _utterance(self, name: str, moment: Moment, board: Scoreboard) -> Utterance | None:
        if name not in _CALLS or (name == ANSWER and len(moment.seats) > 1):
            return None  # who knocked has asked them all; the last one is called by name
        facts = self._facts(moment, board)
        if name == LESSON and moment.line is not None:
            told: tuple[str, ...] = _lesson(self.language, moment.game, moment.line.key)
        else:
            told = _wordings(self.language, moment.game, name)
        wordings = [one for one in told if facts.keys() >= _named(one)]
        if not wordings:
            return None
        first = crc32(f"{name} {moment.seq}".encode()) % len(wordings)
        turned = wordings[first:] + wordings[:first]
        return Utterance(
            tuple(tuple(_pieces(one, facts)) for one in turned),
            _CALLS[name],
            moment.seq,
            _stake_told(name, moment, board),
        )

    def _facts(self, moment: Moment, board: Scoreboard) -> dict[str, tuple[Piece, ...]]:
        """Return how each fact of *moment* is said; those that are not known are left out."""
        told = dict(moment.line.facts) if moment.line else {}
        about: tuple[object, ...] = moment.seats
        told["stake"], told["proposed"] = _stake_of(moment, board), board.proposed
        if about:
            told = {"seat": about, **told, "seats": about}
        said = {fact: tuple(self._said(value, board)) for fact, value in told.items()}
        return {fact: pieces for fact, pieces in said.items() if pieces}

    def _said(self, value: object, board: Scoreboard) -> Iterator[Piece]:
        match value:
            case Seat():
                yield self._who(value, board)
            case tuple() if value and all(isinstance(one, Seat) for one in value):
                *others, last = value
                for one in others:
                    yield self._who(one, board)
                if others:
                    yield Piece(_word(self.language, "and"))
                yield self._who(last, board)
            case int():
                yield Piece(figure(self.language, value))

    def _who(self, seat: Seat, board: Scoreboard) -> Piece:
        place = _word(self.language, f"seat.{seat.shown}")
        name = board.names.get(seat, "")
        if not self._names or not name or lent_by(name) is not None:
            return Piece(place)
        return Piece(name, place)


def figure(language: str, number: int) -> str:
    """Return how *number* is said, in figures where there is no word for it."""
    if 0 < number <= HIGHEST_FIGURE:
        return _word(language, f"number.{number}")
    return str(number)


@cache
def phrases(language: str) -> tuple[str, ...]:
    """Return every piece that a pack of *language* has a clip of, each once, the calls first."""
    found: dict[str, None] = {}
    for name in (*_CALLS, TEST):
        for game in ("", *GAMES):
            for wording in _wordings(language, game, name):
                found.update((piece.text, None) for piece in _pieces(wording, {}))
    found[_word(language, "and")] = None
    found.update((figure(language, one), None) for one in range(1, HIGHEST_FIGURE + 1))
    seats = range(1, MOST_SEATS + 1)
    found.update((_word(language, f"seat.{one}"), None) for one in seats)
    for lesson in Words(language).keys(GUIDE):
        for wording in _lesson(language, "", lesson):
            found.update((piece.text, None) for piece in _pieces(wording, {}))
    return tuple(found)


def _names_of(moment: Moment, hands: Sequence[Hand]) -> Iterable[str]:
    """Return what *moment* may be called by, the best first."""
    if moment.kind is MomentKind.HAND and hands:
        return (f"hand-{hands[-1].how.removeprefix('how.')}", moment.name)
    if moment.kind in _VICTORIES:
        return (moment.name, "game")
    return (moment.name,)


def _stake_of(moment: Moment, board: Scoreboard) -> int | None:
    """Return what *moment* says that is played for: a raise that waits is not on the board yet."""
    told = moment.line.facts.get("stake") if moment.line else None
    return told if isinstance(told, int) else board.stake


def _stake_told(name: str, moment: Moment, board: Scoreboard) -> int | None:
    """Return what who hears the call *name* of *moment* takes to be played for, or raised to."""
    if name in _ENDS:
        return 0
    if _CALLS[name] is not Urgency.STAKE:
        return None
    return board.proposed if name == OPEN_RAISE else _stake_of(moment, board)


@cache
def _words(language: str) -> Words:
    return Words(language, domain=DOMAIN)


@cache
def _wordings(language: str, game: str, name: str) -> tuple[str, ...]:
    """Return in which words *name* may be called; those of a game take the place of all others."""
    for stem in (f"call.{game}.{name}", f"call.{name}"):
        told = (_words(language).unfilled(f"{stem}.{number}") for number in count(1))
        if found := tuple(one for one in takewhile(bool, told) if one):
            return found
    return ()


@cache
def _lesson(language: str, game: str, key: str) -> tuple[str, ...]:
    """Return what the slate says in a first hand: eyes and ears are told the same."""
    told = Words(language).of_game(game).unfilled(key)
    return (told,) if told else ()


def _word(language: str, key: str) -> str:
    return _words(language).unfilled(key) or ""


def _named(wording: str) -> set[str]:
    return set(_FACT.findall(wording))


def _pieces(wording: str, facts: Mapping[str, tuple[Piece, ...]]) -> Iterator[Piece]:
    """Yield what *wording* is put together of, without the facts that are not among *facts*."""
    for at, part in enumerate(_FACT.split(wording)):
        if at % 2:
            yield from facts.get(part, ())
        elif text := part.lstrip(_BEFORE).rstrip(_BEHIND):
            yield Piece(text)
