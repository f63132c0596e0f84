"""Look up a sentence by its key and fill in its facts; what went wrong is such a `Sentence`.

Where games mean different things by one word, each may have a sentence of its own: in Watten
``action.watten.fold`` goes before ``action.fold``.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property, lru_cache
from math import ceil
from pathlib import Path
from string import Formatter
from struct import unpack_from
from typing import Self

from kloplei.files import KlopleiError
from kloplei.games.cards import GERMAN, SUITS
from kloplei.games.game import NO_FACTS, Facts, Seat

LANGUAGES: Mapping[str, str] = {
    "nl": "Nederlands",
    "en": "English",
    "de": "Deutsch",
    "da": "Dansk",
    "ja": "日本語",
}
"""What we speak, and how each language calls itself; the only list there is.

One more is a folder beside this file, one in the panel's words, and a line here.
"""

_HERE = Path(__file__).parent
_NO_NAMES: Mapping[Seat, str] = {}
_REASON = "reason."
_CAUSE = "cause."
_WAIT = "wait_s"
_LENT = "seat.lent"
_NUMBER = "0"  # stands for the number of the seat
OF_PEOPLE = ("name", "before", "seat", "of")
"""Facts that are what somebody is or was called, where they are texts."""
_STOP = ".。!！"
_LITTLE_ENDIAN, _MAGIC = b"\xde\x12\x04\x95", 0x950412DE
_SOON_S = 90  # up to here a wait is told in seconds, then in minutes


class Words:
    """The sentences of one language.

    Args:
        language: One of `LANGUAGES`; any other falls back to English.
        domain: Name of the catalogue files.
        folder: Folder with ``<language>/LC_MESSAGES/<domain>.mo``.
    """

    def __init__(self, language: str, *, domain: str = "kloplei", folder: Path = _HERE) -> None:
        self.language = language if language in LANGUAGES else "en"
        self._game = ""
        self._suits: Mapping[str, str] = {}
        told = (_message_file(domain, folder, one) for one in (self.language, "en"))
        self._files = tuple(filter(None, told))

    def of_game(self, game: str, suits: Sequence[str] = ()) -> Self:
        """Return the same sentences, but those that *game* has of its own before the shared.

        *suits* are what `SUITS` are in the German pack it is played with; none: a French one.
        """
        own = copy(self)
        own._game = game  # noqa: SLF001
        own._suits = dict(zip(SUITS, suits, strict=True)) if suits else {}  # noqa: SLF001
        return own

    def say(self, key: str, facts: Facts = NO_FACTS, names: Mapping[Seat, str] = _NO_NAMES) -> str:
        """Return the sentence *key* with *facts* filled in, seats by their *names*.

        The game's own sentence goes before the shared one (`of_game`).
        A fact ``n`` picks the plural form. A fact that is None or empty is not known; a
        sentence that needs it gives way to ``<key>.without-<fact>`` if there is one. A refusal
        without a sentence gets a general one, any other key comes back as it is: better an
        odd word on the slate than none.
        """
        known = {
            fact: self._spoken(fact, value, names)
            for fact, value in facts.items()
            if value is not None and value != ()
        }
        if "message" in known and "cause" in known:
            known["message"] = self.quoted(facts, names)
        if "step" in known and known.get("of", "") in known["step"]:
            known.pop("of", None)  # whose step it was it says itself
        key = self._own(key)
        sentence = self._find(key, facts.get("n"))
        if sentence is None:
            return self._unheard_of(key)
        # One life may be told without a number: the form that is picked needs it all the same.
        for fact in (*_facts_in(sentence), *(["n"] if "n" in facts else [])):
            if fact not in known:
                sentence = self._find(f"{key}.without-{fact}", facts.get("n")) or sentence
        return sentence.format_map(_Blanks(known))

    def unfilled(self, key: str) -> str | None:
        """Return the sentence *key* with its facts left open; None if there is none."""
        return self._find(self._own(key))

    def keys(self, beginning: str) -> tuple[str, ...]:
        """Return the keys of all sentences that begin like that, in the order of letters."""
        return tuple(dict.fromkeys(one for file in self._files for one in file.keys(beginning)))

    def tell(self, sentence: str) -> str:
        """Return *sentence* in this language if it is a `Sentence`, any other as it is."""
        if isinstance(sentence, Sentence) and self.language != "en":
            return self._because(sentence.cause, sentence.facts, _NO_NAMES) or sentence
        return sentence

    def quoted(self, facts: Facts, names: Mapping[Seat, str] = _NO_NAMES) -> str:
        """Return the message among *facts* (`message_facts`), in this language if it may be."""
        cause = facts.get("cause")
        said = self._because(cause, facts, names) if isinstance(cause, str) else None
        return said or str(facts["message"])

    def called(self, name: str) -> str:
        """Return *name* in this language if a seat lent it in any, else as it is."""
        lent, sentence = lent_by(name), self._find(_LENT)
        if lent is None or sentence is None:
            return name
        number, again = lent
        said = sentence.format(number=number) + again
        return name if name.casefold() == said.casefold() else said

    def name(self, fact: str, value: str) -> str:
        """Return how the *value* of a *fact* is called: the suit "H" is hearts.

        Some have a word of their own: the preset "kroeg" is "Pub" in English.
        """
        word = self._find(self._own(f"{fact}.{value}"))
        return word or self._numbered(fact, value) or self._card(fact, value) or value

    def number(self, value: float, form: str = ".10g") -> str:
        """Return *value* by Python's format *form*, with the decimal point of this language."""
        return format(value, form).replace(".", _point(self.language))

    def _because(self, cause: str, facts: Facts, names: Mapping[Seat, str]) -> str | None:
        """Return the sentence ``cause.<cause>``; None where a newer table sent one unknown here."""
        if self._find(f"{_CAUSE}{cause}") is None:
            return None
        own = {fact: value for fact, value in facts.items() if fact not in ("cause", "message")}
        return self.say(f"{_CAUSE}{cause}", own, names)

    def _own(self, key: str) -> str:
        """Return what the sentence *key* is called with these cards, or else in this game."""
        family, _, rest = key.partition(".")
        german = f"{family}.{GERMAN}.{rest}"
        if family == "suit" and rest in self._suits:
            return f"{family}.{self._suits[rest]}"
        if self._suits and self._find(german) is not None:
            return german
        own = f"{family}.{self._game}.{rest}"
        return own if self._game and self._find(own) is not None else key

    def _find(self, key: str, n: object = None) -> str | None:
        return _looked_up(self._files, key, n if isinstance(n, int) else None)

    def _unheard_of(self, key: str) -> str:
        general = self._find(f"{_REASON}unknown") if key.startswith(_REASON) else None
        if general is None:
            return key
        return general.format(reason=key.removeprefix(_REASON).replace("_", " "))

    def _spoken(self, fact: str, value: object, names: Mapping[Seat, str]) -> str:
        match value:
            case Seat():
                return self.called(names.get(value, "")) or self._unnamed(value)
            case str() if fact in OF_PEOPLE:
                return self.called(value)
            case tuple():
                return self.listed([self._spoken(fact, one, names) for one in value])
            case {"key": str(key), "facts": Mapping() as facts}:  # a sentence within another
                return self.say(self._retold(key), facts, names).rstrip(_STOP)
            case str():
                return self.name(fact, value)
            case int() if fact == _WAIT:
                return self._span(value)
            case float():
                return self.number(value)
            case _:
                return str(value)

    def _retold(self, key: str) -> str:
        """Return what the news *key* is called as a step, if it asks or calls out as news."""
        retold = f"step.{key.removeprefix('news.')}"
        return key if self._find(retold) is None else retold

    def _numbered(self, fact: str, value: str) -> str | None:
        """Return the word for one of many things: the part "pad 3"."""
        thing, _, number = value.rpartition(" ")
        word = self._find(f"{fact}.{thing}") if number.isdecimal() else None
        return word and word.format(number=number)

    def _card(self, fact: str, value: str) -> str | None:
        """Return the sign and the letter of a card: "HK" is ♥K, and ♥H in Dutch.

        German cards are called in full: Herz König. Some packs write the rank first: "KH".
        Cards of no suit have a word before their number: "T21" is tarok 21.
        """
        if fact != "card":
            return None
        suit, rank = _suit_and_rank(value)
        if suit in self._suits:
            spoken = {"suit": self.name("suit", suit), "rank": self.name("rank", rank)}
            return (self._find(f"card.{GERMAN}") or "{suit} {rank}").format_map(spoken)
        if sign := self._find(f"card-sign.{suit}"):
            return sign + (self._find(self._own(f"card-letter.{rank}")) or rank)
        word = self._find(f"card-of.{suit}")
        return word and word.format(number=rank)

    def _span(self, seconds: int) -> str:
        """Return a wait as people say it, never too short: "45 s", "15 min"."""
        if seconds <= _SOON_S:
            return (self._find("span.seconds") or "{number}").format(number=seconds)
        return (self._find("span.minutes") or "{number}").format(number=ceil(seconds / 60))

    def _unnamed(self, seat: Seat) -> str:
        return (self._find("seat.unnamed") or "{number}").format(number=seat.shown)

    def listed(self, things: Sequence[str]) -> str:
        """Join as people do: "Thijs, Tame en Stan"; nothing where there is nothing."""
        *others, last = things or [""]
        if not others:
            return last
        rest = (self._find("list.comma") or ", ").join(others)
        return (self._find("list.last") or "{rest}, {last}").format(rest=rest, last=last)


class _MessageFile:
    """A compiled catalogue of gettext's, of which a sentence is read when somebody asks for it.

    gettext itself reads all of them first: the first page waited longer for that than for its own
    drawing, because somebody may have lent a name in any language. In the file keys stand in order.
    """

    def __init__(self, path: Path) -> None:
        self._raw = path.read_bytes()
        self._order = "<" if self._raw.startswith(_LITTLE_ENDIAN) else ">"
        magic, self._count, keys, texts = self._numbers("I4x3I", 0)
        if magic != _MAGIC:
            raise OSError(f"{path} is no compiled catalogue")
        # Of each its length and where it begins.
        self._keys = self._numbers(f"{2 * self._count}I", keys)
        self._texts = self._numbers(f"{2 * self._count}I", texts)

    def find(self, key: str, n: int | None) -> str | None:
        """Return the sentence *key*, in the form for *n* things; None if there is none."""
        wanted = key.encode()
        at = bisect_left(range(self._count), wanted, key=self._key)
        found = self._key(at) if at < self._count else b""
        if found == wanted:
            return self._text(at) if n is None else None
        if not found.startswith(wanted + b"\0"):  # behind it stands the key of its plural
            return None
        return self._text(at).split("\0")[self._form_of(1 if n is None else n)]

    def keys(self, beginning: str) -> Iterator[str]:
        """Yield the keys that begin like that."""
        wanted = beginning.encode()
        first = bisect_left(range(self._count), wanted, key=self._key)
        for at in range(first, self._count):
            key = self._key(at).split(b"\0")[0]
            if not key.startswith(wanted):
                return
            yield key.decode()

    @cached_property
    def _form_of(self) -> Callable[[int], int]:
        import gettext

        told = re.search(r"Plural-Forms:.*?plural=([^;\n]*)", self._text(0))
        form_of: Callable[[int], int] = gettext.c2py(told[1] if told else "n != 1")
        return form_of

    def _key(self, at: int) -> bytes:
        begin = self._keys[2 * at + 1]
        return self._raw[begin : begin + self._keys[2 * at]]

    def _text(self, at: int) -> str:
        begin = self._texts[2 * at + 1]
        return self._raw[begin : begin + self._texts[2 * at]].decode()

    def _numbers(self, which: str, begin: int) -> tuple[int, ...]:
        return unpack_from(self._order + which, self._raw, begin)


@cache
def _message_file(domain: str, folder: Path, language: str) -> _MessageFile | None:
    path = folder / language / "LC_MESSAGES" / f"{domain}.mo"
    return _MessageFile(path) if path.is_file() else None


@lru_cache(maxsize=4096)  # a page looks up some hundred keys, mostly those of the one before
def _looked_up(files: tuple[_MessageFile, ...], key: str, n: int | None) -> str | None:
    forms = [None] if n is None else [n, None]
    found = (file.find(key, form) for form in forms for file in files)
    return next((one for one in found if one is not None), None)


@cache
def _point(language: str) -> str:
    return Words(language).name("number", "point")


@lru_cache(maxsize=256)
def lent_by(name: str) -> tuple[str, str] | None:
    """Return the number of the seat that lent *name*, in whatever language, and what follows it.

    Who took it for a name of their own is called like that seat as well.
    """
    found = _lent_in_any().fullmatch(name)
    return None if found is None else (found["number"], found["again"])


@cache
def _lent_in_any() -> re.Pattern[str]:
    said = (Words(language).say(_LENT, {"number": _NUMBER}) for language in LANGUAGES)
    lent = "|".join(re.escape(one).replace(_NUMBER, r"\d") for one in said)
    return re.compile(rf"(?=\D*(?P<number>\d))(?:{lent})(?P<again>( \(\d+\))?)", re.IGNORECASE)


class Sentence(str):
    """What went wrong, in English for the log, that slate and phones can say in their own language.

    The catalogues hold it as ``cause.<cause>``. It is a text like any other wherever nobody asks
    for more: what is made of it, such as ``str(sentence)``, is English and no more than that.

    Args:
        cause: Key of the sentence.
        facts: What it is filled in with.
    """

    __slots__ = ("cause", "facts")
    cause: str
    facts: Facts

    def __new__(cls, cause: str, /, **facts: object) -> Self:
        """Say it in English."""
        return cls.sent(_ENGLISH.say(f"{_CAUSE}{cause}", facts), cause, facts)

    @classmethod
    def sent(cls, english: str, cause: str, facts: Facts) -> Self:
        """Return the sentence that another program calls *cause* and says as *english*."""
        sentence = super().__new__(cls, english)
        sentence.cause, sentence.facts = cause, facts
        return sentence


class SentenceError(KlopleiError):
    """An error that is always made of a *sentence*, which slate and phones can say."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def sentence_of(error: Exception) -> str:
    """Return what *error* says, as the `Sentence` it was made of if it was made of one."""
    said = error.args[0] if len(error.args) == 1 else None
    return said if isinstance(said, Sentence) else str(error)


def message_facts(message: str) -> Facts:
    """Return *message* as the facts of a sentence that quotes it, with what tells its cause."""
    if not isinstance(message, Sentence):
        return {"message": message}
    return {**message.facts, "message": str(message), "cause": message.cause}


class _Blanks(dict[str, str]):
    """Facts for a sentence; one that is not known is left open."""

    def __missing__(self, fact: str) -> str:
        return "…"


def _suit_and_rank(card: str) -> tuple[str, str]:
    """Return the two parts of a card's name, whichever it begins with."""
    if card[-1:] in SUITS:  # no rank ends like a suit
        return card[-1:], card[:-1]
    return card[:1], card[1:]


@lru_cache(maxsize=1024)
def _facts_in(sentence: str) -> tuple[str, ...]:
    return tuple(fact for _, fact, _, _ in Formatter().parse(sentence) if fact)


# Read before anything fails: a disk that has died is told of by words that stood on it.
_ENGLISH = Words("en")
