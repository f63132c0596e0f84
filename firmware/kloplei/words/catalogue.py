"""Look up a sentence by its key and fill in its facts."""

import gettext
from collections.abc import Mapping
from pathlib import Path

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

    def say(self, key: str, facts: Facts = _NO_FACTS, names: Mapping[Seat, str] = _NO_NAMES) -> str:
        """Return the sentence *key* with *facts* filled in, seats by their *names*.

        A fact ``n`` picks the plural form. A key without a sentence comes back as it is:
        better an odd word on the slate than none.
        """
        sentence = self._find(key, facts.get("n"))
        spoken = {name: self._spoken(value, names) for name, value in facts.items()}
        try:
            return sentence.format_map(spoken)
        except (KeyError, IndexError, ValueError):
            return sentence

    def _find(self, key: str, n: object) -> str:
        if isinstance(n, int):
            several = self._catalogue.ngettext(key, key, n)
            if several != key:
                return several
        return self._catalogue.gettext(key)

    def _spoken(self, value: object, names: Mapping[Seat, str]) -> object:
        if isinstance(value, Seat):
            return names.get(value) or str(value.shown)
        if isinstance(value, tuple):
            return ", ".join(str(self._spoken(one, names)) for one in value)
        return value
