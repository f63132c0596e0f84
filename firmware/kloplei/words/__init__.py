"""Sentences in the languages of the table: a key and facts come in, a sentence goes out.

Everything else speaks in keys (``reason.knock_limit``, ``prompt.stay-or-fold``) and facts; only
where something is read, on the slate, on a page or in a terminal, `Words` makes a sentence of
them. What goes wrong is raised and told as a `Sentence`: English in the log, the reader's
language on slate and phones. The catalogues are gettext files, one folder a language, compiled
with Babel when the package is built; `LANGUAGES` lists them, and nothing else does. Pure and
without a thread.
"""

from kloplei.words.catalogue import (
    LANGUAGES,
    Sentence,
    SentenceError,
    Words,
    message_facts,
    sentence_of,
)

__all__ = ["LANGUAGES", "Sentence", "SentenceError", "Words", "message_facts", "sentence_of"]
