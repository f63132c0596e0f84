"""House rules of any game: options with a default each, written as its rule page spells them.

An option is a field of the game's own `HouseRules`. One that is a word names its words in its
annotation, ``Literal["cap", "record"] = "cap"``, the default first; how others are written stands
beside their default (`on_off`, `whole`, `endless` ...). Values come in as text from pages, settings
and records, and go out as the rules spell them; one that cannot be is refused with all that can.
"""

from collections.abc import Mapping
from dataclasses import Field, field, fields, replace
from typing import Any, ClassVar, Self, cast, get_args

from kloplei import validation
from kloplei.files import KlopleiError
from kloplei.frozen import dataclass
from kloplei.games.cards import GERMAN_SUITS
from kloplei.games.game import Facts

_KEY = "spelling"
_ALIASES = "aliases"
_NO_ALIASES: Mapping[str, str] = {}
_NO_SPELLING = str.maketrans("_-,[]", "     ")  # how words are kept apart, or listed
_SUITS = str.maketrans("♥♦♠♣", "HDSC")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the values of one option are written: *words* by their spelling, then numbers.

    *least* None means that the option takes no numbers; from there they go up by *step*. *unit*
    may follow one ("1 per hand"). *aliases* are other spellings of a word, read but never written.
    """

    words: Mapping[str, object]
    least: int | None = None
    most: int | None = None
    unit: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)
    step: int = 1

    def read(self, written: object) -> tuple[object] | None:
        """Return the value that *written* stands for, in a tuple, or None if there is none."""
        if isinstance(written, bool):
            return self._read_switch(written)
        if isinstance(written, int) and self._in_range(written):
            return (written,)
        if not isinstance(written, str | int):
            return None
        written = str(written)  # some words are numbers: three cards, or four
        spelled = {**{word: word for word in self.words}, **self.aliases}
        for spelling, word in spelled.items():
            if _plain(spelling) == _plain(written):
                return (self.words[word],)
        if written.lstrip().startswith("-"):
            return None  # less than nothing; a "-" between words is only a blank
        number = _plain(written).removesuffix(_plain(self.unit)).strip()
        # Six digits are plenty; longer ones are no house rule but an attack.
        if not (number.isascii() and number.isdigit() and len(number) <= 6):
            return None
        return (int(number),) if self._in_range(int(number)) else None

    def can_be(self, value: object) -> bool:
        """Return whether the option can have the *value* itself, as code gives it."""
        if any(value == one and type(value) is type(one) for one in self.words.values()):
            return True
        number = isinstance(value, int) and not isinstance(value, bool)
        return number and self.read(value) == (value,)

    def write(self, value: object) -> str | int:
        """Return *value* as the rules spell it."""
        for word, meant in self.words.items():
            if meant == value and type(meant) is type(value):
                return word
        number = cast("int", value)
        return f"{number} {self.unit}" if self.unit and number else number

    def allowed(self) -> str:
        """Return what may be written, for people."""
        spelled = list(self.words)
        if self.least is not None:
            to = f" to {self.most}" if self.most is not None else " or more"
            by = f" by {self.step}" if self.step > 1 else ""
            spelled.append(f"a whole number, {self.least}{to}{by}")
        return ", ".join(spelled)

    def in_signs(self) -> str:
        """Return the same without a word of any language but those that are to be written."""
        return ", ".join(filter(None, (*self.words, self.besides_words())))

    def besides_words(self) -> str:
        """Return what may be written besides words, in signs: "0, 5, … 100"; empty for nothing."""
        if self.least is None:
            return ""
        if self.step == 1:
            return f"{self.least}+" if self.most is None else f"{self.least}–{self.most}"
        second = self.least + self.step
        if self.most == second:
            return f"{self.least}, {second}"
        return f"{self.least}, {second}, …" + ("" if self.most is None else f" {self.most}")

    def _read_switch(self, on: bool) -> tuple[object] | None:
        # YAML 1.1 reads a bare `off` or `no` as false before we see the word.
        for word in ("on", "yes") if on else ("off", "no"):
            if word in self.words:
                return (self.words[word],)
        return None

    def _in_range(self, number: int) -> bool:
        if self.least is None or number < self.least or (number - self.least) % self.step:
            return False
        return self.most is None or number <= self.most


@dataclass(frozen=True, slots=True)
class CardList(Spelling):
    """An option that is a list of different *known* cards, at most *most_cards*, or a word.

    Its value is the text of it, "HK D6 S7": that is how it is written, and how it is kept.
    """

    known: tuple[str, ...] = ()
    most_cards: int = 5
    example: str = ""

    def read(self, written: object) -> tuple[object] | None:
        """Return the cards that *written* stands for, or what its word means."""
        if found := Spelling.read(self, written):
            return found
        cards = _plain(str(written).translate(_SUITS)).upper().split()
        fits = len(set(cards)) == len(cards) <= self.most_cards and set(cards) <= {*self.known}
        return (" ".join(cards),) if cards and fits else None

    def can_be(self, value: object) -> bool:
        """Return whether the option can have the *value* itself, as code gives it."""
        return value in self.words.values() or self.read(value) == (value,)

    def allowed(self) -> str:
        """Return what may be written, for people."""
        return f"{', '.join(self.words)}, cards such as {self.example} (1 to {self.most_cards})"

    def besides_words(self) -> str:
        """Return an example of cards, and how many there may be."""
        return f"{self.example} (1–{self.most_cards})"


def _plain(written: str) -> str:
    return " ".join(written.lower().translate(_NO_SPELLING).split())


def words(default: str, aliases: Mapping[str, str]) -> Any:
    """Declare an option that is one of the words of its annotation; *aliases* are others."""
    return field(default=default, metadata={_ALIASES: aliases})


def on_off(default: bool) -> Any:
    """Declare an option that is on or off."""
    return field(default=default, metadata={_KEY: Spelling({"on": True, "off": False})})


def yes_no(default: bool, *, aliases: Mapping[str, str] = _NO_ALIASES) -> Any:
    """Declare an option that is yes or no; *aliases* are other spellings of these."""
    spelling = Spelling({"yes": True, "no": False}, aliases=aliases)
    return field(default=default, metadata={_KEY: spelling})


def whole(default: int, least: int, most: int | None = None, *, step: int = 1) -> Any:
    """Declare an option that is a whole number from *least* to *most*, up by *step*."""
    return field(default=default, metadata={_KEY: Spelling({}, least, most, step=step)})


def cards_or(word: str, known: tuple[str, ...], most: int, example: str) -> Any:
    """Declare an option that is a list of *known* cards, or *word* for none of its own (None)."""
    spelling = CardList({word: None}, known=known, most_cards=most, example=example)
    return field(default=None, metadata={_KEY: spelling})


def endless(word: str, least: int, unit: str = "") -> Any:
    """Declare an option that is a whole number from *least*, or *word* for no end (None)."""
    return field(default=None, metadata={_KEY: Spelling({word: None}, least, unit=unit)})


def number_or(words: Mapping[str, object], least: int) -> Any:
    """Declare an option that is a whole number from *least*, or one of *words*, the first first."""
    default = next(iter(words.values()))
    return field(default=default, metadata={_KEY: Spelling(words, least)})


def spelling_of(one: "Field[Any]") -> Spelling:
    """Return how the option declared by the field *one* is spelled, by its words if not else."""
    if _KEY in one.metadata:
        return cast("Spelling", one.metadata[_KEY])
    spelled = {word: word for word in get_args(one.type)}
    return Spelling(spelled, aliases=one.metadata.get(_ALIASES, _NO_ALIASES))


class BadOption(KlopleiError, ValueError):
    """An option that does not exist, or a value it cannot have.

    *facts* tell the latter in any language: the ``option``, the ``value``, and what is ``allowed``:
    its ``words``, and what may be written ``besides`` them.
    """

    def __init__(self, english: str, facts: Facts | None = None) -> None:
        super().__init__(english)
        self.facts = facts


class UnknownOption(BadOption):
    """A game has no such house rule; *facts* tell only its ``word``."""


@dataclass(frozen=True, slots=True)
class HouseRules:
    """How a house plays; a game's own class adds the options, declared with `spelling`.

    Raises:
        BadOption: A value that the option cannot have.
    """

    game: ClassVar[str]  # as people say it, to begin a sentence with
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # names of options that belong together

    def __post_init__(self) -> None:
        for name, spelling in _spellings(type(self)).items():
            if not spelling.can_be(getattr(self, name)):
                raise _bad_value(name, spelling, getattr(self, name))

    @classmethod
    def from_mapping(cls, written: Mapping[str, object], base: Self | None = None) -> Self:
        """Return *base* (the document's defaults) changed by *written*.

        Values are spelled as in the rules; YAML's true and false serve for on/off and
        yes/no, and a number may be written as text.

        Raises:
            BadOption: No such option, or a value that it cannot have.
        """
        changes = {name: cls._read(name, value) for name, value in written.items()}
        return replace(base or cls(), **changes)

    @classmethod
    def spellings(cls) -> Mapping[str, Spelling]:
        """Return how each option is spelled."""
        return _spellings(cls)

    @classmethod
    def choices(cls) -> dict[str, str]:
        """Return what may be written for each option, for people."""
        return {name: spelling.allowed() for name, spelling in cls.spellings().items()}

    def name_in(self, presets: Mapping[str, "HouseRules"]) -> str | None:
        """Return the name of the one of *presets* that these are, or None if it is none of them."""
        return next((name for name, preset in presets.items() if preset == self), None)

    def changed_since(self, before: "HouseRules") -> dict[str, str | int]:
        """Return what is otherwise than *before*, rules of the same game, as it is spelled."""
        return {
            one.name: spelling_of(one).write(getattr(self, one.name))
            for one in fields(self)
            if getattr(self, one.name) != getattr(before, one.name)
        }

    @property
    def german_suits(self) -> tuple[str, ...]:
        """What a German pack has here for each of `kloplei.games.cards.SUITS`."""
        return GERMAN_SUITS

    def idle(self) -> frozenset[str]:
        """Return the names of options that change nothing as long as the others are as here."""
        return frozenset()

    @classmethod
    def grouped(cls) -> dict[str, tuple[str, ...]]:
        """Return *groups* with what stands in none of them, where there is any, as ``other``."""
        named = {name for group in cls.groups.values() for name in group}
        other = tuple(name for name in _spellings(cls) if name not in named)
        return {**cls.groups, **({"other": other} if other else {})}

    def as_written(self) -> dict[str, str | int]:
        """Return every option, as the rules spell it."""
        spellings = _spellings(type(self))
        return {name: one.write(getattr(self, name)) for name, one in spellings.items()}

    def as_facts(self) -> dict[str, str | int]:
        """Return what differs from the defaults, as the rules spell it."""
        return {
            one.name: spelling_of(one).write(getattr(self, one.name))
            for one in fields(self)
            if getattr(self, one.name) != one.default
        }

    @classmethod
    def _read(cls, name: str, written: object) -> Any:
        known = _spellings(cls)
        if name not in known:
            there = validation.meant(name, known, f"it has {', '.join(known)}.")
            word = f"{name!r:.40}"
            raise UnknownOption(f"{cls.game} has no option {word}; {there}", {"word": word})
        found = known[name].read(written)
        if found is None:
            raise _bad_value(name, known[name], written)
        return found[0]


_SPELLINGS: dict[type[HouseRules], Mapping[str, Spelling]] = {}


def _spellings(kind: type[HouseRules]) -> Mapping[str, Spelling]:
    """Return how each option of *kind* is spelled: every one is looked at for each rule."""
    found = _SPELLINGS.get(kind)
    if found is None:
        found = _SPELLINGS[kind] = {one.name: spelling_of(one) for one in fields(kind)}
    return found


def _bad_value(name: str, spelling: Spelling, value: object) -> BadOption:
    english = f"Option {name} cannot be {value!r:.40}; allowed: {spelling.allowed()}."
    facts = {
        "option": name,
        "value": f"{value!r:.40}",
        "allowed": spelling.in_signs(),
        "words": tuple(spelling.words),
        "besides": spelling.besides_words(),
    }
    return BadOption(english, facts)
