"""Look up a sentence by its key and fill in its facts."""

import gettext
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter

from kloplei.rules.game import Facts, Seat

LANGUAGES = ("nl", "en", "de", "da", "ja")
_HERE = Path(__file__).parent
_NO_FACTS: Facts = {}
_NO_NAMES: Mapping[Seat, str] = {}


class Words:
    """The sentences of one language.

    Args:
        language: One of `LANGUAGES`; any other falls back to English.
        domain: Name of the catalogue files.
        folder: Folder with ``<language>/LC_MESSAGES/<domain>.mo``.
    """

    def __init__(self, language: str, *, domain: str = "kloplei", folder: Path = _HERE) -> None:
        self.language = language if language in LANGUAGES else "en"
        self._catalogue = gettext.translation(
            domain, localedir=folder, languages=[self.language, "en"], fallback=True
        )

    def knows(self, key: str) -> bool:
        """Whether there is a sentence *key*."""
        return self._catalogue.gettext(key) != key

    def say(self, key: str, facts: Facts = _NO_FACTS, names: Mapping[Seat, str] = _NO_NAMES) -> str:
        """Return the sentence *key* with *facts* filled in, seats by their *names*.

        A fact ``n`` picks the plural form. Where a fact of the sentence is missing, None or
        empty, the sentence ``<key>.without-<fact>`` stands in if there is one. A key without
        a sentence comes back as it is: better an odd word on the slate than none.
        """
        sentence = self._fitting(key, facts)
        spoken = _Spoken({name: self._spoken(value, names) for name, value in facts.items()})
        try:
            return sentence.format_map(spoken)
        except (KeyError, IndexError, ValueError):
            return sentence

    def short(
        self, key: str, facts: Facts = _NO_FACTS, names: Mapping[Seat, str] = _NO_NAMES
    ) -> str:
        """Return the short form of `say`, ``slate.<key>``, or the sentence if it has none."""
        shorter = f"slate.{key}"
        return self.say(shorter if self.knows(shorter) else key, facts, names)

    def _fitting(self, key: str, facts: Facts) -> str:
        sentence = self._find(key, facts.get("n"))
        for name in _placeholders(sentence):
            if facts.get(name) in (None, "", ()):
                other = self._find(f"{key}.without-{name}", facts.get("n"))
                if other != f"{key}.without-{name}":
                    return other
        return sentence

    def _find(self, key: str, n: object) -> str:
        if isinstance(n, int):
            several = self._catalogue.ngettext(key, key, n)
            if several != key:
                return several
        return self._catalogue.gettext(key)

    def _spoken(self, value: object, names: Mapping[Seat, str]) -> object:
        if isinstance(value, Seat):
            return names.get(value) or self._place(value)
        if isinstance(value, (tuple, list)):
            return self._listed([str(self._spoken(one, names)) for one in value])
        return _MISSING if value is None else value

    def _place(self, seat: Seat) -> str:
        found = self._find("seat.unnamed", None)
        return found.format(number=seat.shown) if found != "seat.unnamed" else str(seat.shown)

    def _listed(self, spoken: list[str]) -> str:
        """Join as people do: "Thijs, Tame en Stan"."""
        comma = self._find("list.comma", None) if self.knows("list.comma") else ", "
        if len(spoken) < 2 or not self.knows("list.last"):
            return comma.join(spoken)
        return self._find("list.last", None).format(rest=comma.join(spoken[:-1]), last=spoken[-1])


_MISSING = "?"


class _Spoken(dict[str, object]):
    """Facts as words; one that nobody gave reads as a question mark, not as an error."""

    def __missing__(self, name: str) -> str:
        return _MISSING


def _placeholders(sentence: str) -> Iterator[str]:
    try:
        for _, name, _, _ in Formatter().parse(sentence):
            if name:
                yield name
    except ValueError:
        return
