"""Sentences in the languages of the table: nl en de da ja.

A sentence has a key (``reason.knock_limit``, ``prompt.stay-or-fold``) and facts; the
catalogues are gettext files compiled with Babel when the package is built.
"""

from kloplei.words.catalogue import LANGUAGES, Words

__all__ = ["LANGUAGES", "Words"]
