"""Who is reading: in which language, from which seat, and whether they may act.

It is all in the request: an address may say ``?lang=`` and ``?seat=``, cookies remember both.
"""

import secrets
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import cast

from flask import Response, g, request

from kloplei.frozen import dataclass, replace
from kloplei.games.cards import SUITS, Card
from kloplei.games.game import NO_FACTS, Facts, Seat
from kloplei.games.scoreboard import Line, Scoreboard
from kloplei.table.client import KEEPER, Doer, LogEntry
from kloplei.words.catalogue import LANGUAGES, Sentence, Words, sentence_of
from kloplei_panel.context import panel

LANGUAGE_COOKIE = "kloplei_lang"
PLACE_COOKIE = "kloplei_place"
SHEET_COOKIE = "kloplei_sheet"
PHONE_COOKIE = "kloplei_phone"
REMEMBERED_S = 180 * 24 * 3600
_PHONE_BYTES = 12
_LONGEST_PHONE = 32
SHEETS = _STEPS, _AT_ONCE = "steps", "all"
# Of five languages, in the words of the games that are played.
_KEPT_SENTENCES = 2048
_GERMAN_COURT: Mapping[str, str] = {"J": "unter", "Q": "ober", "K": "king"}
_OWN_WORDS = Path(__file__).parent / "words"


@cache
def shared_words(language: str, game: str = "", suits: tuple[str, ...] = ()) -> Words:
    """Return the sentences that slate and phones share, as said in *game* with these *suits*."""
    return Words(language).of_game(game, suits)


@cache
def own_words(language: str, game: str = "") -> Words:
    """Return the sentences of the pages alone, as they are said in *game*."""
    return Words(language, domain="panel", folder=_OWN_WORDS).of_game(game)


@lru_cache(_KEPT_SENTENCES)
def _plain(language: str, game: str, key: str) -> str:
    """Return the sentence *key* of the pages, which has no facts: half of what a page says."""
    return own_words(language, game).say(key)


@dataclass(frozen=True, slots=True)
class Reader:
    """The person behind a request.

    *place* is the seat number as shown (1-based), `KEEPER`, or None for somebody who only
    looks on. *may_act* is False for a phone that was not let in there. *game* is the one
    whose words they read, empty for those of any game, and *suits* what is on its German cards
    (`Scoreboard.suits`). *may_move_others* is False for a phone that
    may have no two people swap.
    """

    language: str
    place: int | str | None
    may_act: bool
    game: str = ""
    may_move_others: bool = True
    suits: tuple[str, ...] = ()

    @property
    def seat(self) -> Seat | None:
        """The seat they sit at, if any."""
        return Seat(self.place - 1) if isinstance(self.place, int) else None

    @property
    def doer(self) -> Doer:
        """Who does what they press: whoever sits there, or the keeper; None tells no place."""
        return KEEPER if self.is_keeper else self.seat

    @property
    def is_keeper(self) -> bool:
        """Whether they keep the slate."""
        return self.place == KEEPER

    def looking_on(self) -> "Reader":
        """The same person, away from any seat."""
        return self if self.place is None else replace(self, place=None)

    def at(self, board: Scoreboard) -> "Reader":
        """The same person, who reads of the game that is played at *board*."""
        return replace(self, game=board.game, suits=board.suits)

    def in_game(self, game: str) -> "Reader":
        """The same person, who reads of *game*."""
        return replace(self, game=game, suits=self.suits if game == self.game else ())

    def reads(self, board: Scoreboard) -> Scoreboard:
        """Return *board* with the names that seats lent in the reader's language."""
        words = shared_words(self.language, board.game)
        rows = tuple(replace(row, name=words.called(row.name)) for row in board.rows)
        return replace(board, rows=rows)

    def say(self, key: str, **facts: object) -> str:
        """Return a sentence of the pages."""
        if not facts:
            return _plain(self.language, self.game, key)
        return own_words(self.language, self.game).say(key, facts)

    def known(self, key: str, **facts: object) -> str | None:
        """Return a sentence of the pages, or None if there is none."""
        sentence = self.say(key, **facts)
        return None if sentence == key else sentence

    def tell(self, line: Line | None, board: Scoreboard) -> str:
        """Return the shared sentence *line*, with the names of who sits at *board*; "" for none."""
        if line is None:
            return ""
        words = shared_words(self.language, board.game, board.suits)
        return words.say(line.key, line.facts, board.names)

    def why(self, error: Exception) -> str:
        """Return what *error* says, in the reader's language where it can be told in others."""
        return self.quote(sentence_of(error))

    def why_no_option(self, error: Exception) -> str | None:
        """Return why a house rule that somebody typed cannot be, with the words that can.

        None if *error* is about something else.
        """
        sentence = sentence_of(error)
        if not isinstance(sentence, Sentence) or sentence.cause != "bad-option":
            return None
        words = cast("Sequence[str]", sentence.facts["words"])
        allowed = [self.option_value(one) for one in words]
        if besides := sentence.facts["besides"]:
            allowed.append(str(besides))
        facts = {**sentence.facts, "allowed": ", ".join(allowed)}
        said = self.word("cause.bad-option", facts)
        return said and f"{said.removesuffix('.')}."

    def quote(self, sentence: str) -> str:
        """Return *sentence* in the reader's language where it can be told in others."""
        return shared_words(self.language, self.game).tell(sentence)

    def recall(self, entry: LogEntry) -> str:
        """Return all that *entry* tells, with the names of who sat there then."""
        suits = self.suits if entry.game == self.game else ()
        words = shared_words(self.language, entry.game, suits)
        lines = (*entry.before, entry.line)
        return " ".join(words.say(one.key, one.facts, entry.names) for one in lines)

    def who_did(self, entry: LogEntry) -> str:
        """Return who did what *entry* tells, and about whom where it does not say so itself."""
        keeper = self.say("place.keeper")
        who = keeper if entry.seat is None else self.name_at(entry.seat, entry.names)
        told = [fact for one in (*entry.before, entry.line) for fact in one.facts.values()]
        if entry.about is None or entry.about in told:
            return who
        return self.say("log.about", who=who, of=self.name_at(entry.about, entry.names))

    def name_at(self, seat: Seat, names: Mapping[Seat, str]) -> str:
        """Return who of *names* sits at *seat*, or which seat it is."""
        words = shared_words(self.language, self.game)
        return words.called(names.get(seat, "")) or self.say("seat.number", number=seat.shown)

    def named(self, fact: str, value: str) -> str:
        """Return how the *value* of a *fact* is called: the suit "H" is hearts."""
        return shared_words(self.language, self.game, self.suits).name(fact, value)

    def drawn(self, suit: str) -> str | None:
        """Return the symbol of ``cards.svg`` for *suit*; None where it has a sign of its own."""
        return self.suits[SUITS.index(suit)] if self.suits and suit in SUITS else None

    def court(self, card: Card) -> str | None:
        """Return the symbol for who is on *card*, if anybody is drawn there.

        It is one of ``cards.svg`` beside a suit that is drawn, else one of ``figures.svg``.
        """
        return _GERMAN_COURT.get(card.rank) if self.drawn(card.suit) else card.figure

    def face(self, card: Card) -> str:
        """Return what stands on *card*; one of no suit has its number there, if it has one."""
        if self.drawn(card.suit):
            letter = f"card-letter.german.{card.rank}"
            return self.word(letter) or card.rank
        return self.named("card", str(card)) if card.suit in SUITS or not card.rank else card.rank

    def option_value(self, written: str) -> str:
        """Return the word for the value of a house rule, or as it is *written* in the rules."""
        return self.word(f"option-value.{written}") or written

    def amount(self, of: str, n: int) -> str:
        """Return so many *of* what is counted: ``amount.<of>``, such as hands or evenings."""
        return shared_words(self.language, self.game).say(f"amount.{of}", {"n": n})

    def word(self, key: str, facts: Facts = NO_FACTS) -> str | None:
        """Return the shared sentence *key*, or None if there is none."""
        sentence = shared_words(self.language, self.game).say(key, facts)
        return None if sentence == key else sentence


def reader() -> Reader:
    """Return who made this request."""
    if "reader" not in g:
        place = _place()
        g.reader = Reader(
            language_asked(), place, _may_act(place), may_move_others=panel().pairing.may_keep
        )
    found: Reader = g.reader
    return found


def here() -> str:
    """Return the query that keeps a place given in the address, for links and forms.

    So two phones, or two frames of the demo, in one browser keep to their own seats. Nor does a
    sheet that was asked for (`asked_singly`) fold up where pages do not draw themselves.
    """
    place, kind = request.args.get("seat", ""), request.args.get("sheet")
    kept = [f"seat={place}"] if place.isalnum() and place.isascii() else []
    kept += [f"sheet={kind}"] if kind in SHEETS else []
    return f"?{'&'.join(kept)}" if kept else ""


def and_here(query: str) -> str:
    """Return the *query* that `here` gave as it goes on behind another one."""
    return query.replace("?", "&", 1)


def asked_singly() -> bool:
    """Whether who tells a hand wants one question at a time (``?sheet=steps``), or all at once."""
    return request.args.get("sheet", request.cookies.get(SHEET_COOKIE)) == _STEPS


def remember_choices(response: Response) -> Response:
    """Keep a ``?lang=``, ``?seat=`` or ``?sheet=`` of this request in cookies, for the next."""
    if _is_at_the_door(response) and not phone_asking():
        _remember(response, PHONE_COOKIE, secrets.token_urlsafe(_PHONE_BYTES))
    if "sheet" in request.args:
        _remember(response, SHEET_COOKIE, _STEPS if asked_singly() else _AT_ONCE)
    if request.args.get("lang") in LANGUAGES:
        _remember(response, LANGUAGE_COOKIE, reader().language)
    if "seat" in request.args:
        place = reader().place
        if place is None:
            response.delete_cookie(PLACE_COOKIE)
        else:
            _remember(response, PLACE_COOKIE, str(place))
    return response


def phone_asking() -> str:
    """Return what tells this phone from others at its address, "" while nothing does.

    It opens nothing, and anybody may say another: the door counts addresses all the same.
    """
    said = request.cookies.get(PHONE_COOKIE, "")
    return said if len(said) <= _LONGEST_PHONE and said.isascii() and said.isprintable() else ""


def _is_at_the_door(response: Response) -> bool:
    """Whether *response* is a page on which its reader may ask to be let in."""
    if request.method != "GET" or response.mimetype != "text/html" or not panel().pairing.locked:
        return False
    return reader().place is not None and not reader().may_act


def whole(written: str, most: int) -> int | None:
    """Return the number that up to *most* plain digits spell, None if *written* is no such thing.

    Not with `int`, which also takes signs, blanks, underscores and the digits of other scripts,
    and takes its time over a million of them.
    """
    if not (written.isascii() and written.isdigit() and len(written) <= most):
        return None
    return int(written)


def _may_act(place: int | str | None) -> bool:
    """Whether the phone of this request may act from *place*; who has none, as the keeper."""
    pairing = panel().pairing
    return pairing.may_act_for(Seat(place - 1)) if isinstance(place, int) else pairing.may_keep


def _remember(response: Response, name: str, value: str) -> None:
    response.set_cookie(name, value, max_age=REMEMBERED_S, samesite="Lax", httponly=True)


def language_asked() -> str:
    """Return the language in which this request reads, wherever that is told."""
    for asked in (request.args.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if asked is not None and asked in LANGUAGES:
            return asked
    return request.accept_languages.best_match(LANGUAGES) or panel().settings.language


def _place() -> int | str | None:
    asked = request.args.get("seat", request.cookies.get(PLACE_COOKIE, ""))
    if asked == KEEPER:
        return KEEPER
    # There is no place 0.
    number = whole(asked, most=3) or None
    return number and panel().pairing.seat_now(number)
