"""House rules of any game: options with a default each, written as its rule page spells them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from kloplei.files import KlopleiError
from kloplei.rules.spelling import Spelling, spelling_of


class BadOption(KlopleiError, ValueError):
    """An option that does not exist, or a value it cannot have."""


@dataclass(frozen=True, slots=True)
class HouseRules:
    """How a house plays; a game's own class adds the options, declared with `spelling`.

    Raises:
        BadOption: A value that the option cannot have.
    """

    game: ClassVar[str]  # as people say it, to begin a sentence with

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
    def choices(cls) -> dict[str, str]:
        """Return what may be written for each option, for people and their pages."""
        return {name: spelling.allowed() for name, spelling in _spellings(cls).items()}

    def name_in(self, presets: Mapping[str, "HouseRules"]) -> str | None:
        """Return the name of the one of *presets* that these are, or None if it is none of them."""
        return next((name for name, preset in presets.items() if preset == self), None)

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
            raise BadOption(f"{cls.game} has no option {name!r:.40}; it has {', '.join(known)}.")
        found = known[name].read(written)
        if found is None:
            raise _bad_value(name, known[name], written)
        return found[0]


def _spellings(kind: type[HouseRules]) -> dict[str, Spelling]:
    return {one.name: spelling_of(one) for one in fields(kind)}


def _bad_value(name: str, spelling: Spelling, value: object) -> BadOption:
    return BadOption(f"Option {name} cannot be {value!r:.40}; allowed: {spelling.allowed()}.")
