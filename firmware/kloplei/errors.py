"""The one root of everything Kloplei raises on purpose."""


class KlopleiError(Exception):
    """Root of Kloplei's own errors.

    The message is one sentence that says what is wrong, where, and what to do next;
    it is fit to be printed without a traceback.
    """
