"""Sentences in the languages of the table: nl en de da ja.

A sentence has a key (``reason.knock_limit``, ``prompt.stay-or-fold``) and facts; the
catalogues are gettext files compiled with Babel when the package is built. What goes wrong is
raised and told as a `Sentence`: English in the log, the reader's language on slate and phones.
"""

from kloplei.words.catalogue import LANGUAGES, Sentence, Words, sentence_of

__all__ = ["LANGUAGES", "Sentence", "Words", "sentence_of"]
