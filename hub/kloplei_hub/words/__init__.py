"""The words of the house's own pages, in five languages.

What stands on slates and in evenings, the catalogues of `kloplei` and `kloplei_panel` say already.
"""

from functools import cache
from pathlib import Path

from kloplei.words.catalogue import Words

_HERE = Path(__file__).parent


@cache
def house_words(language: str) -> Words:
    """Return the sentences of the house in that *language*."""
    return Words(language, domain="hub", folder=_HERE)
